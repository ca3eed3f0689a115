//! unknown-layer

use super::words::{Evidence, Subject, Wording, alternatives};
use super::{Example, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::stack::{LostLayer, Project};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unknown-layer",
    severity: Severity::Error,
    pedantic: false,
    summary: "A stack of retrylint.toml names a policy that is not there.",
    why: "A call path with a missing layer cannot be worked out, and what it was declared to guard is unguarded: \
          usually since a file was moved or a policy renamed.",
    bad: Example {
        file: "services.toml",
        text: SERVICES,
        config: r#"[[stack]]
name = "ledger"
layers = ["services.toml#/ledgers/retry"]
"#,
    },
    good: Example {
        file: "services.toml",
        text: SERVICES,
        config: r#"[[stack]]
name = "ledger"
layers = ["services.toml#/ledger/retry"]
"#,
    },
    fix: "Name the policy as it is called now: FILE#name, FILE#/pointer, or FILE alone where it has one policy. \
          `retrylint inspect` lists them.",
    check,
};

const SERVICES: &str = r#"[ledger]
endpoint = "http://ledger:9100"
request_timeout = "500ms"

[ledger.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#;

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(project.lost_layers.iter().map(|lost| finding(project, lost)));
}

fn finding(project: &Project, lost: &LostLayer) -> Finding {
    let named = match &lost.selector.policy {
        Some(policy) => format!("{}#{policy}", lost.selector.file),
        None => lost.selector.file.clone(),
    };
    let wrong = if lost.several { "which fits several policies" } else { "which is not there" };
    let wording = Wording {
        message: format!("the stack {} names {named}, {wrong}", lost.stack),
        label: if lost.several { "fits several" } else { "names nothing" }.into(),
        help: if lost.candidates.is_empty() {
            "No policy was found in the files that were checked; `retrylint inspect` lists what there is."
                .into()
        } else {
            format!("Did you mean {}?", alternatives(&lost.candidates))
        },
    };
    let subject = Subject::of_file(&project.config_path, lost.selector.place);
    subject.finding(&RULE, wording, Evidence::of(&project.config_path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::samples::check_project;
    use crate::stack::samples::{file, line, policy};
    use crate::stack::{DeclaredLayer, DeclaredStack, Selector, build};

    fn findings(policy_name: Option<&str>) -> Vec<Finding> {
        let selector =
            Selector { file: "a.toml".into(), policy: policy_name.map(Into::into), place: line(3) };
        let stack = DeclaredStack {
            name: "shop".into(),
            place: line(1),
            deadline: None,
            max_attempts: None,
            layers: vec![DeclaredLayer::Policy(selector)],
        };
        let policies = vec![policy("payments", "/payments/retry"), policy("mail", "/mail/retry")];
        let mut project = build(vec![file("a.toml", policies, vec![])], &[stack]);
        project.config_path = "retrylint.toml".into();
        check_project(&RULE, &project)
    }

    #[test]
    fn a_name_that_is_not_there_is_told_of_in_retrylint_toml_with_the_nearest() {
        let findings = findings(Some("payment"));
        assert_eq!(findings[0].message, "the stack shop names a.toml#payment, which is not there");
        assert_eq!(findings[0].help, "Did you mean a.toml#payments or a.toml#mail?");
        assert_eq!((findings[0].file.as_str(), findings[0].place), ("retrylint.toml", line(3)));
    }

    #[test]
    fn a_name_that_fits_several_gives_their_pointers() {
        let findings = findings(None);
        assert_eq!(findings[0].message, "the stack shop names a.toml, which fits several policies");
        assert_eq!(findings[0].help, "Did you mean a.toml#/payments/retry or a.toml#/mail/retry?");
    }

    #[test]
    fn a_name_that_is_there_is_silent() {
        assert!(findings(Some("mail")).is_empty());
    }
}
