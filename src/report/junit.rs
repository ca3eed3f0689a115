//! `check --format junit`: a test case for each file that holds policies or queues, in the XML that Jenkins, GitLab
//! and others read.

use super::{Checked, printable, whole};
use crate::finding::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Writes one suite. A file whose findings reach the failing severity has failed; what is milder stands in its output.
pub fn junit(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in checked.findings {
        by_file.entry(&finding.file).or_default().push(finding);
    }
    let fails = |finding: &&Finding| checked.fails.is_some_and(|least| finding.severity >= least);
    let files: BTreeSet<&str> = checked.files.iter().copied().chain(by_file.keys().copied()).collect();
    let failures = by_file.values().filter(|findings| findings.iter().any(fails)).count();
    let errors = checked.troubles.len();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", files.len() + errors);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"retrylint\" {counts}>\n  <testsuite name=\"retrylint\" {counts}>")?;
    for file in files {
        let (failing, milder): (Vec<&Finding>, Vec<_>) =
            by_file.remove(file).unwrap_or_default().into_iter().partition(fails);
        write!(out, "    <testcase classname=\"retrylint\" name=\"{}\"", xml(&checked.names.of(file)))?;
        if failing.is_empty() && milder.is_empty() {
            writeln!(out, "/>")?;
            continue;
        }
        writeln!(out, ">")?;
        // more than one failure of a case is shown by some readers only
        if let [first, more @ ..] = failing.as_slice() {
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
            let (rule, message) = (first.rule, xml(&format!("{}{more}", first.message)));
            writeln!(
                out,
                "      <failure type=\"{rule}\" message=\"{message}\">{}</failure>",
                lines(&failing, checked)
            )?;
        }
        if !milder.is_empty() {
            writeln!(out, "      <system-out>{}</system-out>", lines(&milder, checked))?;
        }
        writeln!(out, "    </testcase>")?;
    }
    for trouble in checked.troubles {
        let what = xml(trouble);
        writeln!(out, "    <testcase classname=\"retrylint\" name=\"{what}\">")?;
        writeln!(out, "      <error type=\"not-checked\" message=\"{what}\"/>\n    </testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn lines(findings: &[&Finding], checked: &Checked<'_>) -> String {
    let line = |finding: &&Finding| {
        let Finding { rule, severity, place, .. } = finding;
        let (file, word, what) = (checked.names.of(&finding.file), severity.word(), whole(finding));
        xml(&format!("{file}:{}:{}: {word}: {rule}: {what}", place.line, place.column))
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A text of one line; what XML 1.0 has no way to write does not get past [`printable`], but for the last two.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in printable(text).chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('?'),
            _ => safe.push(char),
        }
    }
    safe
}
