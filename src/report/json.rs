//! `check --format json`, version 1.

use super::{Summary, mask};
use crate::finding::{Finding, Label};
use crate::fix::Made;
use crate::report::write_json;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the findings and the summary.
pub fn json(findings: &[Finding], fixes: &[Made], summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    write_json(
        &All { version: 1, findings: Findings(findings), summary, fixes: fixes.iter().map(made).collect() },
        out,
    )
}

#[derive(Serialize)]
struct All<'f> {
    version: u8,
    findings: Findings<'f>,
    summary: &'f Summary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Value>,
}

/// Written one by one: of many, all at once would take more room than the files.
struct Findings<'f>(&'f [Finding]);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(finding))
    }
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
        "pointer": mask::pointer(&finding.pointer),
        "dialect": finding.dialect,
        "help": mask::tokens(&finding.help),
        "related": finding.related.iter().map(label).collect::<Vec<_>>(),
        "notes": finding.notes.iter().map(|note| mask::tokens(note)).collect::<Vec<_>>(),
    })
}

fn made(made: &Made) -> Value {
    json!({
        "rule": made.rule,
        "file": made.file,
        "line": made.place.line,
        "column": made.place.column,
        "before": mask::tokens(&made.before),
        "after": mask::tokens(&made.after),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use crate::source::Place;

    #[test]
    fn findings_have_the_documented_shape() {
        let place = Place { start: 9, end: 14, line: 17, column: 9, end_line: 17, end_column: 14 };
        let finding = Finding {
            rule: "deadline-exceeded",
            severity: Severity::Error,
            message: "too long for https://a:pw1@b".into(),
            file: "mesh/payments.yaml".into(),
            place,
            pointer: "/spec/http/0/retries".into(),
            dialect: "istio".into(),
            label: "here".into(),
            help: "2 attempts fit in 5 s".into(),
            related: vec![Label { file: "other.yaml".into(), place, message: "the deadline: 5 s".into() }],
            notes: vec!["the waits: up to 100 ms (Istio's default)".into()],
            fix: None,
        };
        let mut out = Vec::new();
        json(&[finding], &[], &Summary { errors: 1, ..Summary::default() }, &mut out)
            .expect("writing to memory");
        insta::assert_snapshot!(String::from_utf8(out).expect("UTF-8"), @r##"
{
  "version": 1,
  "findings": [
    {
      "rule": "deadline-exceeded",
      "severity": "error",
      "message": "too long for https://a:***@b",
      "file": "mesh/payments.yaml",
      "line": 17,
      "column": 9,
      "end_line": 17,
      "end_column": 14,
      "pointer": "/spec/http/0/retries",
      "dialect": "istio",
      "help": "2 attempts fit in 5 s",
      "related": [
        {
          "file": "other.yaml",
          "line": 17,
          "column": 9,
          "end_line": 17,
          "end_column": 14,
          "message": "the deadline: 5 s"
        }
      ],
      "notes": [
        "the waits: up to 100 ms (Istio's default)"
      ]
    }
  ],
  "summary": {
    "files_seen": 0,
    "files_parsed": 0,
    "files_skipped": 0,
    "policies": 0,
    "queues": 0,
    "stacks": 0,
    "errors": 1,
    "warnings": 0,
    "notes": 0,
    "suppressed": 0,
    "known": 0,
    "unchanged": 0,
    "fixed": 0,
    "failures": 0
  }
}
"##);
    }
}
