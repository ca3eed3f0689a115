//! `diff`: what a change does to policies, queues and stacks.

use super::markdown::cell;
use super::{inspect, printable};
use crate::model::{Policy, Queue};
use crate::report::write_json;
use crate::schedule::Schedule;
use crate::stack::{Project, Stack};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// Everything that differs between two sides.
#[derive(Debug, Default)]
pub struct Changes {
    /// The revision before.
    pub before: String,
    /// The revision after; None for the files as they are.
    pub after: Option<String>,
    /// Paths and files that could not be read.
    pub failures: usize,
    list: Vec<Change>,
}

/// One policy, queue or stack that differs; one of the two sides is there.
#[derive(Debug)]
struct Change {
    kind: Kind,
    before: Option<Thing>,
    after: Option<Thing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Policy,
    Queue,
    Stack,
}

/// A policy, queue or stack as it is told.
#[derive(Debug)]
struct Thing {
    kind: Kind,
    /// Its file; "" for a stack.
    file: String,
    /// Its file by the name of after.
    newest: String,
    name: String,
    /// "istio, proxy"
    about: String,
    pointer: String,
    values: Vec<(&'static str, String)>,
    /// What tells two of them apart: the values as numbers.
    numbers: String,
    /// As `inspect` has it.
    whole: Value,
}

/// What `inspect` says of where something stands and of what it is called.
const PLACES: &[&str] = &["file", "line", "column", "pointer", "name", "origins", "layers"];

impl Thing {
    fn new(kind: Kind, file: &str, whole: Value, values: Vec<(&'static str, String)>) -> Self {
        let text = |key: &str| whole[key].as_str().unwrap_or_default().to_string();
        let about = ["dialect", "layer"].map(text);
        let about = about.iter().filter(|word| !word.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let told = values.iter().map(|(_, text)| text.as_str());
        let mut numbers: Vec<String> = told.map(str::to_string).collect();
        let fields = whole.as_object().into_iter().flatten();
        numbers.extend(fields.filter(|(key, _)| !PLACES.contains(&key.as_str())).map(|(_, v)| v.to_string()));
        if let Some(layers) = whole["layers"].as_array() {
            numbers.extend(layers.iter().map(|layer| layer["attempts"].to_string()));
        }
        Self {
            kind,
            file: file.to_string(),
            newest: file.to_string(),
            name: text("name"),
            about,
            pointer: text("pointer"),
            values,
            numbers: numbers.join("\n"),
            whole,
        }
    }

    fn policy(file: &str, policy: &Policy, schedule: &Schedule) -> Self {
        let deadline = match policy.deadline.at() {
            Some(time) => format!("{time}, {}", policy.deadline_effect.word()),
            None => inspect::bound(policy.deadline.bound, "none"),
        };
        let total = match (schedule.total_min.at(), schedule.total_max.at()) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most}"),
            _ => inspect::bound(schedule.total_max, "unlimited"),
        };
        let values = vec![
            ("attempts", inspect::bound(policy.attempts.bound, "unlimited")),
            ("waits", inspect::listed(schedule)),
            ("total wait", total),
            ("attempt timeout", inspect::bound(policy.attempt_timeout.bound, "none")),
            ("deadline", deadline),
            ("demand", inspect::bound(schedule.demand, "unlimited")),
            ("worst case", inspect::bound(schedule.worst_case, "unlimited")),
        ];
        Self::new(Kind::Policy, file, inspect::policy(file, policy, schedule), values)
    }

    fn queue(file: &str, queue: &Queue) -> Self {
        let handlers = queue.handlers.iter().map(|handler| inspect::bound(handler.run.bound, "unlimited"));
        let handlers = handlers.collect::<Vec<_>>().join(", ");
        let values = vec![
            ("window", inspect::bound(queue.window.bound, "none")),
            ("receives", inspect::bound(queue.receives.bound, "unlimited")),
            ("retention", inspect::bound(queue.retention.bound, "unlimited")),
            ("handler", if handlers.is_empty() { "none".to_string() } else { handlers }),
        ];
        Self::new(Kind::Queue, file, inspect::queue(file, queue), values)
    }

    fn stack(project: &Project, stack: &Stack) -> Self {
        let attempts = stack.layers.iter().map(|layer| inspect::bound(layer.attempts.bound, "unlimited"));
        let values = vec![
            ("layers", attempts.collect::<Vec<_>>().join(" × ")),
            ("fail-fast calls", inspect::bound(stack.fail_fast_calls, "unlimited")),
            ("slow-fail calls", inspect::bound(stack.slow_fail_calls, "unlimited")),
            ("demand", inspect::bound(stack.demand, "unlimited")),
            ("worst case", inspect::bound(stack.worst_case, "unlimited")),
            ("deadline", inspect::bound(stack.deadline.bound, "none")),
        ];
        Self::new(Kind::Stack, "", inspect::stack(project, stack), values)
    }

    /// Everything of a project, in its order.
    fn all(project: &Project) -> Vec<Self> {
        let mut all = Vec::new();
        for file in &project.files {
            let policies = file.facts.policies.iter().zip(&file.schedules);
            all.extend(policies.map(|(policy, schedule)| Self::policy(&file.path, policy, schedule)));
            all.extend(file.facts.queues.iter().map(|queue| Self::queue(&file.path, queue)));
        }
        all.extend(project.stacks.iter().map(|stack| Self::stack(project, stack)));
        all
    }
}

/// By what two sides belong together, the surest first: nothing but the file's name has changed; only the
/// position in a list; what stands at the same place; what has the same name.
type Key = (Kind, String, String, String);
const KEYS: [fn(&Thing) -> Key; 4] = [
    |thing| (thing.kind, thing.newest.clone(), place(thing), thing.numbers.clone()),
    |thing| (thing.kind, thing.newest.clone(), without_indexes(&place(thing)), thing.numbers.clone()),
    |thing| (thing.kind, thing.newest.clone(), place(thing), String::new()),
    |thing| (thing.kind, thing.newest.clone(), thing.name.clone(), thing.about.clone()),
];

/// A stack has no pointer; it is known by its name.
fn place(thing: &Thing) -> String {
    if thing.kind == Kind::Stack { thing.name.clone() } else { thing.pointer.clone() }
}

fn without_indexes(pointer: &str) -> String {
    let step = |step: &&str| step.is_empty() || !step.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').filter(step).collect::<Vec<_>>().join("/")
}

impl Changes {
    /// What differs between two projects; `renamed` has the old names of files by their new ones.
    pub fn between(before: &Project, after: &Project, renamed: &BTreeMap<String, String>) -> Self {
        let newer: HashMap<&str, &str> =
            renamed.iter().map(|(new, old)| (old.as_str(), new.as_str())).collect();
        let mut old: Vec<Option<Thing>> = Thing::all(before).into_iter().map(Some).collect();
        for thing in old.iter_mut().flatten() {
            if let Some(new) = newer.get(thing.file.as_str()) {
                thing.newest = new.to_string();
            }
        }
        let mut new: Vec<(Thing, Option<usize>)> =
            Thing::all(after).into_iter().map(|thing| (thing, None)).collect();
        let mut taken = vec![false; old.len()];
        for key in KEYS {
            let mut open: HashMap<Key, Vec<usize>> = HashMap::new();
            for (at, thing) in old.iter().enumerate().rev().filter(|(at, _)| !taken[*at]) {
                if let Some(thing) = thing {
                    open.entry(key(thing)).or_default().push(at);
                }
            }
            for (thing, pair) in new.iter_mut().filter(|(_, pair)| pair.is_none()) {
                *pair = open.get_mut(&key(thing)).and_then(Vec::pop);
                if let Some(at) = pair {
                    taken[*at] = true;
                }
            }
        }
        let mut list = Vec::new();
        for (thing, pair) in new {
            let other = pair.and_then(|at| old[at].take());
            if other.as_ref().is_none_or(|other| other.numbers != thing.numbers) {
                list.push(Change { kind: thing.kind, before: other, after: Some(thing) });
            }
        }
        let removed = old.into_iter().flatten();
        list.extend(removed.map(|thing| Change { kind: thing.kind, before: Some(thing), after: None }));
        // stacks last, otherwise file by file; within a file in its order, what is gone at the end
        list.sort_by(|a, b| {
            let key = |change: &Change| (change.kind == Kind::Stack, change.newest().newest.clone());
            key(a).cmp(&key(b))
        });
        Self { list, ..Self::default() }
    }

    /// Keeps what stands in some files, and stacks.
    pub fn keep(&mut self, keep: impl Fn(&str) -> bool) {
        self.list.retain(|change| change.kind == Kind::Stack || keep(&change.newest().file));
    }

    /// "2 policies changed, 1 added; 1 stack removed"
    fn sentence(&self) -> String {
        let kinds = [
            (Kind::Policy, "policy", "policies"),
            (Kind::Queue, "queue", "queues"),
            (Kind::Stack, "stack", "stacks"),
        ];
        let of_kind = |(kind, one, several): &(Kind, &str, &str)| {
            let mut told = Vec::new();
            for word in ["changed", "added", "removed"] {
                let count = self.list.iter().filter(|c| c.kind == *kind && c.word() == word).count();
                match count {
                    0 => {}
                    _ if !told.is_empty() => told.push(format!("{count} {word}")),
                    1 => told.push(format!("1 {one} {word}")),
                    _ => told.push(format!("{count} {several} {word}")),
                }
            }
            told.join(", ")
        };
        let told: Vec<_> = kinds.iter().map(of_kind).filter(|told| !told.is_empty()).collect();
        let told = if told.is_empty() { "nothing changes".to_string() } else { told.join("; ") };
        match self.failures {
            0 => told,
            1 => format!("not complete, 1 input could not be compared: {told}"),
            count => format!("not complete, {count} inputs could not be compared: {told}"),
        }
    }
}

impl Change {
    fn word(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    fn newest(&self) -> &Thing {
        // one of them is there
        self.after.as_ref().or(self.before.as_ref()).unwrap_or_else(|| unreachable!())
    }

    /// The values that differ: what they are called, before, and after.
    fn values(&self) -> Vec<(&'static str, Option<&str>, Option<&str>)> {
        let all = self
            .newest()
            .values
            .iter()
            .enumerate()
            .map(|(n, (what, _))| (*what, text_of(&self.before, n), text_of(&self.after, n)));
        all.filter(|(_, before, after)| before != after).collect()
    }

    /// "payments/http[0] (istio, proxy) /spec/http/0/retries"
    fn title(&self) -> String {
        let Thing { kind, name, about, pointer, .. } = self.newest();
        match kind {
            Kind::Policy => format!("{name} ({about}) {pointer}"),
            Kind::Queue => format!("{name} ({about}, queue) {pointer}"),
            Kind::Stack => name.clone(),
        }
    }

    /// "a.yaml", or "a.yaml, before b.yaml"
    fn file(&self) -> String {
        let newest = self.newest();
        match &self.before {
            _ if newest.kind == Kind::Stack => "stacks".to_string(),
            Some(before) if before.file != newest.file => format!("{}, before {}", newest.file, before.file),
            _ => newest.file.clone(),
        }
    }
}

fn text_of(thing: &Option<Thing>, n: usize) -> Option<&str> {
    thing.as_ref()?.values.get(n).map(|(_, text)| text.as_str())
}

/// Writes the changes for people.
pub fn human(changes: &Changes, out: &mut dyn Write) -> io::Result<()> {
    let mut last = String::new();
    for change in &changes.list {
        let file = change.file();
        if file != last {
            writeln!(out, "{}{}", if last.is_empty() { "" } else { "\n" }, printable(&file))?;
            last = file;
        }
        let word = if change.word() == "changed" { "" } else { change.word() };
        let space = if word.is_empty() { "" } else { ": " };
        writeln!(out, "  {word}{space}{}", printable(&change.title()))?;
        for (what, before, after) in change.values() {
            let told = [before, after].into_iter().flatten().collect::<Vec<_>>().join(" → ");
            writeln!(out, "      {what:15}  {told}")?;
        }
    }
    let gap = if changes.list.is_empty() { "" } else { "\n" };
    writeln!(out, "{gap}{}", changes.sentence())
}

/// Writes them as a table for the comment of a review.
pub fn markdown(changes: &Changes, out: &mut dyn Write) -> io::Result<()> {
    if !changes.list.is_empty() {
        writeln!(out, "| where | what | before | after |\n| --- | --- | ---: | ---: |")?;
    }
    for change in &changes.list {
        let word = if change.word() == "changed" { String::new() } else { format!(" ({})", change.word()) };
        let place = format!("{}: {}{word}", cell(&change.file()), cell(&change.title()));
        for (n, (what, before, after)) in change.values().into_iter().enumerate() {
            let place = if n == 0 { place.as_str() } else { "" };
            let (before, after) = (cell(before.unwrap_or("–")), cell(after.unwrap_or("–")));
            writeln!(out, "| {place} | {what} | {before} | {after} |")?;
        }
    }
    let gap = if changes.list.is_empty() { "" } else { "\n" };
    let sentence = changes.sentence();
    let (first, rest) = sentence.split_at(1);
    writeln!(out, "{gap}{}{rest}.", first.to_uppercase())
}

/// Writes them as JSON, version 1.
pub fn json(changes: &Changes, out: &mut dyn Write) -> io::Result<()> {
    let of_kind = |kind: Kind| -> Vec<Value> {
        let list = changes.list.iter().filter(|change| change.kind == kind);
        let one = |change: &Change| {
            let values = change.values().into_iter();
            let values = values
                .map(|(what, before, after)| json!({ "value": what, "before": before, "after": after }));
            let whole = |thing: &Option<Thing>| thing.as_ref().map(|thing| thing.whole.clone());
            json!({
                "change": change.word(),
                "before": whole(&change.before),
                "after": whole(&change.after),
                "values": values.collect::<Vec<_>>(),
            })
        };
        list.map(one).collect()
    };
    let all = json!({
        "version": 1,
        "before": changes.before,
        "after": changes.after,
        "failures": changes.failures,
        "policies": of_kind(Kind::Policy),
        "queues": of_kind(Kind::Queue),
        "stacks": of_kind(Kind::Stack),
    });
    write_json(&all, out)
}
