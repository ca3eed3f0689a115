//! `check --format gitlab`: a Code Quality report of GitLab, an array of issues in Code Climate's terms
//! (docs.gitlab.com/ci/testing/code_quality, "Implement a custom tool").

use super::{Checked, fingerprints, whole, write_json};
use crate::finding::{Finding, Severity};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the findings; an empty array where there are none.
pub fn gitlab(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let issue = |(finding, fingerprint): (&Finding, String)| -> Value {
        let severity = match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        };
        json!({
            "description": whole(finding),
            "check_name": finding.rule,
            "fingerprint": fingerprint,
            "severity": severity,
            "location": {
                "path": checked.names.of(&finding.file),
                "lines": { "begin": finding.place.line.max(1), "end": finding.place.end_line.max(1) },
            },
        })
    };
    let issues: Vec<_> = fingerprints(checked.findings, checked.names).map(issue).collect();
    write_json(&issues, out)
}
