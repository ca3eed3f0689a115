//! uncapped-backoff

use super::words::{Evidence, Subject, Wording, accepted, waits_in_time};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Growth, Policy};
use crate::schedule::Schedule;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "uncapped-backoff",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Load,
    summary: "Growth without a ceiling reaches a single wait longer than the limit (1 h unless set).",
    why: "Doubling looks harmless for the first few retries and then waits for hours: the last retries come long after anybody cares, and the work is stuck until then.",
    bad: Example {
        file: "build.asl.json",
        text: r#"{
  "StartAt": "Start",
  "States": {
    "Start": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "TimeoutSeconds": 60,
      "Retry": [
        {
          "ErrorEquals": ["Busy"],
          "IntervalSeconds": 60,
          "BackoffRate": 2,
          "MaxAttempts": 10,
          "JitterStrategy": "FULL"
        }
      ],
      "End": true
    }
  }
}
"#,
        config: "",
    },
    good: Example {
        file: "build.asl.json",
        text: r#"{
  "StartAt": "Start",
  "States": {
    "Start": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "TimeoutSeconds": 60,
      "Retry": [
        {
          "ErrorEquals": ["Busy"],
          "IntervalSeconds": 60,
          "BackoffRate": 2,
          "MaxAttempts": 10,
          "MaxDelaySeconds": 900,
          "JitterStrategy": "FULL"
        }
      ],
      "End": true
    }
  }
}
"#,
        config: "",
    },
    fix: "Give the waits a ceiling, or make fewer retries.",
    needs: "The first wait, its growth and the number of attempts, and that there is no ceiling.",
    check,
};

fn check(project: &Project, limits: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(
        accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule, limits)),
    );
}

fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule, limits: &Limits) -> Option<Finding> {
    let grows = !matches!(
        policy.backoff.growth,
        Growth::None | Growth::Constant | Growth::List(_) | Growth::Ranges(_)
    );
    if !(policy.written && grows && policy.backoff.cap.is_unlimited()) {
        return None;
    }
    let waits = waits_in_time(policy, schedule)?;
    let first = waits.iter().position(|wait| wait.max > limits.single_wait)?;
    let longest = waits.iter().map(|wait| wait.max).max()?;
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.waits(policy, schedule);
    let wording = Wording {
        message: format!("the waits grow without a ceiling, up to {longest} before a single retry"),
        label: format!("retry {} already waits for {}", first + 1, waits[first].max),
        help: format!(
            "Set a ceiling of one wait, or make at most {first} retries: so many wait no longer than {}.",
            limits.single_wait
        ),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_policy, secs};
    use super::*;
    use crate::model::{Backoff, Ratio, Setting};
    use crate::stack::samples::{line, policy};

    fn doubling(attempts: u64, initial: u64) -> Policy {
        let backoff = Backoff {
            growth: Growth::Exponential,
            initial: Setting::written(secs(initial), line(3)),
            multiplier: Setting::written(Ratio::new(2, 1), line(4)),
            ..Backoff::none("default")
        };
        Policy { attempts: Setting::written(attempts, line(2)), backoff, ..policy("build", "/build") }
    }

    #[test]
    fn a_wait_over_the_limit_is_reported_with_the_retries_that_stay_below() {
        let finding = check_policy(&RULE, doubling(11, 60)).expect("a finding");
        assert_eq!(
            finding.message,
            "the waits grow without a ceiling, up to 8 h 32 min before a single retry"
        );
        assert!(finding.help.contains("at most 6 retries"), "{}", finding.help);
    }

    #[test]
    fn waits_that_stay_below_the_limit_or_have_a_ceiling_are_not() {
        assert_eq!(check_policy(&RULE, doubling(7, 60)), None);
        let mut capped = doubling(20, 60);
        capped.backoff.cap = Setting::written(secs(900), line(5));
        assert_eq!(check_policy(&RULE, capped), None);
    }

    #[test]
    fn a_long_wait_that_does_not_grow_was_meant() {
        let mut constant = doubling(5, 7200);
        constant.backoff.growth = Growth::Constant;
        assert_eq!(check_policy(&RULE, constant), None);
    }
}
