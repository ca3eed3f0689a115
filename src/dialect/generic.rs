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
    Layer, Origin, Policy, Queue, Ratio, Reference, Repeated, Setting,
};
use crate::schedule;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

mod called;
mod names;
pub mod own;

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

/// What a limit of no time stands for.
const ZERO_LIMIT: &str = "0 is no time to some, and no limit to others";

/// Where a value has to come from, if nothing in the file says so.
const NOTHING: &str = "nothing in the file";

fn read(document: &Document<'_>, file: &File<'_>, facts: &mut Facts) -> bool {
    if foreign::language(document, file.path).is_none() {
        table(document.root(), None, file, facts);
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

/// A table or list on the way to a policy.
struct Table<'d, 't> {
    node: Node<'d>,
    around: Option<&'t Table<'d, 't>>,
    /// What it calls itself, in a list.
    own_name: Option<&'d str>,
    beside: OnceCell<Beside<'d>>,
}

/// What a table says for all of its policies, read once.
#[derive(Default)]
struct Beside<'d> {
    /// The first time of each role.
    times: Vec<Entry<'d>>,
    /// The timeout of every attempt, whatever its prefix.
    shared: Option<Entry<'d>>,
    /// The timeouts with a prefix, by it.
    prefixed: HashMap<String, Entry<'d>>,
    /// A timeout that is a mapping.
    mapped: Option<Node<'d>>,
    /// Where its calls go.
    hosts: Vec<Reference>,
}

impl<'d, 't> Table<'d, 't> {
    fn new(node: Node<'d>, around: Option<&'t Table<'d, 't>>) -> Self {
        let listed = around.is_some_and(|around| around.node.kind() == Kind::List);
        let own_name = listed.then(|| own_name(node)).flatten();
        Self { node, around, own_name, beside: OnceCell::new() }
    }

    fn beside(&self) -> &Beside<'d> {
        self.beside.get_or_init(|| Beside::of(self.node))
    }

    /// The mapping right around it.
    fn parent(&self) -> Option<&'t Self> {
        self.around.filter(|around| around.node.kind() == Kind::Map)
    }

    /// The names on the way to it, without those that only say "retry", and the prefix of a policy's keys.
    /// An item of a list goes by its own name, `services.orders`, and by its number where it has none,
    /// `services[2]`.
    fn name_of(&self, prefix: &str) -> String {
        let mut parts = Vec::new();
        let mut number = String::new();
        for table in std::iter::successors(Some(self), |table| table.around) {
            let key = table.node.key();
            match table.own_name {
                Some(name) => parts.push(name.to_string()),
                None if table.around.is_some_and(|around| around.node.kind() == Kind::List) => {
                    number = format!("[{}]{number}", table.node.position());
                }
                None if number.is_empty() && (key.is_empty() || names::says_retry_only(key)) => {}
                None => parts.push(format!("{key}{}", std::mem::take(&mut number))),
            }
        }
        parts.reverse();
        if !prefix.is_empty() {
            parts.push(prefix.to_string());
        }
        parts.join(".")
    }
}

/// What a policy is called that has a table of its own.
fn name_at(table: Node<'_>) -> String {
    fn follow<'d>(way: &[Node<'d>], around: Option<&Table<'d, '_>>) -> String {
        match way {
            [rest @ .., outermost] => follow(rest, Some(&Table::new(*outermost, around))),
            [] => around.map(|table| table.name_of("")).unwrap_or_default(),
        }
    }
    let way: Vec<_> = std::iter::successors(Some(table), |node| node.parent()).collect();
    let name = follow(&way, None);
    if name.is_empty() { table.key().to_string() } else { name }
}

impl<'d> Beside<'d> {
    fn of(node: Node<'d>) -> Self {
        let mut beside = Self { mapped: mapped_timeout(node), hosts: called::hosts(node), ..Self::default() };
        for child in
            node.entries().filter(|child| !matches!(child.kind(), Kind::Map | Kind::List | Kind::Null))
        {
            let (stem, unit) = names::stem(child.key());
            if let Some(prefix) = stem.strip_suffix("_timeout") {
                let entry = Entry { role: Role::AttemptTimeout, unit, node: child };
                beside.prefixed.entry(prefix.to_string()).or_insert(entry);
            }
        }
        // those of a server are how long it waits for its callers
        if node.entries().any(|child| names::SERVES.contains(&names::snake(child.key()).as_str())) {
            return beside;
        }
        for child in node.entries() {
            let Some((role, unit, prefix)) = names::role(child.key(), Scope::Flat) else { continue };
            if !role.is_time() || !prefix.is_empty() {
                continue;
            }
            let mut group = Group::default();
            add(&mut group, child, role, unit);
            let Some(entry) = group.entries.pop() else { continue };
            let (stem, _) = names::stem(child.key());
            if names::EVERY_ATTEMPT.contains(&stem.as_str()) {
                beside.shared.get_or_insert(entry);
            }
            if beside.times.iter().all(|other| other.role != role) {
                beside.times.push(entry);
            }
        }
        beside
    }
}

/// What an item of a list calls itself, if that is a plain word: no sentence, no path, no token.
fn own_name(item: Node<'_>) -> Option<&str> {
    const LONGEST: usize = 40;
    let rank = |entry: &Node<'_>| names::IDENTIFYING.iter().position(|key| *key == names::snake(entry.key()));
    let named = item.entries().filter(|entry| entry.string().is_some());
    let (_, entry) = named.filter_map(|entry| Some((rank(&entry)?, entry))).min_by_key(|(rank, _)| *rank)?;
    let name = entry.string()?;
    let plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '/' | ':' | ' ');
    let random = |word: &str| {
        let digit = word.contains(|char: char| char.is_ascii_digit());
        word.len() >= 16 && digit && word.contains(char::is_alphabetic)
    };
    let told = name.starts_with(char::is_alphanumeric)
        && name.len() <= LONGEST
        && name.chars().all(plain)
        && !name.split(|char: char| !char.is_alphanumeric()).any(random);
    told.then_some(name)
}

/// Reads the policies of a table and of those within it. The nesting is bounded by the document.
fn table<'d>(node: Node<'d>, around: Option<&Table<'d, '_>>, file: &File<'d>, facts: &mut Facts) {
    let this = Table::new(node, around);
    if node.kind() == Kind::List {
        return node.items().for_each(|item| table(item, Some(&this), file, facts));
    }
    if node.kind() != Kind::Map || is_schema(node) {
        return;
    }
    let name = names::snake(node.key());
    if name.starts_with("x_") {
        return; // what other values are made of (`x-…`), and none itself
    }
    if names::NOT_RETRIES.contains(&name.as_str())
        || this.parent().is_none_or(|parent| parent.node.parent().is_none()) && names::is_framework(&name)
    {
        return;
    }
    let before = facts.policies.len();
    let mut merged = None;
    if file.claimed.contains(&node.number()) {
        // its settings are read by another dialect, those of the tables within may still be generic
    } else if names::is_own_table(&name) {
        let mut group = own_group(node);
        merged = nested_backoff(node, &mut group);
        if group.is_policy() || group.strong {
            let own = Site { at: node, table: &this, own: true };
            push(group, own, repeated(node), file.comments, facts);
        }
    } else {
        // what the table says of failures is told once, not for each prefix
        let mut lists = std::iter::once_with(|| repeated(node)).flatten();
        for mut group in flat_groups(node) {
            if group.count().is_some() && group.prefix.is_empty() {
                merged = nested_backoff(node, &mut group);
            }
            if group.is_policy() {
                let at = group.count().or_else(|| group.waits()).map_or(node, |entry| entry.node);
                let repeated = lists.by_ref().collect();
                push(group, Site { at, table: &this, own: false }, repeated, file.comments, facts);
            }
        }
    }
    for child in node.entries() {
        if merged.is_none_or(|merged| !child.is(merged)) {
            table(child, Some(&this), file, facts);
        }
    }
    queue(node, before, facts);
}

/// Where a policy stands.
#[derive(Clone, Copy)]
struct Site<'d, 't> {
    /// Its table, or the key that stands for it beside others.
    at: Node<'d>,
    /// The table that its settings stand in.
    table: &'t Table<'d, 't>,
    /// The table is all about retrying.
    own: bool,
}

impl<'d, 't> Site<'d, 't> {
    /// The table that times may stand in beside those of the policy itself.
    fn around(self) -> Option<&'t Table<'d, 't>> {
        if self.own { self.table.parent() } else { Some(self.table) }
    }
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
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut prose = false;
    for child in node.entries() {
        let Some((role, suffix, prefix)) = names::role(child.key(), Scope::Flat) else { continue };
        prose |= role.is_setting() && is_prose(child) || role.is_time() && is_recorded(child);
        let at = *known.entry(prefix).or_insert_with_key(|prefix| {
            groups.push(Group { prefix: prefix.clone(), ..Group::default() });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.strong |= names::is_strong(child.key()) && child.kind() != Kind::Map;
        add(group, child, role, suffix);
    }
    if prose {
        groups.clear();
    }
    // gossip libraries join their ring by a count of their own, and nobody's call is behind it
    groups.retain(|group| group.waits().is_some() || !group.prefix.ends_with("join"));
    groups
}

fn add<'d>(group: &mut Group<'d>, node: Node<'d>, role: Role, suffix: UnitSuffix) {
    let list = node.kind() == Kind::List;
    let role = match role {
        Role::Backoff | Role::Initial | Role::Fixed if list => Role::Delays,
        Role::Backoff if is_word(node) => Role::Strategy,
        Role::Strategy if !is_word(node) => return,
        _ => role,
    };
    let scalar = !matches!(node.kind(), Kind::Map | Kind::Null);
    if scalar && (list == (role == Role::Delays)) {
        group.entries.push(Entry { role, unit: suffix, node });
    }
}

/// A bare number that is more likely a growth than a time.
fn is_factor(entry: Entry<'_>) -> bool {
    let number = entry.node.text().filter(|_| entry.unit.is_none()).and_then(|text| Ratio::parse(text).ok());
    number.is_some_and(|number| (Ratio::ONE..=Ratio::new(10, 1)).contains(&number))
}

/// A strategy's word, and not a duration or a number in quotes.
fn is_word(node: Node<'_>) -> bool {
    node.string().is_some_and(|text| names::strategy(text).is_some())
}

/// Words where a number or a time should be, as language files and documentation have them: letters and no
/// digit, or a sentence, and neither a duration, one of the words for a value, nor a placeholder.
fn is_prose(node: Node<'_>) -> bool {
    let Some(text) = node.string() else { return false };
    if is_checksum(text) {
        return true;
    }
    let sentence = text.trim().contains(' ') || !text.contains(|char: char| char.is_ascii_digit());
    let value = || {
        let lower = text.trim().to_ascii_lowercase();
        let jitter = matches!(lower.as_str(), "full" | "equal" | "half" | "decorrelated" | "true" | "false");
        jitter || names::ENDLESS.contains(&lower.as_str()) || names::strategy(text).is_some()
    };
    let letters = text.contains(char::is_alphabetic);
    letters && sentence && placeholder::read(text).is_none() && notation::any(text).is_err() && !value()
}

/// Hexadecimal digits too many for a number that somebody wrote.
fn is_checksum(text: &str) -> bool {
    const SHORTEST: usize = 12;
    text.len() >= SHORTEST
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.contains(|char: char| char.is_ascii_alphabetic())
}

/// A point in time, as what has been recorded has it.
fn is_recorded(node: Node<'_>) -> bool {
    let mut parts = node.text().unwrap_or_default().splitn(3, '-');
    let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(year), Some(month), Some(day)) => {
            digits(year, 4) && digits(month, 2) && day.get(..2).is_some_and(|day| digits(day, 2))
        }
        _ => false,
    }
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
        count(text, retries, self.reconnect)
    }
}

/// A count as text, as attempts; the error says what is expected.
fn count(text: &str, retries: bool, reconnect: bool) -> Result<Bound<u64>, Cow<'static, str>> {
    if names::ENDLESS.contains(&text.to_ascii_lowercase().as_str()) {
        return Ok(Bound::Unlimited);
    }
    match whole_number(&text.replace('_', "")) {
        Some(-1) => Ok(Bound::Unlimited),
        Some(0) if retries && reconnect => Ok(Bound::Unlimited),
        Some(number @ 0..) if retries => {
            Ok(Bound::At(u64::try_from(number).unwrap_or(u64::MAX).saturating_add(1)))
        }
        Some(number @ 1..) => Ok(Bound::At(u64::try_from(number).unwrap_or(u64::MAX))),
        Some(0) => Err("0 attempts are no call at all, and to some \"unlimited\"".into()),
        _ => Err("a whole number, -1 or \"unlimited\" is expected".into()),
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
        span(node.text().unwrap_or_default(), self.unit)
    }
}

/// A time as text; unknown where it has no unit. The error says what is wrong with it.
fn span(text: &str, unit: Option<Unit>) -> Result<Bound<Duration>, Cow<'static, str>> {
    let time = match (notation::any(text), unit) {
        (Ok(notation::Amount::Time(time)), _) => Ok(Bound::At(time)),
        (Ok(notation::Amount::NoLimit), _) => Ok(Bound::Unlimited),
        (Ok(notation::Amount::Bare(_)), None) => Ok(Bound::Unknown),
        (Ok(notation::Amount::Bare(number)), Some(unit)) => notation::with_unit(number, unit).map(Bound::At),
        (Err(error), _) => Err(error),
    };
    time.map_err(|error| format!("it {error}").into())
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
        factor(node.text().unwrap_or_default())
    }
}

fn factor(text: &str) -> Result<Bound<Ratio>, Cow<'static, str>> {
    match Ratio::parse(text) {
        Ok(ratio) if ratio > Ratio::ZERO => Ok(Bound::At(ratio)),
        _ => Err("a number over 0 is expected".into()),
    }
}

/// Builds the policy of a group.
fn push<'d>(
    group: Group<'d>,
    site: Site<'d, '_>,
    repeated: Vec<Repeated>,
    comments: &'d [Comment],
    facts: &mut Facts,
) {
    let times = Times::find(&group, site);
    let entries: Vec<_> = group.entries.iter().copied().chain(times.entries()).collect();
    let bare = commented_unit(&entries, comments).unwrap_or_else(|| bare_unit(entries.iter()));
    let mut read = Values { reader: Reader::new(UNOWNED), bare, comments };
    let mut attempts = read.attempts(&group, site);
    let backoff = read.backoff(&group, attempts.at());
    if let (Some(delays), None) = (group.find(Role::Delays), group.count()) {
        attempts = Setting::written(delays.node.items().count() as u64 + 1, delays.node.place());
    }
    let attempt_timeout = match unread_timeout(site).filter(|_| times.attempt.is_none()) {
        Some(node) => Setting::unknown("it is a mapping", Some(node.place())),
        None => read.limit(times.attempt),
    };
    let (deadline, deadline_effect) = match times.deadline {
        Some(entry) => (read.limit(Some(entry)), DeadlineEffect::Cuts),
        None => (read.limit(times.elapsed), DeadlineEffect::Stops),
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
        Guess::Duration => (
            attempt_timeout,
            assume(deadline, "it is taken for the longest duration of the whole, and not of one wait"),
        ),
        Guess::Deadline => (
            attempt_timeout,
            assume(
                deadline,
                "a timeout within the retry table, beside one outside, is taken for the deadline",
            ),
        ),
    };
    let name = Some(site.table.name_of(&group.prefix)).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| site.at.key().to_string());
    let mut policy = Policy {
        attempts,
        backoff,
        attempt_timeout,
        deadline,
        deadline_effect,
        // elsewhere the same words may mean something else
        faults: if site.own || group.strong { read.reader.faults } else { Vec::new() },
        repeated,
        ..policy(ID, Layer::Client, name, site.at)
    };
    let tables = std::iter::once(site.table).chain(site.around().filter(|_| site.own));
    policy.links.calls = tables.flat_map(|table| table.beside().hosts.iter().cloned()).collect();
    policy.bare_numbers = entries.iter().filter_map(|entry| bare_number(*entry)).collect();
    let switch = group.find(Role::Enabled).map(|entry| entry.node);
    idle(&mut policy, switch);
    facts.policies.push(policy);
}

/// Says why a policy of one attempt never retries, unless it is switched off on purpose.
fn idle(policy: &mut Policy, switch: Option<Node<'_>>) {
    if policy.attempts.at() == Some(1) {
        policy.idle = Some(Idle {
            why: "one attempt in all leaves no retry".into(),
            help: "Allow at least 2 attempts, or remove the settings; `enabled = false` says that it is off."
                .into(),
        });
    }
    if let Some(off) = switch.filter(|node| node.boolean() == Some(false)) {
        policy.attempts = Setting::written(1, off.place());
        policy.backoff = Backoff::none("switched off");
        policy.faults.clear();
        policy.idle = None;
        policy.repeated.clear();
        policy.bare_numbers.clear();
    }
}

/// A timeout that is a mapping, as `{ secs = 5, nanos = 0 }`.
fn unread_timeout<'d>(site: Site<'d, '_>) -> Option<Node<'d>> {
    let within = site.own.then(|| mapped_timeout(site.at)).flatten();
    within.or_else(|| site.around()?.beside().mapped)
}

fn mapped_timeout(table: Node<'_>) -> Option<Node<'_>> {
    table.entries().filter(|child| child.kind() == Kind::Map).find(|child| {
        let role = names::role(child.key(), Scope::Flat).map(|(role, ..)| role);
        matches!(role, Some(Role::AttemptTimeout | Role::PlainTimeout))
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

/// What a plain `timeout` within a retry table is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    None,
    Attempt,
    Deadline,
    Duration,
}

/// The times of a policy, in its own table or the one around it.
struct Times<'d> {
    attempt: Option<Entry<'d>>,
    deadline: Option<Entry<'d>>,
    elapsed: Option<Entry<'d>>,
    guess: Guess,
}

impl<'d> Times<'d> {
    fn find(group: &Group<'d>, site: Site<'d, '_>) -> Self {
        let around = site.around().map(Table::beside);
        let outer = around.filter(|_| site.own).map_or(&[][..], |around| &around.times);
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
            (Some(within), Some(outside)) if site.own => {
                times.attempt = Some(outside);
                if times.deadline.is_none() && group.find(Role::AttemptTimeout).is_none() {
                    times.deadline = Some(within);
                    times.guess = Guess::Deadline;
                }
            }
            (Some(within), None) => {
                times.attempt = Some(within);
                times.guess = if site.own { Guess::Attempt } else { Guess::None };
            }
            (_, found) => times.attempt = found,
        }
        let duration = |entry: Entry<'_>| names::stem(entry.node.key()).0 == "max_duration";
        if site.own && times.deadline.is_some_and(duration) {
            times.guess = Guess::Duration; // the longest wait to some
        }
        if let (None, false, false, Some(around)) = (times.attempt, site.own, group.prefix.is_empty(), around)
        {
            // the timeout of its prefix, else the one for every attempt
            times.attempt = around.prefixed.get(&group.prefix).copied().or(around.shared);
        }
        times
    }

    fn entries(&self) -> Vec<Entry<'d>> {
        [self.attempt, self.deadline, self.elapsed].into_iter().flatten().collect()
    }
}

/// The unit of the numbers that have none: that which makes all of them plausible.
fn bare_unit<'a, 'd: 'a>(entries: impl Iterator<Item = &'a Entry<'d>>) -> Bare {
    const GUESS_NANOS: &str =
        "bare numbers, one of them too long for milliseconds, are taken as nanoseconds, as Go prints them";
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
            if whole_number(number).is_some_and(is_nanos) {
                return Bare(Unit::Nanos, Some(GUESS_NANOS));
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

/// More milliseconds than anybody waits (115 days), or more than eleven days that are no whole hours.
fn is_nanos(number: i128) -> bool {
    const HOUR: i128 = 3_600_000;
    number >= 10_000_000_000 || number >= 1_000_000_000 && number % HOUR != 0
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
    fn attempts(&mut self, group: &Group<'d>, site: Site<'d, '_>) -> Setting<u64> {
        let counts = || group.entries.iter().filter(|entry| matches!(entry.role, Role::Count(_)));
        let exact = group.find(Role::Count(Counted::Attempts));
        let Some(entry) = exact.or_else(|| group.count()) else {
            return Setting::unknown("no count is written", None);
        };
        let Role::Count(counted) = entry.role else { return Setting::unknown("no count is written", None) };
        let table = if site.own { names::snake(site.at.key()) } else { String::new() };
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

    /// A time that bounds something; 0 ends it at once in some services, and never in most.
    fn limit(&mut self, entry: Option<Entry<'d>>) -> Setting<Duration> {
        let limit = self.time(entry, NOTHING);
        match entry.filter(|_| limit.at() == Some(Duration::ZERO)) {
            Some(entry) => Setting::unknown(ZERO_LIMIT, Some(entry.node.place())),
            None => limit,
        }
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
        let factors = || group.entries.iter().filter(|entry| entry.role == Role::Multiplier);
        let first = group.any(&[Role::Initial, Role::Fixed]);
        // `initial_sleep` beside `backoff: 1.5`
        let grows_by = group.find(Role::Backoff).filter(|entry| first.is_some() && is_factor(*entry));
        let multiplier = group.find(Role::Multiplier).or(grows_by);
        let multiplier = multiplier.map(|entry| self.reader.value(entry.node, &Factor));
        let cap = self.limit(group.find(Role::Cap));
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
        if factors().count() > 1 {
            let why = "two factors are written, and one of them is no growth";
            return Backoff { jitter: backoff.jitter, ..Backoff::unknown(why) };
        }
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
        let words = match node.boolean() {
            Some(true) => {
                let why = "jitter: true is taken as full jitter";
                return Setting::new(Bound::At(FULL), Origin::Assumed(why.into(), Some(place)));
            }
            Some(false) => Some(Jitter::None),
            None => scatter(&text),
        };
        if let Some(jitter) = words {
            return Setting::written(jitter, place);
        }
        let number = text.strip_suffix('%').map(str::trim_end);
        let percent = number.is_some() || names::snake(node.key()).ends_with("percent");
        let ratio = Ratio::parse(number.unwrap_or(&text)).ok().filter(|_| entry.unit.is_none());
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

/// The jitter that a word in lower case stands for.
fn scatter(word: &str) -> Option<Jitter> {
    Some(match word {
        "none" | "off" => Jitter::None,
        "full" => FULL,
        "equal" | "half" => Jitter::Equal,
        "decorrelated" => Jitter::Decorrelated,
        _ => return None,
    })
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
        dead_letter_retention: None,
        is_dead_letter_queue: false,
        handlers,
        faults: read.reader.faults,
    });
}
