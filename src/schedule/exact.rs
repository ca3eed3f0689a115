//! A wait that is multiplied again and again without drifting.

use crate::model::{Duration, Ratio};
use num_bigint::BigUint;

/// Bits below the nanosecond. The longest duration has 90 bits, so that even what grows from 1 ns to it
/// is off by less than 2^−37 ns.
const FRACTION_BITS: u64 = 128;

/// A number of nanoseconds in fixed point, at most [`Duration::LONGEST`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exact(BigUint);

impl Exact {
    pub(super) fn new(duration: Duration) -> Self {
        Self(BigUint::from(duration.nanos()) << FRACTION_BITS)
    }

    pub(super) fn times(&self, ratio: Ratio) -> Self {
        let denominator = ratio.denominator();
        let product = (&self.0 * ratio.numerator() + denominator / 2) / denominator;
        Self(product.min(Self::new(Duration::LONGEST).0))
    }

    /// To the nearest nanosecond.
    pub(super) fn rounded(&self) -> Duration {
        let half = BigUint::from(1u8) << (FRACTION_BITS - 1);
        nanos(&((&self.0 + half) >> FRACTION_BITS))
    }

    pub(super) fn floor_millis(&self) -> Duration {
        nanos(&(&self.0 >> FRACTION_BITS)).floor_millis()
    }
}

fn nanos(number: &BigUint) -> Duration {
    number.try_into().map_or(Duration::LONGEST, Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_steps_of_a_fractional_multiplier_are_exact_to_the_nanosecond() {
        let mut wait = Exact::new(Duration::from_secs(1));
        for _ in 0..30 {
            wait = wait.times(Ratio::new(13, 10));
        }
        // 1.3^30 = 2619.995643649944960380551432833049
        assert_eq!(wait.rounded(), Duration::from_nanos(2_619_995_643_650));
    }

    #[test]
    fn growth_stops_at_the_longest() {
        let wait = Exact::new(Duration::LONGEST).times(Ratio::new(u64::MAX, 1));
        assert_eq!(wait.rounded(), Duration::LONGEST);
        assert_eq!(wait.times(Ratio::ZERO).rounded(), Duration::ZERO);
    }
}
