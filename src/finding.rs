//! What a rule gives and a report reads.

use crate::source::Place;
use std::borrow::Cow;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not meant.
    Warning,
    /// Wrong by arithmetic.
    Error,
}

/// One finding: a place, what is wrong there, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Id of the rule.
    pub rule: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// What is wrong, with its numbers; one clause, no full stop.
    pub message: String,
    /// The file, as the user named it.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// RFC 6901 pointer; "" where it is about the file.
    pub pointer: String,
    /// Id of the dialect; "" where none read it.
    pub dialect: Cow<'static, str>,
    /// What the place itself shows, for the label under it.
    pub label: String,
    /// What to change, as one or more sentences.
    pub help: String,
    /// The other numbers that went into it, and where each comes from.
    pub related: Vec<Label>,
    /// What went into it that has no place: defaults and assumptions, one clause each.
    pub notes: Vec<String>,
}

/// A place that went into a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The file, as the user named it.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What it is: "the deadline: 5 s".
    pub message: String,
}
