//! retry-without-effect

use super::words::{Evidence, Subject, Wording, policies};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Policy;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "retry-without-effect",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Meaning,
    summary: "A retry block that never retries.",
    why: "Whoever reads the file believes that a hiccup is retried, and plans with it.",
    bad: Example {
        file: "route.yaml",
        text: r#"name: search
virtual_hosts:
  - name: search
    domains: ["*"]
    routes:
      - match: { prefix: "/" }
        route:
          cluster: search
          timeout: 3s
          retry_policy:
            num_retries: 2
            per_try_timeout: 0.8s
"#,
        config: "",
    },
    good: Example {
        file: "route.yaml",
        text: r#"name: search
virtual_hosts:
  - name: search
    domains: ["*"]
    routes:
      - match: { prefix: "/" }
        route:
          cluster: search
          timeout: 3s
          retry_policy:
            retry_on: connect-failure,refused-stream
            num_retries: 2
            per_try_timeout: 0.8s
"#,
        config: "",
    },
    fix: "Make it retry something, or remove it.",
    needs: "What makes a policy retry in its system: the number of attempts, the conditions, what replaces it.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(policies(project).filter_map(|(file, policy, _)| of_policy(file, policy)));
}

fn of_policy(file: &ProjectFile, policy: &Policy) -> Option<Finding> {
    // a value that is refused is the cause, and told by itself
    let idle = policy.idle.as_ref().filter(|_| policy.faults.is_empty())?;
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    let wording = Wording {
        message: format!("this never retries: {}", idle.why),
        label: "without effect".into(),
        help: idle.help.to_string(),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::check_policy;
    use super::*;
    use crate::model::{Fault, Idle};
    use crate::stack::samples::{line, policy};

    fn idle() -> Policy {
        let idle = Idle { why: "one attempt leaves no retry".into(), help: "Allow two.".into() };
        Policy { idle: Some(idle), ..policy("search", "/search") }
    }

    #[test]
    fn what_never_retries_is_reported_with_its_reason() {
        let finding = check_policy(&RULE, idle()).expect("a finding");
        assert_eq!(finding.message, "this never retries: one attempt leaves no retry");
    }

    #[test]
    fn what_retries_or_is_refused_anyway_is_not() {
        assert_eq!(check_policy(&RULE, policy("search", "/search")), None);
        let fault = Fault {
            place: line(3),
            pointer: "/search/attempts".into(),
            what: "attempts: 1".into(),
            hidden: None,
            effect: "refused".into(),
            help: None,
            refused: true,
            lenient: false,
        };
        assert_eq!(check_policy(&RULE, Policy { faults: vec![fault], ..idle() }), None);
    }
}
