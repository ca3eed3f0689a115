//! The way through, from paths to findings.

use super::args::{FileOptions, ReadOptions};
use super::progress::Progress;
use super::suppress::{CommentAt, Suppressions};
use crate::config::{self, Config, ConfigError, nearest};
use crate::dialect::{self, own::Own};
use crate::document::{self, Format, Parsed};
use crate::finding::{Finding, Label, Severity, Silenced, Silencer};
use crate::fix::Made;
use crate::model::{Annotation, Bound, Facts, Origin, Policy, Says, Setting, Unreadable, annotation, secret};
use crate::report::{Source, Summary};
use crate::rule;
use crate::schedule;
use crate::source::discover::{Discovered, Found, Search, absolute, slashes};
use crate::source::git::Blob;
use crate::source::prefilter::Prefilter;
use crate::source::read::{self, Content, Skip};
use crate::source::{Place, SourceText, Tree, why};
use crate::stack::{self, DeclaredLayer, Project, ProjectFile, Selector, StackLayer, UnusedSuppression};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Everything that was found in some files.
pub struct Run {
    /// Policies, queues and stacks.
    pub project: Project,
    /// What retrylint.toml says.
    pub config: Config,
    /// Counts, but for those of findings.
    pub summary: Summary,
    /// What went wrong with paths: the work is not complete.
    pub troubles: Vec<String>,
    /// Paths that gave nothing, and why.
    pub absent: Vec<String>,
    /// Files that were not read on, and why.
    pub skipped: Vec<(String, Skip)>,
    /// What else is to be said.
    pub said: Vec<String>,
    /// The findings that comments silence, in the order of their places.
    pub silenced: Vec<Silenced>,
    /// The bytes of standard input, and the name it goes by; None where they are too many.
    stdin: Option<(String, Vec<u8>)>,
    /// The name that it goes by.
    stdin_name: Option<String>,
    /// Texts that files are to have, by how they are shown.
    texts: BTreeMap<String, String>,
    /// Where the files are read from.
    pub(super) tree: Tree,
    /// Where each file is, by how it is shown.
    pub(super) paths: BTreeMap<String, PathBuf>,
    /// Files that only declared stacks name.
    context: BTreeSet<String>,
    /// What the user named, from the root on.
    named: BTreeSet<PathBuf>,
}

/// What was made of files, by their names and the git objects that hold them: the same bytes, the same facts.
pub type Memory = Mutex<HashMap<(String, Blob), Outcome>>;

/// Room for walks into nested values.
const STACK_SIZE: usize = 32 * 1024 * 1024;
/// The rule that needs the findings of all others.
const UNUSED_SUPPRESSION: &str = "unused-suppression";
/// What standard input is called unless it is said.
const STDIN_NAME: &str = "<stdin>";

impl Run {
    /// Reads the files and takes their facts; the error is about retrylint.toml.
    pub fn new(options: &FileOptions) -> Result<Self, ConfigError> {
        Self::over(options, Tree::default(), &Memory::default())
    }

    /// The same for files of any tree. What the memory has is not read again.
    pub fn over(options: &FileOptions, tree: Tree, memory: &Memory) -> Result<Self, ConfigError> {
        let config = configuration(options, &tree)?;
        Ok(Self::configured(options, tree, memory, config))
    }

    /// The same with settings that are read already.
    pub(super) fn configured(options: &FileOptions, tree: Tree, memory: &Memory, mut config: Config) -> Self {
        let ReadOptions { threads, max_file_size, .. } = options.reading;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).stack_size(STACK_SIZE).build();
        let stdin_name = options.paths.iter().any(|path| is_stdin(path)).then(|| {
            let name = options.stdin_filename.clone().unwrap_or_else(|| STDIN_NAME.into());
            Found { shown: slashes(&name), path: name }
        });
        let (Discovered { found, left_out, absent, troubles }, context) =
            files(options, &tree, &config, stdin_name.as_ref());
        name_as_found(&mut config, found.iter().chain(&stdin_name));
        let filters = Filters::new(&config);
        let progress = Progress::new(found.len());
        let look_at_all = || -> Vec<Looked> {
            // what a dialect of retrylint.toml makes of a file hangs on that
            let plain = |found: &Found| config.dialects_of(&found.shown).is_empty();
            let name = |found: &Found| {
                let blob = tree.blob(&found.path).filter(|_| plain(found))?;
                Some((found.shown.clone(), blob.clone()))
            };
            let recall = |found: &Found| {
                let memory = memory.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                Some(Looked { path: found.shown.clone(), outcome: memory.get(&name(found)?)?.clone() })
            };
            let (mut all, mut rest) = (Vec::new(), Vec::new());
            for found in &found {
                match recall(found) {
                    Some(looked) => all.push(looked),
                    None => rest.push(found),
                }
            }
            all.extend(tree.each(
                &rest,
                max_file_size,
                &|found| filters.of(&found.shown),
                |found, content| {
                    let looked = look(&found.shown, content, &config);
                    if let Some(name) = name(found) {
                        let mut memory = memory.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        memory.insert(name, looked.outcome.clone());
                    }
                    progress.step();
                    looked
                },
            ));
            all.par_sort_by(|one, other| one.path.cmp(&other.path));
            all
        };
        let mut looked = match pool {
            Ok(pool) => pool.install(look_at_all),
            Err(_) => look_at_all(),
        };
        drop(progress);
        let mut stdin = None;
        let stdin_name = stdin_name.map(|found| found.shown);
        if let (Some(name), Tree::Disk(_)) = (stdin_name.clone(), &tree) {
            let mut bytes = Vec::new();
            let limit = max_file_size.saturating_add(1);
            let read = io::stdin().lock().take(limit).read_to_end(&mut bytes);
            let filter = filters.of(&name);
            let content = read.and_then(|_| read::stream(&mut bytes.as_slice(), max_file_size, filter));
            looked.push(look(&name, content, &config));
            stdin = (bytes.len() as u64 <= max_file_size).then_some((name, bytes));
        }
        let out = |path| Looked { path, outcome: Outcome::Skipped(Skip::LeftOut) };
        looked.extend(left_out.into_iter().map(out));
        let paths = found.into_iter().map(|found| (found.shown, found.path)).collect();
        let whole = matches!(tree, Tree::Disk(_)) && covers(&options.paths, config.root());
        let run = Self {
            project: Project::default(),
            config,
            summary: Summary::default(),
            troubles,
            absent,
            skipped: Vec::new(),
            said: Vec::new(),
            silenced: Vec::new(),
            stdin,
            stdin_name,
            tree,
            texts: BTreeMap::new(),
            paths,
            context,
            named: options.paths.iter().map(|path| absolute(path)).collect(),
        };
        let mut run = run.collect(looked);
        if whole {
            let files: Vec<_> = run.paths.keys().map(String::as_str).collect();
            let policies = run.project.files.iter().flat_map(|file| &file.facts.policies);
            let dialects = policies.map(|policy| policy.dialect.as_ref()).collect();
            run.said.extend(run.config.idle(&files, &dialects));
        }
        run
    }

    fn collect(mut self, looked: Vec<Looked>) -> Self {
        let mut files = Vec::new();
        for one in looked {
            let context = self.context.contains(&one.path);
            self.summary.files_seen += usize::from(!context);
            match one.outcome {
                Outcome::Facts(mut facts) => {
                    declare(&one.path, &mut facts, &self.config);
                    self.summary.files_parsed += usize::from(!context);
                    if !context {
                        self.summary.policies += facts.policies.len();
                        self.summary.queues += facts.queues.len();
                    }
                    let says_something = !facts.annotations.is_empty()
                        || !facts.policies.is_empty()
                        || !facts.queues.is_empty()
                        || !facts.workloads.is_empty()
                        || !facts.unreadable.is_empty();
                    if says_something {
                        let schedules = facts.policies.iter().map(schedule::schedule).collect();
                        files.push(ProjectFile { path: one.path, facts: *facts, schedules });
                    }
                }
                Outcome::Skipped(why) => {
                    self.summary.files_skipped += usize::from(!context);
                    self.skip(one.path, why);
                }
                Outcome::Failed(why) => self.troubles.push(format!("{}: {why}", one.path)),
            }
        }
        self.troubles.extend(lost_deadlines(&files, &self.config));
        self.build(files);
        self
    }

    /// A file that is named is expected to be read: where it cannot be, the work is not complete.
    fn skip(&mut self, path: String, why: Skip) {
        let is_stdin = self.stdin_name.as_ref() == Some(&path);
        if !is_stdin && !self.named.contains(&absolute(&self.path(&path))) {
            self.skipped.push((path, why));
        } else {
            match why {
                Skip::NothingInIt | Skip::LeftOut => self.skipped.push((path, why)),
                Skip::Template => self.said.push(format!("{path}: {why}, and not checked; render it first")),
                _ => self.troubles.push(format!("{path}: {why}")),
            }
        }
    }

    /// How many paths and files could not be checked.
    pub(super) fn failures(&self) -> usize {
        self.absent.len() + self.troubles.len()
    }

    fn build(&mut self, files: Vec<ProjectFile>) {
        self.project = stack::build(files, &self.config.stacks);
        for lost in &mut self.project.lost_layers {
            lost.selector.file = self.config.relative(&lost.selector.file);
            for candidate in &mut lost.candidates {
                if let Some((file, policy)) = candidate.split_once('#') {
                    *candidate = format!("{}#{policy}", self.config.relative(file));
                }
            }
        }
        self.project.config_path = self.config.path.clone();
        let asked = |layer: &StackLayer| {
            self.project.found(layer.source).is_some_and(|found| self.is_asked_for(found.path()))
        };
        let stacks = self.project.stacks.iter();
        self.summary.stacks = stacks.filter(|stack| stack.layers.iter().any(asked)).count();
    }

    /// The findings when some files have these texts, which they keep.
    pub(super) fn findings_with(&mut self, texts: BTreeMap<String, String>) -> Vec<Finding> {
        let mut files = std::mem::take(&mut self.project.files);
        for file in &mut files {
            let Some(text) = texts.get(&file.path) else { continue };
            let own = self.config.dialects_of(&file.path);
            let mut facts = facts(&file.path, text.clone(), &own).unwrap_or_default();
            declare(&file.path, &mut facts, &self.config);
            file.schedules = facts.policies.iter().map(schedule::schedule).collect();
            file.facts = facts;
        }
        self.texts.extend(texts);
        self.build(files);
        self.summary.suppressed = 0;
        self.silenced.clear();
        self.findings()
    }

    /// Whether a file was asked for, and not only named by retrylint.toml.
    pub(super) fn is_asked_for(&self, file: &str) -> bool {
        !self.context.contains(file)
    }

    /// Standard input, where it was asked for and is not too long: what it is called, and its bytes.
    pub(super) fn stdin(&self) -> Option<(&str, &[u8])> {
        self.stdin.as_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// The text of a file, where it is UTF-8.
    pub(super) fn exact_text(&self, file: &str) -> Option<String> {
        self.texts.get(file).cloned().or_else(|| String::from_utf8(self.bytes(file)?).ok())
    }

    fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        if let Some((_, bytes)) = self.stdin.as_ref().filter(|(name, _)| name == file) {
            return Some(bytes.clone());
        }
        self.tree.bytes(&self.path(file)).ok()
    }

    /// The findings that are neither off nor suppressed, in the order of their places.
    pub fn findings(&mut self) -> Vec<Finding> {
        let mut all = Vec::new();
        for rule in rule::all() {
            (rule.check)(&self.project, &self.config.limits, &mut all);
        }
        let mut used = BTreeSet::new();
        let mut kept = self.unsuppressed(all, &mut used);
        self.project.unused_suppressions = self.unused(&used);
        let mut unused = Vec::new();
        for rule in rule::all().iter().filter(|rule| rule.id == UNUSED_SUPPRESSION) {
            (rule.check)(&self.project, &self.config.limits, &mut unused);
        }
        kept.extend(self.unsuppressed(unused, &mut used));
        kept.sort_by(|a, b| key(a).cmp(&key(b)));
        // one place that several policies share, as by an alias or a profile, says it once
        kept.dedup_by(|b, a| key(a) == key(b));
        kept.retain(|finding| self.config.asked.wants(finding.rule));
        self.silenced.sort_by(|a, b| key(&a.finding).cmp(&key(&b.finding)));
        kept
    }

    /// Counts the findings that are shown.
    pub fn count(&mut self, findings: &[Finding]) {
        for finding in findings {
            match finding.severity {
                Severity::Error => self.summary.errors += 1,
                Severity::Warning => self.summary.warnings += 1,
                Severity::Note => self.summary.notes += 1,
            }
        }
    }

    /// Those of the findings that are neither off nor suppressed, with their severities; keeps which
    /// comments were of use.
    fn unsuppressed(&mut self, all: Vec<Finding>, used: &mut BTreeSet<CommentAt>) -> Vec<Finding> {
        let suppressions = Suppressions::new(&self.project);
        let (mut kept, mut silenced) = (Vec::new(), Vec::new());
        for mut finding in all {
            let Some(severity) = self.config.severity(finding.rule, &finding.file, finding.severity) else {
                continue;
            };
            finding.severity = severity;
            let concerns = |file: &str| !self.context.contains(file);
            // that retrylint.toml declares the stack concerns nobody who did not ask for one of its layers
            let related = |label: &Label| concerns(&label.file) && label.file != self.project.config_path;
            if !concerns(&finding.file) && !finding.related.iter().any(related) {
                continue;
            }
            let silencing = suppressions.silencing(&finding);
            if silencing.is_empty() {
                kept.push(finding);
            } else {
                if self.config.asked.wants(finding.rule) {
                    let reason = silencing.iter().find_map(|at| self.reason(*at));
                    silenced.push(Silenced { finding, by: Silencer::Comment(reason) });
                }
                used.extend(silencing);
            }
        }
        self.summary.suppressed += silenced.len();
        self.silenced.append(&mut silenced);
        kept
    }

    /// Why a comment silences, where it says it.
    fn reason(&self, (file, n): CommentAt) -> Option<String> {
        match &self.project.files.get(file)?.facts.annotations.get(n)?.says {
            Says::Ignore(what) | Says::IgnoreFile(what) => what.reason.clone(),
            _ => None,
        }
    }

    /// Comments that silenced nothing, although each rule that they name is on. One for a whole file may
    /// stand there for what comes.
    fn unused(&self, used: &BTreeSet<CommentAt>) -> Vec<UnusedSuppression> {
        let mut unused = Vec::new();
        for (at, file) in self.project.files.iter().enumerate() {
            for (n, annotation) in file.facts.annotations.iter().enumerate() {
                let Says::Ignore(suppression) = &annotation.says else { continue };
                let on = |rule: &String| {
                    rule::all().iter().any(|known| known.id == rule)
                        && self.config.severity(rule, &file.path, Severity::Note).is_some()
                };
                if !used.contains(&(at, n))
                    && suppression.rules.iter().all(on)
                    && !self.context.contains(&file.path)
                {
                    unused.push(UnusedSuppression { file: file.path.clone(), place: annotation.place });
                }
            }
        }
        unused
    }

    /// Where a file is that is shown.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.paths.get(file).cloned().unwrap_or_else(|| PathBuf::from(file))
    }

    /// The texts of files, read again at once; of those that can be read.
    pub(super) fn texts<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> BTreeMap<String, String> {
        let named = |file: &str| Found { shown: file.to_string(), path: self.path(file) };
        let found: Vec<Found> = files.into_iter().map(named).collect();
        let found: Vec<&Found> = found.iter().collect();
        let all = Prefilter::new([]);
        let made = self.tree.each(&found, u64::MAX, &|_| &all, |found, content| match content {
            Ok(Content::Text(text)) => Some((found.shown.clone(), text)),
            _ => None,
        });
        let stdin = self.stdin.iter().filter(|(name, _)| found.iter().any(|found| found.shown == *name));
        let stdin =
            stdin.filter_map(|(name, bytes)| Some((name.clone(), String::from_utf8(bytes.clone()).ok()?)));
        made.into_iter().flatten().chain(stdin).collect()
    }

    /// How each file is shown: its text, read again, and what of it is hidden.
    pub(super) fn sources(&self) -> impl Fn(&str) -> Option<Source> {
        let facts: HashMap<&str, &Facts> =
            self.project.files.iter().map(|file| (file.path.as_str(), &file.facts)).collect();
        move |file| {
            let hidden = facts.get(file).map(|facts| facts.hidden().collect());
            Some(Source { text: self.text(file)?, hidden: hidden.unwrap_or_default() })
        }
    }

    /// How a text would be shown as a file of this name.
    pub(super) fn source_of(&self, file: &str, text: String) -> Source {
        let facts = facts(file, text.clone(), &self.config.dialects_of(file)).unwrap_or_default();
        Source { text, hidden: facts.hidden().collect() }
    }

    /// The text of a file, read again.
    pub fn text(&self, file: &str) -> Option<String> {
        if let Some(text) = self.texts.get(file) {
            return Some(text.clone());
        }
        let bytes = self.bytes(file)?;
        // what is no UTF-8 is shown as far as it is
        (!read::is_wide(&bytes)).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What a file has to hold to be parsed.
struct Filters<'c> {
    config: &'c Config,
    /// Of the files that a dialect of retrylint.toml is for.
    own: Prefilter,
}

impl<'c> Filters<'c> {
    fn new(config: &'c Config) -> Self {
        let declared: Option<Vec<_>> = config
            .dialects
            .iter()
            .map(|own| Some(own.markers()).filter(|markers| !markers.is_empty()))
            .collect();
        let own = declared.map_or_else(
            || Prefilter::new([]),
            |declared| {
                let words = dialect::all().flat_map(|dialect| dialect.markers.iter().copied());
                Prefilter::new(words.chain(declared.into_iter().flatten()))
            },
        );
        Self { config, own }
    }

    fn of(&self, path: &str) -> &Prefilter {
        if self.config.dialects_of(path).is_empty() { &dialect::PREFILTER } else { &self.own }
    }
}

fn key(finding: &Finding) -> (&str, u32, u32, &str, &str) {
    (&finding.file, finding.place.line, finding.place.column, finding.rule, &finding.message)
}

pub(super) fn configuration(options: &FileOptions, tree: &Tree) -> Result<Config, ConfigError> {
    if options.reading.no_config {
        return Ok(Config::default());
    }
    let first = match options.paths.first() {
        Some(path) if is_stdin(path) => options.stdin_filename.as_deref(),
        path => path.map(PathBuf::as_path),
    };
    // one that is named may stand outside of a revision
    let named = options.reading.config.clone();
    let on_disk = named.as_ref().is_some_and(|path| !tree.is_file(path));
    let find = || config::find(first.unwrap_or(Path::new(".")), |path| tree.is_file(path));
    match named.or_else(find) {
        Some(path) if on_disk => config::read(&path, std::fs::read_to_string(&path)),
        Some(path) => config::read(&path, tree.text(&path)),
        None => Ok(Config::default()),
    }
}

/// Whether a folder is searched as a whole.
fn covers(paths: &[PathBuf], folder: &Path) -> bool {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here[..] } else { paths };
    paths.iter().any(|path| folder.starts_with(absolute(path)))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files that were asked for, and the names of those that retrylint.toml names beside them.
fn files(
    options: &FileOptions,
    tree: &Tree,
    config: &Config,
    stdin: Option<&Found>,
) -> (Discovered, BTreeSet<String>) {
    let here = [PathBuf::from(".")];
    let mut named: Vec<PathBuf> = options.paths.iter().filter(|path| !is_stdin(path)).cloned().collect();
    if let Tree::Revision(_) = tree {
        named.extend(stdin.map(|found| found.path.clone()));
    }
    let paths = if options.paths.is_empty() { &here[..] } else { &named };
    let wanted = |path: &Path| {
        (Format::is_config(&path.to_string_lossy())
            || !config.dialects_of(&path.to_string_lossy()).is_empty())
            && path.file_name().is_none_or(|name| name != config::FILE_NAME)
            && (config.own_files.is_empty() || !config.own_files.contains(&absolute(path)))
    };
    let threads = options.reading.threads.into();
    let mut all = tree.discover(&Search { paths, wanted: &wanted, patterns: &config.patterns, threads });
    if selectors(config).next().is_none() {
        return (all, BTreeSet::new());
    }
    let mut known: BTreeSet<PathBuf> =
        all.found.iter().chain(stdin).map(|found| absolute(&found.path)).collect();
    let current = std::env::current_dir().unwrap_or_default();
    let mut context = BTreeSet::new();
    for selector in selectors(config) {
        let path = PathBuf::from(&selector.file);
        if tree.is_file(&path) && known.insert(path.clone()) {
            let shown = slashes(path.strip_prefix(&current).unwrap_or(&path));
            context.insert(shown.clone());
            all.found.push(Found { shown, path });
        }
    }
    (all, context)
}

fn selectors(config: &Config) -> impl Iterator<Item = &Selector> {
    let layers = config.stacks.iter().flat_map(|stack| &stack.layers);
    let layers = layers.filter_map(|layer| match layer {
        DeclaredLayer::Policy(selector) => Some(selector),
        DeclaredLayer::Foreign { .. } => None,
    });
    layers.chain(config.deadlines.iter().map(|(selector, _)| selector))
}

/// Makes the files of selectors equal to the names that the found files are shown by.
fn name_as_found<'f>(config: &mut Config, found: impl Iterator<Item = &'f Found>) {
    if selectors(config).next().is_none() {
        return;
    }
    let shown: BTreeMap<String, &str> =
        found.map(|found| (slashes(&absolute(&found.path)), found.shown.as_str())).collect();
    let current = slashes(&std::env::current_dir().unwrap_or_default());
    let name = |selector: &mut Selector| {
        selector.file = match shown.get(&selector.file) {
            Some(shown) => shown.to_string(),
            None => {
                let below = selector.file.strip_prefix(&current).and_then(|rest| rest.strip_prefix('/'));
                below.unwrap_or(&selector.file).to_string()
            }
        };
    };
    for stack in &mut config.stacks {
        for layer in &mut stack.layers {
            if let DeclaredLayer::Policy(selector) = layer {
                name(selector);
            }
        }
    }
    config.deadlines.iter_mut().for_each(|(selector, _)| name(selector));
}

/// What a look at one file gave.
struct Looked {
    path: String,
    outcome: Outcome,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// What it says.
    Facts(Box<Facts>),
    /// It was not read on, and why.
    Skipped(Skip),
    /// It could not be read, and why.
    Failed(String),
}

fn look(path: &str, content: io::Result<Content>, config: &Config) -> Looked {
    let outcome = match content {
        Err(error) => Outcome::Failed(why(&error)),
        Ok(Content::Skipped(skip)) => Outcome::Skipped(skip),
        Ok(Content::NotUtf8 { before, wide }) => Outcome::Facts(Box::new(not_utf8(before, wide))),
        Ok(Content::Text(text)) => match facts(path, text, &config.dialects_of(path)) {
            Some(facts) => Outcome::Facts(Box::new(facts)),
            None => Outcome::Skipped(Skip::Template),
        },
    };
    Looked { path: path.to_string(), outcome }
}

fn not_utf8(before: String, wide: bool) -> Facts {
    let at = before.len();
    let place = Place { end: at as u32, ..SourceText::new(before).place(at, at) };
    let message = if wide {
        "the file is UTF-16 or UTF-32, and only UTF-8 is read".to_string()
    } else {
        format!("the byte at offset {at} is no UTF-8")
    };
    let unreadable = Unreadable {
        place,
        message,
        help: "Save the file as UTF-8.".to_string(),
        related: None,
        warning: false,
        hidden: false,
    };
    Facts { unreadable: vec![unreadable], ..Facts::default() }
}

/// What a file says, `own` being the dialects of retrylint.toml that are for it; None for a template. A pure
/// function of the file's name and text.
pub fn facts(path: &str, text: String, own: &[&Own]) -> Option<Facts> {
    let format = Format::of(path, &text);
    let source = SourceText::new(text);
    let wants = |text: &str| !own.is_empty() || dialect::wants(text);
    let parsed = document::parse_wanted(&source, format, &wants);
    if parsed.template {
        return None;
    }
    let mut facts = Facts { annotations: annotation::parse(&parsed.comments), ..Facts::default() };
    dialect::read(&parsed, path, own, &mut facts);
    facts.policies.sort_by_key(|policy| policy.place.start);
    facts.queues.sort_by_key(|queue| queue.place.start);
    facts.unreadable = unreadable(&parsed, &facts);
    for Annotation { line, says, place } in facts.annotations.clone() {
        if let Says::Deadline(time) = says {
            for policy in facts.policies.iter_mut().filter(|policy| policy.place.line == line) {
                policy.deadline = Setting::written(time, place);
            }
        }
    }
    Some(facts)
}

/// Comments that speak to retrylint, and that it does not understand.
fn unclear(annotation: &Annotation) -> Option<Unreadable> {
    let known: Vec<_> = rule::all().iter().map(|rule| rule.id).collect();
    let (message, hidden) = match &annotation.says {
        Says::Unclear { message, hidden } => (message.clone(), *hidden),
        Says::Ignore(suppression) | Says::IgnoreFile(suppression) => {
            let wrong = suppression.rules.iter().find(|rule| !known.contains(&rule.as_str()))?;
            (nearest::unknown("rule", wrong, &known), !secret::is_plain("", wrong))
        }
        Says::Deadline(_) => return None,
    };
    Some(Unreadable {
        place: annotation.place,
        message,
        help: "Correct the comment; as it stands it does nothing.".to_string(),
        related: None,
        warning: true,
        hidden,
    })
}

/// Syntax that cannot be read, comments that are not understood, and equal keys where something was found.
fn unreadable(parsed: &Parsed<'_>, facts: &Facts) -> Vec<Unreadable> {
    let faults = parsed.faults.iter().map(|fault| Unreadable {
        place: fault.place,
        message: fault.message.clone(),
        help: fault.help.clone(),
        related: None,
        warning: false,
        hidden: false,
    });
    let found = !facts.policies.is_empty() || !facts.queues.is_empty();
    let duplicates = parsed.documents.iter().filter(|_| found).flat_map(|document| document.duplicates());
    let duplicates = duplicates.map(|duplicate| Unreadable {
        place: duplicate.first,
        message: format!("the key {} stands twice, and only the last one counts", duplicate.key),
        help: "Remove one of the two.".to_string(),
        related: Some((duplicate.last, "this one counts".to_string())),
        warning: true,
        hidden: false,
    });
    faults.chain(facts.annotations.iter().filter_map(unclear)).chain(duplicates).collect()
}

/// Whether a selector names a policy of a file; one without a policy names the only one.
fn names(selector: &Selector, path: &str, policy: &Policy, alone: bool) -> bool {
    let fits = |name: &String| *name == policy.name || *name == policy.pointer;
    selector.file == path && selector.policy.as_ref().map_or(alone, fits)
}

/// What the user declares for what the files do not say.
fn declare(path: &str, facts: &mut Facts, config: &Config) {
    for (selector, time) in &config.deadlines {
        let alone = facts.policies.len() == 1;
        for policy in facts.policies.iter_mut().filter(|policy| names(selector, path, policy, alone)) {
            policy.deadline =
                Setting::new(Bound::At(*time), Origin::Declared("declared in retrylint.toml".into()));
        }
    }
    if let Some(time) = config.assumed_attempt_timeout {
        for policy in &mut facts.policies {
            let timeout = &mut policy.attempt_timeout;
            if timeout.is_unlimited() && timeout.origin.is_default() {
                let why = "[assume] attempt-timeout of retrylint.toml";
                *timeout = Setting::new(Bound::At(time), Origin::Assumed(why.into(), None));
            }
        }
    }
}

/// Deadlines that are declared for policies which are not there.
fn lost_deadlines(files: &[ProjectFile], config: &Config) -> Vec<String> {
    let mut lost = Vec::new();
    for (selector, _) in &config.deadlines {
        let of_file =
            || files.iter().filter(|file| file.path == selector.file).map(|file| &file.facts.policies);
        let found = |policies: &Vec<Policy>| {
            policies.iter().any(|policy| names(selector, &selector.file, policy, policies.len() == 1))
        };
        if of_file().any(found) {
            continue;
        }
        let names: Vec<_> = of_file().flatten().map(|policy| format!("#{}", policy.name)).collect();
        let Place { line, column, .. } = selector.place;
        let policy = selector.policy.as_ref().map_or(String::new(), |policy| format!("#{policy}"));
        let there = match names.as_slice() {
            [] => "which has no policy; `retrylint inspect` lists those that are found".to_string(),
            names => format!("which is not one policy; there are {}", names.join(", ")),
        };
        let file = config.relative(&selector.file);
        lost.push(format!("{}:{line}:{column}: the deadline is for {file}{policy}, {there}", config.path));
    }
    lost
}

/// The findings in bytes as a file of this name, as without a retrylint.toml.
pub fn check_bytes(name: &str, bytes: &[u8]) -> Vec<Finding> {
    let content = read::content(bytes, &Prefilter::new([]));
    let config = Config::default();
    check(look(name, Ok(content), &config), config)
}

/// The findings in a text as a file of this name, with the text of a retrylint.toml beside it.
pub fn check_text(name: &str, text: &str, config: &str) -> Result<Vec<Finding>, ConfigError> {
    let mut config = config::parse(config, Path::new("."))?;
    let found = Found { shown: name.to_string(), path: PathBuf::from(name) };
    name_as_found(&mut config, std::iter::once(&found));
    let looked = look(name, Ok(Content::Text(text.to_string())), &config);
    Ok(check(looked, config))
}

/// A text as a file of this name with all its fixes made, as without a retrylint.toml, and what they are.
pub fn fix_text(name: &str, text: &str) -> (String, Vec<Made>) {
    let mut run =
        alone(look(name, Ok(Content::Text(text.to_string())), &Config::default()), Config::default());
    run.texts.insert(name.to_string(), text.to_string());
    let findings = run.findings();
    let fixed = super::fix::fix(&mut run, findings);
    let after = fixed.files.into_iter().next().map_or_else(|| text.to_string(), |changed| changed.after);
    (after, fixed.made)
}

fn check(looked: Looked, config: Config) -> Vec<Finding> {
    alone(looked, config).findings()
}

fn alone(looked: Looked, config: Config) -> Run {
    let run = Run {
        project: Project::default(),
        config,
        summary: Summary::default(),
        troubles: Vec::new(),
        absent: Vec::new(),
        skipped: Vec::new(),
        said: Vec::new(),
        silenced: Vec::new(),
        stdin: None,
        stdin_name: None,
        tree: Tree::default(),
        texts: BTreeMap::new(),
        paths: BTreeMap::new(),
        context: BTreeSet::new(),
        named: BTreeSet::new(),
    };
    run.collect(vec![looked])
}
