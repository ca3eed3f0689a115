//! Durations: exact, saturating, as people write them and as people read them.

use std::fmt;

/// A span of time in whole nanoseconds. Sums and products stop at [`Duration::LONGEST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u128);

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

    /// Nothing or no more than nothing.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = f;
        unimplemented!()
    }
}
