//! `retrylint check`

use super::args::{Also, CheckFormat, CheckOptions, Color};
use super::changed::Since;
use super::fix::{self, Changed};
use super::run::{self, Memory, Run};
use super::{CLEAN, FAILED, FINDINGS, complain, told};
use crate::config::baseline::{Baseline, Compared};
use crate::config::{Asked, FailOn};
use crate::finding::{Finding, Severity, Silenced, Silencer};
use crate::fix::Made;
use crate::report::{self, Checked, Names, Summary};
use crate::source::discover::{absolute, slashes};
use crate::source::{self, Tree};
use crate::stack::ProjectFile;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Reports the findings; the status says whether one of them fails the check.
pub(super) fn check(options: &CheckOptions, out: &mut dyn Write) -> io::Result<u8> {
    let Some(looked) = told(look(options)) else { return Ok(FAILED) };
    let Looked { run, findings, shown, .. } = &looked;
    let fail_on = options.fail_on.or(run.config.fail_on).unwrap_or(FailOn::Error);
    let fails = fail_on.least();
    out.write_all(shown)?;
    // what is asked for on standard output has it for itself
    let mut aside = io::stderr().lock();
    let taken = options.diff || options.fix && asks_for_stdin(options);
    let told: &mut dyn Write = if taken { &mut aside } else { out };
    match options.format {
        CheckFormat::Human if options.diff => writeln!(told, "{}", run.summary.sentence(true))?,
        format => looked.show(format, options, fails, told)?,
    }
    drop(aside);
    let mut status = tell_troubles(run, options.files.reading.verbose);
    for Also { format, path } in &options.also {
        let mut text = Vec::new();
        looked.show(*format, options, fails, &mut text)?;
        if let Err(error) = source::write::put(path, &text, None) {
            complain(format_args!("{}: not written: {}", slashes(path), source::why(&error)));
            status = FAILED;
        }
    }
    let Summary { policies, queues, files_seen, .. } = run.summary;
    if options.expect_policies && policies + queues == 0 {
        complain(format_args!(
            "no policy and no queue is in {files_seen} file{}; --expect-policies takes that for a wrong path",
            if files_seen == 1 { "" } else { "s" }
        ));
        status = FAILED;
    }
    let fails = fails.is_some_and(|least| findings.iter().any(|finding| finding.severity >= least));
    Ok(if status != CLEAN {
        status
    } else if fails {
        FINDINGS
    } else {
        CLEAN
    })
}

impl Looked {
    fn show(
        &self,
        format: CheckFormat,
        options: &CheckOptions,
        fails: Option<Severity>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Self { run, findings, made, silenced, .. } = self;
        let holds = |file: &&ProjectFile| {
            run.is_asked_for(&file.path) && !(file.facts.policies.is_empty() && file.facts.queues.is_empty())
        };
        let files: Vec<_> = run.project.files.iter().filter(holds).map(|file| file.path.as_str()).collect();
        let troubles: Vec<_> = run.absent.iter().chain(&run.troubles).map(String::as_str).collect();
        let checked = Checked {
            findings,
            silenced: if options.show_suppressed { silenced } else { &[] },
            summary: &run.summary,
            files: &files,
            troubles: &troubles,
            fails,
            names: &Names::around(&std::env::current_dir().unwrap_or_default()),
        };
        match format {
            CheckFormat::Human => {
                report::human::human(findings, options.all, &run.sources(), use_color(options), out)?;
                report::human::fixes(made, out)?;
                writeln!(out, "{}", run.summary.sentence(false))
            }
            CheckFormat::Json => report::json::json(findings, made, &run.summary, out),
            CheckFormat::Sarif => report::sarif::sarif(&checked, out),
            CheckFormat::Github => report::github::github(&checked, out),
            CheckFormat::Gitlab => report::gitlab::gitlab(&checked, out),
            CheckFormat::Junit => report::junit::junit(&checked, out),
            CheckFormat::Markdown => report::markdown::markdown(&checked, out),
        }
    }
}

/// What is left to tell, and what was put right.
struct Looked {
    run: Run,
    findings: Vec<Finding>,
    /// What is not told, and why.
    silenced: Vec<Silenced>,
    made: Vec<Made>,
    /// A diff, or the text that standard input is to have.
    shown: Vec<u8>,
}

/// What is found, without what is put right, what the baseline knows and what a change does not touch.
fn look(options: &CheckOptions) -> Result<Looked, String> {
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
    let mut config = run::configuration(&files, &tree).map_err(|error| error.to_string())?;
    let named = [&options.baseline, &options.write_baseline];
    config.own_files.extend(named.into_iter().flatten().map(|path| absolute(path)));
    let mut run = Run::configured(&files, tree, memory, config);
    run.config.asked =
        Asked { select: options.select.clone(), ignore: options.ignore.clone(), pedantic: options.pedantic };
    let mut findings = run.findings();
    let (mut made, mut shown) = (Vec::new(), Vec::new());
    if options.fix || options.diff {
        (findings, made) =
            fixed(options, &mut run, findings, &mut shown).map_err(|error| error.to_string())?;
    }
    let mut silenced = std::mem::take(&mut run.silenced);
    findings = with_baseline(options, &mut run, findings, &mut silenced)?;
    if let Some(since) = since {
        let all = findings.len();
        findings = since.caused(&run, findings, &files).map_err(|error| error.to_string())?;
        run.summary.unchanged = all - findings.len();
    }
    run.count(&findings);
    run.summary.failures = run.failures();
    Ok(Looked { run, findings, silenced, made, shown })
}

/// Takes out what the baseline knows, and writes one if asked: of all findings, or, where one is given on
/// the command line as well, of what is left of that.
fn with_baseline(
    options: &CheckOptions,
    run: &mut Run,
    findings: Vec<Finding>,
    silenced: &mut Vec<Silenced>,
) -> Result<Vec<Finding>, String> {
    let mut know = |findings: Vec<Finding>| {
        silenced.extend(findings.into_iter().map(|finding| Silenced { finding, by: Silencer::Baseline }));
    };
    let write = |baseline: &Baseline, path: &Path| {
        let (known, shown) = (baseline.len(), slashes(path));
        baseline
            .write(path)
            .map_err(|error| format!("{shown}: the baseline is not written: {}", source::why(&error)))?;
        complain(format_args!("{shown} knows {known} finding{}", if known == 1 { "" } else { "s" }));
        Ok::<_, String>(())
    };
    let configured = run.config.baseline.as_ref().filter(|_| options.write_baseline.is_none());
    let Some(path) = options.baseline.as_ref().or(configured) else {
        let Some(path) = &options.write_baseline else { return Ok(findings) };
        write(&Baseline::of(&findings, path), path)?;
        run.summary.known = findings.len();
        know(findings);
        return Ok(Vec::new());
    };
    let baseline = Baseline::read(path).map_err(|error| error.to_string())?;
    let seen: HashSet<PathBuf> = run.paths.values().map(|path| absolute(path)).collect();
    let Compared { fresh, known, gone, left } = baseline.compare(findings, |rule, file| {
        run.config.asked.wants(rule) && (seen.contains(file) || !file.exists())
    });
    run.summary.known = known.len();
    know(known);
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

/// Puts right what can be, in the files or as a diff; gives what remains and what was done.
fn fixed(
    options: &CheckOptions,
    run: &mut Run,
    findings: Vec<Finding>,
    out: &mut dyn Write,
) -> io::Result<(Vec<Finding>, Vec<Made>)> {
    let fix::Fixed { mut findings, mut made, files } = fix::fix(run, findings);
    if options.diff {
        for Changed { file, before, after } in &files {
            let [before, after] = [before, after].map(|text| run.source_of(file, text.clone()));
            report::edits::diff(file, &before, &after, out)?;
        }
    } else if let Some(back) = write(run, files, out)? {
        made.retain(|one| !back.contains_key(&one.file));
        run.summary.fixed = made.len();
        findings = run.findings_with(back);
    }
    Ok((findings, made))
}

fn asks_for_stdin(options: &CheckOptions) -> bool {
    options.files.paths.iter().any(|path| path.as_os_str() == "-")
}

/// Writes the files that are to change; standard input goes to standard output, changed or not. Gives the old
/// texts of those that could not be written, if there are any, and tells why.
fn write(
    run: &mut Run,
    files: Vec<Changed>,
    out: &mut dyn Write,
) -> io::Result<Option<BTreeMap<String, String>>> {
    if let Some((name, bytes)) = run.stdin() {
        let changed = files.iter().find(|one| one.file == name);
        out.write_all(changed.map_or(bytes, |one| one.after.as_bytes()))?;
    }
    let mut back = BTreeMap::new();
    let mut troubles = Vec::new();
    for Changed { file, before, after } in files {
        if run.stdin().is_some_and(|(name, _)| name == file) {
            continue;
        }
        if let Err(why) = source::write::replace(&run.path(&file), &before, &after) {
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
    run.said.iter().chain(&run.absent).chain(&run.troubles).for_each(complain);
    if run.failures() == 0 { CLEAN } else { FAILED }
}

fn use_color(options: &CheckOptions) -> bool {
    match options.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}
