//! Policies with known schedules, and what must hold of all.

use super::{Repeats, Schedule, Wait, fit, schedule};
use crate::model::{
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Growth, Jitter, Layer, Pacing, Policy, Ratio,
    Rounding, Setting,
};
use crate::source::Place;
use num_bigint::BigUint;
use proptest::prelude::*;

const NONE: &str = "test";

fn policy(attempts: u64) -> Policy {
    Policy {
        name: String::new(),
        dialect: NONE.into(),
        layer: Layer::Client,
        place: Place::default(),
        pointer: String::new(),
        written: true,
        attempts: Setting::default(attempts, NONE),
        backoff: Backoff::none(NONE),
        pacing: Pacing::AfterFailure,
        attempt_timeout: Setting::unknown(NONE, None),
        deadline: Setting::unlimited(NONE),
        deadline_effect: DeadlineEffect::Cuts,
        ships: false,
        within: Vec::new(),
        links: crate::model::Links::default(),
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

/// Short spellings for the tests; all times in milliseconds.
impl Policy {
    fn grows(mut self, growth: Growth, initial: u64) -> Self {
        self.backoff.growth = growth;
        self.backoff.initial = Setting::default(ms(initial), NONE);
        self
    }

    fn exponential(self, initial: u64, multiplier: &str) -> Self {
        let mut policy = self.grows(Growth::Exponential, initial);
        policy.backoff.multiplier = Setting::default(Ratio::parse(multiplier).unwrap(), NONE);
        policy
    }

    fn cap(mut self, cap: u64) -> Self {
        self.backoff.cap = Setting::default(ms(cap), NONE);
        self
    }

    fn cap_applies(mut self, applies: CapApplies) -> Self {
        self.backoff.cap_applies = applies;
        self
    }

    fn jitter(mut self, jitter: Jitter) -> Self {
        self.backoff.jitter = Setting::default(jitter, NONE);
        self
    }

    fn factor(self, part: &str) -> Self {
        let part = Ratio::parse(part).unwrap();
        self.jitter(Jitter::Factor { below: part, above: part })
    }

    fn full(self) -> Self {
        self.jitter(Jitter::Full { least: Duration::ZERO })
    }

    fn whole_millis(mut self) -> Self {
        self.backoff.rounding = Rounding::WholeMilliseconds;
        self
    }

    fn attempt(mut self, timeout: u64) -> Self {
        self.attempt_timeout = Setting::default(ms(timeout), NONE);
        self
    }

    fn endless_attempt(mut self) -> Self {
        self.attempt_timeout = Setting::unlimited(NONE);
        self
    }

    fn deadline(mut self, deadline: u64, effect: DeadlineEffect) -> Self {
        self.deadline = Setting::default(ms(deadline), NONE);
        self.deadline_effect = effect;
        self
    }

    fn cuts(self, deadline: u64) -> Self {
        self.deadline(deadline, DeadlineEffect::Cuts)
    }

    fn unlimited(mut self) -> Self {
        self.attempts = Setting::unlimited(NONE);
        self
    }

    fn paced(mut self, pacing: Pacing) -> Self {
        self.pacing = pacing;
        self
    }

    fn envoy(self) -> Self {
        self.grows(Growth::DoublingToCap, 25).cap(250).full()
    }
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn millis(durations: impl IntoIterator<Item = Duration>) -> Vec<f64> {
    durations.into_iter().map(|duration| duration.nanos() as f64 / 1e6).collect()
}

fn mins(policy: &Policy) -> Vec<f64> {
    millis(schedule(policy).waits.unwrap().iter().map(|wait| wait.min))
}

fn maxs(policy: &Policy) -> Vec<f64> {
    millis(schedule(policy).waits.unwrap().iter().map(|wait| wait.max))
}

fn ends(policy: &Policy) -> (Bound<Duration>, Bound<Duration>) {
    let schedule = schedule(policy);
    (schedule.demand, schedule.worst_case)
}

fn at(millis: u64) -> Bound<Duration> {
    Bound::At(ms(millis))
}

#[test]
fn exponential_growth_stops_at_the_cap() {
    let policy = policy(6).exponential(250, "2").cap(2000).attempt(3000).cuts(30000);
    assert_eq!(mins(&policy), [250.0, 500.0, 1000.0, 2000.0, 2000.0]);
    assert_eq!(mins(&policy), maxs(&policy));
    assert_eq!(schedule(&policy).total_max, at(5750));
    assert_eq!(ends(&policy), (at(23750), at(23750)));
}

#[test]
fn the_cap_holds_from_the_first_wait() {
    assert_eq!(maxs(&policy(4).exponential(10, "2").cap(3)), [3.0, 3.0, 3.0]);
    assert_eq!(maxs(&policy(5).exponential(10, "0.5").cap(6)), [6.0, 5.0, 2.5, 1.25]);
}

#[test]
fn fractional_multipliers_do_not_drift() {
    let policy = policy(5).exponential(1000, "1.3");
    assert_eq!(mins(&policy), [1000.0, 1300.0, 1690.0, 2197.0]);
    let policy = policy.factor("0.2");
    assert_eq!(mins(&policy)[3], 1757.6);
    assert_eq!(maxs(&policy)[3], 2636.4);
}

#[test]
fn other_growths() {
    let waits = |growth| maxs(&policy(8).grows(growth, 10).cap(300));
    assert_eq!(waits(Growth::Constant), [10.0; 7]);
    assert_eq!(waits(Growth::Linear), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0]);
    assert_eq!(waits(Growth::Polynomial(2)), [10.0, 40.0, 90.0, 160.0, 250.0, 300.0, 300.0]);
    assert_eq!(waits(Growth::Polynomial(0)), [10.0; 7]);
    assert_eq!(waits(Growth::Fibonacci), [10.0, 10.0, 20.0, 30.0, 50.0, 80.0, 130.0]);
    assert_eq!(waits(Growth::FibonacciFromSecond), [10.0, 20.0, 30.0, 50.0, 80.0, 130.0, 210.0]);
    assert_eq!(waits(Growth::DoublingThenLinear(3)), [10.0, 20.0, 40.0, 80.0, 160.0, 240.0, 300.0]);
    assert_eq!(waits(Growth::DoublingThenLinear(0))[..3], [10.0, 20.0, 30.0]);
    assert_eq!(waits(Growth::List(vec![ms(1), ms(5), ms(2)])), [1.0, 5.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(waits(Growth::List(vec![ms(900)])), [300.0; 7]);
    assert_eq!(waits(Growth::None), [0.0; 7]);
}

#[test]
fn ranges_stand_as_they_are() {
    let ranges = vec![(ms(500), ms(1500)), (ms(3500), ms(3500))];
    let policy = policy(4).grows(Growth::Ranges(ranges), 0).cap(1000).jitter(Jitter::Equal);
    assert_eq!(mins(&policy), [500.0, 3500.0, 3500.0]);
    assert_eq!(maxs(&policy), [1500.0, 3500.0, 3500.0]);
}

#[test]
fn envoy_doubles_whole_milliseconds_and_may_reach_an_odd_cap_early() {
    let waits = |initial, cap| maxs(&policy(6).grows(Growth::DoublingToCap, initial).cap(cap));
    assert_eq!(waits(25, 250), [25.0, 50.0, 100.0, 200.0, 250.0]);
    assert_eq!(waits(25, 51), [25.0, 51.0, 51.0, 51.0, 51.0]);
    assert_eq!(waits(25, 101), [25.0, 50.0, 101.0, 101.0, 101.0]);
    assert_eq!(waits(100, 1000), [100.0, 200.0, 400.0, 800.0, 1000.0]);
    assert_eq!(waits(0, 0), [1.0; 5]);
}

#[test]
fn lead_waits_come_first_and_stand_as_they_are() {
    let mut policy = policy(5).exponential(100, "2").jitter(Jitter::Equal).cap(150);
    policy.backoff.lead = vec![Duration::ZERO, ms(700)];
    assert_eq!(mins(&policy), [0.0, 700.0, 50.0, 75.0]);
    assert_eq!(maxs(&policy), [0.0, 700.0, 100.0, 150.0]);
}

#[test]
fn jitter_turns_waits_into_ranges() {
    let one = |jitter| {
        let policy = policy(2).grows(Growth::Constant, 100).jitter(jitter);
        (mins(&policy)[0], maxs(&policy)[0])
    };
    assert_eq!(one(Jitter::None), (100.0, 100.0));
    assert_eq!(one(Jitter::Full { least: Duration::ZERO }), (0.0, 100.0));
    assert_eq!(one(Jitter::Full { least: ms(1) }), (1.0, 100.0));
    assert_eq!(one(Jitter::Full { least: ms(200) }), (200.0, 200.0));
    assert_eq!(one(Jitter::Equal), (50.0, 100.0));
    assert_eq!(one(Jitter::Around { span: ms(30) }), (70.0, 130.0));
    assert_eq!(one(Jitter::Around { span: ms(200) }), (0.0, 300.0));
    assert_eq!(one(Jitter::Added { span: ms(30) }), (100.0, 130.0));
    let part = |below, above| Jitter::Factor { below: Ratio::new(below, 10), above: Ratio::new(above, 10) };
    assert_eq!(one(part(2, 5)), (80.0, 150.0));
    assert_eq!(one(part(20, 0)), (0.0, 100.0));
}

#[test]
fn decorrelated_waits_reach_three_times_the_one_before() {
    let policy = policy(5).grows(Growth::Exponential, 100).cap(2000).jitter(Jitter::Decorrelated);
    assert_eq!(mins(&policy), [100.0; 4]);
    assert_eq!(maxs(&policy), [300.0, 900.0, 2000.0, 2000.0]);
}

#[test]
fn the_cap_applies_before_or_after_jitter() {
    // gRPC scatters what is capped
    let policy = policy(4).exponential(1000, "2").cap(1500).factor("0.2");
    assert_eq!(mins(&policy), [800.0, 1200.0, 1200.0]);
    assert_eq!(maxs(&policy), [1200.0, 1800.0, 1800.0]);
    let policy = policy.cap_applies(CapApplies::AfterJitter);
    assert_eq!(mins(&policy), [800.0, 1500.0, 1500.0]);
    assert_eq!(maxs(&policy), [1200.0, 1500.0, 1500.0]);
    let policy = policy.cap_applies(CapApplies::BeforeAndAfterJitter);
    assert_eq!(mins(&policy), [800.0, 1200.0, 1200.0]);
    assert_eq!(maxs(&policy), [1200.0, 1500.0, 1500.0]);
}

#[test]
fn whole_milliseconds_are_cut_at_each_step() {
    let policy = policy(5).exponential(25, "1.5").whole_millis();
    assert_eq!(maxs(&policy), [25.0, 37.0, 55.0, 82.0]);
    let policy = policy.factor("0.5");
    assert_eq!(mins(&policy), [12.0, 18.0, 27.0, 41.0]);
    assert_eq!(maxs(&policy), [38.0, 56.0, 83.0, 123.0]);
}

#[test]
fn whole_milliseconds_that_cannot_grow_stay() {
    let mut policy = policy(u64::MAX).exponential(50, "1.01").whole_millis();
    assert_eq!(schedule(&policy).total_max, Bound::At(ms(50).times(u64::MAX - 1)));
    policy = policy.exponential(1, "0.5").factor("0.5");
    assert_eq!(mins(&policy)[..3], [1.0; 3]);
    assert_eq!(schedule(&policy).total_min, Bound::At(ms(1).times(u64::MAX - 1)));
}

#[test]
fn resilience4j_random_and_cap() {
    let policy = policy(5)
        .exponential(200, "3")
        .cap(1500)
        .factor("0.25")
        .cap_applies(CapApplies::AfterJitter)
        .whole_millis()
        .attempt(800);
    assert_eq!(mins(&policy), [150.0, 450.0, 1350.0, 1500.0]);
    assert_eq!(maxs(&policy), [250.0, 750.0, 1500.0, 1500.0]);
    assert_eq!(ends(&policy), (at(8000), at(8000)));
}

#[test]
fn one_attempt_has_no_waits_even_where_they_are_not_known() {
    let mut policy = policy(1).attempt(10_000);
    policy.backoff = Backoff::unknown(NONE);
    let Schedule { waits, truncated, total_min, total_max, demand, worst_case } = schedule(&policy);
    assert_eq!((waits, truncated), (Some(Vec::new()), false));
    assert_eq!((total_min, total_max), (at(0), at(0)));
    assert_eq!((demand, worst_case), (at(10_000), at(10_000)));
}

#[test]
fn what_is_not_known_stays_unknown() {
    let mut unknown_waits = policy(3).attempt(1000).cuts(5000);
    unknown_waits.backoff = Backoff::unknown(NONE);
    let result = schedule(&unknown_waits);
    assert_eq!(result.waits, None);
    assert_eq!((result.total_min, result.total_max), (Bound::Unknown, Bound::Unknown));
    assert_eq!((result.demand, result.worst_case), (Bound::Unknown, at(5000)));

    let mut unknown_cap = policy(3).exponential(1, "2");
    unknown_cap.backoff.cap = Setting::unknown(NONE, None);
    assert_eq!(schedule(&unknown_cap).waits, None);

    let mut unknown_attempts = policy(3).exponential(1, "2").attempt(1000);
    unknown_attempts.attempts = Setting::unknown(NONE, None);
    let result = schedule(&unknown_attempts);
    assert_eq!((result.waits, result.total_max), (None, Bound::Unknown));
    assert_eq!((result.demand, result.worst_case), (Bound::Unknown, Bound::Unknown));

    let mut unknown_deadline = policy(3).attempt(1000);
    unknown_deadline.deadline = Setting::unknown(NONE, None);
    assert_eq!(ends(&unknown_deadline), (at(3000), Bound::Unknown));
}

#[test]
fn unlimited_attempts_list_ten_waits_and_have_no_totals() {
    let result = schedule(&policy(1).unlimited().exponential(1, "2").attempt(1000));
    assert_eq!(result.waits.map(|waits| waits.len()), Some(10));
    assert!(result.truncated);
    assert_eq!((result.total_min, result.total_max), (Bound::Unlimited, Bound::Unlimited));
    assert_eq!((result.demand, result.worst_case), (Bound::Unlimited, Bound::Unlimited));
}

#[test]
fn a_thousand_waits_are_listed_and_all_are_counted() {
    let short = schedule(&policy(1001).grows(Growth::Constant, 10));
    assert_eq!((short.waits.unwrap().len(), short.truncated), (1000, false));
    let long = schedule(&policy(1002).grows(Growth::Constant, 10));
    assert_eq!((long.waits.unwrap().len(), long.truncated, long.total_max), (1000, true, at(10_010)));
}

/// The attempts that fit with the largest waits.
fn sure(policy: &Policy, limit: Duration) -> Option<u64> {
    fit::attempts_within(policy, limit).map(|fitting| fitting.least)
}

#[test]
fn the_deadline_of_a_proxy_cuts() {
    // Istio's four attempts of 2 s in 5 s
    let policy = policy(4).envoy().attempt(2000).cuts(5000);
    assert_eq!(mins(&policy), [0.0; 3]);
    assert_eq!(maxs(&policy), [25.0, 50.0, 100.0]);
    assert_eq!(ends(&policy), (at(8175), at(5000)));
    assert_eq!(sure(&policy, ms(5000)), Some(2));
    assert_eq!(fit::shortfall(&policy), Some(ms(3175)));
}

#[test]
fn what_starts_at_the_very_limit_does_not_fit_whatever_is_known_of_it() {
    let job = policy(7).exponential(10_000, "2").cuts(30_000);
    let fitting = fit::attempts_within(&job, ms(30_000)).unwrap();
    assert_eq!((fitting.least, fitting.most, fitting.unknown), (2, 2, Some(fit::UnknownTime::Attempt)));
    assert_eq!(fit::attempts_started(&job, Duration::ZERO), Bound::At(2));
    assert_eq!(sure(&job, ms(30_001)), Some(3));
    assert_eq!(sure(&job, ms(0)), Some(0));
    assert_eq!(sure(&job.attempt(10_000), ms(40_000)), Some(2), "10 + 10 + 10 + 20 is as long");
}

#[test]
fn jitter_makes_two_numbers_of_what_fits() {
    let jittered = policy(5).envoy().attempt(100);
    let fitting = fit::attempts_within(&jittered, ms(400)).unwrap();
    assert_eq!((fitting.least, fitting.most, fitting.unknown), (3, 4, None));
    let hedged = policy(5).grows(Growth::Constant, 100).paced(Pacing::Hedged).attempt(100);
    let fitting = fit::attempts_within(&hedged, ms(300)).unwrap();
    assert_eq!((fitting.least, fitting.most), (3, 3));
    let unknown = Policy { backoff: Backoff::unknown("no wait is written"), ..policy(5).attempt(100) };
    let fitting = fit::attempts_within(&unknown, ms(300)).unwrap();
    assert_eq!((fitting.least, fitting.most, fitting.unknown), (3, 3, Some(fit::UnknownTime::Waits)));
    assert_eq!(fit::shortfall(&unknown.cuts(300)), Some(ms(200)));
}

#[test]
fn without_an_attempt_timeout_the_deadline_is_the_worst_case() {
    let unknown = policy(4).envoy().cuts(15000);
    assert_eq!(ends(&unknown), (Bound::Unknown, at(15000)));
    assert_eq!(ends(&unknown.endless_attempt()), (Bound::Unlimited, at(15000)));
    assert_eq!(ends(&policy(5).envoy().endless_attempt()), (Bound::Unlimited, Bound::Unlimited));
    assert_eq!(ends(&policy(1).endless_attempt().cuts(15000)), (Bound::Unlimited, at(15000)));
}

#[test]
fn a_deadline_that_stops_adds_an_attempt() {
    let stops = |policy: Policy, deadline| policy.deadline(deadline, DeadlineEffect::Stops);
    let waits = policy(5).grows(Growth::Constant, 1000);
    assert_eq!(ends(&stops(waits.clone().attempt(4000), 10_000)), (at(24_000), at(14_000)));
    assert_eq!(ends(&stops(waits.clone().attempt(4000), 30_000)), (at(24_000), at(24_000)));
    assert_eq!(ends(&stops(waits.clone().unlimited().attempt(4000), 10_000)), (Bound::Unlimited, at(14_000)));
    assert_eq!(ends(&stops(waits.clone(), 10_000)), (Bound::Unknown, Bound::Unknown));
    assert_eq!(ends(&stops(waits.endless_attempt(), 10_000)), (Bound::Unlimited, Bound::Unlimited));
}

#[test]
fn a_deadline_that_cuts_retries_leaves_the_first_attempt() {
    let argo = policy(6).exponential(300_000, "2").deadline(1_800_000, DeadlineEffect::CutsRetries);
    assert_eq!(ends(&argo.clone().attempt(1_500_000)), (at(18_300_000), at(1_800_000)));
    assert_eq!(ends(&argo.clone().attempt(2_500_000)).1, at(2_500_000));
    assert_eq!(ends(&argo.clone().endless_attempt()).1, Bound::Unlimited);
    assert_eq!(ends(&argo.clone()).1, Bound::Unknown);
    // 25 min and 5 min of wait end at the deadline
    assert_eq!(fit::attempts_started(&argo, ms(1_499_999)), Bound::At(2));
    assert_eq!(fit::attempts_started(&argo, ms(1_500_000)), Bound::At(1), "its pod would have no time left");
    assert_eq!(fit::attempts_started(&argo, ms(120_000)), Bound::At(3));
}

#[test]
fn hedged_attempts_go_on_beside_each_other() {
    let policy = policy(3).grows(Growth::Constant, 250).paced(Pacing::Hedged).attempt(600).cuts(800);
    assert_eq!((mins(&policy), maxs(&policy)), (vec![0.0; 2], vec![250.0; 2]));
    assert_eq!(ends(&policy), (at(1100), at(800)));
    assert_eq!(fit::attempts_started(&policy, Duration::ZERO), Bound::At(3));
    assert_eq!(fit::attempts_started(&policy.clone().cuts(500), ms(600)), Bound::At(2));
}

#[test]
fn redelivery_runs_from_start_to_start() {
    let policy = policy(4)
        .grows(Growth::List(vec![ms(10_000), ms(60_000)]), 0)
        .paced(Pacing::StartToStart)
        .attempt(30_000);
    // starts at 0, 30, 90 and 150 s
    assert_eq!(schedule(&policy).total_max, at(130_000));
    assert_eq!(ends(&policy), (at(180_000), at(180_000)));
    assert_eq!(Repeats::of(&policy).started_before(at(90_000), ms(30_000)), Bound::At(2));
    assert_eq!(Repeats::of(&policy).started_before(at(90_001), ms(30_000)), Bound::At(3));
    assert_eq!(Repeats::of(&policy).started_before(at(70_001), ms(5_000)), Bound::At(3));
}

#[test]
fn long_schedules_of_reports() {
    let step_functions = policy(11).exponential(60_000, "2").attempt(900_000);
    assert_eq!(ends(&step_functions), (at(71_280_000), at(71_280_000)));
    let promtail = policy(5)
        .exponential(100, "2")
        .cap(10_000)
        .cap_applies(CapApplies::AfterJitter)
        .jitter(Jitter::Factor { below: Ratio::ZERO, above: Ratio::ONE })
        .attempt(10_000);
    assert_eq!(maxs(&promtail), [200.0, 400.0, 800.0, 1600.0]);
    assert_eq!(ends(&promtail), (at(53_000), at(53_000)));
    let job = policy(6).exponential(10_000, "2").cap(360_000).attempt(90_000).cuts(300_000);
    assert_eq!((schedule(&job).total_max, ends(&job).1), (at(310_000), at(300_000)));
    let vector = policy(7)
        .grows(Growth::FibonacciFromSecond, 1000)
        .cap(10_000)
        .jitter(Jitter::Full { least: ms(1) })
        .attempt(20_000);
    assert_eq!(maxs(&vector), [1000.0, 2000.0, 3000.0, 5000.0, 8000.0, 10_000.0]);
    assert_eq!(ends(&vector), (at(169_000), at(169_000)));
    let uploader = policy(5).grows(Growth::Fibonacci, 100).full().attempt(3000);
    assert_eq!(maxs(&uploader), [100.0, 100.0, 200.0, 300.0]);
    assert_eq!(ends(&uploader), (at(15_700), at(15_700)));
}

#[test]
fn attempts_start_strictly_before_a_limit() {
    let policy = policy(5).grows(Growth::Constant, 100);
    let repeats = Repeats::of(&policy);
    assert_eq!(repeats.started_before(at(0), Duration::ZERO), Bound::At(0));
    assert_eq!(repeats.started_before(at(1), Duration::ZERO), Bound::At(1));
    assert_eq!(repeats.started_before(at(200), Duration::ZERO), Bound::At(2));
    assert_eq!(repeats.started_before(at(201), Duration::ZERO), Bound::At(3));
    assert_eq!(repeats.started_before(at(200), ms(100)), Bound::At(1));
    assert_eq!(repeats.started_before(at(1_000_000), ms(100)), Bound::At(5));
    assert_eq!(repeats.started_before(Bound::Unlimited, ms(100)), Bound::At(5));
    assert_eq!(repeats.started_before(Bound::Unknown, ms(100)), Bound::At(5));
}

#[test]
fn endless_attempts_are_counted_by_what_limits_them() {
    let policy = policy(1).unlimited().exponential(1000, "2").cap(4000).attempt(1000);
    // starts at 0, 2, 5, 10, 15, 20 … s
    assert_eq!(sure(&policy, ms(16_000)), Some(5));
    assert_eq!(fit::attempts_started(&policy.clone().cuts(10_001), ms(1000)), Bound::At(4));
    let at_once = policy.clone().grows(Growth::None, 0).cuts(1000);
    assert_eq!(fit::attempts_started(&at_once, Duration::ZERO), Bound::Unlimited);
    // 6 s for three of them, and 5 s for each other
    let age = Duration::from_secs(5_000_000_000_000_001);
    assert_eq!(sure(&policy, age), Some(1_000_000_000_000_002));
}

#[test]
fn huge_numbers_are_worked_out_at_once() {
    let result = schedule(&policy(u64::MAX).exponential(1, "1e300").cap(u64::MAX).attempt(u64::MAX));
    assert_eq!(result.total_max, Bound::At(Duration::LONGEST));
    assert_eq!(result.demand, Bound::At(Duration::LONGEST));
    let result = schedule(&policy(1000).exponential(1, "1e300"));
    assert_eq!(result.waits.unwrap().last().unwrap().max, Duration::LONGEST);
    for growth in [Growth::Polynomial(u32::MAX), Growth::DoublingThenLinear(u32::MAX), Growth::Fibonacci] {
        assert_eq!(schedule(&policy(u64::MAX).grows(growth, 1)).total_min, Bound::At(Duration::LONGEST));
    }
}

#[test]
fn sums_of_waits_that_never_settle_are_not_known() {
    let slow = policy(u64::MAX).grows(Growth::Linear, 1).attempt(1).cuts(5);
    let result = schedule(&slow);
    assert_eq!((result.total_min, result.demand), (Bound::Unknown, Bound::Unknown));
    assert_eq!(result.worst_case, at(5));
    assert_eq!(result.waits.unwrap().len(), 1000);
    // what happens before that is known
    assert_eq!(sure(&slow, ms(10)), Some(4));
}

fn bound<T: std::fmt::Debug + Clone>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Bound<T>> {
    prop_oneof![6 => value.prop_map(Bound::At), 1 => Just(Bound::Unlimited), 1 => Just(Bound::Unknown)]
}

fn duration() -> impl Strategy<Value = Duration> + Clone {
    let small = 0u64..100_000;
    prop_oneof![
        3 => small.clone().prop_map(ms),
        2 => small.prop_map(|nanos| Duration::from_nanos(nanos.into())),
        1 => Just(Duration::ZERO),
        1 => proptest::num::u128::ANY.prop_map(Duration::from_nanos),
    ]
}

fn ratio() -> impl Strategy<Value = Ratio> + Clone {
    prop_oneof![
        4 => (0u64..50).prop_map(|tenths| Ratio::new(tenths, 10)),
        1 => (any::<u64>(), 1u64..).prop_map(|(n, d)| Ratio::new(n, d)),
    ]
}

fn jitter() -> impl Strategy<Value = Jitter> + Clone {
    prop_oneof![
        Just(Jitter::None),
        duration().prop_map(|least| Jitter::Full { least }),
        Just(Jitter::Equal),
        (ratio(), ratio()).prop_map(|(below, above)| Jitter::Factor { below, above }),
        duration().prop_map(|span| Jitter::Around { span }),
        duration().prop_map(|span| Jitter::Added { span }),
        Just(Jitter::Decorrelated),
    ]
}

fn growth() -> impl Strategy<Value = Growth> + Clone {
    let plain = [Growth::None, Growth::Constant, Growth::Linear, Growth::DoublingToCap];
    let other = [Growth::Fibonacci, Growth::FibonacciFromSecond, Growth::Unknown];
    let count = prop_oneof![0u32..4, any::<u32>()];
    prop_oneof![
        4 => proptest::sample::select(plain.to_vec()),
        3 => proptest::sample::select(other.to_vec()),
        4 => Just(Growth::Exponential),
        1 => count.clone().prop_map(Growth::Polynomial),
        1 => count.prop_map(Growth::DoublingThenLinear),
        1 => proptest::collection::vec(duration(), 0..4).prop_map(Growth::List),
        1 => proptest::collection::vec((duration(), duration()), 0..4).prop_map(Growth::Ranges),
    ]
}

/// The origin is of no interest here.
fn setting<T>(bound: Bound<T>) -> Setting<T> {
    Setting { bound, ..Setting::unlimited(NONE) }
}

fn backoff() -> impl Strategy<Value = Backoff> {
    let cap_applies = proptest::sample::select(vec![
        CapApplies::BeforeJitter,
        CapApplies::AfterJitter,
        CapApplies::BeforeAndAfterJitter,
    ]);
    (
        (proptest::collection::vec(duration(), 0..3), growth(), bound(duration()), bound(ratio())),
        (bound(duration()), cap_applies, bound(jitter()), any::<bool>()),
    )
        .prop_map(|((lead, growth, initial, multiplier), (cap, cap_applies, jitter, whole))| Backoff {
            can_jitter: true,
            lead,
            growth,
            initial: setting(initial),
            multiplier: setting(multiplier),
            cap: setting(cap),
            cap_applies,
            jitter: setting(jitter),
            rounding: if whole { Rounding::WholeMilliseconds } else { Rounding::None },
            ..Backoff::none("")
        })
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let attempts = prop_oneof![4 => 0u64..40, 1 => any::<u64>(), 1 => Just(u64::MAX)];
    let pacing = prop_oneof![Just(Pacing::AfterFailure), Just(Pacing::StartToStart), Just(Pacing::Hedged)];
    let effect = prop_oneof![
        Just(DeadlineEffect::Cuts),
        Just(DeadlineEffect::CutsRetries),
        Just(DeadlineEffect::Stops)
    ];
    (bound(attempts), backoff(), pacing, bound(duration()), bound(duration()), effect).prop_map(
        |(attempts, backoff, pacing, timeout, deadline, deadline_effect)| Policy {
            attempts: setting(attempts),
            attempt_timeout: setting(timeout),
            deadline: setting(deadline),
            backoff,
            pacing,
            deadline_effect,
            ..policy(1)
        },
    )
}

fn no_longer(a: Bound<Duration>, b: Bound<Duration>) -> bool {
    match (a, b) {
        (Bound::At(a), Bound::At(b)) => a <= b,
        (Bound::Unlimited, Bound::At(_)) => false,
        _ => true,
    }
}

fn with_attempts(policy: &Policy, attempts: u64) -> Policy {
    Policy { attempts: Setting::default(attempts, NONE), ..policy.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ranges_and_totals_fit_together(policy in any_policy()) {
        let result = schedule(&policy);
        prop_assert!(no_longer(result.total_min, result.total_max));
        prop_assert!(no_longer(result.total_max, result.demand));
        prop_assert!(no_longer(result.worst_case, result.demand));
        if let Some(waits) = &result.waits {
            prop_assert!(waits.iter().all(|wait| wait.min <= wait.max));
            if policy.attempts.at().is_some() && !result.truncated {
                let sum = |end: fn(&Wait) -> Duration| waits.iter().map(end).fold(Duration::ZERO, Duration::plus);
                prop_assert_eq!(result.total_min, Bound::At(sum(|wait| wait.min)));
                prop_assert_eq!(result.total_max, Bound::At(sum(|wait| wait.max)));
            }
        }
        if let Bound::At(deadline) = policy.deadline.bound && policy.deadline_effect == DeadlineEffect::Cuts {
            prop_assert!(no_longer(result.worst_case, Bound::At(deadline)) && result.worst_case.at().is_some());
        }
    }

    #[test]
    fn totals_grow_with_attempts(policy in any_policy(), attempts in 0u64..50) {
        let [less, more] = [attempts, attempts + 1].map(|n| schedule(&with_attempts(&policy, n)));
        prop_assert!(no_longer(less.total_min, more.total_min));
        prop_assert!(no_longer(less.total_max, more.total_max));
        prop_assert!(no_longer(less.demand, more.demand));
        prop_assert!(no_longer(less.worst_case, more.worst_case));
    }

    #[test]
    fn a_cap_makes_no_wait_longer(policy in any_policy(), cap in duration()) {
        let mut capped = policy.clone();
        capped.backoff.cap = Setting::default(cap, NONE);
        let mut uncapped = policy;
        uncapped.backoff.cap = Setting::unlimited(NONE);
        // Envoy's step jumps to the cap early
        if capped.backoff.growth == Growth::DoublingToCap {
            return Ok(());
        }
        let [capped, uncapped] = [capped, uncapped].map(|policy| schedule(&policy));
        prop_assert_eq!(capped.waits.is_some(), uncapped.waits.is_some());
        for (short, long) in capped.waits.iter().flatten().zip(uncapped.waits.iter().flatten()) {
            prop_assert!(short.min <= long.min && short.max <= long.max);
        }
        prop_assert!(no_longer(capped.total_max, uncapped.total_max));
    }

    #[test]
    fn what_fits_asks_for_no_more_than_the_limit(policy in any_policy(), limit in 0..Duration::LONGEST.nanos()) {
        let limit = Duration::from_nanos(limit);
        let Some(count) = sure(&policy, limit) else { return Ok(()) };
        let demand = |attempts| fit::least_demand(&with_attempts(&policy, attempts));
        prop_assert!(no_longer(demand(count), Bound::At(limit)));
        if policy.attempts.bound != Bound::At(count) {
            prop_assert!(policy.attempts.at().is_none_or(|attempts| count < attempts));
            let instantly = policy.attempt_timeout.at().unwrap_or_default().is_zero();
            prop_assert!(!matches!(demand(count + 1), Bound::At(demand) if demand < limit || demand == limit && !instantly));
        }
    }

    #[test]
    fn whatever_is_sure_to_end_in_time_can_start_in_time(policy in any_policy(), limit in 1u64..1_000_000) {
        let Some(attempt) = policy.attempt_timeout.at() else { return Ok(()) };
        let repeats = Repeats::of(&policy);
        let fitting = repeats.fitting(attempt, ms(limit));
        let started = repeats.started_before(at(limit), attempt);
        if let (Some(fitting), Some(started)) = (fitting.at(), started.at()) {
            prop_assert!(fitting <= started);
        }
        let quicker = repeats.started_before(at(limit), Duration::ZERO);
        if let (Some(started), Some(quicker)) = (started.at(), quicker.at()) {
            prop_assert!(started <= quicker);
        }
    }

    #[test]
    fn exponential_waits_follow_the_formula(
        initial in 0u64..100_000,
        tenths in 0u64..50,
        cap in prop_oneof![Just(u64::MAX), 0u64..1_000_000],
        attempts in 2u64..80,
    ) {
        let mut policy = policy(attempts).grows(Growth::Exponential, initial).cap(cap);
        policy.backoff.multiplier = Setting::default(Ratio::new(tenths, 10), NONE);
        let cap = ms(cap).nanos().min(Duration::LONGEST.nanos());
        let exact = |retries: u32| {
            let power = |base: u64| BigUint::from(base).pow(retries);
            let nanos: BigUint = (power(tenths) * ms(initial).nanos() * 2u8 + power(10)) / (power(10) * 2u8);
            u128::try_from(nanos).map_or(cap, |nanos| nanos.min(cap))
        };
        let expected: Vec<_> = (0..attempts as u32 - 1).map(|retries| Duration::from_nanos(exact(retries))).collect();
        let result = schedule(&policy);
        let sum = expected.iter().copied().fold(Duration::ZERO, Duration::plus);
        prop_assert_eq!(result.total_max, Bound::At(sum));
        prop_assert_eq!(result.waits.unwrap().into_iter().map(|wait| wait.max).collect::<Vec<_>>(), expected);
    }
}
