//! `diff` over a history of 200 commits says what `inspect` says of both sides of each.

mod common;

use clap::Parser;
use retrylint::cli::args::{Arguments, Command};
use retrylint::cli::run::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const COMMITS: usize = 200;
const START: usize = 12;
const THREADS: usize = 4;

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A file of some system with numbers of chance.
fn text(kind: usize, dice: &mut Dice) -> String {
    let (n, ms, s) = (dice.below(6) + 1, (dice.below(40) + 1) * 50, dice.below(30) + 1);
    match kind {
        0 => format!(
            "# a service\n[client]\nurl = \"http://ledger:8080\"\ntimeout_ms = {ms}\ndeadline_ms = {}\n[client.retry]\nmax_attempts = {n}\ndelay_ms = {}\njitter = \"{}\"\n",
            s * 1000,
            ms / 2,
            dice.of(&["full", "none"])
        ),
        1 => {
            let mut text = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: { name: pay }\nspec:\n  hosts: [pay]\n  http:\n".to_string();
            for _ in 0..dice.below(3) + 1 {
                let retries = dice.below(5);
                let _ = write!(
                    text,
                    "    - route: [{{ destination: {{ host: pay }} }}]\n      timeout: {}s\n      retries:\n        attempts: {retries}\n        perTryTimeout: {ms}ms\n",
                    dice.below(9) + 3
                );
            }
            text
        }
        2 => format!(
            "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Orders:\n    Type: AWS::SQS::Queue\n    Properties:\n      VisibilityTimeout: {}\n      RedrivePolicy: {{ deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: {n} }}\n  Dead:\n    Type: AWS::SQS::Queue\n  Worker:\n    Type: AWS::Lambda::Function\n    Properties: {{ Runtime: python3.12, Handler: a.b, Role: r, Code: {{}}, Timeout: {s} }}\n  Mapping:\n    Type: AWS::Lambda::EventSourceMapping\n    Properties: {{ EventSourceArn: !GetAtt Orders.Arn, FunctionName: !Ref Worker }}\n",
            s * dice.below(9)
        ),
        3 => format!(
            "{{\n  \"StartAt\": \"Charge\",\n  \"States\": {{\n    \"Charge\": {{\n      \"Type\": \"Task\",\n      \"Resource\": \"arn:aws:states:::lambda:invoke\",\n      \"TimeoutSeconds\": {s},\n      \"Retry\": [{{ \"ErrorEquals\": [\"States.TaskFailed\"], \"IntervalSeconds\": {n}, \"MaxAttempts\": {}, \"BackoffRate\": 1.5 }}],\n      \"End\": true\n    }}\n  }}\n}}\n",
            dice.below(5)
        ),
        _ => format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{ name: nightly }}\nspec:\n  backoffLimit: {n}\n  activeDeadlineSeconds: {}\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{{ name: a, image: b }}]\n",
            s * 60
        ),
    }
}

fn settings(dice: &mut Dice, files: &BTreeMap<String, String>) -> String {
    let services: Vec<_> =
        files.keys().filter(|name| name.ends_with(".toml") && name.contains('/')).collect();
    let mut text = format!("[limits]\nattempt-product = {}\n", dice.below(20) + 3);
    for n in 0..2.min(services.len()) {
        let (one, other) = (services[n], services[services.len() - 1 - n]);
        let attempts = dice.below(4) + 1;
        let inner = if one == other { String::new() } else { format!(", '{other}'") };
        let _ = write!(
            text,
            "[[stack]]\nname = \"s{n}\"\nlayers = [{{ name = \"app\", attempts = {attempts} }}, '{one}'{inner}]\n"
        );
    }
    text
}

fn name(kind: usize, n: usize, dice: &mut Dice) -> String {
    let ending = ["toml", "yaml", "yml", "asl.json", "yaml"][kind];
    format!("{}/f{n}.{ending}", dice.of(&["a", "b/c", "ü x", "d\"q"]))
}

/// One change of chance, and the files after it.
fn change(
    n: usize,
    files: &mut BTreeMap<String, String>,
    kinds: &mut BTreeMap<String, usize>,
    dice: &mut Dice,
) {
    let mut add = |files: &mut BTreeMap<String, String>, dice: &mut Dice| {
        let kind = dice.below(5);
        let new = name(kind, n, dice);
        files.insert(new.clone(), text(kind, dice));
        kinds.insert(new, kind);
    };
    if n < START || dice.below(6) == 0 {
        add(files, dice);
    }
    let all: Vec<String> = files.keys().filter(|name| name.contains('/')).cloned().collect();
    let one = all[dice.below(all.len())].clone();
    match dice.below(8) {
        0 if all.len() > START / 2 => drop(files.remove(&one)),
        1 => {
            let kind = kinds[&one];
            let moved = name(kind, n + 1000, dice);
            let old = files.remove(&one).expect("a file");
            let kept = dice.below(2) == 0;
            files.insert(moved.clone(), if kept { old } else { text(kind, dice) });
            kinds.insert(moved, kind);
        }
        2 => drop(files.insert("retrylint.toml".into(), settings(dice, files))),
        3 => {
            let moved = format!("# moved\n\n{}", files[&one]);
            if kinds[&one] != 3 {
                files.insert(one, moved);
            }
        }
        _ => drop(files.insert(one.clone(), text(kinds[&one], dice))),
    }
}

/// What `inspect` says of the files in a folder.
fn inspect(root: &Path) -> Value {
    let root = root.to_str().expect("UTF-8");
    let Command::Inspect(options) = Arguments::parse_from(["retrylint", "inspect", root]).command else {
        unreachable!()
    };
    let run = Run::new(&options.files).expect("settings");
    let mut json = Vec::new();
    retrylint::report::inspect::json(&run.project, &mut json).expect("JSON");
    serde_json::from_slice(&json).expect("JSON")
}

fn diff(root: &Path, base: &str, head: &str) -> Value {
    let root = root.to_str().expect("UTF-8");
    let Command::Diff(options) = Arguments::parse_from(["retrylint", "diff", base, head, "--", root]).command
    else {
        unreachable!()
    };
    let (changes, troubles) = retrylint::cli::diff::compare(&options).expect("two sides");
    assert!(troubles.is_empty(), "{troubles:?}");
    let mut json = Vec::new();
    retrylint::report::diff::json(&changes, &mut json).expect("JSON");
    serde_json::from_slice(&json).expect("JSON")
}

/// What something does, wherever it stands.
fn behaviour(thing: &Value) -> String {
    let mut thing = thing.clone();
    let fields = thing.as_object_mut().expect("an object");
    for place in ["file", "line", "column", "pointer", "name", "origins"] {
        fields.remove(place);
    }
    if let Some(Value::Array(layers)) = fields.get_mut("layers") {
        *layers = layers.iter().map(|layer| layer["attempts"].clone()).collect();
    }
    thing.to_string()
}

#[test]
fn what_differs_between_two_commits_is_what_inspect_says_of_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder").join("r");
    std::fs::create_dir(&root).expect("a folder");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(&root).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        git
    };
    assert!(git(&["init", "-q", "-b", "main"]).status().expect("git").success());
    let (mut files, mut kinds, mut dice) = (BTreeMap::new(), BTreeMap::new(), Dice(7));
    let mut import = git(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git");
    let mut stream = import.stdin.take().expect("a pipe");
    let mut seen = Vec::new();
    for n in 0..COMMITS {
        let before: Vec<String> = files.keys().cloned().collect();
        change(n, &mut files, &mut kinds, &mut dice);
        before.iter().filter(|name| !files.contains_key(*name)).for_each(|name| {
            std::fs::remove_file(root.join(name)).expect("a file");
        });
        writeln!(stream, "commit refs/heads/main\ncommitter t <t@t> {} +0000\ndata 1\nx\ndeleteall", n + 1)
            .expect("git");
        for (name, text) in &files {
            std::fs::create_dir_all(root.join(name).parent().expect("a folder")).expect("a folder");
            std::fs::write(root.join(name), text).expect("a file");
            let quoted = name.replace('"', "\\\"");
            writeln!(stream, "M 100644 inline \"{quoted}\"\ndata {}\n{text}", text.len()).expect("git");
        }
        seen.push(inspect(&root));
    }
    drop(stream);
    assert!(import.wait().expect("git").success());

    let (mut listed, mut renamed) = (BTreeMap::new(), 0);
    let one = &|n: usize| {
        let (base, head) = (format!("main~{}", COMMITS - n), format!("main~{}", COMMITS - 1 - n));
        (n, diff(&root, &base, &head))
    };
    let all: Vec<usize> = (1..COMMITS).collect();
    let diffs: Vec<(usize, Value)> = std::thread::scope(|scope| {
        let chunks = all.chunks(COMMITS / THREADS + 1);
        let some = |chunk: &[usize]| chunk.iter().map(|n| one(*n)).collect::<Vec<_>>();
        let threads: Vec<_> = chunks.map(|chunk| scope.spawn(move || some(chunk))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    for (n, found) in diffs {
        for kind in ["policies", "queues", "stacks"] {
            let mut sides = [seen[n - 1][kind].clone(), seen[n][kind].clone()]
                .map(|side| side.as_array().expect("a list").clone());
            for change in found[kind].as_array().expect("a list") {
                *listed.entry((kind, change["change"].to_string())).or_insert(0) += 1;
                for (side, all) in ["before", "after"].into_iter().zip(&mut sides) {
                    let thing = &change[side];
                    if !thing.is_null() {
                        let at = all.iter().position(|other| other == thing);
                        all.remove(at.unwrap_or_else(|| panic!("commit {n}: inspect has no {side} {thing}")));
                    }
                }
                let (before, after) = (&change["before"], &change["after"]);
                if !before.is_null() && !after.is_null() {
                    assert_ne!(behaviour(before), behaviour(after), "commit {n}");
                    renamed += usize::from(before["file"] != after["file"]);
                }
                assert_ne!(change["values"], Value::Array(Vec::new()), "commit {n}: {change}");
            }
            let [before, after] = sides.map(|side| {
                let mut all: Vec<_> = side.iter().map(behaviour).collect();
                all.sort();
                all
            });
            assert_eq!(before, after, "commit {n}: {kind} that are not listed differ");
        }
    }
    for kind in ["policies", "queues", "stacks"] {
        for word in ["\"changed\"", "\"added\"", "\"removed\""] {
            assert!(
                listed.get(&(kind, word.to_string())).is_some_and(|n| *n > 2),
                "{kind} {word}: {listed:?}"
            );
        }
    }
    assert!(renamed > 0);
}
