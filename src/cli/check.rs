//! `retrylint check`

use super::args::{CheckOptions, Color, Format};
use super::run::Run;
use super::{CLEAN, FAILED, FINDINGS, complain};
use crate::config::FailOn;
use crate::report::{self, Summary};
use std::io::{self, IsTerminal, Write};

/// Reports the findings; the status says whether one of them fails the check.
pub(super) fn check(options: &CheckOptions, out: &mut dyn Write) -> io::Result<u8> {
    let mut run = match Run::new(&options.files) {
        Ok(run) => run,
        Err(error) => {
            complain(error);
            return Ok(FAILED);
        }
    };
    let findings = run.findings();
    match options.format {
        Format::Json => report::json::json(&findings, &run.summary, out)?,
        Format::Human => {
            report::human::human(&findings, &|file| run.text(file), use_color(options.color), out)?;
            writeln!(out, "{}", sentence(&run.summary))?;
        }
    }
    let status = tell_troubles(&run, options.files.verbose);
    let fail_on = options.fail_on.or(run.config.fail_on).unwrap_or(FailOn::Error);
    let fails = fail_on.least().is_some_and(|least| findings.iter().any(|finding| finding.severity >= least));
    Ok(if status != CLEAN {
        status
    } else if fails {
        FINDINGS
    } else {
        CLEAN
    })
}

/// Tells on standard error what went wrong with paths and, if asked, what was skipped.
pub(super) fn tell_troubles(run: &Run, verbose: bool) -> u8 {
    for (path, why) in run.skipped.iter().filter(|_| verbose) {
        complain(format_args!("skipped {path}: {why}"));
    }
    for trouble in &run.troubles {
        complain(trouble);
    }
    if run.troubles.is_empty() { CLEAN } else { FAILED }
}

fn use_color(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// "2 errors and 1 warning in 12 files (8 policies, 3 queues, 1 stack)"
fn sentence(summary: &Summary) -> String {
    let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let counts = [(summary.errors, "error"), (summary.warnings, "warning"), (summary.notes, "note")];
    let found: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| some(*count, what)).collect();
    let found = match found.as_slice() {
        [] => "nothing found".to_string(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    };
    let suppressed =
        if summary.suppressed > 0 { format!(", {} suppressed", summary.suppressed) } else { String::new() };
    let things = [(summary.policies, "policy"), (summary.queues, "queue"), (summary.stacks, "stack")];
    let things: Vec<_> =
        things
            .iter()
            .map(|(count, what)| {
                if *what == "policy" && *count != 1 {
                    format!("{count} policies")
                } else {
                    some(*count, what)
                }
            })
            .collect();
    format!("{found}{suppressed} in {} ({})", some(summary.files_seen, "file"), things.join(", "))
}
