//! The floors of ARCHITECTURE.md: imports go down only, and some libraries are named in one file.

use std::path::{Path, PathBuf};

/// From the top down; rooms of one floor stand in one row.
const FLOORS: &[&[&str]] = &[
    &["cli"],
    &["config", "report"],
    &["fix"],
    &["rule", "calculator"],
    &["stack", "finding"],
    &["dialect"],
    &["schedule"],
    &["model"],
    &["document"],
    &["source"],
];

/// Libraries that one file keeps to itself.
const KEPT: &[(&str, &str)] = &[
    ("granit_parser", "document/yaml.rs"),
    ("toml_parser", "document/toml.rs"),
    ("miette", "report/human.rs"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    let name = |path: &Path| path.strip_prefix(&root).expect("below src").display().to_string();
    found.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a source"))).collect()
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn imports_go_down_only() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, text) in all() {
        let room = name.split(['/', '.']).next().expect("a room");
        let Some(own) = floor(room) else { continue };
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                let other =
                    used.split(|char: char| !char.is_alphanumeric() && char != '_').next().expect("a part");
                let Some(theirs) = floor(other) else { continue };
                seen += 1;
                let test_only = text.lines().take(n).any(|line| line.trim() == "#[cfg(test)]");
                if theirs < own && !test_only || theirs == own && other != room && !test_only {
                    wrong.push(format!("{name}:{}: {room} uses {other}", n + 1));
                }
            }
        }
    }
    assert!(seen > 50, "only {seen} imports were read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parsers_and_renderers_are_named_in_one_file() {
    for (library, home) in KEPT {
        let users: Vec<_> =
            all().into_iter().filter(|(_, text)| text.contains(&format!("{library}::"))).collect();
        let names: Vec<_> = users.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [*home], "{library}");
    }
}
