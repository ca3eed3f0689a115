//! The arithmetic of policies. Pure functions, exact, without overflow.

use crate::model::{Bound, Duration};

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
