//! The times and addresses that a table says for the policies in it.

use super::libraries::Library;
use super::names::{self, MayBound, Role, Scope};
use super::{Entry, Group, add, called, is_scalar};
use crate::document::{Kind, Node};
use crate::model::Reference;
use crate::model::notation;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a table says for all of its policies, read once.
#[derive(Default)]
pub(super) struct Beside<'d> {
    /// The first time of each role.
    pub times: Vec<Entry<'d>>,
    /// The timeout of every attempt, whatever its prefix.
    pub shared: Option<Entry<'d>>,
    /// The timeouts with a prefix, by it.
    pub prefixed: HashMap<String, Entry<'d>>,
    /// The first time that may bound an attempt, or the whole.
    pub may_bound: Vague<'d>,
    /// The same in the tables within that say how a client goes about its calls.
    pub within: Vague<'d>,
    /// Where its calls go.
    pub hosts: Vec<Reference>,
}

/// Times that may hold for a policy, each with why that is not known.
#[derive(Clone, Copy, Default)]
pub(super) struct Vague<'d> {
    /// What may bound one attempt.
    pub attempt: Option<(Node<'d>, &'static str)>,
    /// What may bound the whole.
    pub whole: Option<(Node<'d>, &'static str)>,
}

impl<'d> Vague<'d> {
    fn note(&mut self, node: Node<'d>, may: MayBound, why: &'static str) {
        self.attempt.get_or_insert((node, why));
        if may == MayBound::Whole {
            self.whole.get_or_insert((node, why));
        }
    }

    fn look(&mut self, node: Node<'d>) {
        if let Some((may, why)) = names::may_bound(node.key()) {
            self.note(node, may, why);
        }
    }

    /// The same, where this one knows of none.
    pub fn or(self, other: Self) -> Self {
        Self { attempt: self.attempt.or(other.attempt), whole: self.whole.or(other.whole) }
    }
}

impl<'d> Beside<'d> {
    /// What a table says.
    pub fn of(node: Node<'d>) -> Self {
        let mut beside = Self { hosts: called::hosts(node), ..Self::default() };
        let serves = serves(node, !beside.hosts.is_empty());
        let own = names::is_own_table(&names::snake(node.key()));
        let library = Library::of(node);
        let option = |child: &Node<'_>| library.is_some_and(|library| library.meaning(child.key()).is_some());
        for child in node.entries().filter(|child| !option(child)) {
            let name = names::snake(child.key());
            if child.kind() == Kind::Map {
                beside.table(child, &name);
            } else if is_scalar(child) {
                let (stem, unit) = names::stem(child.key());
                if let Some(prefix) = stem.strip_suffix("_timeout") {
                    let entry = Entry { role: Role::AttemptTimeout, unit, plain: false, node: child };
                    beside.prefixed.entry(prefix.to_string()).or_insert(entry);
                }
                match time(child, child.key()) {
                    // those of a server are how long it waits for its callers
                    Some(_) if serves => beside.may_bound.note(child, MayBound::Attempt, SERVES),
                    Some(entry) => beside.keep(entry, &stem),
                    None if own && is_unknown_time(child) => {
                        beside.may_bound.note(child, MayBound::Whole, "what it bounds is not plain");
                    }
                    None => beside.may_bound.look(child),
                }
            }
        }
        beside
    }

    /// A table beside: one of times, or one that says how a client goes about its calls.
    fn table(&mut self, table: Node<'d>, name: &str) {
        if !names::TIME_TABLES.contains(&name) {
            let timeout = matches!(
                names::meaning(table.key(), Scope::Flat).map(|meaning| meaning.role),
                Some(Role::AttemptTimeout | Role::PlainTimeout)
            );
            if timeout {
                self.may_bound.note(table, MayBound::Attempt, "it is a mapping");
            } else if names::CLIENT_TABLES.contains(&name) {
                let scalars = table.entries().filter(|child| is_scalar(*child));
                scalars.for_each(|child| match time(child, child.key()) {
                    Some(_) => self.within.note(child, MayBound::Whole, ELSEWHERE),
                    None => self.within.look(child),
                });
            }
            return;
        }
        for child in table.entries().filter(|child| is_scalar(*child)) {
            // `timeouts: { request: 2s }` is `request_timeout: 2s`
            let (stem, _) = names::stem(child.key());
            let key = if stem.contains("time") || stem.contains("deadline") {
                Cow::Borrowed(child.key())
            } else {
                let whole = names::snake(child.key());
                Cow::Owned(format!("{stem}_timeout{}", whole.strip_prefix(&stem).unwrap_or_default()))
            };
            match time(child, &key) {
                Some(entry) => self.keep(entry, &names::stem(&key).0),
                None => match names::may_bound(&key) {
                    Some((may, why)) => self.may_bound.note(child, may, why),
                    None => self.may_bound.note(table, MayBound::Attempt, "it is a mapping"),
                },
            }
        }
    }

    fn keep(&mut self, entry: Entry<'d>, stem: &str) {
        if names::EVERY_ATTEMPT.contains(&stem) {
            self.shared.get_or_insert(entry);
        }
        if self.times.iter().all(|other| other.role != entry.role) {
            self.times.push(entry);
        }
    }

    /// Times that may bound others than those that they are taken for.
    pub fn others(&self, taken: Option<Entry<'d>>, why: &'static str) -> Vague<'d> {
        let mut others = Vague::default();
        for entry in self.times.iter().filter(|entry| taken.is_none_or(|taken| !taken.node.is(entry.node))) {
            let may = if entry.role == Role::AttemptTimeout { MayBound::Attempt } else { MayBound::Whole };
            others.note(entry.node, may, why);
        }
        others
    }
}

/// Why the times of another table are not taken.
pub(super) const ELSEWHERE: &str = "it stands in another table, and may hold for this policy or not";
/// Why the times of a table that listens itself are not.
const SERVES: &str = "its table listens itself, and it may be for its callers";

/// A time without a prefix that a key, in its own words or those that stand for it, names.
fn time<'d>(node: Node<'d>, key: &str) -> Option<Entry<'d>> {
    let meaning = names::meaning(key, Scope::Flat)?;
    let told = meaning.role.is_time() && meaning.prefix.is_empty();
    let mut group = Group::default();
    add(&mut group, node, meaning);
    group.entries.pop().filter(|_| told)
}

/// A time in a table that is all about retrying, under a name that is not known there.
fn is_unknown_time(node: Node<'_>) -> bool {
    let timed = matches!(node.text().map(notation::any), Some(Ok(notation::Amount::Time(_))));
    timed && names::meaning(node.key(), Scope::Own).is_none() && !names::bounds_nothing(node.key())
}

/// A table that listens itself: by a word for it, by a port without an address to call, or on every address.
fn serves(table: Node<'_>, calls: bool) -> bool {
    table.entries().any(|child| {
        let name = names::snake(child.key());
        let every = || matches!(child.text(), Some("0.0.0.0" | "::" | "[::]"));
        names::SERVES.contains(&name.as_str()) || name == "port" && !calls || name == "host" && every()
    })
}
