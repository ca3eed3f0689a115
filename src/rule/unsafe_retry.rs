//! unsafe-retry

use super::words::{Evidence, Subject, Wording, policies};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Policy, Repeated};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unsafe-retry",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Meaning,
    summary: "Calls that are not safe to repeat are retried after a failure that leaves open whether they were carried out.",
    why: "A lost answer is no lost request: the payment may have been made, and the retry makes it again.",
    bad: Example {
        file: "billing.toml",
        text: r#"[billing]
base_url = "https://billing.example"
request_timeout = "2s"

[billing.retry]
max_attempts = 3
initial_interval = "200ms"
multiplier = 2
max_interval = "1s"
jitter = "full"
methods = ["GET", "POST"]
"#,
        config: "",
    },
    good: Example {
        file: "billing.toml",
        text: r#"[billing]
base_url = "https://billing.example"
request_timeout = "2s"

[billing.retry]
max_attempts = 3
initial_interval = "200ms"
multiplier = 2
max_interval = "1s"
jitter = "full"
methods = ["GET", "POST"]
idempotency_key = "X-Request-Id"
"#,
        config: "",
    },
    fix: "Repeat only what may be carried out twice, or give each call a key by which the other side knows it again.",
    needs: "The list of failures or methods that are retried, where the file writes one. Where a system retries calls of any method, the methods that its policy is for.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        findings.extend(policy.repeated.iter().filter_map(|list| of_list(file, policy, list)));
        findings.extend(of_methods(file, policy));
    }
}

/// Calls of methods that are not safe to repeat, retried whatever they do.
fn of_methods(file: &ProjectFile, policy: &Policy) -> Option<Finding> {
    if policy.attempts.at() == Some(1) {
        return None;
    }
    let methods = policy.methods.as_ref()?;
    let named: Vec<_> = methods.unsafe_ones().collect();
    let unclear = || policy.repeated.iter().filter(|list| !list.unclear.is_empty());
    let first = unclear().next().filter(|_| !named.is_empty())?;
    let words: Vec<_> = unclear().flat_map(|list| &list.unclear).map(String::as_str).collect();
    let (named, words) = (named.join(", "), words.join(", "));
    let mut evidence = Evidence::of(&file.path);
    evidence.label(methods.place, format!("this is for {named}"));
    let wording = Wording {
        message: format!(
            "{named} is retried after {words}: a call that may have been carried out is made again"
        ),
        label: format!("not safe to repeat {named} after"),
        help: format!(
            "Retry {named} only after failures to send it, and take {words} out of the list; if the other side \
             recognises a repeated call, say so with `retrylint: ignore[unsafe-retry] -- why` in a comment."
        ),
    };
    let subject = Subject::policy(file, policy).at(Some(first.place)).pointing_to(&first.pointer);
    Some(subject.finding(&RULE, wording, evidence))
}

fn of_list(file: &ProjectFile, policy: &Policy, list: &Repeated) -> Option<Finding> {
    if list.ambiguous.is_empty() {
        return None;
    }
    let wording = Wording {
        message: format!(
            "{}: a call that may have been carried out is made again",
            list.ambiguous.join(", ")
        ),
        label: "not safe to repeat".into(),
        help: format!(
            "Take {} out of the list, unless the other side recognises a repeated call; if it does, say so with \
             `retrylint: ignore[unsafe-retry] -- why` in a comment.",
            list.ambiguous.join(", ")
        ),
    };
    let subject = Subject::policy(file, policy).at(Some(list.place)).pointing_to(&list.pointer);
    Some(subject.finding(&RULE, wording, Evidence::of(&file.path)))
}

#[cfg(test)]
mod tests {
    use super::super::samples::check_policy;
    use super::*;
    use crate::model::{Methods, Setting};
    use crate::stack::samples::{line, policy};

    fn listing(permanent: &[&str], ambiguous: &[&str]) -> Policy {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        let list = Repeated {
            place: line(5),
            pointer: "/a/codes".into(),
            permanent: words(permanent),
            ambiguous: words(ambiguous),
            unclear: Vec::new(),
        };
        Policy { repeated: vec![list], ..policy("a", "/a") }
    }

    #[test]
    fn what_may_have_been_carried_out_is_reported_at_its_list() {
        let finding = check_policy(&RULE, listing(&[], &["POST"])).expect("a finding");
        assert_eq!(
            (finding.message.as_str(), finding.place.line),
            ("POST: a call that may have been carried out is made again", 5)
        );
    }

    #[test]
    fn unclear_failures_harm_methods_that_are_not_safe_to_repeat() {
        let with = |named: &[&str], attempts| {
            let named = named.iter().map(|name| name.to_string()).collect();
            let list = |at, word: &str| Repeated {
                place: line(at),
                pointer: "/a/codes".into(),
                unclear: vec![word.into()],
                ..Repeated::default()
            };
            check_policy(
                &RULE,
                Policy {
                    attempts: Setting::written(attempts, line(3)),
                    repeated: vec![list(5, "5xx"), list(6, "503")],
                    methods: Some(Methods { place: line(2), named }),
                    ..policy("a", "/a")
                },
            )
        };
        let finding = with(&["GET", "POST"], 3).expect("a finding");
        assert_eq!(
            finding.message,
            "POST is retried after 5xx, 503: a call that may have been carried out is made again"
        );
        assert_eq!((finding.place.line, finding.related[0].place.line), (5, 2));
        assert_eq!(with(&["GET", "PUT", "DELETE"], 3), None, "safe to repeat");
        assert_eq!(with(&["POST"], 1), None, "nothing is retried");
    }

    #[test]
    fn other_lists_are_not() {
        assert_eq!(check_policy(&RULE, listing(&["404"], &[])), None);
        assert_eq!(check_policy(&RULE, policy("a", "/a")), None);
    }
}
