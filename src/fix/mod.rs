//! From what a rule says would be right to the bytes of a file: no more of them change than the value has, in
//! the notation that it is written in. What cannot be written exactly is left.

mod layout;
mod number;

use crate::document::{self, Document, Format, Kind, Node};
use crate::finding::{Change, Fix};
use crate::model::{Facts, Origin};
use crate::source::{Place, SourceText};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes of a text, and what is to stand in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes; none of them where something is added.
    pub bytes: Range<usize>,
    /// The new ones.
    pub with: String,
}

/// A fix that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The rule whose finding is put right.
    pub rule: &'static str,
    /// The file, as the user named it.
    pub file: String,
    /// Where in it, as it was.
    pub place: Place,
    /// The value as it was; of a key that is taken away the key, and nothing for one that is added.
    pub before: String,
    /// The value as it is now, or the key with its value that is added.
    pub after: String,
}

/// A text that is a value, or that holds one within it.
struct Site<'t> {
    text: &'t str,
    /// The scalar that stands there.
    scalar: Node<'t>,
    /// It is that scalar itself and not a part of its text.
    whole: bool,
    format: Format,
}

/// The edits for some fixes of a file, each None where it cannot be made: the value stands for others as well,
/// its notation is not one of those that are rewritten, or there is no room for what is to be added.
pub fn edits(path: &str, text: &str, facts: &Facts, fixes: &[&Fix]) -> Vec<Option<Edit>> {
    let format = Format::of(path, text);
    let source = SourceText::new(text.to_string());
    let parsed = document::parse(&source, format);
    let shared = shared(facts);
    let sites = sites(&parsed.documents, fixes);
    let one = |fix: &&Fix| {
        let bytes = fix.place.start as usize..fix.place.end as usize;
        if shared.contains(&fix.place) {
            return None;
        }
        let site = match sites.get(&(fix.place.start, fix.place.end))?.as_slice() {
            [only] => Site { text, scalar: *only, whole: spans(*only, fix), format },
            _ => return None,
        };
        let inner = layout::unquoted(text.get(bytes)?, fix.place.start as usize);
        let replaced = |with: String| Edit { bytes: inner.clone(), with };
        let written = text.get(inner.clone())?;
        match &fix.change {
            Change::RemoveHidden => layout::removed(&site),
            Change::Add { key, word } => layout::added(&site, fix.place, key, word),
            _ if !site.takes_values() => None,
            Change::Attempts { from, to } => number::attempts(written, *from, *to).map(replaced),
            Change::Time { from, to } => number::time(written, *from, *to).map(replaced),
            Change::Word(word) => number::is_word(written).then(|| replaced(word.to_string())),
        }
    };
    fixes.iter().map(one).collect()
}

impl Site<'_> {
    /// A value of its own, or one within a text of JSON, which has no anchors.
    fn takes_values(&self) -> bool {
        if self.whole { !self.scalar.is_block() } else { self.holds_json() }
    }

    fn holds_json(&self) -> bool {
        self.scalar.text().is_some_and(|text| text.trim_start().starts_with('{'))
    }
}

/// What a fix made of a text, for people; no value that is not of the finding.
pub fn made(rule: &'static str, file: &str, text: &str, fix: &Fix, edit: &Edit) -> Made {
    let at = |bytes: Range<usize>| text.get(bytes).unwrap_or_default().to_string();
    let (before, after) = match &fix.change {
        Change::RemoveHidden => (at(fix.place.start as usize..fix.place.end as usize), String::new()),
        Change::Add { .. } => {
            let entry = edit.with.trim_matches(|char: char| char == ',' || char.is_whitespace());
            (String::new(), entry.to_string())
        }
        _ => (at(edit.bytes.clone()), edit.with.clone()),
    };
    Made { rule, file: file.to_string(), place: fix.place, before, after }
}

/// A text with edits made in it, which are in order and do not overlap.
pub fn apply(text: &str, edits: &[&Edit]) -> String {
    let (mut changed, mut done) = (String::with_capacity(text.len()), 0);
    for Edit { bytes, with } in edits {
        changed.push_str(&text[done..bytes.start]);
        changed.push_str(with);
        done = bytes.end;
    }
    changed.push_str(&text[done..]);
    changed
}

/// Whether two edits cannot both be made.
pub fn overlap(a: &Edit, b: &Edit) -> bool {
    a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end || a.bytes.start == b.bytes.start
}

/// Whether a text can still be read, with as many documents and no more faults.
pub fn reads_as_before(path: &str, before: &str, after: &str) -> bool {
    let counts = |text: &str| {
        let source = SourceText::new(text.to_string());
        let parsed = document::parse(&source, Format::of(path, text));
        (parsed.template, parsed.documents.len(), parsed.faults.len())
    };
    counts(before) == counts(after)
}

/// Places that more than one policy, or more than one queue, takes a number from.
fn shared(facts: &Facts) -> BTreeSet<Place> {
    let of_policies = facts.policies.iter().map(|policy| {
        let backoff = &policy.backoff;
        let written = [&policy.attempts.origin, &backoff.cap.origin].into_iter().filter_map(Origin::place);
        written.chain(backoff.switch.iter().map(|switch| switch.place)).collect::<BTreeSet<_>>()
    });
    let of_queues = facts.queues.iter().map(|queue| queue.window.origin.place().into_iter().collect());
    let (mut seen, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for place in of_policies.chain(of_queues).flatten() {
        if !seen.insert(place) {
            shared.insert(place);
        }
    }
    shared
}

/// For the places of the fixes the scalars that are there or around it, of hidden keys those of the key.
fn sites<'d>(documents: &'d [Document<'_>], fixes: &[&Fix]) -> BTreeMap<(u32, u32), Vec<Node<'d>>> {
    let mut sites: BTreeMap<(u32, u32), Vec<Node<'d>>> = BTreeMap::new();
    for fix in fixes {
        sites.entry((fix.place.start, fix.place.end)).or_default();
    }
    for node in documents.iter().flat_map(|document| document.all()) {
        if matches!(node.kind(), Kind::List | Kind::Map) {
            continue;
        }
        let place = if node.is_hidden() { node.key_place() } else { node.place() };
        for ((_, end), found) in sites.range_mut((place.start, 0)..(place.end.max(place.start + 1), 0)) {
            if *end <= place.end && found.len() < 2 {
                found.push(node);
            }
        }
    }
    sites
}

fn spans(node: Node<'_>, fix: &Fix) -> bool {
    let place = if node.is_hidden() { node.key_place() } else { node.place() };
    (place.start, place.end) == (fix.place.start, fix.place.end)
}
