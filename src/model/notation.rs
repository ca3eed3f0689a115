//! The notations of durations, one function each. The same text means different things in different
//! systems, so there is no common one; [`any`] is for configs that belong to no system.

use super::Duration;
use super::decimal::{Decimal, DecimalError};
use super::duration::{DAY, HOUR, MINUTE, SECOND};
use std::fmt;

/// What a bare number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// 10^−9 s
    Nanos,
    /// 10^−6 s
    Micros,
    /// 10^−3 s
    Millis,
    /// s
    Seconds,
    /// 60 s
    Minutes,
    /// 60 min
    Hours,
    /// 24 h
    Days,
}

/// A time as a hand-written config gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount<'t> {
    /// So long.
    Time(Duration),
    /// A word that says that there is no limit.
    NoLimit,
    /// A number without a unit, for [`with_unit`].
    Bare(&'t str),
}

/// Why a text is no duration in a notation. Its `Display` is a clause about the text: "has no unit
/// (write it like 250ms, 1.5s or 1m30s)".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    /// What is wrong.
    pub fault: DurationFault,
    notation: &'static str,
}

/// What is wrong with a text that should be a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurationFault {
    /// It has not the form of one.
    NotADuration,
    /// A number and nothing else, where a unit is needed.
    NoUnit,
    /// A unit that the notation does not have.
    UnknownUnit {
        /// The unit as written; only the start of a long one.
        unit: String,
    },
    /// `M`: a month or a mistake, but not a minute.
    Month,
    /// Less than no time.
    Negative,
    /// A decimal fraction where only whole numbers are allowed, or with too many places.
    Fraction,
    /// Hours, minutes or seconds beyond the clock's.
    OffTheClock,
    /// More digits than any setting needs.
    TooLong,
}

const GO: &str = "250ms, 1.5s or 1m30s";
const PROTOBUF: &str = "0.25s or 90s";
const SPRING: &str = "500ms, 2s, 1m or PT0.5S";
const ISO_8601: &str = "PT1.5S, PT5M or P1DT2H";
const TIME_SPAN: &str = "00:00:30 or 1.00:00:00";
const ARGO: &str = "30, 90s or 1m30s";
const ANY: &str = "250ms, 1.5s, 1m30s or PT5M";
const NUMBER: &str = "30 or 0.5";

type Parsed = Result<Duration, DurationFault>;

fn told(parsed: Parsed, notation: &'static str) -> Result<Duration, DurationError> {
    parsed.map_err(|fault| DurationError { fault, notation })
}

/// Go's `time.ParseDuration`: `250ms`, `1.5s`, `1m30s`, `300us`; of bare numbers only `0`.
pub fn go(text: &str) -> Result<Duration, DurationError> {
    told(read_go(text), GO)
}

/// Protobuf's JSON form: seconds with up to nine decimals and the unit `s`, and no other.
pub fn protobuf(text: &str) -> Result<Duration, DurationError> {
    let read = || {
        let (unsigned, negative) = sign(text);
        let (number, unit) = number_and_rest(unsigned);
        let decimal = plain(number)?;
        match unit {
            "s" => {}
            "" => return Err(DurationFault::NoUnit),
            _ => return Err(unknown_unit(unit)),
        }
        if number.split_once('.').is_some_and(|(_, places)| places.len() > 9) {
            return Err(DurationFault::Fraction);
        }
        not_negative(amount(decimal, Unit::Seconds.nanos()), negative)
    };
    told(read(), PROTOBUF)
}

/// Spring Boot's `DurationStyle`: a whole number with one unit (`500ms`, `2s`, `1m`, `1d`), ISO 8601, or a
/// bare whole number, which counts `bare`.
pub fn spring(text: &str, bare: Unit) -> Result<Duration, DurationError> {
    let read = || {
        let (unsigned, negative) = sign(text);
        if unsigned.starts_with(['p', 'P']) {
            return read_iso8601(text);
        }
        let (number, unit) = number_and_rest(unsigned);
        let decimal = plain(number)?;
        if decimal.fraction {
            return Err(DurationFault::Fraction);
        }
        let size = match unit {
            "" => bare.nanos(),
            _ => lookup(&SPRING_UNITS, &unit.to_ascii_lowercase()).ok_or_else(|| unknown_unit(unit))?,
        };
        not_negative(amount(decimal, size), negative)
    };
    told(read(), SPRING)
}

/// ISO 8601: `PT1.5S`, `PT5M`, `P1DT2H`; in either case, with weeks, without months and years.
pub fn iso8601(text: &str) -> Result<Duration, DurationError> {
    told(read_iso8601(text), ISO_8601)
}

/// .NET's `TimeSpan`: `[d.]hh:mm[:ss[.fffffff]]`; a bare whole number counts days.
pub fn timespan(text: &str) -> Result<Duration, DurationError> {
    told(read_timespan(text), TIME_SPAN)
}

/// Argo's: a bare whole number counts seconds, everything else is Go's.
pub fn argo(text: &str) -> Result<Duration, DurationError> {
    let (unsigned, negative) = sign(text);
    let parsed = match plain(unsigned) {
        Ok(number) if !number.fraction => not_negative(amount(number, Unit::Seconds.nanos()), negative),
        _ => read_go(text),
    };
    told(parsed, ARGO)
}

/// A decimal number (`30`, `0.5`, `1e3`) of a unit, to the nearest nanosecond.
pub fn with_unit(number: &str, unit: Unit) -> Result<Duration, DurationError> {
    let parsed = Decimal::parse(number).map_err(DurationFault::from);
    told(parsed.and_then(|decimal| not_negative(amount(decimal, unit.nanos()), decimal.negative)), NUMBER)
}

/// Whatever hand-written configs hold: Go, Prometheus, systemd, humantime, HOCON, ISO 8601, TimeSpan, the
/// words for no limit, and numbers without a unit. Case counts for `M` alone, which is refused.
pub fn any(text: &str) -> Result<Amount<'_>, DurationError> {
    const WORDS: [&str; 5] = ["never", "infinite", "none", "unlimited", "off"];
    let text = text.trim();
    if WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(Amount::NoLimit);
    }
    let (unsigned, negative) = sign(text);
    let parsed = if Decimal::parse(text).is_ok() {
        return Ok(Amount::Bare(text));
    } else if unsigned.starts_with(['p', 'P']) {
        read_iso8601(text)
    } else if unsigned.contains(':') {
        read_timespan(text)
    } else {
        read_any_terms(unsigned).and_then(|duration| not_negative(duration, negative))
    };
    told(parsed, ANY).map(Amount::Time)
}

impl Unit {
    const fn nanos(self) -> u128 {
        match self {
            Self::Nanos => 1,
            Self::Micros => 1_000,
            Self::Millis => 1_000_000,
            Self::Seconds => SECOND,
            Self::Minutes => MINUTE,
            Self::Hours => HOUR,
            Self::Days => DAY,
        }
    }
}

type Units = [(&'static str, u128)];

const GO_UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", MINUTE),
    ("h", HOUR),
];

const SPRING_UNITS: [(&str, u128); 7] =
    [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", SECOND), ("m", MINUTE), ("h", HOUR), ("d", DAY)];

/// Beyond Go's: Prometheus and systemd (`y` is theirs), humantime, HOCON.
const WORD_UNITS: [(&str, u128); 41] = [
    ("nsec", 1),
    ("nano", 1),
    ("nanos", 1),
    ("nanosecond", 1),
    ("nanoseconds", 1),
    ("usec", 1_000),
    ("micro", 1_000),
    ("micros", 1_000),
    ("microsecond", 1_000),
    ("microseconds", 1_000),
    ("msec", 1_000_000),
    ("milli", 1_000_000),
    ("millis", 1_000_000),
    ("millisecond", 1_000_000),
    ("milliseconds", 1_000_000),
    ("sec", SECOND),
    ("secs", SECOND),
    ("second", SECOND),
    ("seconds", SECOND),
    ("min", MINUTE),
    ("mins", MINUTE),
    ("minute", MINUTE),
    ("minutes", MINUTE),
    ("hr", HOUR),
    ("hrs", HOUR),
    ("hour", HOUR),
    ("hours", HOUR),
    ("d", DAY),
    ("day", DAY),
    ("days", DAY),
    ("w", 7 * DAY),
    ("wk", 7 * DAY),
    ("week", 7 * DAY),
    ("weeks", 7 * DAY),
    ("y", 365 * DAY),
    // 30.44 and 365.25 days
    ("month", 2_630_016 * SECOND),
    ("months", 2_630_016 * SECOND),
    ("yr", 31_557_600 * SECOND),
    ("yrs", 31_557_600 * SECOND),
    ("year", 31_557_600 * SECOND),
    ("years", 31_557_600 * SECOND),
];

fn lookup(units: &Units, unit: &str) -> Option<u128> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size)
}

fn unknown_unit(unit: &str) -> DurationFault {
    DurationFault::UnknownUnit { unit: unit.chars().take(20).collect() }
}

fn sign(text: &str) -> (&str, bool) {
    match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    }
}

/// Digits and points, and what follows them.
fn number_and_rest(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(end)
}

/// A decimal number without sign and exponent.
fn plain(number: &str) -> Result<Decimal, DurationFault> {
    if number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        Ok(Decimal::parse(number)?)
    } else {
        Err(DurationFault::NotADuration)
    }
}

fn not_negative(duration: Duration, negative: bool) -> Parsed {
    if negative && !duration.is_zero() { Err(DurationFault::Negative) } else { Ok(duration) }
}

/// A number of units of so many nanoseconds, to the nearest nanosecond.
fn amount(number: Decimal, unit: u128) -> Duration {
    const PLACES: u32 = 18;
    let power = number.exponent.unsigned_abs();
    if number.mantissa == 0 {
        return Duration::ZERO;
    }
    if number.exponent >= 0 {
        let scaled = 10u128.checked_pow(power).and_then(|power| number.mantissa.checked_mul(power));
        return Duration::from_nanos(scaled.unwrap_or(u128::MAX).saturating_mul(unit));
    }
    let (whole, part) = match 10u128.checked_pow(power) {
        Some(one) => (number.mantissa / one, number.mantissa % one),
        None => (0, number.mantissa),
    };
    // 18 places of the longest unit are finer than a nanosecond, and fit.
    let part = match power.checked_sub(PLACES) {
        Some(beyond) => part / 10u128.checked_pow(beyond).unwrap_or(u128::MAX),
        None => part * 10u128.pow(PLACES - power),
    };
    let one = 10u128.pow(PLACES);
    let part = (part * unit + one / 2) / one;
    Duration::from_nanos(whole.saturating_mul(unit).saturating_add(part))
}

fn read_go(text: &str) -> Parsed {
    let (mut rest, negative) = sign(text);
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    let mut sum = Duration::ZERO;
    loop {
        let (number, after) = number_and_rest(rest);
        let decimal = plain(number)?;
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if unit.is_empty() {
            return Err(DurationFault::NoUnit);
        }
        let size = lookup(&GO_UNITS, unit).ok_or_else(|| unknown_unit(unit))?;
        sum = sum.plus(amount(decimal, size));
        rest = after;
        if rest.is_empty() {
            return not_negative(sum, negative);
        }
    }
}

/// Numbers with units, with blanks anywhere between them. Of the grammars that this joins some allow
/// decimals and some do not; no text means two things for it.
fn read_any_terms(text: &str) -> Parsed {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    loop {
        let (number, after) = number_and_rest(rest);
        let decimal = plain(number)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        match unit {
            "" if after.is_empty() => return Err(DurationFault::NoUnit),
            "" => return Err(DurationFault::NotADuration),
            "M" => return Err(DurationFault::Month),
            _ => {}
        }
        let name = unit.to_lowercase();
        let size = lookup(&GO_UNITS, &name).or_else(|| lookup(&WORD_UNITS, &name));
        sum = sum.plus(amount(decimal, size.ok_or_else(|| unknown_unit(unit))?));
        rest = after.trim_start();
        if rest.is_empty() {
            return Ok(sum);
        }
    }
}

fn read_iso8601(text: &str) -> Parsed {
    const UNITS: [(bool, char, u128); 5] = [
        (false, 'W', 7 * DAY),
        (false, 'D', DAY),
        (true, 'H', HOUR),
        (true, 'M', MINUTE),
        (true, 'S', SECOND),
    ];
    let (unsigned, mut negative) = sign(text);
    let mut rest = unsigned.strip_prefix(['p', 'P']).ok_or(DurationFault::NotADuration)?;
    let (mut sum, mut in_time, mut next_unit, mut terms) = (Duration::ZERO, false, 0, 0u64);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(['t', 'T']).filter(|after| !in_time && !after.is_empty()) {
            (rest, in_time) = (after, true);
            continue;
        }
        let (term, term_negative) = sign(rest);
        negative |= term_negative;
        let (number, after) = number_and_rest(term);
        let decimal = plain(number)?;
        let unit = after.chars().next().ok_or(DurationFault::NoUnit)?;
        let found =
            UNITS.iter().position(|(time, name, _)| *time == in_time && unit.eq_ignore_ascii_case(name));
        let index = found.ok_or_else(|| unknown_unit(&unit.to_string()))?;
        if index < next_unit {
            return Err(DurationFault::NotADuration);
        }
        if decimal.fraction && UNITS[index].1 != 'S' {
            return Err(DurationFault::Fraction);
        }
        sum = sum.plus(amount(decimal, UNITS[index].2));
        (rest, next_unit, terms) = (&after[unit.len_utf8()..], index + 1, terms + 1);
    }
    if terms == 0 { Err(DurationFault::NotADuration) } else { not_negative(sum, negative) }
}

fn read_timespan(text: &str) -> Parsed {
    let (unsigned, negative) = sign(text);
    let whole = |number: &str| {
        let decimal = plain(number)?;
        if decimal.fraction { Err(DurationFault::Fraction) } else { Ok(decimal) }
    };
    let on_the_clock = |number: &str, largest: u128| {
        let decimal = whole(number)?;
        if number.len() > 2 || decimal.mantissa > largest {
            return Err(DurationFault::OffTheClock);
        }
        Ok(decimal)
    };
    let Some((hours, rest)) = unsigned.split_once(':') else {
        return not_negative(amount(whole(unsigned)?, DAY), negative);
    };
    let (days, hours) = hours.split_once('.').unwrap_or(("0", hours));
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let (seconds, places) = seconds.split_once('.').unwrap_or((seconds, "0"));
    if places.len() > 7 {
        return Err(DurationFault::Fraction);
    }
    let mut part = whole(places)?;
    part.exponent = part.exponent.saturating_sub(places.len() as i32);
    let sum = [
        (whole(days)?, DAY),
        (on_the_clock(hours, 23)?, HOUR),
        (on_the_clock(minutes, 59)?, MINUTE),
        (on_the_clock(seconds, 59)?, SECOND),
        (part, SECOND),
    ]
    .into_iter()
    .fold(Duration::ZERO, |sum, (number, unit)| sum.plus(amount(number, unit)));
    not_negative(sum, negative)
}

impl From<DecimalError> for DurationFault {
    fn from(error: DecimalError) -> Self {
        match error {
            DecimalError::NotANumber => Self::NotADuration,
            DecimalError::TooLong => Self::TooLong,
        }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            DurationFault::NotADuration => f.write_str("is not a duration")?,
            DurationFault::NoUnit => f.write_str("has no unit")?,
            DurationFault::UnknownUnit { unit } => {
                write!(f, "has the unit `{unit}`, which does not exist here")?
            }
            DurationFault::Month => return f.write_str("is a month at best; a minute is a small `m`"),
            DurationFault::Negative => return f.write_str("is negative"),
            DurationFault::Fraction => f.write_str("has decimals that are not allowed here")?,
            DurationFault::OffTheClock => f.write_str("has more than 23 hours, 59 minutes or 59 seconds")?,
            DurationFault::TooLong => f.write_str("has too many digits")?,
        }
        write!(f, " (write it like {})", self.notation)
    }
}

impl std::error::Error for DurationError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    type Reader = fn(&str) -> Result<Duration, DurationError>;

    fn reads(reader: Reader, cases: &[(&str, &str)]) {
        for (text, shown) in cases {
            assert_eq!(reader(text).map(|d| d.to_string()).as_deref(), Ok(*shown), "{text:?}");
        }
    }

    fn refuses(reader: Reader, cases: &[(&str, DurationFault)]) {
        for (text, fault) in cases {
            assert_eq!(reader(text).map_err(|error| error.fault).as_ref(), Err(fault), "{text:?}");
        }
    }

    fn unit(unit: &str) -> DurationFault {
        DurationFault::UnknownUnit { unit: unit.into() }
    }

    use DurationFault::*;

    #[test]
    fn go_durations() {
        reads(
            go,
            &[
                ("250ms", "250 ms"),
                ("1.5s", "1.5 s"),
                ("1m30s", "90 s"),
                ("1h", "1 h"),
                ("300us", "300 µs"),
                ("1.5µs", "1.5 µs"),
                ("3μs", "3 µs"),
                ("0", "0 s"),
                ("-0", "0 s"),
                ("-0s", "0 s"),
                ("+5s", "5 s"),
                (".5s", "500 ms"),
                ("1.s", "1 s"),
                ("1.5h1.5m", "1 h 31 min 30 s"),
                ("0.0000000005s", "1 ns"),
                ("0.1000000000000000000000000000000000000000000000s", "100 ms"),
                ("99999999999999999999999999h", "over 31 billion years"),
            ],
        );
        refuses(
            go,
            &[
                ("", NotADuration),
                ("s", NotADuration),
                (".s", NotADuration),
                ("1.2.3s", NotADuration),
                ("30", NoUnit),
                ("1m30", NoUnit),
                ("-1s", Negative),
                ("1d", unit("d")),
                ("5S", unit("S")),
                ("1 s", unit(" s")),
                ("1e3s", unit("e")),
                ("١s", NotADuration),
                ("0.1234567890123456789012345678901234567890s", TooLong),
            ],
        );
    }

    #[test]
    fn protobuf_durations_are_seconds() {
        reads(
            protobuf,
            &[("1.5s", "1.5 s"), (".5s", "500 ms"), ("0s", "0 s"), ("0.000000001s", "1 ns"), ("90s", "90 s")],
        );
        refuses(
            protobuf,
            &[
                ("250ms", unit("ms")),
                ("1m", unit("m")),
                ("1m30s", unit("m30s")),
                ("5", NoUnit),
                ("0.0000000001s", Fraction),
                ("-1s", Negative),
                ("s", NotADuration),
            ],
        );
    }

    #[test]
    fn spring_durations_are_whole_numbers_of_one_unit() {
        let read: Reader = |text| spring(text, Unit::Millis);
        reads(
            read,
            &[
                ("500ms", "500 ms"),
                ("2s", "2 s"),
                ("2S", "2 s"),
                ("1m", "60 s"),
                ("1d", "1 d"),
                ("2", "2 ms"),
                ("PT0.5S", "500 ms"),
                ("pt1m", "60 s"),
            ],
        );
        refuses(
            read,
            &[
                ("1.5s", Fraction),
                ("1.5", Fraction),
                ("1m30s", unit("m30s")),
                ("2min", unit("min")),
                ("-2s", Negative),
                ("-PT2S", Negative),
                ("", NotADuration),
            ],
        );
        assert_eq!(spring("2", Unit::Seconds), Ok(Duration::from_secs(2)));
    }

    #[test]
    fn iso_8601_durations() {
        reads(
            iso8601,
            &[
                ("PT1.5S", "1.5 s"),
                ("PT5M", "5 min"),
                ("P1DT2H", "1 d 2 h"),
                ("pt30s", "30 s"),
                ("P2W", "14 d"),
                ("PT0S", "0 s"),
            ],
        );
        refuses(
            iso8601,
            &[
                ("P", NotADuration),
                ("PT", NotADuration),
                ("P1DT", NotADuration),
                ("PT5", NoUnit),
                ("P1M", unit("M")),
                ("P1Y", unit("Y")),
                ("PT1.5H", Fraction),
                ("PT5S3M", NotADuration),
                ("PT5MT3S", NotADuration),
                ("PT-5S", Negative),
                ("-PT5S", Negative),
                ("5s", NotADuration),
                ("PT5é", unit("é")),
            ],
        );
    }

    #[test]
    fn timespans() {
        reads(
            timespan,
            &[
                ("00:00:30", "30 s"),
                ("0:05:00", "5 min"),
                ("1.00:00:00", "1 d"),
                ("00:00:00.250", "250 ms"),
                ("00:00:00.0000001", "100 ns"),
                ("00:30", "30 min"),
                ("2", "2 d"),
            ],
        );
        refuses(
            timespan,
            &[
                ("24:00:00", OffTheClock),
                ("00:60:00", OffTheClock),
                ("00:00:000", OffTheClock),
                ("00:00:00.00000001", Fraction),
                ("1.5", Fraction),
                ("-00:00:01", Negative),
                ("00:00:00:00", NotADuration),
                (":", NotADuration),
                ("2s", NotADuration),
            ],
        );
    }

    #[test]
    fn argo_counts_bare_numbers_as_seconds() {
        reads(argo, &[("30", "30 s"), ("1m30s", "90 s"), ("0", "0 s"), ("1.5s", "1.5 s")]);
        refuses(argo, &[("1.5", NoUnit), ("-5", Negative), ("1d", unit("d")), ("", NotADuration)]);
    }

    #[test]
    fn numbers_take_the_unit_of_their_key() {
        for (text, unit, shown) in [
            ("30", Unit::Seconds, "30 s"),
            ("0.5", Unit::Seconds, "500 ms"),
            ("1e3", Unit::Millis, "1 s"),
            ("1.5e-1", Unit::Minutes, "9 s"),
            ("7", Unit::Nanos, "7 ns"),
            ("0.4", Unit::Nanos, "0 s"),
            ("1e-300", Unit::Days, "0 s"),
            ("1e300", Unit::Nanos, "over 31 billion years"),
            ("2", Unit::Days, "2 d"),
            ("90", Unit::Micros, "90 µs"),
            ("-0", Unit::Hours, "0 s"),
        ] {
            assert_eq!(with_unit(text, unit).map(|d| d.to_string()).as_deref(), Ok(shown), "{text}");
        }
        let read: Reader = |text| with_unit(text, Unit::Seconds);
        refuses(read, &[("1_000", NotADuration), ("-1", Negative), ("5s", NotADuration), ("", NotADuration)]);
    }

    #[test]
    fn hand_written_durations() {
        let read: Reader = |text| match any(text)? {
            Amount::Time(duration) => Ok(duration),
            other => panic!("{text}: {other:?}"),
        };
        reads(
            read,
            &[
                ("250ms", "250 ms"),
                ("1.5h30.5s", "1 h 30 min 30.5 s"),
                ("1d12h", "1 d 12 h"),
                ("2w", "14 d"),
                ("1y", "365 d"),
                ("1min 30s", "90 s"),
                ("2 hours", "2 h"),
                ("500 millis", "500 ms"),
                ("15 days", "15 d"),
                ("1.5 s", "1.5 s"),
                ("1.5d", "1 d 12 h"),
                ("16 min 40.5 s", "16 min 40.5 s"),
                ("PT1.5S", "1.5 s"),
                ("p1dt2h", "1 d 2 h"),
                ("00:01:30", "90 s"),
                ("100MS", "100 ms"),
                ("5S", "5 s"),
                ("1m", "60 s"),
                (" 3s ", "3 s"),
                ("300µs", "300 µs"),
            ],
        );
        refuses(
            read,
            &[
                ("", NotADuration),
                ("1M", Month),
                ("2 M", Month),
                ("-3s", Negative),
                ("3 fortnights", unit("fortnights")),
                ("1.5.2s", NotADuration),
                ("5s!", NotADuration),
                ("1h 30", NoUnit),
                ("soon", NotADuration),
                ("2,5s", NotADuration),
            ],
        );
        for word in ["never", "Infinite", "NONE", "unlimited", "off"] {
            assert_eq!(any(word), Ok(Amount::NoLimit));
        }
        for number in ["30", "-1", "0.5", "1e3"] {
            assert_eq!(any(number), Ok(Amount::Bare(number)));
        }
    }

    #[test]
    fn errors_are_clauses_about_the_text() {
        let said = |error: DurationError| error.to_string();
        assert_eq!(said(go("30").unwrap_err()), "has no unit (write it like 250ms, 1.5s or 1m30s)");
        assert_eq!(
            said(protobuf("1m").unwrap_err()),
            "has the unit `m`, which does not exist here (write it like 0.25s or 90s)"
        );
        assert_eq!(said(argo("-5").unwrap_err()), "is negative");
    }

    const READERS: [Reader; 8] = [
        go,
        protobuf,
        |text| spring(text, Unit::Millis),
        iso8601,
        timespan,
        argo,
        |text| with_unit(text, Unit::Days),
        |text| any(text).map(|_| Duration::ZERO),
    ];

    #[test]
    fn endless_texts_are_refused_or_saturate() {
        let digits = "9".repeat(100_000);
        for reader in READERS {
            for text in [format!("{digits}s"), format!("PT{digits}S"), format!("1.{digits}s"), digits.clone()]
            {
                assert!(reader(&text).is_err() || any(&text).is_err());
            }
            let _ = reader(&"1s".repeat(100_000));
            let _ = reader(&"-".repeat(100_000));
            let _ = reader(&"PT".repeat(100_000));
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_a_reader(text in "[-+0-9.:a-zA-Zµé ]{0,24}|\\PC{0,12}") {
            for reader in READERS {
                prop_assert!(reader(&text).map_or(true, |duration| duration <= Duration::LONGEST));
            }
        }

        #[test]
        fn go_reads_what_is_printed_without_its_blanks(nanos in 0u128..86_400_000_000_000) {
            let duration = Duration::from_nanos(nanos);
            let shown = duration.to_string();
            prop_assert_eq!(go(&shown.replace(" min", "m").replace(' ', "")), Ok(duration));
            prop_assert_eq!(any(&shown), Ok(Amount::Time(duration)));
        }

        #[test]
        fn notations_agree_on_whole_seconds(seconds in 0u64..86_400) {
            let duration = Ok(Duration::from_secs(seconds));
            prop_assert_eq!(protobuf(&format!("{seconds}s")), duration.clone());
            prop_assert_eq!(spring(&format!("{seconds}s"), Unit::Days), duration.clone());
            prop_assert_eq!(iso8601(&format!("PT{seconds}S")), duration.clone());
            prop_assert_eq!(argo(&seconds.to_string()), duration.clone());
            let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            prop_assert_eq!(timespan(&format!("{hours:02}:{minutes:02}:{rest:02}")), duration);
        }
    }
}
