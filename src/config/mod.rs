//! retrylint.toml: where it is, what it says, and what is wrong with it.

pub mod baseline;
mod dialects;
pub(crate) mod nearest;
#[cfg(test)]
mod schema;

use crate::dialect::own::Own;
use crate::finding::Severity;
use crate::model::Duration;
use crate::model::notation::{self, Amount};
use crate::rule::{self, Limits};
use crate::source::discover::{Globs, Patterns, absolute, slashes};
use crate::source::{Place, SourceText};
use crate::stack::{DeclaredLayer, DeclaredStack, Selector};
use dialects::WrittenDialect;
use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use std::collections::BTreeMap;
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
    overrides: Vec<(Globs, BTreeMap<String, Level>)>,
    root: PathBuf,
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
    baseline: Option<String>,
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
    files: Vec<Spanned<String>>,
    /// Severities of rules there.
    #[cfg_attr(test, schemars(with = "schema::Rules"))]
    rules: BTreeMap<Spanned<String>, Level>,
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
    name: String,
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
                    Ok(Amount::Time(time)) => Ok(WrittenTime(time)),
                    Ok(Amount::Bare(_)) => Err(E::custom(format!("\"{text}\" has no unit; {WRITE_TIME}"))),
                    _ => Err(E::custom(format!("\"{text}\" is no duration; {WRITE_TIME}"))),
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
        message: format!("it cannot be read: {error}"),
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
            overrides.push((self.globs(one.files)?, self.levels(one.rules)?));
        }
        let deadline =
            |one: WrittenDeadline| (self.selector(one.policy.get_ref(), one.policy.span()), one.deadline.0);
        let mut stacks = Vec::new();
        for stack in written.stack {
            stacks.push(self.stack(stack)?);
        }
        let mut dialects = Vec::new();
        for dialect in written.dialect {
            let dialect = self.dialect(dialect, &dialects)?;
            dialects.push(dialect);
        }
        let baseline = written.baseline.map(|file| absolute(&self.root.join(file)));
        Ok(Config {
            patterns,
            fail_on: written.fail_on,
            own_files: baseline.iter().cloned().collect(),
            baseline,
            asked: Asked::default(),
            limits,
            assumed_attempt_timeout: written.assume.attempt_timeout.map(|time| time.0),
            deadlines: written.deadline.into_iter().map(deadline).collect(),
            stacks,
            dialects,
            levels: self.levels(written.rules)?,
            overrides,
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
        let message = error.message().lines().next().unwrap_or_default();
        let names: Vec<_> = message.split('`').skip(1).step_by(2).collect();
        let message = match names.split_first() {
            Some((wrong, known)) if message.starts_with("unknown field") => {
                nearest::unknown("key", wrong, known)
            }
            Some((key, _)) if message.starts_with("missing field") => format!("the key `{key}` is missing"),
            _ => expectation(message).unwrap_or_else(|| message.to_string()),
        };
        self.error(error.span(), message)
    }

    fn globs(&self, written: Vec<Spanned<String>>) -> Result<Globs, ConfigError> {
        let mut globs = Globs::default();
        for text in written {
            globs.add(text.get_ref()).map_err(|why| {
                let message = format!("`{}` is no pattern: {why}", text.get_ref());
                self.error(Some(text.span()), message)
            })?;
        }
        Ok(globs)
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

    fn selector(&self, text: &str, span: Range<usize>) -> Selector {
        let (file, policy) =
            text.split_once('#').map_or((text, None), |(file, policy)| (file, Some(policy.to_string())));
        let place = self.source.place(span.start, span.end);
        Selector { file: slashes(&absolute(&self.root.join(file))), policy, place }
    }

    fn stack(&self, written: Spanned<WrittenStack>) -> Result<DeclaredStack, ConfigError> {
        let span = written.span();
        let stack = written.into_inner();
        if stack.layers.is_empty() {
            return Err(self.error(Some(span), format!("the stack `{}` has no layers", stack.name)));
        }
        let mut layers = Vec::new();
        for layer in stack.layers {
            let span = layer.span();
            layers.push(match layer.into_inner() {
                toml::Value::String(text) => DeclaredLayer::Policy(self.selector(&text, span)),
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
            name: stack.name,
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

    /// The severity of a rule's finding in a file; None where the rule is off there, as pedantic ones are unless
    /// they are given one.
    pub fn severity(&self, rule: &str, file: &str, own: Severity) -> Option<Severity> {
        let pedantic = rule::all().iter().any(|known| known.id == rule && known.pedantic);
        self.severity_of(rule, pedantic, file, own)
    }

    /// An override for the file comes first, then a rule that is named on the command line, then `[rules]`.
    fn severity_of(&self, rule: &str, pedantic: bool, file: &str, own: Severity) -> Option<Severity> {
        let of_rule =
            self.overrides.iter().rev().filter_map(|(globs, levels)| Some((globs, levels.get(rule)?)));
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

/// "invalid type: string \"ten\", expected a nonzero u64" in the words of people.
fn expectation(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (there, expected) = rest.split_once(", expected ")?;
    let words = EXPECTED.iter().find(|(theirs, _)| *theirs == expected).map_or(expected, |(_, words)| words);
    let there = if there == "map" { "a table" } else { there };
    let brackets = there == "a table" && expected == "a sequence";
    let help = if brackets { "; a table of a list stands in two pairs of brackets" } else { "" };
    Some(format!("{words} is expected here, not {there}{help}"))
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
                "retrylint.toml:2:19: a whole number of at least 1 is expected here, not string"
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
            ("include = [\"a\", \"[\"]", "1:17: `[` is no pattern: invalid range pattern"),
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
