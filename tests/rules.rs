//! The documentation of the rules, run: each bad example gives its finding, each good one gives none; and samples of
//! what each rule makes of defaults and of what is not known.

mod common;

use retrylint::check_text;
use retrylint::rule::{self, Example};
use std::collections::BTreeSet;

fn found(example: &Example) -> Vec<String> {
    let findings = check_text(example.file, example.text, example.config).expect("a right retrylint.toml");
    findings.into_iter().map(|finding| finding.rule.to_string()).collect()
}

#[test]
fn every_bad_example_gives_the_finding_of_its_rule() {
    for rule in rule::all() {
        let found = found(&rule.bad);
        assert!(found.iter().any(|id| id == rule.id), "{}: {found:?}", rule.id);
    }
}

#[test]
fn no_good_example_gives_any_finding() {
    for rule in rule::all() {
        let found = found(&rule.good);
        assert!(found.is_empty(), "{}: {found:?}", rule.id);
    }
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let ids: BTreeSet<_> = rule::all().iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rule::all().len());
    assert!(ids.iter().all(|id| id.chars().all(|char| char.is_ascii_lowercase() || char == '-')));
}

/// Rules that are about no setting of a policy: their values can be neither defaults nor unknown.
const WITHOUT_VALUES: &[&str] = &["unreadable-config", "unused-suppression"];

/// A file of `fixtures/rule/<rule>/`: `silent` looks like a finding and is none, `defaults` and
/// `defaults-silent` take values from defaults, `unknown` lacks one.
struct Sample {
    rule: String,
    kind: String,
    findings: Vec<String>,
}

fn samples() -> Vec<Sample> {
    let folders = common::entries(&common::fixtures().join("rule"));
    let files = folders.iter().flat_map(|folder| common::entries(folder));
    let sample = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.to_string();
        let (kind, _) = name.split_once('.')?;
        let config = path.with_file_name(format!("{kind}.retrylint.toml"));
        let read = |path| std::fs::read_to_string(path).expect("a readable file");
        let config = if config.is_file() { read(config) } else { String::new() };
        let findings = check_text(&name, &read(path.clone()), &config).expect("a right retrylint.toml");
        Some(Sample {
            rule: path.parent()?.file_name()?.to_str()?.to_string(),
            kind: kind.to_string(),
            findings: findings.into_iter().map(|finding| finding.rule.to_string()).collect(),
        })
    };
    files.filter(|path| !path.to_string_lossy().ends_with(".retrylint.toml")).filter_map(sample).collect()
}

#[test]
fn every_rule_stays_silent_where_it_has_to_and_speaks_of_defaults_where_it_may() {
    let wrong = samples()
        .into_iter()
        .filter(|sample| sample.findings.contains(&sample.rule) != (sample.kind == "defaults"));
    let wrong: Vec<_> = wrong.map(|at| format!("{}/{}: {:?}", at.rule, at.kind, at.findings)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_silent_sample_one_with_defaults_and_one_with_unknown_values() {
    let samples = samples();
    let has = |rule: &str, kinds: &[&str]| {
        samples.iter().any(|sample| sample.rule == rule && kinds.contains(&sample.kind.as_str()))
    };
    for rule in rule::all() {
        assert!(has(rule.id, &["silent"]), "{} has no silent sample", rule.id);
        if !WITHOUT_VALUES.contains(&rule.id) {
            assert!(has(rule.id, &["defaults", "defaults-silent"]), "{} has none with defaults", rule.id);
            assert!(has(rule.id, &["unknown"]), "{} has none with unknown values", rule.id);
        }
    }
}
