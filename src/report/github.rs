//! `check --format github`: workflow commands, which a runner of GitHub Actions shows as annotations.
//!
//! Escaping as of `toCommandProperties` and `escapeData` of actions/toolkit, packages/core/src/command.ts.

use super::{Checked, printable, whole};
use crate::finding::{Finding, Severity};
use std::io::{self, Write};

/// Of each kind a runner takes so many from one step and drops the rest without a word.
const MOST_OF_A_KIND: usize = 10;

/// Writes an annotation for each of the first findings of each severity, the others as a folded list, and the
/// sentence that says how much was looked at.
pub fn github(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let of_it = checked.findings.iter().filter(|finding| finding.severity == severity);
        for (n, finding) in of_it.enumerate() {
            match n < MOST_OF_A_KIND {
                true => annotation(finding, checked, out)?,
                false => rest.push(finding),
            }
        }
    }
    if !rest.is_empty() {
        let count = rest.len();
        writeln!(out, "::group::{count} more finding{}", if count == 1 { "" } else { "s" })?;
        for finding in rest {
            let Finding { rule, severity, place, .. } = finding;
            let (file, what) = (checked.names.of(&finding.file), whole(finding));
            let word = severity.word();
            writeln!(
                out,
                "{}",
                plain(&format!("{word} {file}:{}:{}: {rule}: {what}", place.line, place.column))
            )?;
        }
        writeln!(out, "::endgroup::")?;
    }
    for trouble in checked.troubles {
        writeln!(out, "{}", plain(&format!("not checked: {trouble}")))?;
    }
    writeln!(out, "{}", checked.summary.sentence(false))
}

fn annotation(finding: &Finding, checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = finding.place;
    write!(
        out,
        "::{command} title={},file={}",
        property(finding.rule),
        property(&checked.names.of(&finding.file))
    )?;
    if place.line > 0 {
        write!(out, ",line={},endLine={}", place.line, place.end_line)?;
        // columns are of one line only
        if place.end_line == place.line {
            write!(out, ",col={},endColumn={}", place.column, place.end_column)?;
        }
    }
    let related = finding.related.iter().filter(|label| label.file != finding.file);
    let related: String = related
        .map(|label| format!("\n{}:{}: {}", checked.names.of(&label.file), label.place.line, label.message))
        .collect();
    writeln!(out, "::{}", data(&format!("{}{related}", whole(finding))))
}

/// A line that is no command: those start with `::`, the older ones hold `##[` anywhere.
fn plain(line: &str) -> String {
    printable(line).replace("##[", "## [")
}

/// The message of a command.
fn data(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command: a name is given as it is, since the runner looks for that file.
fn property(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    text.replace(':', "%3A").replace(',', "%2C")
}
