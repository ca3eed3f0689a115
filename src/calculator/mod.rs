//! The calculator: everything there is to know about one policy, before or after it is written.
//!
//! It has no arithmetic of its own but for what a check does not need: means, the distribution of the
//! total wait, and the questions turned around.
//!
//! ```
//! use retrylint::calculator::{Question, Spec};
//!
//! let spec: Spec = "base=250 multiplier=2 max=2000 retries=5".parse().unwrap();
//! let answer = Question::new(spec.policy()).answer();
//! let waits: Vec<_> = answer.rows.iter().map(|row| spec.scale().number(row.wait)).collect();
//! assert_eq!(waits, ["250", "500", "1000", "2000", "2000"]);
//! ```

mod distribution;
mod spec;

pub use distribution::{Distribution, Method};
pub use spec::{Scale, Spec, SpecError, amount, jitter};

use crate::model::{Backoff, Bound, Duration, Growth, Jitter, Pacing, Policy, Ratio, Setting};
use crate::schedule::{self, Repeats, Wait, fit};

/// The most retries that are worked out row by row.
pub const MOST_RETRIES: u64 = 1000;

/// What is asked of a policy.
#[derive(Clone, Debug)]
pub struct Question {
    /// The policy, its attempt timeout and its deadline included.
    pub policy: Policy,
    /// How long a queue hides the message that the operation handles.
    pub window: Option<Duration>,
    /// How long one attempt takes; its timeout where that is not said.
    pub work: Option<Duration>,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One for each retry, [`MOST_RETRIES`] at most.
    pub rows: Vec<Row>,
    /// There are more retries than rows.
    pub truncated: bool,
    /// Attempts, the first included.
    pub attempts: Bound<u64>,
    /// The sum of all waits, at the least, on average, at the most.
    pub total: Option<Spread>,
    /// The waits are scattered.
    pub jittered: bool,
    /// How the sum of scattered waits is distributed; None where it is one value.
    pub distribution: Option<Distribution>,
    /// Length of one attempt that the answers below rest on; None where none is known (it counts as nothing).
    pub attempt: Option<Duration>,
    /// What the policy asks for if every attempt fails as slowly as it may.
    pub demand: Bound<Duration>,
    /// What can really elapse.
    pub worst_case: Bound<Duration>,
    /// Answers about the deadline, if there is one.
    pub deadline: Option<Fit>,
    /// Answers about the window, if there is one.
    pub window: Option<Fit>,
}

/// One retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Its number, from 1 on.
    pub retry: u64,
    /// The wait before it, without jitter.
    pub wait: Duration,
    /// The sum of the waits so far, without jitter.
    pub total: Duration,
    /// The wait with jitter.
    pub spread: Spread,
    /// The sum so far, with jitter.
    pub total_spread: Spread,
    /// The wait is as long as the ceiling allows.
    pub capped: bool,
}

/// A scattered time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// At the least.
    pub min: Duration,
    /// On average, to the nanosecond.
    pub mean: Duration,
    /// At the most; with full jitter the excluded bound.
    pub max: Duration,
}

impl Spread {
    fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.plus(other.min),
            mean: self.mean.plus(other.mean),
            max: self.max.plus(other.max),
        }
    }
}

/// What fits a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The limit.
    pub limit: Duration,
    /// Attempts that can start before it, with the smallest waits.
    pub can_start: Bound<u64>,
    /// Attempts that are sure to be over by then, with the largest waits.
    pub can_finish: Bound<u64>,
    /// The largest number of retries of this kind that fits, whatever the count is now.
    pub most_retries: Option<u64>,
    /// Everything fits.
    pub fits: bool,
    /// The smallest limit that everything fits; with attempts that take no time it has to be longer than this.
    pub least_limit: Bound<Duration>,
    /// The largest first wait with which everything fits; None where no first wait makes it fit, or where
    /// the waits do not come of one.
    pub most_base: Option<Duration>,
    /// How likely it is that all attempts fail and the last one is not over by then, as a part of 1.
    pub miss: Option<f64>,
}

impl Question {
    /// Asks of a policy what its own times say.
    pub fn new(policy: Policy) -> Self {
        Self { policy, window: None, work: None }
    }

    fn attempt(&self) -> Option<Duration> {
        self.work.or(self.policy.attempt_timeout.at())
    }

    /// The answer; rows are missing where the waits are not known.
    pub fn answer(&self) -> Answer {
        let attempt = self.attempt();
        let timed = match attempt {
            Some(time) => Policy {
                attempt_timeout: Setting::default(time, "the time of one attempt"),
                ..self.policy.clone()
            },
            None => self.policy.clone(),
        };
        let schedule = schedule::schedule(&timed);
        let waits = schedule.waits.unwrap_or_default();
        let plain = plain_waits(&timed);
        let jittered = waits.iter().any(|wait| wait.min != wait.max);
        let means = distribution::means(&timed.backoff, &plain, &waits);
        let rows = rows(&timed.backoff, &plain, &waits, &means);
        let known = !schedule.truncated && matches!(schedule.total_max, Bound::At(_));
        let total = rows.last().map(|row| row.total_spread).filter(|_| known);
        let distribution = (jittered && known).then(|| distribution::of(&timed.backoff, &plain, &waits));
        let fit = |limit: Duration| self.fit(&timed, limit, distribution.as_ref());
        Answer {
            truncated: schedule.truncated,
            attempts: timed.attempts.bound,
            total: if rows.is_empty() && known { Some(Spread::default()) } else { total },
            jittered,
            attempt,
            demand: schedule.demand,
            worst_case: schedule.worst_case,
            deadline: timed.deadline.at().map(fit),
            window: self.window.map(fit),
            distribution,
            rows,
        }
    }

    fn fit(&self, policy: &Policy, limit: Duration, distribution: Option<&Distribution>) -> Fit {
        let length = self.attempt().unwrap_or_default();
        let repeats = Repeats { deadline: Bound::At(limit), ..Repeats::of(policy) };
        let endless = Repeats { attempts: Bound::At(MOST_RETRIES + 1), ..repeats };
        let least_limit = fit::least_demand(policy);
        let miss = match (distribution, policy.attempts.at()) {
            (Some(waits), Some(attempts)) if policy.pacing == Pacing::AfterFailure => {
                let working = length.times(attempts);
                Some(if working > limit { 1.0 } else { waits.over(limit.minus(working)) })
            }
            _ => None,
        };
        Fit {
            limit,
            can_start: repeats.started_before(Bound::At(limit), length),
            can_finish: repeats.fitting(length, limit),
            fits: policy.attempts.at().is_some() && repeats.fitting(length, limit) == policy.attempts.bound,
            most_retries: endless.fitting(length, limit).at().map(|attempts| attempts.saturating_sub(1)),
            least_limit,
            most_base: most_base(policy, length, limit),
            miss,
        }
    }
}

/// The waits without jitter.
fn plain_waits(policy: &Policy) -> Vec<Duration> {
    let whose = "without jitter";
    let decorrelated = policy.backoff.jitter.at() == Some(Jitter::Decorrelated);
    let growth = if decorrelated { Growth::Constant } else { policy.backoff.growth.clone() };
    let backoff = Backoff { jitter: Setting::default(Jitter::None, whose), growth, ..policy.backoff.clone() };
    let waits = schedule::schedule(&Policy { backoff, ..policy.clone() }).waits;
    waits.unwrap_or_default().into_iter().map(|wait| wait.max).collect()
}

fn rows(backoff: &Backoff, plain: &[Duration], waits: &[Wait], means: &[Duration]) -> Vec<Row> {
    let cap = backoff.cap.at();
    let (mut total, mut total_spread) = (Duration::ZERO, Spread::default());
    let mut rows = Vec::with_capacity(waits.len());
    for (n, ((wait, range), mean)) in plain.iter().zip(waits).zip(means).enumerate() {
        let spread = Spread { min: range.min, mean: *mean, max: range.max };
        total = total.plus(*wait);
        total_spread = total_spread.plus(spread);
        let capped = cap.is_some_and(|cap| *wait >= cap) && backoff.growth != Growth::None;
        rows.push(Row { retry: n as u64 + 1, wait: *wait, total, spread, total_spread, capped });
    }
    rows
}

/// The largest first wait with which the policy fits a limit, to the nanosecond: the demand never falls
/// when the first wait rises.
fn most_base(policy: &Policy, length: Duration, limit: Duration) -> Option<Duration> {
    let grows = matches!(
        policy.backoff.growth,
        Growth::Constant
            | Growth::Linear
            | Growth::Exponential
            | Growth::Fibonacci
            | Growth::FibonacciFromSecond
    );
    if !grows || policy.attempts.at().is_none_or(|attempts| attempts < 2) {
        return None;
    }
    let fits = |base: u128| {
        let initial = Setting::default(Duration::from_nanos(base), "tried");
        let backoff = Backoff { initial, ..policy.backoff.clone() };
        let repeats = Repeats { backoff: &backoff, ..Repeats::of(policy) };
        repeats.demand(Bound::At(length)).at().is_some_and(|demand| demand <= limit)
    };
    if !fits(1) {
        return None;
    }
    // a first wait over the ceiling changes nothing any more
    let most = policy.backoff.cap.at().unwrap_or(limit).min(limit);
    let (mut low, mut high) = (1, most.nanos().max(1));
    if fits(high) {
        return Some(Duration::from_nanos(high));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(Duration::from_nanos(low))
}

/// The bound of a full-jitter wait: min(cap, base · 2^retry), without overflow for any arguments. The wait
/// is uniform on [0, bound), and 0 where the bound is 0.
///
/// ```
/// use retrylint::calculator::full_jitter_bound;
/// use retrylint::model::Duration;
///
/// let (base, cap) = (Duration::from_millis(100), Duration::from_secs(20));
/// assert_eq!(full_jitter_bound(base, cap, 3), Duration::from_millis(800));
/// assert_eq!(full_jitter_bound(base, cap, u32::MAX), cap);
/// ```
pub fn full_jitter_bound(base: Duration, cap: Duration, retry: u32) -> Duration {
    const MOST_DOUBLINGS: u32 = 63;
    base.times(1 << retry.min(MOST_DOUBLINGS)).min(cap)
}

/// The multiplier unless it is given.
pub(crate) const MULTIPLIER: Ratio = Ratio::new(2, 1);
