//! The waits of a back-off as ranges: growth, ceiling, jitter, rounding.

use super::Wait;
use super::growth::{Course, envoy_millis};
use crate::model::{Backoff, Bound, CapApplies, Duration, Growth, Jitter, Pacing, Rounding};

/// No more waits than this are worked out one by one. Whoever retries more often has nearly always reached
/// a wait that stays; where not, sums are not known.
const MOST_STEPS: u64 = 10_000;

/// The waits before retries 1, 2, …, of which equal ones at the end are taken together.
#[derive(Clone, Debug)]
pub(super) struct Waits<'b> {
    lead: &'b [Duration],
    course: Course<'b>,
    scatter: Scatter,
    /// What the waits stay at once they have reached it.
    end: Option<Wait>,
    left: u64,
    steps: u64,
}

/// So many equal waits in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// One of them.
    pub wait: Wait,
    /// How many.
    pub times: u64,
}

/// There are more steps than are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsettled;

impl<'b> Waits<'b> {
    /// The waits before so many retries; None where something they need is not known.
    pub(super) fn new(backoff: &'b Backoff, pacing: Pacing, retries: u64) -> Option<Self> {
        let jitter = backoff.jitter.at()?;
        let cap = match backoff.cap.bound {
            Bound::At(cap) => cap,
            Bound::Unlimited => Duration::LONGEST,
            Bound::Unknown => return None,
        };
        let cap = if backoff.growth == Growth::DoublingToCap { envoy_millis(cap) } else { cap };
        let course = Course::of(backoff, jitter, cap)?;
        let scatter = Scatter {
            jitter,
            cap,
            cap_applies: backoff.cap_applies,
            initial: backoff.initial.at().unwrap_or_default(),
            whole_millis: backoff.rounding == Rounding::WholeMilliseconds,
            hedged: pacing == Pacing::Hedged,
        };
        let end = course.tends_to().map(|end| scatter.wait(end));
        Some(Self { lead: &backoff.lead, course, scatter, end, left: retries, steps: 0 })
    }
}

impl Iterator for Waits<'_> {
    type Item = Result<Run, Unsettled>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        if self.steps == MOST_STEPS {
            self.left = 0;
            return Some(Err(Unsettled));
        }
        self.steps += 1;
        let (wait, settled) = match self.lead {
            [first, rest @ ..] => {
                self.lead = rest;
                (self.scatter.unscattered(*first), false)
            }
            [] => {
                let wait = self.scatter.wait(self.course.now());
                let settled = matches!(self.course, Course::Same(_)) || self.end == Some(wait);
                self.course.advance();
                (wait, settled)
            }
        };
        let times = if settled { self.left } else { 1 };
        self.left -= times;
        Some(Ok(Run { wait, times }))
    }
}

/// What becomes of a wait that the growth gives. Each end of the range never falls when that wait rises.
#[derive(Clone, Debug)]
struct Scatter {
    jitter: Jitter,
    cap: Duration,
    cap_applies: CapApplies,
    initial: Duration,
    whole_millis: bool,
    hedged: bool,
}

impl Scatter {
    fn wait(&self, grown: Duration) -> Wait {
        // A capped wait that is then cut to milliseconds is at most the cut cap.
        let cut = |wait: Duration| if self.whole_millis { wait.floor_millis() } else { wait };
        let wait = match self.cap_applies {
            CapApplies::BeforeJitter => self.range(cut(grown.min(self.cap))),
            CapApplies::AfterJitter => {
                let Wait { min, max } = self.range(cut(grown));
                Wait { min: min.min(cut(self.cap)), max: max.min(cut(self.cap)) }
            }
        };
        if self.hedged { Wait { min: Duration::ZERO, ..wait } } else { wait }
    }

    fn range(&self, wait: Duration) -> Wait {
        let (min, max) = match self.jitter {
            Jitter::None => return Wait { min: wait, max: wait },
            Jitter::Full { least } => (least, wait.max(least)),
            Jitter::Equal => (wait.half(), wait),
            Jitter::Factor { below, above } => (wait.scale(below.one_minus()), wait.scale(above.plus_one())),
            Jitter::Added { span } => (wait, wait.plus(span)),
            Jitter::Decorrelated => (self.initial.min(wait), wait),
        };
        if self.whole_millis {
            let least = Duration::from_millis(1);
            Wait { min: min.floor_millis().max(least), max: max.ceil_millis().max(least) }
        } else {
            Wait { min, max }
        }
    }

    /// Of a wait that stands before the growth: neither capped nor scattered.
    fn unscattered(&self, wait: Duration) -> Wait {
        Wait { min: if self.hedged { Duration::ZERO } else { wait }, max: wait }
    }
}
