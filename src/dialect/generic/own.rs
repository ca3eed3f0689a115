//! A service's own settings: the keys that `[[dialect]]` of retrylint.toml declares, in place of the names
//! that services have in common.

use super::names::{self, Role, Strategy};
use super::{
    Attempts, Bare, Counted, Entry, Factor, NOTHING, Span, Values, flag, idle, is_no_retry, name_at, policy,
    repeated, units,
};
use crate::dialect::File;
use crate::dialect::shape::read::{Field, Reader, UNOWNED};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit;
use crate::model::{
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Facts, Growth, Jitter, Layer, Origin, Policy,
    Ratio, Setting,
};
use crate::source::discover::Globs;
use std::borrow::Cow;
use std::collections::HashSet;

/// A dialect of retrylint.toml.
#[derive(Debug)]
pub struct Own {
    /// What it is called.
    pub name: String,
    /// The files that it reads, relative to retrylint.toml.
    pub files: Globs,
    /// The same as they are written.
    pub reads: String,
    /// Pointers of its policies, in steps; a step `*` stands for any one.
    pub policies: Vec<Vec<String>>,
    /// The number is of retries, not of attempts.
    pub retries: bool,
    /// How often, as attempts.
    pub attempts: Option<Declared<u64>>,
    /// The first wait, or the list of all of them.
    pub initial: Option<Declared<Duration>>,
    /// Growth per retry.
    pub multiplier: Option<Declared<Ratio>>,
    /// The ceiling of one wait.
    pub cap: Option<Declared<Duration>>,
    /// How the waits grow.
    pub growth: Option<Declared<Growth>>,
    /// How they are scattered.
    pub jitter: Option<Declared<Jitter>>,
    /// What bounds one attempt.
    pub attempt_timeout: Option<Declared<Duration>>,
    /// What bounds all of them.
    pub deadline: Option<Declared<Duration>>,
    /// What happens then.
    pub deadline_effect: DeadlineEffect,
    /// Where in a call path its policies sit.
    pub layer: Layer,
}

/// Where a setting is.
#[derive(Debug)]
pub enum Declared<T> {
    /// The service always takes this.
    Fixed(Bound<T>),
    /// In the file.
    Key {
        /// The keys on the way to it from the policy.
        path: Vec<String>,
        /// What a number without a unit counts.
        unit: Option<Unit>,
        /// What the service takes where the key is absent.
        absent: Option<Bound<T>>,
    },
}

/// The words for a unit.
pub const UNITS: &[&str] = &["ns", "us", "ms", "s", "min", "h", "d"];

/// The unit of a word.
pub fn unit(word: &str) -> Option<Unit> {
    names::unit_in_text(word).filter(|_| UNITS.contains(&word))
}

/// A count of retries or of attempts as text, as attempts; the error says what is expected.
pub fn attempts(text: &str, retries: bool) -> Result<Bound<u64>, Cow<'static, str>> {
    super::count(text, retries)
}

/// A time as text; the error says what is wrong with it.
pub fn time(text: &str, unit: Option<Unit>) -> Result<Bound<Duration>, Cow<'static, str>> {
    match super::span(text, unit)? {
        Bound::Unknown => Err("it has no unit; add `unit`, or write it like \"250ms\"".into()),
        time => Ok(time),
    }
}

/// A growth per retry as text; the error says what is expected.
pub fn multiplier(text: &str) -> Result<Bound<Ratio>, Cow<'static, str>> {
    super::factor(text)
}

/// The words for how waits grow.
pub const GROWTHS: &[&str] = &["none", "constant", "linear", "exponential", "fibonacci"];

/// The growth of a word.
pub fn growth(word: &str) -> Option<Growth> {
    names::strategy(word).map(grows)
}

/// The words for how waits are scattered.
pub const JITTERS: &[&str] = &["none", "full", "equal", "decorrelated"];

/// The jitter of a word, or of a number up to 1: the part of a wait that it may be longer or shorter by.
pub fn jitter(text: &str) -> Option<Jitter> {
    let part = || Ratio::parse(text).ok().filter(|part| *part <= Ratio::ONE);
    super::scatter(text).or_else(|| part().map(|part| Jitter::Factor { below: part, above: part }))
}

fn grows(strategy: Strategy) -> Growth {
    match strategy {
        Strategy::None => Growth::None,
        Strategy::Constant => Growth::Constant,
        Strategy::Linear => Growth::Linear,
        Strategy::Fibonacci => Growth::Fibonacci,
        Strategy::Exponential | Strategy::Jittered => Growth::Exponential,
    }
}

/// The word for a growth in a service's file.
struct Grows;

impl Field for Grows {
    type Value = Growth;

    fn key(&self) -> &'static str {
        ""
    }

    fn absent(&self) -> Bound<Growth> {
        Bound::Unknown
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Growth>, Cow<'static, str>> {
        let word = node.text().and_then(growth);
        word.map(Bound::At).ok_or_else(|| format!("one of {} is expected", GROWTHS.join(", ")).into())
    }
}

impl Own {
    /// Words of which a file with a policy holds at least one; none where nothing has to be written.
    pub fn markers(&self) -> Vec<&str> {
        if !self.by_default() {
            return self.paths().filter_map(|path| path.last()).map(String::as_str).collect();
        }
        let named = |steps: &'_ Vec<String>| steps.iter().rposition(|step| step != "*");
        let last: Option<Vec<_>> =
            self.policies.iter().map(|steps| Some(steps[named(steps)?].as_str())).collect();
        last.unwrap_or_default()
    }

    /// Something is retried without any setting in the file.
    fn by_default(&self) -> bool {
        matches!(&self.attempts, Some(Declared::Fixed(_) | Declared::Key { absent: Some(_), .. }))
    }

    /// The keys of all settings.
    fn paths(&self) -> impl Iterator<Item = &Vec<String>> {
        fn path<T>(declared: &Option<Declared<T>>) -> Option<&Vec<String>> {
            match declared {
                Some(Declared::Key { path, .. }) => Some(path),
                _ => None,
            }
        }
        let paths = [
            path(&self.attempts),
            path(&self.initial),
            path(&self.multiplier),
            path(&self.cap),
            path(&self.growth),
            path(&self.jitter),
            path(&self.attempt_timeout),
            path(&self.deadline),
        ];
        paths.into_iter().flatten()
    }

    /// Takes the policies of a document into the facts, and their values from what others read.
    pub(in crate::dialect) fn read<'d>(
        &self,
        document: &'d Document<'_>,
        file: &mut File<'d>,
        facts: &mut Facts,
    ) {
        let mut seen = HashSet::new();
        for steps in &self.policies {
            for node in matching(document.root(), steps) {
                if node.kind() != Kind::Map || !seen.insert(node.number()) {
                    continue;
                }
                let Some(policy) = self.policy(node, file) else { continue };
                file.claimed.insert(node.number());
                for path in self.paths() {
                    let mut at = node;
                    for key in path {
                        let Some(next) = at.get(key) else { break };
                        file.claimed.insert(next.number());
                        at = next;
                    }
                }
                facts.policies.push(policy);
            }
        }
    }

    fn counted(&self) -> Counted {
        if self.retries { Counted::Retries } else { Counted::Attempts }
    }

    /// The policy of a table; none where nothing is written and nothing says that it retries all the same.
    fn policy<'d>(&self, node: Node<'d>, file: &File<'d>) -> Option<Policy> {
        let written = self.paths().any(|path| find(node, path).is_some());
        if !written && !self.by_default() {
            return None;
        }
        let bare = Bare::Unit(Unit::Seconds, Some("a bare number is taken as seconds"));
        let values = Values { reader: Reader::new(UNOWNED), bare, comments: file.comments };
        let mut reading = Reading { own: self, node, values, entries: Vec::new() };
        let attempts = reading.attempts();
        let backoff = reading.backoff(attempts.at());
        let nothing = || Setting::unlimited(NOTHING);
        let attempt_timeout =
            reading.time(&self.attempt_timeout, Role::AttemptTimeout).unwrap_or_else(nothing);
        let deadline = reading.time(&self.deadline, Role::Deadline).unwrap_or_else(nothing);
        let Reading { values, entries, .. } = reading;
        let name = name_at(node);
        let mut policy = Policy {
            written,
            attempts,
            backoff,
            attempt_timeout,
            deadline,
            deadline_effect: self.deadline_effect,
            repeated: repeated(node),
            bare_numbers: entries.into_iter().filter_map(units::in_key).collect(),
            faults: values.reader.faults,
            ..policy(
                self.name.clone(),
                self.layer,
                if name.is_empty() { self.name.clone() } else { name },
                node,
            )
        };
        let switch = node.entries().find(|child| {
            match names::meaning(child.key(), names::Scope::Own).map(|meaning| meaning.role) {
                Some(Role::Enabled) => flag(*child) == Some(false),
                Some(Role::Disabled) => flag(*child) == Some(true),
                _ => false,
            }
        });
        let none = match &self.attempts {
            Some(Declared::Key { path, .. }) => find(node, path),
            _ => None,
        };
        idle(&mut policy, switch.or(none.filter(|count| is_no_retry(*count, self.counted()))));
        Some(policy)
    }
}

/// The values that a pointer with `*` leads to.
fn matching<'d>(root: Node<'d>, steps: &[String]) -> Vec<Node<'d>> {
    steps.iter().fold(vec![root], |nodes, step| {
        let next = |node: Node<'d>| -> Vec<Node<'d>> {
            match (step.as_str(), node.kind()) {
                ("*", _) => node.children().collect(),
                (step, Kind::List) => {
                    step.parse().ok().and_then(|n| node.items().nth(n)).into_iter().collect()
                }
                (step, _) => node.get(step).into_iter().collect(),
            }
        };
        nodes.into_iter().flat_map(next).collect()
    })
}

/// The value at a path, unless it is null.
fn find<'d>(node: Node<'d>, path: &[String]) -> Option<Node<'d>> {
    let found = path.iter().try_fold(node, |node, key| node.get(key))?;
    (found.kind() != Kind::Null).then_some(found)
}

/// What there is for a setting.
enum Found<'d, T> {
    /// A value in the file, and what a number without a unit counts.
    Written(Node<'d>, Option<Unit>),
    /// What is declared for it.
    Declared(Setting<T>),
}

/// One policy that is being read.
struct Reading<'o, 'd> {
    own: &'o Own,
    node: Node<'d>,
    values: Values<'d>,
    /// The times that were found.
    entries: Vec<Entry<'d>>,
}

impl<'d> Reading<'_, 'd> {
    /// "acme's default, in retrylint.toml"
    fn whose(&self, what: &str) -> String {
        let ending = if self.own.name.ends_with('s') { "'" } else { "'s" };
        format!("{}{ending}{what}, in retrylint.toml", self.own.name)
    }

    /// The value that the file has, or else what is declared for its absence; None where nothing is.
    fn find<T: Clone>(&self, declared: &Option<Declared<T>>) -> Option<Found<'d, T>> {
        match declared.as_ref()? {
            Declared::Fixed(bound) => {
                let origin = Origin::Declared(self.whose("").into());
                Some(Found::Declared(Setting::new(bound.clone(), origin)))
            }
            Declared::Key { path, unit, absent } => match find(self.node, path) {
                Some(node) => Some(Found::Written(node, *unit)),
                None => {
                    let origin = Origin::Default(self.whose(" default").into());
                    absent.clone().map(|bound| Found::Declared(Setting::new(bound, origin)))
                }
            },
        }
    }

    /// A setting that is no time.
    fn get<F: Field>(
        &mut self,
        declared: &Option<Declared<F::Value>>,
        field: &F,
    ) -> Option<Setting<F::Value>> {
        Some(match self.find(declared)? {
            Found::Written(node, _) => self.values.reader.value(node, field),
            Found::Declared(setting) => setting,
        })
    }

    fn attempts(&mut self) -> Setting<u64> {
        let counted = self.own.counted();
        if let Some(setting) = self.get(&self.own.attempts, &Attempts { counted }) {
            return setting;
        }
        match self.find(&self.own.initial) {
            Some(Found::Written(list, _)) if list.kind() == Kind::List => {
                Setting::written(list.items().count() as u64 + 1, list.place())
            }
            _ => Setting::unknown("no count is written", None),
        }
    }

    fn time(&mut self, declared: &Option<Declared<Duration>>, role: Role) -> Option<Setting<Duration>> {
        Some(match self.find(declared)? {
            Found::Written(node, unit) => self.span(node, unit, role),
            Found::Declared(setting) => setting,
        })
    }

    /// A time that is written: with a unit of its own, the declared one, that of its key or of the comment
    /// behind it; otherwise it is not known.
    fn span(&mut self, node: Node<'d>, unit: Option<Unit>, role: Role) -> Setting<Duration> {
        if matches!(node.kind(), Kind::Map | Kind::List) {
            let what = if node.kind() == Kind::Map { "it is a mapping" } else { "it is a list" };
            return Setting::unknown(what, Some(node.place()));
        }
        let unit =
            unit.or_else(|| names::stem(node.key()).1).or_else(|| units::behind(node, self.values.comments));
        // a time with a unit of its own may differ from the declared one, but not from its key's
        let own = node.text().and_then(names::unit_in_text);
        self.entries.push(Entry {
            role,
            plain: false,
            unit: if own.is_some() { names::stem(node.key()).1 } else { unit },
            node,
        });
        let setting = self.values.reader.value(node, &Span { unit });
        if setting.is_unknown() && !matches!(setting.origin, Origin::Unknown(..)) {
            let why = format!("it has no unit, and {} declares none in retrylint.toml", self.own.name);
            return Setting::unknown(why, Some(node.place()));
        }
        setting
    }

    fn jitter(&mut self) -> Option<Setting<Jitter>> {
        Some(match self.find(&self.own.jitter)? {
            Found::Written(node, unit) => {
                self.values.jitter(Entry { role: Role::Jitter, unit, plain: false, node })
            }
            Found::Declared(setting) => setting,
        })
    }

    fn backoff(&mut self, attempts: Option<u64>) -> Backoff {
        let own = self.own;
        let growth = self.get(&own.growth, &Grows);
        let multiplier = self.get(&own.multiplier, &Factor);
        let cap = self.time(&own.cap, Role::Cap);
        let ceiling = cap.is_some();
        let jitter = self.jitter();
        let mut backoff = Backoff {
            cap: cap.unwrap_or_else(|| Setting::unlimited(NOTHING)),
            cap_applies: CapApplies::BeforeJitter,
            jitter: jitter.unwrap_or_else(|| Setting::default(Jitter::None, NOTHING)),
            can_jitter: matches!(own.jitter, Some(Declared::Key { .. })),
            ..Backoff::none(NOTHING)
        };
        let initial = match self.find(&own.initial) {
            Some(Found::Written(list, unit)) if list.kind() == Kind::List => {
                let waits: Vec<_> = list.items().map(|item| self.span(item, unit, Role::Delays)).collect();
                let known: Option<Vec<_>> = waits.iter().map(Setting::at).collect();
                backoff.growth = known.map_or(Growth::Unknown, Growth::List);
                let empty = || Setting::unknown("the list of waits is empty", Some(list.place()));
                backoff.initial = waits.into_iter().next().unwrap_or_else(empty);
                return backoff;
            }
            Some(Found::Written(node, unit)) => self.span(node, unit, Role::Initial),
            Some(Found::Declared(setting)) => setting,
            None if attempts == Some(1) => return backoff,
            None => match growth.map(|growth| growth.bound) {
                Some(Bound::At(Growth::None)) => return backoff,
                _ => return Backoff { jitter: backoff.jitter, ..Backoff::unknown("no wait is written") },
            },
        };
        backoff.initial = initial;
        let (kind, declared) = match growth {
            Some(Setting { bound: Bound::At(growth), .. }) => (growth, true),
            Some(Setting { origin, .. }) => {
                backoff.initial = Setting::new(Bound::Unknown, origin);
                (Growth::Unknown, true)
            }
            None if multiplier.is_some() || ceiling => (Growth::Exponential, multiplier.is_some()),
            None => (Growth::Constant, false),
        };
        backoff.multiplier = match (multiplier, &kind) {
            (Some(multiplier), _) => multiplier,
            (None, Growth::Exponential) => {
                let why = "without a multiplier the wait is taken to double";
                Setting::new(Bound::At(Ratio::new(2, 1)), Origin::Assumed(why.into(), None))
            }
            (None, Growth::Constant) if !declared => {
                let why = "without a multiplier or a ceiling the wait is taken to stay the same";
                Setting::new(Bound::At(Ratio::ONE), Origin::Assumed(why.into(), None))
            }
            _ => Setting::default(Ratio::ONE, NOTHING),
        };
        let unknown = kind == Growth::Exponential && backoff.multiplier.is_unknown();
        backoff.growth = if unknown { Growth::Unknown } else { kind };
        if backoff.growth == Growth::None {
            return Backoff { jitter: backoff.jitter, ..Backoff::none(NOTHING) };
        }
        backoff
    }
}
