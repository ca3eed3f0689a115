//! retry-after-ignored

use super::words::{policies, remarked};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::stack::Project;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "retry-after-ignored",
    severity: Severity::Note,
    pedantic: true,
    group: Group::Load,
    summary: "Answers of a rate limit are retried on the client's own schedule, although the system can follow the server's.",
    why: "A server that limits its callers says when to come back. A client that comes earlier is refused again, and its \
          attempts are used up before the server would have answered.",
    bad: Example {
        file: "envoy.yaml",
        text: "\
virtual_hosts:
  - name: search
    domains: [\"*\"]
    routes:
      - match: { prefix: / }
        route:
          cluster: search
          timeout: 5s
          retry_policy:
            retry_on: retriable-status-codes
            retriable_status_codes: [429, 503]
            num_retries: 2
            per_try_timeout: 1s
",
        config: "[rules]\nretry-after-ignored = \"note\"\n",
    },
    good: Example {
        file: "envoy.yaml",
        text: "\
virtual_hosts:
  - name: search
    domains: [\"*\"]
    routes:
      - match: { prefix: / }
        route:
          cluster: search
          timeout: 5s
          retry_policy:
            retry_on: retriable-status-codes
            retriable_status_codes: [429, 503]
            num_retries: 2
            per_try_timeout: 1s
            rate_limited_retry_back_off:
              reset_headers:
                - name: Retry-After
                  format: SECONDS
",
        config: "[rules]\nretry-after-ignored = \"note\"\n",
    },
    fix: "Tell the system which header to follow; or leave the answers of a rate limit to the caller.",
    needs: "That answers of a rate limit are retried, and that the system has a setting to follow the server's time.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        let remarks = policy.ignores_retry_after.iter();
        findings.extend(
            remarks.map(|remark| remarked(&RULE, file, policy, remark, "retried on its own schedule")),
        );
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
    fn what_a_dialect_knows_to_be_retried_on_its_own_schedule_is_a_note() {
        let ignored = Some(remark("429 is retried on Envoy's own schedule"));
        let finding =
            check_policy(&RULE, Policy { ignores_retry_after: ignored, ..policy("p", "/p") }).unwrap();
        assert_eq!((finding.severity, finding.pointer.as_str()), (Severity::Note, "/p/count"));
    }

    #[test]
    fn a_policy_of_a_system_without_such_a_setting_is_silent() {
        assert_eq!(check_policy(&RULE, policy("p", "/p")), None);
    }
}
