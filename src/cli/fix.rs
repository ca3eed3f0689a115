//! `check --fix` and `--diff`: fixes made together, checked again, and kept as far as they hold.

use super::run::Run;
use crate::finding::{Finding, Fix, Severity};
use crate::fix::{self, Edit, Made};
use crate::model::Facts;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What became of the files.
pub(super) struct Fixed {
    /// What remains.
    pub(super) findings: Vec<Finding>,
    /// What was put right, in order.
    pub(super) made: Vec<Made>,
    /// The files that are to change.
    pub(super) files: Vec<Changed>,
}

/// A file that is to change.
pub(super) struct Changed {
    pub(super) file: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// A number that is put right may bring another one within reach; after so many rounds that is enough.
const MOST_PASSES: usize = 8;
/// The same for fixes that are taken back because of what the others leave.
const MOST_TRIALS: usize = 8;

/// Makes the fixes of the findings, in memory only.
pub(super) fn fix(run: &mut Run, mut findings: Vec<Finding>) -> Fixed {
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    let mut made = Vec::new();
    for _ in 0..MOST_PASSES {
        let candidates = candidates(run, &findings);
        for group in of_files(&candidates) {
            before.entry(group[0].file.to_string()).or_insert_with(|| group[0].text.to_string());
        }
        let Some((remaining, kept)) = pass(run, &findings, candidates) else { break };
        made.extend(kept.iter().flat_map(Candidate::made));
        findings = remaining;
    }
    let changed = before.into_iter().filter_map(|(file, before)| {
        let after = run.exact_text(&file).filter(|after| *after != before)?;
        Some(Changed { file, before, after })
    });
    let files = changed.collect();
    run.summary.fixed = made.len();
    Fixed { findings, made, files }
}

/// An edit, and the findings that it is to put right.
struct Candidate<'f> {
    file: &'f str,
    text: Rc<str>,
    edit: Edit,
    fix: &'f Fix,
    findings: Vec<&'f Finding>,
}

impl Candidate<'_> {
    fn severity(&self) -> Severity {
        self.findings.iter().map(|finding| finding.severity).min().unwrap_or(Severity::Note)
    }

    /// What it did, once for each rule.
    fn made(&self) -> impl Iterator<Item = Made> {
        let rules: BTreeSet<_> = self.findings.iter().map(|finding| finding.rule).collect();
        rules.into_iter().map(|rule| fix::made(rule, self.file, &self.text, self.fix, &self.edit))
    }
}

/// The candidates of each file.
fn of_files<'c, 'f>(candidates: &'c [Candidate<'f>]) -> impl Iterator<Item = &'c [Candidate<'f>]> {
    candidates.chunk_by(|a, b| a.file == b.file)
}

/// The edits that can be made of what the findings say, none of them touching another.
fn candidates<'f>(run: &Run, findings: &'f [Finding]) -> Vec<Candidate<'f>> {
    let mut files: BTreeMap<&str, Vec<(&Finding, &Fix)>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| run.is_asked_for(&finding.file)) {
        if let Some(fix) = &finding.fix {
            files.entry(&finding.file).or_default().push((finding, fix));
        }
    }
    let mut candidates: Vec<Candidate<'f>> = Vec::new();
    let facts: HashMap<&str, &Facts> =
        run.project.files.iter().map(|file| (file.path.as_str(), &file.facts)).collect();
    for (file, wanted) in files {
        let (Some(text), Some(facts)) = (run.exact_text(file), facts.get(file)) else { continue };
        let text: Rc<str> = text.into();
        let fixes: Vec<_> = wanted.iter().map(|(_, fix)| *fix).collect();
        let edits = fix::edits(file, &text, facts, &fixes);
        let mut edits: Vec<_> =
            wanted.into_iter().zip(edits).filter_map(|(of, edit)| Some((of, edit?))).collect();
        edits.sort_by_key(|(_, edit)| (edit.bytes.start, edit.bytes.end));
        let first = candidates.len();
        for ((finding, fix), edit) in edits {
            match candidates[first..].last_mut() {
                Some(last) if last.edit == edit => last.findings.push(finding),
                Some(last) if fix::overlap(&last.edit, &edit) => {}
                _ => candidates.push(Candidate {
                    file,
                    text: text.clone(),
                    edit,
                    fix,
                    findings: vec![finding],
                }),
            }
        }
    }
    candidates
}

/// The candidates that hold together, made, and the findings that remain; None where none of them does.
fn pass<'f>(
    run: &mut Run,
    before: &[Finding],
    mut candidates: Vec<Candidate<'f>>,
) -> Option<(Vec<Finding>, Vec<Candidate<'f>>)> {
    let originals: BTreeMap<String, String> =
        of_files(&candidates).map(|group| (group[0].file.to_string(), group[0].text.to_string())).collect();
    for _ in 0..MOST_TRIALS {
        let mut texts = originals.clone();
        let mut broken = BTreeSet::new();
        for group in of_files(&candidates) {
            let Candidate { file, text, .. } = &group[0];
            let edits: Vec<_> = group.iter().map(|candidate| &candidate.edit).collect();
            let changed = fix::apply(text, &edits);
            if fix::reads_as_before(file, text, &changed) {
                texts.insert(file.to_string(), changed);
            } else {
                broken.insert(*file);
            }
        }
        candidates.retain(|candidate| !broken.contains(candidate.file));
        if candidates.is_empty() {
            break;
        }
        let after = run.findings_with(texts);
        let bad = bad(before, &after, &candidates);
        if bad.is_empty() {
            return Some((after, candidates));
        }
        let mut n = 0;
        candidates.retain(|_| {
            n += 1;
            !bad.contains(&(n - 1))
        });
    }
    if !originals.is_empty() {
        run.findings_with(originals);
    }
    None
}

type Key<'f> = (&'static str, &'f str, &'f str);

fn key(finding: &Finding) -> Key<'_> {
    (finding.rule, &finding.file, &finding.pointer)
}

/// The numbers of the candidates that do not clear their findings, or that bring new ones at least as bad.
fn bad(before: &[Finding], after: &[Finding], candidates: &[Candidate<'_>]) -> BTreeSet<usize> {
    let mut counts: HashMap<Key<'_>, i64> = HashMap::new();
    let mut severities: HashMap<(Key<'_>, Severity), i64> = HashMap::new();
    for (findings, one) in [(before, -1), (after, 1)] {
        for finding in findings {
            *counts.entry(key(finding)).or_default() += one;
            *severities.entry((key(finding), finding.severity)).or_default() += one;
        }
    }
    for finding in candidates.iter().flat_map(|candidate| &candidate.findings) {
        *counts.entry(key(finding)).or_default() += 1;
    }
    let remains =
        |candidate: &Candidate<'_>| candidate.findings.iter().any(|finding| counts[&key(finding)] > 0);
    let mut bad: BTreeSet<usize> =
        candidates.iter().enumerate().filter(|(_, candidate)| remains(candidate)).map(|(n, _)| n).collect();
    let new = after.iter().filter(|finding| severities[&(key(finding), finding.severity)] > 0);
    for finding in new.take(MOST_BLAMED) {
        let concerned =
            |file: &str| finding.file == file || finding.related.iter().any(|label| label.file == file);
        let blamed: Vec<_> = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.severity() <= finding.severity && concerned(candidate.file))
            .collect();
        let near = |candidate: &Candidate<'_>| {
            candidate.findings.iter().any(|other| around(&other.pointer, &finding.pointer))
        };
        let nearest: Vec<_> =
            blamed.iter().filter(|(_, candidate)| near(candidate)).map(|(n, _)| *n).collect();
        let all = blamed.iter().map(|(n, _)| *n);
        if nearest.iter().all(|n| bad.contains(n)) { bad.extend(all) } else { bad.extend(nearest) }
    }
    bad
}

/// So many new findings are looked into in one trial.
const MOST_BLAMED: usize = 100;

/// One of two pointers is within the other.
fn around(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    !short.is_empty() && long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
