//! How the waits between attempts grow and scatter.

use super::{Duration, Ratio, Setting};
use crate::source::Place;

/// The waits of a policy. Wait n is the pause before retry n (n = 1, 2, …).
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    /// Waits before the growth starts, in order (a first retry at once is one wait of 0). They stand as they
    /// are: neither ceiling nor jitter is applied to them.
    pub lead: Vec<Duration>,
    /// How the wait grows from one retry to the next.
    pub growth: Growth,
    /// The first wait of the growth; not read by [`Growth::None`], [`Growth::List`],
    /// [`Growth::Ranges`] and [`Growth::Unknown`].
    pub initial: Setting<Duration>,
    /// Growth per retry; read by [`Growth::Exponential`] alone.
    pub multiplier: Setting<Ratio>,
    /// The strict ceiling of one wait.
    pub cap: Setting<Duration>,
    /// Whether the ceiling holds for the wait before or after it is scattered.
    pub cap_applies: CapApplies,
    /// How a wait is scattered.
    pub jitter: Setting<Jitter>,
    /// The system has a setting that scatters waits.
    pub can_jitter: bool,
    /// How that setting is turned on, where the system has one word for it and the file has room for it.
    pub switch: Option<Switch>,
    /// To what the engine rounds.
    pub rounding: Rounding,
}

/// How the wait grows. d is the initial wait, m the multiplier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growth {
    /// No wait at all.
    None,
    /// d, d, d, …
    Constant,
    /// d, 2d, 3d, …
    Linear,
    /// d, d·m, d·m², …
    Exponential,
    /// Doubles while it is under half the cap (in whole milliseconds), then is the cap at once: Envoy's
    /// step, which may reach an odd cap one step early.
    DoublingToCap,
    /// d·1^k, d·2^k, d·3^k, … with the exponent k.
    Polynomial(u32),
    /// d, d, 2d, 3d, 5d, …
    Fibonacci,
    /// d, 2d, 3d, 5d, … (starts at the second one of the sequence).
    FibonacciFromSecond,
    /// Doubles this many times, then grows by d·2^times with each retry.
    DoublingThenLinear(u32),
    /// These waits; the last one repeats.
    List(Vec<Duration>),
    /// Waits that are scattered already, each from the least to the most; the last one repeats. Neither
    /// ceiling nor jitter is applied to them. For systems whose waits follow none of the other kinds.
    Ranges(Vec<(Duration, Duration)>),
    /// Not known.
    Unknown,
}

/// Whether the ceiling holds for the wait before or after it is scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapApplies {
    /// A scattered wait may be over the cap.
    BeforeJitter,
    /// No wait is over the cap, and what is scattered has grown without it (resilience4j).
    AfterJitter,
    /// No wait is over the cap, and what is scattered is not over it either (Kafka).
    BeforeAndAfterJitter,
}

/// How a wait w is scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// [w, w]
    None,
    /// [least, w), and least where w is smaller; the upper end is excluded, and counts as the bound.
    Full {
        /// The smallest wait; 0 for most.
        least: Duration,
    },
    /// [w/2, w]
    Equal,
    /// [w·(1 − below), w·(1 + above)]
    Factor {
        /// Part of w that a wait may be shorter by.
        below: Ratio,
        /// Part of w that a wait may be longer by.
        above: Ratio,
    },
    /// [w − span, w + span], and not under 0
    Around {
        /// The most that is taken away or added.
        span: Duration,
    },
    /// [w, w + span]
    Added {
        /// The most that is added.
        span: Duration,
    },
    /// [initial, min(cap, 3 × the wait before)]
    Decorrelated,
}

/// A setting that is to be turned on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Its value as it stands; without one the value of a key that it is to stand beside.
    pub place: Place,
    /// Its key, where it is to be added, in the spelling of the keys around it.
    pub key: Option<String>,
    /// What its value is to be.
    pub word: &'static str,
}

/// To what an engine rounds its waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Not at all (nanoseconds).
    None,
    /// Growth is cut to whole milliseconds at each step; scattered waits are whole milliseconds, the
    /// lower end rounded down and the upper up, and at least 1 ms (resilience4j).
    WholeMilliseconds,
}

impl Backoff {
    /// Retries follow each other at once.
    pub fn none(whose: &'static str) -> Self {
        let nothing = Setting::default(Duration::ZERO, whose);
        Self {
            lead: Vec::new(),
            growth: Growth::None,
            cap: Setting::unlimited(whose),
            multiplier: Setting::default(Ratio::ONE, whose),
            cap_applies: CapApplies::BeforeJitter,
            jitter: Setting::default(Jitter::None, whose),
            can_jitter: false,
            switch: None,
            rounding: Rounding::None,
            initial: nothing,
        }
    }

    /// The waits are not known, and why.
    pub fn unknown(why: &'static str) -> Self {
        Self { growth: Growth::Unknown, initial: Setting::unknown(why, None), ..Self::none(why) }
    }
}
