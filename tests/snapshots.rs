//! What people read, as it looks.

mod common;

use common::{Workspace, retrylint};

/// The output of a check in a folder with these files.
fn shown(files: &[(&str, &str)]) -> String {
    let workspace = Workspace::new();
    files.iter().for_each(|(name, text)| workspace.write(name, text));
    let output = retrylint().current_dir(workspace.path()).args(["check"]).output().expect("a run");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn demo(verb: &str) -> String {
    let output = retrylint().current_dir(common::fixtures()).args([verb, "demo"]).output().expect("a run");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_demo_shows_each_kind_of_finding() {
    insta::assert_snapshot!(demo("check"));
}

#[test]
fn inspect_says_where_each_number_comes_from() {
    insta::assert_snapshot!(demo("inspect"));
}

#[test]
fn stacks_are_shown_as_trees_and_graphs() {
    let formats = ["human", "dot", "mermaid", "json"].map(|format| {
        let mut command = retrylint();
        command.current_dir(common::fixtures()).args(["stacks", "demo", "--format", format]);
        String::from_utf8(command.output().expect("a run").stdout).expect("UTF-8")
    });
    insta::assert_snapshot!(formats.join("\n"));
}

#[test]
fn the_readme_shows_what_the_demo_gives() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the README");
    let block = readme.split("```console\n$ retrylint check fixtures/demo\n").nth(1).expect("the example");
    let example = block.split("```").next().expect("its end").trim_end();
    let output = retrylint()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "fixtures/demo"])
        .output()
        .expect("a run");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.starts_with(example), "{shown}");
}

#[test]
fn labels_in_several_files_and_long_lines_are_shown() {
    let padding = "x".repeat(300);
    let config = "[[stack]]\nname = \"pay\"\nlayers = [\"a.json\", \"b.toml\"]\nmax-attempts = 4\n";
    let json = format!(
        "{{\"note\": \"{padding}\", \"client\": {{\"timeout_ms\": 100, \"retry\": {{\"max_attempts\": 3, \"jitter\": \"full\", \"delay_ms\": 5}}}}}}"
    );
    let toml = "[db]\ntimeout_ms = 20\n[db.retry]\nmax_retries = 1\ndelay_ms = 5\njitter = \"full\"\n";
    insta::assert_snapshot!(shown(&[("a.json", &json), ("b.toml", toml), ("retrylint.toml", config)]));
}

#[test]
fn what_cannot_be_read_is_shown_with_its_place() {
    let duplicates = "client:\n  retry:\n    max_attempts: 3\n    max_attempts: 5\n    delay: 1s\n    jitter: full\n  timeout: 1s\n";
    let files = [
        ("broken.yaml", "retries: [1, 2\nbackoff: }\n"),
        ("twice.yaml", duplicates),
        ("broken.toml", "[retry]\nmax_attempts = = 3\n"),
    ];
    insta::assert_snapshot!(shown(&files));
}

#[test]
fn what_a_system_refuses_or_replaces_is_shown() {
    let route = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: { name: quotes }\nspec:\n  hosts: [quotes]\n  http:\n    - route: [{ destination: { host: quotes } }]\n      timeout: 3s\n      retries:\n        attempts: 2\n        perTryTimeout: 3s\n        retryOn: \"5xx, reset\"\n";
    insta::assert_snapshot!(shown(&[("route.yaml", route)]));
}

#[test]
fn the_readme_shows_what_the_calculator_gives() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the README");
    let command = "$ retrylint schedule --base 250 --max 2000 --retries 5\n";
    let example =
        readme.split(command).nth(1).and_then(|rest| rest.split("```").next()).expect("the example");
    let output = retrylint()
        .args(["schedule", "--base", "250", "--max", "2000", "--retries", "5"])
        .output()
        .expect("a run");
    assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), example);
}

#[test]
fn the_readme_lists_every_rule() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the README");
    for rule in retrylint::rule::all() {
        let severity = format!("{:?}", rule.severity).to_lowercase();
        let row = format!("| `{}` | {severity} | {} |\n", rule.id, rule.summary);
        assert!(readme.contains(&row), "the README lacks {row}");
    }
    let severities = ["note", "warning", "error"];
    let rows = severities.map(|word| readme.matches(&format!("` | {word} | ")).count());
    assert_eq!(rows.iter().sum::<usize>(), retrylint::rule::all().len());
}
