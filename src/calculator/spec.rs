//! A policy in words: `base=100ms multiplier=3 max=10s retries=5`.

use super::{MOST_RETRIES, MULTIPLIER};
use crate::model::notation::{self, Amount, Unit};
use crate::model::{
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Growth, Jitter, Layer, Links, Pacing, Policy,
    Ratio, Setting,
};
use crate::source::Place;
use std::fmt;
use std::str::FromStr;

/// Whether numbers are durations or plain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Durations with units.
    Time,
    /// Plain numbers, one of which is held as a second, with the label of their unit.
    Plain(Option<String>),
}

impl Scale {
    /// A time as people read it.
    pub fn number(&self, time: Duration) -> String {
        match self {
            Self::Time => time.to_string(),
            Self::Plain(_) => plain(time),
        }
    }

    /// The same with the label of its unit.
    pub fn labelled(&self, time: Duration) -> String {
        match self {
            Self::Plain(Some(unit)) => format!("{} {unit}", plain(time)),
            _ => self.number(time),
        }
    }
}

/// Seconds as a plain decimal number.
fn plain(time: Duration) -> String {
    let (whole, rest) = (time.nanos() / NANOS, time.nanos() % NANOS);
    let text = format!("{whole}.{rest:09}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

const NANOS: u128 = 1_000_000_000;
/// The largest plain number.
const LARGEST: u64 = 1_000_000_000_000_000;

/// A policy in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The first wait, of waits that grow by the multiplier.
    pub base: Option<Given>,
    /// Growth per retry.
    pub multiplier: Option<Ratio>,
    /// The ceiling.
    pub max: Option<Given>,
    /// Retries.
    pub retries: Option<u64>,
    /// The wait, of waits that stay.
    pub fixed: Option<Given>,
    /// The first wait, of waits that grow by it.
    pub linear: Option<Given>,
    /// The first two waits, of waits that are the sum of the two before.
    pub fibonacci: Option<Given>,
    /// The waits themselves; the last one repeats.
    pub waits: Vec<Given>,
    /// How they are scattered.
    pub jitter: Option<Jitter>,
    /// What bounds one attempt.
    pub attempt_timeout: Option<Given>,
    /// What bounds all of them.
    pub deadline: Option<Given>,
    /// How long a queue hides the message.
    pub window: Option<Given>,
    /// How long one attempt takes.
    pub work: Option<Given>,
    /// The label of plain numbers.
    pub unit: Option<String>,
}

/// A time as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    time: Duration,
    plain: bool,
}

impl Given {
    /// A duration with a unit; None for a plain number other than 0.
    pub fn duration(self) -> Option<Duration> {
        (!self.plain || self.time.is_zero()).then_some(self.time)
    }
}

/// What is wrong with a policy in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError(String);

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

fn error<T>(option: &str, value: &str, expected: &str) -> Result<T, SpecError> {
    Err(SpecError(format!("{option} is {value}, but {expected} is expected")))
}

/// A duration with a unit, or a plain number.
pub fn amount(option: &str, text: &str) -> Result<Given, SpecError> {
    match notation::any(text) {
        Ok(Amount::Time(time)) => Ok(Given { time, plain: false }),
        Ok(Amount::Bare(number)) => match notation::with_unit(number, Unit::Seconds) {
            Ok(time) if time <= Duration::from_secs(LARGEST) => Ok(Given { time, plain: true }),
            _ => error(option, text, "a number over 0 and up to 10^15"),
        },
        _ if text.trim_start().starts_with('-') => error(option, text, "something over 0"),
        _ => error(option, text, "a duration as 250ms or 1m30s, or a plain number,"),
    }
}

/// `none`, `full`, `equal`, `decorrelated`, or a part as `±20%` or `0.2`.
pub fn jitter(text: &str) -> Result<Jitter, SpecError> {
    let part = text.trim_start_matches('±').trim_start_matches("+-");
    let ratio = match part.strip_suffix('%') {
        Some(percent) => Ratio::parse(percent)
            .ok()
            .map(|part| Ratio::new(part.numerator(), part.denominator().saturating_mul(100))),
        None => Ratio::parse(part).ok(),
    };
    match (text.to_ascii_lowercase().as_str(), ratio) {
        ("none", _) => Ok(Jitter::None),
        ("full", _) => Ok(Jitter::Full { least: Duration::ZERO }),
        ("equal", _) => Ok(Jitter::Equal),
        ("decorrelated", _) => Ok(Jitter::Decorrelated),
        (_, Some(part)) if part <= Ratio::ONE => Ok(Jitter::Factor { below: part, above: part }),
        _ => error("--jitter", text, "none, full, equal, decorrelated or a part from ±0% to ±100%"),
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    /// Words as `base=100ms`, by the names of the options.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self::default();
        for word in text.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else {
                return error("the policy", word, "words as base=100ms");
            };
            spec.set(name, value)?;
        }
        spec.checked()
    }
}

impl Spec {
    /// Sets what an option is called by its name without the dashes.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SpecError> {
        let option = format!("--{name}");
        let time = || amount(&option, value).map(Some);
        match name {
            "base" | "initial" => self.base = time()?,
            "max" => self.max = time()?,
            "fixed" => self.fixed = time()?,
            "linear" => self.linear = time()?,
            "fibonacci" => self.fibonacci = time()?,
            "attempt-timeout" => self.attempt_timeout = time()?,
            "deadline" => self.deadline = time()?,
            "window" => self.window = time()?,
            "work" => self.work = time()?,
            "waits" => {
                self.waits =
                    value.split(',').map(|wait| amount(&option, wait.trim())).collect::<Result<_, _>>()?
            }
            "jitter" => self.jitter = Some(jitter(value)?),
            "unit" => self.unit = Some(value.to_string()),
            "multiplier" => {
                let ratio = Ratio::parse(value).ok().filter(|ratio| *ratio >= Ratio::ONE);
                self.multiplier = match ratio {
                    Some(ratio) => Some(ratio),
                    None => return error(&option, value, "a number of at least 1"),
                };
            }
            "retries" | "attempts" => {
                let first = u64::from(name == "attempts");
                let count = value
                    .parse::<u64>()
                    .ok()
                    .filter(|count| (1 + first..=MOST_RETRIES + first).contains(count));
                match count {
                    Some(count) => self.retries = Some(count - first),
                    None => {
                        let expected =
                            format!("a whole number from {} to {}", 1 + first, MOST_RETRIES + first);
                        return error(&option, value, &expected);
                    }
                }
            }
            _ => {
                return error(
                    "the policy",
                    name,
                    "base, multiplier, max, retries, attempts, fixed, linear, fibonacci, waits, jitter, attempt-timeout, deadline, window or work",
                );
            }
        }
        Ok(())
    }

    /// The policy, if it is one: one kind of waits, nothing that must not be 0, durations or plain numbers.
    pub fn checked(self) -> Result<Self, SpecError> {
        let kinds = [
            ("--base", self.base.is_some()),
            ("--fixed", self.fixed.is_some()),
            ("--linear", self.linear.is_some()),
            ("--fibonacci", self.fibonacci.is_some()),
            ("--waits", !self.waits.is_empty()),
        ];
        let given: Vec<_> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        match given.as_slice() {
            [_] => {}
            [] => {
                return Err(SpecError(
                    "one of --base, --fixed, --linear, --fibonacci and --waits is expected".into(),
                ));
            }
            _ => return Err(SpecError(format!("{} exclude each other", given.join(" and ")))),
        }
        if self.multiplier.is_some() && self.base.is_none() {
            return Err(SpecError(format!("--multiplier goes with --base, not with {}", given[0])));
        }
        if self.retries.is_none() && self.waits.is_empty() {
            return Err(SpecError(
                "--retries or --attempts is expected: how often is it tried again?".into(),
            ));
        }
        let positive = [
            ("--base", self.base),
            ("--max", self.max),
            ("--linear", self.linear),
            ("--fibonacci", self.fibonacci),
            ("--deadline", self.deadline),
            ("--window", self.window),
        ];
        for (name, given) in positive {
            if given.is_some_and(|given| given.time.is_zero()) {
                return error(name, "0", "something over 0");
            }
        }
        let times = self.times();
        if times.iter().any(|given| given.plain)
            && times.iter().any(|given| !given.plain && !given.time.is_zero())
        {
            return Err(SpecError(
                "durations with units and plain numbers are mixed; give all of them a unit, or none".into(),
            ));
        }
        if self.unit.is_some() && self.scale() == Scale::Time {
            return Err(SpecError("--unit labels plain numbers, and these have units of their own".into()));
        }
        Ok(self)
    }

    fn times(&self) -> Vec<Given> {
        let single = [
            self.base,
            self.max,
            self.fixed,
            self.linear,
            self.fibonacci,
            self.attempt_timeout,
            self.deadline,
            self.window,
            self.work,
        ];
        single.into_iter().flatten().chain(self.waits.iter().copied()).collect()
    }

    /// Whether its numbers are durations or plain.
    pub fn scale(&self) -> Scale {
        let times = self.times();
        if !times.is_empty() && times.iter().all(|given| given.plain) {
            Scale::Plain(self.unit.clone())
        } else {
            Scale::Time
        }
    }

    /// How long a queue hides the message.
    pub fn window(&self) -> Option<Duration> {
        self.window.map(|given| given.time)
    }

    /// How long one attempt takes.
    pub fn work(&self) -> Option<Duration> {
        self.work.map(|given| given.time)
    }

    /// The policy in the terms of a check.
    pub fn policy(&self) -> Policy {
        const GIVEN: &str = "as given";
        let time = |given: Option<Given>| match given {
            Some(given) => Setting::default(given.time, GIVEN),
            None => Setting::unlimited("none is given"),
        };
        let (growth, first) = match (self.base, self.fixed, self.linear, self.fibonacci) {
            (Some(base), ..) => (Growth::Exponential, Some(base)),
            (_, Some(fixed), ..) => (Growth::Constant, Some(fixed)),
            (_, _, Some(linear), _) => (Growth::Linear, Some(linear)),
            (_, _, _, Some(first)) => (Growth::Fibonacci, Some(first)),
            _ => (
                Growth::List(self.waits.iter().map(|given| given.time).collect()),
                self.waits.first().copied(),
            ),
        };
        let retries = self.retries.unwrap_or(self.waits.len() as u64);
        Policy {
            name: "as given".into(),
            dialect: "".into(),
            layer: Layer::Client,
            place: Place::default(),
            pointer: String::new(),
            written: true,
            attempts: Setting::default(retries + 1, GIVEN),
            backoff: Backoff {
                growth,
                initial: Setting::default(first.map(|given| given.time).unwrap_or_default(), GIVEN),
                multiplier: Setting::default(self.multiplier.unwrap_or(MULTIPLIER), GIVEN),
                cap: time(self.max),
                cap_applies: CapApplies::BeforeJitter,
                jitter: Setting::default(self.jitter.unwrap_or(Jitter::None), GIVEN),
                ..Backoff::none(GIVEN)
            },
            pacing: Pacing::AfterFailure,
            attempt_timeout: match self.attempt_timeout {
                Some(given) => Setting::default(given.time, GIVEN),
                None => {
                    Setting::new(Bound::Unknown, crate::model::Origin::Unknown("none is given".into(), None))
                }
            },
            deadline: time(self.deadline),
            deadline_effect: DeadlineEffect::Cuts,
            ships: false,
            within: Vec::new(),
            links: Links::default(),
            idle: None,
            idle_limits: Vec::new(),
            tightest: None,
            retries_timeouts: None,
            methods: None,
            ignores_retry_after: None,
            dead_letters: None,
            repeated: Vec::new(),
            bare_numbers: Vec::new(),
            faults: Vec::new(),
        }
    }
}
