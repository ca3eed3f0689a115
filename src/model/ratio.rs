//! Exact fractions: multipliers and jitter factors.

use super::decimal::{Decimal, DecimalError};
use std::cmp::Ordering;
use std::fmt;

/// A fraction of whole numbers, not negative, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

/// Why a text is no ratio. Its `Display` is a clause about the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioError {
    /// No decimal number.
    NotANumber,
    /// Less than zero.
    Negative,
    /// More digits than any setting needs.
    TooLong,
}

/// Digits that are kept of a longer number; with them every power of ten below fits 64 bits.
const KEPT_DIGITS: u32 = 18;

impl Ratio {
    /// 0
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// 1
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// numerator / denominator; the denominator is not 0.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        assert!(denominator != 0);
        let divisor = gcd(numerator as u128, denominator as u128) as u64;
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// From decimal text (`1.3`, `2`, `1e3`), exact for up to 18 significant digits. What is larger than
    /// 2^64 − 1 becomes that.
    pub fn parse(text: &str) -> Result<Self, RatioError> {
        let decimal = Decimal::parse(text).map_err(|error| match error {
            DecimalError::NotANumber => RatioError::NotANumber,
            DecimalError::TooLong => RatioError::TooLong,
        })?;
        if decimal.negative {
            return Err(RatioError::Negative);
        }
        let (mut mantissa, mut exponent) = (decimal.mantissa, decimal.exponent);
        while mantissa >= 10u128.pow(KEPT_DIGITS) || exponent < -(KEPT_DIGITS as i32) && mantissa != 0 {
            mantissa = (mantissa + 5) / 10;
            exponent = exponent.saturating_add(1);
        }
        if mantissa == 0 {
            return Ok(Self::ZERO);
        }
        let power = 10u128.checked_pow(exponent.unsigned_abs());
        Ok(match power {
            Some(power) if exponent < 0 => Self::from_wide(mantissa, power),
            Some(power) => Self::from_wide(mantissa.saturating_mul(power), 1),
            None => Self::LARGEST,
        })
    }

    const LARGEST: Self = Self { numerator: u64::MAX, denominator: 1 };

    /// 1 − this, and 0 where this is more than 1.
    pub fn one_minus(self) -> Self {
        Self::new(self.denominator.saturating_sub(self.numerator), self.denominator)
    }

    /// 1 + this.
    pub fn plus_one(self) -> Self {
        Self::from_wide(u128::from(self.numerator) + u128::from(self.denominator), self.denominator.into())
    }

    /// The part above the line.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The part below the line, not 0.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }

    /// The nearest ratio of 64-bit numbers.
    fn from_wide(numerator: u128, denominator: u128) -> Self {
        let divisor = gcd(numerator, denominator);
        let (mut numerator, mut denominator) = (numerator / divisor, denominator / divisor);
        while numerator > u64::MAX.into() || denominator > u64::MAX.into() {
            numerator >>= 1;
            denominator >>= 1;
        }
        if denominator == 0 { Self::LARGEST } else { Self::new(numerator as u64, denominator as u64) }
    }
}

const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let cross = |a: &Self, b: &Self| u128::from(a.numerator) * u128::from(b.denominator);
        cross(self, other).cmp(&cross(other, self))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As a decimal where it ends, else as a fraction.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let denominator = u128::from(self.denominator);
        let mut rest = u128::from(self.numerator) % denominator;
        let mut digits = String::new();
        while rest != 0 && digits.len() < 20 {
            rest *= 10;
            digits.push(char::from(b'0' + (rest / denominator) as u8));
            rest %= denominator;
        }
        match (rest, digits.is_empty()) {
            (0, true) => write!(f, "{}", self.numerator),
            (0, false) => write!(f, "{}.{digits}", self.numerator / self.denominator),
            _ => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "is not a number",
            Self::Negative => "is negative",
            Self::TooLong => "has too many digits",
        })
    }
}

impl std::error::Error for RatioError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Ratio {
        Ratio::parse(text).unwrap()
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(read("1.3"), Ratio::new(13, 10));
        assert_eq!(read("0.25"), Ratio::new(1, 4));
        assert_eq!(read("1e3"), Ratio::new(1000, 1));
        assert_eq!(read("0.000"), Ratio::ZERO);
        assert_eq!(read("1.00000000000000001"), Ratio::new(100_000_000_000_000_001, 100_000_000_000_000_000));
    }

    #[test]
    fn longer_numbers_are_rounded_to_eighteen_digits() {
        assert_eq!(read("0.3333333333333333333333"), Ratio::new(333_333_333_333_333_333, 10u64.pow(18)));
        assert_eq!(read("1e-40"), Ratio::ZERO);
        assert_eq!(read("1e-2147483648"), Ratio::ZERO);
    }

    #[test]
    fn huge_numbers_stop_at_the_largest() {
        for text in ["1e300", "1e20", "1e2147483647", "99999999999999999999999"] {
            assert_eq!(read(text), Ratio::LARGEST, "{text}");
        }
        assert_eq!(Ratio::LARGEST.plus_one(), Ratio::LARGEST);
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(Ratio::parse("-0.5"), Err(RatioError::Negative));
        assert_eq!(Ratio::parse("NaN"), Err(RatioError::NotANumber));
        assert_eq!(Ratio::parse(&"9".repeat(1_000_000)), Err(RatioError::TooLong));
    }

    #[test]
    fn prints_as_people_write() {
        assert_eq!(read("1.50").to_string(), "1.5");
        assert_eq!(read("2").to_string(), "2");
        assert_eq!(read("0.05").to_string(), "0.05");
        assert_eq!(Ratio::new(1, 3).to_string(), "1/3");
    }

    #[test]
    fn one_minus_and_plus_one() {
        assert_eq!(read("0.2").one_minus(), read("0.8"));
        assert_eq!(read("3").one_minus(), Ratio::ZERO);
        assert_eq!(read("0.2").plus_one(), read("1.2"));
    }

    proptest! {
        #[test]
        fn what_it_prints_it_reads(numerator in 0u64..1_000_000_000, places in 0u32..9) {
            let ratio = Ratio::new(numerator, 10u64.pow(places));
            prop_assert_eq!(read(&ratio.to_string()), ratio);
        }

        #[test]
        fn order_is_that_of_the_quotients(a: u64, b in 1u64.., c: u64, d in 1u64..) {
            let (x, y) = (Ratio::new(a, b), Ratio::new(c, d));
            let (fx, fy) = (a as f64 / b as f64, c as f64 / d as f64);
            prop_assert!(fx <= fy * 1.000001 || x > y);
            prop_assert!(x.one_minus() <= Ratio::ONE && x.plus_one() >= x);
        }
    }
}
