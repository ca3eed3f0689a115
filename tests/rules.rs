//! The documentation of the rules, run: each bad example gives its finding, each good one gives none.

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
