//! gives-up-early

use super::words::{Evidence, Subject, Wording, accepted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Bound, Policy};
use crate::schedule::Schedule;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "gives-up-early",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Meaning,
    summary: "Something that drops data when it gives up retries for less than an ordinary outage (5 min unless set).",
    why: "Logs and metrics are wanted most of the time around an outage, and that is when they are lost.",
    bad: Example {
        file: "vector.toml",
        text: r#"[sources.app]
type = "file"
include = ["/var/log/app.log"]

[sinks.archive]
type = "http"
inputs = ["app"]
uri = "https://logs.example"

[sinks.archive.request]
timeout_secs = 10
retry_attempts = 4
retry_max_duration_secs = 30
"#,
        config: r#""#,
    },
    good: Example {
        file: "vector.toml",
        text: r#"[sources.app]
type = "file"
include = ["/var/log/app.log"]

[sinks.archive]
type = "http"
inputs = ["app"]
uri = "https://logs.example"

[sinks.archive.request]
timeout_secs = 10
retry_attempts = 40
retry_max_duration_secs = 30
"#,
        config: r#""#,
    },
    fix: "Retry for longer than an ordinary outage, or without end.",
    needs: "That the system drops what it gives up on, the number of attempts, and the waits.",
    check,
};

fn check(project: &Project, limits: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(
        accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule, limits)),
    );
}

fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule, limits: &Limits) -> Option<Finding> {
    // failures that come at once use up the attempts within the waits alone
    let (Bound::At(attempts), Bound::At(total)) = (policy.attempts.bound, schedule.total_max) else {
        return None;
    };
    if !(policy.ships && policy.written) || total >= limits.outage {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.waits(policy, schedule);
    let wording = Wording {
        message: format!(
            "{} used up within {total}, and what was to be sent is dropped",
            if attempts == 1 { "1 attempt is".to_string() } else { format!("{attempts} attempts are") }
        ),
        label: format!("gives up before an outage of {} is over", limits.outage),
        help: format!(
            "Retry for at least {}, or without end; `outage` under [limits] in retrylint.toml says how long that is.",
            limits.outage
        ),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_policy, secs};
    use super::*;
    use crate::model::{Backoff, Growth, Setting};
    use crate::stack::samples::{line, policy};

    fn shipper(attempts: Setting<u64>, wait: u64) -> Policy {
        let backoff = Backoff {
            growth: Growth::Constant,
            initial: Setting::written(secs(wait), line(3)),
            ..Backoff::none("default")
        };
        Policy { attempts, backoff, ships: true, ..policy("archive", "/archive") }
    }

    #[test]
    fn a_shipper_that_gives_up_within_minutes_is_reported() {
        let finding = check_policy(&RULE, shipper(Setting::written(5, line(2)), 10)).expect("a finding");
        assert_eq!(finding.message, "5 attempts are used up within 40 s, and what was to be sent is dropped");
    }

    #[test]
    fn one_that_outlasts_an_outage_or_never_ends_and_everything_else_is_not() {
        assert_eq!(check_policy(&RULE, shipper(Setting::written(31, line(2)), 10)), None);
        assert_eq!(check_policy(&RULE, shipper(Setting::unlimited("default"), 10)), None);
        let client = Policy { ships: false, ..shipper(Setting::written(5, line(2)), 10) };
        assert_eq!(check_policy(&RULE, client), None);
    }
}
