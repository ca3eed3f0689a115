//! unreadable-config

use super::words::{Evidence, Subject, Wording};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Change, Finding, Fix, Severity};
use crate::model::Unreadable;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unreadable-config",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Housekeeping,
    summary: "A file, or a part of it, cannot be read.",
    why: "What cannot be read is not checked, and the system that it is for will most likely not read it either.",
    bad: Example {
        file: "orders.toml",
        text: r#"[orders.retry
max_attempts = 3
"#,
        config: "",
    },
    good: Example {
        file: "orders.toml",
        text: r#"[orders]
request_timeout = "2s"

[orders.retry]
max_attempts = 3
"#,
        config: "",
    },
    fix: "Put the syntax right at the place shown, or leave the file out with `exclude` in retrylint.toml where it \
          is broken on purpose. Of a key that stands twice keep one.",
    needs: "The bytes of the file.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.unreadable.iter().map(|part| finding(file, part)));
    }
}

fn finding(file: &ProjectFile, part: &Unreadable) -> Finding {
    let mut evidence = Evidence::of(&file.path);
    if part.warning {
        evidence.soften();
    }
    if let Some((place, message)) = &part.related {
        evidence.label(*place, message.clone());
    }
    let wording = Wording { message: part.message.clone(), label: "here".into(), help: part.help.clone() };
    // of a key that stands twice the first is of no effect
    let twice = part.related.is_some() && part.warning;
    let fix = twice.then_some(Fix { place: part.place, change: Change::RemoveHidden });
    Finding { fix, ..Subject::of_file(&file.path, part.place).finding(&RULE, wording, evidence) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::samples::check_project;
    use crate::stack::samples::{file, line};

    #[test]
    fn syntax_is_an_error_and_a_duplicate_key_a_warning_with_both_places() {
        let mut broken = file("a.yaml", vec![], vec![]);
        let part = |at, warning, related| Unreadable {
            place: line(at),
            message: "the list does not end".into(),
            help: "Close it.".into(),
            related,
            warning,
            hidden: false,
        };
        broken.facts.unreadable.push(part(3, false, None));
        broken.facts.unreadable.push(part(5, true, Some((line(4), "the one that is lost".into()))));
        let findings = check_project(&RULE, &Project { files: vec![broken], ..Project::default() });
        assert_eq!((findings[0].severity, findings[0].place), (Severity::Error, line(3)));
        assert_eq!((findings[1].severity, findings[1].related[0].place), (Severity::Warning, line(4)));
    }
}
