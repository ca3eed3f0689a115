//! Decimal numbers as files write them, kept exact.

/// mantissa × 10^exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// A minus sign stands before it.
    pub negative: bool,
    /// It is written with a point or an exponent.
    pub fraction: bool,
    /// Up to [`MOST_DIGITS`] digits.
    pub mantissa: u128,
    /// Power of ten; it saturates.
    pub exponent: i32,
}

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalError {
    /// Something else than digits, one point and an exponent.
    NotANumber,
    /// More significant digits than are kept.
    TooLong,
}

/// The most significant digits of a number.
pub(super) const MOST_DIGITS: u32 = 38;

impl Decimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]`; digits may be missing on one side of the point.
    pub fn parse(text: &str) -> Result<Self, DecimalError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (digits, power) = match unsigned.split_once(['e', 'E']) {
            Some((digits, power)) => (digits, read_exponent(power)?),
            None => (unsigned, 0),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && part.is_empty() || !is_digits(whole) || !is_digits(part) {
            return Err(DecimalError::NotANumber);
        }
        let zeros = part.len() - part.trim_end_matches('0').len();
        let significant =
            whole.bytes().chain(part.bytes().take(part.len() - zeros)).skip_while(|b| *b == b'0');
        let mut mantissa: u128 = 0;
        for (count, digit) in (1..).zip(significant) {
            if count > MOST_DIGITS {
                return Err(DecimalError::TooLong);
            }
            mantissa = mantissa * 10 + u128::from(digit - b'0');
        }
        let places = i32::try_from(part.len() - zeros).unwrap_or(i32::MAX);
        Ok(Self {
            negative: text.starts_with('-') && mantissa != 0,
            fraction: unsigned.contains(['.', 'e', 'E']),
            mantissa,
            exponent: power.saturating_sub(places),
        })
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn read_exponent(text: &str) -> Result<i32, DecimalError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !is_digits(digits) {
        return Err(DecimalError::NotANumber);
    }
    let size = digits.bytes().fold(0i32, |sum, b| sum.saturating_mul(10).saturating_add(i32::from(b - b'0')));
    Ok(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (u128, i32) {
        let decimal = Decimal::parse(text).unwrap();
        (decimal.mantissa, decimal.exponent)
    }

    #[test]
    fn point_and_exponent_move_the_power_of_ten() {
        assert_eq!(read("1.50"), (15, -1));
        assert_eq!(read(".5"), (5, -1));
        assert_eq!(read("5."), (5, 0));
        assert_eq!(read("1e3"), (1, 3));
        assert_eq!(read("2.5E-2"), (25, -3));
        assert_eq!(read("1e99999999999"), (1, i32::MAX));
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in ["", ".", "-", "1_000", "1.2.3", "e3", "1e", "0x10", "inf", "٣", "--1", " 1"] {
            assert_eq!(Decimal::parse(text), Err(DecimalError::NotANumber), "{text:?}");
        }
    }

    #[test]
    fn only_significant_digits_count() {
        let zeros = "0".repeat(1_000_000);
        assert_eq!(read(&format!("{zeros}7.{zeros}")), (7, 0));
        assert_eq!(Decimal::parse(&"9".repeat(1_000_000)), Err(DecimalError::TooLong));
        assert!(Decimal::parse(&"9".repeat(38)).is_ok());
    }
}
