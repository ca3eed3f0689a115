//! `retrylint check`

use super::args::{CheckOptions, Color, Format};
use super::fix::{self, Changed};
use super::run::Run;
use super::{CLEAN, FAILED, FINDINGS, complain};
use crate::config::FailOn;
use crate::report::{self, Summary};
use crate::source;
use std::collections::BTreeMap;
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
    let mut findings = run.findings();
    let mut made = Vec::new();
    if options.fix || options.diff {
        let fixed = fix::fix(&mut run, findings);
        (findings, made) = (fixed.findings, fixed.made);
        if options.diff {
            fixed
                .files
                .iter()
                .try_for_each(|one| report::diff::diff(&one.file, &one.before, &one.after, out))?;
        } else if let Some(back) = write(options, &mut run, fixed.files, out)? {
            made.retain(|one| !back.contains_key(&one.file));
            run.summary.fixed = made.len();
            findings = run.findings_with(back);
        }
    }
    // what is asked for on standard output has it for itself
    let mut aside = io::stderr().lock();
    let taken = options.diff || options.fix && asks_for_stdin(options);
    let told: &mut dyn Write = if taken { &mut aside } else { out };
    match options.format {
        Format::Human if options.diff => writeln!(told, "{}", sentence(&run.summary))?,
        Format::Json => report::json::json(&findings, &made, &run.summary, told)?,
        Format::Human => {
            report::human::human(&findings, &|file| run.text(file), use_color(options.color), told)?;
            report::human::fixes(&made, told)?;
            writeln!(told, "{}", sentence(&run.summary))?;
        }
    }
    drop(aside);
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

fn asks_for_stdin(options: &CheckOptions) -> bool {
    options.files.paths.iter().any(|path| path.as_os_str() == "-")
}

/// Writes the files that are to change; standard input goes to standard output, changed or not. Gives the old
/// texts of those that could not be written, if there are any, and tells why.
fn write(
    options: &CheckOptions,
    run: &mut Run,
    files: Vec<Changed>,
    out: &mut dyn Write,
) -> io::Result<Option<BTreeMap<String, String>>> {
    if let Some((name, bytes)) = run.stdin() {
        let changed = files.iter().find(|one| one.file == name);
        out.write_all(changed.map_or(bytes, |one| one.after.as_bytes()))?;
    } else if asks_for_stdin(options) {
        run.troubles.push("standard input has more bytes than the limit (--max-file-size)".into());
    }
    let mut back = BTreeMap::new();
    let mut troubles = Vec::new();
    for Changed { file, before, after } in files {
        let Some(path) = run.path(&file) else { continue };
        if let Err(why) = source::write::replace(path, &before, &after) {
            troubles.push(format!("{file}: not fixed: {why}"));
            back.insert(file, before);
        }
    }
    run.troubles.append(&mut troubles);
    Ok((!back.is_empty()).then_some(back))
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
    let fixed = if summary.fixed > 0 { format!(", {} fixed", summary.fixed) } else { String::new() };
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
    format!("{found}{suppressed}{fixed} in {} ({})", some(summary.files_seen, "file"), things.join(", "))
}
