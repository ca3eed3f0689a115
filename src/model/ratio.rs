//! Exact fractions: multipliers and jitter factors.

use std::cmp::Ordering;
use std::fmt;

/// A fraction of whole numbers, not negative, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

/// Why a text is no ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioError {
    /// It is not a decimal number.
    NotANumber,
    /// It is under 0.
    Negative,
}

/// Digits that are kept of a number; what follows is rounded.
const DIGITS: usize = 18;

impl Ratio {
    /// 0
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// 1
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// numerator / denominator; the denominator is not 0.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        assert!(denominator != 0);
        let common = gcd(numerator, denominator);
        Self { numerator: numerator / common, denominator: denominator / common }
    }

    /// The number above the line.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The number below the line, not 0.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }

    /// A decimal number, with an exponent or without: exact to 18 digits. Too large a number is the
    /// largest there is, too small a one is 0.
    pub fn parse(text: &str) -> Result<Self, RatioError> {
        let Decimal { digits, exponent, negative } = Decimal::parse(text).ok_or(RatioError::NotANumber)?;
        if negative && digits != 0 {
            return Err(RatioError::Negative);
        }
        if digits == 0 {
            return Ok(Self::ZERO);
        }
        let power = |exponent: u64| u32::try_from(exponent).ok().and_then(|exponent| 10u64.checked_pow(exponent));
        Ok(match (exponent, power(exponent.unsigned_abs())) {
            (0.., Some(power)) => Self::new(digits.saturating_mul(power), 1),
            (0.., None) => Self::new(u64::MAX, 1),
            (_, Some(power)) => Self::new(digits, power),
            (_, None) => Self::tiny(digits, exponent),
        })
    }

    /// digits × 10^exponent with an exponent under −19.
    fn tiny(digits: u64, exponent: i64) -> Self {
        let spare = exponent.unsigned_abs().saturating_sub(19);
        let kept = u32::try_from(spare).ok().and_then(|spare| 10u64.checked_pow(spare)).map_or(0, |cut| digits / cut);
        Self::new(kept, 10u64.pow(19))
    }

    /// A whole part of it.
    pub const fn over(self, divisor: u64) -> Self {
        Self::new(self.numerator, self.denominator.saturating_mul(divisor))
    }

    /// 1 less it, or 0.
    pub const fn one_minus(self) -> Self {
        Self::new(self.denominator.saturating_sub(self.numerator), self.denominator)
    }

    /// 1 and it.
    pub const fn one_plus(self) -> Self {
        Self::new(self.denominator.saturating_add(self.numerator), self.denominator)
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    if a == 0 { 1 } else { a }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        left.cmp(&(u128::from(other.numerator) * u128::from(self.denominator)))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator / self.denominator)?;
        let mut rest = u128::from(self.numerator % self.denominator);
        let denominator = u128::from(self.denominator);
        if rest > 0 {
            write!(f, ".")?;
        }
        for _ in 0..DIGITS + 2 {
            if rest == 0 {
                break;
            }
            rest *= 10;
            write!(f, "{}", rest / denominator)?;
            rest %= denominator;
        }
        Ok(())
    }
}

/// digits × 10^exponent, as read from a text.
pub(super) struct Decimal {
    pub(super) digits: u64,
    pub(super) exponent: i64,
    pub(super) negative: bool,
}

impl Decimal {
    /// An optional sign, digits with or without a point, an optional exponent. The first 18 digits that
    /// count are kept.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let (mut digits, mut dropped, mut kept, mut round_up) = (0u64, 0i64, 0, false);
        for digit in whole.bytes().chain(fraction.bytes()) {
            if kept < DIGITS {
                digits = digits * 10 + u64::from(digit - b'0');
                kept += usize::from(digits > 0);
            } else {
                round_up |= dropped == 0 && digit >= b'5';
                dropped += 1;
            }
        }
        let exponent = exponent.saturating_sub(fraction.len() as i64).saturating_add(dropped);
        Some(Self { digits: digits + u64::from(round_up), exponent, negative })
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(1_000_000_000i64).min(1_000_000_000);
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, numerator, denominator) in
            [("1.3", 13, 10), ("2", 2, 1), ("2.0", 2, 1), ("0.25", 1, 4), ("1e3", 1000, 1), (".5", 1, 2), ("0", 0, 1), ("1e-2", 1, 100)]
        {
            assert_eq!(Ratio::parse(text), Ok(Ratio::new(numerator, denominator)), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_held_is_the_nearest_that_can() {
        assert_eq!(Ratio::parse("1e300"), Ok(Ratio::new(u64::MAX, 1)));
        assert_eq!(Ratio::parse("1e-300"), Ok(Ratio::ZERO));
        assert_eq!(Ratio::parse(&"9".repeat(100_000)), Ok(Ratio::new(u64::MAX, 1)));
        assert_eq!(Ratio::parse("1.0000000000000000004"), Ok(Ratio::ONE));
        assert_eq!(Ratio::parse("5e-20"), Ok(Ratio::new(0, 1)));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", ".", "-", "1.2.3", "x", "1e", "0x10", "1_000", "∞"] {
            assert_eq!(Ratio::parse(text), Err(RatioError::NotANumber), "{text}");
        }
        assert_eq!(Ratio::parse("-0.5"), Err(RatioError::Negative));
    }

    #[test]
    fn ratios_print_as_people_write_them() {
        for text in ["1.5", "2", "0.2", "1.3", "0"] {
            assert_eq!(Ratio::parse(text).unwrap().to_string(), text);
        }
    }
}
