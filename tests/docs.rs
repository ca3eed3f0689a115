//! docs/rules.md is what the rule files say. `UPDATE_DOCS=1 cargo test --test docs` writes it anew.

use retrylint::check_text;
use retrylint::report::Source;
use retrylint::report::human::human;
use retrylint::rule::{self, Example, Group, Rule};
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");

const GROUPS: &[Group] =
    &[Group::Budget, Group::Queue, Group::Load, Group::Meaning, Group::Settings, Group::Housekeeping];

#[test]
fn the_page_of_the_rules_is_what_the_rule_files_say() {
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).expect("a written page");
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default().replace("\r\n", "\n");
    assert!(there == page, "docs/rules.md is stale: run `UPDATE_DOCS=1 cargo test --test docs`");
}

#[test]
fn every_rule_stands_in_one_group_in_the_order_of_the_registry() {
    let by_group: Vec<_> = GROUPS.iter().flat_map(|group| of(*group)).map(|rule| rule.id).collect();
    let registry: Vec<_> = rule::all().iter().map(|rule| rule.id).collect();
    assert_eq!(by_group, registry);
}

#[test]
fn every_rule_says_why_how_to_put_it_right_and_what_it_needs_to_know_in_sentences() {
    for rule in rule::all() {
        for text in [rule.summary, rule.why, rule.fix, rule.needs] {
            assert!(
                text.ends_with('.') && !text.contains("  ") && !text.contains('\n'),
                "{}: {text}",
                rule.id
            );
        }
    }
}

fn of(group: Group) -> impl Iterator<Item = &'static Rule> {
    rule::all().iter().filter(move |rule| rule.group == group)
}

fn severity(rule: &Rule) -> String {
    let word = rule.severity.word();
    if rule.pedantic { format!("{word}, off unless asked for") } else { word.to_string() }
}

fn page() -> String {
    let mut page = String::from(
        "# Rules\n\n<!-- made from src/rule by `UPDATE_DOCS=1 cargo test --test docs`; do not edit -->\n\n\
         The same is said by `retrylint explain RULE`. A finding may be milder than its rule: what rests on an \
         assumption, or\non nothing but defaults, is a warning at most.\n",
    );
    for group in GROUPS {
        write!(page, "\n## {}\n\n| rule | severity | reports |\n| --- | --- | --- |\n", group.title())
            .unwrap();
        for rule in of(*group) {
            writeln!(page, "| [`{id}`](#{id}) | {} | {} |", severity(rule), rule.summary, id = rule.id)
                .unwrap();
        }
    }
    rule::all().iter().for_each(|rule| section(rule, &mut page));
    page
}

fn section(rule: &Rule, page: &mut String) {
    write!(page, "\n## {}\n\n{} ({})\n\n{}\n", rule.id, rule.summary, severity(rule), rule.why).unwrap();
    for (title, example) in [("Reported", &rule.bad), ("Not reported", &rule.good)] {
        write!(page, "\n{title}, `{}`:\n\n{}", example.file, fenced(language(example.file), example.text))
            .unwrap();
        if !example.config.is_empty() {
            write!(page, "\nwith `retrylint.toml`:\n\n{}", fenced("toml", example.config)).unwrap();
        }
        let output = output(example);
        if !output.is_empty() {
            write!(page, "\ngives\n\n{}", fenced("text", &output)).unwrap();
        }
    }
    write!(page, "\n**How to put it right.** {}\n\n**What it needs to know.** {}\n", rule.fix, rule.needs)
        .unwrap();
}

fn language(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((_, "yml" | "template")) => "yaml",
        Some((_, ending)) => ending,
        None => "",
    }
}

fn fenced(language: &str, text: &str) -> String {
    assert!(!text.contains("```"), "{text}");
    format!("```{language}\n{}\n```\n", text.trim_end())
}

/// What `check` prints of the findings.
fn output(example: &Example) -> String {
    let findings = check_text(example.file, example.text, example.config).expect("a right retrylint.toml");
    let text = |file: &str| {
        let text = match file {
            "retrylint.toml" => example.config,
            name => (name == example.file).then_some(example.text)?,
        };
        Some(Source { text: text.to_string(), hidden: Vec::new() })
    };
    let mut out = Vec::new();
    human(&findings, false, &text, false, &mut out).expect("a writer that takes all");
    let out = String::from_utf8(out).expect("UTF-8");
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_string()
}
