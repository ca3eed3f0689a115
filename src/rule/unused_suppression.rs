//! unused-suppression

use super::words::{Evidence, Subject, Wording};
use super::{Example, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::stack::Project;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unused-suppression",
    severity: Severity::Warning,
    pedantic: false,
    summary: "A comment silences something that is not there.",
    why: "The next finding that it happens to cover goes unseen, and its reason misleads whoever reads it.",
    bad: Example {
        file: "client.toml",
        text: r#"[client]
timeout_ms = 100
deadline_ms = 1000

# retrylint: ignore[deadline-exceeded] -- one client only
[client.retry]
max_attempts = 3
delay_ms = 10
"#,
        config: r#""#,
    },
    good: Example {
        file: "client.toml",
        text: r#"[client]
timeout_ms = 100
deadline_ms = 1000

# retrylint: ignore[missing-jitter] -- one client only
[client.retry]
max_attempts = 3
delay_ms = 10
"#,
        config: r#"[rules]
missing-jitter = "warning"
"#,
    },
    fix: "Remove the comment, or the rule from its list.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(project.unused_suppressions.iter().map(|unused| {
        let wording = Wording {
            message: "this comment silences nothing".into(),
            label: "without effect".into(),
            help: "Remove the comment, or the rule from its list.".into(),
        };
        Subject::of_file(&unused.file, unused.place).finding(&RULE, wording, Evidence::of(&unused.file))
    }));
}
