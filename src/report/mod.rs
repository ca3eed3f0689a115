//! Output, one format a file.

pub mod diff;
pub mod edits;
pub mod github;
pub mod gitlab;
pub mod human;
pub mod inspect;
pub mod json;
pub mod junit;
pub mod markdown;
mod mask;
pub mod sarif;
pub mod schedule;
pub mod stacks;

use crate::finding::{Finding, Severity, Silenced};
use crate::source::Place;
use crate::source::discover::{absolute, slashes};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A text as people see it: without secrets, and without what a terminal would act on, each of which becomes as
/// many bytes as it had. Every name and every line of a file that is written for people goes through here.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        let acts = char.is_control() && char != '\t'
            || matches!(char, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if acts {
            shown.extend(std::iter::repeat_n('?', char.len_utf8()));
        } else {
            shown.push(char);
        }
    }
    mask::tokens(&shown)
}

/// A file's text, and the places of it that are not to be shown.
pub struct Source {
    /// The text.
    pub text: String,
    /// The places.
    pub hidden: Vec<Place>,
}

/// What a check has to show, for the formats of other programs.
pub struct Checked<'c> {
    /// What is found.
    pub findings: &'c [Finding],
    /// What is not reported; [`sarif`] alone has a way to say it.
    pub silenced: &'c [Silenced],
    /// Counts.
    pub summary: &'c Summary,
    /// The files that hold policies or queues, as the user named them, in their order.
    pub files: &'c [&'c str],
    /// What could not be checked, and why.
    pub troubles: &'c [&'c str],
    /// From this severity on a finding fails the check; None fails at none.
    pub fails: Option<Severity>,
    /// Where the names of files start that other programs are told.
    pub names: &'c Names,
}

/// Names of files from the root of the repository on, wherever in it the check runs: so the systems around it
/// know them.
pub struct Names {
    root: PathBuf,
}

impl Names {
    /// Those of the repository around a folder; without one, of the folder.
    pub fn around(folder: &Path) -> Self {
        let root = folder.ancestors().find(|folder| folder.join(".git").exists());
        Self { root: root.unwrap_or(folder).to_path_buf() }
    }

    /// The name of a file, with forward slashes; outside of the root the whole path.
    fn of(&self, file: &str) -> String {
        let path = absolute(Path::new(file));
        slashes(path.strip_prefix(&self.root).unwrap_or(&path))
    }
}

/// What a finding says as one text: what is wrong, what to change, and what has no place of its own.
fn whole(finding: &Finding) -> String {
    let Finding { message, help, notes, .. } = finding;
    let notes = if notes.is_empty() { String::new() } else { format!(" Note: {}.", notes.join("; ")) };
    mask::tokens(&format!("{message}. {help}{notes}"))
}

/// What tells findings apart when their lines move; of several alike, by their order.
fn fingerprints<'f>(
    findings: impl IntoIterator<Item = &'f Finding>,
    names: &Names,
) -> impl Iterator<Item = (&'f Finding, String)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    findings.into_iter().map(move |finding| {
        let about =
            format!("{}:{}:{}", finding.rule, names.of(&finding.file), mask::pointer(&finding.pointer));
        let count = seen.entry(about.clone()).or_default();
        *count += 1;
        (finding, if *count == 1 { about } else { format!("{about}:{count}") })
    })
}

/// Writes a value as JSON for programs and for eyes.
pub(crate) fn write_json(value: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// What a check looked at and how much it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Files that were looked at.
    pub files_seen: usize,
    /// Those of them that were parsed.
    pub files_parsed: usize,
    /// Those of them that were not read on: too large, binary, templates, or without a word of retrying.
    pub files_skipped: usize,
    /// Policies in them.
    pub policies: usize,
    /// Queues in them.
    pub queues: usize,
    /// Call paths.
    pub stacks: usize,
    /// Findings of each severity.
    pub errors: usize,
    /// Findings of each severity.
    pub warnings: usize,
    /// Findings of each severity.
    pub notes: usize,
    /// Findings that a comment silences.
    pub suppressed: usize,
    /// Findings that the baseline knows.
    pub known: usize,
    /// Findings that a change did not touch.
    pub unchanged: usize,
    /// Values that were put right; with `--diff` those that would be.
    pub fixed: usize,
    /// Paths and files that could not be read: where there are some, the result is not complete.
    pub failures: usize,
}

impl Summary {
    /// "2 errors and 1 warning in 12 files (8 policies, 3 queues, 1 stack)"; `unwritten`, it is what --fix would give.
    pub fn sentence(&self, unwritten: bool) -> String {
        let some = |count: usize, what: &str| match (count, what) {
            (1, _) => format!("1 {what}"),
            (_, "policy") => format!("{count} policies"),
            _ => format!("{count} {what}s"),
        };
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let found: Vec<_> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| some(*count, what)).collect();
        let found = match found.as_slice() {
            [] => "nothing found".to_string(),
            [one] => one.clone(),
            [before @ .., last] => format!("{} and {last}", before.join(", ")),
        };
        let quiet = [
            (self.suppressed, "suppressed"),
            (self.known, "known"),
            (self.unchanged, "unchanged"),
            (self.fixed, "fixed"),
        ];
        let quiet = quiet.iter().filter(|(count, _)| *count > 0);
        let quiet: String = quiet.map(|(count, what)| format!(", {count} {what}")).collect();
        let things = [(self.policies, "policy"), (self.queues, "queue"), (self.stacks, "stack")];
        let things: Vec<_> = things.iter().map(|(count, what)| some(*count, what)).collect();
        let incomplete = match self.failures {
            0 => String::new(),
            count => format!("not complete, {} could not be checked: ", some(count, "input")),
        };
        let files = some(self.files_seen, "file");
        let would = if unwritten { "--fix would give: " } else { "" };
        format!("{incomplete}{would}{found}{quiet} in {files} ({})", things.join(", "))
    }
}
