//! Retry settings in hand-written service configs: a reading of how services name their own settings.
//! Each rule here is a convention, found in 122 retry blocks and 887 config files of public
//! repositories; what rests on a guess says so.

use crate::dialect::foreign;
use crate::dialect::shape::read::{Field, Reader, UNOWNED, whole_number};
use crate::dialect::shape::{failures, placeholder, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Comment, Document, Kind, Node};
use crate::model::notation::{self, Unit};
use crate::model::{
    Backoff, BareNumber, Bound, CapApplies, DeadlineEffect, Duration, Facts, Growth, Handler, Idle, Jitter,
    Layer, Origin, Policy, Queue, Ratio, Repeated, Setting,
};
use crate::schedule;
use std::borrow::Cow;

mod names;

use names::{Counted, Role, Scope, UnitSuffix};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "generic",
    reads: "hand-written service configs in TOML, YAML and JSON",
    markers: &["retr", "attempt", "tries", "backoff", "back_off", "back-off", "reconnect", "visibility"],
    read,
};

const ID: &str = "generic";

/// Where a value has to come from, if nothing in the file says so.
const NOTHING: &str = "nothing in the file";

fn read(document: &Document<'_>, file: &File<'_>, facts: &mut Facts) -> bool {
    if foreign::language(document).is_none() {
        table(document.root(), None, file.comments, facts);
    }
    false
}

/// One setting: its key's role, the unit in the key, its value.
#[derive(Clone, Copy)]
struct Entry<'d> {
    role: Role,
    unit: Option<Unit>,
    node: Node<'d>,
}

/// The settings that belong to one policy.
#[derive(Default)]
struct Group<'d> {
    /// What is left of a key when the known name is taken off: `connect` of `connect_retries`.
    prefix: String,
    entries: Vec<Entry<'d>>,
    strong: bool,
}

impl<'d> Group<'d> {
    fn find(&self, role: Role) -> Option<Entry<'d>> {
        self.entries.iter().find(|entry| entry.role == role).copied()
    }

    fn any(&self, roles: &[Role]) -> Option<Entry<'d>> {
        roles.iter().find_map(|role| self.find(*role))
    }

    fn count(&self) -> Option<Entry<'d>> {
        self.entries.iter().find(|entry| matches!(entry.role, Role::Count(_))).copied()
    }

    fn waits(&self) -> Option<Entry<'d>> {
        self.any(&[Role::Initial, Role::Fixed, Role::Backoff, Role::Delays])
    }

    /// A key that names a retry, or a count of attempts beside a wait. A wait with a prefix and without a
    /// count has to speak of retrying itself: others have back-offs of their own.
    fn is_policy(&self) -> bool {
        let speaks = |entry: &Entry<'_>| {
            let name = names::snake(entry.node.key());
            name.contains("retr") || name.contains("reconnect")
        };
        match (self.count(), self.waits()) {
            (Some(_), waits) => self.strong || waits.is_some(),
            (None, Some(_)) => self.strong && (self.prefix.is_empty() || self.entries.iter().any(speaks)),
            (None, None) => false,
        }
    }
}

/// Reads the policies of a table and of those within it. The nesting is bounded by the document.
fn table<'d>(node: Node<'d>, parent: Option<Node<'d>>, comments: &'d [Comment], facts: &mut Facts) {
    if node.kind() == Kind::List {
        return node.items().for_each(|item| table(item, None, comments, facts));
    }
    if node.kind() != Kind::Map || is_schema(node) {
        return;
    }
    let name = names::snake(node.key());
    if name.starts_with("x_") {
        return; // what other values are made of (`x-…`), and none itself
    }
    if names::NOT_RETRIES.contains(&name.as_str())
        || parent.is_none_or(|p| p.parent().is_none()) && names::is_framework(&name)
    {
        return;
    }
    let own = names::is_own_table(&name);
    let before = facts.policies.len();
    let mut merged = None;
    if own {
        let mut group = own_group(node);
        merged = nested_backoff(node, &mut group);
        if group.is_policy() || group.strong {
            push(group, node, Some(node), parent, comments, facts);
        }
    } else {
        for mut group in flat_groups(node) {
            if group.count().is_some() && group.prefix.is_empty() {
                merged = nested_backoff(node, &mut group);
            }
            if group.is_policy() {
                let at = group.count().or_else(|| group.waits()).map_or(node, |entry| entry.node);
                push(group, at, None, Some(node), comments, facts);
            }
        }
    }
    for child in node.entries() {
        if merged.is_none_or(|merged| !child.is(merged)) {
            table(child, Some(node), comments, facts);
        }
    }
    queue(node, before, facts);
}

fn is_schema(node: Node<'_>) -> bool {
    node.get("properties").is_some_and(|inner| inner.kind() == Kind::Map)
        && node.get("type").is_some_and(|kind| kind.text() == Some("object"))
}

/// The settings of a table that is all about retrying.
fn own_group(node: Node<'_>) -> Group<'_> {
    let mut group = Group::default();
    for child in node.entries() {
        if let Some((role, suffix, _)) = names::role(child.key(), Scope::Own) {
            add(&mut group, child, role, suffix);
        }
    }
    let prose = node.entries().any(|child| names::role(child.key(), Scope::Own).is_some() && is_prose(child));
    group.strong = !prose && group.entries.iter().any(|entry| entry.role.is_setting());
    if prose {
        group.entries.clear();
    }
    group
}

/// A `backoff` or `delay` table within a retry table is part of the same policy.
fn nested_backoff<'d>(node: Node<'d>, group: &mut Group<'d>) -> Option<Node<'d>> {
    let inner = node.entries().find(|child| {
        let name = names::snake(child.key());
        child.kind() == Kind::Map
            && matches!(name.as_str(), "backoff" | "back_off" | "backoff_config" | "delay")
    })?;
    let nested = own_group(inner);
    if nested.count().is_some() || nested.entries.is_empty() {
        return None;
    }
    group.entries.retain(|entry| !entry.node.is(inner));
    group.entries.extend(nested.entries);
    group.strong = true;
    Some(inner)
}

/// The policies whose settings stand beside others in a table, by what their keys have in common.
fn flat_groups(node: Node<'_>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut prose = false;
    for child in node.entries() {
        let Some((role, suffix, prefix)) = names::role(child.key(), Scope::Flat) else { continue };
        prose |= role.is_setting() && is_prose(child);
        let group = match groups.iter().position(|group| group.prefix == prefix) {
            Some(at) => &mut groups[at],
            None => {
                groups.push(Group { prefix, ..Group::default() });
                groups.last_mut().expect("one was pushed")
            }
        };
        group.strong |= names::is_strong(child.key()) && child.kind() != Kind::Map;
        add(group, child, role, suffix);
    }
    if prose {
        groups.clear();
    }
    groups
}

fn add<'d>(group: &mut Group<'d>, node: Node<'d>, role: Role, suffix: UnitSuffix) {
    let list = node.kind() == Kind::List;
    let role = match role {
        Role::Backoff if list => Role::Delays,
        Role::Backoff if is_word(node) => Role::Strategy,
        Role::Strategy if !is_word(node) => return,
        _ => role,
    };
    let scalar = !matches!(node.kind(), Kind::Map | Kind::Null);
    if scalar && (list == (role == Role::Delays)) {
        group.entries.push(Entry { role, unit: suffix, node });
    }
}

/// A strategy's word, and not a duration or a number in quotes.
fn is_word(node: Node<'_>) -> bool {
    node.string().is_some_and(|text| names::strategy(text).is_some())
}

/// Words where a number or a time should be, as language files and documentation have them: letters and no
/// digit, or a sentence, and neither a duration, one of the words for a value, nor a placeholder.
fn is_prose(node: Node<'_>) -> bool {
    let Some(text) = node.string() else { return false };
    let sentence = text.trim().contains(' ') || !text.contains(|char: char| char.is_ascii_digit());
    let value = || {
        let lower = text.trim().to_ascii_lowercase();
        let jitter = matches!(lower.as_str(), "full" | "equal" | "half" | "decorrelated" | "true" | "false");
        jitter || names::ENDLESS.contains(&lower.as_str()) || names::strategy(text).is_some()
    };
    let letters = text.contains(char::is_alphabetic);
    letters && sentence && placeholder::read(text).is_none() && notation::any(text).is_err() && !value()
}

/// A count of attempts or retries, as attempts.
struct Attempts {
    counted: Counted,
    reconnect: bool,
}

impl Field for Attempts {
    type Value = u64;

    fn key(&self) -> &'static str {
        ""
    }

    fn absent(&self) -> Bound<u64> {
        Bound::Unknown
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<u64>, Cow<'static, str>> {
        let retries = self.counted != Counted::Attempts && self.counted != Counted::AttemptsAssumed;
        let text = node.text().unwrap_or_default().trim();
        if let Some(on) = node.boolean() {
            return Ok(if on { Bound::Unknown } else { Bound::At(1) });
        }
        if names::ENDLESS.contains(&text.to_ascii_lowercase().as_str()) {
            return Ok(Bound::Unlimited);
        }
        match whole_number(&text.replace('_', "")) {
            Some(-1) => Ok(Bound::Unlimited),
            Some(0) if retries && self.reconnect => Ok(Bound::Unlimited),
            Some(number @ 0..) if retries => {
                Ok(Bound::At(u64::try_from(number).unwrap_or(u64::MAX).saturating_add(1)))
            }
            Some(number @ 1..) => Ok(Bound::At(u64::try_from(number).unwrap_or(u64::MAX))),
            Some(0) => Err("0 attempts are no call at all, and to some \"unlimited\"".into()),
            _ => Err("a whole number, -1 or \"unlimited\" is expected".into()),
        }
    }
}

/// A time in one of the notations that people use; `unit` for numbers without one.
struct Span {
    unit: Option<Unit>,
}

impl Field for Span {
    type Value = Duration;

    fn key(&self) -> &'static str {
        ""
    }

    fn absent(&self) -> Bound<Duration> {
        Bound::Unlimited
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Duration>, Cow<'static, str>> {
        let text = node.text().unwrap_or_default();
        let bare = |number: &str| match self.unit {
            Some(unit) => notation::with_unit(number, unit).map(Bound::At),
            None => Ok(Bound::Unknown),
        };
        match notation::any(text) {
            Ok(notation::Amount::Time(time)) => Ok(Bound::At(time)),
            Ok(notation::Amount::NoLimit) => Ok(Bound::Unlimited),
            Ok(notation::Amount::Bare(number)) => bare(number).map_err(|error| format!("it {error}").into()),
            Err(error) => Err(format!("it {error}").into()),
        }
    }
}

/// A factor.
struct Factor;

impl Field for Factor {
    type Value = Ratio;

    fn key(&self) -> &'static str {
        ""
    }

    fn absent(&self) -> Bound<Ratio> {
        Bound::Unlimited
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Ratio>, Cow<'static, str>> {
        match Ratio::parse(node.text().unwrap_or_default()) {
            Ok(ratio) if ratio > Ratio::ZERO => Ok(Bound::At(ratio)),
            _ => Err("a number over 0 is expected".into()),
        }
    }
}

/// Builds the policy of a group. `own` is its table, where it has one; `around` the table that the times
/// may stand in.
fn push<'d>(
    group: Group<'d>,
    at: Node<'d>,
    own: Option<Node<'d>>,
    around: Option<Node<'d>>,
    comments: &'d [Comment],
    facts: &mut Facts,
) {
    let times = Times::find(&group, own, around);
    let entries: Vec<_> = group.entries.iter().copied().chain(times.entries()).collect();
    let bare = commented_unit(&entries, comments).unwrap_or_else(|| bare_unit(entries.iter()));
    let mut read = Values { reader: Reader::new(UNOWNED), bare, comments };
    let mut attempts = read.attempts(&group, own);
    let backoff = read.backoff(&group, attempts.at());
    if let (Some(delays), None) = (group.find(Role::Delays), group.count()) {
        attempts = Setting::written(delays.node.items().count() as u64 + 1, delays.node.place());
    }
    let attempt_timeout = match unread_timeout(own, around).filter(|_| times.attempt.is_none()) {
        Some(node) => Setting::unknown("it is a mapping", Some(node.place())),
        None => read.time(times.attempt, NOTHING),
    };
    let (deadline, deadline_effect) = match times.deadline {
        Some(entry) => (read.time(Some(entry), NOTHING), DeadlineEffect::Cuts),
        None => (read.time(times.elapsed, NOTHING), DeadlineEffect::Stops),
    };
    let assume = |setting: Setting<Duration>, why: &'static str| match setting.origin {
        Origin::Written(place) => Setting { origin: Origin::Assumed(why.into(), Some(place)), ..setting },
        _ => setting,
    };
    let (attempt_timeout, deadline) = match times.guess {
        Guess::None => (attempt_timeout, deadline),
        Guess::Attempt => (
            assume(attempt_timeout, "a timeout within the retry table is taken for that of one attempt"),
            deadline,
        ),
        Guess::Deadline => (
            attempt_timeout,
            assume(
                deadline,
                "a timeout within the retry table, beside one outside, is taken for the deadline",
            ),
        ),
    };
    let mut policy = Policy {
        attempts,
        backoff,
        attempt_timeout,
        deadline,
        deadline_effect,
        faults: read.reader.faults,
        ..policy(ID, Layer::Client, policy_name(at, own, &group.prefix), at)
    };
    let table = own.or(around);
    policy.repeated = table.map(repeated).unwrap_or_default();
    policy.bare_numbers = entries.iter().filter_map(|entry| bare_number(*entry)).collect();
    if policy.attempts.at() == Some(1) {
        policy.idle = Some(Idle {
            why: "one attempt in all leaves no retry".into(),
            help: "Allow at least 2 attempts, or remove the settings; `enabled = false` says that it is off."
                .into(),
        });
    }
    let switch = group.find(Role::Enabled).map(|entry| entry.node);
    if let Some(off) = switch.filter(|node| node.boolean() == Some(false)) {
        policy.attempts = Setting::written(1, off.place());
        policy.backoff = Backoff::none("switched off");
        policy.faults.clear();
        policy.idle = None;
        policy.repeated.clear();
        policy.bare_numbers.clear();
    }
    facts.policies.push(policy);
}

/// A timeout that is a mapping, as `{ secs = 5, nanos = 0 }`.
fn unread_timeout<'d>(own: Option<Node<'d>>, around: Option<Node<'d>>) -> Option<Node<'d>> {
    own.into_iter().chain(around).flat_map(Node::entries).find(|child| {
        let time = names::role(child.key(), Scope::Flat)
            .is_some_and(|(role, ..)| matches!(role, Role::AttemptTimeout | Role::PlainTimeout));
        time && child.kind() == Kind::Map
    })
}

/// The failures and methods that a table says are repeated.
fn repeated(table: Node<'_>) -> Vec<Repeated> {
    let once = table.entries().any(|child| {
        let name = names::snake(child.key());
        name == "idempotency_key" || name == "idempotent" && child.boolean() == Some(true)
    });
    let lists = table.entries().filter_map(|child| match names::repeated(child.key())? {
        names::Listed::Failures => failures::statuses(child),
        names::Listed::Methods if once => None,
        names::Listed::Methods => failures::methods(child),
    });
    lists.collect()
}

/// A number whose unit its key says.
fn bare_number(entry: Entry<'_>) -> Option<BareNumber> {
    let unit = entry.unit.filter(|_| entry.role.is_duration())?;
    let text = entry.node.text()?;
    let number = match notation::any(text) {
        Ok(notation::Amount::Bare(number)) => number,
        Ok(notation::Amount::Time(time)) if names::unit_in_text(text).is_some_and(|own| own != unit) => {
            return Some(BareNumber {
                place: entry.node.key_place(),
                pointer: entry.node.pointer(),
                written: format!("{}: \"{text}\"", entry.node.key()),
                number: String::new(),
                unit,
                time,
                is_timeout: entry.role.is_time(),
            });
        }
        _ => return None,
    };
    Some(BareNumber {
        place: entry.node.key_place(),
        pointer: entry.node.pointer(),
        written: format!("{}: {number}", entry.node.key()),
        number: number.to_string(),
        unit,
        time: notation::with_unit(number, unit).ok()?,
        is_timeout: entry.role.is_time(),
    })
}

/// The names on the way to a policy, without those that only say "retry".
fn policy_name(at: Node<'_>, own: Option<Node<'_>>, prefix: &str) -> String {
    let mut parts = Vec::new();
    let mut node = if own.is_some() { Some(at) } else { at.parent() };
    while let Some(inner) = node {
        if !inner.key().is_empty() && !names::is_own_table(&names::snake(inner.key())) {
            parts.push(inner.key());
        }
        node = inner.parent();
    }
    parts.reverse();
    if !prefix.is_empty() {
        parts.push(prefix);
    }
    if parts.is_empty() { at.key().to_string() } else { parts.join(".") }
}

/// What a plain `timeout` within a retry table is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    None,
    Attempt,
    Deadline,
}

/// The times of a policy, in its own table or the one around it.
struct Times<'d> {
    attempt: Option<Entry<'d>>,
    deadline: Option<Entry<'d>>,
    elapsed: Option<Entry<'d>>,
    guess: Guess,
}

impl<'d> Times<'d> {
    fn find(group: &Group<'d>, own: Option<Node<'d>>, around: Option<Node<'d>>) -> Self {
        let outer = around.filter(|_| own.is_some()).map(times_of).unwrap_or_default();
        let either =
            |role| group.find(role).or_else(|| outer.iter().find(|entry| entry.role == role).copied());
        let clear = either(Role::AttemptTimeout);
        let plain_outside = outer.iter().find(|entry| entry.role == Role::PlainTimeout).copied();
        let plain_within = group.find(Role::PlainTimeout);
        let mut times = Self {
            attempt: clear,
            deadline: either(Role::Deadline),
            elapsed: either(Role::Elapsed),
            guess: Guess::None,
        };
        match (plain_within, clear.or(plain_outside)) {
            (Some(within), Some(outside)) if own.is_some() => {
                times.attempt = Some(outside);
                if times.deadline.is_none() && group.find(Role::AttemptTimeout).is_none() {
                    times.deadline = Some(within);
                    times.guess = Guess::Deadline;
                }
            }
            (Some(within), None) => {
                times.attempt = Some(within);
                times.guess = if own.is_some() { Guess::Attempt } else { Guess::None };
            }
            (_, found) => times.attempt = found,
        }
        if let (None, None, false, Some(table)) = (times.attempt, own, group.prefix.is_empty(), around) {
            times.attempt = timeout_beside(table, &group.prefix);
        }
        times
    }

    fn entries(&self) -> Vec<Entry<'d>> {
        [self.attempt, self.deadline, self.elapsed].into_iter().flatten().collect()
    }
}

/// The timeout for a prefix: with the same one, else one for every attempt.
fn timeout_beside<'d>(table: Node<'d>, prefix: &str) -> Option<Entry<'d>> {
    let own = format!("{prefix}_timeout");
    let scalar = |node: Node<'_>| !matches!(node.kind(), Kind::Map | Kind::List | Kind::Null);
    let exact = table.entries().filter(|child| scalar(*child)).find_map(|node| {
        let (stem, unit) = names::stem(node.key());
        (stem == own).then_some(Entry { role: Role::AttemptTimeout, unit, node })
    });
    let shared = ["timeout", "request_timeout", "attempt_timeout", "per_attempt_timeout", "per_try_timeout"];
    exact.or_else(|| {
        let mut entries = times_of(table).into_iter();
        entries.find(|entry| {
            let (stem, _) = names::stem(entry.node.key());
            shared.contains(&stem.as_str())
        })
    })
}

/// The times in the table around a retry table; those of a server are how long it waits for its callers.
fn times_of(node: Node<'_>) -> Vec<Entry<'_>> {
    let keys: Vec<_> = node.entries().map(|child| names::snake(child.key())).collect();
    if keys.iter().any(|key| matches!(key.as_str(), "listen" | "bind" | "port" | "listen_address")) {
        return Vec::new();
    }
    let mut group = Group::default();
    for child in node.entries() {
        if let Some((role, suffix, prefix)) = names::role(child.key(), Scope::Flat)
            && role.is_time()
            && prefix.is_empty()
        {
            add(&mut group, child, role, suffix);
        }
    }
    group.entries
}

/// The unit of the numbers that have none: that which makes all of them plausible.
fn bare_unit<'a, 'd: 'a>(entries: impl Iterator<Item = &'a Entry<'d>>) -> Bare {
    let mut unit = Bare(Unit::Seconds, Some("bare numbers, all under 1000, are taken as seconds"));
    for entry in entries.filter(|entry| entry.unit.is_none() && entry.role.is_duration()) {
        let list: Vec<_> = entry.node.items().collect();
        for node in if list.is_empty() { vec![entry.node] } else { list } {
            let Some(Ok(notation::Amount::Bare(number))) = node.text().map(notation::any) else { continue };
            if number.contains('.') {
                return Bare(
                    Unit::Seconds,
                    Some("bare numbers, one of them with a fraction, are taken as seconds"),
                );
            }
            if whole_number(number).is_some_and(|number| number >= 1000) {
                unit = Bare(
                    Unit::Millis,
                    Some("bare numbers, one of them 1000 or more, are taken as milliseconds"),
                );
            }
        }
    }
    unit
}

/// The unit of numbers that have none, and the guess that it rests on, if it is one.
#[derive(Clone, Copy)]
struct Bare(Unit, Option<&'static str>);

/// The unit that a comment behind one of the values names; it holds for all of them.
fn commented_unit(entries: &[Entry<'_>], comments: &[Comment]) -> Option<Bare> {
    let lines = || entries.iter().filter(|entry| entry.unit.is_none() && entry.role.is_duration());
    let unit = lines().find_map(|entry| unit_behind(entry.node, comments))?;
    // unless that would make hours of what others mean as milliseconds
    let thousands = |entry: &&Entry<'_>| {
        let number = entry.node.text().and_then(whole_number);
        number.is_some_and(|number| number >= 1000) && unit_behind(entry.node, comments).is_none()
    };
    let apart = unit == Unit::Seconds && lines().any(|entry| thousands(&entry));
    (!apart).then_some(Bare(unit, None))
}

/// The unit that the next comment on the line of a value names, or the one before it.
fn unit_behind(node: Node<'_>, comments: &[Comment]) -> Option<Unit> {
    let place = node.place();
    let next = comments.partition_point(|comment| comment.place.start < place.start);
    let mut near = [Some(next), next.checked_sub(1)].into_iter().flatten().filter_map(|at| comments.get(at));
    let beside = near.find(|comment| comment.place.line == place.line && !comment.own_line)?;
    names::unit_in_words(&beside.text)
}

/// Reads the values of one policy.
struct Values<'d> {
    reader: Reader<'d, 'd>,
    bare: Bare,
    comments: &'d [Comment],
}

impl<'d> Values<'d> {
    fn attempts(&mut self, group: &Group<'d>, own: Option<Node<'d>>) -> Setting<u64> {
        let counts = || group.entries.iter().filter(|entry| matches!(entry.role, Role::Count(_)));
        let exact = group.find(Role::Count(Counted::Attempts));
        let Some(entry) = exact.or_else(|| group.count()) else {
            return Setting::unknown("no count is written", None);
        };
        let Role::Count(counted) = entry.role else { return Setting::unknown("no count is written", None) };
        let table = own.map(|node| names::snake(node.key())).unwrap_or_default();
        let reconnect = table.contains("reconnect")
            || table.contains("connection")
            || names::snake(entry.node.key()).contains("reconnect");
        let mut setting = self.reader.value(entry.node, &Attempts { counted, reconnect });
        let why = match counted {
            Counted::RetriesAssumed => Some("it is taken to count retries, the larger reading"),
            Counted::AttemptsAssumed => Some("it is taken to count attempts"),
            _ if reconnect && setting.is_unlimited() && entry.node.text() == Some("0") => {
                Some("0 reconnects are taken as no limit")
            }
            _ => None,
        };
        if let (Origin::Written(place), Some(why)) = (&setting.origin, why) {
            setting.origin = Origin::Assumed(why.into(), Some(*place));
        }
        for other in counts().filter(|other| !other.node.is(entry.node)) {
            let Role::Count(counted) = other.role else { continue };
            let theirs = self.reader.value(other.node, &Attempts { counted, reconnect });
            if let (Some(a), Some(b)) = (setting.at(), theirs.at())
                && a != b
            {
                let key = entry.node.key();
                self.reader.replace(
                    other.node,
                    format!("it says {b} attempts where {key} says {a}, and one of them is not read"),
                );
            }
        }
        setting
    }

    fn time(&mut self, entry: Option<Entry<'d>>, whose: &'static str) -> Setting<Duration> {
        let Some(entry) = entry else { return Setting::unlimited(whose) };
        self.span(entry.node, entry.unit)
    }

    fn span(&mut self, node: Node<'d>, suffix: UnitSuffix) -> Setting<Duration> {
        let suffix = suffix.or_else(|| unit_behind(node, self.comments));
        let mut setting = self.reader.value(node, &Span { unit: Some(suffix.unwrap_or(self.bare.0)) });
        let bare = matches!(node.text().map(notation::any), Some(Ok(notation::Amount::Bare(number))) if number != "0");
        if let (Origin::Written(place), true, None, Some(guess)) =
            (&setting.origin, bare, suffix, self.bare.1)
        {
            setting.origin = Origin::Assumed(guess.into(), Some(*place));
        }
        setting
    }

    fn backoff(&mut self, group: &Group<'d>, attempts: Option<u64>) -> Backoff {
        let strategy = group.find(Role::Strategy).and_then(|entry| names::strategy(entry.node.text()?));
        let multiplier = group.find(Role::Multiplier).map(|entry| self.reader.value(entry.node, &Factor));
        let cap = self.time(group.find(Role::Cap), NOTHING);
        let jitter = match group.find(Role::Jitter) {
            Some(entry) => self.jitter(entry),
            None if strategy == Some(names::Strategy::Jittered) => Setting::new(
                Bound::At(FULL),
                Origin::Assumed("\"jittered\" is taken as full jitter".into(), None),
            ),
            None => Setting::default(Jitter::None, NOTHING),
        };
        let mut backoff = Backoff {
            cap,
            cap_applies: CapApplies::BeforeJitter,
            jitter,
            can_jitter: true,
            ..Backoff::none(NOTHING)
        };
        if let Some(delays) = group.find(Role::Delays) {
            let waits: Vec<_> = delays.node.items().map(|item| self.span(item, delays.unit)).collect();
            let known: Option<Vec<_>> = waits.iter().map(Setting::at).collect();
            backoff.growth = known.map_or(Growth::Unknown, Growth::List);
            backoff.initial = waits
                .into_iter()
                .next()
                .unwrap_or_else(|| Setting::unknown("the list of waits is empty", Some(delays.node.place())));
            return backoff;
        }
        if strategy == Some(names::Strategy::None) {
            return backoff;
        }
        let (entry, growing) = match group.any(&[Role::Initial, Role::Fixed, Role::Backoff]) {
            Some(entry) => (entry, entry.role == Role::Initial),
            None if attempts == Some(1) => return backoff,
            None => return Backoff { jitter: backoff.jitter, ..Backoff::unknown("no wait is written") },
        };
        backoff.initial = self.span(entry.node, entry.unit);
        let ambiguous = entry.role == Role::Backoff;
        let ceiling = group.find(Role::Cap).is_some();
        use names::Strategy;
        backoff.growth = match (strategy, &multiplier) {
            (Some(Strategy::Constant), _) => Growth::Constant,
            (Some(Strategy::Linear), _) => Growth::Linear,
            (Some(Strategy::Fibonacci), _) => Growth::Fibonacci,
            (Some(_), _) | (None, Some(_)) => Growth::Exponential,
            (None, None) if growing || ambiguous && ceiling => Growth::Exponential,
            (None, None) => Growth::Constant,
        };
        backoff.multiplier = multiplier.unwrap_or_else(|| match backoff.growth {
            Growth::Exponential => {
                let why = "without a multiplier the wait is taken to double";
                Setting::new(Bound::At(Ratio::new(2, 1)), Origin::Assumed(why.into(), None))
            }
            Growth::Constant if ambiguous && strategy.is_none() => {
                let why = "without a multiplier or a ceiling the wait is taken to stay the same";
                Setting::new(Bound::At(Ratio::ONE), Origin::Assumed(why.into(), None))
            }
            _ => Setting::default(Ratio::ONE, NOTHING),
        });
        if backoff.multiplier.is_unknown() && backoff.growth == Growth::Exponential {
            backoff.growth = Growth::Unknown;
        }
        backoff
    }

    fn jitter(&mut self, entry: Entry<'d>) -> Setting<Jitter> {
        let node = entry.node;
        let place = node.place();
        let text = node.text().unwrap_or_default().to_ascii_lowercase();
        let words = match (node.boolean(), text.as_str()) {
            (Some(true), _) => {
                let why = "jitter: true is taken as full jitter";
                return Setting::new(Bound::At(FULL), Origin::Assumed(why.into(), Some(place)));
            }
            (Some(false), _) | (None, "none" | "off") => Some(Jitter::None),
            (None, "full") => Some(FULL),
            (None, "equal" | "half") => Some(Jitter::Equal),
            (None, "decorrelated") => Some(Jitter::Decorrelated),
            _ => None,
        };
        if let Some(jitter) = words {
            return Setting::written(jitter, place);
        }
        let percent = names::snake(node.key()).ends_with("percent");
        let ratio = Ratio::parse(&text).ok().filter(|_| entry.unit.is_none());
        match ratio {
            Some(ratio) if percent => {
                let part = Ratio::new(ratio.numerator(), ratio.denominator().saturating_mul(100));
                Setting::written(Jitter::Factor { below: part.min(Ratio::ONE), above: part }, place)
            }
            Some(Ratio::ZERO) => Setting::written(Jitter::None, place),
            Some(ratio) if ratio <= Ratio::ONE => {
                Setting::written(Jitter::Factor { below: ratio, above: ratio }, place)
            }
            Some(_) if self.bare.0 != Unit::Millis => {
                self.reader.replace(node, "no wait can be scattered by more than itself: a part from 0 to 1 or a duration is expected");
                Setting::unknown("its value is no jitter", Some(place))
            }
            _ => self.span(node, entry.unit).map(|span| Jitter::Added { span }),
        }
    }
}

const FULL: Jitter = Jitter::Full { least: Duration::ZERO };

/// The queue that a table is: one with a time that hides a received message. Its handler is the policy of
/// the same table, from `before` on.
fn queue(node: Node<'_>, before: usize, facts: &mut Facts) {
    let entry = |names: &[&str]| {
        node.entries().find_map(|child| {
            let (stem, unit) = names::stem(child.key());
            let scalar = !matches!(child.kind(), Kind::Map | Kind::List | Kind::Null);
            (scalar && names.contains(&stem.as_str())).then_some((child, unit))
        })
    };
    let Some((window, unit)) = entry(&["visibility_timeout", "ack_wait", "ack_deadline", "lease_duration"])
    else {
        return;
    };
    let mut read = Values {
        reader: Reader::new(UNOWNED),
        bare: Bare(Unit::Seconds, Some("a bare number is taken as seconds")),
        comments: &[],
    };
    let receives = entry(&["max_receive_count", "max_deliver", "max_deliveries"]);
    let retention = entry(&["retention", "retention_period", "message_retention"]);
    let handlers = facts.policies[before..].iter().map(|policy| {
        let worst = schedule::schedule(policy).worst_case;
        Handler {
            name: policy.name.clone(),
            place: policy.place,
            run: Setting::new(worst, policy.attempt_timeout.origin.clone()),
            attempts: policy.attempts.at().unwrap_or(1),
            gathering: Setting::default(Duration::ZERO, NOTHING),
            advice: None,
        }
    });
    let handlers: Vec<_> = handlers.collect();
    let letters = entry(&["dead_letter_queue", "dead_letter", "dlq", "dead_letter_topic"]);
    let around: Vec<_> = std::iter::successors(Some(node), |node| node.parent())
        .take(2)
        .map(|node| names::snake(node.key()))
        .collect();
    let named = around
        .iter()
        .any(|name| ["queue", "consumer", "subscription"].iter().any(|word| name.contains(word)));
    if receives.is_none() && letters.is_none() && handlers.is_empty() && !named {
        return; // a word alone is no queue: things become visible elsewhere, too
    }
    facts.queues.push(Queue {
        name: node.key().to_string(),
        dialect: ID,
        place: node.key_place(),
        pointer: node.pointer(),
        window_key: "visibility timeout",
        window: read.span(window, unit),
        receives: match receives {
            Some((count, _)) => {
                read.reader.value(count, &Attempts { counted: Counted::Attempts, reconnect: false })
            }
            None => Setting::unlimited(NOTHING),
        },
        retention: read
            .time(retention.map(|(node, unit)| Entry { role: Role::Elapsed, unit, node }), NOTHING),
        // a number of receives is there for what comes after them, wherever that is set
        dead_letters: letters.is_some() || receives.is_some(),
        is_dead_letter_queue: false,
        handlers,
        faults: read.reader.faults,
    });
}
