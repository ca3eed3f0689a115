//! Configs of every dialect, whole in their structure, with values that are anything: the findings, and the fixes.
//!
//! The configs are those of `fixtures`; each number, duration and word of one is kept or replaced as the bytes say.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const VALUES: &[&str] = &[
    "0", "1", "2", "3", "10", "255", "65536", "4294967296", "18446744073709551615", "99999999999999999999", "-1",
    "1.5", "0.1", "1e9", "1e400", "0s", "1ms", "10s", "5m", "720h", "PT5S", "P1D", "1.5s", "9999999999h", "null",
    "true", "false", "\"\"", "\"3\"", "[]", "{}", "x", "!Ref X", "${X}",
];

static CONFIGS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/dialect");
    let mut found: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("fixtures").flatten() {
            let list = if entry.path().is_dir() { &mut folders } else { &mut found };
            list.push(entry.path());
        }
    }
    found.retain(|path| !path.to_string_lossy().ends_with(".expect.json"));
    found.sort();
    let read = |path: PathBuf| Some((path.to_string_lossy().into_owned(), std::fs::read_to_string(path).ok()?));
    found.into_iter().filter_map(read).collect()
});

/// The values of a text that are plain: behind a colon or an equals sign, to the end of the word.
fn replaced(text: &str, bytes: &mut impl Iterator<Item = u8>) -> String {
    let mut made = String::new();
    for line in text.split_inclusive('\n') {
        let value = line.find([':', '=']).map(|at| at + 1);
        let start = value.map(|at| at + line[at..].len() - line[at..].trim_start_matches(' ').len());
        let end = start.map(|at| at + line[at..].find([',', '}', ']', '\n', '\r', ' ']).unwrap_or(line.len() - at));
        match (start, end, bytes.next()) {
            (Some(start), Some(end), Some(byte)) if start < end && byte >= 128 => {
                made += &line[..start];
                made += VALUES[usize::from(byte) % VALUES.len()];
                made += &line[end..];
            }
            _ => made += line,
        }
    }
    made
}

fuzz_target!(|bytes: &[u8]| {
    let [first, second, rest @ ..] = bytes else { return };
    let (name, text) = &CONFIGS[(usize::from(*first) * 256 + usize::from(*second)) % CONFIGS.len()];
    let text = replaced(text, &mut rest.iter().copied());
    retrylint::check_bytes(name, text.as_bytes());
    let (fixed, _) = retrylint::fix_text(name, &text);
    let (again, made) = retrylint::fix_text(name, &fixed);
    assert!(made.is_empty() && again == fixed, "{name}: a fix of what is fixed already");
});
