//! `check --format markdown`: a table, for the summary of a job or the comment of a review.

use super::{Checked, printable, whole};
use crate::finding::{Finding, Severity};
use std::io::{self, Write};

/// So many bytes of rows are written and the rest counted: a comment on GitHub holds 65,536 characters, and the
/// page around it wants some of them.
const MOST_BYTES: usize = 50_000;

/// Writes what was found in a sentence and a table, the worst first.
pub fn markdown(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Checked { findings, summary, troubles, .. } = checked;
    let sentence = summary.sentence(false);
    let (first, rest) = sentence.split_at(1);
    writeln!(out, "{}{rest}.", first.to_uppercase())?;
    for trouble in *troubles {
        writeln!(out, "\n**Not checked:** {}", cell(trouble))?;
    }
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| | rule | where | what |\n| --- | --- | --- | --- |")?;
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let (mut written, mut rows) = (0, 0);
    for finding in &sorted {
        let row = row(finding, checked);
        written += row.len();
        if written > MOST_BYTES {
            break;
        }
        rows += 1;
        out.write_all(row.as_bytes())?;
    }
    match sorted.len() - rows {
        0 => Ok(()),
        more => writeln!(out, "\n{more} more; `retrylint check` shows them."),
    }
}

fn row(finding: &Finding, checked: &Checked<'_>) -> String {
    let sign = match finding.severity {
        Severity::Error => "❌ error",
        Severity::Warning => "⚠️ warning",
        Severity::Note => "ℹ️ note",
    };
    let place = format!("{}:{}", checked.names.of(&finding.file), finding.place.line);
    format!("| {sign} | {} | {} | {} |\n", finding.rule, cell(&place), cell(&whole(finding)))
}

/// A text of one line without what Markdown and HTML would act on.
pub(super) fn cell(text: &str) -> String {
    let mut safe = String::new();
    for char in printable(text).chars() {
        match char {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '@' | '#' => safe.extend(['\\', char]),
            _ => safe.push(char),
        }
    }
    safe
}
