//! retrylint.toml: where it is, what it says, and what is wrong with it.

pub(crate) mod nearest;

use crate::finding::Severity;
use crate::model::Duration;
use crate::model::notation::{self, Amount};
use crate::rule::{self, Limits};
use crate::source::discover::{Patterns, absolute, expand, slashes};
use crate::source::{Place, SourceText};
use crate::stack::{DeclaredLayer, DeclaredStack, Selector};
use glob::Pattern;
use serde::Deserialize;
use std::collections::BTreeMap;
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
    levels: BTreeMap<String, Level>,
    overrides: Vec<(Vec<Pattern>, BTreeMap<String, Level>)>,
    root: PathBuf,
}

/// How a rule is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Off,
    Note,
    Warning,
    Error,
}

/// From which severity on a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
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

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{}:{}: {}", self.file, place.line, place.column, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Written {
    include: Vec<String>,
    exclude: Vec<String>,
    fail_on: Option<FailOn>,
    limits: WrittenLimits,
    assume: WrittenAssumptions,
    rules: BTreeMap<Spanned<String>, Level>,
    #[serde(rename = "override")]
    overrides: Vec<WrittenOverride>,
    deadline: Vec<WrittenDeadline>,
    stack: Vec<Spanned<WrittenStack>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct WrittenLimits {
    attempt_product: Option<u64>,
    single_wait: Option<Spanned<String>>,
    outage: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct WrittenAssumptions {
    attempt_timeout: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOverride {
    files: Vec<String>,
    rules: BTreeMap<Spanned<String>, Level>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDeadline {
    policy: Spanned<String>,
    deadline: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenStack {
    name: String,
    deadline: Option<Spanned<String>>,
    max_attempts: Option<u64>,
    layers: Vec<Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenLayer {
    name: String,
    attempts: u64,
    attempt_timeout: Option<String>,
    deadline: Option<String>,
}

/// The nearest retrylint.toml at or above a path.
pub fn find(from: &Path) -> Option<PathBuf> {
    let from = absolute(from);
    let start = if from.is_dir() { Some(from.as_path()) } else { from.parent() };
    start?.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
}

/// Reads a retrylint.toml.
pub fn read(path: &Path) -> Result<Config, ConfigError> {
    let here = std::env::current_dir().unwrap_or_default();
    let whole = absolute(path);
    let file = slashes(whole.strip_prefix(&here).unwrap_or(&whole));
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError {
        file: file.clone(),
        place: None,
        message: format!("it cannot be read: {error}"),
    })?;
    let root = whole.parent().unwrap_or(Path::new("")).to_path_buf();
    Reading { file, source: SourceText::new(text), root }.read()
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
        let patterns =
            Patterns::new(self.root.clone(), &written.include, &written.exclude).map_err(|error| {
                self.error(None, format!("include or exclude has a pattern that is none: {error}"))
            })?;
        let mut limits = Limits::default();
        if let Some(product) = written.limits.attempt_product {
            limits.attempt_product = product;
        }
        if let Some(wait) = self.time(written.limits.single_wait)? {
            limits.single_wait = wait;
        }
        if let Some(outage) = self.time(written.limits.outage)? {
            limits.outage = outage;
        }
        let mut overrides = Vec::new();
        for one in written.overrides {
            let mut patterns = Vec::new();
            for text in &one.files {
                let expanded = expand(text)
                    .map_err(|error| self.error(None, format!("{text} is no pattern: {error}")))?;
                patterns.extend(expanded);
            }
            overrides.push((patterns, self.levels(one.rules)?));
        }
        let mut deadlines = Vec::new();
        for one in written.deadline {
            if let Some(time) = self.time(Some(one.deadline))? {
                deadlines.push((self.selector(one.policy.get_ref(), one.policy.span()), time));
            }
        }
        let mut stacks = Vec::new();
        for stack in written.stack {
            stacks.push(self.stack(stack)?);
        }
        Ok(Config {
            patterns,
            fail_on: written.fail_on,
            limits,
            assumed_attempt_timeout: self.time(written.assume.attempt_timeout)?,
            deadlines,
            stacks,
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
        let message = match (message.starts_with("unknown field"), names.split_first()) {
            (true, Some((wrong, known))) => nearest::unknown("key", wrong, known),
            _ => message.to_string(),
        };
        self.error(error.span(), message)
    }

    fn time(&self, text: Option<Spanned<String>>) -> Result<Option<Duration>, ConfigError> {
        let Some(text) = text else { return Ok(None) };
        match notation::any(text.get_ref()) {
            Ok(Amount::Time(time)) => Ok(Some(time)),
            _ => {
                let message = format!(
                    "\"{}\" is no duration; write it like \"250ms\", \"2s\" or \"1m30s\"",
                    text.get_ref()
                );
                Err(self.error(Some(text.span()), message))
            }
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

    fn selector(&self, text: &str, span: Range<usize>) -> Selector {
        let (file, policy) =
            text.split_once('#').map_or((text, None), |(file, policy)| (file, Some(policy.to_string())));
        let place = self.source.place(span.start, span.end);
        Selector { file: slashes(&absolute(&self.root.join(file))), policy, place }
    }

    fn stack(&self, written: Spanned<WrittenStack>) -> Result<DeclaredStack, ConfigError> {
        let span = written.span();
        let stack = written.into_inner();
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
            deadline: self.time(stack.deadline)?,
            max_attempts: stack.max_attempts,
            layers,
        })
    }

    fn foreign(&self, table: toml::Table, span: Range<usize>) -> Result<DeclaredLayer, ConfigError> {
        let layer: WrittenLayer = table.try_into().map_err(|error: toml::de::Error| {
            let ConfigError { message, .. } = self.syntax(&error);
            self.error(Some(span.clone()), message)
        })?;
        let time = |text: Option<String>| self.time(text.map(|text| Spanned::new(span.clone(), text)));
        Ok(DeclaredLayer::Foreign {
            name: layer.name,
            attempts: layer.attempts,
            attempt_timeout: time(layer.attempt_timeout)?,
            deadline: time(layer.deadline)?,
        })
    }
}

impl Config {
    /// The severity of a rule's finding in a file; None where the rule is off there.
    pub fn severity(&self, rule: &str, file: &str, own: Severity) -> Option<Severity> {
        let path = absolute(Path::new(file));
        let relative = slashes(path.strip_prefix(&self.root).unwrap_or(&path));
        let of_file = self.overrides.iter().rev().find_map(|(patterns, levels)| {
            let level = levels.get(rule)?;
            patterns.iter().any(|pattern| pattern.matches(&relative)).then_some(level)
        });
        match of_file.or_else(|| self.levels.get(rule)) {
            None => Some(own),
            Some(Level::Off) => None,
            Some(Level::Note) => Some(Severity::Note),
            Some(Level::Warning) => Some(Severity::Warning),
            Some(Level::Error) => Some(Severity::Error),
        }
    }
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
            message("[limits]\nattempt-product = \"ten\"").starts_with("retrylint.toml:2:19: invalid type")
        );
        assert!(message("[rules]\nmissing-jitter = \"loud\"").contains("`off`"));
        assert!(message("include = [").starts_with("retrylint.toml:1:"));
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
