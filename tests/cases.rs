//! Every case of `fixtures/`: an input and the values that must come out (`*.expect.json`), the same in
//! other spellings, and broken in every way.

mod common;

use common::{Case, Workspace, cases, known_rules, same_number};
use serde_json::Value;

const NUMBERS: &[&str] = &[
    "attempts",
    "waits_min_ms",
    "waits_max_ms",
    "total_wait_min_ms",
    "total_wait_max_ms",
    "attempt_timeout_ms",
    "deadline_ms",
    "deadline_effect",
    "worst_case_ms",
    "demand_ms",
    "window_ms",
    "receives",
    "retention_ms",
    "handler_worst_case_ms",
    "layer",
    "line",
];

#[test]
fn every_case_gives_the_policies_queues_and_stacks_that_it_expects() {
    let failures: Vec<_> = cases().iter().flat_map(|case| described(case, inspected(case))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_case_gives_the_findings_that_it_expects_and_none_that_it_excludes() {
    let failures: Vec<_> = cases().iter().flat_map(|case| described(case, checked(case))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn windows_lines_and_a_byte_order_mark_change_nothing() {
    let mut failures = Vec::new();
    for case in cases() {
        let plain = facts(&case, |text| text.to_string());
        let crlf = facts(&case, |text| text.replace("\r\n", "\n").replace('\n', "\r\n"));
        let marked = facts(&case, |text| format!("\u{feff}{text}"));
        for (what, other) in [("CRLF", crlf), ("a byte order mark", marked)] {
            if plain != other {
                failures.push(format!("{}: {what} changes the output", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_same_settings_in_json_give_the_same_policies() {
    let mut converted = 0;
    let mut failures = Vec::new();
    for case in cases().into_iter().filter(|case| {
        !case.folder && ["file_name", "needs_comments"].iter().all(|key| case.expect.get(*key).is_none())
    }) {
        let Some(json) = as_json(&case) else { continue };
        converted += 1;
        let plain = without_places(common::inspect(&case.workspace(|text| text.to_string())));
        let workspace = Workspace::new();
        let name = format!("{}.json", case.inputs[0].rsplit_once('.').expect("an ending").0);
        workspace.write(&name, &json);
        let json = without_places(common::inspect(&common::Prepared {
            workspace,
            inputs: vec![name],
            config: false,
        }));
        if plain != json {
            failures.push(format!("{}: as JSON it gives\n{json:#}\nand not\n{plain:#}", case.name));
        }
    }
    assert!(converted > 30, "only {converted} cases could be converted");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn described(case: &Case, problems: Vec<String>) -> Vec<String> {
    problems.into_iter().map(|problem| format!("{}: {problem}", case.name)).collect()
}

fn inspected(case: &Case) -> Vec<String> {
    let out = common::inspect(&case.workspace(|text| text.to_string()));
    let mut problems = Vec::new();
    for kind in ["policies", "queues"] {
        let wanted = case.expect.get(kind).and_then(Value::as_array);
        let found = out[kind].as_array().expect("a list");
        for wanted in wanted.into_iter().flatten() {
            problems.extend(differences(wanted, found));
        }
        if wanted.is_some_and(Vec::is_empty) && !found.is_empty() {
            problems.push(format!("{} {kind} where none is expected", found.len()));
        }
    }
    for wanted in case.expect.get("stacks").and_then(Value::as_array).into_iter().flatten() {
        problems.extend(stack_differences(wanted, out["stacks"].as_array().expect("a list")));
    }
    problems
}

fn differences(wanted: &Value, found: &[Value]) -> Vec<String> {
    let pointer = &wanted["pointer"];
    let matches = |other: &&Value| {
        other["pointer"] == *pointer
            && wanted.get("dialect").is_none_or(|dialect| *dialect == other["dialect"])
            && wanted.get("file").is_none_or(|file| *file == other["file"])
    };
    let Some(got) = found.iter().find(matches) else {
        let there: Vec<_> =
            found.iter().map(|other| format!("{} {}", other["dialect"], other["pointer"])).collect();
        return vec![format!("nothing at {pointer}, only at {there:?}")];
    };
    let endless = wanted.get("attempts").is_some_and(Value::is_null);
    let keys = NUMBERS.iter().filter(|key| wanted.get(**key).is_some());
    let differing = keys.filter(|key| !same_number(&wanted[**key], &got[**key], endless));
    differing.map(|key| format!("{pointer}: {key} is {}, not {}", got[*key], wanted[*key])).collect()
}

fn stack_differences(wanted: &Value, found: &[Value]) -> Vec<String> {
    let pointers = |stack: &Value| -> Vec<Value> {
        stack["layers"].as_array().into_iter().flatten().map(|layer| layer["pointer"].clone()).collect()
    };
    let matches = |stack: &&Value| {
        wanted.get("name").is_none_or(|name| *name == stack["name"])
            && wanted.get("layers").is_none_or(|layers| *layers == Value::from(pointers(stack)))
    };
    let Some(got) = found.iter().find(matches) else { return vec![format!("no stack {wanted}")] };
    let keys = ["fail_fast_calls", "slow_fail_calls", "demand_ms", "worst_case_ms", "deadline_ms"];
    let differing = keys
        .iter()
        .filter(|key| wanted.get(**key).is_some_and(|value| !same_number(value, &got[**key], false)));
    differing
        .map(|key| format!("stack {}: {key} is {}, not {}", got["name"], got[*key], wanted[*key]))
        .collect()
}

fn checked(case: &Case) -> Vec<String> {
    let out = common::check(&case.workspace(|text| text.to_string()));
    let found = out["findings"].as_array().expect("a list");
    let known = known_rules();
    let mut problems = Vec::new();
    let wanted = case.expect.get("rules").and_then(Value::as_array);
    let there = || -> Vec<String> { found.iter().map(|f| format!("{}@{}", f["rule"], f["line"])).collect() };
    for wanted in wanted.into_iter().flatten() {
        let rule = wanted["rule"].as_str().expect("a rule's id");
        let matches = |finding: &Value| {
            let agrees = |key: &str| wanted.get(key).is_none_or(|value| *value == finding[key]);
            finding["rule"] == rule && agrees("line") && agrees("severity")
        };
        if known.iter().any(|id| id == rule) && !found.iter().any(matches) {
            problems.push(format!("no {rule} at line {} (there: {:?})", wanted["line"], there()));
        }
    }
    if wanted.is_some_and(Vec::is_empty) && !found.is_empty() {
        problems.push(format!("findings where none is expected: {:?}", there()));
    }
    for absent in case.expect.get("rules_absent").and_then(Value::as_array).into_iter().flatten() {
        let rule = absent.get("rule").unwrap_or(absent);
        let hit = |finding: &&Value| {
            finding["rule"] == *rule && absent.get("line").is_none_or(|line| *line == finding["line"])
        };
        problems.extend(found.iter().find(hit).map(|finding| format!("{rule} at line {}", finding["line"])));
    }
    problems
}

/// What `inspect` says of a case whose inputs are changed.
fn facts(case: &Case, change: impl Fn(&str) -> String) -> Value {
    common::inspect(&case.workspace(change))
}

/// The values of a single document without tags, as JSON.
fn as_json(case: &Case) -> Option<String> {
    let [name] = case.inputs.as_slice() else { return None };
    let text = case.text(name);
    if text.contains("<<:")
        || text.contains(": !")
        || text.contains("- !")
        || text.contains("[!")
        || text.contains("\n---")
    {
        return None;
    }
    match name.rsplit_once('.')?.1 {
        "yaml" | "yml" => serde_json::to_string_pretty(&serde_yaml::from_str::<Value>(&text).ok()?).ok(),
        "toml" => serde_json::to_string_pretty(&toml::from_str::<Value>(&text).ok()?).ok(),
        _ => None,
    }
}

/// The output without what depends on the file's name and lines.
fn without_places(mut out: Value) -> Value {
    let layers =
        out["stacks"].as_array_mut().into_iter().flatten().filter_map(|stack| stack["layers"].as_array_mut());
    for layer in layers.flatten() {
        layer["file"].take();
    }
    for kind in ["policies", "queues"] {
        let list = out[kind].as_array_mut().expect("a list");
        for item in list.iter_mut() {
            let item = item.as_object_mut().expect("an object");
            for key in ["file", "line", "column", "end_line", "end_column"] {
                item.remove(key);
            }
        }
        // a JSON object made from a map has its keys in another order
        list.sort_by_key(|item| item["pointer"].to_string());
    }
    out
}
