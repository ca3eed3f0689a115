//! `retrylint explain RULE`

use super::args::Format;
use super::{CLEAN, FAILED, complain};
use crate::config::nearest;
use crate::report::write_json;
use crate::rule::{self, Example, Rule};
use serde_json::json;
use std::io::{self, Write};

/// Shows what a rule reports, why, and how to put it right.
pub(super) fn explain(id: &str, format: Format, out: &mut dyn Write) -> io::Result<u8> {
    let Some(rule) = rule::all().iter().find(|rule| rule.id == id) else {
        let known: Vec<_> = rule::all().iter().map(|rule| rule.id).collect();
        complain(nearest::unknown("rule", id, &known));
        return Ok(FAILED);
    };
    match format {
        Format::Json => {
            let example = |example: &Example| json!({ "file": example.file, "text": example.text, "config": example.config });
            let all = json!({
                "version": 1, "id": rule.id, "severity": rule.severity, "pedantic": rule.pedantic, "summary": rule.summary, "why": rule.why,
                "bad": example(&rule.bad), "good": example(&rule.good), "fix": rule.fix,
                "needs": rule.needs,
                "fixable": rule.can_fix(),
            });
            write_json(&all, out)?;
        }
        Format::Human => human(rule, out)?,
    }
    Ok(CLEAN)
}

fn human(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    let pedantic = if rule.pedantic { ", off unless asked for" } else { "" };
    let severity = rule.severity.word();
    writeln!(out, "{} ({severity}{pedantic})\n\n{}\n\n{}", rule.id, rule.summary, rule.why)?;
    for (title, example) in [("Reported", &rule.bad), ("Not reported", &rule.good)] {
        writeln!(out, "\n{title}, {}:\n", example.file)?;
        indented(example.text, out)?;
        if !example.config.is_empty() {
            writeln!(out, "\n  with retrylint.toml:\n")?;
            indented(example.config, out)?;
        }
    }
    writeln!(out, "\nHow to put it right: {}", rule.fix)?;
    if rule.can_fix() {
        writeln!(out, "`check --fix` does so where every number is known and written for this alone.")?;
    }
    writeln!(out, "\nWhat it needs to know: {}", rule.needs)
}

fn indented(text: &str, out: &mut dyn Write) -> io::Result<()> {
    text.trim_end().lines().try_for_each(|line| writeln!(out, "    {line}"))
}
