//! `check --fix`: each case of `fixtures/fix` before and after, and what holds of every fix.

mod common;

use common::{Workspace, cases, fixtures, retrylint};
use proptest::prelude::*;
use retrylint::document::{self, Format, Kind, Node};
use retrylint::fix::Made;
use retrylint::fix_text;
use retrylint::source::SourceText;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

/// Name, text before and text after; without a file of the second kind nothing is to change.
fn pairs() -> Vec<(String, String, String)> {
    let folder = fixtures().join("fix");
    let mut pairs = Vec::new();
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.contains(".before.") {
            let before = fs::read_to_string(&path).expect("a text");
            let after = fs::read_to_string(folder.join(name.replace(".before.", ".after.")));
            pairs.push((name, before.clone(), after.unwrap_or(before)));
        }
    }
    assert!(pairs.len() > 15, "only {} cases", pairs.len());
    pairs.sort();
    pairs
}

#[test]
fn every_case_becomes_what_it_should_and_nothing_else_does() {
    let mut wrong = Vec::new();
    let mut rules = BTreeSet::new();
    for (name, before, after) in pairs() {
        let both = [before.as_str(), after.as_str()];
        for (what, [before, after]) in [
            ("as it is", both.map(str::to_string)),
            ("with CRLF", both.map(|text| text.replace('\n', "\r\n"))),
            ("with a byte order mark", both.map(|text| format!("\u{feff}{text}"))),
            ("without a last break", both.map(|text| text.trim_end().to_string())),
        ] {
            let (fixed, made) = fix_text(&name, &before);
            rules.extend(made.iter().map(|made| made.rule));
            if fixed != after {
                wrong.push(format!("{name} {what}:\n{fixed}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let fixable = retrylint::rule::all().iter().filter(|rule| rule.can_fix()).map(|rule| rule.id);
    assert_eq!(rules, fixable.collect(), "each rule that can fix has a case, and no other fixes");
}

/// Every text of the fixtures by a name that says how it is read.
fn all_texts() -> Vec<(String, String)> {
    let mut texts: Vec<_> = pairs().into_iter().map(|(name, before, _)| (name, before)).collect();
    for case in cases() {
        texts.extend(case.inputs.iter().map(|input| (input.clone(), case.text(input))));
    }
    texts
}

#[test]
fn what_is_fixed_stays_as_it_is_when_fixed_again() {
    for (name, text) in all_texts() {
        let (fixed, _) = fix_text(&name, &text);
        let (again, made) = fix_text(&name, &fixed);
        assert!(again == fixed && made.is_empty(), "{name}: {made:?}");
    }
}

/// Every scalar that is not hidden by its pointer, in order.
fn scalars(name: &str, text: &str) -> Vec<(String, String)> {
    fn walk(node: Node<'_>, found: &mut Vec<(String, String)>) {
        match node.kind() {
            Kind::List | Kind::Map => node.children().for_each(|child| walk(child, found)),
            kind => found.push((node.pointer(), format!("{kind:?} {}", node.text().unwrap_or_default()))),
        }
    }
    let source = SourceText::new(text.to_string());
    let mut found = Vec::new();
    for document in &document::parse(&source, Format::of(name, text)).documents {
        walk(document.root(), &mut found);
    }
    found
}

/// The other values are what they were, and those that changed did so as it is told.
fn only_what_is_told_changes(name: &str, text: &str) -> Result<Vec<Made>, TestCaseError> {
    let (fixed, made) = fix_text(name, text);
    let before: BTreeMap<_, _> = scalars(name, text).into_iter().collect();
    let after = scalars(name, &fixed);
    prop_assert_eq!(after.iter().filter(|(pointer, _)| before.contains_key(pointer)).count(), before.len());
    for (pointer, value) in &after {
        let told = match before.get(pointer) {
            Some(old) if old == value => continue,
            // a text that holds a document of its own
            Some(old) if old.starts_with("String {") => embedded(old, value, &made),
            Some(old) => made.iter().any(|made| {
                let ends = |value: &str, with: &str| value.ends_with(&format!(" {}", with.replace('_', "")));
                ends(old, &made.before) && ends(value, &made.after)
            }),
            None => made.iter().any(|made| {
                let key = pointer.rsplit('/').next().expect("a step");
                made.before.is_empty() && made.after.contains(key)
            }),
        };
        prop_assert!(told, "{name} {pointer}: {value} of {:?}", before.get(pointer));
    }
    // and no byte outside of the lines that are told
    let lines: BTreeSet<&str> = text.lines().collect();
    let new = fixed.lines().filter(|line| !lines.contains(line)).count();
    prop_assert!(new <= 2 * made.len(), "{} new lines for {} fixes", new, made.len());
    Ok(made)
}

/// The text within a text, likewise.
fn embedded(old: &str, new: &str, made: &[Made]) -> bool {
    let name = "x.json";
    let (old, new) = (&old["String ".len()..], &new["String ".len()..]);
    let before: BTreeMap<_, _> = scalars(name, old).into_iter().collect();
    let differing =
        scalars(name, new).into_iter().filter(|(pointer, value)| before.get(pointer) != Some(value));
    differing.count() <= made.len()
}

#[test]
fn an_edit_of_a_fixture_changes_no_other_value() {
    let fixed = all_texts().into_iter().map(|(name, text)| {
        only_what_is_told_changes(&name, &text).unwrap_or_else(|error| panic!("{error}")).len()
    });
    assert!(fixed.sum::<usize>() > 30);
}

#[test]
fn no_broken_text_makes_it_panic_and_what_it_writes_can_be_fixed_again() {
    for (name, before, _) in pairs() {
        for (at, _) in before.char_indices().step_by(29) {
            fix_text(&name, &before[..at]);
            for with in ["\"", "{", "'", "\n", "&a ", "\u{feff}", "é"] {
                let text = format!("{}{with}{}", &before[..at], &before[at..]);
                let (fixed, _) = fix_text(&name, &text);
                assert_eq!(fix_text(&name, &fixed).0, fixed, "{text}");
            }
        }
    }
}

/// A service's settings, some of which do not fit.
#[derive(Clone, Debug)]
struct Service {
    attempts: u8,
    timeout: u16,
    deadline: u16,
    initial: u16,
    cap: u16,
    note: String,
    quoted: bool,
    twice: bool,
}

fn service() -> impl Strategy<Value = Service> {
    let numbers = (1u8..9, 100u16..3000, 1000u16..9000, 10u16..4000, 10u16..4000);
    let rest = ("[a-z #:,{}\\[\\]'é]{0,12}", any::<bool>(), any::<bool>());
    (numbers, rest).prop_map(|((attempts, timeout, deadline, initial, cap), (note, quoted, twice))| Service {
        attempts,
        timeout,
        deadline,
        initial,
        cap,
        note,
        quoted,
        twice,
    })
}

impl Service {
    fn time(&self, millis: u16) -> String {
        if self.quoted { format!("\"{millis}ms\"") } else { format!("\"0.{millis:04}s\"") }
    }

    fn entries(&self) -> [(&'static str, String); 6] {
        [
            ("attempt_timeout", self.time(self.timeout)),
            ("total_timeout", self.time(self.deadline)),
            ("initial_backoff", self.time(self.initial)),
            ("max_backoff", self.time(self.cap)),
            ("multiplier", "2".into()),
            ("jitter", "\"full\"".into()),
        ]
    }

    fn yaml(&self, n: usize) -> String {
        let mut text = format!("s{n}:\n  note: '{}'\n", self.note.replace('\'', "''"));
        if self.twice {
            text += "  max_attempts: 7\n";
        }
        text += &format!("  max_attempts: {} # {}\n", self.attempts, self.note);
        for (key, value) in self.entries() {
            text += &format!("  {key}: {}\n", if self.quoted { &value } else { value.trim_matches('"') });
        }
        text
    }

    fn json(&self, n: usize) -> String {
        let twice = if self.twice { "\"max_attempts\": 7, " } else { "" };
        let values = self.entries().map(|(key, value)| format!("\"{key}\": {value}")).join(", ");
        format!(
            "\"s{n}\": {{ \"note\": \"{}\", {twice}\"max_attempts\": {}, {values} }}",
            self.note, self.attempts
        )
    }

    fn toml(&self, n: usize) -> String {
        let values = self.entries().map(|(key, value)| format!("{key} = {value}\n")).concat();
        format!("[s{n}] # {}\nmax_attempts = {}\n{values}", self.note, self.attempts)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_edit_of_any_document_changes_no_other_value(services in prop::collection::vec(service(), 1..4)) {
        let all = |one: fn(&Service, usize) -> String, between: &str| {
            let parts: Vec<_> = services.iter().enumerate().map(|(n, service)| one(service, n)).collect();
            parts.join(between)
        };
        let json = format!("{{ {} }}", all(Service::json, ",\n"));
        for (name, text) in [("a.yaml", all(Service::yaml, "")), ("a.json", json), ("a.toml", all(Service::toml, "\n"))] {
            only_what_is_told_changes(name, &text)?;
            let (fixed, _) = fix_text(name, &text);
            prop_assert_eq!(&fix_text(name, &fixed).0, &fixed);
        }
    }
}

const TWO_FIT: &str = "[a]\nattempt_timeout = \"2s\"\ntotal_timeout = \"5s\"\nmax_attempts = 4\nretry_delay = \"100ms\"\njitter = \"full\"\n";

fn fixed() -> String {
    TWO_FIT.replace("max_attempts = 4", "max_attempts = 2")
}

fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    retrylint().current_dir(workspace.path()).arg("check").args(arguments).output().expect("a run")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn read(workspace: &Workspace, name: &str) -> String {
    fs::read_to_string(workspace.path().join(name)).expect("a text")
}

#[test]
fn without_the_option_nothing_is_written_and_with_it_what_remains_decides() {
    let workspace = Workspace::new();
    workspace.write("a.toml", TWO_FIT);
    assert_eq!(run(&workspace, &["a.toml"]).status.code(), Some(1));
    assert_eq!(read(&workspace, "a.toml"), TWO_FIT);
    let output = run(&workspace, &["--fix", "a.toml"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        out(&output),
        "fixed a.toml:4:16: 4 → 2 (deadline-exceeded)\nnothing found, 1 fixed in 1 file (1 policy, 0 queues, 0 stacks)\n"
    );
    assert_eq!(read(&workspace, "a.toml"), fixed());
    assert_eq!(fs::read_dir(workspace.path()).expect("a folder").count(), 1, "no file is left beside it");
}

#[test]
fn the_diff_is_all_of_standard_output_and_nothing_is_written() {
    let workspace = Workspace::new();
    workspace.write("a.toml", TWO_FIT);
    let output = run(&workspace, &["--diff", "a.toml"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(out(&output), @r#"
    --- a/a.toml
    +++ b/a.toml
    @@ -1,6 +1,6 @@
     [a]
     attempt_timeout = "2s"
     total_timeout = "5s"
    -max_attempts = 4
    +max_attempts = 2
     retry_delay = "100ms"
     jitter = "full"
    "#);
    assert_eq!(read(&workspace, "a.toml"), TWO_FIT);
    assert_eq!(run(&workspace, &["--diff", "--fix", "a.toml"]).status.code(), Some(2));
}

#[test]
fn standard_input_goes_to_standard_output_fixed_or_as_it_is() {
    let workspace = Workspace::new();
    let piped = |bytes: &[u8]| {
        let mut child = retrylint()
            .current_dir(workspace.path())
            .args(["check", "--fix", "--stdin-filename", "a.toml", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a run");
        child.stdin.take().expect("a pipe").write_all(bytes).expect("written");
        child.wait_with_output().expect("an end")
    };
    let output = piped(TWO_FIT.as_bytes());
    assert_eq!((out(&output), output.status.code()), (fixed(), Some(0)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 fixed in 1 file"));
    for bytes in [&b"nothing of interest"[..], b"retries: \xff", b""] {
        assert_eq!(piped(bytes).stdout, bytes);
    }
    assert_eq!(fs::read_dir(workspace.path()).expect("a folder").count(), 0);
}

#[test]
fn fixes_are_in_the_json_as_well() {
    let workspace = Workspace::new();
    workspace.write("a.toml", TWO_FIT);
    let output = run(&workspace, &["--fix", "--format", "json", "a.toml"]);
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let fix = serde_json::json!({
        "rule": "deadline-exceeded", "file": "a.toml", "line": 4, "column": 16, "before": "4", "after": "2"
    });
    assert_eq!((&all["fixes"][0], &all["summary"]["fixed"]), (&fix, &1.into()));
    assert_eq!(all["findings"], serde_json::json!([]));
}

#[cfg(unix)]
#[test]
fn the_mode_is_kept_and_no_link_or_read_only_file_is_written() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (workspace, elsewhere) = (Workspace::new(), Workspace::new());
    let set = |name: &str, mode| {
        let path = workspace.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    elsewhere.write("b.toml", TWO_FIT);
    ["a.toml", "locked.toml"].into_iter().for_each(|name| workspace.write(name, TWO_FIT));
    set("a.toml", 0o640);
    set("locked.toml", 0o444);
    symlink(elsewhere.path().join("b.toml"), workspace.path().join("link.toml")).expect("a link");
    symlink(elsewhere.path(), workspace.path().join("folder")).expect("a link");
    let output = run(&workspace, &["--fix", "a.toml", "locked.toml", "link.toml", "folder/b.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    for what in
        ["locked.toml: not fixed: it is read-only", "link.toml: not fixed: ", "folder/b.toml: not fixed: "]
    {
        assert!(told.contains(what), "{told}");
    }
    assert_eq!(out(&output).matches("4 attempts of 2 s").count(), 3, "what is not written remains");
    assert_eq!(read(&workspace, "a.toml"), fixed());
    let mode = fs::metadata(workspace.path().join("a.toml")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        (read(&elsewhere, "b.toml"), read(&workspace, "locked.toml")),
        (TWO_FIT.into(), TWO_FIT.into())
    );
}

#[test]
fn what_is_silenced_switched_off_or_only_named_in_a_stack_is_not_fixed() {
    let workspace = Workspace::new();
    let silenced =
        TWO_FIT.replace("max_attempts = 4", "max_attempts = 4 # retrylint: ignore[deadline-exceeded]");
    workspace.write("a/silenced.toml", &silenced);
    workspace.write("a/off.toml", TWO_FIT);
    workspace.write("b.toml", TWO_FIT);
    let settings = "[[override]]\nfiles = [\"a/off.toml\"]\nrules = { deadline-exceeded = \"off\" }\n[[stack]]\nname = \"s\"\nlayers = [\"a/off.toml\", \"b.toml\"]\nmax-attempts = 100\n";
    workspace.write("retrylint.toml", settings);
    run(&workspace, &["--fix", "a"]);
    assert_eq!(read(&workspace, "a/silenced.toml"), silenced);
    assert_eq!(
        (read(&workspace, "a/off.toml"), read(&workspace, "b.toml")),
        (TWO_FIT.into(), TWO_FIT.into())
    );
}
