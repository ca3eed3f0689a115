//! `retrylint check`

use super::args::{CheckOptions, Color, Format};
use super::changed::Since;
use super::run::{Memory, Run};
use super::{CLEAN, FAILED, FINDINGS, complain};
use crate::config::baseline::{Baseline, Compared};
use crate::config::{Asked, FailOn};
use crate::finding::Finding;
use crate::report::{self, Summary};
use crate::source::Tree;
use crate::source::discover::{absolute, slashes};
use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Reports the findings; the status says whether one of them fails the check.
pub(super) fn check(options: &CheckOptions, out: &mut dyn Write) -> io::Result<u8> {
    let (run, findings) = match look(options) {
        Ok(found) => found,
        Err(error) => {
            complain(error);
            return Ok(FAILED);
        }
    };
    match options.format {
        Format::Json => report::json::json(&findings, &run.summary, out)?,
        Format::Human => {
            report::human::human(&findings, &|file| run.text(file), use_color(options.color), out)?;
            writeln!(out, "{}", sentence(&run.summary))?;
        }
    }
    let status = tell_troubles(&run, options.files.reading.verbose);
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

/// What is found, without what the baseline knows and what a change does not touch.
fn look(options: &CheckOptions) -> Result<(Run, Vec<Finding>), String> {
    let mut files = options.files.clone();
    let (since, tree) = match &options.changed {
        Some(base) => {
            let (since, tree) = Since::open(base, &mut files)?;
            (Some(since), tree)
        }
        None => (None, Tree::default()),
    };
    let none = Memory::default();
    let memory = since.as_ref().map_or(&none, Since::memory);
    let mut run = Run::over(&files, tree, memory).map_err(|error| error.to_string())?;
    run.config.asked =
        Asked { select: options.select.clone(), ignore: options.ignore.clone(), pedantic: options.pedantic };
    let mut findings = run.findings();
    findings = with_baseline(options, &mut run, findings)?;
    if let Some(since) = since {
        let all = findings.len();
        findings = since.caused(&run, findings, &files).map_err(|error| error.to_string())?;
        run.summary.unchanged = all - findings.len();
    }
    run.count(&findings);
    Ok((run, findings))
}

/// Takes out what the baseline knows, and writes one if asked: of all findings, or, where one is given on
/// the command line as well, of what is left of that.
fn with_baseline(
    options: &CheckOptions,
    run: &mut Run,
    findings: Vec<Finding>,
) -> Result<Vec<Finding>, String> {
    let write = |baseline: &Baseline, path: &Path| {
        let known = baseline.len();
        complain(format_args!(
            "{} knows {known} finding{}",
            slashes(path),
            if known == 1 { "" } else { "s" }
        ));
        baseline.write(path).map_err(|error| format!("{}: {error}", slashes(path)))
    };
    let configured = run.config.baseline.as_ref().filter(|_| options.write_baseline.is_none());
    let Some(path) = options.baseline.as_ref().or(configured) else {
        let Some(path) = &options.write_baseline else { return Ok(findings) };
        write(&Baseline::of(&findings, path), path)?;
        run.summary.known = findings.len();
        return Ok(Vec::new());
    };
    let baseline = Baseline::read(path).map_err(|error| error.to_string())?;
    let seen: HashSet<PathBuf> = run.paths.values().map(|path| absolute(path)).collect();
    let Compared { fresh, known, gone, left } = baseline.compare(findings, |rule, file| {
        run.config.asked.wants(rule) && (seen.contains(file) || !file.exists())
    });
    run.summary.known = known;
    if let Some(path) = &options.write_baseline {
        write(&left, path)?;
    } else if options.files.reading.verbose {
        gone.iter().for_each(|entry| complain(format_args!("no longer found, but in the baseline: {entry}")));
    } else if !gone.is_empty() {
        let many = if gone.len() == 1 { "1 entry".to_string() } else { format!("{} entries", gone.len()) };
        let path = slashes(path);
        complain(format_args!(
            "{many} of {path} no longer found (--verbose names them, --baseline with --write-baseline drops them)"
        ));
    }
    Ok(fresh)
}

/// Tells on standard error what went wrong with paths and, if asked, what was skipped.
pub(super) fn tell_troubles(run: &Run, verbose: bool) -> u8 {
    for (path, why) in run.skipped.iter().filter(|_| verbose) {
        complain(format_args!("skipped {path}: {why}"));
    }
    let mut troubles = run.absent.iter().chain(&run.troubles).peekable();
    let status = if troubles.peek().is_none() { CLEAN } else { FAILED };
    troubles.for_each(complain);
    status
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
    let quiet =
        [(summary.suppressed, "suppressed"), (summary.known, "known"), (summary.unchanged, "unchanged")];
    let quiet = quiet.iter().filter(|(count, _)| *count > 0);
    let quiet: String = quiet.map(|(count, what)| format!(", {count} {what}")).collect();
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
    format!("{found}{quiet} in {} ({})", some(summary.files_seen, "file"), things.join(", "))
}
