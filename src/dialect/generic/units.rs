//! What numbers without a unit count.

use super::Entry;
use super::names::{self, Role};
use crate::dialect::shape::read::whole_number;
use crate::document::{Comment, Node};
use crate::model::notation::{self, Amount, Unit};
use crate::model::{BareNumber, Doubt, Duration};

/// The unit of numbers that have none.
#[derive(Clone, Copy)]
pub(super) enum Bare<'d> {
    /// This one, and the guess that it rests on, if it is one.
    Unit(Unit, Option<&'static str>),
    /// Not known, and why.
    Unknown(&'static str),
    /// None fits both of these.
    Apart(Entry<'d>, Entry<'d>),
}

const GUESS_NANOS: Bare<'_> = Bare::Unit(
    Unit::Nanos,
    Some("bare numbers, one of them too long for milliseconds, are taken as nanoseconds, as Go prints them"),
);
const GUESS_MILLIS: Bare<'_> =
    Bare::Unit(Unit::Millis, Some("bare numbers, one of them 1000 or more, are taken as milliseconds"));
const GUESS_FRACTIONS: Bare<'_> =
    Bare::Unit(Unit::Seconds, Some("bare numbers, one of them with a fraction, are taken as seconds"));
const GUESS_SECONDS: Bare<'_> =
    Bare::Unit(Unit::Seconds, Some("bare numbers, all under 1000, are taken as seconds"));

/// From here on a first wait is as likely one of milliseconds.
const LONG_WAIT: i128 = 100;

/// Shorter timeouts and waits are none of milliseconds, longer ones none of seconds.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(50);
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(3600);

impl<'d> Bare<'d> {
    /// The unit of the settings of one policy: the one that a comment names, else the one that makes all of
    /// their numbers plausible.
    pub(super) fn of(entries: &[Entry<'d>], comments: &[Comment]) -> Self {
        commented(entries, comments).unwrap_or_else(|| guessed(&numbers(entries, comments)))
    }

    pub(super) fn unit(self) -> Option<Unit> {
        match self {
            Self::Unit(unit, _) => Some(unit),
            Self::Unknown(_) | Self::Apart(..) => None,
        }
    }
}

/// The numbers of settings that nothing gives a unit.
fn numbers<'d>(entries: &[Entry<'d>], comments: &[Comment]) -> Vec<(Entry<'d>, &'d str)> {
    let mut numbers = Vec::new();
    for entry in entries.iter().filter(|entry| entry.unit.is_none() && entry.role.is_duration()) {
        let mut add = |node: Node<'d>| {
            if let Some(Ok(Amount::Bare(number))) = node.text().map(notation::any)
                && behind(node, comments).is_none()
            {
                numbers.push((*entry, number));
            }
        };
        add(entry.node);
        entry.node.items().for_each(add);
    }
    numbers
}

fn guessed<'d>(numbers: &[(Entry<'d>, &'d str)]) -> Bare<'d> {
    let whole = |(_, number): &(Entry<'_>, &str)| whole_number(number).unwrap_or_default();
    let largest = numbers.iter().max_by_key(|number| whole(number));
    let Some((largest, most)) = largest.map(|found| (found.0, whole(found))) else { return GUESS_SECONDS };
    let guess = if numbers.iter().any(|(_, number)| number.contains('.')) {
        GUESS_FRACTIONS
    } else if numbers.iter().map(whole).any(is_nanos) {
        GUESS_NANOS
    } else if most >= 1000 {
        GUESS_MILLIS
    } else if numbers.iter().any(|found| is_wait(found.0.role) && whole(found) >= LONG_WAIT) {
        return Bare::Unknown("it has no unit, and as a wait it may be one of milliseconds or seconds");
    } else {
        GUESS_SECONDS
    };
    let odd = numbers.iter().find(|(entry, number)| is_odd(*entry, number, guess));
    let minutes = most >= 1000 && most % 600 == 0 && most % 1000 != 0;
    // 1500 is as good as 1 s in milliseconds, and nobody waits for minutes between tries
    let likely =
        most % 500 == 0 || numbers.iter().any(|found| is_wait(found.0.role) && whole(found) >= LONG_WAIT);
    match odd {
        // 3600 and 30 may both be seconds
        _ if minutes && (odd.is_some() || !likely) => {
            Bare::Unknown("it has no unit, and no unit fits all numbers of the policy for certain")
        }
        Some((odd, _)) => Bare::Apart(*odd, other_than(*odd, largest, numbers)),
        None => guess,
    }
}

/// The number that the odd one is held against.
fn other_than<'d>(odd: Entry<'d>, largest: Entry<'d>, numbers: &[(Entry<'d>, &str)]) -> Entry<'d> {
    let other = numbers.iter().map(|(entry, _)| *entry).find(|entry| !entry.node.is(odd.node));
    if largest.node.is(odd.node) { other.unwrap_or(largest) } else { largest }
}

fn is_wait(role: Role) -> bool {
    role.is_duration() && !role.is_time() && role != Role::Cap
}

/// Whether nobody means a number so long or so short.
fn is_odd(entry: Entry<'_>, number: &str, guess: Bare<'_>) -> bool {
    let Bare::Unit(unit, _) = guess else { return false };
    let Ok(time) = notation::with_unit(number, unit) else { return false };
    let bounds_all = matches!(entry.role, Role::Deadline | Role::Elapsed);
    match unit {
        Unit::Seconds => time > LONGEST && !bounds_all,
        _ => {
            let shortest = if entry.role.is_time() { SHORTEST_TIMEOUT } else { SHORTEST_WAIT };
            !time.is_zero() && time < shortest
        }
    }
}

/// More milliseconds than anybody waits (115 days), or more than eleven days that are no whole hours.
fn is_nanos(number: i128) -> bool {
    const HOUR: i128 = 3_600_000;
    number >= 10_000_000_000 || number >= 1_000_000_000 && number % HOUR != 0
}

/// The unit that a comment behind one of the values names; it holds for all of them.
fn commented<'d>(entries: &[Entry<'d>], comments: &[Comment]) -> Option<Bare<'d>> {
    let lines = || entries.iter().filter(|entry| entry.unit.is_none() && entry.role.is_duration());
    let unit = lines().find_map(|entry| behind(entry.node, comments))?;
    // unless that would make hours of what others mean as milliseconds
    let thousands = |entry: &&Entry<'_>| {
        let number = entry.node.text().and_then(whole_number);
        number.is_some_and(|number| number >= 1000) && behind(entry.node, comments).is_none()
    };
    let apart = unit == Unit::Seconds && lines().any(|entry| thousands(&entry));
    (!apart).then_some(Bare::Unit(unit, None))
}

/// The unit that the next comment on the line of a value names, or the one before it.
pub(super) fn behind(node: Node<'_>, comments: &[Comment]) -> Option<Unit> {
    let place = node.place();
    let next = comments.partition_point(|comment| comment.place.start < place.start);
    let mut near = [Some(next), next.checked_sub(1)].into_iter().flatten().filter_map(|at| comments.get(at));
    let beside = near.find(|comment| comment.place.line == place.line && !comment.own_line)?;
    names::unit_in_words(&beside.text)
}

/// A number whose unit its key says.
pub(super) fn in_key(entry: Entry<'_>) -> Option<BareNumber> {
    let unit = entry.unit.filter(|_| entry.role.is_duration())?;
    let text = entry.node.text()?;
    match notation::any(text) {
        Ok(Amount::Bare(number)) => {
            let time = notation::with_unit(number, unit).ok()?;
            let doubt =
                Doubt::Magnitude { number: number.to_string(), unit, time, is_timeout: entry.role.is_time() };
            Some(doubted(entry, doubt))
        }
        Ok(Amount::Time(time)) if names::unit_in_text(text).is_some_and(|own| own != unit) => {
            Some(doubted(entry, Doubt::TwoUnits { time }))
        }
        _ => None,
    }
}

/// A number that has no unit in common with another one of its policy.
pub(super) fn apart(entry: Entry<'_>, other: Entry<'_>) -> BareNumber {
    doubted(entry, Doubt::Apart { other: written(other) })
}

fn doubted(entry: Entry<'_>, doubt: Doubt) -> BareNumber {
    let (place, pointer) = (entry.node.key_place(), entry.node.pointer());
    BareNumber { place, pointer, written: written(entry), doubt }
}

/// Key and value as they stand.
fn written(entry: Entry<'_>) -> String {
    let node = entry.node;
    let shown = |node: Node<'_>| match node.text() {
        Some(text) if matches!(notation::any(text), Ok(Amount::Time(_))) => format!("\"{text}\""),
        text => text.unwrap_or_default().trim().to_string(),
    };
    let items: Vec<_> = node.items().map(shown).collect();
    let value = if items.is_empty() { shown(node) } else { format!("[{}]", items.join(", ")) };
    format!("{}: {value}", node.key())
}
