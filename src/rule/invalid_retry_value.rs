//! invalid-retry-value

use super::words::{Evidence, Subject, Wording};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Fault;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "invalid-retry-value",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Settings,
    summary: "The system refuses a value, or silently takes another in its place.",
    why: "What the file says is not what runs. A refused configuration keeps the old one in force or stops the \
          start; a replaced value is worse, since nothing tells of it.",
    bad: Example {
        file: "payments.yaml",
        text: "apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: payments
spec:
  hosts: [payments]
  http:
    - timeout: 2s
      retries:
        attempts: 1
        perTryTimeout: 3s
      route:
        - destination:
            host: payments
",
        config: "",
    },
    good: Example {
        file: "payments.yaml",
        text: "apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: payments
spec:
  hosts: [payments]
  http:
    - timeout: 2s
      retries:
        attempts: 1
        perTryTimeout: 900ms
      route:
        - destination:
            host: payments
",
        config: "",
    },
    fix: "Write a value that the system takes as it stands.",
    needs: "What the system accepts. A value that another tool fills in later is not judged.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        let of_policies =
            file.facts.policies.iter().flat_map(|policy| {
                policy.faults.iter().map(move |fault| (fault, Subject::policy(file, policy)))
            });
        let of_queues = file
            .facts
            .queues
            .iter()
            .flat_map(|queue| queue.faults.iter().map(move |fault| (fault, Subject::queue(file, queue))));
        let (lenient, grave): (Vec<_>, Vec<_>) =
            of_policies.chain(of_queues).partition(|(fault, _)| fault.lenient);
        findings.extend(grave.into_iter().map(|(fault, subject)| finding(file, fault, subject, 0)));
        let others = lenient.len().saturating_sub(1);
        findings
            .extend(lenient.into_iter().next().map(|(fault, subject)| finding(file, fault, subject, others)));
    }
}

/// `others` more of the same file are told of with it.
fn finding(file: &ProjectFile, fault: &Fault, subject: Subject<'_>, others: usize) -> Finding {
    let mut evidence = Evidence::of(&file.path);
    if fault.lenient {
        evidence.soften();
    }
    if others > 0 {
        evidence.note(format!("{others} more in this file"));
    }
    let help = match (&fault.help, fault.refused) {
        (Some(help), _) => sentence(help),
        (None, true) => {
            "Write a value that it takes; until then the configuration is refused as a whole.".into()
        }
        (None, false) => "Write what is meant to hold; the value as it stands is lost.".into(),
    };
    let label = if fault.refused { "refused" } else { "not what holds" };
    let wording =
        Wording { message: format!("{} – {}", fault.what, fault.effect), label: label.into(), help };
    subject.at(Some(fault.place)).pointing_to(&fault.pointer).finding(&RULE, wording, evidence)
}

/// A clause with a capital and a full stop.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let stop = if clause.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Policy;
    use crate::rule::samples::{check_policy, check_project};
    use crate::stack::samples::{file, line, policy, queue};

    fn fault(at: u32, lenient: bool) -> Fault {
        Fault {
            place: line(at),
            pointer: "/p/perTryTimeout".into(),
            what: "perTryTimeout: 3s".into(),
            hidden: None,
            effect: "Envoy drops a per-try timeout that is not below the timeout of the request, 2 s".into(),
            help: Some("write less than 2 s".into()),
            refused: false,
            lenient,
        }
    }

    #[test]
    fn a_fault_is_told_of_at_its_own_key_with_what_the_system_does() {
        let finding =
            check_policy(&RULE, Policy { faults: vec![fault(6, false)], ..policy("p", "/p") }).unwrap();
        assert_eq!(
            finding.message,
            "perTryTimeout: 3s – Envoy drops a per-try timeout that is not below the timeout of the request, 2 s"
        );
        assert_eq!(finding.help, "Write less than 2 s.");
        assert_eq!((finding.place, finding.pointer.as_str()), (line(6), "/p/perTryTimeout"));
        assert_eq!((finding.severity, finding.dialect.as_ref()), (Severity::Error, "generic"));
    }

    #[test]
    fn what_may_not_concern_the_readers_is_one_warning_for_each_file() {
        let policies = [6, 7, 8].map(|at| Policy { faults: vec![fault(at, true)], ..policy("p", "/p") });
        let mut orders = queue("Orders", "/q");
        orders.faults.push(fault(9, false));
        let project =
            Project { files: vec![file("a.json", policies.to_vec(), vec![orders])], ..Project::default() };
        let findings = check_project(&RULE, &project);
        let severities: Vec<_> =
            findings.iter().map(|finding| (finding.place.line, finding.severity)).collect();
        assert_eq!(severities, [(9, Severity::Error), (6, Severity::Warning)]);
        assert_eq!(findings[1].notes, ["2 more in this file"]);
    }
}
