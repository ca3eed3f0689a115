//! `check --format json`, version 1.

use super::{Summary, mask};
use crate::finding::{Finding, Label};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the findings and the summary.
pub fn json(findings: &[Finding], summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let findings: Vec<_> = findings.iter().map(finding).collect();
    let all = json!({ "version": 1, "findings": findings, "summary": summary });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "severity": finding.severity,
        "message": mask::tokens(&finding.message),
        "file": finding.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "end_line": finding.place.end_line,
        "end_column": finding.place.end_column,
        "pointer": finding.pointer,
        "dialect": finding.dialect,
        "help": mask::tokens(&finding.help),
        "related": finding.related.iter().map(label).collect::<Vec<_>>(),
        "notes": finding.notes.iter().map(|note| mask::tokens(note)).collect::<Vec<_>>(),
    })
}

fn label(label: &Label) -> Value {
    json!({
        "file": label.file,
        "line": label.place.line,
        "column": label.place.column,
        "end_line": label.place.end_line,
        "end_column": label.place.end_column,
        "message": mask::tokens(&label.message),
    })
}
