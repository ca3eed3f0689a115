//! implicit-retries

use super::words::{Evidence, Subject, Wording, counted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::stack::{Found, Project, Stack};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "implicit-retries",
    severity: Severity::Note,
    pedantic: false,
    group: Group::Load,
    summary: "A layer of a stack retries by default, with no setting in the file.",
    why: "Nobody who reads the file sees these retries, and they multiply with all others.",
    bad: Example {
        file: "ratings.yaml",
        text: r#"apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: ratings }
spec:
  hosts: [ratings]
  http:
    - route: [{ destination: { host: ratings } }]
"#,
        config: r#"[[stack]]
name = "ratings"
layers = [{ name = "app", attempts = 2, attempt-timeout = "5s" }, "ratings.yaml"]
"#,
    },
    good: Example {
        file: "ratings.yaml",
        text: r#"apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: ratings }
spec:
  hosts: [ratings]
  http:
    - route: [{ destination: { host: ratings } }]
      retries: { attempts: 0 }
"#,
        config: r#"[[stack]]
name = "ratings"
layers = [{ name = "app", attempts = 2, attempt-timeout = "5s" }, "ratings.yaml"]
"#,
    },
    fix: "Write how often it is to be retried, or that it is not.",
    needs: "The layers of a stack, and the system's default number of attempts.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for stack in &project.stacks {
        for found in of_stack(project, stack) {
            if !findings.contains(&found) {
                findings.push(found);
            }
        }
    }
}

fn of_stack(project: &Project, stack: &Stack) -> Vec<Finding> {
    let layers = stack.layers.iter().filter_map(|layer| {
        let Found::Policy(file, policy, _) = project.found(layer.source)? else { return None };
        if policy.written || policy.attempts.is_written() {
            return None;
        }
        let attempts = policy.attempts.at().filter(|attempts| *attempts > 1)?;
        let mut evidence = Evidence::of(&file.path);
        evidence.value("attempts", &policy.attempts);
        let wording = Wording {
            message: format!(
                "{} in the stack {}, although the file says nothing about retrying",
                counted(attempts, "attempt"),
                stack.name
            ),
            label: "retries by default".into(),
            help: "Write how often it is to be retried, or that it is not.".into(),
        };
        Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
    });
    layers.collect()
}
