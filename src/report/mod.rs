//! Output, one format a file.

pub mod diff;
pub mod edits;
pub mod human;
pub mod inspect;
pub mod json;
mod mask;
pub mod schedule;
pub mod stacks;

use crate::source::Place;
use std::io::{self, Write};

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
