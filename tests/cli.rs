//! The command as people run it: paths, exit status, what goes where.

mod common;

use common::{Workspace, retrylint};
use std::process::{Output, Stdio};

const FITS: &str = "[client]\ntimeout_ms = 100\ndeadline_ms = 1000\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\njitter = \"full\"\n";
const EXCEEDS: &str = "[client]\ntimeout_ms = 900\ndeadline_ms = 1000\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\njitter = \"full\"\n";
const LACKS_JITTER: &str =
    "[client]\ntimeout_ms = 100\ndeadline_ms = 1000\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\n";

fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    retrylint().current_dir(workspace.path()).args(arguments).output().expect("a run")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn complaints(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn with(files: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::new();
    files.iter().for_each(|(name, text)| workspace.write(name, text));
    workspace
}

#[test]
fn the_status_tells_clean_findings_and_failure_apart() {
    let workspace = with(&[("good.toml", FITS), ("bad.toml", EXCEEDS)]);
    assert_eq!(run(&workspace, &["check", "good.toml"]).status.code(), Some(0));
    assert_eq!(run(&workspace, &["check", "bad.toml"]).status.code(), Some(1));
    assert_eq!(run(&workspace, &["check"]).status.code(), Some(1));
    assert_eq!(run(&workspace, &["check", "missing.toml"]).status.code(), Some(2));
    assert_eq!(run(&workspace, &["chekc"]).status.code(), Some(2));
}

#[test]
fn a_missing_path_is_told_and_the_others_are_checked() {
    let workspace = with(&[("bad.toml", EXCEEDS)]);
    let output = run(&workspace, &["check", "missing.toml", "bad.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("missing.toml: there is no such file or folder"));
    assert!(out(&output).contains("deadline-exceeded"));
}

#[test]
fn the_failing_severity_can_be_set_on_the_command_line_and_in_the_file() {
    let workspace = with(&[("a.toml", LACKS_JITTER)]);
    let status = |arguments: &[&str]| run(&workspace, arguments).status.code();
    assert_eq!(status(&["check", "a.toml"]), Some(0));
    assert_eq!(status(&["check", "a.toml", "--fail-on", "warning"]), Some(1));
    workspace.write("retrylint.toml", "fail-on = \"warning\"\n");
    assert_eq!(status(&["check", "a.toml"]), Some(1));
    assert_eq!(status(&["check", "a.toml", "--fail-on", "never"]), Some(0));
    assert_eq!(status(&["check", "a.toml", "--no-config"]), Some(0));
}

#[test]
fn a_wrong_key_in_the_settings_is_an_error_with_its_place() {
    let workspace = with(&[("a.toml", FITS), ("retrylint.toml", "[rules]\nmissing-jiter = \"off\"\n")]);
    let output = run(&workspace, &["check", "a.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let told = "retrylint.toml:2:1: there is no rule `missing-jiter`; did you mean `missing-jitter`?";
    assert!(complaints(&output).contains(told), "{}", complaints(&output));
}

#[test]
fn settings_are_found_upwards_and_their_patterns_are_relative_to_them() {
    let files = [
        ("a/b/bad.toml", EXCEEDS),
        ("a/gen/bad.toml", EXCEEDS),
        ("retrylint.toml", "exclude = [\"a/gen/**\"]\n"),
    ];
    let workspace = with(&files);
    let output =
        retrylint().current_dir(workspace.path().join("a")).args(["check", "--format", "json", "."]).output();
    let shown = out(&output.expect("a run"));
    assert!(shown.contains("\"b/bad.toml\"") && !shown.contains("gen/bad.toml"), "{shown}");
}

#[test]
fn ignored_files_are_left_out_of_a_walk_but_not_when_they_are_named() {
    let workspace =
        with(&[(".gitignore", "out/\n"), ("out/bad.toml", EXCEEDS), (".hidden/bad.toml", EXCEEDS)]);
    let walked = out(&run(&workspace, &["check", "--format", "json"]));
    assert!(walked.contains(".hidden/bad.toml") && !walked.contains("out/bad.toml"), "{walked}");
    assert!(out(&run(&workspace, &["check", "--format", "json", "out/bad.toml"])).contains("out/bad.toml"));
}

#[test]
fn a_pattern_in_quotes_is_expanded() {
    let workspace = with(&[("x/bad.toml", EXCEEDS), ("y/bad.toml", EXCEEDS), ("x/good.toml", FITS)]);
    let shown = out(&run(&workspace, &["check", "--format", "json", "x/b*.toml"]));
    assert!(shown.contains("x/bad.toml") && !shown.contains("y/bad.toml"), "{shown}");
}

#[test]
fn a_pattern_takes_nothing_that_is_ignored_and_a_folder_that_is_named_is_searched() {
    let workspace = with(&[
        (".gitignore", "out/\n*.gen.toml\n"),
        ("out/bad.toml", EXCEEDS),
        ("x/deep/bad.toml", EXCEEDS),
        ("x/bad.gen.toml", EXCEEDS),
        ("x/bad.conf", EXCEEDS),
        ("bad.toml", EXCEEDS),
    ]);
    for (pattern, files) in [
        ("**/*.toml", &["bad.toml", "x/deep/bad.toml"][..]),
        ("./**/bad.*", &["bad.toml", "x/bad.conf", "x/deep/bad.toml"]),
        ("*.toml", &["bad.toml"]),
        ("x/*", &["x/bad.conf", "x/deep/bad.toml"]),
        ("x/**", &["x/deep/bad.toml"]),
        ("x*", &["x/deep/bad.toml"]),
        ("out/*.toml", &["out/bad.toml"]),
        ("x/d[e]?p/bad.toml", &["x/deep/bad.toml"]),
    ] {
        let shown = out(&run(&workspace, &["check", "--format", "json", pattern]));
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        let found = shown["findings"].as_array().expect("a list").iter();
        let found: Vec<_> = found.filter_map(|finding| finding["file"].as_str()).collect();
        assert_eq!(found, files, "{pattern}");
    }
}

#[test]
fn standard_input_is_read_by_the_name_it_is_given() {
    let arguments = ["check", "--no-config", "--stdin-filename", "svc/client.toml", "-"];
    let output = run_with_input(&Workspace::new(), &arguments, EXCEEDS);
    assert_eq!(output.status.code(), Some(1));
    let shown = out(&output);
    assert!(shown.contains("svc/client.toml:4") && shown.contains("max_attempts = 3"), "{shown}");
}

fn run_with_input(workspace: &Workspace, arguments: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut command = retrylint();
    command.current_dir(workspace.path()).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a run");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("an end")
}

#[test]
fn standard_input_stands_for_the_file_that_a_stack_names() {
    let stack = "[[stack]]\nname = \"pay\"\nlayers = [\"a.toml\", { name = \"db\", attempts = 4 }]\n";
    let workspace = with(&[("svc/a.toml", FITS), ("svc/retrylint.toml", stack)]);
    let arguments = ["check", "--format", "json", "--stdin-filename", "svc/a.toml", "-"];
    let shown = out(&run_with_input(&workspace, &arguments, EXCEEDS));
    assert!(shown.contains("deadline-exceeded") && shown.contains("attempt-product-exceeded"), "{shown}");
    assert!(shown.contains("\"files_seen\": 1") && shown.contains("\"policies\": 1"), "{shown}");
}

#[test]
fn a_pattern_that_matches_nothing_is_told() {
    let output = run(&with(&[("a.toml", FITS)]), &["check", "b*.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("b*.toml: nothing matches the pattern"));
}

#[test]
fn a_named_file_that_the_settings_leave_out_is_skipped_and_told_on_demand() {
    let workspace = with(&[("gen/bad.toml", EXCEEDS), ("retrylint.toml", "exclude = [\"gen/\"]\n")]);
    let output = run(&workspace, &["check", "--verbose", "--format", "json", "gen/bad.toml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(complaints(&output).contains("skipped gen/bad.toml: retrylint.toml leaves it out"));
    assert!(out(&output).contains("\"files_skipped\": 1"));
}

#[test]
fn a_declared_deadline_for_a_policy_that_is_not_there_is_told() {
    let deadline = "[[deadline]]\npolicy = \"a.toml#cleint\"\ndeadline = \"1s\"\n";
    let workspace = with(&[("a.toml", FITS), ("retrylint.toml", deadline)]);
    let output = run(&workspace, &["check"]);
    assert_eq!(output.status.code(), Some(2));
    let told =
        "retrylint.toml:2:10: the deadline is for a.toml#cleint, which is not one policy; there are #client";
    assert!(complaints(&output).contains(told), "{}", complaints(&output));
}

#[test]
fn an_unknown_rule_is_explained_by_the_nearest_one() {
    let output = run(&Workspace::new(), &["explain", "missing-jiter"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("did you mean `missing-jitter`?"));
}

#[test]
fn skipped_files_are_counted_and_named_on_demand() {
    let large = format!("{EXCEEDS}# {}\n", "x".repeat(2000));
    let workspace = with(&[
        ("large.toml", &large),
        ("binary.json", "retry\0"),
        ("chart.yaml", "retries: {{ .Values.retries }}\n"),
    ]);
    let output = run(&workspace, &["check", "--format", "json", "--max-file-size", "1000", "--verbose"]);
    let told = complaints(&output);
    assert!(told.contains("skipped large.toml: "), "{told}");
    assert!(told.contains("skipped binary.json: it is binary"), "{told}");
    assert!(told.contains("skipped chart.yaml: it is a template"), "{told}");
    assert!(out(&output).contains("\"files_skipped\": 3"));
    assert_eq!(complaints(&run(&workspace, &["check"])), "");
}

#[test]
fn the_output_is_the_same_with_one_thread_and_with_eight() {
    let fixtures = common::fixtures();
    let shown = |verb: &str, threads: &str| {
        let mut command = retrylint();
        command.current_dir(&fixtures).args([
            verb,
            "--no-config",
            "--format",
            "json",
            "--threads",
            threads,
            ".",
        ]);
        command.output().expect("a run").stdout
    };
    for verb in ["check", "inspect"] {
        let one = shown(verb, "1");
        assert!(one.len() > 10_000);
        assert!(one == shown(verb, "8"), "{verb} depends on the number of threads");
        assert!(one == shown(verb, "8"), "{verb} differs from run to run");
    }
}

#[test]
fn comments_silence_what_they_name() {
    let ignored = EXCEEDS
        .replace("[client.retry]", "# retrylint: ignore[deadline-exceeded] -- measured\n[client.retry]");
    let other = EXCEEDS.replace("[client.retry]", "# retrylint: ignore[missing-jitter]\n[client.retry]");
    let whole = format!("# retrylint: ignore-file -- generated\n{EXCEEDS}");
    let workspace = with(&[("ignored.toml", &ignored), ("other.toml", &other), ("whole.toml", &whole)]);
    let status = |file: &str| run(&workspace, &["check", file]).status.code();
    assert_eq!(
        (status("ignored.toml"), status("other.toml"), status("whole.toml")),
        (Some(0), Some(1), Some(0))
    );
    assert!(
        out(&run(&workspace, &["check", "--format", "json", "ignored.toml"])).contains("\"suppressed\": 1")
    );
}

#[test]
fn comments_that_are_not_understood_are_told() {
    let wrong = FITS.replace(
        "[client.retry]",
        "# retrylint: ignore[missing-jiter]\n# retrylint: deadlne=3s\n[client.retry]",
    );
    let shown = out(&run(&with(&[("a.toml", &wrong)]), &["check", "--format", "json"]));
    assert!(shown.contains("there is no rule `missing-jiter`; did you mean `missing-jitter`?"), "{shown}");
    assert!(shown.contains("deadlne"), "{shown}");
    assert_eq!(shown.matches("\"unreadable-config\"").count(), 2);
}

#[test]
fn a_comment_may_stand_at_any_number_of_the_finding() {
    let ignored =
        EXCEEDS.replace("max_attempts = 3", "max_attempts = 3 # retrylint: ignore[deadline-exceeded]");
    assert_eq!(run(&with(&[("a.toml", &ignored)]), &["check"]).status.code(), Some(0));
}

#[test]
fn other_encodings_are_told_with_the_file() {
    let workspace = Workspace::new();
    workspace.write("latin.yaml", b"retries: 3\nname: caf\xe9\n");
    workspace.write("wide.yaml", b"\xff\xfer\0e\0t\0r\0y\0");
    let shown = out(&run(&workspace, &["check"]));
    assert!(shown.contains("latin.yaml:2:10") && shown.contains("wide.yaml: the file is UTF-16"), "{shown}");
}

#[test]
fn a_deadline_may_be_declared_in_a_comment_and_in_the_settings() {
    let free = LACKS_JITTER
        .replace("deadline_ms = 1000\n", "")
        .replace("delay_ms = 10", "delay_ms = 10\njitter = \"full\"");
    let said = free.replace("[client.retry]", "[client.retry] # retrylint: deadline=200ms");
    let workspace = with(&[("free.toml", &free), ("said.toml", &said)]);
    let status = |file: &str| run(&workspace, &["check", file]).status.code();
    assert_eq!((status("free.toml"), status("said.toml")), (Some(0), Some(1)));
    workspace.write(
        "retrylint.toml",
        "[[deadline]]\npolicy = \"free.toml#/client/retry\"\ndeadline = \"200ms\"\n",
    );
    let output = run(&workspace, &["check", "free.toml"]);
    assert!(out(&output).contains("declared in retrylint.toml"), "{}", out(&output));
}

#[test]
fn an_assumed_attempt_timeout_is_used_where_none_is_written_and_makes_a_warning_at_most() {
    let without = EXCEEDS.replace("timeout_ms = 900\n", "");
    let settings = "[assume]\nattempt-timeout = \"900ms\"\n";
    let workspace = with(&[("a.toml", &without), ("b.toml", FITS), ("retrylint.toml", settings)]);
    let output = run(&workspace, &["check", "--format", "json", "a.toml", "b.toml"]);
    let shown = out(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let findings: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let found: Vec<_> = findings["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| (&f["file"], &f["rule"], &f["severity"]))
        .collect();
    assert_eq!(found, [(&"a.toml".into(), &"deadline-exceeded".into(), &"warning".into())], "{shown}");
    assert!(shown.contains("[assume] attempt-timeout of retrylint.toml"), "{shown}");
}

#[test]
fn only_waits_that_grow_are_assumed_to_double() {
    let sources = [
        ("delay_ms = 100", "(line 3)"),
        ("backoff = \"linear\"\ninitial_delay_ms = 100", "(line 4)"),
        (
            "backoff_ms = 100",
            "(assumed: without a multiplier or a ceiling the wait is taken to stay the same)",
        ),
        ("initial_delay_ms = 100", "(assumed: without a multiplier the wait is taken to double)"),
    ];
    for (waits, source) in sources {
        let workspace = with(&[("retry.toml", &format!("[retry]\nmax_attempts = 3\n{waits}\n"))]);
        let shown = out(&run(&workspace, &["inspect", "."]));
        let line = shown.lines().find(|line| line.trim_start().starts_with("waits")).expect("waits");
        assert!(line.ends_with(source), "{waits}: {line}");
    }
}

#[test]
fn inspect_writes_the_same_in_json_and_in_yaml() {
    let workspace = with(&[("a.toml", FITS)]);
    let json: serde_json::Value =
        serde_json::from_str(&out(&run(&workspace, &["inspect", "--format", "json"]))).expect("JSON");
    let yaml: serde_json::Value =
        serde_yaml::from_str(&out(&run(&workspace, &["inspect", "--format", "yaml"]))).expect("YAML");
    assert_eq!(json, yaml);
    assert_eq!(json["policies"][0]["attempts"], 3);
}

#[test]
fn what_the_settings_are_for_in_vain_is_said_and_no_failure() {
    let settings = "[[override]]\nfiles = [\"lagacy/**\"]\nrules = { missing-jitter = \"off\" }\n\
                    [[dialect]]\nname = \"acme\"\nfiles = [\"**/a.toml\"]\npolicies = \"/none\"\nattempts = \"tries\"\n";
    let workspace = with(&[("x/a.toml", FITS), ("retrylint.toml", settings)]);
    let output = run(&workspace, &["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    let told = complaints(&output);
    assert!(told.contains("retrylint.toml:2:9: the override is for none of the files"), "{told}");
    assert!(told.contains("retrylint.toml:7:12: the dialect `acme` finds no policy"), "{told}");
    for path in ["x", "x/a.toml"] {
        assert_eq!(complaints(&run(&workspace, &["check", path])), "", "only of {path} it is not known");
    }
}

#[test]
fn levels_of_rules_hold_for_their_files() {
    let settings = "[rules]\nmissing-jitter = \"error\"\n[[override]]\nfiles = [\"legacy/**\"]\nrules = { missing-jitter = \"off\" }\n";
    let workspace =
        with(&[("a.toml", LACKS_JITTER), ("legacy/a.toml", LACKS_JITTER), ("retrylint.toml", settings)]);
    assert_eq!(run(&workspace, &["check", "a.toml"]).status.code(), Some(1));
    assert_eq!(run(&workspace, &["check", "--fail-on", "note", "legacy/a.toml"]).status.code(), Some(0));
}

#[test]
fn a_stack_may_name_files_that_are_not_checked_and_is_told_where_it_is_wrong() {
    let stack = "[[stack]]\nname = \"pay\"\nlayers = [\"a.toml\", \"b.toml#client\", { name = \"db\", attempts = 3 }]\n";
    let workspace = with(&[("a.toml", FITS), ("b.toml", FITS), ("retrylint.toml", stack)]);
    let shown = out(&run(&workspace, &["check", "--format", "json", "b.toml"]));
    assert!(shown.contains("attempt-product-exceeded") && shown.contains("3 × 3 × 3 = 27"), "{shown}");
    workspace.write("retrylint.toml", stack.replace("b.toml#client", "b.toml#cleint"));
    let shown = out(&run(&workspace, &["check", "--format", "json"]));
    assert!(shown.contains("unknown-layer") && shown.contains("b.toml#client"), "{shown}");
}

#[test]
fn what_a_stack_could_have_meant_is_named_as_in_its_own_file() {
    let stack = "[[stack]]\nname = \"pay\"\nlayers = [\"svc/a.toml#cleint\"]\n";
    let workspace = with(&[("svc/a.toml", FITS), ("retrylint.toml", stack)]);
    let output =
        retrylint().current_dir(workspace.path().join("svc")).args(["check"]).output().expect("a run");
    let shown = out(&output);
    assert!(shown.contains("names svc/a.toml#cleint") && shown.contains("mean svc/a.toml#client"), "{shown}");
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let workspace = with(&[("a.toml", EXCEEDS)]);
    assert!(!out(&run(&workspace, &["check"])).contains('\u{1b}'));
    assert!(out(&run(&workspace, &["check", "--color", "always"])).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut command = retrylint();
    command.current_dir(common::fixtures()).args(["inspect", "--no-config", "--format", "json", "."]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a run");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert!(matches!(output.status.code(), Some(0)), "{:?} {}", output.status, complaints(&output));
}

#[test]
fn a_reader_of_complaints_that_goes_away_is_no_panic() {
    let paths: Vec<_> = (0..2000).map(|n| format!("missing{n}")).collect();
    let mut command = retrylint();
    command.arg("check").args(paths).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a run");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("an end").code(), Some(2));
}

#[cfg(target_os = "linux")] // elsewhere file systems refuse such names
#[test]
fn names_that_are_no_utf8_can_be_named_and_are_shown_as_far_as_they_are() {
    use std::os::unix::ffi::OsStrExt;
    let workspace = Workspace::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.toml");
    std::fs::write(workspace.path().join(name), EXCEEDS).expect("a written file");
    for path in [name, std::ffi::OsStr::new(".")] {
        let output = retrylint().current_dir(workspace.path()).arg("check").arg(path).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1));
        assert!(out(&output).contains("caf\u{fffd}.toml:4"), "{}", out(&output));
    }
}

#[test]
fn one_line_of_a_megabyte_is_shown_around_the_finding_only() {
    let json = serde_json::json!({
        "filler": "x".repeat(1_000_000),
        "client": { "timeout_ms": 900, "deadline_ms": 1000, "retry": { "max_attempts": 3, "delay_ms": 10, "jitter": "full" } },
    });
    let workspace = with(&[("a.json", &json.to_string())]);
    let output = run(&workspace, &["check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.len() < 10_000 && out(&output).contains("\"retry\""), "{}", output.stdout.len());
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_pipes_are_passed_over() {
    let workspace = with(&[("a/bad.toml", EXCEEDS)]);
    std::os::unix::fs::symlink("..", workspace.path().join("a/loop")).expect("a link");
    std::os::unix::fs::symlink("nowhere.toml", workspace.path().join("dangling.toml")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(workspace.path().join("pipe.toml")).status();
    assert!(made.expect("mkfifo").success());
    let output = run(&workspace, &["check", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out(&output).matches("\"rule\"").count(), 1);
    let named = run(&workspace, &["check", "pipe.toml"]);
    assert_eq!(named.status.code(), Some(2));
    assert!(complaints(&named).contains("pipe.toml: it is no regular file"), "{}", complaints(&named));
}

#[test]
fn more_threads_than_are_of_use_are_refused() {
    let done = retrylint().args(["check", "--threads", "100000", "."]).output().expect("a run");
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("256"), "{done:?}");
}

#[test]
fn a_stack_of_other_files_does_not_fail_the_check_of_one() {
    let workspace = common::Workspace::new();
    let retries = "[a]\nurl = \"http://x\"\nrequest_timeout = \"1s\"\ntotal_timeout = \"60s\"\n[a.retry]\nmax_attempts = 4\ninitial_delay = \"1s\"\nmax_delay = \"2s\"\njitter = \"full\"\n";
    ["one.toml", "two.toml", "x/ok.toml"].iter().for_each(|name| workspace.write(name, retries));
    workspace.write("retrylint.toml", "[[stack]]\nname = \"both\"\nlayers = [\"one.toml\", \"two.toml\"]\n");
    let status = |file: &str| {
        let done = retrylint().current_dir(workspace.path()).args(["check", file]).output().expect("a run");
        done.status.code()
    };
    assert_eq!((status("x/ok.toml"), status("one.toml"), status(".")), (Some(0), Some(1), Some(1)));
}

#[test]
fn a_named_input_that_cannot_be_checked_makes_the_result_incomplete() {
    let workspace = with(&[
        ("good.toml", FITS),
        ("bad.toml", EXCEEDS),
        ("large.toml", &format!("{FITS}# {}\n", "x".repeat(900))),
        ("chart.yaml", "retries: {{ .Values.retries }}\n{{- if .x }}\na: 1\n{{- end }}\n"),
    ]);
    workspace.write("blob.toml", b"retries\0= 3");
    let many = ["check", "--max-file-size", "800"];
    for (named, told, status, start) in [
        (
            "blob.toml",
            "blob.toml: it is binary",
            2,
            "not complete, 1 input could not be checked: nothing found",
        ),
        (
            "large.toml",
            "over the limit; --max-file-size raises it",
            2,
            "not complete, 1 input could not be checked: ",
        ),
        (
            "none.toml",
            "none.toml: there is no such file or folder",
            2,
            "not complete, 1 input could not be checked: ",
        ),
        ("chart.yaml", "chart.yaml: it is a template, and not checked; render it first", 0, "nothing found"),
    ] {
        let output = run(&workspace, &[&many[..], &["good.toml", named]].concat());
        assert_eq!(output.status.code(), Some(status), "{named}");
        assert!(complaints(&output).contains(told), "{named}: {}", complaints(&output));
        assert!(out(&output).starts_with(start), "{named}: {}", out(&output));
        let json = run(&workspace, &[&many[..], &["--format", "json", "good.toml", named]].concat());
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(json["summary"]["failures"], u64::from(status == 2), "{named}");
    }
    let all = run(&workspace, &[&many[..], &["bad.toml", "blob.toml", "none.toml"]].concat());
    assert_eq!(all.status.code(), Some(2), "that something is missing is graver than a finding");
    assert!(out(&all).contains("\nnot complete, 2 inputs could not be checked: 1 error"), "{}", out(&all));
    let walked = run(&workspace, &[&many[..], &["--fail-on", "never"]].concat());
    assert_eq!(walked.status.code(), Some(0), "what is only found on the way is passed over");
    assert!(!out(&walked).contains("not complete"), "{}", out(&walked));
}

/// Names as nobody should give a file, and what a terminal would act on in them.
#[cfg(unix)]
const HOSTILE: &[&str] =
    &["esc\u{1b}[31m.toml", "two\nlines.toml", "bell\u{7}\r.toml", "right\u{202e}left.toml"];

#[cfg(unix)]
#[test]
fn no_name_of_a_file_reaches_the_terminal_as_it_is() {
    for name in HOSTILE {
        let table = name.trim_end_matches(".toml").replace(['\n', '\r', '\u{1b}', '\u{7}'], "");
        let policy = EXCEEDS.replace("client", &format!("\"{table}\"")).replace("= 1000", "= 2000");
        let workspace = with(&[(name, &policy), ("b.toml", FITS)]);
        let escaped = name
            .replace('\n', "\\n")
            .replace('\r', "\\r")
            .replace('\u{1b}', "\\u001b")
            .replace('\u{7}', "\\u0007");
        let stack = format!("[[stack]]\nname = \"{escaped}\"\nlayers = [\"{escaped}\", \"b.toml\"]\n");
        workspace.write("retrylint.toml", stack);
        let git = |arguments: &[&str]| {
            let settings = ["-c", "user.name=a", "-c", "user.email=a@b"];
            let mut git = std::process::Command::new("git");
            let done =
                git.current_dir(workspace.path()).args(settings).args(arguments).output().expect("git");
            assert!(done.status.success());
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-qm", "a"]);
        workspace.write(name, policy.replace("= 3", "= 4"));
        for arguments in [
            &["check"][..],
            &["check", "--diff"],
            &["check", "--verbose", name, "none\u{1b}[2J\n.toml"],
            &["inspect"],
            &["stacks"],
            &["stacks", "--format", "dot"],
            &["stacks", "--format", "mermaid"],
            &["diff", "HEAD"],
            &["diff", "HEAD", "--format", "markdown"],
        ] {
            let output = run(&workspace, arguments);
            let all = format!("{}{}", out(&output), complaints(&output));
            assert!(!all.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']), "{arguments:?}: {all:?}");
            let lines = all.lines().filter(|line| line.trim_start().starts_with("lines"));
            assert_eq!(lines.count(), 0, "{arguments:?}: {all}");
            assert!(all.contains(&table[..3]), "{arguments:?}: {all}");
        }
    }
}
