//! limit-without-effect

use super::words::{policies, remarked};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::stack::Project;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "limit-without-effect",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Meaning,
    summary: "A count that does not limit, because another setting takes precedence or is reached first.",
    why: "Whoever reads the file takes the count for what ends the retrying, and changes it in vain on the day it matters.",
    bad: Example {
        file: "job.yaml",
        text: "\
apiVersion: batch/v1
kind: Job
metadata:
  name: nightly
spec:
  completionMode: Indexed
  completions: 4
  backoffLimitPerIndex: 2
  backoffLimit: 40
  activeDeadlineSeconds: 3600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: nightly
          image: nightly:1
",
        config: "",
    },
    good: Example {
        file: "job.yaml",
        text: "\
apiVersion: batch/v1
kind: Job
metadata:
  name: nightly
spec:
  completionMode: Indexed
  completions: 4
  backoffLimitPerIndex: 2
  backoffLimit: 6
  activeDeadlineSeconds: 3600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: nightly
          image: nightly:1
",
        config: "",
    },
    fix: "Set the count so low that it can be reached, or remove it.",
    needs: "Which settings of the system take precedence over a count, and the counts that are reached before it.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        let remarks = policy.idle_limits.iter();
        findings.extend(remarks.map(|remark| remarked(&RULE, file, policy, remark, "does not limit")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Policy, Remark};
    use crate::rule::samples::check_policy;
    use crate::stack::samples::{line, policy};

    fn remark(what: &'static str) -> Remark {
        Remark { place: line(4), pointer: "/p/count".into(), what: what.into(), help: "Remove it.".into() }
    }

    #[test]
    fn a_count_that_a_dialect_knows_to_be_lost_is_reported_at_its_own_place() {
        let limits = vec![remark("the count is never reached")];
        let finding = check_policy(&RULE, Policy { idle_limits: limits, ..policy("p", "/p") }).unwrap();
        assert_eq!(
            (finding.message.as_str(), finding.help.as_str()),
            ("the count is never reached", "Remove it.")
        );
        assert_eq!((finding.place, finding.pointer.as_str()), (line(4), "/p/count"));
        assert_eq!(finding.severity, Severity::Warning);
    }

    #[test]
    fn a_policy_with_counts_that_hold_is_silent() {
        assert_eq!(check_policy(&RULE, policy("p", "/p")), None);
    }
}
