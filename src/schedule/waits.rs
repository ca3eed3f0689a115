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
    source: Source<'b>,
    hedged: bool,
    left: u64,
    steps: u64,
}

/// Where the waits after the lead come from.
#[derive(Clone, Debug)]
enum Source<'b> {
    /// Worked out already; the last one repeats, and there is no wait where there is none.
    Given(&'b [(Duration, Duration)]),
    /// Worked out here. They stay at `end` once they have reached it.
    Grown { course: Course<'b>, scatter: Scatter, end: Option<Wait> },
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
        let source = match &backoff.growth {
            Growth::None => Source::Given(&[]),
            Growth::Ranges(ranges) => Source::Given(ranges),
            _ => Source::grown(backoff)?,
        };
        let hedged = pacing == Pacing::Hedged;
        Some(Self { lead: &backoff.lead, source, hedged, left: retries, steps: 0 })
    }

    /// The next wait, and whether all that follow are equal to it.
    fn step(&mut self) -> (Wait, bool) {
        if let [first, rest @ ..] = self.lead {
            self.lead = rest;
            return (Wait { min: *first, max: *first }, false);
        }
        match &mut self.source {
            Source::Given(ranges) => match *ranges {
                [] => (Wait { min: Duration::ZERO, max: Duration::ZERO }, true),
                [(min, max), rest @ ..] => {
                    if !rest.is_empty() {
                        *ranges = rest;
                    }
                    (Wait { min: *min.min(max), max: *max }, rest.is_empty())
                }
            },
            Source::Grown { course, scatter, end } => {
                let wait = scatter.wait(course.now());
                let settled = matches!(course, Course::Same(_)) || *end == Some(wait);
                course.advance();
                (wait, settled)
            }
        }
    }
}

impl<'b> Source<'b> {
    fn grown(backoff: &'b Backoff) -> Option<Self> {
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
        };
        let end = course.tends_to().map(|end| scatter.wait(end));
        Some(Self::Grown { course, scatter, end })
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
        let (mut wait, settled) = self.step();
        if self.hedged {
            wait.min = Duration::ZERO;
        }
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
}

impl Scatter {
    fn wait(&self, grown: Duration) -> Wait {
        let capped = |wait: Duration, applies: bool| {
            let wait = if applies { wait.min(self.cap) } else { wait };
            if self.whole_millis { wait.floor_millis() } else { wait }
        };
        let before = self.cap_applies != CapApplies::AfterJitter;
        let after = self.cap_applies != CapApplies::BeforeJitter;
        let Wait { min, max } = self.range(capped(grown, before));
        Wait { min: capped(min, after), max: capped(max, after) }
    }

    fn range(&self, wait: Duration) -> Wait {
        let (min, max) = match self.jitter {
            Jitter::None => return Wait { min: wait, max: wait },
            Jitter::Full { least } => (least, wait.max(least)),
            Jitter::Equal => (wait.half(), wait),
            Jitter::Factor { below, above } => (wait.scale(below.one_minus()), wait.scale(above.plus_one())),
            Jitter::Around { span } => (wait.minus(span), wait.plus(span)),
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
}
