//! Durations: exact, saturating, and printed for people. How files write them is in [`super::notation`].

use super::Ratio;
use serde::{Serialize, Serializer};
use std::fmt;

/// A span of time in whole nanoseconds. Sums and products stop at [`Duration::LONGEST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u128);

const MICRO: u128 = 1_000;
const MILLI: u128 = 1_000_000;
pub(super) const SECOND: u128 = 1_000_000_000;
pub(super) const MINUTE: u128 = 60 * SECOND;
pub(super) const HOUR: u128 = 60 * MINUTE;
pub(super) const DAY: u128 = 24 * HOUR;

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
        Self::from_nanos(millis as u128 * MILLI)
    }

    /// From seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_nanos(secs as u128 * SECOND)
    }

    /// In nanoseconds.
    pub const fn nanos(self) -> u128 {
        self.0
    }

    /// Nothing or no more than nothing.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum, or [`Duration::LONGEST`].
    pub const fn plus(self, other: Self) -> Self {
        Self::from_nanos(self.0 + other.0)
    }

    /// The difference, or zero.
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// So many of it, or [`Duration::LONGEST`].
    pub const fn times(self, count: u64) -> Self {
        Self::from_nanos(self.0.saturating_mul(count as u128))
    }

    /// Half of it, to the nanosecond below.
    pub const fn half(self) -> Self {
        Self(self.0 / 2)
    }

    /// The product, to the nearest nanosecond, or [`Duration::LONGEST`].
    pub fn scale(self, ratio: Ratio) -> Self {
        let (numerator, denominator) = (u128::from(ratio.numerator()), u128::from(ratio.denominator()));
        let whole = (self.0 / denominator).saturating_mul(numerator);
        let part = (self.0 % denominator * numerator + denominator / 2) / denominator;
        Self::from_nanos(whole.saturating_add(part))
    }

    /// Cut to whole milliseconds.
    pub const fn floor_millis(self) -> Self {
        Self(self.0 - self.0 % MILLI)
    }

    /// Raised to whole milliseconds.
    pub const fn ceil_millis(self) -> Self {
        Self(self.0.next_multiple_of(MILLI))
    }

    /// As a number of milliseconds for JSON: whole where it is whole, else with decimals.
    pub fn millis(self) -> Millis {
        Millis(self)
    }
}

/// A duration that serializes as a number of milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millis(Duration);

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = self.0.nanos();
        match u64::try_from(nanos / MILLI) {
            Ok(millis) if nanos.is_multiple_of(MILLI) => serializer.serialize_u64(millis),
            _ => serializer.serialize_f64(nanos as f64 / MILLI as f64),
        }
    }
}

/// Exact and in the units that people would take: `175 ms`, `8.175 s`, `2 d 7 h 33 min 20 s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0 s"),
            nanos if nanos < MICRO => write!(f, "{nanos} ns"),
            nanos if nanos < MILLI => decimal(f, nanos, MICRO, "µs"),
            nanos if nanos < SECOND => decimal(f, nanos, MILLI, "ms"),
            nanos if nanos < 2 * MINUTE => decimal(f, nanos, SECOND, "s"),
            nanos if nanos >= Self::LONGEST.0 => f.write_str("over 31 billion years"),
            mut nanos => {
                let mut space = "";
                for (size, unit) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "min")] {
                    if nanos >= size {
                        write!(f, "{space}{} {unit}", nanos / size)?;
                        nanos %= size;
                        space = " ";
                    }
                }
                if nanos == 0 {
                    return Ok(());
                }
                f.write_str(space)?;
                decimal(f, nanos, SECOND, "s")
            }
        }
    }
}

/// `nanos` in units of `size`, a power of ten, without zeros at the end.
fn decimal(f: &mut fmt::Formatter<'_>, nanos: u128, size: u128, unit: &str) -> fmt::Result {
    write!(f, "{}", nanos / size)?;
    if !nanos.is_multiple_of(size) {
        let digits = (size + nanos % size).to_string();
        write!(f, ".{}", digits[1..].trim_end_matches('0'))?;
    }
    write!(f, " {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(nanos: u128) -> String {
        Duration::from_nanos(nanos).to_string()
    }

    #[test]
    fn prints_exactly_in_the_units_people_would_take() {
        assert_eq!(shown(0), "0 s");
        assert_eq!(shown(5), "5 ns");
        assert_eq!(shown(1_500), "1.5 µs");
        assert_eq!(shown(500_000), "500 µs");
        assert_eq!(shown(12_500_000), "12.5 ms");
        assert_eq!(shown(175 * MILLI), "175 ms");
        assert_eq!(shown(8_175 * MILLI), "8.175 s");
        assert_eq!(shown(1_000_000_001), "1.000000001 s");
        assert_eq!(shown(90 * SECOND), "90 s");
        assert_eq!(shown(120 * SECOND), "2 min");
        assert_eq!(shown(1_000_500 * MILLI), "16 min 40.5 s");
        assert_eq!(shown(8 * HOUR + 32 * MINUTE), "8 h 32 min");
        assert_eq!(shown(200_000 * SECOND), "2 d 7 h 33 min 20 s");
        assert_eq!(shown(DAY + MILLI), "1 d 0.001 s");
        assert_eq!(shown(u128::MAX), "over 31 billion years");
    }

    #[test]
    fn milliseconds_are_whole_numbers_where_they_can_be() {
        let json = |nanos| serde_json::to_string(&Duration::from_nanos(nanos).millis()).unwrap();
        assert_eq!(json(0), "0");
        assert_eq!(json(8_175 * MILLI), "8175");
        assert_eq!(json(1_757_600_000), "1757.6");
        assert_eq!(json(1), "1e-6");
        assert_eq!(json(u128::MAX), "1e+21");
        assert!(serde_json::to_value(Duration::LONGEST.millis()).is_ok());
    }

    #[test]
    fn scaling_rounds_to_the_nearest_nanosecond() {
        let scaled = |nanos, n, d| Duration::from_nanos(nanos).scale(Ratio::new(n, d)).nanos();
        assert_eq!(scaled(10, 1, 3), 3);
        assert_eq!(scaled(10, 2, 3), 7);
        assert_eq!(scaled(1, 1, 2), 1);
        assert_eq!(scaled(2_197_000_000, 6, 5), 2_636_400_000);
    }

    proptest! {
        #[test]
        fn arithmetic_never_overflows(a: u128, b: u128, count: u64, n: u64, d in 1u64..) {
            let (a, b) = (Duration::from_nanos(a), Duration::from_nanos(b));
            prop_assert!(a.plus(b) >= a && a.plus(b) <= Duration::LONGEST);
            prop_assert!(a.minus(b) <= a);
            prop_assert!(a.times(count) <= Duration::LONGEST);
            prop_assert!(a.scale(Ratio::new(n, d)) <= Duration::LONGEST);
            prop_assert!(a.floor_millis() <= a && a <= a.ceil_millis());
        }

        #[test]
        fn scaling_by_a_whole_number_is_multiplying(nanos: u64, count: u64) {
            let duration = Duration::from_nanos(nanos.into());
            prop_assert_eq!(duration.scale(Ratio::new(count, 1)), duration.times(count));
        }

        #[test]
        fn no_two_durations_print_alike(a in 0..Duration::LONGEST.0, b in 0..Duration::LONGEST.0) {
            prop_assert_eq!(a == b, shown(a) == shown(b));
            prop_assert_ne!(shown(a), shown(a + 1));
        }
    }
}
