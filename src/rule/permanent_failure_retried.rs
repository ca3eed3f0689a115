//! permanent-failure-retried

use super::words::{Evidence, Subject, Wording, alternatives, policies};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Policy, Repeated};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "permanent-failure-retried",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Meaning,
    summary: "A failure that cannot succeed later is retried.",
    why: "The same request gets the same answer again: the retries only delay it, and multiply the load of a caller that is wrong.",
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
retryable_status_codes = [429, 502, 503, 504, 400, 404]
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
retryable_status_codes = [429, 502, 503, 504]
"#,
        config: "",
    },
    fix: "Retry only what can succeed later: overload, unavailability, broken connections.",
    needs: "The list of failures that are retried, where the file writes one.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        findings.extend(policy.repeated.iter().filter_map(|list| of_list(file, policy, list)));
    }
}

fn of_list(file: &ProjectFile, policy: &Policy, list: &Repeated) -> Option<Finding> {
    if list.permanent.is_empty() {
        return None;
    }
    let listed = alternatives(&list.permanent);
    let wording = Wording {
        message: format!("a retry after {listed} gets the same answer again"),
        label: "holds what cannot succeed later".into(),
        help: format!("Take {} out of the list.", list.permanent.join(", ")),
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
            unclear: Vec::new(),
        };
        Policy { repeated: vec![list], ..policy("a", "/a") }
    }

    #[test]
    fn what_cannot_succeed_later_is_reported_at_its_list() {
        let finding = check_policy(&RULE, listing(&["400", "404"], &[])).expect("a finding");
        assert_eq!(
            (finding.message.as_str(), finding.place.line),
            ("a retry after 400 or 404 gets the same answer again", 5)
        );
    }

    #[test]
    fn other_lists_are_not() {
        assert_eq!(check_policy(&RULE, listing(&[], &["POST"])), None);
        assert_eq!(check_policy(&RULE, policy("a", "/a")), None);
    }
}
