//! How the wait grows, before ceiling and jitter.

use super::exact::Exact;
use crate::model::{Backoff, Duration, Growth, Jitter, Ratio, Rounding};

/// The waits of a growth, one at a time.
#[derive(Clone, Debug)]
pub(super) enum Course<'b> {
    /// This one from now on.
    Same(Duration),
    /// The rest of a list, not empty; its last one repeats.
    Listed(&'b [Duration]),
    /// Grows by a step.
    Adding { now: Duration, step: Duration },
    /// Grows by a factor.
    Multiplying { now: Exact, by: Ratio, whole_millis: bool },
    /// Envoy's doubling, in whole milliseconds.
    Doubling { now: Duration, cap: Duration },
    /// Doubles so many times, and then grows by the wait that it has reached.
    DoublingThenAdding { now: Duration, doublings: u32 },
    /// unit × number^exponent
    Power { unit: Duration, number: u64, exponent: u32 },
    /// Grows by the wait before.
    Fibonacci { now: Duration, next: Duration },
}

const DOUBLE: Ratio = Ratio::new(2, 1);
const TRIPLE: Ratio = Ratio::new(3, 1);

/// Whole milliseconds, and at least one, as Envoy takes both its intervals.
pub(super) fn envoy_millis(wait: Duration) -> Duration {
    wait.floor_millis().max(Duration::from_millis(1))
}

impl<'b> Course<'b> {
    /// The growth of a back-off from its first wait on; None where something it needs is not known. The
    /// ceiling is read by Envoy's alone.
    pub(super) fn of(backoff: &'b Backoff, jitter: Jitter, cap: Duration) -> Option<Self> {
        let whole_millis = backoff.rounding == Rounding::WholeMilliseconds;
        let initial = || {
            let initial = backoff.initial.at()?;
            Some(if whole_millis { initial.floor_millis() } else { initial })
        };
        let multiplying =
            |from: Duration, by| Self::Multiplying { now: Exact::new(from), by, whole_millis }.or_same(from);
        Some(match &backoff.growth {
            Growth::Unknown => return None,
            Growth::None | Growth::Ranges(_) => Self::Same(Duration::ZERO),
            // Each wait reaches up to three times the one before, the first up to three times the initial.
            _ if jitter == Jitter::Decorrelated => multiplying(initial()?.times(3), TRIPLE),
            Growth::Constant | Growth::Polynomial(0) => Self::Same(initial()?),
            Growth::List(waits) => {
                if waits.is_empty() {
                    Self::Same(Duration::ZERO)
                } else {
                    Self::Listed(waits)
                }
            }
            Growth::DoublingToCap => Self::Doubling { now: envoy_millis(initial()?), cap },
            Growth::Exponential => multiplying(initial()?, backoff.multiplier.at()?),
            Growth::Linear => {
                let step = initial()?;
                Self::Adding { now: step, step }.or_same(step)
            }
            Growth::DoublingThenLinear(doublings) => {
                let now = initial()?;
                Self::DoublingThenAdding { now, doublings: *doublings }.or_same(now)
            }
            Growth::Polynomial(exponent) => {
                let unit = initial()?;
                Self::Power { unit, number: 1, exponent: *exponent }.or_same(unit)
            }
            Growth::Fibonacci => {
                let now = initial()?;
                Self::Fibonacci { now, next: now }.or_same(now)
            }
            Growth::FibonacciFromSecond => {
                let now = initial()?;
                Self::Fibonacci { now, next: now.times(2) }.or_same(now)
            }
        })
    }

    /// No growth comes of nothing.
    fn or_same(self, first: Duration) -> Self {
        if first.is_zero() { Self::Same(first) } else { self }
    }

    /// The wait, before ceiling and jitter.
    pub(super) fn now(&self) -> Duration {
        match self {
            Self::Same(now)
            | Self::Adding { now, .. }
            | Self::Doubling { now, .. }
            | Self::DoublingThenAdding { now, .. }
            | Self::Fibonacci { now, .. } => *now,
            Self::Listed(waits) => waits.first().copied().unwrap_or_default(),
            Self::Multiplying { now, whole_millis: false, .. } => now.rounded(),
            Self::Multiplying { now, whole_millis: true, .. } => now.floor_millis(),
            Self::Power { unit, number, exponent } => {
                let power = u128::from(*number).checked_pow(*exponent);
                let nanos = power.and_then(|power| power.checked_mul(unit.nanos()));
                nanos.map_or(Duration::LONGEST, Duration::from_nanos)
            }
        }
    }

    /// What the waits tend to without ever turning back; None where they need not.
    pub(super) fn tends_to(&self) -> Option<Duration> {
        match self {
            Self::Same(now) => Some(*now),
            Self::Listed(_) => None,
            Self::Multiplying { by, .. } if *by < Ratio::ONE => Some(Duration::ZERO),
            Self::Doubling { cap, .. } => Some(*cap),
            _ => Some(Duration::LONGEST),
        }
    }

    /// On to the next wait.
    pub(super) fn advance(&mut self) {
        match self {
            Self::Same(_) => {}
            Self::Listed(waits) => match *waits {
                [_, rest @ ..] if !rest.is_empty() => *waits = rest,
                _ => *self = Self::Same(self.now()),
            },
            Self::Adding { now, step } => *now = now.plus(*step),
            Self::Multiplying { now, by, whole_millis } => {
                let mut next = now.times(*by);
                if *whole_millis {
                    next = Exact::new(next.floor_millis());
                }
                if next == *now {
                    *self = Self::Same(self.now());
                } else {
                    *now = next;
                }
            }
            Self::Doubling { now, cap } => {
                // Whole milliseconds are halved as whole milliseconds.
                if *now < cap.half().floor_millis() {
                    *now = now.scale(DOUBLE);
                } else {
                    *self = Self::Same(*cap);
                }
            }
            Self::DoublingThenAdding { now, doublings: 0 } => {
                *self = Self::Adding { now: now.times(2), step: *now };
            }
            Self::DoublingThenAdding { now, doublings } => {
                *now = now.times(2);
                *doublings -= 1;
            }
            Self::Power { number, .. } => *number = number.saturating_add(1),
            Self::Fibonacci { now, next } => (*now, *next) = (*next, now.plus(*next)),
        }
    }
}
