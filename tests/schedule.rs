//! The calculator: its numbers, its refusals, and what real systems did.

mod common;

use common::{Workspace, retrylint};
use retrylint::calculator::{Method, Question, Spec, full_jitter_bound};
use retrylint::model::Duration;
use serde_json::Value;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = retrylint().arg("schedule").args(arguments).output().expect("a run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (status, out, complaints) = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(status, Some(0), "{complaints}");
    serde_json::from_str(&out).expect("JSON")
}

fn column(value: &Value, key: &str) -> Vec<f64> {
    let rows = value["rows"].as_array().expect("rows");
    rows.iter().map(|row| row[key].as_f64().expect("a number")).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[test]
fn waits_double_up_to_the_ceiling() {
    let found = json(&words("--base 250 --multiplier 2 --max 2000 --retries 5"));
    assert_eq!(column(&found, "wait"), [250.0, 500.0, 1000.0, 2000.0, 2000.0]);
    assert_eq!(column(&found, "total"), [250.0, 750.0, 1750.0, 3750.0, 5750.0]);
    let capped: Vec<_> =
        found["rows"].as_array().expect("rows").iter().map(|row| row["capped"] == true).collect();
    assert_eq!(capped, [false, false, false, true, true]);
    assert_eq!(found["unit"], Value::Null);
    assert_eq!(found["rows"][0]["retry"], 1);
}

#[test]
fn the_ceiling_is_strict_from_the_first_wait_on() {
    assert_eq!(column(&json(&words("--base 10 --max 3 --retries 3")), "wait"), [3.0, 3.0, 3.0]);
}

#[test]
fn other_growths_have_their_own_rows() {
    let waits = |text: &str, key: &str| column(&json(&words(text)), key);
    assert_eq!(waits("--base 7 --multiplier 1 --attempts 4", "wait"), [7.0, 7.0, 7.0]);
    assert_eq!(waits("--fixed 7 --retries 2", "wait"), [7.0, 7.0]);
    assert_eq!(waits("--linear 200ms --max 700ms --retries 4", "wait_ms"), [200.0, 400.0, 600.0, 700.0]);
    assert_eq!(waits("--fibonacci 100ms --retries 5", "wait_ms"), [100.0, 100.0, 200.0, 300.0, 500.0]);
    assert_eq!(waits("--waits 1s,5s,PT30S", "wait_ms"), [1000.0, 5000.0, 30000.0]);
    assert_eq!(waits("--waits 1s,5s --retries 3", "wait_ms"), [1000.0, 5000.0, 5000.0]);
    assert_eq!(waits("--base 1 --multiplier 1.1 --retries 4", "wait"), [1.0, 1.1, 1.21, 1.331]);
}

#[test]
fn a_thousand_retries_with_a_huge_multiplier_stay_finite() {
    for text in [
        "--base 1 --multiplier 1e300 --retries 1000",
        "--base 1000000000000000 --multiplier 1e300 --retries 1000 --jitter full",
    ] {
        let found = json(&words(text));
        let totals = column(&found, "total");
        assert_eq!(totals.len(), 1000);
        assert!(
            totals.iter().all(|total| total.is_finite()) && totals.windows(2).all(|pair| pair[0] <= pair[1])
        );
        let printed = found.to_string().to_lowercase();
        assert!(!printed.contains("inf") && !printed.contains("nan"));
    }
}

#[test]
fn plain_numbers_stay_plain_and_a_unit_only_labels_them() {
    let (_, out, _) = run(&words("--base 0.5 --retries 2 --unit ms"));
    assert!(out.contains("0.5") && out.contains("the waits add up to 1.5 ms"), "{out}");
    assert_eq!(json(&words("--base 0.5 --retries 2 --unit ms"))["unit"], "ms");
}

#[test]
fn what_is_refused_names_the_option_the_value_and_what_is_allowed() {
    for (arguments, told) in [
        ("--base 0 --retries 3", "--base is 0, but something over 0 is expected"),
        ("--base -5 --retries 3", "--base is -5, but a number over 0 and up to 10^15 is expected"),
        ("--base -5s --retries 3", "--base is -5s, but something over 0 is expected"),
        ("--base 1e300 --retries 3", "--base is 1e300, but a number over 0 and up to 10^15 is expected"),
        (
            "--base soon --retries 3",
            "--base is soon, but a duration as 250ms or 1m30s, or a plain number, is expected",
        ),
        ("--base 1 --max 0 --retries 3", "--max is 0, but something over 0 is expected"),
        ("--base 1 --max -1 --retries 3", "--max is -1, but a number over 0 and up to 10^15 is expected"),
        (
            "--base 1 --multiplier 0.5 --retries 3",
            "--multiplier is 0.5, but a number of at least 1 is expected",
        ),
        ("--base 1 --retries 0", "--retries is 0, but a whole number from 1 to 1000 is expected"),
        ("--base 1 --retries -1", "--retries is -1, but a whole number from 1 to 1000 is expected"),
        ("--base 1 --retries 1001", "--retries is 1001, but a whole number from 1 to 1000 is expected"),
        ("--base 1 --retries 2.5", "--retries is 2.5, but a whole number from 1 to 1000 is expected"),
        ("--base 1 --attempts 1", "--attempts is 1, but a whole number from 2 to 1001 is expected"),
        ("--base 1 --max 3s --retries 3", "durations with units and plain numbers are mixed"),
        ("--base 1s --retries 3 --unit s", "--unit labels plain numbers"),
        ("--base 1 --fixed 2 --retries 3", "--base and --fixed exclude each other"),
        ("--fixed 2 --multiplier 2 --retries 3", "--multiplier goes with --base, not with --fixed"),
        ("--base 1", "--retries or --attempts is expected"),
        ("--retries 3", "one of --base, --fixed, --linear, --fibonacci and --waits is expected"),
        (
            "--base 1 --retries 3 --jitter some",
            "--jitter is some, but none, full, equal, decorrelated or a part",
        ),
        ("--base 1 --retries 3 --jitter 101%", "--jitter is 101%, but"),
        ("--stack 3,x", "--stack has x, but attempts from 1 to 1000000 are expected"),
        ("--stack 3x2", "--stack has 3x2, but a timeout with a unit is expected"),
        ("nowhere.yaml", "nowhere.yaml: there is no such file or folder"),
        ("--stack 3,3 --format svg", "--stack is shown by --format table and --format json only"),
    ] {
        let (status, out, complaints) = run(&words(arguments));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(complaints.contains(told), "{arguments}: {complaints}");
    }
}

#[test]
fn stacks_multiply() {
    let found = json(&["--stack", "3,3,3"]);
    assert_eq!((&found["fail_fast_calls"], &found["demand_ms"]), (&27.into(), &Value::Null));
    let found = json(&["--stack", "3x2s,3x500ms"]);
    assert_eq!((&found["fail_fast_calls"], &found["slow_fail_calls"]), (&9.into(), &9.into()));
    // three attempts of 500 ms are over before the outer timeout of 2 s
    assert_eq!(found["demand_ms"], 4500);
    let found = json(&["--stack", "3x1s,3x500ms"]);
    assert_eq!((&found["slow_fail_calls"], &found["demand_ms"]), (&6.into(), &3000.into()));
}

#[test]
fn full_jitter_is_bounded_by_doubling_up_to_the_ceiling_for_any_retry() {
    let (base, cap) = (Duration::from_millis(100), Duration::from_secs(3600));
    let mut bound = base;
    for retry in 0..=40 {
        assert_eq!(full_jitter_bound(base, cap, retry), bound.min(cap), "{retry}");
        bound = bound.times(2);
    }
    for retry in [31, 63, 64, 127, 128, u32::MAX] {
        assert_eq!(full_jitter_bound(base, cap, retry), cap);
        assert_eq!(full_jitter_bound(Duration::LONGEST, Duration::LONGEST, retry), Duration::LONGEST);
        assert_eq!(full_jitter_bound(Duration::LONGEST, base, retry), base);
        assert_eq!(full_jitter_bound(Duration::ZERO, cap, retry), Duration::ZERO);
    }
    let spec: Spec = "base=100ms max=3600s retries=40 jitter=full".parse().expect("a policy");
    for (retry, row) in Question::new(spec.policy()).answer().rows.iter().enumerate() {
        assert_eq!(row.spread.max, full_jitter_bound(base, cap, retry as u32));
        assert_eq!(row.spread.min, Duration::ZERO);
    }
}

/// A generator of its own, which has nothing in common with the one of the calculator.
struct Xorshift(u64);

impl Xorshift {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn the_distribution_agrees_with_a_million_simulated_runs() {
    let spec: Spec = "base=100ms max=10s retries=5 jitter=full".parse().expect("a policy");
    let found = Question::new(spec.policy()).answer().distribution.expect("a distribution");
    assert_eq!(found.method, Method::Convolution);
    let mut dice = Xorshift(88_172_645_463_325_252);
    let run =
        |dice: &mut Xorshift| (0..5).map(|retry| dice.roll() * 100.0 * f64::from(1 << retry)).sum::<f64>();
    let mut sums: Vec<f64> = (0..1_000_000).map(|_| run(&mut dice)).collect();
    sums.sort_by(f64::total_cmp);
    for (part, computed) in [(0.5, found.p50), (0.95, found.p95), (0.99, found.p99)] {
        let simulated = sums[(part * 1e6) as usize];
        let computed = computed.nanos() as f64 / 1e6;
        assert!((computed - simulated).abs() < simulated * 0.01, "{part}: {computed} and {simulated}");
    }
    let limit = Duration::from_millis(2000);
    let over = sums.iter().filter(|sum| **sum > 2000.0).count() as f64 / 1e6;
    assert!((found.over(limit) - over).abs() < 0.002, "{} and {over}", found.over(limit));
}

#[test]
fn a_single_uniform_wait_has_the_quantiles_of_its_range() {
    let found = json(&words("--base 1000 --retries 1 --jitter full"));
    for (key, value) in [("p50", 500.0), ("p95", 950.0), ("p99", 990.0)] {
        let computed = found["distribution"][key].as_f64().expect("a number");
        assert!((computed - value).abs() < 0.5, "{key}: {computed}");
    }
}

#[test]
fn decorrelated_waits_are_simulated_with_a_fixed_seed() {
    let arguments = words("--base 1s --max 20s --retries 4 --jitter decorrelated");
    let found = json(&arguments);
    assert_eq!(
        (&found["distribution"]["method"], &found["distribution"]["runs"]),
        (&"simulation".into(), &100_000.into())
    );
    assert_eq!(column(&found, "max_ms"), [3000.0, 9000.0, 20000.0, 20000.0]);
    let first = column(&found, "mean_ms")[0];
    assert!((first - 2000.0).abs() < 20.0, "{first}");
    assert_eq!(found, json(&arguments));
}

#[test]
fn the_questions_are_answered_both_ways() {
    let found =
        json(&words("--base 100ms --max 10s --retries 5 --attempt-timeout 2s --deadline 10s --window 30s"));
    let answers = &found["answers"];
    assert_eq!((&answers["demand_ms"], &answers["worst_case_ms"]), (&15100.into(), &10000.into()));
    let deadline = &answers["deadline"];
    // starts at 0, 2.1, 4.3, 6.7, 9.5 s; ends at 2, 4.1, 6.3, 8.7 s
    assert_eq!(
        (&deadline["can_start"], &deadline["can_finish"], &deadline["most_retries"]),
        (&5.into(), &4.into(), &3.into())
    );
    assert_eq!((&deadline["least_limit_ms"], &deadline["most_base_ms"]), (&15100.into(), &Value::Null));
    let window = &answers["window"];
    assert_eq!((&window["can_finish"], &window["most_retries"]), (&6.into(), &7.into()));
    // 18 s are left for 31 times the first wait
    let base = window["most_base_ms"].as_f64().expect("a number");
    assert!((base - 18_000.0 / 31.0).abs() < 1e-5, "{base}");
}

#[test]
fn the_chance_to_miss_a_deadline_is_that_of_the_waits() {
    let found =
        json(&words("--base 1s --multiplier 1 --retries 1 --jitter full --work 1s --deadline 2750ms"));
    let miss = found["answers"]["deadline"]["miss_probability"].as_f64().expect("a number");
    assert!((miss - 0.25).abs() < 0.001, "{miss}");
}

#[test]
fn a_policy_of_a_file_is_calculated_like_one_in_words() {
    let route = common::fixtures().join("demo/mesh/routes.yaml");
    let named = format!("{}#payments/charge", route.display());
    let found = json(&[&named]);
    assert_eq!(column(&found, "max_ms"), [25.0, 50.0, 100.0]);
    assert_eq!(found["answers"]["demand_ms"], 8175);
    let (status, _, complaints) = run(&[&route.display().to_string()]);
    assert_eq!(status, Some(2));
    assert!(
        complaints.contains("has several policies") && complaints.contains("#catalogue/browse"),
        "{complaints}"
    );
    let (_, out, _) = run(&[&named, "--vs", "base=100ms multiplier=3 max=10s retries=5 attempt-timeout=2s"]);
    assert!(out.contains("Difference: attempts 4 → 6, waits at most 175 ms → 12.1 s"), "{out}");
}

#[test]
fn every_format_holds_the_rows() {
    let arguments =
        words("--base 250ms --max 2s --retries 5 --attempt-timeout 1s --deadline 8s --jitter equal");
    let show = |format: &str| run(&[&arguments[..], &["--format", format]].concat()).1;
    insta::assert_snapshot!("table", show("table"));
    insta::assert_snapshot!("markdown", show("markdown"));
    insta::assert_snapshot!("csv", show("csv"));
    insta::assert_snapshot!("svg", show("svg"));
    insta::assert_snapshot!("plot", run(&[&arguments[..], &["--plot"]].concat()).1);
    let shown = run(&[&arguments[..], &["--plot"]].concat()).1;
    let (_, plot) = shown.rsplit_once("\n\n").expect("the plot below the table");
    assert!(plot.lines().all(|line| line.chars().count() <= 80), "{plot}");
}

/// The waits of a recording, at the least and at the most, in milliseconds.
fn measured(path: &str) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(common::fixtures().join("engines").join(path)).expect("a recording");
    let recording: Value = serde_json::from_str(&text).expect("JSON");
    let pairs = recording["waits_ms"].as_array().expect("waits").iter();
    pairs.map(|pair| (pair[0].as_f64().expect("a number"), pair[1].as_f64().expect("a number"))).collect()
}

#[test]
fn real_systems_wait_within_the_calculated_ranges() {
    for (path, policy, late) in [
        (
            "envoy/default-backoff-5-retries.measured.json",
            "--base 25ms --max 250ms --retries 5 --jitter full",
            25.0,
        ),
        ("envoy/custom-base-max.measured.json", "--base 200ms --max 2s --retries 4 --jitter full", 25.0),
        ("grpc/four-attempts.measured.json", "--base 100ms --max 10s --attempts 4 --jitter 20%", 25.0),
        (
            "grpc/short-cap.measured.json",
            "--base 80ms --multiplier 3 --max 100ms --attempts 5 --jitter 20%",
            25.0,
        ),
        ("tools/npm-retries.measured.json", "--base 200ms --max 1s --retries 4", 100.0),
        ("tools/cargo-retry.cargo.measured.json", "--waits 1500ms,3500ms,6500ms,9500ms,10s", 100.0),
        ("tools/standard-max-six.measured.json", "--base 50ms --max 20s --attempts 6 --jitter full", 25.0),
    ] {
        let found = json(&words(policy));
        let (least, most) = match found["rows"][0].get("max_ms") {
            Some(_) => (column(&found, "min_ms"), column(&found, "max_ms")),
            None => (column(&found, "wait_ms"), column(&found, "wait_ms")),
        };
        let waits = measured(path);
        assert!(waits.len() >= 3 && waits.len() <= most.len(), "{path}: {} waits", waits.len());
        for (n, (low, high)) in waits.into_iter().enumerate() {
            // cargo draws its first wait alone: from 0.5 s to 1.5 s
            let floor = if path.contains("cargo") && n == 0 { 500.0 } else { least[n] };
            assert!(
                low >= floor - 5.0 && high <= most[n] * 1.02 + late,
                "{path}: wait {} took {low}..{high}",
                n + 1
            );
            assert!(high >= 0.8 * most[n], "{path}: wait {} never came near {}", n + 1, most[n]);
        }
    }
}

#[test]
fn waits_at_random_up_to_a_doubling_ceiling_are_those_of_common_libraries() {
    // wait_random_exponential(multiplier=1, max=60): from 0 up to min(60, 2^(n-1)) seconds
    let found = json(&words("--base 1s --max 60s --retries 8 --jitter full"));
    assert_eq!(column(&found, "max_ms"), [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 60e3, 60e3]);
    assert_eq!(column(&found, "mean_ms")[7], 30e3);
}

#[test]
fn a_policy_that_waits_without_end_or_at_unknown_times_is_said_to() {
    let workspace = Workspace::new();
    workspace.write(
        "a.toml",
        "[a.reconnect]\nmax_retries = -1\ndelay = \"1s\"\n[b]\nmax_retries = 3\ntimeout = \"1s\"\n",
    );
    let show = |name: &str| {
        let output =
            retrylint().current_dir(workspace.path()).args(["schedule", name]).output().expect("a run");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(show("a.toml#a").contains("attempts without end"), "{}", show("a.toml#a"));
    assert!(show("a.toml#b").contains("the waits have no known sum"), "{}", show("a.toml#b"));
}
