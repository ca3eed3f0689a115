//! unsafe-retry

use super::words::{Evidence, Subject, Wording, policies};
use super::{Example, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Policy, Repeated};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unsafe-retry",
    severity: Severity::Warning,
    pedantic: false,
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
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        findings.extend(policy.repeated.iter().filter_map(|list| of_list(file, policy, list)));
    }
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
    use crate::stack::samples::{line, policy};

    fn listing(permanent: &[&str], ambiguous: &[&str]) -> Policy {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        let list = Repeated {
            place: line(5),
            pointer: "/a/codes".into(),
            permanent: words(permanent),
            ambiguous: words(ambiguous),
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
    fn other_lists_are_not() {
        assert_eq!(check_policy(&RULE, listing(&["404"], &[])), None);
        assert_eq!(check_policy(&RULE, policy("a", "/a")), None);
    }
}
