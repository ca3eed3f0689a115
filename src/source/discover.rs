//! Which files there are below the paths that were asked for.

use glob::{MatchOptions, Pattern};
use ignore::{WalkBuilder, WalkState};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// A file that is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// As it is shown: as the user named it, with forward slashes and without `./`.
    pub shown: String,
    /// Where it is.
    pub path: PathBuf,
}

/// What to look for.
pub struct Search<'s> {
    /// Files, folders and globs, as the user named them.
    pub paths: &'s [String],
    /// Which files a walk takes.
    pub wanted: &'s (dyn Fn(&Path) -> bool + Sync),
    /// Patterns of retrylint.toml, and the folder they are relative to.
    pub patterns: &'s Patterns,
    /// Threads of the walk; 0 stands for as many as there are processors.
    pub threads: usize,
}

/// `include` and `exclude`, which work as in a .gitignore.
#[derive(Debug, Default)]
pub struct Patterns {
    root: PathBuf,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl Patterns {
    /// Patterns relative to a folder; the error names the pattern that is none.
    pub fn new(root: PathBuf, include: &[String], exclude: &[String]) -> Result<Self, String> {
        let all = |texts: &[String]| -> Result<Vec<Pattern>, String> {
            let mut patterns = Vec::new();
            for text in texts {
                patterns.extend(expand(text)?);
            }
            Ok(patterns)
        };
        Ok(Self { include: all(include)?, exclude: all(exclude)?, root: absolute(&root) })
    }

    /// Whether a file is included and not excluded.
    pub fn allow(&self, path: &Path) -> bool {
        let path = absolute(path);
        let relative = path.strip_prefix(&self.root).unwrap_or(&path);
        let text = slashes(relative);
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches_with(&text, OPTIONS));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

/// A pattern, what it matches at any depth if it has no slash, and everything below what it matches.
pub fn expand(text: &str) -> Result<Vec<Pattern>, String> {
    let anchored = text.trim_end_matches('/');
    let plain = anchored.trim_start_matches('/');
    let mut texts = vec![plain.to_string(), format!("{plain}/**")];
    if !anchored.contains('/') {
        texts.extend([format!("**/{plain}"), format!("**/{plain}/**")]);
    }
    texts.iter().map(|text| Pattern::new(text).map_err(|error| error.msg.to_string())).collect()
}

/// A path from the root on, without `.` and `..`, whether it exists or not.
pub fn absolute(path: &Path) -> PathBuf {
    let joined = std::env::current_dir().unwrap_or_default().join(path);
    let mut clean = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            _ => clean.push(part),
        }
    }
    clean
}

/// A path as text with forward slashes.
pub fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() };
    text.strip_prefix("./").map_or_else(|| text.clone(), str::to_string)
}

/// The files, in the order of their names and each once, and what was wrong with the paths.
pub fn discover(search: &Search<'_>) -> (Vec<Found>, Vec<String>) {
    let (mut found, mut troubles) = (Vec::new(), Vec::new());
    for named in search.paths {
        let path = Path::new(named);
        if path.is_dir() {
            walk(path, search, &mut found, &mut troubles);
        } else if path.exists() {
            explicit(path, search, &mut found);
        } else if named.contains(['*', '?', '[']) {
            match glob::glob_with(named, OPTIONS) {
                Ok(matches) => {
                    for path in matches.filter_map(Result::ok) {
                        if path.is_dir() {
                            walk(&path, search, &mut found, &mut troubles);
                        } else {
                            explicit(&path, search, &mut found);
                        }
                    }
                }
                Err(error) => troubles.push(format!("{named}: {error}")),
            }
        } else {
            troubles.push(format!("{named}: there is no such file or folder"));
        }
    }
    found.sort();
    found.dedup_by(|one, other| absolute(&one.path) == absolute(&other.path));
    (found, troubles)
}

/// A file that was named is taken whatever its ending, unless retrylint.toml excludes it.
fn explicit(path: &Path, search: &Search<'_>, found: &mut Vec<Found>) {
    if search.patterns.allow(path) {
        found.push(Found { shown: slashes(path), path: path.to_path_buf() });
    }
}

fn walk(root: &Path, search: &Search<'_>, found: &mut Vec<Found>, troubles: &mut Vec<String>) {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .threads(search.threads)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build_parallel();
    let all = Mutex::new((Vec::new(), Vec::new()));
    walk.run(|| {
        Box::new(|entry| {
            match entry {
                Ok(entry) => {
                    let file = entry.file_type().is_some_and(|kind| kind.is_file());
                    let path = entry.path();
                    if file && (search.wanted)(path) && search.patterns.allow(path) {
                        let found = Found { shown: slashes(path), path: path.to_path_buf() };
                        all.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0.push(found);
                    }
                }
                Err(error) => {
                    all.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).1.push(error.to_string());
                }
            }
            WalkState::Continue
        })
    });
    let (files, mut errors) = all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    found.extend(files);
    errors.sort();
    troubles.append(&mut errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(include: &[&str], exclude: &[&str], path: &str) -> bool {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let patterns = Patterns::new("/repo".into(), &texts(include), &texts(exclude)).unwrap();
        patterns.allow(Path::new("/repo").join(path).as_path())
    }

    #[test]
    fn patterns_work_as_in_a_gitignore() {
        assert!(!allows(&[], &["**/testdata/**"], "a/testdata/x.yaml"));
        assert!(!allows(&[], &["testdata"], "a/testdata/x.yaml"));
        assert!(!allows(&[], &["testdata/"], "testdata/deep/x.yaml"));
        assert!(!allows(&[], &["*.gen.yaml"], "a/b/x.gen.yaml"));
        assert!(allows(&[], &["/x.yaml"], "a/x.yaml"));
        assert!(!allows(&[], &["/x.yaml"], "x.yaml"));
        assert!(allows(&["services/**", "deploy/**/*.yaml"], &[], "deploy/prod/a.yaml"));
        assert!(!allows(&["services/**", "deploy/**/*.yaml"], &[], "deploy/prod/a.toml"));
        assert!(allows(&["services"], &[], "services/a/b.toml"));
    }

    #[test]
    fn paths_are_shown_as_they_were_named() {
        assert_eq!(slashes(Path::new("./a/b.yaml")), "a/b.yaml");
        assert_eq!(slashes(Path::new("../a.yaml")), "../a.yaml");
    }
}
