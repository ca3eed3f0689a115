//! What fits into a deadline. An attempt timeout that is not known, or that there is none of, counts as no
//! time here: what does not fit then does not fit in any case.

use super::Repeats;
use crate::model::{Backoff, Bound, Duration, Policy};
use std::borrow::Cow;

/// What the policy asks for at the least.
pub fn least_demand(policy: &Policy) -> Bound<Duration> {
    Repeats::of(policy).demand(Bound::At(attempt(policy)))
}

/// By how much that is over the policy's deadline, if waits that are not known take no time either; None where it
/// is not, or where one of them has no end or is not known.
pub fn shortfall(policy: &Policy) -> Option<Duration> {
    let least = least_demand(policy).at().or_else(|| least_demand(&without_waits(policy)).at())?;
    let over = least.minus(policy.deadline.at()?);
    (!over.is_zero()).then_some(over)
}

/// How many of the policy's attempts fit into a time if each takes its full timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fitting {
    /// With the largest waits.
    pub least: u64,
    /// With the smallest waits.
    pub most: u64,
    /// Why there may be fewer than both; None where there are not.
    pub unknown: Option<UnknownTime>,
}

/// A time that counts as none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownTime {
    /// How long an attempt takes.
    Attempt,
    /// The waits.
    Waits,
}

/// How many of the policy's attempts fit into a time. None where there is no end to them, or their number is
/// not known.
pub fn attempts_within(policy: &Policy, limit: Duration) -> Option<Fitting> {
    let waits_known = Repeats::of(policy).first_waits(1).is_some();
    let counted = if waits_known { Cow::Borrowed(policy) } else { Cow::Owned(without_waits(policy)) };
    let repeats = Repeats::of(&counted);
    Some(Fitting {
        least: repeats.fitting(attempt(policy), limit).at()?,
        most: repeats.fitting_at_best(attempt(policy), limit).at()?,
        unknown: match policy.attempt_timeout.at() {
            None => Some(UnknownTime::Attempt),
            Some(_) => (!waits_known).then_some(UnknownTime::Waits),
        },
    })
}

/// How many of the policy's attempts can start within its deadline if each takes `attempt`, with the
/// smallest waits.
pub fn attempts_started(policy: &Policy, attempt: Duration) -> Bound<u64> {
    Repeats::of(policy).started(attempt)
}

fn attempt(policy: &Policy) -> Duration {
    policy.attempt_timeout.at().unwrap_or_default()
}

/// What does not fit without waits does not fit with unknown ones either.
fn without_waits(policy: &Policy) -> Policy {
    Policy { backoff: Backoff::none("not known"), ..policy.clone() }
}
