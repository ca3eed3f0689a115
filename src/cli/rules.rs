//! `retrylint rules`

use super::CLEAN;
use super::args::Format;
use crate::report::write_json;
use crate::rule;
use serde_json::json;
use std::io::{self, Write};

/// Lists the rules.
pub(super) fn rules(format: Format, out: &mut dyn Write) -> io::Result<u8> {
    match format {
        Format::Json => {
            let list = rule::all()
                .iter()
                .map(|rule| json!({ "id": rule.id, "severity": rule.severity, "pedantic": rule.pedantic, "summary": rule.summary, "fixable": rule.can_fix() }));
            let all = json!({ "version": 1, "rules": list.collect::<Vec<_>>() });
            write_json(&all, out)?;
        }
        Format::Human => {
            let width = rule::all().iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            for rule in rule::all() {
                let pedantic = if rule.pedantic { " (pedantic)" } else { "" };
                writeln!(out, "{:width$}  {:7}  {}{pedantic}", rule.id, rule.severity.word(), rule.summary)?;
            }
        }
    }
    Ok(CLEAN)
}
