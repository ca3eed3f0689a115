//! What fits into a deadline. An attempt timeout that is not known, or that there is none of, counts as no
//! time here: what does not fit then does not fit in any case.

use super::Repeats;
use crate::model::{Bound, Duration, Policy};

/// What the policy asks for at the least.
pub fn least_demand(policy: &Policy) -> Bound<Duration> {
    Repeats::of(policy).demand(Bound::At(attempt(policy)))
}

/// By how much that is over the policy's deadline; None where it is not, or where one of them has no end
/// or is not known.
pub fn shortfall(policy: &Policy) -> Option<Duration> {
    let over = least_demand(policy).at()?.minus(policy.deadline.at()?);
    (!over.is_zero()).then_some(over)
}

/// How many of the policy's attempts are sure to be over by `deadline`: with the largest waits, and with
/// attempts that take their full timeout. None where that is not known, or where there is no end to them.
pub fn attempts_within(policy: &Policy, deadline: Duration) -> Option<u64> {
    Repeats::of(policy).fitting(attempt(policy), deadline).at()
}

/// How many of the policy's attempts can start within its deadline if each takes `attempt`, with the
/// smallest waits.
pub fn attempts_started(policy: &Policy, attempt: Duration) -> Bound<u64> {
    Repeats::of(policy).started(attempt)
}

fn attempt(policy: &Policy) -> Duration {
    policy.attempt_timeout.at().unwrap_or_default()
}
