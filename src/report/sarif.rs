//! `check --format sarif`: SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), for code scanning and editors.

use super::{Checked, Names, fingerprints, mask, whole, write_json};
use crate::finding::{Finding, Severity, Silenced, Silencer};
use crate::rule::{self, Example, Rule};
use crate::source::Place;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// What the names of files are relative to; where that is, whoever reads them knows.
const ROOT: &str = "%SRCROOT%";

/// Writes one run: every rule, every finding, and what could not be checked.
///
/// Paths are relative to the repository. Lines and columns count from 1, columns in characters. There are no
/// snippets, since the lines around a finding may hold secrets.
pub fn sarif(checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let notifications = checked
        .troubles
        .iter()
        .map(|trouble| json!({ "level": "error", "message": { "text": mask::tokens(trouble) } }));
    let run = Run {
        tool: json!({ "driver": {
            "name": "retrylint",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": REPOSITORY,
            "rules": rule::all().iter().map(descriptor).collect::<Vec<_>>(),
        } }),
        invocations: json!([{
            "executionSuccessful": checked.summary.failures == 0,
            "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
        }]),
        original_uri_base_ids: json!({ ROOT: { "description": { "text": "The root of the repository." } } }),
        column_kind: "unicodeCodePoints",
        results: Results(checked),
    };
    write_json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }, out)
}

#[derive(Serialize)]
struct Log<'c> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'c>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'c> {
    tool: Value,
    invocations: Value,
    original_uri_base_ids: Value,
    column_kind: &'static str,
    results: Results<'c>,
}

/// Written one by one, as in the JSON.
struct Results<'c>(&'c Checked<'c>);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Checked { findings, silenced, names, .. } = self.0;
        let quiet = silenced.iter().map(|Silenced { finding, by }| (finding, Some(by)));
        let all: Vec<_> = findings.iter().map(|finding| (finding, None)).chain(quiet).collect();
        let told = fingerprints(all.iter().map(|(finding, _)| *finding), names).zip(&all);
        serializer.collect_seq(told.map(|((finding, print), (_, by))| result(finding, *by, &print, names)))
    }
}

fn result(finding: &Finding, by: Option<&Silencer>, fingerprint: &str, names: &Names) -> Value {
    let number = rule::all().iter().position(|rule| rule.id == finding.rule);
    let related = finding.related.iter().enumerate().map(|(n, label)| {
        let mut location = location(&label.file, label.place, names);
        location["id"] = json!(n);
        location["message"] = json!({ "text": mask::tokens(&label.message) });
        location
    });
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": finding.severity.word(),
        "message": { "text": whole(finding) },
        "locations": [location(&finding.file, finding.place, names)],
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": { "retrylint/v1": fingerprint },
        "properties": { "pointer": mask::pointer(&finding.pointer), "dialect": finding.dialect },
    });
    if let Some(by) = by {
        result["suppressions"] = match by {
            Silencer::Comment(None) => json!([{ "kind": "inSource" }]),
            Silencer::Comment(Some(reason)) => {
                json!([{ "kind": "inSource", "justification": mask::tokens(reason) }])
            }
            Silencer::Baseline => json!([{ "kind": "external", "justification": "known to the baseline" }]),
        };
    }
    result
}

fn location(file: &str, place: Place, names: &Names) -> Value {
    let name = names.of(file);
    let artifact = match name.starts_with('/') || name.as_bytes().get(1) == Some(&b':') {
        true => json!({ "uri": format!("file:///{}", uri(name.trim_start_matches('/'))) }),
        false => json!({ "uri": uri(&name), "uriBaseId": ROOT }),
    };
    let mut location = json!({ "physicalLocation": { "artifactLocation": artifact } });
    if place.line > 0 {
        location["physicalLocation"]["region"] = json!({
            "startLine": place.line,
            "startColumn": place.column.max(1),
            "endLine": place.end_line.max(place.line),
            "endColumn": place.end_column.max(1),
        });
    }
    location
}

/// A path as a relative reference: what RFC 3986 does not allow in a path is percent-encoded, and a colon too, since
/// the first part of a relative one may hold none.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+'
            | b',' | b';' | b'=' | b'@' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn descriptor(rule: &Rule) -> Value {
    let level = rule.severity.word();
    json!({
        "id": rule.id,
        "name": pascal(rule.id),
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why },
        "help": { "text": format!("{} {}", rule.why, rule.fix), "markdown": help(rule) },
        "helpUri": format!("{REPOSITORY}/blob/main/docs/rules.md#{}", rule.id),
        "defaultConfiguration": { "enabled": !rule.pedantic, "level": level },
        "properties": { "tags": [rule.group.word(), "reliability"], "problem.severity": problem(rule.severity) },
    })
}

/// "DeadlineExceeded": a name has to differ from the id (SARIF 3.49.7).
fn pascal(id: &str) -> String {
    let word = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => first.to_uppercase() + rest,
        None => String::new(),
    };
    id.split('-').map(word).collect()
}

/// What code scanning calls it.
fn problem(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "recommendation",
    }
}

fn help(rule: &Rule) -> String {
    let example = |title: &str, Example { file, text, config }: &Example| {
        let config = match config.is_empty() {
            true => String::new(),
            false => format!("\nwith `retrylint.toml`:\n\n```toml\n{}\n```\n", config.trim_end()),
        };
        format!("{title}, `{file}`:\n\n```\n{}\n```\n{config}", text.trim_end())
    };
    format!(
        "{} {}\n\n{}\n{}\n**How to put it right.** {}\n\n**What it needs to know.** {}\n",
        rule.summary,
        rule.why,
        example("Reported", &rule.bad),
        example("Not reported", &rule.good),
        rule.fix,
        rule.needs
    )
}
