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
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Facts, Growth, Handler, Idle, Jitter, Layer,
    Origin, Policy, Queue, Ratio, Repeated, Setting,
};
use crate::schedule;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

mod beside;
mod called;
mod libraries;
mod names;
pub mod own;
mod units;

use beside::{Beside, ELSEWHERE, Vague};
use libraries::Library;
use names::{Counted, Meaning, Role, Scope, UnitSuffix};
use units::Bare;

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
    /// Its key says so only beside others.
    plain: bool,
    node: Node<'d>,
}

/// The settings that belong to one policy.
#[derive(Default)]
struct Group<'d> {
    /// What is left of a key when the known name is taken off: `connect` of `connect_retries`.
    prefix: String,
    entries: Vec<Entry<'d>>,
    /// Its settings are options of this one.
    library: Option<&'static Library>,
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

    /// The count that holds: one of attempts where it says both.
    fn counted(&self) -> Option<Entry<'d>> {
        self.find(Role::Count(Counted::Attempts)).or_else(|| self.count())
    }

    fn waits(&self) -> Option<Entry<'d>> {
        self.any(&[Role::Initial, Role::Fixed, Role::Backoff, Role::Delays])
    }

    /// Takes the settings of another one.
    fn take(&mut self, other: &Group<'d>) {
        self.entries.extend(&other.entries);
        self.library = self.library.or(other.library);
        self.strong |= other.strong;
    }

    /// What says that it is switched off: its switch, or no retries. No reconnects may be any number.
    fn off(&self, site: Site<'d, '_>) -> Option<Node<'d>> {
        let switches = |role, value| self.find(role).filter(|entry| flag(entry.node) == Some(value));
        let none = |entry: &Entry<'d>| match entry.role {
            Role::Count(counted) => is_no_retry(entry.node, counted) && !site.reconnects(*entry),
            _ => false,
        };
        let off = switches(Role::Enabled, false).or_else(|| switches(Role::Disabled, true));
        off.or_else(|| self.counted().filter(none)).map(|entry| entry.node)
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
    outer: OnceCell<Vague<'d>>,
}

impl<'d, 't> Table<'d, 't> {
    fn new(node: Node<'d>, around: Option<&'t Table<'d, 't>>) -> Self {
        let listed = around.is_some_and(|around| around.node.kind() == Kind::List);
        let own_name = listed.then(|| own_name(node)).flatten();
        Self { node, around, own_name, beside: OnceCell::new(), outer: OnceCell::new() }
    }

    fn beside(&self) -> &Beside<'d> {
        self.beside.get_or_init(|| Beside::of(self.node))
    }

    /// Times that stand further out than this table, or in it.
    fn may_bound(&self) -> Vague<'d> {
        *self.outer.get_or_init(|| {
            let around = self.around.map(Table::may_bound).unwrap_or_default();
            // the timeout of one thing there is none of another here
            let whole = self.beside().may_bound.whole;
            Vague { attempt: whole, whole }.or(self.beside().others(None, ELSEWHERE)).or(around)
        })
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

fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.kind(), Kind::Map | Kind::List | Kind::Null)
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
    /// Whether a count is one of reconnects.
    fn reconnects(self, count: Entry<'d>) -> bool {
        let table = if self.own { names::snake(self.at.key()) } else { String::new() };
        let says = |name: &str| name.contains("reconnect");
        says(&table) || table.contains("connection") || says(&names::snake(count.node.key()))
    }

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
    let mut group = Group { library: Library::of(node), ..Group::default() };
    let mut words = Words::default();
    for child in node.entries() {
        if let Some(meaning) = meaning(child, Scope::Own, group.library) {
            words.note(child, meaning.role);
            add(&mut group, child, meaning);
        }
    }
    group.strong = !words.are_prose() && group.entries.iter().any(|entry| entry.role.is_setting());
    if words.are_prose() {
        group.entries.clear();
    }
    group
}

/// What a key means, in its library first. The unit of an option is that of numbers alone.
fn meaning(node: Node<'_>, scope: Scope, library: Option<&Library>) -> Option<Meaning> {
    match library.and_then(|library| library.meaning(node.key())) {
        Some((role, unit)) => {
            let bare = matches!(node.text().map(notation::any), Some(Ok(notation::Amount::Bare(_))));
            Some(Meaning { role, unit: unit.filter(|_| bare), prefix: String::new(), plain: false })
        }
        None => names::meaning(node.key(), scope),
    }
}

/// Whether a table holds texts under the names of settings, as language files and documentation have them.
#[derive(Default)]
struct Words {
    prose: bool,
    value: bool,
}

impl Words {
    fn note(&mut self, node: Node<'_>, role: Role) {
        self.prose |= is_prose(node);
        self.value |= (role.is_setting() || role == Role::Cap) && is_value(node);
    }

    /// One that has a number or a duration as well is a table of settings, with a word among them.
    fn are_prose(&self) -> bool {
        self.prose && !self.value
    }
}

/// A number that is no text, or a time with its unit.
fn is_value(node: Node<'_>) -> bool {
    match node.text().map(notation::any) {
        Some(Ok(notation::Amount::Bare(_))) => node.string().is_none(),
        Some(Ok(notation::Amount::Time(_))) => true,
        _ => false,
    }
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
    let mut words = Words::default();
    let mut recorded = false;
    let library = Library::of(node);
    for child in node.entries() {
        let Some(meaning) = meaning(child, Scope::Flat, library) else { continue };
        if meaning.role.is_setting() {
            words.note(child, meaning.role);
        }
        recorded |= meaning.role.is_time() && is_recorded(child);
        let at = *known.entry(meaning.prefix.clone()).or_insert_with_key(|prefix| {
            let library = library.filter(|_| prefix.is_empty());
            groups.push(Group { prefix: prefix.clone(), library, ..Group::default() });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.strong |= names::is_strong(child.key()) && child.kind() != Kind::Map;
        add(group, child, meaning);
    }
    if words.are_prose() || recorded {
        groups.clear();
    }
    groups.iter_mut().for_each(drop_plain);
    share(&mut groups);
    // gossip libraries join their ring by a count of their own, and nobody's call is behind it
    groups.retain(|group| group.waits().is_some() || !group.prefix.ends_with("join"));
    groups
}

/// A plain name counts beside a wait, and where no clearer one stands for the same.
fn drop_plain(group: &mut Group<'_>) {
    let mut clear = Vec::new();
    for entry in group.entries.iter().filter(|entry| !entry.plain) {
        if !clear.contains(&entry.role) {
            clear.push(entry.role);
        }
    }
    let waits = group.waits().is_some();
    group.entries.retain(|entry| !entry.plain || waits && !clear.contains(&entry.role));
}

/// The waits and the count of one policy may differ in their prefix: waits without one hold for every count
/// that has none of its own, and a count without one for the only waits.
fn share(groups: &mut Vec<Group<'_>>) {
    let Some(base) = groups.iter().position(|group| group.prefix.is_empty()) else { return };
    let counted = |group: &Group<'_>| group.count().is_some();
    let waits = |group: &Group<'_>| group.waits().is_some();
    if waits(&groups[base]) && !counted(&groups[base]) {
        if groups.iter().any(|group| counted(group) && !waits(group)) {
            let shared = groups.remove(base);
            groups
                .iter_mut()
                .filter(|group| counted(group) && !waits(group))
                .for_each(|group| group.take(&shared));
        }
    } else if counted(&groups[base]) && !waits(&groups[base]) {
        let lone = |group: &Group<'_>| waits(group) && !counted(group);
        let mut others = (0..groups.len()).filter(|at| lone(&groups[*at]));
        if let (Some(only), None) = (others.next(), others.next())
            && (groups[base].strong || groups[only].prefix.ends_with("reconnect"))
        {
            let taken = std::mem::take(&mut groups[only]);
            groups[base].take(&taken);
            groups.remove(only);
        }
    }
}

fn add<'d>(group: &mut Group<'d>, node: Node<'d>, meaning: Meaning) {
    let list = node.kind() == Kind::List;
    let timed = || matches!(node.text().map(notation::any), Some(Ok(notation::Amount::Time(_))));
    let role = match meaning.role {
        Role::Backoff | Role::Initial | Role::Fixed if list => Role::Delays,
        Role::Backoff if is_word(node) => Role::Strategy,
        Role::Strategy if !is_word(node) => return,
        // `retry_max: 10s`
        Role::Count(Counted::Retries) if names::snake(node.key()) == "retry_max" && timed() => Role::Cap,
        Role::Enabled | Role::Disabled | Role::Exponential | Role::Forever if flag(node).is_none() => return,
        role => role,
    };
    if (is_scalar(node) || list) && (list == (role == Role::Delays)) {
        group.entries.push(Entry { role, unit: meaning.unit, plain: meaning.plain, node });
    }
}

/// `true` or `false`, in quotes or not.
fn flag(node: Node<'_>) -> Option<bool> {
    node.boolean().or_else(|| node.text()?.trim().to_ascii_lowercase().parse().ok())
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
        let switch = matches!(lower.as_str(), "true" | "false");
        let known = names::ENDLESS.contains(&lower.as_str()) || names::NUMBER_WORDS.contains(&lower.as_str());
        switch || known || scatter(&lower).is_some() || names::strategy(text).is_some()
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
        let text = node.text().unwrap_or_default().trim();
        if let Some(on) = node.boolean() {
            return Ok(if on { Bound::Unknown } else { Bound::At(1) });
        }
        count(text, self.counted.is_of_retries())
    }
}

/// A count as text, as attempts; the error says what is expected.
fn count(text: &str, retries: bool) -> Result<Bound<u64>, Cow<'static, str>> {
    if names::ENDLESS.contains(&text.to_ascii_lowercase().as_str()) {
        return Ok(Bound::Unlimited);
    }
    match whole_number(&text.replace('_', "")) {
        Some(-1) => Ok(Bound::Unlimited),
        Some(0) if !retries => Err("0 attempts are no call at all, and to some \"unlimited\"".into()),
        Some(number @ 0..) => match u64::try_from(number) {
            // the largest of counters, which no one lives to see the end of
            Ok(u64::MAX) => Ok(Bound::Unlimited),
            Ok(number) => Ok(Bound::At(number + u64::from(retries))),
            Err(_) => Err("no counter goes so far; \"unlimited\" is written -1 or as a word".into()),
        },
        _ => Err("a whole number, -1 or \"unlimited\" is expected".into()),
    }
}

/// `retries: 0` or `retries: false`: the first attempt only, as meant.
fn is_no_retry(node: Node<'_>, counted: Counted) -> bool {
    let none = || node.text().and_then(whole_number) == Some(0);
    flag(node) == Some(false) || counted.is_of_retries() && none()
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
    let bare = Bare::of(&entries, comments);
    let mut read = Values { reader: Reader::new(UNOWNED), bare, comments };
    let mut attempts = read.attempts(&group, site);
    let backoff = read.backoff(&group, attempts.at());
    if let (Some(delays), None) = (group.find(Role::Delays), group.count()) {
        attempts = Setting::written(delays.node.items().count() as u64 + 1, delays.node.place());
    }
    let vague = Vague::of(&group, site, &times);
    let unknown = |(node, why): (Node<'d>, &'static str)| {
        Setting::unknown(format!("{}: {why}", node.key()), Some(node.place()))
    };
    let attempt_timeout = match vague.attempt.filter(|_| times.attempt.is_none()) {
        Some(vague) => unknown(vague),
        None => read.limit(times.attempt, None),
    };
    let attempt_timeout = match times.attempt {
        Some(entry) if names::ASSUMED_OF_AN_ATTEMPT.contains(&names::stem(entry.node.key()).0.as_str()) => {
            assume(attempt_timeout, "it is taken to bound one attempt, and not all of them")
        }
        _ => attempt_timeout,
    };
    let (deadline, deadline_effect) = match (times.deadline, times.elapsed, vague.whole) {
        (Some(entry), ..) => (read.limit(Some(entry), None), DeadlineEffect::Cuts),
        (None, None, Some(vague)) => (unknown(vague), DeadlineEffect::Stops),
        (None, elapsed, _) => (read.limit(elapsed, group.library), DeadlineEffect::Stops),
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
    policy.bare_numbers = entries.iter().filter_map(|entry| units::in_key(*entry)).collect();
    if let (Bare::Apart(odd, other), true) = (bare, site.own || group.strong) {
        policy.bare_numbers.push(units::apart(odd, other));
    }
    idle(&mut policy, group.off(site));
    facts.policies.push(policy);
}

/// The same setting, which rests on a guess.
fn assume<T>(setting: Setting<T>, why: &'static str) -> Setting<T> {
    match setting.origin {
        Origin::Written(place) => Setting { origin: Origin::Assumed(why.into(), Some(place)), ..setting },
        _ => setting,
    }
}

/// Says why a policy of one attempt never retries, unless something in the file switches it off.
fn idle(policy: &mut Policy, off: Option<Node<'_>>) {
    if policy.attempts.at() == Some(1) {
        policy.idle = Some(Idle {
            why: "one attempt in all leaves no retry".into(),
            help: "Allow at least 2 attempts, or remove the settings; `enabled = false` says that it is off."
                .into(),
        });
    }
    if let Some(off) = off {
        policy.attempts = Setting::written(1, off.place());
        policy.backoff = Backoff::none("switched off");
        policy.faults.clear();
        policy.idle = None;
        policy.repeated.clear();
        policy.bare_numbers.clear();
    }
}

impl<'d> Vague<'d> {
    /// The times that may hold for a policy: in its own table and beside it, and further out as far as nothing
    /// nearer does.
    fn of(group: &Group<'d>, site: Site<'d, '_>, times: &Times<'d>) -> Self {
        let near = site.around().unwrap_or(site.table);
        let beside = near.beside();
        let mut vague = site.table.beside().may_bound.or(beside.may_bound);
        if !group.prefix.is_empty() {
            vague =
                vague.or(beside.others(times.attempt, "it may be for all of its table, or for others of it"));
        }
        let out = beside.within.or(near.around.map(Table::may_bound).unwrap_or_default());
        let known = times.attempt.is_some() || vague.attempt.is_some();
        vague.or(Self { whole: out.whole.filter(|_| !known), ..out })
    }
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
        let shares = site.own || group.prefix.is_empty();
        let outer = around.filter(|_| shares).map_or(&[][..], |around| &around.times);
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

/// Reads the values of one policy.
struct Values<'d> {
    reader: Reader<'d, 'd>,
    bare: Bare<'d>,
    comments: &'d [Comment],
}

impl<'d> Values<'d> {
    /// A value, or a word that the service may know as one.
    fn value<F: Field>(&mut self, node: Node<'d>, field: &F) -> Setting<F::Value> {
        if is_prose(node) {
            return Setting::unknown("it is a word of the service's own", Some(node.place()));
        }
        self.reader.value(node, field)
    }

    fn attempts(&mut self, group: &Group<'d>, site: Site<'d, '_>) -> Setting<u64> {
        let counts = || group.entries.iter().filter(|entry| matches!(entry.role, Role::Count(_)));
        let forever = group.find(Role::Forever).filter(|entry| flag(entry.node) == Some(true));
        if let Some(forever) = forever {
            return Setting::new(Bound::Unlimited, Origin::Written(forever.node.place()));
        }
        let Some(entry) = group.counted() else {
            return match group.library {
                Some(library) if library.endless => {
                    let why = format!("{} counts no attempts", library.name);
                    Setting::new(Bound::Unlimited, Origin::Assumed(why.into(), None))
                }
                _ => Setting::unknown("no count is written", None),
            };
        };
        let Role::Count(counted) = entry.role else { return Setting::unknown("no count is written", None) };
        if site.reconnects(entry) && is_no_retry(entry.node, counted) {
            let why = "no reconnects are no limit to some, and none at all to others";
            return Setting::unknown(why, Some(entry.node.place()));
        }
        let mut setting = self.value(entry.node, &Attempts { counted });
        let why = match counted {
            Counted::RetriesAssumed => Some("it is taken to count retries, the larger reading"),
            Counted::AttemptsAssumed => Some("it is taken to count attempts"),
            _ => None,
        };
        if let (Origin::Written(place), Some(why)) = (&setting.origin, why) {
            setting.origin = Origin::Assumed(why.into(), Some(*place));
        }
        for other in counts().filter(|other| !other.node.is(entry.node)) {
            let Role::Count(counted) = other.role else { continue };
            let theirs = self.value(other.node, &Attempts { counted });
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
    fn limit(&mut self, entry: Option<Entry<'d>>, library: Option<&Library>) -> Setting<Duration> {
        let limit = self.time(entry, NOTHING);
        let elapsed = entry.is_some_and(|entry| entry.role == Role::Elapsed);
        match entry.filter(|_| limit.at() == Some(Duration::ZERO)) {
            Some(entry) if elapsed && library.is_some_and(|library| library.endless) => {
                Setting::new(Bound::Unlimited, Origin::Written(entry.node.place()))
            }
            Some(entry) => Setting::unknown(ZERO_LIMIT, Some(entry.node.place())),
            None => limit,
        }
    }

    fn span(&mut self, node: Node<'d>, suffix: UnitSuffix) -> Setting<Duration> {
        let suffix = suffix.or_else(|| units::behind(node, self.comments));
        let bare = match node.text().map(notation::any) {
            Some(Ok(notation::Amount::Bare(number))) => whole_number(number) != Some(0),
            _ => false,
        };
        if !bare || suffix.is_some() {
            return self.value(node, &Span { unit: Some(suffix.unwrap_or(Unit::Seconds)) });
        }
        match self.bare {
            Bare::Unit(unit, guess) => {
                let setting = self.reader.value(node, &Span { unit: Some(unit) });
                guess.map_or(setting.clone(), |guess| assume(setting, guess))
            }
            Bare::Unknown(why) => Setting::unknown(why, Some(node.place())),
            Bare::Apart(..) => {
                let why = "it has no unit, and no unit fits all numbers of the policy";
                Setting::unknown(why, Some(node.place()))
            }
        }
    }

    fn backoff(&mut self, group: &Group<'d>, attempts: Option<u64>) -> Backoff {
        let strategy = group.find(Role::Strategy).and_then(|entry| names::strategy(entry.node.text()?));
        let factors = || group.entries.iter().filter(|entry| entry.role == Role::Multiplier);
        let first = group.any(&[Role::Initial, Role::Fixed]);
        // `initial_sleep` beside `backoff: 1.5`
        let grows_by = group.find(Role::Backoff).filter(|entry| first.is_some() && is_factor(*entry));
        let multiplier = group.find(Role::Multiplier).or(grows_by);
        let multiplier = multiplier.map(|entry| {
            let factor = self.value(entry.node, &Factor);
            if entry.plain {
                assume(factor, "it is taken for the growth of the waits beside it")
            } else {
                factor
            }
        });
        let library = group.library;
        let cap = match (group.find(Role::Cap), library) {
            (None, Some(own)) => own.usual(own.cap),
            (entry, _) => self.limit(entry, library),
        };
        let jitter = match (group.find(Role::Jitter), library) {
            (entry, Some(library)) if library.compounds => {
                let why = "each wait is scattered around the one before it";
                Setting::unknown(why, entry.map(|entry| entry.node.place()))
            }
            (Some(entry), Some(library)) if entry.node.boolean() == Some(true) => {
                Setting::written(library.scattered, entry.node.place())
            }
            (Some(entry), _) => self.jitter(entry),
            (None, Some(own)) => own.usual(own.jitter),
            _ if strategy == Some(names::Strategy::Jittered) => Setting::new(
                Bound::At(FULL),
                Origin::Assumed("\"jittered\" is taken as full jitter".into(), None),
            ),
            _ => Setting::default(Jitter::None, NOTHING),
        };
        let mut backoff = Backoff {
            cap,
            cap_applies: library.map_or(CapApplies::BeforeJitter, |library| library.cap_applies),
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
        if factors().count() > 1 {
            let why = "two factors are written, and one of them is no growth";
            return Backoff { jitter: backoff.jitter, ..Backoff::unknown(why) };
        }
        let entry = group.any(&[Role::Initial, Role::Fixed, Role::Backoff]);
        backoff.initial = match (entry, library) {
            (Some(entry), _) => self.span(entry.node, entry.unit),
            (None, Some(own)) => own.usual(own.initial),
            (None, None) if attempts == Some(1) => return backoff,
            (None, None) => {
                return Backoff { jitter: backoff.jitter, ..Backoff::unknown("no wait is written") };
            }
        };
        let says = |role| entry.is_some_and(|entry| entry.role == role);
        let multiplied = group.find(Role::Exponential).and_then(|entry| flag(entry.node));
        let ambiguous = says(Role::Backoff);
        let grows = says(Role::Initial) || library.is_some() || ambiguous && group.find(Role::Cap).is_some();
        use names::Strategy;
        backoff.growth = match (strategy, &multiplier, multiplied) {
            (Some(Strategy::Constant), ..) | (None, _, Some(false)) => Growth::Constant,
            (Some(Strategy::Linear), ..) => Growth::Linear,
            (Some(Strategy::Fibonacci), ..) => Growth::Fibonacci,
            (Some(_), ..) | (None, Some(_), _) | (None, None, Some(true)) => Growth::Exponential,
            (None, None, None) if grows => Growth::Exponential,
            (None, None, None) => Growth::Constant,
        };
        backoff.multiplier = multiplier.unwrap_or_else(|| match (&backoff.growth, library) {
            (Growth::Exponential, Some(own)) => own.usual(Bound::At(own.multiplier)),
            (Growth::Exponential, None) => {
                let why = "without a multiplier the wait is taken to double";
                Setting::new(Bound::At(Ratio::new(2, 1)), Origin::Assumed(why.into(), None))
            }
            (Growth::Constant, _) if ambiguous && strategy.is_none() && multiplied.is_none() => {
                let why = "without a multiplier or a ceiling the wait is taken to stay the same";
                Setting::new(Bound::At(Ratio::ONE), Origin::Assumed(why.into(), None))
            }
            _ => Setting::default(Ratio::ONE, NOTHING),
        });
        if backoff.multiplier.is_unknown() && backoff.growth == Growth::Exponential {
            backoff.growth = Growth::Unknown;
        }
        if library.is_some_and(|library| library.first_at_once) {
            backoff.lead = vec![Duration::ZERO];
            backoff.initial = backoff.initial.map(|factor| factor.times(2));
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
            Some(_) if self.bare.unit() != Some(Unit::Millis) => {
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
        bare: Bare::Unit(Unit::Seconds, Some("a bare number is taken as seconds")),
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
            Some((count, _)) => read.reader.value(count, &Attempts { counted: Counted::Attempts }),
            None => Setting::unlimited(NOTHING),
        },
        retention: read.time(
            retention.map(|(node, unit)| Entry { role: Role::Elapsed, unit, plain: false, node }),
            NOTHING,
        ),
        // a number of receives is there for what comes after them, wherever that is set
        dead_letters: letters.is_some() || receives.is_some(),
        dead_letter_retention: None,
        is_dead_letter_queue: false,
        handlers,
        faults: read.reader.faults,
    });
}
