//! Predictions against recordings of the real engines: `fixtures/engines/<engine>/<config>` and what was
//! measured with it, `<config>.measured.json` (how, is in the recordings' `setup`).

mod common;

use common::{Prepared, Workspace};
use serde_json::Value;
use std::path::Path;

/// Timers, two processes and the scheduler lie between a wait and its measurement, in ms.
const EARLY: f64 = 5.0;
const LATE: f64 = 25.0;
/// The re-implementation of Step Functions that was measured is slower.
const LATE_MOTO: f64 = 35.0;
const LATE_PART: f64 = 0.02;
/// A prediction is too wide if so many runs never come near its end.
const MANY_RUNS: u64 = 40;
const REACHED_PART: f64 = 0.8;

/// grpc-js does not cap the first wait, against the specification: engine, config, number of the wait.
const KNOWN_FAULTS: &[(&str, &str, usize)] = &[("grpc-js", "cap-below-initial.json", 0)];

/// A recording and its config.
struct Recording {
    name: String,
    config: String,
    text: String,
    measured: Value,
}

fn recordings(engine: &str) -> Vec<Recording> {
    let folder = common::fixtures().join("engines").join(engine);
    let mut recordings = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".measured.json") {
            let measured: Value =
                serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
            let config = measured["config"].as_str().expect("a config").to_string();
            let text = std::fs::read_to_string(folder.join(&config)).expect("the config");
            recordings.push(Recording { name: format!("{engine}/{name}"), config, text, measured });
        }
    }
    recordings.sort_by(|a, b| a.name.cmp(&b.name));
    recordings
}

fn hold(engine: &str, least: usize) {
    let recordings = recordings(engine);
    assert!(recordings.len() >= least, "only {} recordings", recordings.len());
    let failures: Vec<_> = recordings
        .iter()
        .flat_map(|recording| {
            differences(recording).into_iter().map(|what| format!("{}: {what}", recording.name))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn envoy_does_what_is_predicted() {
    hold("envoy", 24);
}

#[test]
fn grpc_does_what_is_predicted() {
    hold("grpc", 50);
}

#[test]
fn step_functions_does_what_is_predicted() {
    hold("step-functions", 20);
}

fn differences(recording: &Recording) -> Vec<String> {
    let workspace = Workspace::new();
    let name = Path::new(&recording.config).file_name().expect("a name").to_string_lossy().into_owned();
    workspace.write(&name, &recording.text);
    let prepared = Prepared { workspace, inputs: vec![name], config: false };
    let measured = &recording.measured;
    if !measured["rejected"].is_null() {
        let found = common::check(&prepared);
        let findings = found["findings"].as_array().expect("a list");
        let said = |finding: &Value| {
            matches!(finding["rule"].as_str(), Some("invalid-retry-value" | "unreadable-config"))
        };
        return if findings.iter().any(said) {
            Vec::new()
        } else {
            vec![format!("the engine refuses it, and no finding says so: {}", measured["rejected"])]
        };
    }
    let out = common::inspect(&prepared);
    let policies = out["policies"].as_array().expect("a list");
    let made = range(&measured["attempts"]);
    if policies.is_empty() {
        return if made.1 <= 1.0 { Vec::new() } else { vec!["retries and no policy".to_string()] };
    }
    let each = policies.iter().map(|policy| differs(policy, recording));
    let best = each.min_by_key(Vec::len).expect("a policy");
    if !best.is_empty() && policies.len() > 1 && recording.name.starts_with("step-functions") {
        return together(policies, recording);
    }
    best
}

fn range(pair: &Value) -> (f64, f64) {
    (pair[0].as_f64().expect("a number"), pair[1].as_f64().expect("a number"))
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().map(|number| number.as_f64().expect("a number")).collect()
}

fn fails(recording: &Recording) -> &str {
    recording.measured["setup"]["fail"].as_str().unwrap_or_default()
}

/// The server set the pace.
fn paced(recording: &Recording) -> bool {
    ["etry-", "pushback"].iter().any(|word| fails(recording).contains(word))
}

/// Something else than the count may have ended the retrying.
fn ended_early(policy: &Value, recording: &Recording) -> bool {
    let setup = &recording.measured["setup"];
    let elapsed = range(&recording.measured["elapsed_ms"]).1;
    policy["deadline_ms"].as_f64().is_some_and(|deadline| elapsed > deadline / 2.0)
        || recording.text.contains("retryThrottling")
        || !setup["parallel"].is_null()
        || setup["timeout"].as_f64().is_some_and(|seconds| seconds < 5.0)
        || fails(recording).contains("hang")
}

/// What wait n may have been measured at.
fn allowed(policy: &Value, recording: &Recording, n: usize) -> (f64, f64) {
    let (least, most) = (numbers(&policy["waits_min_ms"]), numbers(&policy["waits_max_ms"]));
    let moto = recording.measured["engine"].as_str().is_some_and(|engine| engine.contains("moto"));
    let low = least.get(n).map_or(0.0, |wait| wait - EARLY);
    let late = if moto { LATE_MOTO } else { LATE };
    let mut high = most.get(n).map_or(f64::INFINITY, |wait| wait * (1.0 + LATE_PART) + late);
    if recording.measured["attempt_ms"].get(n).is_some_and(Value::is_null) {
        high += policy["attempt_timeout_ms"].as_f64().unwrap_or(0.0); // measured from start to start
    }
    (low, high)
}

fn measured_waits(recording: &Recording) -> Vec<(f64, f64)> {
    recording.measured["waits_ms"].as_array().into_iter().flatten().map(range).collect()
}

fn differs(policy: &Value, recording: &Recording) -> Vec<String> {
    let mut bad = Vec::new();
    let measured = &recording.measured;
    let (low, high) = range(&measured["attempts"]);
    let early = ended_early(policy, recording);
    if let Some(attempts) = policy["attempts"].as_f64()
        && (high > attempts || high > 1.0 && !early && (low, high) != (attempts, attempts))
    {
        bad.push(format!("attempts {low}..{high} were made, {attempts} are predicted"));
    }
    let (mins, maxs) = (numbers(&policy["waits_min_ms"]), numbers(&policy["waits_max_ms"]));
    for (n, (least, most)) in measured_waits(recording).into_iter().enumerate().take(maxs.len()) {
        let fault = |(engine, config, wait): &(&str, &str, usize)| {
            measured["engine"] == *engine && recording.config == *config && *wait == n
        };
        if paced(recording) || KNOWN_FAULTS.iter().any(fault) {
            continue;
        }
        let (floor, ceiling) = allowed(policy, recording, n);
        if least < floor || most > ceiling {
            bad.push(format!("wait {} took {least}..{most} ms, predicted {}..{}", n + 1, mins[n], maxs[n]));
        }
        let runs = measured["waits_n"].get(n).and_then(Value::as_u64).unwrap_or(0);
        if runs >= MANY_RUNS && maxs[n] - mins[n] > 20.0 && !early && most < REACHED_PART * maxs[n] {
            bad.push(format!("wait {} never took more than {most} of {} ms in {runs} runs", n + 1, maxs[n]));
        }
    }
    let elapsed = range(&measured["elapsed_ms"]).1;
    let worst = policy["worst_case_ms"].as_f64().filter(|_| !paced(recording));
    if let Some(worst) = worst.filter(|worst| elapsed > worst * (1.0 + LATE_PART) + 50.0) {
        bad.push(format!("took {elapsed} ms, worst case {worst} ms predicted"));
    }
    bad
}

/// Retriers of one state machine act together: attempts up to their product, each wait one of theirs.
fn together(policies: &[Value], recording: &Recording) -> Vec<String> {
    let mut bad = Vec::new();
    let most: f64 =
        policies.iter().map(|policy| policy["attempts"].as_f64().unwrap_or(f64::INFINITY)).product();
    let made = range(&recording.measured["attempts"]).1;
    if made > most {
        bad.push(format!("attempts {made} were made, {most} in all are predicted"));
    }
    for (n, (least, longest)) in measured_waits(recording).into_iter().enumerate() {
        let explains = |policy: &Value| {
            let count = numbers(&policy["waits_max_ms"]).len();
            (0..count)
                .map(|n| allowed(policy, recording, n))
                .any(|(low, high)| low <= least && longest <= high)
        };
        if longest > 25.0 && !policies.iter().any(explains) {
            bad.push(format!("wait {} took {least}..{longest} ms, which no policy predicts", n + 1));
        }
    }
    bad
}
