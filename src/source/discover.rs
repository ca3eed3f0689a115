//! Which files there are below the paths that were asked for.

use super::why;
use glob::{MatchOptions, Pattern};
use ignore::{WalkBuilder, WalkState};
use std::collections::BTreeSet;
use std::fs;
use std::io;
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
    pub paths: &'s [PathBuf],
    /// Which files a walk takes.
    pub wanted: &'s (dyn Fn(&Path) -> bool + Sync),
    /// Patterns of retrylint.toml, and the folder they are relative to.
    pub patterns: &'s Patterns,
    /// Threads of the walk; 0 stands for as many as there are processors.
    pub threads: usize,
}

/// What a search gives.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The files, in the order of their names and each once.
    pub found: Vec<Found>,
    /// Files that were named and that retrylint.toml leaves out, as they are shown.
    pub left_out: Vec<String>,
    /// Which paths gave nothing, and why.
    pub absent: Vec<String>,
    /// What else was wrong with the paths.
    pub troubles: Vec<String>,
}

/// Patterns that work as in a .gitignore, for paths relative to one folder.
#[derive(Debug, Default)]
pub struct Globs(Vec<Pattern>);

/// `include` and `exclude` of retrylint.toml.
#[derive(Debug, Default)]
pub struct Patterns {
    /// The folder that they are relative to.
    pub root: PathBuf,
    /// Files to take; without a pattern all of them.
    pub include: Globs,
    /// Files to leave out of those.
    pub exclude: Globs,
}

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl Globs {
    /// Adds a pattern: what it matches, at any depth if it has no slash, and everything below. The error
    /// says why it is none.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let anchored = text.trim_end_matches('/');
        let plain = anchored.trim_start_matches('/');
        let mut texts = vec![plain.to_string(), format!("{plain}/**")];
        if !anchored.contains('/') {
            texts.extend([format!("**/{plain}"), format!("**/{plain}/**")]);
        }
        for text in &texts {
            self.0.push(Pattern::new(text).map_err(|error| error.msg.to_string())?);
        }
        Ok(())
    }

    /// Whether one of the patterns matches a relative path with forward slashes.
    pub fn match_path(&self, relative: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches_with(relative, OPTIONS))
    }
}

impl Patterns {
    /// Whether a file is included and not excluded.
    pub fn allow(&self, path: &Path) -> bool {
        if self.include.0.is_empty() && self.exclude.0.is_empty() {
            return true;
        }
        let path = absolute(path);
        let relative = slashes(path.strip_prefix(&self.root).unwrap_or(&path));
        (self.include.0.is_empty() || self.include.match_path(&relative))
            && !self.exclude.match_path(&relative)
    }
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

/// A path from the root on, as it is called from a folder.
pub fn relative(path: &Path, folder: &Path) -> PathBuf {
    let shared = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// A path as text with forward slashes.
pub fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() };
    let mut short = text.as_str();
    while let Some(rest) = short.strip_prefix("./") {
        short = rest.trim_start_matches('/');
    }
    short.to_string()
}

/// The files at and below the paths that were asked for.
pub fn discover(search: &Search<'_>) -> Discovered {
    let mut all = Discovered::default();
    for named in search.paths {
        match fs::metadata(named) {
            Ok(_) => take(named, search, &mut all),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Err(why) = pattern(named, search, &mut all) {
                    all.absent.push(format!("{}: {why}", slashes(named)));
                }
            }
            Err(error) => all.troubles.push(format!("{}: {}", slashes(named), why(&error))),
        }
    }
    all.tidy(search);
    all
}

impl Discovered {
    /// Takes a file that was named, whatever its ending, unless retrylint.toml leaves it out: hooks name
    /// every file of a change.
    pub(super) fn named(&mut self, path: &Path, search: &Search<'_>) {
        if search.patterns.allow(path) {
            self.found.push(Found { shown: slashes(path), path: path.to_path_buf() });
        } else {
            self.left_out.push(slashes(path));
        }
    }

    /// Each file once, in the order of their names.
    pub(super) fn tidy(&mut self, search: &Search<'_>) {
        self.found.sort();
        self.left_out.sort();
        self.left_out.dedup();
        // one walk finds nothing twice
        if search.paths.len() <= 1 {
            return;
        }
        let mut seen = BTreeSet::new();
        self.found.retain(|found| seen.insert(absolute(&found.path)));
    }
}

fn take(path: &Path, search: &Search<'_>, all: &mut Discovered) {
    if !path.is_dir() {
        return all.named(path, search);
    }
    let wanted = |path: &Path| (search.wanted)(path) && search.patterns.allow(path);
    let files = walk(path, search.threads, |_, _| true, &wanted, &mut all.troubles);
    all.found.extend(files.into_iter().map(|path| Found { shown: slashes(&path), path }));
}

/// A pattern of the command line.
pub(super) struct Named {
    whole: Pattern,
    /// The folder before its first wildcard.
    pub(super) root: PathBuf,
    /// The steps from there on.
    steps: Vec<Pattern>,
}

/// The step that stands for any number of folders.
const ANY_DEPTH: &str = "**";

impl Named {
    /// The pattern that a path is; the error says why it is none.
    pub(super) fn new(path: &Path) -> Result<Self, String> {
        let text = path.to_str().filter(|text| text.contains(['*', '?', '[']));
        let text = slashes(Path::new(text.ok_or("there is no such file or folder")?));
        let pattern =
            |text: &str| Pattern::new(text).map_err(|error| format!("it is no pattern: {}", error.msg));
        let whole = pattern(&text)?;
        let literal = text.split_inclusive('/').take_while(|step| !step.contains(['*', '?', '[']));
        let (root, rest) = text.split_at(literal.map(str::len).sum());
        let steps = rest.split('/').filter(|step| !step.is_empty()).map(pattern).collect::<Result<_, _>>()?;
        let root = PathBuf::from(if root.is_empty() { "." } else { root });
        Ok(Self { whole, root, steps })
    }

    fn is(&self, path: &Path) -> bool {
        self.whole.matches_with(&slashes(path), OPTIONS)
    }

    /// Takes a file if the pattern names it, whatever its ending, or if it is a wanted one in a folder that the
    /// pattern names; says whether it was named.
    pub(super) fn take(&self, path: &Path, search: &Search<'_>, all: &mut Discovered) -> bool {
        let below = self.steps.last().is_some_and(|last| last.as_str() == ANY_DEPTH);
        if self.is(path) && !below {
            all.named(path, search);
            return true;
        }
        let named = below && self.is(path) || path.ancestors().skip(1).any(|folder| self.is(folder));
        if named && (search.wanted)(path) && search.patterns.allow(path) {
            all.found.push(Found { shown: slashes(path), path: path.to_path_buf() });
        }
        named
    }
}

/// What a pattern of the command line matches, of what a walk sees; the error says why that is nothing.
fn pattern(named: &Path, search: &Search<'_>, all: &mut Discovered) -> Result<(), String> {
    let pattern = Named::new(named)?;
    let steps = pattern.steps.clone();
    // a folder that does not lead to a match is not gone into
    let leads = move |depth: usize, name: &str| {
        let fixed = steps.iter().take_while(|step| step.as_str() != ANY_DEPTH).count();
        depth == 0 || depth > fixed || steps[depth - 1].matches_with(name, OPTIONS)
    };
    let mut files = Vec::new();
    if pattern.root.is_dir() {
        let errors = &mut all.troubles;
        files = walk(&pattern.root, search.threads, leads, &|_| true, errors);
    }
    let mut matched = false;
    for path in files {
        matched |= pattern.take(&path, search, all);
    }
    if matched { Ok(()) } else { Err("nothing matches the pattern".to_string()) }
}

/// The files of a folder that .gitignore does not leave out and that are wanted; `leads` says by the depth and the
/// name of a file or folder whether it is looked at.
fn walk(
    root: &Path,
    threads: usize,
    leads: impl Fn(usize, &str) -> bool + Send + Sync + 'static,
    wanted: &(dyn Fn(&Path) -> bool + Sync),
    troubles: &mut Vec<String>,
) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .threads(threads)
        .filter_entry(move |entry| {
            let name = entry.file_name();
            name != ".git" && leads(entry.depth(), &name.to_string_lossy())
        })
        .build_parallel();
    let all = Mutex::new((Vec::new(), Vec::new()));
    walk.run(|| {
        Box::new(|entry| {
            match entry {
                Ok(entry) => {
                    let file = entry.file_type().is_some_and(|kind| kind.is_file());
                    if file && wanted(entry.path()) {
                        all.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0.push(entry.into_path());
                    }
                }
                Err(error) => {
                    all.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).1.push(failed(&error));
                }
            }
            WalkState::Continue
        })
    });
    let (files, mut errors) = all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    errors.sort();
    troubles.append(&mut errors);
    files
}

/// What a walk could not look at, and why.
fn failed(error: &ignore::Error) -> String {
    fn path(error: &ignore::Error) -> Option<&Path> {
        match error {
            ignore::Error::WithPath { path, .. } => Some(path),
            ignore::Error::WithDepth { err, .. } => path(err),
            _ => None,
        }
    }
    match (path(error), error.io_error()) {
        (Some(path), Some(error)) => format!("{}: {}", slashes(path), why(error)),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(include: &[&str], exclude: &[&str], path: &str) -> bool {
        let globs = |texts: &[&str]| {
            let mut globs = Globs::default();
            texts.iter().for_each(|text| globs.add(text).unwrap());
            globs
        };
        let patterns = Patterns { root: "/repo".into(), include: globs(include), exclude: globs(exclude) };
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
        assert!(!allows(&["services/*/x.toml"], &[], "services/a/b/x.toml"));
    }

    #[test]
    fn a_file_that_is_named_twice_is_found_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for name in ["a.yaml", "b/c.yaml", "z.yaml"] {
            fs::write(at(name), "").unwrap();
        }
        let paths = [at("b/../a.yaml"), at(""), at("a.yaml"), at("*.yaml")];
        let search = Search { paths: &paths, wanted: &|_| true, patterns: &Patterns::default(), threads: 1 };
        let found = discover(&search).found;
        let names: Vec<_> = found.iter().map(|found| absolute(&found.path)).collect();
        assert_eq!(names, [at("a.yaml"), at("b/c.yaml"), at("z.yaml")]);
    }

    #[test]
    fn paths_that_give_nothing_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("*.yaml"), folder.path().join("none"), folder.path().join("[")];
        let search = Search { paths: &paths, wanted: &|_| true, patterns: &Patterns::default(), threads: 1 };
        let troubles = discover(&search).absent;
        assert!(troubles[0].ends_with("*.yaml: nothing matches the pattern"), "{troubles:?}");
        assert!(troubles[1].ends_with("none: there is no such file or folder"), "{troubles:?}");
        assert!(troubles[2].contains("[: it is no pattern: invalid range"), "{troubles:?}");
    }

    #[test]
    fn paths_are_shown_as_they_were_named() {
        assert_eq!(slashes(Path::new("./a/b.yaml")), "a/b.yaml");
        assert_eq!(slashes(Path::new("../a.yaml")), "../a.yaml");
        assert_eq!(slashes(Path::new("././/a.yaml")), "a.yaml");
    }
}
