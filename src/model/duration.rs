//! Durations: exact, saturating, as people write them and as people read them.

use super::ratio::{Decimal, Ratio};
use std::fmt;

/// A span of time in whole nanoseconds. Sums and products stop at [`Duration::LONGEST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u128);

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 10^-9 s
    Nanos,
    /// 10^-6 s
    Micros,
    /// 10^-3 s
    Millis,
    /// The second.
    Seconds,
    /// 60 s
    Minutes,
    /// 3600 s
    Hours,
    /// 24 h
    Days,
}

impl Unit {
    const fn nanos(self) -> u128 {
        match self {
            Self::Nanos => 1,
            Self::Micros => 1_000,
            Self::Millis => 1_000_000,
            Self::Seconds => 1_000_000_000,
            Self::Minutes => 60 * 1_000_000_000,
            Self::Hours => 3_600 * 1_000_000_000,
            Self::Days => 86_400 * 1_000_000_000,
        }
    }
}

impl Duration {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// The longest one that is told apart from for ever: about 3 × 10^10 years.
    pub const LONGEST: Self = Self(1_000_000_000_000_000_000_000_000_000);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: u128) -> Self {
        if nanos > Self::LONGEST.0 { Self::LONGEST } else { Self(nanos) }
    }

    /// From milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self::from_nanos(millis as u128 * 1_000_000)
    }

    /// From seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_nanos(secs as u128 * 1_000_000_000)
    }

    /// In nanoseconds.
    pub const fn nanos(self) -> u128 {
        self.0
    }

    /// No time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// One after the other.
    pub const fn plus(self, other: Self) -> Self {
        Self::from_nanos(self.0 + other.0)
    }

    /// What is left without the other, or nothing.
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// So many one after the other.
    pub const fn times(self, count: u64) -> Self {
        Self::from_nanos(self.0.saturating_mul(count as u128))
    }

    /// A part or a multiple, rounded to the nearest nanosecond.
    pub fn scaled(self, ratio: Ratio) -> Self {
        let denominator = u128::from(ratio.denominator());
        let whole = (self.0 / denominator).saturating_mul(u128::from(ratio.numerator()));
        let rest = (self.0 % denominator) * u128::from(ratio.numerator()) + denominator / 2;
        Self::from_nanos(whole.saturating_add(rest / denominator))
    }

    /// In milliseconds for JSON: a whole number where it is one.
    pub fn millis(self) -> serde_json::Value {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match u64::try_from(whole) {
            Ok(whole) if rest == 0 => whole.into(),
            _ => (self.0 as f64 / 1e6).into(),
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0;
        match nanos {
            0 => f.write_str("0 s"),
            1..1_000 => write!(f, "{nanos} ns"),
            1_000..1_000_000 => write!(f, "{} µs", decimal(nanos, 1_000)),
            1_000_000..1_000_000_000 => write!(f, "{} ms", decimal(nanos, 1_000_000)),
            1_000_000_000..120_000_000_000 => write!(f, "{} s", decimal(nanos, 1_000_000_000)),
            _ if *self == Self::LONGEST => f.write_str("more than 31 billion years"),
            _ => {
                let mut rest = nanos;
                let mut space = "";
                for (unit, name) in [(Unit::Days, "d"), (Unit::Hours, "h"), (Unit::Minutes, "min")] {
                    let count = rest / unit.nanos();
                    rest %= unit.nanos();
                    if count > 0 {
                        write!(f, "{space}{count} {name}")?;
                        space = " ";
                    }
                }
                if rest > 0 { write!(f, "{space}{} s", decimal(rest, 1_000_000_000)) } else { Ok(()) }
            }
        }
    }
}

/// A quotient by a power of ten, without zeros at its end.
fn decimal(number: u128, unit: u128) -> String {
    let digits = unit.ilog10() as usize;
    let text = format!("{}.{:0digits$}", number / unit, number % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurationError {
    /// It does not look like one in this notation.
    NotADuration,
    /// A number without a unit, where one is needed.
    NoUnit,
    /// The notation has no such unit.
    UnknownUnit(String),
    /// It is under 0.
    Negative,
    /// The notation takes whole numbers only.
    Fraction,
    /// `M` is a month to some and a minute to others.
    Month,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADuration => f.write_str("it is no duration"),
            Self::NoUnit => f.write_str("a number without a unit is no duration here"),
            Self::UnknownUnit(unit) => write!(f, "{unit} is no unit of time here"),
            Self::Negative => f.write_str("a duration cannot be negative"),
            Self::Fraction => f.write_str("only whole numbers are taken"),
            Self::Month => f.write_str("M stands for months; minutes are m"),
        }
    }
}

type Result<T> = std::result::Result<T, DurationError>;

/// Units and their names in one notation.
type Units = &'static [(&'static str, Unit)];

const GO: Units = &[
    ("ns", Unit::Nanos),
    ("us", Unit::Micros),
    ("µs", Unit::Micros),
    ("μs", Unit::Micros),
    ("ms", Unit::Millis),
    ("s", Unit::Seconds),
    ("m", Unit::Minutes),
    ("h", Unit::Hours),
];

const SPRING: Units = &[
    ("ns", Unit::Nanos),
    ("us", Unit::Micros),
    ("ms", Unit::Millis),
    ("s", Unit::Seconds),
    ("m", Unit::Minutes),
    ("h", Unit::Hours),
    ("d", Unit::Days),
];

const WORDS: Units = &[
    ("ns", Unit::Nanos),
    ("nanos", Unit::Nanos),
    ("nanosecond", Unit::Nanos),
    ("us", Unit::Micros),
    ("µs", Unit::Micros),
    ("micros", Unit::Micros),
    ("microsecond", Unit::Micros),
    ("ms", Unit::Millis),
    ("msec", Unit::Millis),
    ("millis", Unit::Millis),
    ("millisecond", Unit::Millis),
    ("s", Unit::Seconds),
    ("sec", Unit::Seconds),
    ("second", Unit::Seconds),
    ("m", Unit::Minutes),
    ("min", Unit::Minutes),
    ("minute", Unit::Minutes),
    ("h", Unit::Hours),
    ("hr", Unit::Hours),
    ("hour", Unit::Hours),
    ("d", Unit::Days),
    ("day", Unit::Days),
];

/// The longest text that is looked at.
const LONGEST_TEXT: usize = 100;

/// Go's `time.ParseDuration`: `250ms`, `1.5s`, `1m30s`; a bare `0` is one, too.
pub fn go(text: &str) -> Result<Duration> {
    if text == "0" { Ok(Duration::ZERO) } else { terms(text, GO, false) }
}

/// Protobuf's JSON form: decimal seconds with `s`, at most nine decimals.
pub fn protobuf(text: &str) -> Result<Duration> {
    let number = text.strip_suffix('s').ok_or(DurationError::NoUnit)?;
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    if decimals > 9 || number.contains(['e', 'E', '+']) {
        return Err(DurationError::NotADuration);
    }
    with_unit(number, Unit::Seconds)
}

/// Spring Boot's forms: one whole number with a unit, ISO 8601, or a bare whole number in the unit of the setting.
pub fn spring(text: &str, bare: Unit) -> Result<Duration> {
    let text = text.trim();
    if text.starts_with(['P', 'p']) {
        return iso8601(text);
    }
    if text.contains('.') {
        return Err(DurationError::Fraction);
    }
    match split_number(text) {
        (number, "") => with_unit(number, bare),
        (number, name) => {
            let lower = name.to_ascii_lowercase();
            let unit = find(SPRING, &lower).ok_or(DurationError::UnknownUnit(name.to_string()))?;
            with_unit(number, unit)
        }
    }
}

/// Argo's form: whole seconds, or Go's.
pub fn argo(text: &str) -> Result<Duration> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { with_unit(text, Unit::Seconds) } else { go(text) }
}

/// ISO 8601 with days and times: `PT1.5S`, `P1DT2H`.
pub fn iso8601(text: &str) -> Result<Duration> {
    let upper = text.to_ascii_uppercase();
    let parts = upper.strip_prefix('P').filter(|_| text.len() < LONGEST_TEXT).ok_or(DurationError::NotADuration)?;
    let (date, time) = parts.split_once('T').unwrap_or((parts, ""));
    if date.is_empty() && time.is_empty() || parts.ends_with('T') {
        return Err(DurationError::NotADuration);
    }
    let date = sum(date, &[("D", Unit::Days)])?;
    let time = sum(time, &[("H", Unit::Hours), ("M", Unit::Minutes), ("S", Unit::Seconds)])?;
    Ok(date.plus(time))
}

/// .NET's TimeSpan: `[d.]hh:mm:ss[.fffffff]`.
pub fn timespan(text: &str) -> Result<Duration> {
    let error = DurationError::NotADuration;
    let parts: Vec<_> = text.split(':').collect();
    let [first, minutes, seconds] = parts.as_slice() else { return Err(error) };
    let (days, hours) = first.split_once('.').unwrap_or(("0", first));
    let whole = |part: &str, unit| {
        let digits = !part.is_empty() && part.len() < 9 && part.bytes().all(|byte| byte.is_ascii_digit());
        if digits { with_unit(part, unit) } else { Err(DurationError::NotADuration) }
    };
    let under_60 = |time: Duration, unit: Unit| (time.nanos() < 60 * unit.nanos()).then_some(time).ok_or(DurationError::NotADuration);
    let seconds_part = seconds.split_once('.').map_or(*seconds, |(whole, _)| whole);
    if seconds_part.is_empty() || seconds.starts_with(['-', '+']) {
        return Err(error);
    }
    let hours = whole(hours, Unit::Hours)?.plus(whole(days, Unit::Days)?);
    let minutes = under_60(whole(minutes, Unit::Minutes)?, Unit::Minutes)?;
    let seconds = under_60(with_unit(seconds, Unit::Seconds)?, Unit::Seconds)?;
    Ok(hours.plus(minutes).plus(seconds))
}

/// What a text in a hand-written config stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Any<'t> {
    /// A time.
    Time(Duration),
    /// A word that says there is no limit.
    NoLimit,
    /// A number without a unit.
    Bare(&'t str),
}

/// Any notation that hand-written configs use: Go, Prometheus and systemd, humantime, HOCON, ISO 8601,
/// TimeSpan, the words for no limit, and numbers without a unit.
pub fn any(text: &str) -> Result<Any<'_>> {
    let text = text.trim();
    let word = text.to_ascii_lowercase();
    if matches!(word.as_str(), "never" | "infinite" | "infinity" | "none" | "unlimited" | "off") {
        return Ok(Any::NoLimit);
    }
    if let Some(number) = Decimal::parse(text) {
        return if number.negative { Err(DurationError::Negative) } else { Ok(Any::Bare(text)) };
    }
    if word.starts_with('p') {
        return iso8601(text).map(Any::Time);
    }
    if text.contains(':') {
        return timespan(text).map(Any::Time);
    }
    if text.len() > LONGEST_TEXT {
        return Err(DurationError::NotADuration);
    }
    if text.bytes().zip(text.bytes().skip(1).chain([b' '])).any(|(a, b)| a == b'M' && !b.is_ascii_alphabetic()) {
        return Err(DurationError::Month);
    }
    terms(&word, WORDS, true).map(Any::Time)
}

/// A bare decimal number in a unit, rounded to the nanosecond.
pub fn with_unit(number: &str, unit: Unit) -> Result<Duration> {
    let Decimal { digits, exponent, negative } = Decimal::parse(number).ok_or(DurationError::NotADuration)?;
    if negative && digits > 0 {
        return Err(DurationError::Negative);
    }
    let product = u128::from(digits) * unit.nanos(); // under 10^18 × 10^14
    let power = u32::try_from(exponent.unsigned_abs()).ok().and_then(|power| 10u128.checked_pow(power));
    Ok(match (exponent >= 0, power) {
        _ if product == 0 => Duration::ZERO,
        (true, Some(power)) => Duration::from_nanos(product.saturating_mul(power)),
        (true, None) => Duration::LONGEST,
        (false, Some(power)) => Duration::from_nanos((product + power / 2) / power),
        (false, None) => Duration::ZERO,
    })
}

/// A number and what follows it.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit() && !matches!(char, '.' | '-' | '+')).unwrap_or(text.len());
    text.split_at(end)
}

fn find(units: &[(&str, Unit)], name: &str) -> Option<Unit> {
    units.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit)
}

/// Numbers with units, one after the other; with blanks between them, weeks, and units in the plural where
/// `loose`.
fn terms(text: &str, units: Units, loose: bool) -> Result<Duration> {
    if text.is_empty() || text.len() > LONGEST_TEXT {
        return Err(DurationError::NotADuration);
    }
    if text.starts_with('-') {
        return Err(DurationError::Negative);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let (number, after) = split_number(rest);
        let after = if loose { after.trim_start() } else { after };
        let end = after.find(|char: char| !char.is_alphabetic()).unwrap_or(after.len());
        let (name, next) = after.split_at(end);
        if number.is_empty() || number.contains(['-', '+']) {
            return Err(DurationError::NotADuration);
        }
        if name.is_empty() {
            return Err(DurationError::NoUnit);
        }
        let singular = name.strip_suffix('s').filter(|_| loose && name.len() > 2);
        let unit = find(units, name).or_else(|| find(units, singular?));
        let time = match (unit, name) {
            (Some(unit), _) => with_unit(number, unit)?,
            (None, "w" | "week" | "weeks") if loose => with_unit(number, Unit::Days)?.times(7),
            (None, "y" | "year" | "years") if loose => with_unit(number, Unit::Days)?.times(365),
            _ => return Err(DurationError::UnknownUnit(name.to_string())),
        };
        total = total.plus(time);
        rest = if loose { next.trim_start() } else { next };
    }
    Ok(total)
}

/// The parts of ISO 8601, each unit at most once and in their order.
fn sum(text: &str, units: &[(&str, Unit)]) -> Result<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    for (name, unit) in units {
        if let Some((number, after)) = rest.split_once(name) {
            total = total.plus(with_unit(number, *unit)?);
            rest = after;
        }
    }
    if rest.is_empty() { Ok(total) } else { Err(DurationError::NotADuration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn go_durations_have_units_and_fractions() {
        for (text, millis) in [("250ms", 250), ("1.5s", 1500), ("1m30s", 90_000), ("1h", 3_600_000), ("0", 0), ("1h0.5s", 3_600_500)] {
            assert_eq!(go(text), Ok(ms(millis)), "{text}");
        }
        assert_eq!(go("300us"), Ok(Duration::from_nanos(300_000)));
        assert_eq!(go("-1s"), Err(DurationError::Negative));
        assert_eq!(go("30"), Err(DurationError::NoUnit));
        assert_eq!(go("1d"), Err(DurationError::UnknownUnit("d".into())));
        for text in ["", "s", "1s ", "1.5.2s", "1 s", "PT1S"] {
            assert!(go(text).is_err(), "{text}");
        }
    }

    #[test]
    fn protobuf_durations_are_decimal_seconds() {
        for (text, millis) in [("0.25s", 250), ("2s", 2000), (".5s", 500), ("1.500s", 1500), ("0s", 0)] {
            assert_eq!(protobuf(text), Ok(ms(millis)), "{text}");
        }
        for text in ["250ms", "1m", "1", "s", "1.0000000001s", "-1s", "1e3s"] {
            assert!(protobuf(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spring_durations_are_whole_or_iso() {
        for (text, millis) in [("500ms", 500), ("2s", 2000), ("1m", 60_000), ("100", 100), ("PT0.8S", 800), ("1d", 86_400_000)] {
            assert_eq!(spring(text, Unit::Millis), Ok(ms(millis)), "{text}");
        }
        assert_eq!(spring("1.5s", Unit::Millis), Err(DurationError::Fraction));
        assert_eq!(spring("-1s", Unit::Millis), Err(DurationError::Negative));
    }

    #[test]
    fn argo_takes_bare_seconds() {
        assert_eq!(argo("30"), Ok(ms(30_000)));
        assert_eq!(argo("2m"), Ok(ms(120_000)));
        assert!(argo("1.5").is_err());
    }

    #[test]
    fn any_notation_of_hand_written_configs_is_read() {
        for (text, millis) in [
            ("250ms", 250),
            ("1d12h", 129_600_000),
            ("2w", 1_209_600_000),
            ("1min 30s", 90_000),
            ("2 hours", 7_200_000),
            ("500 millis", 500),
            ("10 seconds", 10_000),
            ("1.5 s", 1500),
            ("PT1.5S", 1500),
            ("pt30s", 30_000),
            ("P1DT2H", 93_600_000),
            ("00:00:30", 30_000),
            ("0:05:00", 300_000),
            ("1.00:00:00", 86_400_000),
            ("00:00:00.250", 250),
            ("100MS", 100),
            ("5S", 5000),
        ] {
            assert_eq!(any(text), Ok(Any::Time(ms(millis))), "{text}");
        }
        assert_eq!(any("never"), Ok(Any::NoLimit));
        assert_eq!(any("30"), Ok(Any::Bare("30")));
        assert_eq!(any("1.5"), Ok(Any::Bare("1.5")));
        assert_eq!(any("1M"), Err(DurationError::Month));
        for text in ["", "soon", "1.5.2s", "5 fortnights", "-3", "1:2", "00:61:00", "P", "PT", "Try again"] {
            assert!(any(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_too_large_are_the_longest_time() {
        assert_eq!(with_unit("1e300", Unit::Days), Ok(Duration::LONGEST));
        assert_eq!(with_unit("1e-300", Unit::Days), Ok(Duration::ZERO));
        assert_eq!(with_unit(&"9".repeat(10_000), Unit::Seconds), Ok(Duration::LONGEST));
        assert_eq!(Duration::LONGEST.plus(Duration::LONGEST), Duration::LONGEST);
        assert_eq!(Duration::LONGEST.times(u64::MAX), Duration::LONGEST);
        assert_eq!(Duration::LONGEST.scaled(Ratio::new(u64::MAX, 1)), Duration::LONGEST);
    }

    #[test]
    fn durations_print_exactly() {
        for (nanos, text) in [
            (0, "0 s"),
            (5, "5 ns"),
            (1_500, "1.5 µs"),
            (12_500_000, "12.5 ms"),
            (8_175_000_000, "8.175 s"),
            (90_000_000_000, "90 s"),
            (120_000_000_000, "2 min"),
            (30_720_000_000_000, "8 h 32 min"),
            (200_000_500_000_000, "2 d 7 h 33 min 20.5 s"),
        ] {
            assert_eq!(Duration::from_nanos(nanos).to_string(), text);
        }
    }

    #[test]
    fn milliseconds_of_json_are_whole_where_they_can_be() {
        assert_eq!(ms(250).millis().to_string(), "250");
        assert_eq!(Duration::from_nanos(1_757_600_000).millis().to_string(), "1757.6");
    }
}
