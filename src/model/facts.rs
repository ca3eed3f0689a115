//! What one file says.

use super::{Duration, Policy, Queue, Workload};
use crate::source::Place;

/// Everything that the rules see of one file; it stays when the file's text and tree are gone.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Policies, in the order they stand in.
    pub policies: Vec<Policy>,
    /// Queues, in the order they stand in.
    pub queues: Vec<Queue>,
    /// What runs, as far as policies elsewhere can belong to it.
    pub workloads: Vec<Workload>,
    /// What cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// What the file's comments tell retrylint.
    pub annotations: Vec<Annotation>,
}

impl Facts {
    /// Places of the file that are not to be shown, in no order.
    pub fn hidden(&self) -> impl Iterator<Item = Place> {
        let faults = self.policies.iter().flat_map(|policy| &policy.faults);
        let faults = faults.chain(self.queues.iter().flat_map(|queue| &queue.faults));
        let unreadable = self.unreadable.iter().filter(|part| part.hidden).map(|part| part.place);
        faults.filter_map(|fault| fault.hidden).chain(unreadable)
    }
}

/// A part of a file that cannot be read.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Where.
    pub place: Place,
    /// What is wrong, as a clause without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Another place to look at, and what it is.
    pub related: Option<(Place, String)>,
    /// Nothing is lost for certain (a duplicate key): a warning.
    pub warning: bool,
    /// What stands there may be more than it is expected to be, and is not to be shown.
    pub hidden: bool,
}

/// A comment that speaks to retrylint, and the line it is about.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The comment.
    pub place: Place,
    /// The line it is about: its own, or the next one for a comment on a line of its own.
    pub line: u32,
    /// What it says.
    pub says: Says,
}

/// What an annotation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// `deadline=2s`
    Deadline(Duration),
    /// `ignore[rule, rule] -- reason`
    Ignore(Suppression),
    /// `ignore-file` or `ignore-file[rule]`, with a reason
    IgnoreFile(Suppression),
    /// None of these.
    Unclear {
        /// What is wrong with it.
        message: String,
        /// It may be more than it is expected to be, and is not to be shown.
        hidden: bool,
    },
}

/// Which rules are silenced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Their ids; empty means all.
    pub rules: Vec<String>,
    /// Why, if it says so.
    pub reason: Option<String>,
}
