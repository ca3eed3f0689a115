//! Sums over attempts and waits: what a repetition asks for, how long it can take, what fits.

use super::Wait;
use super::waits::Waits;
use crate::model::{Backoff, Bound, DeadlineEffect, Duration, Pacing, Policy};

/// The shortest time there is: what is before a limit is at least so long before it.
const INSTANT: Duration = Duration::from_nanos(1);

/// The numbers by which an operation is repeated; those of a policy, of a queue, or of a layer declared
/// elsewhere. The length of one attempt is a question's own, since a layer below may shorten it.
#[derive(Clone, Copy, Debug)]
pub struct Repeats<'a> {
    /// The most attempts, the first included.
    pub attempts: Bound<u64>,
    /// The waits between them.
    pub backoff: &'a Backoff,
    /// From what the waits are counted.
    pub pacing: Pacing,
    /// What bounds all of them.
    pub deadline: Bound<Duration>,
    /// What happens then.
    pub deadline_effect: DeadlineEffect,
}

impl<'a> Repeats<'a> {
    /// Those of a policy.
    pub fn of(policy: &'a Policy) -> Self {
        Self {
            attempts: policy.attempts.bound,
            backoff: &policy.backoff,
            pacing: policy.pacing,
            deadline: policy.deadline.bound,
            deadline_effect: policy.deadline_effect,
        }
    }

    /// What they ask for if every attempt takes `attempt`, with the largest waits and no deadline.
    pub fn demand(&self, attempt: Bound<Duration>) -> Bound<Duration> {
        match (self.attempts, attempt) {
            (Bound::At(0), _) => Bound::At(Duration::ZERO),
            (Bound::Unlimited, _) | (_, Bound::Unlimited) => Bound::Unlimited,
            (Bound::Unknown, _) | (_, Bound::Unknown) => Bound::Unknown,
            (Bound::At(_), Bound::At(attempt)) => {
                self.sum(|wait| [self.slow_step(attempt, wait)]).map(|[sum]| sum.plus(attempt))
            }
        }
    }

    /// What can really elapse if an attempt takes at most `attempt`: the demand within the deadline.
    pub fn worst_case(&self, attempt: Bound<Duration>) -> Bound<Duration> {
        self.within_deadline(self.demand(attempt), attempt)
    }

    /// What of a demand can really elapse.
    pub(super) fn within_deadline(
        &self,
        demand: Bound<Duration>,
        attempt: Bound<Duration>,
    ) -> Bound<Duration> {
        let deadline = match self.deadline {
            Bound::At(deadline) => deadline,
            Bound::Unlimited => return demand,
            Bound::Unknown => return Bound::Unknown,
        };
        let end = match self.deadline_effect {
            DeadlineEffect::Cuts => Bound::At(deadline),
            DeadlineEffect::CutsRetries => attempt.map(|attempt| attempt.max(deadline)),
            DeadlineEffect::Stops => attempt.map(|attempt| attempt.plus(deadline)),
        };
        match (demand, end) {
            (Bound::At(demand), Bound::At(end)) => Bound::At(demand.min(end)),
            (Bound::At(_), _) => demand,
            (_, end) => end,
        }
    }

    /// The most attempts that fit into `limit` if each takes `attempt`, with the largest waits; no more than
    /// there are. One fits that starts before the limit and is over by then: what starts at its very instant
    /// does not run, even if it takes no time.
    pub fn fitting(&self, attempt: Duration, limit: Duration) -> Bound<u64> {
        self.within(attempt, limit, |wait| self.slow_step(attempt, wait))
    }

    /// The same with the smallest waits.
    pub fn fitting_at_best(&self, attempt: Duration, limit: Duration) -> Bound<u64> {
        match self.pacing {
            // they go on beside each other: only a failure makes a wait shorter
            Pacing::Hedged => self.fitting(attempt, limit),
            _ => self.within(attempt, limit, |wait| self.fast_step(attempt, wait)),
        }
    }

    fn within(&self, attempt: Duration, limit: Duration, step: impl Fn(Wait) -> Duration) -> Bound<u64> {
        match (attempt, limit) {
            (Duration::ZERO, Duration::ZERO) => Bound::At(0),
            (Duration::ZERO, _) => self.reached(attempt, limit.minus(INSTANT), step),
            (_, _) => self.reached(attempt, limit, step),
        }
    }

    /// The attempts that can start before `limit` if each takes `attempt`, with the smallest waits; no more
    /// than there are. A limit that is not known takes none away.
    pub fn started_before(&self, limit: Bound<Duration>, attempt: Duration) -> Bound<u64> {
        match limit.at() {
            None => self.attempts,
            Some(Duration::ZERO) => Bound::At(0),
            Some(limit) => {
                self.reached(Duration::ZERO, limit.minus(INSTANT), |wait| self.fast_step(attempt, wait))
            }
        }
    }

    /// The same within the own deadline.
    pub fn started(&self, attempt: Duration) -> Bound<u64> {
        match self.started_before(self.deadline, attempt) {
            // the first attempt is not concerned
            Bound::At(0)
                if self.deadline_effect == DeadlineEffect::CutsRetries && self.attempts != Bound::At(0) =>
            {
                Bound::At(1)
            }
            started => started,
        }
    }

    /// The sums of the smallest and of the largest waits.
    pub(super) fn totals(&self) -> Bound<[Duration; 2]> {
        self.sum(|wait| [wait.min, wait.max])
    }

    /// The first waits, `count` of them; None where they are not known.
    pub(super) fn first_waits(&self, count: u64) -> Option<Vec<Wait>> {
        let mut list = Vec::new();
        if count == 0 {
            return Some(list);
        }
        for run in self.waits(count)? {
            let run = run.ok()?;
            list.extend(std::iter::repeat_n(run.wait, run.times.min(count) as usize));
        }
        Some(list)
    }

    /// From the start of one attempt to that of the next, at the most.
    fn slow_step(&self, attempt: Duration, wait: Wait) -> Duration {
        match self.pacing {
            Pacing::AfterFailure => attempt.plus(wait.max),
            Pacing::StartToStart => attempt.max(wait.max),
            Pacing::Hedged => wait.max,
        }
    }

    /// From the start of one attempt to that of the next if it fails after `attempt`, at the least.
    fn fast_step(&self, attempt: Duration, wait: Wait) -> Duration {
        match self.pacing {
            Pacing::AfterFailure => attempt.plus(wait.min),
            Pacing::StartToStart => attempt.max(wait.min),
            Pacing::Hedged => attempt.min(wait.max),
        }
    }

    fn waits(&self, retries: u64) -> Option<Waits<'a>> {
        Waits::new(self.backoff, self.pacing, retries)
    }

    /// Sums over all retries.
    fn sum<const N: usize>(&self, steps: impl Fn(Wait) -> [Duration; N]) -> Bound<[Duration; N]> {
        let retries = match self.attempts {
            Bound::At(0 | 1) => return Bound::At([Duration::ZERO; N]),
            Bound::At(attempts) => attempts - 1,
            Bound::Unlimited => return Bound::Unlimited,
            Bound::Unknown => return Bound::Unknown,
        };
        let Some(waits) = self.waits(retries) else { return Bound::Unknown };
        let mut sums = [Duration::ZERO; N];
        for run in waits {
            let Ok(run) = run else { return Bound::Unknown };
            for (sum, step) in sums.iter_mut().zip(steps(run.wait)) {
                *sum = sum.plus(step.times(run.times));
            }
        }
        Bound::At(sums)
    }

    /// How many attempts there are until `first` and the steps before the others pass `limit`.
    fn reached(&self, first: Duration, limit: Duration, step: impl Fn(Wait) -> Duration) -> Bound<u64> {
        let retries = match self.attempts {
            Bound::Unknown => return Bound::Unknown,
            _ if first > limit => return Bound::At(0),
            Bound::At(0 | 1) => return self.attempts,
            _ if limit >= Duration::LONGEST => return self.attempts,
            Bound::At(attempts) => attempts - 1,
            Bound::Unlimited => u64::MAX,
        };
        let Some(waits) = self.waits(retries) else { return Bound::Unknown };
        let mut left = limit.minus(first);
        let mut count = 1u64;
        for run in waits {
            let Ok(run) = run else { return Bound::Unknown };
            let step = step(run.wait);
            let fit = left
                .nanos()
                .checked_div(step.nanos())
                .map_or(run.times, |fit| u64::try_from(fit).map_or(run.times, |fit| fit.min(run.times)));
            count = count.saturating_add(fit);
            if fit < run.times {
                return Bound::At(count);
            }
            left = left.minus(step.times(fit));
        }
        self.attempts
    }
}
