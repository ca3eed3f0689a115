//! Living with the linter: chosen rules, known findings, and what a change does.

mod common;

use common::{Workspace, retrylint};
use serde_json::Value;
use std::process::{Command, Output};

const EXCEEDS: &str = "[client]\ntimeout_ms = 900\ndeadline_ms = 1000\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\njitter = \"full\"\n";
const TWO: &str =
    "[client]\ntimeout_ms = 900\ndeadline_ms = 1000\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\n";

fn with(files: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::new();
    files.iter().for_each(|(name, text)| workspace.write(name, text));
    workspace
}

fn run_in(workspace: &Workspace, folder: &str, arguments: &[&str]) -> Output {
    retrylint().current_dir(workspace.path().join(folder)).args(arguments).output().expect("a run")
}

fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    run_in(workspace, "", arguments)
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn complaints(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut git = Command::new("git");
    let who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"];
    git.current_dir(workspace.path()).args(who).args(arguments);
    let done = git.output().expect("git");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn commit(workspace: &Workspace) {
    git(workspace, &["add", "-A"]);
    git(workspace, &["commit", "-q", "--allow-empty", "-m", "x"]);
}

/// A repository with these files in its first commit.
fn repository(files: &[(&str, &str)]) -> Workspace {
    let workspace = with(files);
    git(&workspace, &["init", "-q", "-b", "main"]);
    commit(&workspace);
    workspace
}

/// "file rule" of each finding, and the summary.
fn found_in(workspace: &Workspace, folder: &str, arguments: &[&str]) -> (Vec<String>, Value) {
    let output = run_in(workspace, folder, &[&["check", "--format", "json"], arguments].concat());
    assert_ne!(output.status.code(), Some(2), "{}", complaints(&output));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let findings = json["findings"].as_array().expect("a list").iter();
    let findings = findings.map(|one| format!("{} {}", text(&one["file"]), text(&one["rule"])));
    (findings.collect(), json["summary"].clone())
}

fn found(workspace: &Workspace, arguments: &[&str]) -> Vec<String> {
    found_in(workspace, "", arguments).0
}

#[test]
fn rules_can_be_selected_and_ignored() {
    let settings = "[rules]\nmissing-jitter = \"off\"\n";
    let workspace = with(&[("a.toml", TWO), ("set/a.toml", TWO), ("set/retrylint.toml", settings)]);
    let all = ["a.toml deadline-exceeded", "a.toml missing-jitter"];
    assert_eq!(found(&workspace, &["a.toml"]), all);
    assert_eq!(found(&workspace, &["a.toml", "--select", "missing-jitter"]), all[1..]);
    assert_eq!(found(&workspace, &["a.toml", "--select", "missing-jitter,deadline-exceeded"]), all);
    assert_eq!(found(&workspace, &["a.toml", "--ignore", "missing-jitter", "--pedantic"]), all[..1]);
    assert_eq!(found(&workspace, &["set/a.toml"]), ["set/a.toml deadline-exceeded"]);
    assert_eq!(found(&workspace, &["set/a.toml", "--select=missing-jitter"]), ["set/a.toml missing-jitter"]);
    for option in ["--select", "--ignore"] {
        let output = run(&workspace, &["check", option, "missing-jiter"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(complaints(&output).contains("did you mean `missing-jitter`?"), "{}", complaints(&output));
    }
}

#[test]
fn a_comment_is_not_unused_because_its_rule_is_not_selected() {
    let text = TWO.replace("[client.retry]", "# retrylint: ignore -- measured\n[client.retry]");
    let workspace = with(&[("a.toml", &text)]);
    for arguments in
        [&["--ignore", "missing-jitter,deadline-exceeded"][..], &["--select", "unused-suppression"]]
    {
        let (findings, summary) = found_in(&workspace, "", arguments);
        assert_eq!((findings.len(), &summary["suppressed"]), (0, &0.into()));
    }
}

#[test]
fn known_findings_stay_quiet_wherever_their_lines_move() {
    let workspace = with(&[("a/x.toml", TWO), ("b/y.toml", EXCEEDS)]);
    let output = run(&workspace, &["check", "--write-baseline", "a/known.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).starts_with("nothing found, 3 known in 2 files"), "{}", out(&output));
    let written = std::fs::read_to_string(workspace.path().join("a/known.json")).expect("a baseline");
    assert!(
        written.contains(
            "{\"file\":\"../b/y.toml\",\"rule\":\"deadline-exceeded\",\"pointer\":\"/client/retry\"}"
        )
    );
    workspace.write("a/x.toml", format!("# moved\n\n{TWO}"));
    workspace.write("b/new.toml", EXCEEDS);
    let (findings, summary) = found_in(&workspace, "", &["--baseline", "a/known.json"]);
    assert_eq!(findings, ["b/new.toml deadline-exceeded"]);
    assert_eq!(summary["known"], 3);
    assert_eq!(
        found_in(&workspace, "b", &["--baseline", "../a/known.json"]).0,
        ["new.toml deadline-exceeded"]
    );
}

#[test]
fn a_baseline_that_is_read_and_written_only_shrinks() {
    let workspace = with(&[("x.toml", TWO), ("y.toml", EXCEEDS)]);
    run(&workspace, &["check", "--write-baseline", "known.json"]);
    workspace.write("x.toml", EXCEEDS);
    workspace.write("z.toml", EXCEEDS);
    let told = complaints(&run(&workspace, &["check", "--baseline", "known.json", "--verbose"]));
    assert!(
        told.contains("no longer found, but in the baseline: x.toml /client/retry: missing-jitter"),
        "{told}"
    );
    // what is not looked at is not gone
    for part in [&["y.toml"][..], &[".", "--select", "deadline-exceeded"]] {
        let told = complaints(&run(&workspace, &[&["check", "--baseline", "known.json"], part].concat()));
        assert_eq!(told, "");
    }
    let both = ["check", "--baseline", "known.json", "--write-baseline", "known.json"];
    assert_eq!(run(&workspace, &both).status.code(), Some(1), "z.toml is new");
    let written = std::fs::read_to_string(workspace.path().join("known.json")).expect("a baseline");
    assert!(!written.contains("missing-jitter") && !written.contains("z.toml"), "{written}");
    std::fs::remove_file(workspace.path().join("y.toml")).expect("removed");
    run(&workspace, &both);
    let written = std::fs::read_to_string(workspace.path().join("known.json")).expect("a baseline");
    assert_eq!(written.matches("\"rule\"").count(), 1, "{written}");
}

#[test]
fn the_settings_may_name_the_baseline() {
    let workspace = with(&[("s/x.toml", TWO), ("s/retrylint.toml", "baseline = \"known.json\"\n")]);
    assert_eq!(run(&workspace, &["check", "s"]).status.code(), Some(2));
    assert_eq!(run(&workspace, &["check", "s", "--write-baseline", "s/known.json"]).status.code(), Some(0));
    assert_eq!(run(&workspace, &["check", "s"]).status.code(), Some(0));
    assert_eq!(run(&workspace, &["check", "s", "--no-config"]).status.code(), Some(1));
    workspace.write("s/known.json", "{\"version\": 1,\n \"findings\": [{}]}");
    let output = run(&workspace, &["check", "s"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        complaints(&output).contains("known.json:2:16: the baseline is broken"),
        "{}",
        complaints(&output)
    );
}

#[test]
fn a_change_is_answerable_for_what_it_touches_and_causes() {
    let old = format!("{TWO}[other]\nname = 1\n");
    let workspace = repository(&[("a.toml", &old), ("b.toml", TWO)]);
    let changed = |base: &[&str]| found(&workspace, &[&["--changed"], base].concat());
    assert_eq!(changed(&[]), [""; 0]);
    // lines that move, and lines of nothing
    workspace.write("a.toml", format!("# moved\n{old}").replace("name = 1", "name = 2"));
    assert_eq!(changed(&[]), [""; 0]);
    // a line of the policy that no message tells
    workspace.write("a.toml", old.replace("delay_ms = 10", "delay_ms = 10 # why"));
    let both = ["a.toml deadline-exceeded", "a.toml missing-jitter"];
    assert_eq!(changed(&[]), both);
    // one number of one finding
    workspace.write("a.toml", old.replace("deadline_ms = 1000", "deadline_ms = 1001"));
    assert_eq!(changed(&[]), both[..1]);
    workspace.write("new.toml", EXCEEDS);
    assert_eq!(changed(&["HEAD"]), ["a.toml deadline-exceeded", "new.toml deadline-exceeded"]);
    let (_, summary) = found_in(&workspace, "", &["--changed"]);
    assert_eq!((&summary["unchanged"], &summary["files_seen"]), (&3.into(), &3.into()));
    commit(&workspace);
    assert_eq!(changed(&[]), [""; 0]);
    assert_eq!(changed(&["HEAD~1"]), ["a.toml deadline-exceeded", "new.toml deadline-exceeded"]);
    assert_eq!(run(&workspace, &["check", "--changed"]).status.code(), Some(0));
    assert_eq!(run(&workspace, &["check", "--changed=HEAD~1"]).status.code(), Some(1));
}

#[test]
fn a_finding_that_has_become_graver_is_one_of_the_change() {
    let lenient = "[rules]\nmissing-jitter = \"note\"\n";
    let workspace = repository(&[("a.toml", TWO), ("retrylint.toml", lenient)]);
    assert_eq!(found(&workspace, &["--changed"]), [""; 0]);
    workspace.write("retrylint.toml", lenient.replace("note", "error"));
    assert_eq!(found(&workspace, &["--changed"]), ["a.toml missing-jitter"]);
    workspace.write("retrylint.toml", lenient.replace("note", "off"));
    assert_eq!(found(&workspace, &["--changed"]), [""; 0]);
}

#[test]
fn two_revisions_may_be_named_as_a_range() {
    let workspace = repository(&[("a.toml", EXCEEDS)]);
    workspace.write("a.toml", EXCEEDS.replace("900", "901"));
    commit(&workspace);
    workspace.write("a.toml", EXCEEDS.replace("900", "902"));
    let shown = |arguments: &[&str]| out(&run(&workspace, &[&["diff"], arguments].concat()));
    let range = shown(&["HEAD~1..HEAD"]);
    assert!(range.contains("900 ms → 901 ms"), "{range}");
    assert_eq!(range, shown(&["HEAD~1", "HEAD"]));
    assert_eq!(range, shown(&["HEAD~1...HEAD"]), "they have not grown apart");
    assert!(shown(&["HEAD~1.."]).contains("900 ms → 902 ms"), "without the second the files as they are");
    let twice = run(&workspace, &["diff", "HEAD~1..HEAD", "HEAD"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(complaints(&twice).contains("HEAD is named twice"));
}

#[test]
fn a_branch_is_compared_with_where_it_forked_off() {
    let workspace = repository(&[("a.toml", EXCEEDS)]);
    git(&workspace, &["checkout", "-q", "-b", "topic"]);
    workspace.write("topic.toml", EXCEEDS);
    commit(&workspace);
    git(&workspace, &["checkout", "-q", "main"]);
    workspace.write("a.toml", EXCEEDS.replace("900", "100"));
    commit(&workspace);
    git(&workspace, &["checkout", "-q", "topic"]);
    assert_eq!(found(&workspace, &["--changed", "main"]), ["topic.toml deadline-exceeded"]);
    let shown = out(&run(&workspace, &["diff", "main...topic"]));
    assert!(shown.contains("topic.toml") && !shown.contains("a.toml\n"), "{shown}");
    let shown = out(&run(&workspace, &["diff", "main..."]));
    assert!(shown.contains("1 policy added"), "{shown}");
    assert!(out(&run(&workspace, &["diff", "main", "topic"])).contains("1 policy changed, 1 added"));
}

#[test]
fn a_stack_is_touched_by_a_change_of_any_layer_and_of_the_settings() {
    let stack = "[[stack]]\nname = \"pay\"\nlayers = [\"a.toml\", \"b.toml\"]\nmax-attempts = 5\n";
    let fits =
        "[client]\ntimeout_ms = 100\n[client.retry]\nmax_attempts = 3\ndelay_ms = 10\njitter = \"full\"\n";
    let workspace = repository(&[("a.toml", fits), ("b.toml", fits), ("retrylint.toml", stack)]);
    let stacked = |file: &str, old: &str, new: &str| {
        let text = std::fs::read_to_string(workspace.path().join(file)).expect("a file");
        workspace.write(file, text.replace(old, new));
        let found = found(&workspace, &["--changed", "--select", "attempt-product-exceeded"]);
        workspace.write(file, text);
        found.len()
    };
    assert_eq!(stacked("a.toml", "x", "x"), 0);
    assert_eq!(stacked("a.toml", "max_attempts = 3", "max_attempts = 4"), 1);
    assert_eq!(stacked("a.toml", "delay_ms = 10", "delay_ms = 20"), 1);
    assert_eq!(stacked("b.toml", "delay_ms = 10", "delay_ms = 20"), 1);
    assert_eq!(stacked("retrylint.toml", "max-attempts = 5", "max-attempts = 4"), 1);
    assert_eq!(stacked("retrylint.toml", "max-attempts = 5", "max-attempts = 50"), 0);
}

#[test]
fn files_may_be_renamed_and_have_odd_names() {
    let odd = ["sp ace.toml", "ü/\"quote\".toml", "-dash.toml", "new\nline.toml"];
    let names: &[&str] = if cfg!(windows) { &odd[..1] } else { &odd };
    let files: Vec<_> = names.iter().map(|name| (*name, TWO)).collect();
    let workspace = repository(&files);
    assert_eq!(found(&workspace, &["--changed"]), [""; 0]);
    for name in names {
        let (from, to) = (workspace.path().join(name), workspace.path().join(format!("x/{name}")));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::rename(from, to).expect("a file that moves");
    }
    assert_eq!(found(&workspace, &["--changed"]), [""; 0]);
    assert!(out(&run(&workspace, &["diff", "HEAD"])).contains("nothing changes"));
    workspace.write("x/sp ace.toml", TWO.replace("900", "901"));
    assert_eq!(found(&workspace, &["--changed"]), ["x/sp ace.toml deadline-exceeded"]);
    let shown = out(&run(&workspace, &["diff", "HEAD"]));
    assert!(shown.contains("x/sp ace.toml, before sp ace.toml"), "{shown}");
    assert!(shown.contains("attempt timeout  900 ms → 901 ms"), "{shown}");
}

#[test]
fn subfolders_and_work_trees_are_repositories_too() {
    let workspace = repository(&[("s/a.toml", EXCEEDS), ("t/b.toml", EXCEEDS), (".gitignore", "gen/\n")]);
    workspace.write("s/a.toml", EXCEEDS.replace("900", "901"));
    workspace.write("t/b.toml", EXCEEDS.replace("900", "901"));
    workspace.write("gen/c.toml", EXCEEDS);
    assert_eq!(found_in(&workspace, "s", &["--changed"]).0, ["a.toml deadline-exceeded"]);
    assert_eq!(
        found_in(&workspace, "s", &["--changed", "HEAD", "../t"]).0,
        ["../t/b.toml deadline-exceeded"]
    );
    assert_eq!(found_in(&workspace, "s", &["../t/*.toml", "--changed"]).0, ["../t/b.toml deadline-exceeded"]);
    assert_eq!(
        found(&workspace, &["--changed", "s"]),
        ["s/a.toml deadline-exceeded"],
        "a path is no revision"
    );
    git(&workspace, &["worktree", "add", "-q", "--detach", "wt"]);
    workspace.write("wt/s/a.toml", EXCEEDS.replace("900", "902"));
    assert_eq!(found_in(&workspace, "wt", &["--changed"]).0, ["s/a.toml deadline-exceeded"]);
    let shown = out(&run_in(&workspace, "s", &["diff", "HEAD", "--", "../t"]));
    assert!(shown.starts_with("../t/b.toml\n") && !shown.contains("a.toml"), "{shown}");
}

#[test]
fn what_git_cannot_answer_is_told_with_what_to_do() {
    let plain = with(&[("a.toml", EXCEEDS)]);
    let outside = run(&plain, &["check", "--changed"]);
    assert_eq!(outside.status.code(), Some(2));
    assert!(complaints(&outside).contains("is in no work tree of git"), "{}", complaints(&outside));
    let workspace = repository(&[("a.toml", EXCEEDS)]);
    for arguments in [
        &["check", "--changed=nowhere"][..],
        &["diff", "nowhere"],
        &["diff", "HEAD", "nowhere"],
        &["check", "--changed=--output=x"],
    ] {
        let output = run(&workspace, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(complaints(&output).contains("there is no revision"), "{}", complaints(&output));
    }
    assert_eq!(std::fs::read_dir(workspace.path()).expect("a folder").count(), 2, "nothing was written");
    let output = run(&workspace, &["diff", "HEAD", "--", "none.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("none.toml: there is no such file or folder"));
    let output = run(&workspace, &["check", "--changed=HEAD~1..HEAD"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaints(&output).contains("write --changed=HEAD~1, or retrylint diff HEAD~1..HEAD"));
    let other = retrylint()
        .current_dir(workspace.path())
        .args(["check", "--changed"])
        .env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        .output()
        .expect("a run");
    assert_eq!(other.status.code(), Some(2));
    assert!(
        complaints(&other).contains("allow it: git config --global --add safe.directory /"),
        "{}",
        complaints(&other)
    );
    let without =
        retrylint().current_dir(workspace.path()).args(["check", "--changed"]).env("PATH", "").output();
    let without = without.expect("a run");
    assert_eq!(without.status.code(), Some(2));
    assert!(complaints(&without).contains("the command `git` was not found"), "{}", complaints(&without));
}

#[test]
fn a_history_that_is_not_there_is_told_with_how_to_get_it() {
    let empty = with(&[("a.toml", EXCEEDS)]);
    git(&empty, &["init", "-q"]);
    for arguments in [&["check", "--changed"][..], &["diff", "HEAD"], &["diff", "main"]] {
        let output = run(&empty, arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(complaints(&output).contains("has no commit to compare with yet; commit first"));
    }
    let workspace = repository(&[("a.toml", EXCEEDS)]);
    workspace.write("a.toml", EXCEEDS.replace("900", "901"));
    commit(&workspace);
    let from = format!("file://{}", workspace.path().display());
    git(&workspace, &["clone", "-q", "--depth", "1", &from, "shallow"]);
    for arguments in [&["check", "--changed", "HEAD~1"][..], &["diff", "HEAD~1"]] {
        let output = run_in(&workspace, "shallow", arguments);
        assert_eq!(output.status.code(), Some(2));
        let told = complaints(&output);
        assert!(told.contains("no revision HEAD~1 in /") && told.contains("git fetch --unshallow"), "{told}");
    }
}

#[test]
fn comments_baseline_and_change_work_together() {
    let silent = EXCEEDS.replace("[client.retry]", "# retrylint: ignore[deadline-exceeded]\n[client.retry]");
    let workspace = repository(&[("known.toml", TWO), ("silent.toml", &silent), ("old.toml", EXCEEDS)]);
    run(&workspace, &["check", "known.toml", "--write-baseline", "known.json"]);
    commit(&workspace);
    workspace.write("known.toml", TWO.replace("900", "901"));
    workspace.write("new.toml", EXCEEDS);
    let arguments = ["--changed", "--baseline", "known.json"];
    let (findings, summary) = found_in(&workspace, "", &arguments);
    assert_eq!(findings, ["new.toml deadline-exceeded"]);
    let counts = ["suppressed", "known", "unchanged", "errors"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [Some(1), Some(2), Some(1), Some(1)]);
    // a comment that goes is a change
    workspace.write("silent.toml", EXCEEDS);
    let (findings, _) = found_in(&workspace, "", &arguments);
    assert_eq!(findings, ["new.toml deadline-exceeded", "silent.toml deadline-exceeded"]);
    let shown = || out(&run(&workspace, &["check", "--changed", "--baseline", "known.json"]));
    assert_eq!(shown(), shown());
    assert_eq!(run(&workspace, &["check", "--changed", "--write-baseline", "x"]).status.code(), Some(2));
}

#[test]
fn settings_hold_for_their_own_side() {
    let workspace = repository(&[("a.toml", TWO), ("retrylint.toml", "[rules]\nmissing-jitter = \"off\"\n")]);
    workspace.write("retrylint.toml", "[rules]\n");
    assert_eq!(found(&workspace, &["--changed"]), ["a.toml missing-jitter"]);
    workspace.write("retrylint.toml", "[ruels]\n");
    commit(&workspace);
    workspace.write("retrylint.toml", "[rules]\n");
    let output = run(&workspace, &["check", "--changed"]);
    assert_eq!(output.status.code(), Some(0), "a change may mend the settings: {}", complaints(&output));
    assert!(complaints(&output).contains("the settings of now are taken for then"));
    let output = run(&workspace, &["diff", "HEAD"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        complaints(&output).contains("HEAD:retrylint.toml:1:2: there is no key `ruels`"),
        "{}",
        complaints(&output)
    );
}

#[test]
fn what_git_ignores_is_passed_over_in_a_revision_as_on_the_disk() {
    let workspace =
        with(&[("gen/deep/a.toml", EXCEEDS), ("kept/a.toml", EXCEEDS), ("kept/.gitignore", "!a.toml\n")]);
    git(&workspace, &["init", "-q", "-b", "main"]);
    commit(&workspace);
    workspace.write(".gitignore", "gen/\na.toml\n");
    commit(&workspace);
    let shown = out(&run(&workspace, &["diff", "HEAD~1", "HEAD"]));
    assert!(shown.contains("gen/deep/a.toml") && shown.ends_with("\n1 policy removed\n"), "{shown}");
    assert!(out(&run(&workspace, &["diff", "HEAD"])).contains("nothing changes"));
}

#[test]
fn a_reviewer_sees_what_a_change_does() {
    let stack = "[[stack]]\nname = \"pay\"\nlayers = [\"a.toml\", { name = \"db\", attempts = 3 }]\n";
    let workspace = repository(&[("a.toml", TWO), ("gone.toml", EXCEEDS), ("retrylint.toml", stack)]);
    workspace.write(
        "a.toml",
        TWO.replace("max_attempts = 3", "max_attempts = 9").replace("deadline_ms = 1000\n", ""),
    );
    std::fs::remove_file(workspace.path().join("gone.toml")).expect("removed");
    workspace.write("new.yaml", "worker|<b>:\n  retry:\n    max_attempts: unlimited\n    delay: ${PAUSE}\n");
    insta::assert_snapshot!("diff_human", out(&run(&workspace, &["diff", "HEAD"])));
    insta::assert_snapshot!(
        "diff_markdown",
        out(&run(&workspace, &["diff", "HEAD", "--format", "markdown"]))
    );
    let json: Value =
        serde_json::from_slice(&run(&workspace, &["diff", "HEAD", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["version"], 1);
    let changed = &json["policies"][0];
    assert_eq!((&changed["change"], &changed["after"]["attempts"]), (&"changed".into(), &9.into()));
    assert_eq!(changed["values"][0], serde_json::json!({ "value": "attempts", "before": "3", "after": "9" }));
    assert_eq!(
        json["stacks"][0]["values"][1],
        serde_json::json!({ "value": "fail-fast calls", "before": "9", "after": "27" })
    );
}

#[test]
fn policies_that_only_move_in_their_list_do_not_change() {
    let route = |attempts: u32| {
        format!(
            "    - route: [{{ destination: {{ host: pay }} }}]\n      timeout: 5s\n      retries: {{ attempts: {attempts}, perTryTimeout: 3s }}\n"
        )
    };
    let head = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: { name: pay }\nspec:\n  hosts: [pay]\n  http:\n";
    let workspace = repository(&[("r.yaml", &format!("{head}{}{}", route(2), route(3)))]);
    workspace.write("r.yaml", format!("{head}{}{}{}", route(4), route(2), route(3)));
    let shown = out(&run(&workspace, &["diff", "HEAD"]));
    assert!(shown.ends_with("\n1 policy added\n"), "{shown}");
    let findings = found(&workspace, &["--changed"]);
    assert_eq!(findings, ["r.yaml deadline-exceeded"], "the others were there");
}

#[cfg(unix)]
#[test]
fn links_and_submodules_are_no_files_of_the_revision() {
    let workspace = repository(&[("a.toml", EXCEEDS)]);
    std::os::unix::fs::symlink("a.toml", workspace.path().join("link.toml")).expect("a link");
    workspace.write("sub/b.toml", EXCEEDS);
    git(&workspace, &["-C", "sub", "init", "-q"]);
    git(&workspace, &["-C", "sub", "add", "-A"]);
    git(&workspace, &["-C", "sub", "commit", "-q", "-m", "x"]);
    commit(&workspace);
    assert_eq!(found(&workspace, &["--changed"]), [""; 0]);
    assert!(out(&run(&workspace, &["diff", "HEAD"])).contains("nothing changes"));
    assert_eq!(found(&workspace, &[]).len(), 2);
}
