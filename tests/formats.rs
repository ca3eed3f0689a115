//! What `check` gives other programs: annotations, reports and tables.

mod common;

use common::Workspace;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const EXCEEDS: &str = "[client]\nattempt_timeout = \"2s\"\ntotal_timeout = \"5s\"\n\n[client.retry]\nmax_attempts = 4\n\
                       initial_backoff = \"100ms\"\nmultiplier = 2\nmax_backoff = \"1s\"\njitter = \"full\"\n";
const FORMATS: &[&str] = &["sarif", "github", "gitlab", "junit", "markdown"];

/// Names that some format takes for something else.
const ODD: &[&str] = &[
    "with space.toml",
    "100%25.toml",
    "a,b.toml",
    "::error::x.toml",
    "##[error]y.toml",
    "line\nbreak.toml",
    "back\\slash.toml",
    "naïve-日本.toml",
    "<b>&\"'|`_*.toml",
    "colon:1:2.toml",
];

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylint"));
    command.current_dir(folder).env_remove("NO_COLOR").args(arguments).output().expect("a run")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn check(workspace: &Workspace, format: &str) -> String {
    text(&run_in(workspace.path(), &["check", "--format", format]))
}

fn results(sarif: &str) -> Vec<Value> {
    let sarif: Value = serde_json::from_str(sarif).expect("JSON");
    sarif["runs"][0]["results"].as_array().expect("results").clone()
}

fn with(names: &[&str]) -> Workspace {
    let workspace = Workspace::new();
    names.iter().for_each(|name| workspace.write(name, EXCEEDS));
    workspace
}

#[cfg(unix)]
#[test]
fn odd_names_arrive_as_what_they_are_in_every_format() {
    let workspace = with(ODD);
    for format in FORMATS {
        let mut out = check(&workspace, format);
        if *format == "sarif" {
            // the rules are said elsewhere
            out = serde_json::to_string_pretty(&results(&out)).expect("JSON");
        }
        insta::assert_snapshot!(format!("odd_names_{format}"), out);
    }
}

#[cfg(unix)]
#[test]
fn a_name_gives_a_runner_no_commands() {
    let names: Vec<_> =
        (0..12).map(|n| format!("::stop-commands::{n}\n::error::##[add-mask]x{n}.toml")).collect();
    let workspace = with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let out = check(&workspace, "github");
    let commands: Vec<_> = out.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    let errors =
        commands.iter().filter(|line| line.starts_with("::error title=deadline-exceeded,file=")).count();
    assert_eq!((errors, commands.len()), (10, 12), "{out}");
    assert_eq!(commands[10..], ["::group::2 more findings", "::endgroup::"]);
    let plain = out.lines().filter(|line| !line.starts_with("::"));
    assert!(plain.clone().all(|line| !line.contains("##[")), "{out}");
    assert_eq!(plain.count(), 3, "two findings and the summary");
}

#[test]
fn names_start_at_the_root_of_the_repository() {
    let workspace = with(&["services/pay/config.toml"]);
    workspace.write(".git/HEAD", "ref: refs/heads/main\n");
    for format in FORMATS {
        let out = text(&run_in(&workspace.path().join("services"), &["check", "--format", format, "pay"]));
        assert!(out.contains("services/pay/config.toml"), "{format}: {out}");
    }
}

#[test]
fn a_file_outside_of_the_repository_keeps_its_whole_path() {
    let (inside, outside) = (with(&["here.toml"]), with(&["there.toml"]));
    inside.write(".git/HEAD", "ref: refs/heads/main\n");
    let path = std::fs::canonicalize(outside.path()).expect("a folder").join("there.toml");
    let out = text(&run_in(inside.path(), &["check", "--format", "sarif", path.to_str().expect("UTF-8")]));
    let artifact = &results(&out)[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    let uri = artifact["uri"].as_str().expect("a URI");
    assert!(uri.starts_with("file:///") && uri.ends_with("/there.toml"), "{uri}");
    assert!(artifact["uriBaseId"].is_null());
}

#[test]
fn fingerprints_stay_when_lines_move_and_tell_all_findings_apart() {
    let workspace = with(&["a.toml", "b.toml"]);
    let prints = || -> Vec<String> {
        let print =
            |result: &Value| result["partialFingerprints"]["retrylint/v1"].as_str().expect("one").to_string();
        let mut sarif: Vec<_> = results(&check(&workspace, "sarif")).iter().map(print).collect();
        let gitlab: Vec<Value> = serde_json::from_str(&check(&workspace, "gitlab")).expect("an array");
        let gitlab: Vec<_> = gitlab.iter().map(|issue| issue["fingerprint"].as_str().expect("one")).collect();
        assert_eq!(sarif, gitlab);
        sarif.sort();
        sarif
    };
    let before = prints();
    assert!(before.len() > 1 && before.windows(2).all(|two| two[0] != two[1]), "{before:?}");
    workspace.write("a.toml", format!("# moved\n\n{EXCEEDS}"));
    assert_eq!(prints(), before);
}

#[test]
fn what_is_silenced_is_in_sarif_only_where_it_is_asked_for_with_the_reason() {
    let workspace = with(&["known.toml"]);
    let baseline = run_in(workspace.path(), &["check", "--write-baseline", "known.json"]);
    assert_eq!(baseline.status.code(), Some(0));
    let comment = "[client.retry] # retrylint: ignore[deadline-exceeded] -- the last try may be lost";
    workspace.write("silenced.toml", EXCEEDS.replace("[client.retry]", comment));
    let sarif = |more: &[&str]| {
        let arguments = [&["check", "--format", "sarif", "--baseline", "known.json"], more].concat();
        results(&text(&run_in(workspace.path(), &arguments)))
    };
    assert_eq!(sarif(&[]), Vec::<Value>::new());
    let shown = sarif(&["--show-suppressed"]);
    let suppressions: Vec<_> = shown.iter().map(|result| result["suppressions"][0].to_string()).collect();
    let expected = [
        r#"{"kind":"inSource","justification":"the last try may be lost"}"#,
        r#"{"kind":"external","justification":"known to the baseline"}"#,
    ];
    assert_eq!(suppressions, expected);
}

#[test]
fn the_same_run_is_written_to_files_as_well() {
    let workspace = with(&["a.toml"]);
    let mut arguments = vec!["check".to_string(), "--format".into(), "github".into()];
    for format in FORMATS.iter().chain(&["json", "human"]) {
        arguments.extend(["--also".to_string(), format!("{format}=out {format}")]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let output = run_in(workspace.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    for format in FORMATS.iter().chain(&["json", "human"]) {
        let written =
            std::fs::read_to_string(workspace.path().join(format!("out {format}"))).expect("a file");
        assert_eq!(written, check(&workspace, format), "{format}");
    }
    assert_eq!(text(&output), check(&workspace, "github"));
}

#[test]
fn a_file_that_cannot_be_written_as_well_fails_the_run_and_is_named() {
    let workspace = with(&["a.toml"]);
    let output = run_in(workspace.path(), &["check", "--also", "sarif=no/such/folder.sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("no/such/folder.sarif: not written: "), "{complaint}");
    let output = run_in(workspace.path(), &["check", "--also", "sarfi=x"]);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && complaint.contains("sarif"), "{complaint}");
}

#[test]
fn a_path_without_any_policy_fails_where_some_are_expected() {
    let workspace = with(&["a.toml"]);
    workspace.write("empty/b.toml", "[client]\nname = \"x\"\n");
    let status = |path: &str| run_in(workspace.path(), &["check", "--expect-policies", path]).status.code();
    assert_eq!((status("a.toml"), status("empty")), (Some(1), Some(2)));
    let output = run_in(workspace.path(), &["check", "--expect-policies", "empty"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"retrylint: no policy and no queue is in 1 file; --expect-policies takes that for a wrong path");
}

#[test]
fn what_could_not_be_checked_is_said_in_every_format() {
    let workspace = with(&["a.toml"]);
    for format in FORMATS {
        if *format == "gitlab" {
            continue; // it has findings only; the complaint and the status say it
        }
        let output = run_in(workspace.path(), &["check", "--format", format, "a.toml", "missing.toml"]);
        assert_eq!(output.status.code(), Some(2), "{format}");
        assert!(text(&output).contains("missing.toml"), "{format}: {}", text(&output));
    }
}

#[test]
fn a_test_case_fails_from_the_failing_severity_on() {
    let workspace = with(&["a.toml"]);
    let junit = |fail_on: &str| {
        text(&run_in(workspace.path(), &["check", "--format", "junit", "--fail-on", fail_on]))
    };
    assert!(
        junit("error").contains("failures=\"1\"")
            && junit("error").contains("<failure type=\"deadline-exceeded\"")
    );
    assert!(junit("never").contains("failures=\"0\"") && junit("never").contains("<system-out>"));
}

#[test]
fn long_tables_are_cut_where_a_comment_would_be_too_long() {
    let names: Vec<_> = (0..400).map(|n| format!("service-{n}.toml")).collect();
    let workspace = with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let out = check(&workspace, "markdown");
    assert!(out.len() < 65_536, "{}", out.len());
    let more = out.lines().last().expect("a line");
    assert!(more.ends_with("more; `retrylint check` shows them."), "{more}");
}
