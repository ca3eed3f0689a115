//! Numbers, times and words in the notation that they are written in. The unit of a number is what its value
//! is divided by it, and never a guess.

use crate::model::Duration;

/// The units that times are written in, in nanoseconds.
const UNITS: [u128; 8] =
    [1, 1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND, 7 * 86_400 * SECOND];
const SECOND: u128 = 1_000_000_000;
/// What may stand before the number of a time: ISO 8601.
const BEFORE: [&str; 4] = ["", "P", "PT", "pt"];

/// A count that stands for `from` attempts, of attempts or of retries, as one for `to`.
pub(super) fn attempts(written: &str, from: u64, to: u64) -> Option<String> {
    let number: u64 = plain(written)?.parse().ok()?;
    let first = from.checked_sub(number).filter(|first| *first <= 1)?;
    Some(grouped(&to.checked_sub(first)?.to_string(), written))
}

/// A time that stands for `from` as one of at least `to`: one number with at most a unit. A number without a
/// fraction stays one, and is rounded up by less than a second at the most.
pub(super) fn time(written: &str, from: Duration, to: Duration) -> Option<String> {
    let start = written.find(|char: char| char.is_ascii_digit())?;
    let (before, rest) = written.split_at(start);
    let end =
        rest.find(|char: char| !(char.is_ascii_digit() || matches!(char, '.' | '_'))).unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let lettered = unit.chars().all(|char| char.is_alphabetic() || char == ' ');
    // a word for one of it, as in "1 minute"
    let singular = unit.trim().len() > 3 && !unit.ends_with('s');
    if !BEFORE.contains(&before) || !lettered || singular || !before.is_empty() && unit.is_empty() {
        return None;
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let places = u32::try_from(fraction.len()).ok().filter(|places| *places <= 9)?;
    let scale = 10u128.pow(places);
    let digits: u128 = format!("{}{fraction}", plain(whole)?).parse().ok().filter(|digits| *digits > 0)?;
    // the unit, and no other number, makes this of that
    let nanos = from.nanos().checked_mul(scale)?;
    let size = nanos.is_multiple_of(digits).then_some(nanos / digits).filter(|size| UNITS.contains(size))?;
    let (count, part) = (to.nanos() / size, to.nanos() % size);
    let new = match (number.contains('.'), part) {
        (false, 0) => count.to_string(),
        (false, _) if size <= SECOND => (count + 1).to_string(),
        (false, _) => return None,
        (true, _) if (part * SECOND).is_multiple_of(size) => {
            let places = format!("{:09}", part * SECOND / size);
            let places = places.trim_end_matches('0');
            format!("{count}.{}", if places.is_empty() { "0" } else { places })
        }
        (true, _) => return None,
    };
    let new = if number.contains('_') { grouped(&new, number) } else { new };
    Some(format!("{before}{new}{unit}"))
}

/// One word that another may stand for.
pub(super) fn is_word(written: &str) -> bool {
    !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The digits of a decimal number without a zero before it, and without the `_` between its thousands.
fn plain(written: &str) -> Option<String> {
    let groups: Vec<_> = written.split('_').collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let thousands =
        groups.len() == 1 || groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    let padded = written.starts_with('0') && written.len() > 1;
    (thousands && !padded && groups.iter().all(|group| digits(group))).then(|| groups.concat())
}

/// Digits with `_` between thousands where the old ones had them.
fn grouped(digits: &str, old: &str) -> String {
    if !old.contains('_') {
        return digits.to_string();
    }
    let (whole, fraction) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut grouped = String::new();
    for (n, digit) in whole.char_indices() {
        if n > 0 && (whole.len() - n) % 3 == 0 {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longer(written: &str, from: u64, to: u64) -> Option<String> {
        time(written, Duration::from_millis(from), Duration::from_millis(to))
    }

    #[test]
    fn times_keep_their_unit_and_notation() {
        for (written, from, to, new) in [
            ("30", 30_000, 540_000, "540"),
            ("30", 30, 540, "540"),
            ("30s", 30_000, 540_000, "540s"),
            ("PT30S", 30_000, 540_000, "PT540S"),
            ("0.5s", 500, 1_250, "1.25s"),
            ("0.5", 500, 2_000, "2.0"),
            ("30_000", 30_000, 540_000, "540_000"),
            ("999_000", 999_000, 1_540_000, "1_540_000"),
            ("9_000", 9_000, 540, "540"),
            ("2 m", 120_000, 180_000, "3 m"),
            ("30 seconds", 30_000, 40_000, "40 seconds"),
        ] {
            assert_eq!(longer(written, from, to).as_deref(), Some(new), "{written}");
        }
    }

    #[test]
    fn whole_numbers_are_rounded_up_by_less_than_a_second() {
        assert_eq!(longer("30s", 30_000, 95_500).as_deref(), Some("96s"));
        assert_eq!(longer("1m", 60_000, 95_500), None);
    }

    #[test]
    fn what_does_not_follow_from_the_value_or_is_written_otherwise_is_left() {
        for (written, from) in [
            ("0", 0),
            ("30", 45_000),
            ("1m30s", 90_000),
            ("00:00:30", 30_000),
            ("030", 30_000),
            ("1e3", 1_000),
            ("0x1e", 30),
            ("${WAIT}", 30_000),
            ("1 minute", 60_000),
            ("-5", 5_000),
            ("", 5),
            ("P30", 30_000),
            ("3_0", 30_000),
        ] {
            assert_eq!(longer(written, from, 600_000), None, "{written}");
        }
    }

    #[test]
    fn counts_are_of_attempts_or_of_retries_and_of_nothing_else() {
        assert_eq!(attempts("4", 4, 2).as_deref(), Some("2"));
        assert_eq!(attempts("3", 4, 2).as_deref(), Some("1"));
        for (written, from) in [("8", 5), ("1", 4), ("04", 4), ("4.0", 4), ("four", 4), ("+4", 4)] {
            assert_eq!(attempts(written, from, 2), None, "{written}");
        }
    }
}
