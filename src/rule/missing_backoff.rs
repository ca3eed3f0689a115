//! missing-backoff

use super::words::{Evidence, Subject, Wording, accepted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Bound, Layer, Pacing, Policy};
use crate::schedule::Schedule;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "missing-backoff",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Load,
    summary: "Retries follow each other with no wait at all.",
    why: "What has just failed gets no time to recover: all attempts are used up within the same hiccup, and their load arrives on top of it.",
    bad: Example {
        file: "ratings.toml",
        text: r#"[ratings]
url = "http://ratings:8080"
request_timeout = "2s"
max_retries = 2
retry_delay = "0s"
"#,
        config: "",
    },
    good: Example {
        file: "ratings.toml",
        text: r#"[ratings]
url = "http://ratings:8080"
request_timeout = "2s"
max_retries = 2
retry_delay = "250ms"
jitter = "full"
"#,
        config: "",
    },
    fix: "Wait before each retry, longer each time up to a ceiling, and with jitter.",
    needs: "The number of attempts and the waits. Waits that are not known make no finding.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings
        .extend(accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule)));
}

fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule) -> Option<Finding> {
    let spoken_of = matches!(policy.layer, Layer::Client | Layer::Proxy | Layer::Queue | Layer::Workflow);
    let Bound::At(attempts @ 2..) = policy.attempts.bound else { return None };
    if !(policy.written && spoken_of && policy.pacing == Pacing::AfterFailure) {
        return None;
    }
    if schedule.waits.as_ref()?.iter().any(|wait| !wait.max.is_zero()) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.value("the wait", &policy.backoff.initial);
    let wording = Wording {
        message: format!("{attempts} attempts follow each other without a wait"),
        label: "no wait before a retry".into(),
        help: "Wait before each retry, longer each time up to a ceiling, and with jitter.".into(),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::check_policy;
    use super::*;
    use crate::model::{Backoff, Duration, Growth, Setting};
    use crate::stack::samples::{line, policy};

    fn waiting(growth: Growth, wait: Duration) -> Policy {
        let backoff =
            Backoff { growth, initial: Setting::written(wait, line(3)), ..Backoff::none("default") };
        Policy { attempts: Setting::written(3, line(2)), backoff, ..policy("ratings", "/ratings") }
    }

    #[test]
    fn a_wait_of_nothing_is_reported_and_any_other_is_not() {
        assert!(check_policy(&RULE, waiting(Growth::Constant, Duration::ZERO)).is_some());
        assert_eq!(check_policy(&RULE, waiting(Growth::Constant, Duration::from_millis(1))), None);
    }

    #[test]
    fn what_is_not_known_is_not_nothing() {
        assert_eq!(check_policy(&RULE, waiting(Growth::Unknown, Duration::ZERO)), None);
    }

    #[test]
    fn a_single_attempt_and_hedged_calls_have_no_wait_to_miss() {
        let single =
            Policy { attempts: Setting::written(1, line(2)), ..waiting(Growth::None, Duration::ZERO) };
        let hedged = Policy { pacing: Pacing::Hedged, ..waiting(Growth::Constant, Duration::ZERO) };
        assert_eq!(check_policy(&RULE, single), None);
        assert_eq!(check_policy(&RULE, hedged), None);
    }
}
