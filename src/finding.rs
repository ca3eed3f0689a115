//! What a rule gives and a report reads.

use crate::model::Duration;
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

impl Severity {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A finding that is not reported, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silenced {
    /// What would have been reported.
    pub finding: Finding,
    /// What keeps it quiet.
    pub by: Silencer,
}

/// What keeps a finding quiet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silencer {
    /// A comment, with its reason if it gives one.
    Comment(Option<String>),
    /// The baseline.
    Baseline,
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
    /// What puts it right, where there is one answer and every number of it is known.
    pub fix: Option<Fix>,
}

/// A change of the finding's file, in terms of the model; how it is written is for [`crate::fix`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The value that is to change; what it is for the others is said there.
    pub place: Place,
    /// What is to become of it.
    pub change: Change,
}

/// What is to become of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It counts attempts or retries and stands for so many attempts.
    Attempts {
        /// As it is read.
        from: u64,
        /// As it should be.
        to: u64,
    },
    /// It is a time.
    Time {
        /// As it is read.
        from: Duration,
        /// At least so long it should be.
        to: Duration,
    },
    /// It is to be this word.
    Word(&'static str),
    /// Beside it another key is to stand, with a word as its value.
    Add {
        /// In the spelling of the keys around it.
        key: String,
        /// Its value.
        word: &'static str,
    },
    /// The place is a key that a later one of the same name hides; it goes, and its value with it.
    RemoveHidden,
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
