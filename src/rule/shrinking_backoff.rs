//! shrinking-backoff

use super::words::{Evidence, Subject, Wording, accepted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Growth, Policy, Ratio};
use crate::schedule::Schedule;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "shrinking-backoff",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Settings,
    summary: "A multiplier under 1 makes each wait shorter than the one before.",
    why: "The longer something stays down, the harder it is hit.",
    bad: Example {
        file: "slow_grpc.json",
        text: r#"{
  "methodConfig": [
    {
      "name": [{ "service": "shop.Slow" }],
      "timeout": "10s",
      "retryPolicy": {
        "maxAttempts": 4,
        "initialBackoff": "1s",
        "maxBackoff": "5s",
        "backoffMultiplier": 0.5,
        "retryableStatusCodes": ["UNAVAILABLE"]
      }
    }
  ]
}
"#,
        config: "",
    },
    good: Example {
        file: "slow_grpc.json",
        text: r#"{
  "methodConfig": [
    {
      "name": [{ "service": "shop.Slow" }],
      "timeout": "10s",
      "retryPolicy": {
        "maxAttempts": 4,
        "initialBackoff": "0.5s",
        "maxBackoff": "5s",
        "backoffMultiplier": 1.5,
        "retryableStatusCodes": ["UNAVAILABLE"]
      }
    }
  ]
}
"#,
        config: "",
    },
    fix: "Set a multiplier of at least 1; 2 is common.",
    needs: "The growth per retry, and at least 3 attempts: a single wait cannot shrink.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings
        .extend(accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule)));
}

fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule) -> Option<Finding> {
    let multiplier = policy.backoff.multiplier.at().filter(|multiplier| *multiplier < Ratio::ONE)?;
    if policy.backoff.growth != Growth::Exponential
        || policy.attempts.at().is_some_and(|attempts| attempts < 3)
    {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.waits(policy, schedule);
    let wording = Wording {
        message: format!("a multiplier of {multiplier} makes each wait shorter than the one before"),
        label: "under 1".into(),
        help: "Set a multiplier of at least 1; 2 is common.".into(),
    };
    let place = policy.backoff.multiplier.origin.place();
    Some(Subject::policy(file, policy).at(place).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_policy, secs};
    use super::*;
    use crate::model::{Backoff, Setting};
    use crate::stack::samples::{line, policy};

    fn growing(multiplier: Ratio) -> Policy {
        let backoff = Backoff {
            growth: Growth::Exponential,
            initial: Setting::written(secs(1), line(3)),
            multiplier: Setting::written(multiplier, line(4)),
            ..Backoff::none("default")
        };
        Policy { attempts: Setting::written(4, line(2)), backoff, ..policy("slow", "/slow") }
    }

    #[test]
    fn under_one_is_reported_at_the_multiplier() {
        let finding = check_policy(&RULE, growing(Ratio::new(1, 2))).expect("a finding");
        assert_eq!(
            (finding.place.line, finding.message.as_str()),
            (4, "a multiplier of 0.5 makes each wait shorter than the one before")
        );
    }

    #[test]
    fn one_and_more_are_not_and_neither_is_a_multiplier_that_is_not_read() {
        assert_eq!(check_policy(&RULE, growing(Ratio::ONE)), None);
        let mut constant = growing(Ratio::new(1, 2));
        constant.backoff.growth = Growth::Constant;
        assert_eq!(check_policy(&RULE, constant), None);
    }
}
