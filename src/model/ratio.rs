//! Exact fractions: multipliers and jitter factors.

/// A fraction of whole numbers, not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// 0
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// 1
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// numerator / denominator; the denominator is not 0.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        assert!(denominator != 0);
        Self { numerator, denominator }
    }
}
