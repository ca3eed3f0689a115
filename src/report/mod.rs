//! Output, one format a file.

pub mod diff;
pub mod edits;
pub mod human;
pub mod inspect;
pub mod json;
mod mask;
pub mod schedule;
pub mod stacks;

use std::io::{self, Write};

/// Writes a value as JSON for programs and for eyes.
pub(crate) fn write_json(value: &serde_json::Value, out: &mut dyn Write) -> io::Result<()> {
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
}
