//! retrylint.toml: where it is, what it says, and what is wrong with it.

pub mod baseline;
mod dialects;
pub(crate) mod nearest;
#[cfg(test)]
mod schema;

use crate::dialect::own::Own;
use crate::finding::Severity;
use crate::model::notation::{self, Amount};
use crate::model::{Duration, secret};
use crate::rule::{self, Limits};
use crate::source::discover::{Globs, Patterns, absolute, slashes};
use crate::source::{self, Place, SourceText};
use crate::stack::{DeclaredLayer, DeclaredStack, Selector};
use dialects::WrittenDialect;
use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// What the file is called.
pub const FILE_NAME: &str = "retrylint.toml";

/// What retrylint.toml says, or what holds without one.
#[derive(Debug, Default)]
pub struct Config {
    /// The file, as it is shown; "" without one.
    pub path: String,
    /// `include` and `exclude`.
    pub patterns: Patterns,
    /// The least severity that fails a check; None: nothing does.
    pub fail_on: Option<FailOn>,
    /// `[limits]`
    pub limits: Limits,
    /// `[assume] attempt-timeout`
    pub assumed_attempt_timeout: Option<Duration>,
    /// `[[deadline]]`
    pub deadlines: Vec<(Selector, Duration)>,
    /// `[[stack]]`
    pub stacks: Vec<DeclaredStack>,
    /// `[[dialect]]`
    pub dialects: Vec<Own>,
    /// `baseline`, from the root on.
    pub baseline: Option<PathBuf>,
    /// Files of retrylint itself, from the root on: no walk takes them.
    pub own_files: Vec<PathBuf>,
    /// Which rules the command line asks for.
    pub asked: Asked,
    levels: BTreeMap<String, Level>,
    overrides: Vec<Override>,
    /// Where the `policies` of each dialect are written.
    dialect_places: Vec<Place>,
    root: PathBuf,
}

/// Levels of rules for some files.
#[derive(Debug)]
struct Override {
    files: Globs,
    levels: BTreeMap<String, Level>,
    place: Place,
}

/// Which rules the command line asks for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Only these, even those that `[rules]` switches off; empty for all that are on.
    pub select: Vec<String>,
    /// None of these.
    pub ignore: Vec<String>,
    /// Pedantic ones as well.
    pub pedantic: bool,
}

impl Asked {
    /// Whether the findings of a rule are wanted.
    pub fn wants(&self, rule: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == rule);
        (self.select.is_empty() || names(&self.select)) && !names(&self.ignore)
    }
}

/// How a rule is set: its severity, or None for off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Level(Option<Severity>);

impl TryFrom<String> for Level {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Ok(Self(match word.as_str() {
            "off" => None,
            "note" => Some(Severity::Note),
            "warning" => Some(Severity::Warning),
            "error" => Some(Severity::Error),
            _ => return Err(nearest::unknown("level", &word, &["off", "note", "warning", "error"])),
        }))
    }
}

/// From which severity on a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(try_from = "String")]
pub enum FailOn {
    /// On any finding.
    Note,
    /// On warnings and errors.
    Warning,
    /// On errors.
    Error,
    /// Never.
    Never,
}

impl TryFrom<String> for FailOn {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Ok(match word.as_str() {
            "note" => Self::Note,
            "warning" => Self::Warning,
            "error" => Self::Error,
            "never" => Self::Never,
            _ => return Err(nearest::unknown("level", &word, &["note", "warning", "error", "never"])),
        })
    }
}

impl FailOn {
    /// The least severity that fails.
    pub fn least(self) -> Option<Severity> {
        match self {
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
            Self::Never => None,
        }
    }
}

/// retrylint.toml cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as it is shown.
    pub file: String,
    /// Where in it.
    pub place: Option<Place>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{}:{}: {}", self.file, place.line, place.column, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Settings of retrylint.
#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Written {
    /// Files to take, as in a .gitignore and relative to this file; all of them unless set.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    include: Vec<Spanned<String>>,
    /// Files to leave out of those.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    exclude: Vec<Spanned<String>>,
    /// The least severity that makes a check fail; error unless set.
    fail_on: Option<FailOn>,
    /// The findings that are known, in a file that `--write-baseline` makes.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    baseline: Option<Spanned<String>>,
    /// What is too much.
    limits: WrittenLimits,
    /// What holds where nothing is written.
    assume: WrittenAssumptions,
    /// Severities of rules.
    #[cfg_attr(test, schemars(with = "schema::Rules"))]
    rules: BTreeMap<Spanned<String>, Level>,
    /// Severities of rules for some files only.
    #[serde(rename = "override")]
    overrides: Vec<WrittenOverride>,
    /// Deadlines that no file says.
    deadline: Vec<WrittenDeadline>,
    /// Call paths.
    #[cfg_attr(test, schemars(with = "Vec<WrittenStack>"))]
    stack: Vec<Spanned<WrittenStack>>,
    /// Services with key names of their own.
    #[cfg_attr(test, schemars(with = "Vec<WrittenDialect>"))]
    dialect: Vec<Spanned<WrittenDialect>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenLimits {
    /// The most calls that the layers of a stack may multiply to; 10 unless set.
    attempt_product: Option<NonZeroU64>,
    /// The longest wait before one retry; 1 h unless set.
    single_wait: Option<WrittenTime>,
    /// What a shipper of logs or metrics has to outlast; 5 min unless set.
    outage: Option<WrittenTime>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenAssumptions {
    /// What bounds one attempt.
    attempt_timeout: Option<WrittenTime>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenOverride {
    /// The files, relative to this file.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    files: Spanned<Vec<Spanned<String>>>,
    /// Severities of rules there.
    #[cfg_attr(test, schemars(with = "schema::Rules"))]
    rules: Spanned<BTreeMap<Spanned<String>, Level>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenDeadline {
    /// `FILE`, `FILE#policy name` or `FILE#/pointer`.
    #[cfg_attr(test, schemars(with = "String"))]
    policy: Spanned<String>,
    /// What bounds all of its attempts.
    deadline: WrittenTime,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenStack {
    /// What it is called in findings.
    #[cfg_attr(test, schemars(with = "String"))]
    name: Spanned<String>,
    /// What bounds the whole of it.
    deadline: Option<WrittenTime>,
    /// The most calls that its layers may multiply to.
    max_attempts: Option<NonZeroU64>,
    /// `FILE`, `FILE#policy name`, `FILE#/pointer`, or something outside the repository; outermost first.
    #[cfg_attr(test, schemars(with = "Vec<schema::Layer>"))]
    layers: Vec<Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WrittenLayer {
    /// What it is called in findings.
    name: String,
    /// How often it tries, the first time included.
    attempts: NonZeroU64,
    /// What bounds one attempt.
    attempt_timeout: Option<WrittenTime>,
    /// What bounds all of them.
    deadline: Option<WrittenTime>,
}

/// A duration in quotes.
struct WrittenTime(Duration);

impl<'de> Deserialize<'de> for WrittenTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = WrittenTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration in quotes like \"250ms\", \"2s\" or \"1m30s\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WrittenTime, E> {
                match notation::any(text) {
                    Ok(Amount::Time(time)) if time.is_zero() => {
                        Err(E::custom("a time over 0 is expected here; leave the key out for none"))
                    }
                    Ok(Amount::Time(time)) => Ok(WrittenTime(time)),
                    Ok(Amount::Bare(_)) => {
                        Err(E::custom(format!("{} has no unit; {WRITE_TIME}", secret::quoted('"', "", text))))
                    }
                    _ => Err(E::custom(format!(
                        "{} is no duration; {WRITE_TIME}",
                        secret::quoted('"', "", text)
                    ))),
                }
            }
        }
        deserializer.deserialize_str(Text)
    }
}

const WRITE_TIME: &str = "write it like \"250ms\", \"2s\" or \"1m30s\"";

/// What serde calls what it expects, and what people call it.
const EXPECTED: &[(&str, &str)] = &[
    ("a nonzero u64", "a whole number of at least 1"),
    ("a string", "a text in quotes"),
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("u64", "a whole number"),
    ("a nonzero usize", "a whole number of at least 1"),
    ("struct Entry", "an entry with file, rule and pointer"),
    ("struct Written", "an object with version and findings"),
];

/// The nearest retrylint.toml at or above a path.
pub fn find(from: &Path, is_file: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    absolute(from).ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| is_file(path))
}

/// Takes what was read as a retrylint.toml.
pub fn read(path: &Path, text: std::io::Result<String>) -> Result<Config, ConfigError> {
    let here = std::env::current_dir().unwrap_or_default();
    let whole = absolute(path);
    let file = slashes(whole.strip_prefix(&here).unwrap_or(&whole));
    let text = text.map_err(|error| ConfigError {
        file: file.clone(),
        place: None,
        message: format!("it cannot be read: {}", source::why(&error)),
    })?;
    let root = whole.parent().unwrap_or(Path::new("")).to_path_buf();
    Reading { file, source: SourceText::new(text), root }.read()
}

/// What the nearest retrylint.toml on the disk says; what holds without one where there is none.
pub fn of(from: &Path) -> Result<Config, ConfigError> {
    let found = find(from, Path::is_file);
    found.map_or_else(|| Ok(Config::default()), |path| read(&path, std::fs::read_to_string(&path)))
}

/// Reads the text of a retrylint.toml in a folder.
pub fn parse(text: &str, root: &Path) -> Result<Config, ConfigError> {
    Reading { file: FILE_NAME.to_string(), source: SourceText::new(text.to_string()), root: absolute(root) }
        .read()
}

/// A retrylint.toml that is being read.
struct Reading {
    file: String,
    source: SourceText,
    root: PathBuf,
}

impl Reading {
    fn read(self) -> Result<Config, ConfigError> {
        let written: Written = toml::from_str(self.source.as_str()).map_err(|error| self.syntax(&error))?;
        let patterns = Patterns {
            include: self.globs(written.include)?,
            exclude: self.globs(written.exclude)?,
            root: self.root.clone(),
        };
        let default = Limits::default();
        let limits = Limits {
            attempt_product: written.limits.attempt_product.map_or(default.attempt_product, NonZeroU64::get),
            single_wait: written.limits.single_wait.map_or(default.single_wait, |time| time.0),
            outage: written.limits.outage.map_or(default.outage, |time| time.0),
        };
        let mut overrides = Vec::new();
        for one in written.overrides {
            overrides.push(self.one_override(one)?);
        }
        let mut deadlines = Vec::new();
        for one in written.deadline {
            deadlines.push((self.selector(one.policy.get_ref(), one.policy.span())?, one.deadline.0));
        }
        let mut stacks = Vec::new();
        for stack in written.stack {
            let stack = self.stack(stack, &stacks)?;
            stacks.push(stack);
        }
        let (mut dialects, mut dialect_places) = (Vec::new(), Vec::new());
        for dialect in written.dialect {
            let (dialect, place) = self.dialect(dialect, &dialects)?;
            dialects.push(dialect);
            dialect_places.push(place);
        }
        let baseline = match written.baseline {
            Some(file) if file.get_ref().is_empty() => {
                let message = "the baseline has no name; write that of a file, or leave the key out";
                return Err(self.error(Some(file.span()), message.into()));
            }
            file => file.map(|file| absolute(&self.root.join(file.get_ref()))),
        };
        Ok(Config {
            patterns,
            fail_on: written.fail_on,
            own_files: baseline.iter().cloned().collect(),
            baseline,
            asked: Asked::default(),
            limits,
            assumed_attempt_timeout: written.assume.attempt_timeout.map(|time| time.0),
            deadlines,
            stacks,
            dialects,
            levels: self.levels(written.rules)?,
            overrides,
            dialect_places,
            path: self.file,
            root: self.root,
        })
    }

    fn error(&self, span: Option<Range<usize>>, message: String) -> ConfigError {
        let place = span.map(|span| self.source.place(span.start, span.end));
        ConfigError { file: self.file.clone(), place, message }
    }

    /// What serde and the parser say, with the nearest right key for an unknown one.
    fn syntax(&self, error: &toml::de::Error) -> ConfigError {
        let said = error.message().lines().next().unwrap_or_default();
        let brackets = said == "invalid type: map, expected a sequence";
        let help = if brackets { "; a table of a list stands in two pairs of brackets" } else { "" };
        let message = format!("{}{help}", in_words(said));
        self.error(error.span(), message)
    }

    fn globs(&self, written: Vec<Spanned<String>>) -> Result<Globs, ConfigError> {
        let mut globs = Globs::default();
        for text in written {
            let pattern = text.get_ref();
            let wrong = if pattern.trim_matches('/').is_empty() {
                Some("a pattern is empty; write the name of a file or folder, or leave it out")
            } else if pattern.starts_with('!') {
                Some("a pattern does not begin with `!`; what `include` takes in, `exclude` leaves out")
            } else if pattern.split('/').any(|step| matches!(step, "." | "..")) {
                Some("a pattern has no `.` and no `..` in it; it is relative to the folder of this file")
            } else {
                None
            };
            let told = |message: String| self.error(Some(text.span()), message);
            if let Some(wrong) = wrong {
                return Err(told(wrong.into()));
            }
            globs
                .add(pattern)
                .map_err(|why| told(format!("{} is no pattern: {why}", secret::quoted('`', "", pattern))))?;
        }
        Ok(globs)
    }

    fn one_override(&self, written: WrittenOverride) -> Result<Override, ConfigError> {
        let (files, rules) = (written.files, written.rules);
        let place = self.source.place(files.span().start, files.span().end);
        let empty = [
            (files.get_ref().is_empty(), files.span(), "an override without files holds nowhere; name some"),
            (
                rules.get_ref().is_empty(),
                rules.span(),
                "an override without rules changes nothing; name some",
            ),
        ];
        match empty.into_iter().find(|(empty, ..)| *empty) {
            Some((_, span, message)) => Err(self.error(Some(span), message.into())),
            None => Ok(Override {
                files: self.globs(files.into_inner())?,
                levels: self.levels(rules.into_inner())?,
                place,
            }),
        }
    }

    /// The name of something; the error asks for one.
    fn name(&self, what: &str, name: &str, span: Range<usize>) -> Result<(), ConfigError> {
        match name.trim() {
            "" => Err(self.error(Some(span), format!("a {what} needs a name"))),
            _ => Ok(()),
        }
    }

    fn levels(
        &self,
        written: BTreeMap<Spanned<String>, Level>,
    ) -> Result<BTreeMap<String, Level>, ConfigError> {
        let known: Vec<_> = rule::all().iter().map(|rule| rule.id).collect();
        let mut levels = BTreeMap::new();
        for (id, level) in written {
            if !known.contains(&id.get_ref().as_str()) {
                return Err(self.error(Some(id.span()), nearest::unknown("rule", id.get_ref(), &known)));
            }
            levels.insert(id.into_inner(), level);
        }
        Ok(levels)
    }

    fn selector(&self, text: &str, span: Range<usize>) -> Result<Selector, ConfigError> {
        let (file, policy) =
            text.split_once('#').map_or((text, None), |(file, policy)| (file, Some(policy.to_string())));
        if file.trim().is_empty() || policy.as_ref().is_some_and(|policy| policy.trim().is_empty()) {
            let message = "a policy is FILE, FILE#name or FILE#/pointer; `retrylint inspect` lists them";
            return Err(self.error(Some(span), message.into()));
        }
        let place = self.source.place(span.start, span.end);
        Ok(Selector { file: slashes(&absolute(&self.root.join(file))), policy, place })
    }

    /// The call path that a table declares; `others` are those before it.
    fn stack(
        &self,
        written: Spanned<WrittenStack>,
        others: &[DeclaredStack],
    ) -> Result<DeclaredStack, ConfigError> {
        let span = written.span();
        let stack = written.into_inner();
        let name = stack.name.get_ref();
        let shown = secret::quoted('`', "", name);
        self.name("stack", name, stack.name.span())?;
        if others.iter().any(|other| other.name == *name) {
            let message = format!("the stack {shown} stands twice; take another name, or leave one out");
            return Err(self.error(Some(stack.name.span()), message));
        }
        if stack.layers.is_empty() {
            return Err(self.error(Some(span), format!("the stack {shown} has no layers")));
        }
        let mut layers: Vec<DeclaredLayer> = Vec::new();
        for layer in stack.layers {
            let span = layer.span();
            layers.push(match layer.into_inner() {
                toml::Value::String(text) => {
                    let selector = self.selector(&text, span.clone())?;
                    let same = |layer: &DeclaredLayer| matches!(layer, DeclaredLayer::Policy(other) if other.file == selector.file && other.policy == selector.policy);
                    if layers.iter().any(same) {
                        let message = "this policy is a layer of the stack already, and calls do not pass it twice; \
                                       leave one out";
                        return Err(self.error(Some(span), message.into()));
                    }
                    DeclaredLayer::Policy(selector)
                }
                toml::Value::Table(table) => self.foreign(table, span)?,
                _ => {
                    let message =
                        "a layer is a string like \"FILE#policy\" or a table with name and attempts";
                    return Err(self.error(Some(span), message.into()));
                }
            });
        }
        let place = self.source.place(span.start, span.end);
        Ok(DeclaredStack {
            name: stack.name.into_inner(),
            place,
            deadline: stack.deadline.map(|time| time.0),
            max_attempts: stack.max_attempts.map(NonZeroU64::get),
            layers,
        })
    }

    fn foreign(&self, table: toml::Table, span: Range<usize>) -> Result<DeclaredLayer, ConfigError> {
        let layer: WrittenLayer = table.try_into().map_err(|error: toml::de::Error| {
            let ConfigError { message, .. } = self.syntax(&error);
            self.error(Some(span.clone()), message)
        })?;
        self.name("layer", &layer.name, span)?;
        Ok(DeclaredLayer::Foreign {
            name: layer.name,
            attempts: layer.attempts.get(),
            attempt_timeout: layer.attempt_timeout.map(|time| time.0),
            deadline: layer.deadline.map(|time| time.0),
        })
    }
}

impl Config {
    /// A path that is shown, as retrylint.toml would name it.
    pub fn relative(&self, shown: &str) -> String {
        let path = absolute(Path::new(shown));
        slashes(path.strip_prefix(&self.root).unwrap_or(&path))
    }

    /// The dialects that are for a file, by its path as it is shown.
    pub fn dialects_of(&self, shown: &str) -> Vec<&Own> {
        if self.dialects.is_empty() {
            return Vec::new();
        }
        let relative = self.relative(shown);
        self.dialects.iter().filter(|own| own.files.match_path(&relative)).collect()
    }

    /// What is to be said of overrides that are for none of the files, which come as they are shown, and of dialects
    /// that are not among those of their policies.
    pub fn idle(&self, files: &[&str], dialects: &BTreeSet<&str>) -> Vec<String> {
        let relative: Vec<_> = files.iter().map(|file| self.relative(file)).collect();
        let told =
            |place: &Place, what: &str| format!("{}:{}:{}: {what}", self.path, place.line, place.column);
        let unused = |one: &&Override| !relative.iter().any(|file| one.files.match_path(file));
        let overrides = self.overrides.iter().filter(unused).map(|one| {
            told(&one.place, "the override is for none of the files; correct its patterns, or leave it out")
        });
        let empty = |(own, _): &(&Own, &Place)| !dialects.contains(own.name.as_str());
        let dialects = self.dialects.iter().zip(&self.dialect_places).filter(empty).map(|(own, place)| {
            let name = secret::quoted('`', "", &own.name);
            told(
                place,
                &format!(
                    "the dialect {name} finds no policy; correct its files or policies, or leave it out"
                ),
            )
        });
        overrides.chain(dialects).collect()
    }

    /// The folder that its paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The severity of a rule's finding in a file; None where the rule is off there, as pedantic ones are unless
    /// they are given one.
    pub fn severity(&self, rule: &str, file: &str, own: Severity) -> Option<Severity> {
        let pedantic = rule::all().iter().any(|known| known.id == rule && known.pedantic);
        self.severity_of(rule, pedantic, file, own)
    }

    /// An override for the file comes first, then a rule that is named on the command line, then `[rules]`.
    fn severity_of(&self, rule: &str, pedantic: bool, file: &str, own: Severity) -> Option<Severity> {
        let of_rule = self.overrides.iter().rev().filter_map(|one| Some((&one.files, one.levels.get(rule)?)));
        let relative = std::cell::LazyCell::new(|| self.relative(file));
        let of_file = of_rule.filter(|(globs, _)| globs.match_path(&relative)).map(|(_, level)| level).next();
        if let Some(level) = of_file {
            return level.0;
        }
        let selected = self.asked.select.iter().any(|name| name == rule);
        match self.levels.get(rule) {
            Some(Level(None)) if selected => Some(own),
            Some(level) => level.0,
            None => (!pedantic || selected || self.asked.pedantic).then_some(own),
        }
    }
}

/// What serde says, in the words of people.
fn in_words(message: &str) -> String {
    let names: Vec<_> = message.split('`').skip(1).step_by(2).collect();
    match names.split_first() {
        Some((wrong, known)) if message.starts_with("unknown field") => nearest::unknown("key", wrong, known),
        Some((key, _)) if message.starts_with("missing field") => format!("the key `{key}` is missing"),
        _ => expectation(message).unwrap_or_else(|| message.to_string()),
    }
}

/// "invalid type: string \"ten\", expected a nonzero u64" in the words of people.
fn expectation(message: &str) -> Option<String> {
    if let Some((_, list)) =
        message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected "))
    {
        let expected = list.split_once(" with ").map_or(list, |(expected, _)| expected);
        return expectation(&format!("invalid type: sequence, expected {expected}"));
    }
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (there, expected) = rest.rsplit_once(", expected ")?;
    let words = EXPECTED.iter().find(|(theirs, _)| *theirs == expected).map_or(expected, |(_, words)| words);
    let there = match there.split_once(' ') {
        _ if there == "map" => "a table".into(),
        _ if there == "sequence" => "a list".into(),
        Some(("string", text)) => secret::quoted('"', "", text.trim_matches('"')),
        _ => there.to_string(),
    };
    Some(format!("{words} is expected here, not {there}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, ConfigError> {
        Reading { file: FILE_NAME.into(), source: SourceText::new(text.into()), root: "/repo".into() }.read()
    }

    fn message(text: &str) -> String {
        read(text).expect_err("an error").to_string()
    }

    #[test]
    fn an_unknown_key_is_told_with_its_place_and_the_nearest_right_one() {
        assert_eq!(
            message("exlude = []"),
            "retrylint.toml:1:1: there is no key `exlude`; did you mean `exclude`?"
        );
        assert_eq!(
            message("[limits]\nsingle-wiat = \"1h\""),
            "retrylint.toml:2:1: there is no key `single-wiat`; did you mean `single-wait`?"
        );
        assert!(message("[[stack]]\nname = \"a\"\nlayer = []").contains("did you mean `layers`?"));
        assert!(
            message("[[stack]]\nname = \"a\"\nlayers = [{ name = \"x\", atempts = 3 }]")
                .contains("did you mean `attempts`?")
        );
    }

    #[test]
    fn an_unknown_rule_is_told_with_the_nearest_right_one() {
        assert_eq!(
            message("[rules]\nmissing-jiter = \"off\""),
            "retrylint.toml:2:1: there is no rule `missing-jiter`; did you mean `missing-jitter`?"
        );
    }

    #[test]
    fn wrong_values_say_what_is_expected() {
        assert!(
            message("[limits]\nsingle-wait = \"soon\"").contains("\"soon\" is no duration; write it like")
        );
        assert!(
            message("[limits]\nattempt-product = \"ten\"").starts_with(
                "retrylint.toml:2:19: a whole number of at least 1 is expected here, not \"ten\""
            )
        );
        assert!(message("[rules]\nmissing-jitter = \"loud\"").contains("there are off, note"));
        assert!(message("include = [").starts_with("retrylint.toml:1:"));
    }

    #[test]
    fn errors_are_told_in_the_words_of_people() {
        for (text, told) in [
            ("fail-on = \"errors\"", "1:11: there is no level `errors`; did you mean `error`?"),
            ("[rules]\nmissing-jitter = true", "2:18: a text in quotes is expected here, not boolean `true`"),
            ("include = [\"a\", \"[\"]", "1:17: a text of 1 character is no pattern: invalid range pattern"),
            (
                "[limits]\nattempt-product = 0",
                "2:19: a whole number of at least 1 is expected here, not integer `0`",
            ),
            (
                "[limits]\noutage = \"5\"",
                "2:10: \"5\" has no unit; write it like \"250ms\", \"2s\" or \"1m30s\"",
            ),
            ("[[stack]]\nname = \"a\"\nlayers = []", "1:1: the stack `a` has no layers"),
            ("[[stack]]\nlayers = [\"a\"]", "1:1: the key `name` is missing"),
            (
                "[override]\nfiles = []\nrules = {}",
                "1:1: a list is expected here, not a table; a table of a list stands in two pairs of brackets",
            ),
        ] {
            assert_eq!(message(text), format!("retrylint.toml:{told}"));
        }
    }

    #[test]
    fn what_would_change_nothing_is_an_error() {
        let zero = "a time over 0 is expected here; leave the key out for none";
        let policy = "a policy is FILE, FILE#name or FILE#/pointer; `retrylint inspect` lists them";
        for (text, place, told) in [
            ("[limits]\noutage = \"0s\"", "2:10", zero),
            ("[limits]\nsingle-wait = \"0ms\"", "2:15", zero),
            ("[assume]\nattempt-timeout = \"0s\"", "2:19", zero),
            ("[[deadline]]\npolicy = \"a\"\ndeadline = \"0s\"", "3:12", zero),
            ("[[deadline]]\npolicy = \"\"\ndeadline = \"1s\"", "2:10", policy),
            ("[[deadline]]\npolicy = \"a#\"\ndeadline = \"1s\"", "2:10", policy),
            ("[[stack]]\nname = \" \"\nlayers = [\"a\"]", "2:8", "a stack needs a name"),
            (
                "[[stack]]\nname = \"a\"\nlayers = [{ name = \"\", attempts = 2 }]",
                "3:11",
                "a layer needs a name",
            ),
            ("[[stack]]\nname = \"a\"\nlayers = [\"#x\"]", "3:11", policy),
            (
                "[[stack]]\nname = \"a\"\nlayers = [\"a\"]\n[[stack]]\nname = \"a\"\nlayers = [\"b\"]",
                "5:8",
                "the stack `a` stands twice; take another name, or leave one out",
            ),
            (
                "[[stack]]\nname = \"a\"\nlayers = [\"x/a#b\", \"c\", \"x/./a#b\"]",
                "3:25",
                "this policy is a layer of the stack already, and calls do not pass it twice; leave one out",
            ),
            (
                "[[override]]\nfiles = []\nrules = { missing-jitter = \"off\" }",
                "2:9",
                "an override without files holds nowhere; name some",
            ),
            (
                "[[override]]\nfiles = [\"a\"]\nrules = {}",
                "3:9",
                "an override without rules changes nothing; name some",
            ),
            (
                "baseline = \"\"",
                "1:12",
                "the baseline has no name; write that of a file, or leave the key out",
            ),
            (
                "include = [\"a\", \"!b\"]",
                "1:17",
                "a pattern does not begin with `!`; what `include` takes in, `exclude` leaves out",
            ),
            (
                "exclude = [\"./a\"]",
                "1:12",
                "a pattern has no `.` and no `..` in it; it is relative to the folder of this file",
            ),
            (
                "exclude = [\"a/../b\"]",
                "1:12",
                "a pattern has no `.` and no `..` in it; it is relative to the folder of this file",
            ),
            (
                "exclude = [\"/\"]",
                "1:12",
                "a pattern is empty; write the name of a file or folder, or leave it out",
            ),
        ] {
            assert_eq!(message(text), format!("retrylint.toml:{place}: {told}"), "{text}");
        }
    }

    #[test]
    fn stacks_keep_their_layers_and_the_places_of_their_selectors() {
        let config = read("[[stack]]\nname = \"pay\"\ndeadline = \"3s\"\nlayers = [\n  { name = \"app\", attempts = 2, attempt-timeout = \"1s\" },\n  \"web/a.yml#x\",\n]").unwrap();
        let [
            DeclaredLayer::Foreign { attempts: 2, attempt_timeout: Some(timeout), .. },
            DeclaredLayer::Policy(selector),
        ] = config.stacks[0].layers.as_slice()
        else {
            panic!("{:?}", config.stacks[0].layers)
        };
        assert_eq!(*timeout, Duration::from_secs(1));
        assert_eq!(
            (selector.file.as_str(), selector.policy.as_deref(), selector.place.line),
            ("/repo/web/a.yml", Some("x"), 6)
        );
    }

    #[test]
    fn pedantic_rules_are_on_where_they_are_asked_for() {
        let severity = |config: &Config| config.severity_of("fussy", true, "/repo/a.toml", Severity::Note);
        let mut config = Config::default();
        assert_eq!(severity(&config), None);
        config.asked.pedantic = true;
        assert_eq!(severity(&config), Some(Severity::Note));
        config.asked = Asked { select: vec!["fussy".into()], ..Asked::default() };
        assert_eq!(severity(&config), Some(Severity::Note));
        config =
            Config { levels: [("fussy".into(), Level(Some(Severity::Error)))].into(), ..Config::default() };
        assert_eq!(severity(&config), Some(Severity::Error));
    }

    #[test]
    fn overrides_hold_for_their_files_only() {
        let config = read("[rules]\nmissing-jitter = \"error\"\n[[override]]\nfiles = [\"legacy/**\"]\nrules = { missing-jitter = \"off\" }").unwrap();
        assert_eq!(config.severity("missing-jitter", "/repo/a.toml", Severity::Note), Some(Severity::Error));
        assert_eq!(config.severity("missing-jitter", "/repo/legacy/a.toml", Severity::Note), None);
        assert_eq!(
            config.severity("deadline-exceeded", "/repo/a.toml", Severity::Note),
            Some(Severity::Note)
        );
    }
}
