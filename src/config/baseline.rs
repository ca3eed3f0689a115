//! The baseline: findings that are known, and stay quiet.

use super::ConfigError;
use crate::finding::Finding;
use crate::source::discover::{absolute, relative, slashes};
use crate::source::{self, Place, write};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Known findings, by what they are about and not by their lines.
#[derive(Debug, Default)]
pub struct Baseline {
    folder: PathBuf,
    known: BTreeMap<Key, usize>,
}

/// File (relative to the baseline's folder), rule and pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    rule: String,
    pointer: String,
}

/// What a baseline makes of some findings.
#[derive(Debug, Default)]
pub struct Compared {
    /// Those that it does not know; of several with one key those after the known number.
    pub fresh: Vec<Finding>,
    /// Those that it knows.
    pub known: Vec<Finding>,
    /// Entries that nothing matches any more, as they are told.
    pub gone: Vec<String>,
    /// What is left of the baseline without those.
    pub left: Baseline,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[allow(dead_code)] // it is checked when it is read
    version: Version,
    findings: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(try_from = "u64")]
struct Version;

impl TryFrom<u64> for Version {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        if number == 1 {
            Ok(Self)
        } else {
            Err(format!("version {number} is not known; this retrylint reads 1"))
        }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    rule: String,
    pointer: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: NonZeroUsize,
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

fn is_one(count: &NonZeroUsize) -> bool {
    *count == NonZeroUsize::MIN
}

impl Baseline {
    /// Reads a baseline; the error says where it is broken.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let error = |place, message| ConfigError { file: slashes(path), place, message };
        let text = std::fs::read_to_string(path).map_err(|why| {
            error(
                None,
                format!("the baseline cannot be read: {}; write it with --write-baseline", source::why(&why)),
            )
        })?;
        let written: Written = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|why| {
            let (line, column) = (why.line() as u32, why.column() as u32);
            let told = why.to_string();
            let what = match why.classify() {
                Category::Eof => "it ends in the middle".to_string(),
                Category::Syntax | Category::Io => "this is no JSON".to_string(),
                Category::Data => {
                    super::in_words(told.rsplit_once(" at line ").map_or(&told, |(what, _)| what))
                }
            };
            let place = Place { line, column: column.max(1), ..Place::default() };
            error(
                Some(place),
                format!(
                    "the baseline is broken: {what}; put it right, or write it anew with --write-baseline"
                ),
            )
        })?;
        let mut known = BTreeMap::new();
        for Entry { file, rule, pointer, count } in written.findings {
            let all = known.entry(Key { file, rule, pointer }).or_insert(0_usize);
            *all = all.saturating_add(count.get());
        }
        Ok(Self { folder: folder(path), known })
    }

    /// The baseline that knows all of the findings, for a file at the path.
    pub fn of(findings: &[Finding], path: &Path) -> Self {
        let mut baseline = Self { folder: folder(path), known: BTreeMap::new() };
        for finding in findings {
            *baseline.known.entry(baseline.key(finding)).or_default() += 1;
        }
        baseline
    }

    fn key(&self, finding: &Finding) -> Key {
        Key {
            file: slashes(&relative(&absolute(Path::new(&finding.file)), &self.folder)),
            rule: finding.rule.to_string(),
            pointer: finding.pointer.clone(),
        }
    }

    /// Takes the known ones out of the findings. An entry is gone where nothing matches it although
    /// `looked_at` says of its rule and file that it would have been found.
    pub fn compare(self, findings: Vec<Finding>, looked_at: impl Fn(&str, &Path) -> bool) -> Compared {
        let mut compared = Compared::default();
        let mut open = self.known.clone();
        for finding in findings {
            match open.get_mut(&self.key(&finding)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    compared.known.push(finding);
                }
                _ => compared.fresh.push(finding),
            }
        }
        let mut left = self.known;
        for (key, count) in open.into_iter().filter(|(_, count)| *count > 0) {
            if !looked_at(&key.rule, &absolute(&self.folder.join(&key.file))) {
                continue;
            }
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            compared.gone.push(format!("{}{}: {}{times}", key.file, in_file(&key.pointer), key.rule));
            match left.get_mut(&key) {
                Some(all) if *all > count => *all -= count,
                _ => drop(left.remove(&key)),
            }
        }
        compared.left = Self { folder: self.folder, known: left };
        compared
    }

    /// Writes it, unless the file says just that already.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let text = Self::at(self, &folder(path)).to_string();
        if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        write::put(path, text.as_bytes(), None)
    }

    /// The same, as a file in another folder says it.
    fn at(&self, folder: &Path) -> Self {
        let moved = |file: &str| slashes(&relative(&absolute(&self.folder.join(file)), folder));
        let known =
            self.known.iter().map(|(key, count)| (Key { file: moved(&key.file), ..key.clone() }, *count));
        Self { folder: folder.to_path_buf(), known: known.collect() }
    }

    /// How many findings it knows.
    pub fn len(&self) -> usize {
        self.known.values().sum()
    }

    /// It knows none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

/// One entry a line, so that a difference shows which came and went.
impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{\n  \"version\": 1,\n  \"findings\": [")?;
        for (n, (Key { file, rule, pointer }, count)) in self.known.iter().enumerate() {
            let entry = Entry {
                file: file.clone(),
                rule: rule.clone(),
                pointer: pointer.clone(),
                count: NonZeroUsize::new(*count).unwrap_or(NonZeroUsize::MIN),
            };
            let entry = serde_json::to_string(&entry).map_err(|_| fmt::Error)?;
            write!(f, "{}\n    {entry}", if n > 0 { "," } else { "" })?;
        }
        f.write_str(if self.known.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" })
    }
}

fn folder(path: &Path) -> PathBuf {
    absolute(path).parent().map(Path::to_path_buf).unwrap_or_default()
}

fn in_file(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" {pointer}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    fn finding(file: &str, pointer: &str, line: u32) -> Finding {
        Finding {
            rule: "missing-jitter",
            severity: Severity::Warning,
            message: String::new(),
            file: file.into(),
            place: Place { line, ..Place::default() },
            pointer: pointer.into(),
            dialect: "generic".into(),
            label: String::new(),
            help: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            fix: None,
        }
    }

    fn read(text: &str) -> Result<Baseline, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.json");
        std::fs::write(&path, text).unwrap();
        Baseline::read(&path).map_err(|error| ConfigError { file: "b.json".into(), ..error }.to_string())
    }

    #[test]
    fn it_is_sorted_one_entry_a_line_and_relative_to_its_folder() {
        let findings =
            [finding("x/b.toml", "/r", 9), finding("a.toml", "/q", 1), finding("x/b.toml", "/r", 3)];
        let text = Baseline::of(&findings, Path::new("x/baseline.json")).to_string();
        let entries = [
            "    {\"file\":\"../a.toml\",\"rule\":\"missing-jitter\",\"pointer\":\"/q\"},",
            "    {\"file\":\"b.toml\",\"rule\":\"missing-jitter\",\"pointer\":\"/r\",\"count\":2}",
        ];
        assert_eq!(
            text,
            format!("{{\n  \"version\": 1,\n  \"findings\": [\n{}\n  ]\n}}\n", entries.join("\n"))
        );
        let moved = Baseline::of(&findings, Path::new("x/baseline.json")).at(&folder(Path::new("b.json")));
        assert_eq!(moved.to_string(), Baseline::of(&findings, Path::new("b.json")).to_string());
    }

    #[test]
    fn more_than_the_known_number_is_fresh_and_fewer_is_gone() {
        let known = || Baseline::of(&[finding("a", "/r", 1), finding("a", "/r", 2)], Path::new("b.json"));
        let three = vec![finding("a", "/r", 5), finding("a", "/r", 6), finding("a", "/r", 7)];
        let compared = known().compare(three, |_, _| true);
        assert_eq!((compared.fresh.len(), compared.fresh[0].place.line, compared.known.len()), (1, 7, 2));
        let compared = known().compare(vec![finding("a", "/r", 5)], |_, _| true);
        assert_eq!(compared.gone, ["a /r: missing-jitter"]);
        assert_eq!(compared.left.len(), 1);
        let elsewhere = known().compare(Vec::new(), |_, _| false);
        assert_eq!((elsewhere.gone.len(), elsewhere.left.len()), (0, 2));
    }

    #[test]
    fn a_broken_baseline_is_told_with_its_place() {
        let error = |text: &str| read(text).expect_err("an error");
        for (text, told) in [
            ("{\n<<<<<<< HEAD\n", "2:1: the baseline is broken: this is no JSON"),
            ("{\"version\": 1,", "1:14: the baseline is broken: it ends in the middle"),
            ("", "1:1: the baseline is broken: it ends in the middle"),
            (
                "{\"version\": 2, \"findings\": []}",
                "1:13: the baseline is broken: version 2 is not known; this retrylint reads 1",
            ),
            (
                "{\"version\": 1, \"findings\": [{\"file\": \"a\"}]}",
                "1:41: the baseline is broken: the key `rule` is missing",
            ),
            (
                "{\"version\": 1, \"findings\": [], \"more\": 1}",
                "1:37: the baseline is broken: there is no key `more`; there are version, findings",
            ),
            (
                "{\"version\": 1, \"findings\": \"a b!\"}",
                "1:33: the baseline is broken: a list is expected here, not a text of 4 characters",
            ),
            (
                "{\"version\": 1, \"findings\": [3]}",
                "1:29: the baseline is broken: an entry with file, rule and pointer is expected here, not integer `3`",
            ),
            (
                "{\"version\": \"x\", \"findings\": []}",
                "1:15: the baseline is broken: a whole number is expected here, not \"x\"",
            ),
            (
                "[]",
                "1:2: the baseline is broken: an object with version and findings is expected here, not a list",
            ),
        ] {
            let help = "; put it right, or write it anew with --write-baseline";
            assert_eq!(error(text), format!("b.json:{told}{help}"));
        }
        assert!(read("{\"version\": 1, \"findings\": []}").unwrap().is_empty());
    }
}
