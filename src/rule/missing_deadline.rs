//! missing-deadline

use super::words::{Evidence, Subject, Wording, accepted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Bound, Layer, Policy};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "missing-deadline",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Budget,
    summary: "Nothing but a count bounds the retrying: no attempt timeout and no deadline is known.",
    why: "An attempt that hangs is never given up, so it is never retried either, and its caller waits for as long as the other side keeps the connection open.",
    bad: Example {
        file: "search.toml",
        text: r#"[search]
url = "http://search:8080"

[search.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    good: Example {
        file: "search.toml",
        text: r#"[search]
url = "http://search:8080"
request_timeout = "2s"

[search.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    fix: "Give each attempt a timeout, or the whole operation a deadline.",
    needs: "A finite number of attempts, and that neither an attempt timeout nor a deadline is set. One that is set but not known makes no finding.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(accepted(project).filter_map(|(file, policy, _)| of_policy(file, policy)));
}

fn of_policy(file: &ProjectFile, policy: &Policy) -> Option<Finding> {
    // a Job exists to set the limit, whether it says anything or not
    let spoken_of = policy.written || policy.layer == Layer::Job;
    let unbounded = policy.attempt_timeout.is_unlimited() && policy.deadline.is_unlimited();
    let Bound::At(attempts @ 2..) = policy.attempts.bound else { return None };
    if !(spoken_of && unbounded && policy.layer != Layer::Probe) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.value("the attempt timeout", &policy.attempt_timeout);
    evidence.value("the deadline", &policy.deadline);
    let wording = Wording {
        message: format!("{attempts} attempts, and nothing ends one that hangs"),
        label: "without an attempt timeout and without a deadline".into(),
        help: "Give each attempt a timeout, or the whole operation a deadline; if one is set elsewhere, declare it with \
               `retrylint: deadline=…` in a comment or with [assume] attempt-timeout in retrylint.toml."
            .into(),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_policy, secs};
    use super::*;
    use crate::model::Setting;
    use crate::stack::samples::{line, policy};

    fn three() -> Policy {
        Policy { attempts: Setting::written(3, line(2)), ..policy("search", "/search") }
    }

    #[test]
    fn a_count_alone_is_reported() {
        let finding = check_policy(&RULE, three()).expect("a finding");
        assert_eq!(finding.message, "3 attempts, and nothing ends one that hangs");
    }

    #[test]
    fn a_timeout_a_deadline_or_an_unknown_one_is_enough() {
        let timed = Policy { attempt_timeout: Setting::default(secs(2), "the system's default"), ..three() };
        let bounded = Policy { deadline: Setting::written(secs(5), line(3)), ..three() };
        let unknown = Policy { attempt_timeout: Setting::unknown("a parameter", None), ..three() };
        for quiet in [timed, bounded, unknown] {
            assert_eq!(check_policy(&RULE, quiet), None);
        }
    }

    #[test]
    fn endless_attempts_and_policies_that_nobody_wrote_are_others_business() {
        let endless = Policy { attempts: Setting::unlimited("the system's default"), ..three() };
        let implicit = Policy { written: false, ..three() };
        assert_eq!(check_policy(&RULE, endless), None);
        assert_eq!(check_policy(&RULE, implicit.clone()), None);
        assert!(check_policy(&RULE, Policy { layer: Layer::Job, ..implicit }).is_some());
    }
}
