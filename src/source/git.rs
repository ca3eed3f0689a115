//! Files of a git revision, read from the repository's objects. The one file that runs `git`: with arguments,
//! never through a shell, and so that it writes nothing and fetches nothing.

use super::discover::{Discovered, Found, Named, Search, absolute, relative, slashes};
use super::prefilter::Prefilter;
use super::read::{self, Content, Skip};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of an object: its hash, in hexadecimal.
pub type Blob = String;

/// A git repository with a work tree.
#[derive(Clone, Debug)]
pub struct Repository {
    top: PathBuf,
}

/// The files of a revision.
#[derive(Debug)]
pub struct Revision {
    /// As the user named it.
    pub name: String,
    repository: Repository,
    commit: String,
    /// Regular files, by their paths from the top of the repository on.
    files: BTreeMap<PathBuf, Blob>,
    /// Repositories within this one.
    submodules: Vec<PathBuf>,
    ignored: Ignored,
}

/// What the .gitignore and .ignore files of a revision say, by the folders they stand in.
#[derive(Debug, Default)]
struct Ignored([BTreeMap<PathBuf, Gitignore>; 2]);

/// Their names; what the first says counts before what the second says.
const IGNORE_FILES: [&str; 2] = [".ignore", ".gitignore"];
const NO_GIT: &str = "the command `git` was not found; install it, or put it on the PATH";
/// Objects that one `git cat-file` reads.
const BATCH: usize = 1024;

impl Repository {
    /// The repository that a file or folder is in; the error says what to do.
    pub fn around(path: &Path) -> Result<Self, String> {
        let path = absolute(path);
        let folder = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(&path);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let said = git(&folder, &["rev-parse", "--show-cdup"]).map_err(|why| match why {
            Failure::Missing => NO_GIT.to_string(),
            Failure::Said(said) if said.contains("dubious ownership") => {
                let top = said.split('\'').nth(1).map_or_else(|| slashes(&folder), str::to_string);
                format!(
                    "git does not read {top}, since it belongs to another user; where you trust it, allow it: \
                     git config --global --add safe.directory {top}"
                )
            }
            Failure::Said(said) => {
                format!("{} is in no work tree of git: {said}; run it in a repository", slashes(&folder))
            }
        })?;
        let up = path_of(said.strip_suffix(b"\n").unwrap_or(&said));
        Ok(Self { top: absolute(&folder.join(up)) })
    }

    /// The files of a revision; the error says what to do.
    pub fn revision(&self, name: &str) -> Result<Revision, String> {
        let commit = self.commit(name)?;
        let listed = self.git(&["ls-tree", "-r", "-z", "--full-tree", &commit])?;
        let (mut files, mut submodules) = (BTreeMap::new(), Vec::new());
        for entry in listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let tab = entry.iter().position(|byte| *byte == b'\t').unwrap_or(entry.len());
            let path = path_of(entry.get(tab + 1..).unwrap_or_default());
            let head = String::from_utf8_lossy(&entry[..tab]);
            match head.split(' ').collect::<Vec<_>>().as_slice() {
                ["100644" | "100755" | "100664", _, blob] => drop(files.insert(path, blob.to_string())),
                ["160000", ..] => submodules.push(path),
                _ => {}
            }
        }
        let mut revision = Revision {
            name: name.to_string(),
            repository: self.clone(),
            commit,
            files,
            submodules,
            ignored: Ignored::default(),
        };
        revision.ignored = Ignored::read(&revision)?;
        Ok(revision)
    }

    /// The revision that `BASE` and `HEAD` have grown apart from.
    pub fn fork(&self, base: &str, head: &str) -> Result<String, String> {
        let (one, other) = (self.commit(base)?, self.commit(head)?);
        let said = self.git(&["merge-base", &one, &other]).map_err(|_| {
            format!(
                "{base} and {head} have no common commit; in a shallow clone fetch more of the history \
                 (git fetch --unshallow)"
            )
        })?;
        Ok(String::from_utf8_lossy(&said).trim().to_string())
    }

    /// The commit that a revision stands for.
    fn commit(&self, name: &str) -> Result<String, String> {
        let unknown = || {
            let top = slashes(&self.top);
            let answers = |arguments: &[&str], answer: &str| {
                self.git(arguments).is_ok_and(|said| String::from_utf8_lossy(&said).trim() == answer)
            };
            if self.git(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_err() {
                format!("{top} has no commit to compare with yet; commit first, or check without it")
            } else if answers(&["rev-parse", "--is-shallow-repository"], "true") {
                format!(
                    "there is no revision {name} in {top}, which is a shallow clone; fetch it first (git fetch origin \
                     {name}, or all with git fetch --unshallow)"
                )
            } else {
                format!(
                    "there is no revision {name} in {top}; name a commit, a tag or a branch (git log, git branch -a)"
                )
            }
        };
        // no revision starts so; to git it would be an option
        if name.is_empty() || name.starts_with('-') {
            return Err(unknown());
        }
        let said = self.git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        Ok(String::from_utf8_lossy(&said.map_err(|_| unknown())?).trim().to_string())
    }

    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        git(&self.top, arguments).map_err(|why| match why {
            Failure::Missing => NO_GIT.to_string(),
            Failure::Said(said) => format!("git {} failed in {}: {said}", arguments[0], slashes(&self.top)),
        })
    }

    /// A path from the top of the repository on; None outside.
    pub fn within(&self, path: &Path) -> Option<PathBuf> {
        let path = absolute(path);
        if let Ok(inside) = path.strip_prefix(&self.top) {
            return Some(inside.to_path_buf());
        }
        // the way may lead through a link
        let there = path.ancestors().find(|folder| folder.exists())?;
        let rest = path.strip_prefix(there).ok()?;
        Some(there.canonicalize().ok()?.strip_prefix(&self.top).ok()?.join(rest))
    }
}

impl Revision {
    /// Files of the work tree that are as the revision has them, by where they are.
    pub fn unchanged(&self) -> Result<BTreeMap<PathBuf, Blob>, String> {
        let arguments =
            ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"];
        let said = self.repository.git(&[&arguments[..], &[&self.commit, "--"]].concat())?;
        let changed: BTreeSet<PathBuf> =
            said.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(path_of).collect();
        let same = self.files.iter().filter(|(path, _)| !changed.contains(*path));
        Ok(same.map(|(path, blob)| (self.repository.top.join(path), blob.clone())).collect())
    }

    /// What is in a repository within this one is not the revision's.
    pub fn is_foreign(&self, path: &Path) -> bool {
        let inside = self.repository.within(path);
        inside.is_none_or(|inside| self.submodules.iter().any(|submodule| inside.starts_with(submodule)))
    }

    /// Whether there is such a file. What is outside of the repository is as it is on the disk.
    pub fn is_file(&self, path: &Path) -> bool {
        self.repository.within(path).map_or_else(|| path.is_file(), |inside| self.files.contains_key(&inside))
    }

    /// The object that holds a file.
    pub fn blob(&self, path: &Path) -> Option<&Blob> {
        self.files.get(&self.repository.within(path)?)
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.repository.within(path).is_none() {
            return std::fs::read(path);
        }
        let blob = self.blob(path).ok_or(io::ErrorKind::NotFound)?;
        let mut all = self.blobs(&[blob], u64::MAX)?;
        all.pop().flatten().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Reads files, and makes something of each.
    pub fn each<'f, T: Send>(
        &self,
        files: &[&Found],
        limit: u64,
        filter: &(dyn Fn(&Found) -> &'f Prefilter + Sync),
        make: impl Fn(&Found, io::Result<Content>) -> T + Sync,
    ) -> Vec<T> {
        let some = |files: &[&Found]| -> Vec<T> {
            let blobs: Vec<_> = files.iter().filter_map(|found| self.blob(&found.path)).collect();
            if blobs.len() < files.len() {
                // those that a stack names outside of the repository
                return files
                    .iter()
                    .map(|found| make(found, read::file(&found.path, limit, filter(found))))
                    .collect();
            }
            let mut made = Vec::new();
            let read = self.batch(&blobs, limit, &mut |bytes| {
                let content = match bytes {
                    Ok(bytes) => read::content(&bytes, filter(files[made.len()])),
                    Err(size) => Content::Skipped(Skip::TooLarge(size)),
                };
                made.push(make(files[made.len()], Ok(content)));
            });
            if let Err(error) = read {
                let rest = files.iter().skip(made.len());
                let failed = rest.map(|found| make(found, Err(io::Error::other(error.to_string()))));
                made.extend(failed.collect::<Vec<_>>());
            }
            made
        };
        let (inside, outside): (Vec<&Found>, Vec<&Found>) =
            files.iter().partition(|found| self.blob(&found.path).is_some());
        let mut all: Vec<T> = inside.par_chunks(BATCH).flat_map_iter(some).collect();
        all.extend(some(&outside));
        all
    }

    fn blobs(&self, blobs: &[&Blob], limit: u64) -> io::Result<Vec<Option<Vec<u8>>>> {
        let mut all = Vec::new();
        self.batch(blobs, limit, &mut |bytes| all.push(bytes.ok()))?;
        Ok(all)
    }

    /// Reads objects one after the other; of those over the limit only the size.
    fn batch(
        &self,
        blobs: &[&Blob],
        limit: u64,
        take: &mut dyn FnMut(Result<Vec<u8>, u64>),
    ) -> io::Result<()> {
        if blobs.is_empty() {
            return Ok(());
        }
        let mut command = command(&self.repository.top, &["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let asked: String = blobs.iter().map(|blob| format!("{blob}\n")).collect();
        let read = std::thread::scope(|scope| {
            // git answers while it is still being asked
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(asked.as_bytes())));
            let mut answers = BufReader::new(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
            for blob in blobs {
                let mut head = String::new();
                answers.read_line(&mut head)?;
                let size = head.strip_prefix(blob.as_str()).and_then(|rest| rest.strip_prefix(" blob "));
                let size: Option<u64> = size.and_then(|size| size.trim().parse().ok());
                let size = size
                    .ok_or_else(|| io::Error::other(format!("git has no object {blob}; fetch it first")))?;
                let mut bytes = Vec::new();
                let mut whole = (&mut answers).take(size);
                let taken = if size > limit {
                    io::copy(&mut whole, &mut io::sink())?
                } else {
                    whole.read_to_end(&mut bytes)? as u64
                };
                answers.read_exact(&mut [0])?;
                if taken < size {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                take(if size > limit { Err(size) } else { Ok(bytes) });
            }
            Ok(())
        });
        // what it was not asked to the end it need not answer
        let _ = child.kill();
        child.wait()?;
        read
    }

    /// The files of the revision at and below the paths that were asked for.
    pub fn discover(&self, search: &Search<'_>) -> Discovered {
        let mut all = Discovered::default();
        for named in search.paths {
            if let Err(why) = self.take(named, search, &mut all) {
                all.absent.push(format!("{}: {why}", slashes(named)));
            }
        }
        all.tidy(search);
        all
    }

    fn take(&self, named: &Path, search: &Search<'_>, all: &mut Discovered) -> Result<(), String> {
        let inside = self.repository.within(named).ok_or("it is not in the repository")?;
        if self.files.contains_key(&inside) {
            all.named(named, search);
            return Ok(());
        }
        let from = self.files.range::<Path, _>((Bound::Included(inside.as_path()), Bound::Unbounded));
        let mut below = from.take_while(|(path, _)| path.starts_with(&inside)).peekable();
        if below.peek().is_some() {
            for rest in below.filter_map(|(path, _)| path.strip_prefix(&inside).ok()) {
                let path = named.join(rest);
                if (search.wanted)(&path)
                    && search.patterns.allow(&path)
                    && !self.ignored.covers(&inside, rest)
                {
                    all.found.push(Found { shown: slashes(&path), path });
                }
            }
            return Ok(());
        }
        let here = std::env::current_dir().unwrap_or_default();
        let pattern = Named::new(named)?;
        let root = self.repository.within(&pattern.root).unwrap_or_default();
        let mut matched = false;
        for file in self.files.keys().filter(|file| file.starts_with(&root)) {
            let whole = self.repository.top.join(file);
            let shown = if named.is_absolute() { whole } else { relative(&whole, &here) };
            // what was committed although it is ignored is not seen by a walk either
            if !self.ignored.covers(&root, file.strip_prefix(&root).unwrap_or(file)) {
                matched |= pattern.take(&shown, search, all);
            }
        }
        if matched { Ok(()) } else { Err("nothing matches the pattern".to_string()) }
    }
}

impl Ignored {
    fn read(revision: &Revision) -> Result<Self, String> {
        let mut ignored = Self::default();
        for (name, folders) in IGNORE_FILES.iter().zip(&mut ignored.0) {
            let all = revision.files.iter().filter(|(path, _)| path.file_name() == Some(OsStr::new(name)));
            let (paths, blobs): (Vec<_>, Vec<_>) = all.unzip();
            let texts = revision.blobs(&blobs, u64::MAX).map_err(|error| error.to_string())?;
            for (path, text) in paths.into_iter().zip(texts) {
                let mut builder = GitignoreBuilder::new("");
                for line in String::from_utf8_lossy(&text.unwrap_or_default()).lines() {
                    // a line that is no pattern is passed over, as git does
                    let _ = builder.add_line(None, line);
                }
                if let Ok(patterns) = builder.build() {
                    folders.insert(path.parent().unwrap_or(Path::new("")).to_path_buf(), patterns);
                }
            }
        }
        Ok(ignored)
    }

    /// Whether a walk from a folder on passes over a file below it.
    fn covers(&self, from: &Path, rest: &Path) -> bool {
        if self.0.iter().all(BTreeMap::is_empty) {
            return false;
        }
        let whole = from.join(rest);
        let (first, count) = (from.components().count() + 1, whole.components().count());
        (first..=count).any(|length| {
            let path: PathBuf = whole.components().take(length).collect();
            self.names(&path, length < count)
        })
    }

    /// Whether the patterns name a file or folder itself; those of the nearest folder count.
    fn names(&self, path: &Path, folder: bool) -> bool {
        for folders in &self.0 {
            for around in path.ancestors().skip(1) {
                let Some(patterns) = folders.get(around) else { continue };
                let said = patterns.matched(path.strip_prefix(around).unwrap_or(path), folder);
                if !said.is_none() {
                    return said.is_ignore();
                }
            }
        }
        false
    }
}

/// Why git did not answer.
enum Failure {
    /// There is no git.
    Missing,
    /// What it says.
    Said(String),
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null());
    // its words in English; no lock taken, nothing fetched, nobody asked
    let settings = [
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
    ];
    command.envs(settings);
    command
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let done = command(folder, arguments).output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Missing,
        _ => Failure::Said(error.to_string()),
    })?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said = said.lines().next().unwrap_or("it failed");
    Err(Failure::Said(said.trim_start_matches("fatal: ").to_string()))
}

/// A path as git writes it with `-z`: its bytes.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path as git writes it with `-z`: UTF-8.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
