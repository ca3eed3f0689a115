//! The arithmetic of policies. Pure functions, exact, without overflow.

mod exact;
pub mod fit;
mod growth;
mod repeats;
mod waits;

pub use repeats::Repeats;

use crate::model::{Bound, Duration, Policy};

/// What a policy really does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The wait before each retry; None where the waits are not known. At most 1,000 of them, and 10
    /// where attempts are unlimited.
    pub waits: Option<Vec<Wait>>,
    /// There are more waits than are listed.
    pub truncated: bool,
    /// Sum of all waits, the listed ones and the others, at the least.
    pub total_min: Bound<Duration>,
    /// Sum of all waits at the most.
    pub total_max: Bound<Duration>,
    /// What the policy asks for if every attempt fails as slowly as it may.
    pub demand: Bound<Duration>,
    /// What can really elapse.
    pub worst_case: Bound<Duration>,
}

/// The pause before one retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// At the least.
    pub min: Duration,
    /// At the most; with full jitter the excluded bound.
    pub max: Duration,
}

/// The most waits that are listed.
const LISTED: u64 = 1_000;
/// The same where they never end.
const LISTED_OF_UNLIMITED: u64 = 10;

/// Works a policy out.
pub fn schedule(policy: &Policy) -> Schedule {
    let repeats = Repeats::of(policy);
    let attempt = policy.attempt_timeout.bound;
    let (listed, truncated) = match policy.attempts.bound {
        Bound::At(attempts) => (Some(LISTED.min(attempts.saturating_sub(1))), attempts > LISTED + 1),
        Bound::Unlimited => (Some(LISTED_OF_UNLIMITED), true),
        Bound::Unknown => (None, false),
    };
    let waits = listed.and_then(|count| repeats.first_waits(count));
    let totals = repeats.totals();
    let demand = repeats.demand(attempt);
    Schedule {
        truncated: truncated && waits.is_some(),
        waits,
        total_min: totals.map(|[min, _]| min),
        total_max: totals.map(|[_, max]| max),
        demand,
        worst_case: repeats.within_deadline(demand, attempt),
    }
}

#[cfg(test)]
mod tests;
