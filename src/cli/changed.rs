//! `check --changed`: the findings that a change touches or causes.
//!
//! A finding is left out if it was there at the base just so: the same rule at the same place of the same file
//! (which may have moved and have had another name), in the same words and at least as grave, while every line that it shows and the
//! block of every policy and queue that it shows reads as it did. Everything else has come of the change.

use super::args::FileOptions;
use super::complain;
use super::run::{Memory, Run};
use crate::config::ConfigError;
use crate::document::{self, Format, Kind, Node};
use crate::finding::{Finding, Severity};
use crate::model::Facts;
use crate::source::discover::{absolute, slashes};
use crate::source::git::{Repository, Revision};
use crate::source::rename::{self, Named};
use crate::source::{Place, SourceText, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A base to compare with.
pub(super) struct Since {
    base: Revision,
    memory: Memory,
}

impl Since {
    /// The base that a name stands for, and the files as they are now beside it. What is no revision but a
    /// file or folder is a path, and the base is HEAD. The error says what to do.
    pub(super) fn open(name: &str, options: &mut FileOptions) -> Result<(Self, Tree), String> {
        let repository = repository(&options.paths)?;
        let fork = match repository.fork(name, "HEAD") {
            Err(_) if name != "HEAD" && Path::new(name).exists() => {
                options.paths.insert(0, PathBuf::from(name));
                repository.fork("HEAD", "HEAD")?
            }
            Err(_) if name.contains("..") => {
                let base = name.split("..").next().filter(|base| !base.is_empty()).unwrap_or("BASE");
                return Err(format!(
                    "--changed takes one revision and compares the files as they are with it, not the range {name}; \
                     write --changed={base}, or retrylint diff {name}"
                ));
            }
            fork => fork?,
        };
        let base = repository.revision(&fork)?;
        let mut unchanged = base.unchanged()?;
        if let Some(name) =
            options.stdin_filename.as_ref().filter(|_| options.paths.iter().any(|p| p.as_os_str() == "-"))
        {
            unchanged.remove(&absolute(name));
        }
        Ok((Self { base, memory: Memory::default() }, Tree::Disk(unchanged)))
    }

    /// Where facts are kept for both sides.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Those of the findings that the change touches or causes.
    pub(super) fn caused(
        self,
        now: &Run,
        findings: Vec<Finding>,
        options: &FileOptions,
    ) -> Result<Vec<Finding>, ConfigError> {
        let name = self.base.name.clone();
        let asked = now.config.asked.clone();
        let tree = Tree::Revision(Box::new(self.base));
        let config = match super::run::configuration(options, &tree) {
            Ok(config) => config,
            Err(error) => {
                complain(format_args!("{name}:{error}; the settings of now are taken for then"));
                super::run::configuration(options, &Tree::default())?
            }
        };
        let mut before = Run::configured(options, tree, &self.memory, config);
        before.config.asked = asked;
        let was = before.findings();
        let renamed = renames(&before, now);
        let newer: BTreeMap<&str, &str> =
            renamed.iter().map(|(new, old)| (old.as_str(), new.as_str())).collect();
        let changed = |run: &Run, file: &str| now.tree.blob(&run.path(file)).is_none();
        let then = Side::of(&before, &was, &changed);
        let here = Side::of(now, &findings, &changed);
        let mut known: HashMap<Vec<String>, Vec<Severity>> = HashMap::new();
        for finding in &was {
            let name = |file: &str| newer.get(file).map_or(file, |new| new).to_string();
            known.entry(then.print(finding, &name)).or_default().push(finding.severity);
        }
        let Tree::Revision(base) = &before.tree else { return Ok(findings) };
        let mut caused = Vec::new();
        for finding in findings {
            let known = known.get_mut(&here.print(&finding, &str::to_string));
            // one that was less grave is not known
            let same = known.and_then(|known| {
                let at = known.iter().position(|then| *then >= finding.severity)?;
                Some(known.swap_remove(at))
            });
            match same {
                Some(_) => {}
                None if base.is_foreign(&now.path(&finding.file)) => {}
                None => caused.push(finding),
            }
        }
        Ok(caused)
    }
}

/// The repository that all of the paths are in.
pub(super) fn repository(paths: &[PathBuf]) -> Result<Repository, String> {
    let paths: Vec<&Path> =
        paths.iter().map(PathBuf::as_path).filter(|path| path.as_os_str() != "-").collect();
    let repository = Repository::around(paths.first().copied().unwrap_or(Path::new(".")))?;
    match paths.iter().find(|path| repository.within(path).is_none()) {
        Some(path) => Err(format!(
            "{} is not in the same repository as the others; name the paths of one repository at a time",
            slashes(path)
        )),
        None => Ok(repository),
    }
}

/// The old names of files that a change has renamed, by their new ones; only of files that say something.
pub(super) fn renames(before: &Run, after: &Run) -> BTreeMap<String, String> {
    let only = |one: &Run, other: &Run| -> Vec<Named> {
        let names = one.project.files.iter().map(|file| file.path.as_str());
        let gone: HashSet<&str> = names.filter(|name| !other.tree.is_file(&one.path(name))).collect();
        one.texts(gone).into_iter().collect()
    };
    let removed = only(before, after);
    if removed.is_empty() { BTreeMap::new() } else { rename::renames(&removed, &only(after, before)) }
}

/// One side of a change: the texts of its changed files with the blocks of what they say.
struct Side(BTreeMap<String, Text>);

struct Text {
    source: SourceText,
    /// Bytes of each policy and queue, by their pointers.
    blocks: BTreeMap<String, (usize, usize)>,
}

/// A longer line is taken for the part that a finding shows.
const LONG_LINE: usize = 500;

impl Side {
    fn of(run: &Run, findings: &[Finding], changed: &dyn Fn(&Run, &str) -> bool) -> Self {
        let files = findings.iter().flat_map(|finding| {
            std::iter::once(&finding.file).chain(finding.related.iter().map(|label| &label.file))
        });
        let files: HashSet<&str> = files.map(String::as_str).filter(|file| changed(run, file)).collect();
        let facts: HashMap<&str, &Facts> =
            run.project.files.iter().map(|file| (file.path.as_str(), &file.facts)).collect();
        let text = |(file, text): (String, String)| {
            let text = Text::new(&file, text, facts.get(file.as_str()).copied());
            (file, text)
        };
        Self(run.texts(files).into_iter().map(text).collect())
    }

    /// What makes a finding the same on both sides.
    fn print(&self, finding: &Finding, name: &dyn Fn(&str) -> String) -> Vec<String> {
        let text = self.0.get(&finding.file);
        let mut print = vec![finding.rule.to_string(), without_indexes(&finding.pointer)];
        let block = text.and_then(|text| text.around_pointer(&finding.pointer));
        print.extend([finding.message.clone(), block.unwrap_or_default().to_string()]);
        print.extend(finding.notes.iter().cloned());
        let own = std::iter::once((&finding.file, finding.place, ""));
        let related = finding.related.iter().map(|label| (&label.file, label.place, label.message.as_str()));
        for (file, place, message) in own.chain(related) {
            let (line, block) = match self.0.get(file) {
                Some(text) => {
                    (text.line(place).to_string(), text.around(place).unwrap_or_default().to_string())
                }
                // in an unchanged file a line is what it was
                None => (place.line.to_string(), String::new()),
            };
            print.extend([name(file), message.to_string(), line, block]);
        }
        print
    }
}

impl Text {
    fn new(file: &str, text: String, facts: Option<&Facts>) -> Self {
        let source = SourceText::new(text);
        let mut blocks = BTreeMap::new();
        if let Some(facts) = facts {
            let policies = facts.policies.iter().map(|policy| policy.pointer.as_str());
            let pointers: HashSet<&str> =
                policies.chain(facts.queues.iter().map(|queue| queue.pointer.as_str())).collect();
            let around: HashSet<&str> = pointers.iter().flat_map(|pointer| with_outer(pointer)).collect();
            let mut found = HashMap::new();
            let parsed = document::parse(&source, Format::of(file, source.as_str()));
            for document in &parsed.documents {
                find(document.root(), &around, &mut found);
            }
            for pointer in pointers {
                let ways: Vec<_> = with_outer(pointer).filter_map(|outer| found.get(outer)).collect();
                // a list's items move together: then the block is the whole item
                let item = ways.iter().rev().find(|block| block.2).or(ways.last());
                if let Some((start, end, _)) = item {
                    blocks.insert(pointer.to_string(), (*start, *end));
                }
            }
        }
        Self { source, blocks }
    }

    fn get(&self, (start, end): (usize, usize)) -> Option<&str> {
        self.source.as_str().get(start..end)
    }

    /// The block of the innermost policy or queue that a pointer is in.
    fn around_pointer(&self, pointer: &str) -> Option<&str> {
        let blocks: Vec<_> = with_outer(pointer).filter_map(|outer| self.blocks.get(outer)).collect();
        self.get(**blocks.last()?)
    }

    /// The smallest block that a place is in.
    fn around(&self, place: Place) -> Option<&str> {
        let at = place.start as usize;
        let around = self.blocks.values().filter(|(start, end)| (*start..*end).contains(&at));
        self.get(*around.min_by_key(|(start, end)| end - start)?)
    }

    fn line(&self, place: Place) -> &str {
        let text = self.source.as_str();
        let (start, end) = (place.start as usize, (place.end as usize).max(place.start as usize));
        let from = text.get(..start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
        let to = text.get(end..).and_then(|text| text.find('\n')).map_or(text.len(), |at| end + at);
        let whole = if to - from > LONG_LINE { text.get(start..end) } else { text.get(from..to) };
        whole.unwrap_or_default().trim()
    }
}

/// The bytes of the nodes with these pointers, and whether they are items of a list.
fn find(node: Node<'_>, wanted: &HashSet<&str>, found: &mut HashMap<String, (usize, usize, bool)>) {
    let pointer = node.pointer();
    if !wanted.contains(pointer.as_str()) {
        return;
    }
    let item = node.parent().is_some_and(|parent| parent.kind() == Kind::List);
    let (start, end) = (node.key_place().start as usize, node.place().end as usize);
    found.insert(pointer, (start, end, item));
    node.children().for_each(|child| find(child, wanted, found));
}

/// What a pointer is within, and itself, from the outside in.
fn with_outer(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.match_indices('/').map(|(end, _)| &pointer[..end]).chain([pointer])
}

/// A pointer without the positions in lists and streams, which move when others come and go.
fn without_indexes(pointer: &str) -> String {
    let step = |step: &str| !step.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').filter(|part| part.is_empty() || step(part)).collect::<Vec<_>>().join("/")
}
