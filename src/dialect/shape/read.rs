//! Settings read from a block: the fields of a system as constants, what a value must look like, what
//! stands in its place when it is absent or unresolved, and what the system says to a wrong one.

use super::placeholder;
use crate::document::{Kind, Node};
use crate::model::{
    Bound, Branch, Duration, Fault, Origin, Ratio, Setting, kindred, nearest, notation, secret,
};
use crate::source::Place;
use std::borrow::Cow;

/// How a system compares the keys of its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// To the letter.
    Exact,
    /// snake_case and lowerCamelCase are the same (protobuf JSON). Where a key stands in both, the C++ library
    /// takes either (measured with Envoy 1.40).
    Protobuf,
    /// The same, and a key in both is refused (protobuf-go encoding/protojson/decode.go, "duplicate field").
    ProtobufGo,
    /// Case, `-` and `_` do not count (Spring's relaxed binding).
    Relaxed,
}

impl Keys {
    /// Whether `written` means the key `name`.
    pub fn same(self, written: &str, name: &str) -> bool {
        match self {
            Self::Exact => written == name,
            Self::Protobuf | Self::ProtobufGo => {
                written == name || camel(name).eq(written.chars()) || camel(written).eq(name.chars())
            }
            Self::Relaxed => relaxed(written).eq(relaxed(name)),
        }
    }

    /// A key as all of its spellings are written by one.
    pub fn spelled(self, key: &str) -> String {
        match self {
            Self::Exact => key.to_string(),
            Self::Protobuf | Self::ProtobufGo => camel(key).collect(),
            Self::Relaxed => relaxed(key).collect(),
        }
    }
}

fn camel(snake: &str) -> impl Iterator<Item = char> {
    let mut raise = false;
    snake.chars().filter_map(move |char| {
        if char == '_' {
            raise = true;
            return None;
        }
        Some(if std::mem::take(&mut raise) { char.to_ascii_uppercase() } else { char })
    })
}

fn relaxed(key: &str) -> impl Iterator<Item = char> {
    key.chars().filter(|char| !matches!(char, '-' | '_')).map(|char| char.to_ascii_lowercase())
}

/// A mapping that settings are read from, or none.
#[derive(Clone, Copy)]
pub struct Block<'d> {
    node: Option<Node<'d>>,
    keys: Keys,
}

impl<'d> Block<'d> {
    /// The block of a value; what is no mapping has no settings.
    pub fn new(node: impl Into<Option<Node<'d>>>, keys: Keys) -> Self {
        Self { node: node.into(), keys }
    }

    /// The value itself.
    pub fn node(self) -> Option<Node<'d>> {
        self.node
    }

    /// The value under a key, unless it is null.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let node = self.node?;
        match self.keys {
            Keys::Exact => node.get(key).filter(|value| value.kind() != Kind::Null),
            _ => self.spellings(node, key).last(),
        }
    }

    fn spellings(self, node: Node<'d>, key: &str) -> impl Iterator<Item = Node<'d>> {
        node.entries().filter(move |entry| self.keys.same(entry.key(), key) && entry.kind() != Kind::Null)
    }

    /// The first and the last of the values under a key that stands in more than one spelling.
    fn both(self, key: &str) -> Option<(Node<'d>, Node<'d>)> {
        let (first, last) = (self.spellings(self.node?, key).next()?, self.get(key)?);
        (first.key() != last.key()).then_some((first, last))
    }

    /// The block under a key.
    pub fn block(self, key: &str) -> Block<'d> {
        Block { node: self.get(key), keys: self.keys }
    }
}

/// One setting of a system: how its value is written and what stands for an absent one.
pub trait Field {
    /// What it is read into.
    type Value: Clone + PartialEq;
    /// Its key.
    fn key(&self) -> &'static str;
    /// What the system takes where it is absent.
    fn absent(&self) -> Bound<Self::Value>;
    /// The value as the system reads it; the error says what is expected ("a whole number from 0 to 10").
    fn value(&self, node: Node<'_>) -> Result<Bound<Self::Value>, Cow<'static, str>>;
}

/// A whole number.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Its key.
    pub key: &'static str,
    /// What the system takes where it is absent.
    pub absent: Bound<u64>,
    /// The least that the system takes.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// A number in quotes is one, too.
    pub quoted: bool,
    /// This negative number stands for no limit.
    pub endless: Option<i64>,
}

impl Count {
    /// A count from 0 on, without quotes; none where it is absent.
    pub const fn new(key: &'static str) -> Self {
        Self { key, absent: Bound::Unlimited, least: 0, most: i32::MAX as u64, quoted: false, endless: None }
    }

    /// With another value where it is absent.
    pub const fn or(self, absent: u64) -> Self {
        Self { absent: Bound::At(absent), ..self }
    }

    /// With another range.
    pub const fn range(self, least: u64, most: u64) -> Self {
        Self { least, most, ..self }
    }

    /// Taken in quotes as well.
    pub const fn quoted(self) -> Self {
        Self { quoted: true, ..self }
    }
}

impl Field for Count {
    type Value = u64;

    fn key(&self) -> &'static str {
        self.key
    }

    fn absent(&self) -> Bound<u64> {
        self.absent
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<u64>, Cow<'static, str>> {
        let number = match node.kind() {
            Kind::Integer => node.text().and_then(whole_number),
            Kind::Float => node.text().and_then(whole_float),
            Kind::String if self.quoted || !node.is_quoted() => node.text().and_then(whole_number),
            _ => None,
        };
        match number {
            Some(number) if Some(number) == self.endless.map(i128::from) => Ok(Bound::Unlimited),
            Some(number) if (self.least as i128..=self.most as i128).contains(&number) => {
                Ok(Bound::At(number as u64))
            }
            Some(number) if number > self.most as i128 => {
                Err(format!("a whole number up to {} is expected", self.most).into())
            }
            _ if self.most >= i32::MAX as u64 => {
                Err(format!("a whole number of at least {} is expected", self.least).into())
            }
            _ => Err(format!("a whole number from {} to {} is expected", self.least, self.most).into()),
        }
    }
}

/// A whole number as text: decimal, `0x…`, `0o…`, with a sign.
pub fn whole_number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0o")) {
        (Some(hex), _) => (hex, 16),
        (_, Some(octal)) => (octal, 8),
        _ => (lower.as_str(), 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let number = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if negative { -number } else { number })
}

/// A number with a fraction that is nothing, as `3.0`.
fn whole_float(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.')?;
    fraction.chars().all(|digit| digit == '0').then(|| whole_number(whole)).flatten()
}

/// How a system writes a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Go's: `250ms`, `1m30s`.
    Go,
    /// Protobuf JSON: decimal seconds with `s`.
    Protobuf,
    /// The same, or the message itself: `{seconds: 1, nanos: 500000000}` (protobuf's C++ library).
    ProtobufMessage,
    /// Spring Boot's: `500ms`, `PT0.5S`, a bare whole number in this unit.
    Spring(notation::Unit),
    /// A bare whole number in this unit; in quotes as well where the flag says so.
    Whole(notation::Unit, bool),
    /// Argo's: in quotes or not a number; Go's, or bare whole seconds.
    Argo,
}

impl Notation {
    fn read(self, node: Node<'_>) -> Option<Duration> {
        if node.kind() == Kind::Map && self == Self::ProtobufMessage {
            return duration_message(node);
        }
        let text = node.text()?;
        // the C++ library asks for digits on both sides of a point, and takes no plus (measured with Envoy 1.40)
        let bare = text.starts_with(['.', '+']) || text.contains(".s");
        if bare && self == Self::ProtobufMessage {
            return None;
        }
        match self {
            Self::Go => notation::go(text).ok().filter(|_| node.kind() == Kind::String),
            Self::Protobuf | Self::ProtobufMessage => {
                notation::protobuf(text).ok().filter(|_| node.kind() == Kind::String)
            }
            Self::Spring(unit) => notation::spring(text, unit).ok(),
            Self::Argo => notation::argo(text).ok().filter(|_| node.kind() == Kind::String),
            Self::Whole(unit, quoted) => match node.kind() {
                Kind::Integer => whole_number(text),
                Kind::Float => whole_float(text),
                Kind::String if quoted => whole_number(text),
                _ => None,
            }
            .and_then(|number| u64::try_from(number).ok())
            .and_then(|number| notation::with_unit(&number.to_string(), unit).ok()),
        }
    }

    /// A bound in the unit that the value is written in, where it has but one.
    fn shown(self, bound: Duration) -> String {
        match self {
            Self::Whole(notation::Unit::Seconds, _) => {
                format!("{} s", bound.nanos() / Duration::from_secs(1).nanos())
            }
            _ => bound.to_string(),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Go => "a duration with units as 250ms or 1m30s",
            Self::Protobuf | Self::ProtobufMessage => "a number of seconds with an s, as \"0.25s\",",
            Self::Spring(_) => "a duration without a fraction, as 500ms or 2s, or in ISO 8601, as PT0.5S,",
            Self::Whole(notation::Unit::Seconds, _) => "a whole number of seconds",
            Self::Whole(..) => "a whole number",
            Self::Argo => "a string with whole seconds or a duration as \"1m30s\"",
        }
    }
}

/// A `google.protobuf.Duration` as a mapping; what is absent is 0.
fn duration_message(node: Node<'_>) -> Option<Duration> {
    let part = |key: &str| match node.get(key) {
        Some(value) => value.text().and_then(whole_number).and_then(|number| u64::try_from(number).ok()),
        None => Some(0),
    };
    if !node.entries().all(|entry| matches!(entry.key(), "seconds" | "nanos")) {
        return None;
    }
    let nanos = part("nanos").filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::from_secs(part("seconds")?).plus(Duration::from_nanos(nanos.into())))
}

/// A span of time.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Its key.
    pub key: &'static str,
    /// How it is written.
    pub notation: Notation,
    /// What the system takes where it is absent.
    pub absent: Bound<Duration>,
    /// The least that the system takes.
    pub least: Duration,
    /// The most.
    pub most: Duration,
    /// It has to be a multiple of this.
    pub grain: Duration,
    /// 0 stands for no limit.
    pub zero_is_none: bool,
    /// −1 stands for no limit.
    pub minus_one_is_none: bool,
}

impl Time {
    /// A time from 0 on; no limit where it is absent.
    pub const fn new(key: &'static str, notation: Notation) -> Self {
        Self {
            key,
            notation,
            absent: Bound::Unlimited,
            least: Duration::ZERO,
            most: Duration::LONGEST,
            grain: Duration::from_nanos(1),
            zero_is_none: false,
            minus_one_is_none: false,
        }
    }

    /// With another value where it is absent.
    pub const fn or(self, absent: Duration) -> Self {
        Self { absent: Bound::At(absent), ..self }
    }

    /// With a least value.
    pub const fn at_least(self, least: Duration) -> Self {
        Self { least, ..self }
    }

    /// With a range.
    pub const fn range(self, least: Duration, most: Duration) -> Self {
        Self { least, most, ..self }
    }

    /// It has to be a multiple of this.
    pub const fn grain(self, grain: Duration) -> Self {
        Self { grain, ..self }
    }

    /// 0 stands for no limit.
    pub const fn zero_is_none(self) -> Self {
        Self { zero_is_none: true, ..self }
    }

    /// −1 stands for no limit.
    pub const fn minus_one_is_none(self) -> Self {
        Self { minus_one_is_none: true, ..self }
    }
}

impl Field for Time {
    type Value = Duration;

    fn key(&self) -> &'static str {
        self.key
    }

    fn absent(&self) -> Bound<Duration> {
        self.absent
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Duration>, Cow<'static, str>> {
        let expected = self.notation.expected();
        let negative = |text: &str| {
            text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
        };
        match self.notation.read(node) {
            None if self.minus_one_is_none && node.text() == Some("-1") => Ok(Bound::Unlimited),
            None if node.text().is_some_and(negative) => Err("no negative time is expected".into()),
            None => Err(format!("{expected} is expected").into()),
            Some(time) if time.is_zero() && self.zero_is_none => Ok(Bound::Unlimited),
            Some(time) if time < self.least && self.least == Duration::from_nanos(1) => {
                Err("a time over 0 is expected".into())
            }
            Some(time) if time < self.least => {
                Err(format!("at least {} is expected", self.notation.shown(self.least)).into())
            }
            Some(time) if time.nanos() % self.grain.nanos() != 0 => {
                Err(format!("a multiple of {} is expected", self.grain).into())
            }
            Some(time) if time > self.most => {
                Err(format!("at most {} is expected", self.notation.shown(self.most)).into())
            }
            Some(time) => Ok(Bound::At(time)),
        }
    }
}

/// A number that may have a fraction.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its key.
    pub key: &'static str,
    /// What the system takes where it is absent.
    pub absent: Bound<Ratio>,
    /// The least that the system takes.
    pub least: Ratio,
    /// The least itself is refused.
    pub above: bool,
}

impl Field for Number {
    type Value = Ratio;

    fn key(&self) -> &'static str {
        self.key
    }

    fn absent(&self) -> Bound<Ratio> {
        self.absent
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Ratio>, Cow<'static, str>> {
        let number = node.text().and_then(|text| Ratio::parse(text).ok());
        match number.filter(|number| *number > self.least || *number == self.least && !self.above) {
            Some(number) => Ok(Bound::At(number)),
            None if self.above => Err(format!("a number over {} is expected", self.least).into()),
            None => Err(format!("a number of at least {} is expected", self.least).into()),
        }
    }
}

/// One of some words.
#[derive(Clone, Copy, Debug)]
pub struct Word<T: 'static> {
    /// Its key.
    pub key: &'static str,
    /// What the system takes where it is absent.
    pub absent: T,
    /// The words and what they stand for.
    pub words: &'static [(&'static str, T)],
}

impl<T: Copy + PartialEq> Field for Word<T> {
    type Value = T;

    fn key(&self) -> &'static str {
        self.key
    }

    fn absent(&self) -> Bound<T> {
        Bound::At(self.absent)
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<T>, Cow<'static, str>> {
        let found = self.words.iter().find(|(word, _)| node.text() == Some(word));
        found.map(|(_, value)| Bound::At(*value)).ok_or_else(|| {
            let words: Vec<_> = self.words.iter().map(|(word, _)| *word).collect();
            match words.as_slice() {
                [before @ .., last] if !before.is_empty() => {
                    format!("{} or {last} is expected", before.join(", "))
                }
                _ => format!("{} is expected", words.join(", ")),
            }
            .into()
        })
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its key.
    pub key: &'static str,
    /// What the system takes where it is absent.
    pub absent: bool,
}

impl Field for Flag {
    type Value = bool;

    fn key(&self) -> &'static str {
        self.key
    }

    fn absent(&self) -> Bound<bool> {
        Bound::At(self.absent)
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<bool>, Cow<'static, str>> {
        let text = node.text().unwrap_or_default();
        match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Bound::At(true)),
            "false" => Ok(Bound::At(false)),
            _ => Err("true or false is expected".into()),
        }
    }
}

/// What a value stands for, when the file's own way of naming values has been followed.
pub enum Resolved<'d> {
    /// A value that is written, and whose origin that is.
    Literal(Node<'d>, Origin),
    /// A text that is the value (the default within a placeholder).
    Text(Cow<'d, str>, Origin),
    /// As if the key were not there.
    Absent,
    /// Not known, and why.
    Unknown(Cow<'static, str>),
    /// One of two, by a condition's name.
    If(String, Box<[Resolved<'d>; 2]>),
}

/// Follows a system's own way of naming values.
pub type Resolver<'r, 'd> = &'r dyn Fn(Node<'d>) -> Resolved<'d>;

/// How deep conditions may be nested before the value counts as unknown.
const MOST_BRANCHES: usize = 16;

/// The system of settings that belong to none: what cannot be read is not refused by anybody.
pub const UNOWNED: &str = "";

/// Reads settings and keeps what the system refuses.
pub struct Reader<'r, 'd> {
    /// What people call the system.
    system: &'static str,
    resolve: Option<Resolver<'r, 'd>>,
    /// Values that the system refuses or replaces, so far.
    pub faults: Vec<Fault>,
}

/// The longest value that a message repeats, in bytes.
const LONGEST_SHOWN: usize = 40;

/// The place of a value that may be more than it is expected to be.
fn unless_plain(value: Node<'_>) -> Option<Place> {
    let plain = value.text().is_some_and(|text| secret::is_plain(value.key(), text));
    (!plain).then(|| value.place())
}

/// A value as it stands, or the default within a placeholder.
pub fn literal(node: Node<'_>) -> Resolved<'_> {
    match node.text().map(placeholder::read) {
        Some(Some(placeholder::Placeholder { default: Some(default), name })) => {
            let why = format!("the default of the placeholder {name}");
            Resolved::Text(default.into(), Origin::Fallback(why.into(), node.place()))
        }
        Some(Some(placeholder::Placeholder { default: None, name })) => {
            Resolved::Unknown(format!("the placeholder {name} has no default").into())
        }
        _ => Resolved::Literal(node, Origin::Written(node.place())),
    }
}

impl<'r, 'd> Reader<'r, 'd> {
    /// For a system whose files hold the values themselves; placeholders of template tools are unknown
    /// unless they carry a default.
    pub fn new(system: &'static str) -> Self {
        Self { system, resolve: None, faults: Vec::new() }
    }

    /// For a system with a way of its own to name values.
    pub fn with(system: &'static str, resolve: Resolver<'r, 'd>) -> Self {
        Self { system, resolve: Some(resolve), faults: Vec::new() }
    }

    /// "Envoy's default".
    pub fn default_of(&self) -> String {
        let ending = if self.system.ends_with('s') { "'" } else { "'s" };
        format!("{}{ending} default", self.system)
    }

    /// The setting of a block; the system's default where it is absent. A value that the system refuses
    /// becomes a fault and is unknown.
    pub fn get<F: Field>(&mut self, block: Block<'d>, field: &F) -> Setting<F::Value> {
        match block.get(field.key()) {
            Some(node) if self.doubled(block, field.key()) => {
                Setting::unknown("it stands in two spellings", Some(node.place()))
            }
            Some(node) => self.value(node, field),
            None => self.absent(field),
        }
    }

    /// Whether a key stands in both of protobuf's spellings with values that are not the same; tells of it.
    pub fn doubled(&mut self, block: Block<'d>, key: &str) -> bool {
        let Some((first, last)) = block.both(key) else { return false };
        match block.keys {
            Keys::ProtobufGo => self.refuse(last, format!("it is the same setting as {}", first.key())),
            Keys::Protobuf if first.text().is_none() || first.text() != last.text() => {
                let effect =
                    format!("it is the same setting as {}, and {} takes either", first.key(), self.system);
                self.replace(last, effect);
            }
            _ => return false,
        }
        true
    }

    /// The setting of the first block that has it; from the second on it is inherited.
    pub fn first<F: Field>(&mut self, blocks: &[Block<'d>], field: &F) -> Setting<F::Value> {
        for (n, block) in blocks.iter().enumerate() {
            if let Some(node) = block.get(field.key()) {
                let mut setting = self.value(node, field);
                if let (Origin::Written(place), true) = (&setting.origin, n > 0) {
                    setting.origin = Origin::Inherited(*place);
                }
                return setting;
            }
        }
        self.absent(field)
    }

    /// What the system takes where nothing is written.
    pub fn absent<F: Field>(&self, field: &F) -> Setting<F::Value> {
        Setting::new(field.absent(), Origin::Default(self.default_of().into()))
    }

    /// The setting that a value stands for.
    pub fn value<F: Field>(&mut self, node: Node<'d>, field: &F) -> Setting<F::Value> {
        let resolved = self.resolve.map_or_else(|| literal(node), |resolve| resolve(node));
        let mut branches = Vec::new();
        self.collect(node, field, resolved, Vec::new(), &mut branches);
        if branches.len() > MOST_BRANCHES {
            return Setting::unknown("it depends on too many conditions", Some(node.place()));
        }
        let Some(first) = branches.first().cloned() else {
            return Setting::unknown("its value is not in the file", Some(node.place()));
        };
        if branches.len() == 1 {
            return Setting::new(first.bound, first.origin);
        }
        if branches.iter().all(|branch| branch.bound == first.bound) {
            return Setting::new(first.bound, Origin::Written(node.place()));
        }
        let names: Vec<_> = first.when.iter().map(|(name, _)| name.as_str()).collect();
        let why = format!("it depends on the condition {}", names.join(" and "));
        let unknown = Origin::Unknown(why.into(), Some(node.place()));
        Setting { bound: Bound::Unknown, origin: unknown, branches }
    }

    fn collect<F: Field>(
        &mut self,
        node: Node<'d>,
        field: &F,
        resolved: Resolved<'d>,
        when: Vec<(String, bool)>,
        branches: &mut Vec<Branch<F::Value>>,
    ) {
        let (bound, origin) = match resolved {
            Resolved::Literal(value, origin) => match field.value(value) {
                Ok(bound) => (bound, origin),
                Err(expected) => {
                    let shown = secret::echo(node.key(), value.text().unwrap_or_default());
                    self.refuse_as(node, expected, &[(shown.as_ref(), &origin)]);
                    self.hide(value);
                    (Bound::Unknown, Origin::Unknown("its value is refused".into(), Some(node.place())))
                }
            },
            Resolved::Text(text, origin) => {
                let source = crate::source::SourceText::new(text.into_owned());
                let parsed = crate::document::parse(&source, crate::document::Format::Yaml);
                match parsed.documents.first().map(|document| field.value(document.root())) {
                    Some(Ok(bound)) => (bound, origin),
                    _ => (Bound::Unknown, Origin::Unknown("its default is no value".into(), origin.place())),
                }
            }
            Resolved::Absent => (field.absent(), Origin::Default(self.default_of().into())),
            Resolved::Unknown(why) => (Bound::Unknown, Origin::Unknown(why, Some(node.place()))),
            Resolved::If(condition, sides) => {
                let earlier = when.iter().find(|(name, _)| *name == condition).map(|(_, met)| *met);
                for (side, met) in sides.into_iter().zip([true, false]) {
                    if earlier.is_some_and(|earlier| earlier != met) || branches.len() > MOST_BRANCHES {
                        continue;
                    }
                    let mut when = when.clone();
                    if earlier.is_none() {
                        when.push((condition.clone(), met));
                    }
                    self.collect(node, field, side, when, branches);
                }
                return;
            }
        };
        branches.push(Branch { when, bound, origin });
    }

    /// The system refuses a value; `expected` as in "a whole number is expected".
    pub fn refuse(&mut self, node: Node<'_>, expected: impl Into<Cow<'static, str>>) {
        match self.system {
            UNOWNED => {
                self.fault(node, expected, false, Some("Write a value that says what is meant.".into()))
            }
            system => self.fault(node, format!("{system} refuses it: {}", expected.into()), true, None),
        }
    }

    /// The same for values with their origins: what rests on an assumption says so, and is no error.
    pub fn refuse_as(
        &mut self,
        node: Node<'_>,
        expected: impl Into<Cow<'static, str>>,
        values: &[(&str, &Origin)],
    ) {
        let mut expected = expected.into();
        let mut lenient = false;
        for (value, origin) in values {
            if let Origin::Assumed(why, _) | Origin::Fallback(why, _) = origin {
                expected = format!("{expected}, and {value} is {why}").into();
                lenient = true;
            }
        }
        self.refuse(node, expected);
        if let Some(last) = self.faults.last_mut() {
            last.lenient = lenient;
        }
    }

    /// The system ignores or replaces a value; `effect` as in "Envoy takes it as 1 ms".
    pub fn replace(&mut self, node: Node<'_>, effect: impl Into<Cow<'static, str>>) {
        self.fault(node, effect, false, None);
    }

    /// Some that read the file refuse a value, and others take it; `effect` says which, and `help` what all take.
    pub fn some_refuse(&mut self, node: Node<'_>, effect: &'static str, help: &'static str) {
        self.fault(node, effect, true, Some(help.into()));
        if let Some(last) = self.faults.last_mut() {
            last.lenient = true;
        }
    }

    /// What to write instead of what was refused or replaced last, as an imperative.
    pub fn advise(&mut self, help: impl Into<Cow<'static, str>>) {
        if let Some(last) = self.faults.last_mut() {
            last.help = Some(help.into());
        }
    }

    /// What was refused or replaced last has this value in it, which is not to be shown unless it is plain.
    pub fn hide(&mut self, value: Node<'_>) {
        if let Some(last) = self.faults.last_mut() {
            last.hidden = unless_plain(value);
        }
    }

    fn fault(
        &mut self,
        node: Node<'_>,
        effect: impl Into<Cow<'static, str>>,
        refused: bool,
        help: Option<Cow<'static, str>>,
    ) {
        let literal = node.text().filter(|_| node.tag().is_none());
        let hidden = literal.and_then(|_| unless_plain(node));
        let shown =
            literal.map(|text| secret::echo(node.key(), text)).filter(|text| text.len() <= LONGEST_SHOWN);
        let what = match (node.key(), shown.as_deref()) {
            (key, Some(text)) if hidden.is_none() && node.kind() == Kind::String && node.is_quoted() => {
                format!("{key}: \"{text}\"")
            }
            ("", Some(text)) => text.to_string(),
            ("", None) => {
                let list = node.parent().map(Node::key).filter(|key| !key.is_empty());
                list.map_or("it".to_string(), |key| format!("an item of {key}"))
            }
            (key, Some(text)) => format!("{key}: {text}"),
            (key, None) => key.to_string(),
        };
        self.faults.push(Fault {
            place: node.key_place(),
            pointer: node.pointer(),
            what,
            hidden,
            effect: effect.into(),
            help,
            refused,
            lenient: false,
        });
    }

    /// Keys of a block that the system does not know and that somebody meant as a setting; `effect` as in
    /// "Vector passes over a key that it does not know". One that is filled in later may be any.
    pub fn unknown(
        &mut self,
        block: Block<'d>,
        known: &[&str],
        meant: impl Fn(&str) -> bool,
        effect: &'static str,
    ) {
        let entries = block.node().into_iter().flat_map(Node::entries);
        let written: Vec<_> =
            entries.map(|entry| (entry.key(), entry)).filter(|(key, _)| meant(key)).collect();
        self.unknown_of(&written, block.keys, known, effect);
    }

    /// The same for keys that are written in any way.
    pub fn unknown_of(
        &mut self,
        written: &[(&str, Node<'d>)],
        keys: Keys,
        known: &[&str],
        effect: &'static str,
    ) {
        for (key, entry) in written {
            if known.iter().any(|name| keys.same(key, name)) || placeholder::read(key).is_some() {
                continue;
            }
            let help = match nearest(key, known).or_else(|| kindred(key, known)) {
                Some(name) => format!("Write {name}, or remove it."),
                None => format!("Write one of {}, or remove it.", known.join(", ")),
            };
            self.fault(*entry, effect, false, Some(help.into()));
        }
    }

    /// A block lacks a key that the system asks for.
    pub fn missing(&mut self, block: Node<'_>, key: &str) {
        self.faults.push(Fault {
            place: block.key_place(),
            pointer: block.pointer(),
            what: format!("a missing {key}"),
            hidden: None,
            effect: format!("{} refuses the block without it", self.system).into(),
            help: Some(format!("add {key}").into()),
            refused: true,
            lenient: false,
        });
    }
}
