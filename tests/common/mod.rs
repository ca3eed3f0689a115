//! What the tests share: the cases of `fixtures/`, and the binary's answers about them.

#![allow(dead_code)] // each test file uses a part of it

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An input with its expectation.
pub struct Case {
    /// Its path below `fixtures/`.
    pub name: String,
    /// What must come out.
    pub expect: Value,
    /// The input files, relative to `root`.
    pub inputs: Vec<String>,
    /// It is a folder of files under their real names.
    pub folder: bool,
    root: PathBuf,
}

/// A folder of its own that goes with the test.
pub struct Workspace(tempfile::TempDir);

/// A folder with files to be looked at.
pub struct Prepared {
    /// The folder.
    pub workspace: Workspace,
    /// The files, relative to it.
    pub inputs: Vec<String>,
    /// It has a retrylint.toml.
    pub config: bool,
}

impl Workspace {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a written file");
    }
}

impl Case {
    /// The text of an input.
    pub fn text(&self, input: &str) -> String {
        std::fs::read_to_string(self.root.join(input)).expect("a readable input")
    }

    /// The inputs under the names that they are to have, each text changed.
    pub fn workspace(&self, change: impl Fn(&str) -> String) -> Prepared {
        let workspace = Workspace::new();
        let mut inputs = Vec::new();
        for input in &self.inputs {
            let name = self.expect.get("file_name").and_then(Value::as_str).unwrap_or(input);
            workspace.write(name, change(&self.text(input)));
            inputs.push(name.to_string());
        }
        let config = self.folder && self.root.join("retrylint.toml").is_file();
        if config {
            workspace.write("retrylint.toml", self.text("retrylint.toml"));
        }
        Prepared { workspace, inputs, config }
    }
}

/// The root of the fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every case below `fixtures/`.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in ["dialect", "links", "traps", "reports"] {
        collect(&fixtures().join(folder), &mut cases);
    }
    assert!(cases.len() > 80, "only {} cases", cases.len());
    cases
}

/// What is in a folder, in order.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn collect(folder: &Path, cases: &mut Vec<Case>) {
    let names = entries(folder);
    let file = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let shown = |path: &Path| path.strip_prefix(fixtures()).expect("a path below").display().to_string();
    if names.iter().any(|path| file(path) == "expect.json") {
        let mut inputs = Vec::new();
        below(folder, "", &mut inputs);
        inputs.retain(|name| name != "expect.json" && name != "retrylint.toml");
        let expect = read(&folder.join("expect.json"));
        cases.push(Case { name: shown(folder), expect, inputs, folder: true, root: folder.to_path_buf() });
        return;
    }
    for path in &names {
        if path.is_dir() {
            collect(path, cases);
        } else if let Some(stem) = file(path).strip_suffix(".expect.json") {
            let start = format!("{stem}.");
            let inputs = names
                .iter()
                .map(file)
                .filter(|name| name.starts_with(&start) && !name.ends_with(".expect.json"));
            let root = folder.to_path_buf();
            cases.push(Case {
                name: shown(path),
                expect: read(path),
                inputs: inputs.collect(),
                folder: false,
                root,
            });
        }
    }
}

/// The files of a folder and below it, by their ways from it.
fn below(folder: &Path, way: &str, files: &mut Vec<String>) {
    for path in entries(folder) {
        let name = format!("{way}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            below(&path, &format!("{name}/"), files);
        } else {
            files.push(name);
        }
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a readable file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The binary.
pub fn retrylint() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylint"));
    command.env_remove("NO_COLOR");
    command
}

fn run(verb: &str, prepared: &Prepared) -> Value {
    let mut command = retrylint();
    command.current_dir(prepared.workspace.path()).args([verb, "--format", "json"]);
    if !prepared.config {
        command.arg("--no-config");
    }
    let done = command.args(&prepared.inputs).output().expect("a run");
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(matches!(done.status.code(), Some(0 | 1)), "{verb} {:?}: {complaints}", prepared.inputs);
    serde_json::from_slice(&done.stdout).expect("JSON")
}

/// What `inspect` says.
pub fn inspect(prepared: &Prepared) -> Value {
    run("inspect", prepared)
}

/// What `check` says.
pub fn check(prepared: &Prepared) -> Value {
    run("check", prepared)
}

/// The ids of the rules that there are.
pub fn known_rules() -> Vec<String> {
    let done = retrylint().args(["rules", "--format", "json"]).output().expect("a run");
    let rules: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let rules = rules["rules"].as_array().expect("a list").iter();
    rules.map(|rule| rule["id"].as_str().expect("an id").to_string()).collect()
}

/// Equal but for what a decimal cannot hold; the waits of an endless policy are compared as far as both go.
pub fn same_number(wanted: &Value, got: &Value, endless: bool) -> bool {
    match (wanted, got) {
        (Value::Array(wanted), Value::Array(got)) => {
            (wanted.len() == got.len() || endless && !wanted.is_empty() && !got.is_empty())
                && wanted.iter().zip(got).all(|(a, b)| same_number(a, b, endless))
        }
        (Value::Number(wanted), Value::Number(got)) => {
            let (wanted, got) = (wanted.as_f64().expect("a number"), got.as_f64().expect("a number"));
            (wanted - got).abs() <= 1e-6_f64.max(wanted.abs() * 1e-9)
        }
        _ => wanted == got,
    }
}
