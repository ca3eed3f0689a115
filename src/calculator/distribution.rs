//! How the sum of scattered waits is distributed.

use crate::model::{Backoff, CapApplies, Duration, Jitter};
use crate::schedule::Wait;

/// The distribution of a sum of waits.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// How it was worked out.
    pub method: Method,
    /// Half of the sums are no longer.
    pub p50: Duration,
    /// 95 of 100 are no longer.
    pub p95: Duration,
    /// 99 of 100 are no longer.
    pub p99: Duration,
    curve: Curve,
}

/// How a distribution was worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By convolution of the waits' own distributions, which are independent.
    Convolution,
    /// By so many simulated runs from a fixed seed, since each wait depends on the one before.
    Simulation(u32),
}

/// The part of sums that are no longer than a value, at points from the least to the largest.
#[derive(Clone, Debug)]
struct Curve {
    min: f64,
    step: f64,
    parts: Vec<f64>,
}

/// Points of a curve.
const POINTS: usize = 1 << 13;
/// Simulated runs, and the most waits that all of them draw together.
const RUNS: u32 = 100_000;
const MOST_DRAWS: u32 = 20_000_000;

impl Distribution {
    /// The part of sums that are longer than `limit`, from 0 to 1.
    pub fn over(&self, limit: Duration) -> f64 {
        (1.0 - self.curve.at(limit.nanos() as f64)).clamp(0.0, 1.0)
    }

    fn new(method: Method, curve: Curve) -> Self {
        let quantile = |part| Duration::from_nanos(curve.quantile(part).max(0.0) as u128);
        Self { method, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), curve }
    }
}

impl Curve {
    /// A sum that is always the same.
    fn point(value: f64) -> Self {
        Self { min: value, step: 0.0, parts: vec![1.0] }
    }

    fn max(&self) -> f64 {
        self.min + self.step * (self.parts.len() - 1) as f64
    }

    fn at(&self, value: f64) -> f64 {
        if value < self.min {
            return 0.0;
        }
        if value >= self.max() {
            return 1.0;
        }
        let position = (value - self.min) / self.step;
        let index = (position as usize).min(self.parts.len() - 2);
        let (low, high) = (self.parts[index], self.parts[index + 1]);
        low + (high - low) * (position - index as f64)
    }

    fn quantile(&self, part: f64) -> f64 {
        let after = self.parts.partition_point(|below| *below < part);
        if after == 0 || after >= self.parts.len() {
            return if after == 0 { self.min } else { self.max() };
        }
        let (low, high) = (self.parts[after - 1], self.parts[after]);
        let within = if high > low { (part - low) / (high - low) } else { 0.0 };
        self.min + self.step * (after as f64 - 1.0 + within)
    }

    /// The integral of the curve from its start to each of its points.
    fn integral(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let mut integral = vec![0.0];
        for pair in self.parts.windows(2) {
            sum += (pair[0] + pair[1]) / 2.0 * self.step;
            integral.push(sum);
        }
        integral
    }

    /// The sum of this and an independent wait.
    fn plus(&self, wait: Scattered) -> Self {
        let Scattered { min, max, atom } = wait;
        let longest = atom.map_or(max, |(at, _)| at);
        let (start, end) = (self.min + min, self.max() + longest);
        if end <= start {
            return Self::point(start);
        }
        let integral = self.integral();
        let up_to = |value: f64| {
            if value <= self.min {
                return 0.0;
            }
            let total = integral[integral.len() - 1];
            if value >= self.max() || self.step == 0.0 {
                return total + (value - self.max());
            }
            let position = (value - self.min) / self.step;
            let index = (position as usize).min(self.parts.len() - 2);
            let rest = value - (self.min + index as f64 * self.step);
            let slope = (self.parts[index + 1] - self.parts[index]) / self.step;
            integral[index] + rest * (self.parts[index] + slope * rest / 2.0)
        };
        let step = (end - start) / (POINTS - 1) as f64;
        let part = |n: usize| {
            let value = start + step * n as f64;
            let spread = if max > min {
                (up_to(value - min) - up_to(value - max)) / (max - min)
            } else {
                self.at(value - min)
            };
            match atom {
                Some((at, weight)) => spread * (1.0 - weight) + self.at(value - at) * weight,
                None => spread,
            }
        };
        let mut parts: Vec<f64> = (0..POINTS).map(part).collect();
        parts[POINTS - 1] = 1.0;
        Self { min: start, step, parts }
    }
}

/// A wait that is uniform from `min` to `max`, in nanoseconds, or with the weight of an atom just that.
#[derive(Clone, Copy)]
struct Scattered {
    min: f64,
    max: f64,
    atom: Option<(f64, f64)>,
}

impl Scattered {
    /// The wait that a range comes of. Where the ceiling cuts scattered waits, what would be over it is at it.
    fn of(backoff: &Backoff, plain: Duration, range: Wait) -> Self {
        let (min, max) = (range.min.nanos() as f64, range.max.nanos() as f64);
        let whole = Self { min, max, atom: None };
        let (Some(Jitter::Factor { above, .. }), CapApplies::AfterJitter) =
            (backoff.jitter.at(), backoff.cap_applies)
        else {
            return whole;
        };
        let uncut = plain.scale(above.plus_one()).nanos() as f64;
        if uncut > max && max > min {
            let weight = (uncut - max) / (uncut - min);
            return Self { atom: Some((max, weight)), ..whole };
        }
        whole
    }

    fn mean(self) -> f64 {
        let middle = (self.min + self.max) / 2.0;
        self.atom.map_or(middle, |(at, weight)| middle * (1.0 - weight) + at * weight)
    }
}

/// The mean of each wait.
pub(super) fn means(backoff: &Backoff, plain: &[Duration], waits: &[Wait]) -> Vec<Duration> {
    if backoff.jitter.at() == Some(Jitter::Decorrelated) {
        return simulated(backoff, waits).means;
    }
    let mean = |(plain, range): (&Duration, &Wait)| match range.min == range.max {
        true => range.min,
        false => Duration::from_nanos(Scattered::of(backoff, *plain, *range).mean() as u128),
    };
    plain.iter().zip(waits).map(mean).collect()
}

/// The distribution of the sum.
pub(super) fn of(backoff: &Backoff, plain: &[Duration], waits: &[Wait]) -> Distribution {
    if backoff.jitter.at() == Some(Jitter::Decorrelated) {
        let Simulated { runs, curve, .. } = simulated(backoff, waits);
        return Distribution::new(Method::Simulation(runs), curve);
    }
    let scattered = plain.iter().zip(waits).map(|(plain, range)| Scattered::of(backoff, *plain, *range));
    let curve = scattered.fold(Curve::point(0.0), |sum, wait| sum.plus(wait));
    Distribution::new(Method::Convolution, curve)
}

/// What simulated runs gave.
struct Simulated {
    runs: u32,
    curve: Curve,
    means: Vec<Duration>,
}

/// Sums and means of waits that depend on the ones before them.
fn simulated(backoff: &Backoff, waits: &[Wait]) -> Simulated {
    let first = backoff.initial.at().unwrap_or_default().nanos() as f64;
    let cap = backoff.cap.at().unwrap_or(Duration::LONGEST).nanos() as f64;
    let runs = RUNS.min(MOST_DRAWS / (waits.len().max(1) as u32));
    let mut dice = Dice(0x5eed_1234_9876_abcd);
    let mut sums = Vec::with_capacity(runs as usize);
    let mut means = vec![0.0; waits.len()];
    for _ in 0..runs {
        let (mut before, mut sum) = (first, 0.0);
        for mean in &mut means {
            let most = (before * 3.0).min(cap);
            let least = first.min(most);
            before = least + (most - least) * dice.roll();
            sum += before;
            *mean += before / f64::from(runs);
        }
        sums.push(sum);
    }
    sums.sort_by(f64::total_cmp);
    let (min, max) = (sums.first().copied().unwrap_or(0.0), sums.last().copied().unwrap_or(0.0));
    let curve = if max > min {
        let step = (max - min) / (POINTS - 1) as f64;
        let below = |n| sums.partition_point(|sum| *sum <= min + step * n as f64) as f64 / f64::from(runs);
        Curve { min, step, parts: (0..POINTS).map(below).collect() }
    } else {
        Curve::point(min)
    };
    let means = means.into_iter().map(|mean| Duration::from_nanos(mean as u128)).collect();
    Simulated { runs, curve, means }
}

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    /// From 0 on, under 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}
