//! Dialects of retrylint.toml, as people use them.

mod common;

use common::{Workspace, retrylint};
use serde_json::Value;
use std::process::Output;

const START: &str = "[[dialect]]\nname = \"acme\"\nfiles = [\"conf/*\"]\npolicies = \"/clients/*\"\n";

fn run(files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let workspace = Workspace::new();
    files.iter().for_each(|(name, text)| workspace.write(name, text));
    retrylint().current_dir(workspace.path()).args(arguments).output().expect("a run")
}

/// The policies that `inspect` shows with these keys declared.
fn policies(keys: &str, file: (&str, &str)) -> Vec<Value> {
    let config = format!("{START}{keys}");
    let done = run(&[("retrylint.toml", &config), file], &["inspect", "--format", "json"]);
    let out: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    out["policies"].as_array().expect("a list").clone()
}

fn complaint(keys: &str) -> String {
    let config = format!("{START}{keys}");
    let done = run(&[("retrylint.toml", &config)], &["check"]);
    assert_eq!(done.status.code(), Some(2), "{keys}");
    String::from_utf8(done.stderr).expect("UTF-8").trim_end().replace("retrylint: retrylint.toml:", "")
}

#[test]
fn a_file_without_any_common_word_is_seen_whatever_its_ending() {
    let found = policies("attempts = \"goes\"", ("conf/acme.conf", "[clients.a]\ngoes = 3\n"));
    assert_eq!((&found[0]["dialect"], &found[0]["attempts"]), (&"acme".into(), &3.into()));
    let found = policies("attempts = { key = \"goes\", default = 2 }", ("conf/a.yaml", "clients: {a: {}}\n"));
    assert_eq!((&found[0]["attempts"], &found[0]["origins"]["attempts"]), (&2.into(), &"default".into()));
}

#[test]
fn other_files_are_left_to_the_others() {
    assert!(policies("attempts = \"goes\"", ("other/a.yaml", "clients: {a: {goes: 3}}\n")).is_empty());
    let found = policies("attempts = \"goes\"", ("other/a.yaml", "clients: {a: {max_retries: 3}}\n"));
    assert_eq!(found[0]["dialect"], "generic");
}

#[test]
fn what_is_declared_is_not_read_a_second_time() {
    let file = ("conf/a.yaml", "clients: {a: {retry: {max_retries: 3, delay: 1s}, db: {max_retries: 2}}}\n");
    let found = policies("retries = \"retry.max_retries\"\ninitial = \"retry.delay\"", file);
    let names: Vec<_> = found.iter().map(|one| (&one["dialect"], &one["pointer"])).collect();
    assert_eq!(
        names,
        [(&"acme".into(), &"/clients/a".into()), (&"generic".into(), &"/clients/a/db/max_retries".into())]
    );
    assert_eq!(found[0]["attempts"], 4);
}

#[test]
fn a_number_without_any_unit_is_not_known() {
    let text = "clients: {a: {goes: 3, pause: 250, pause_ms: 250}}\n";
    let unknown = policies("attempts = \"goes\"\ninitial = \"pause\"", ("conf/a.yaml", text));
    assert_eq!(
        (&unknown[0]["waits_max_ms"], &unknown[0]["origins"]["waits"]),
        (&Value::Null, &"unknown".into())
    );
    let by_key = policies("attempts = \"goes\"\ninitial = \"pause_ms\"", ("conf/a.yaml", text));
    assert_eq!(by_key[0]["waits_max_ms"], serde_json::json!([250, 250]));
}

#[test]
fn defaults_and_fixed_values_say_whose_they_are() {
    let config =
        format!("{START}attempts = {{ value = 3 }}\ninitial = {{ key = \"pause\", default = \"1s\" }}\n");
    let done = run(&[("retrylint.toml", &config), ("conf/a.yaml", "clients: {a: {}}\n")], &["inspect"]);
    let out = String::from_utf8(done.stdout).expect("UTF-8");
    assert!(out.contains("attempts         3 (acme's, in retrylint.toml)"), "{out}");
    assert!(out.contains("1 s, 1 s; 2 s in all at most"), "{out}");
}

#[test]
fn endless_attempts_and_a_switch_are_understood() {
    let text = "clients: {a: {goes: unlimited}, b: {goes: 5, enabled: false}}\n";
    let found = policies("attempts = \"goes\"\ninitial = { value = \"1s\" }", ("conf/a.yaml", text));
    assert_eq!((&found[0]["attempts"], &found[0]["origins"]["attempts"]), (&Value::Null, &"written".into()));
    assert_eq!(found[1]["attempts"], 1);
}

#[test]
fn wrong_declarations_are_told_with_their_place_and_the_nearest_right_key() {
    for (keys, told) in [
        ("attemps = \"a\"", "5:1: there is no key `attemps`; did you mean `attempts`?"),
        ("cap = { key = \"p\", unt = \"ms\" }", "5:20: there is no key `unt`; did you mean `unit`?"),
        (
            "cap = { key = \"p\", unit = \"milis\" }",
            "5:27: there is no unit `milis`; there are ns, us, ms, s, min, h, d",
        ),
        (
            "growth = \"lineer\"",
            "5:10: there is no growth `lineer`; did you mean `linear`? A key of that name is { key = \"lineer\" }",
        ),
        (
            "cap = { key = \"p\", default = 5 }",
            "5:30: `5`: it has no unit; add `unit`, or write it like \"250ms\"",
        ),
        ("attempts = { value = 0 }", "5:22: `0`: 0 attempts are no call at all, and to some \"unlimited\""),
        (
            "attempts = \"a\"\nretries = \"b\"",
            "6:11: `attempts` counts the first try and `retries` does not; give one of them",
        ),
        ("layer = \"proxi\"", "5:9: there is no layer `proxi`; did you mean `proxy`?"),
        (
            "cap = 2",
            "5:7: a key in quotes, { key = \"…\" } or { value = … } is expected here, not integer `2`",
        ),
        ("attempts = { key = \"a\", unit = \"s\" }", "5:32: only times have a unit"),
        (
            "cap = { unit = \"s\" }",
            "5:7: a setting has a `key`, with a `default` where it is absent, or a fixed `value`",
        ),
        (
            "cap = \"a..b\"",
            "5:7: `a..b` is no key; write it like \"pause\", \"wait.first\" or \"/wait/first\"",
        ),
        (
            "[[dialect]]\nname = \"vector\"\nfiles = [\"a\"]\npolicies = \"/a\"",
            "6:8: there is a dialect `vector` already; take another name",
        ),
        (
            "[[dialect]]\nname = \"b\"\nfiles = [\"a\"]\npolicies = [\"/a\", \"b\"]",
            "8:19: `b` is no pointer; write it like \"/clients/*/again\"",
        ),
    ] {
        assert_eq!(complaint(keys), told);
    }
}

#[test]
fn dialects_lists_it_and_the_calculator_reads_by_it() {
    let config = format!("{START}attempts = \"goes\"\ninitial = \"pause_ms\"\n");
    let files =
        [("retrylint.toml", config.as_str()), ("conf/a.yaml", "clients: {a: {goes: 3, pause_ms: 5}}\n")];
    let listed = run(&files, &["dialects", "--format", "json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let own = listed["dialects"].as_array().expect("a list").last().cloned();
    assert_eq!(own.map(|own| own["id"].clone()), Some("acme".into()));
    let rows = run(&files, &["schedule", "conf/a.yaml#clients.a"]);
    assert!(String::from_utf8_lossy(&rows.stdout).contains("3 attempts"), "{rows:?}");
}

#[test]
fn a_service_that_cannot_scatter_its_waits_is_not_told_to() {
    let found = |jitter: &str| {
        let config = format!("{START}attempts = \"goes\"\ninitial = {{ value = \"1s\" }}\n{jitter}");
        let findings = retrylint::check_text("conf/a.yaml", "clients: {a: {goes: 3}}\n", &config);
        findings.expect("right settings").into_iter().any(|finding| finding.rule == "missing-jitter")
    };
    assert!(!found("") && !found("jitter = \"none\""));
    assert!(found("jitter = { key = \"spread\", default = \"none\" }"));
}

#[test]
fn a_file_that_is_cut_off_anywhere_breaks_nothing() {
    for case in ["acme/acme.toml", "keys-elsewhere/relays.yaml"] {
        let path = common::fixtures().join("dialect/own").join(case);
        let text = std::fs::read_to_string(&path).expect("a file");
        let config = std::fs::read_to_string(path.with_file_name("retrylint.toml")).expect("a file");
        let name = case.rsplit('/').next().expect("a name");
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            retrylint::check_text(name, &text[..end], &config).expect("right settings");
        }
    }
}
