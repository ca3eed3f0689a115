//! `[[dialect]]` of retrylint.toml: where the settings of a service are, in its own words.

#[cfg(test)]
use super::schema;
use super::{ConfigError, Reading, nearest};
use crate::dialect::own::{self, Declared, Own};
use crate::model::{Bound, DeadlineEffect, Layer, secret};
use crate::source::Place;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct WrittenDialect {
    /// What it is called, in findings as well.
    #[cfg_attr(test, schemars(with = "String"))]
    name: Spanned<String>,
    /// The files that it is for, relative to this file.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    files: Vec<Spanned<String>>,
    /// Pointers of its policies; `*` stands for any one key or element.
    #[cfg_attr(test, schemars(with = "schema::OneOrMore"))]
    policies: Spanned<OneOrMore>,
    /// How often it is tried, the first time included.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    attempts: Option<Spanned<WrittenSetting>>,
    /// How often it is tried again.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    retries: Option<Spanned<WrittenSetting>>,
    /// The first wait, or a list of all waits.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    initial: Option<Spanned<WrittenSetting>>,
    /// Growth per retry.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    multiplier: Option<Spanned<WrittenSetting>>,
    /// The longest wait.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    cap: Option<Spanned<WrittenSetting>>,
    /// How the waits grow: none, constant, linear, exponential or fibonacci; or where that is.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    growth: Option<Spanned<WrittenSetting>>,
    /// How they are scattered: none, full, equal or decorrelated; or where that is.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    jitter: Option<Spanned<WrittenSetting>>,
    /// What bounds one attempt.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    attempt_timeout: Option<Spanned<WrittenSetting>>,
    /// What bounds all of them.
    #[cfg_attr(test, schemars(with = "Option<schema::Setting>"))]
    deadline: Option<Spanned<WrittenSetting>>,
    /// What happens then; cuts unless set.
    #[cfg_attr(test, schemars(with = "Option<schema::Effect>"))]
    deadline_effect: Option<Spanned<String>>,
    /// Where in a call path it is; client unless set.
    #[cfg_attr(test, schemars(with = "Option<schema::Layers>"))]
    layer: Option<Spanned<String>>,
}

/// A text or a list of them.
struct OneOrMore(Vec<Spanned<String>>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = OneOrMore;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text in quotes or a list of them")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore(vec![Spanned::new(0..0, text.to_string())]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMore, A::Error> {
                let mut all = Vec::new();
                while let Some(text) = list.next_element()? {
                    all.push(text);
                }
                Ok(OneOrMore(all))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// Where a setting is: a key, or a table that says more.
enum WrittenSetting {
    Key(String),
    Table(SettingTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SettingTable {
    /// A key below the policy: `pause`, `wait.first` or `/wait/first`.
    key: Option<String>,
    /// What a number without a unit counts.
    #[cfg_attr(test, schemars(with = "Option<schema::Unit>"))]
    unit: Option<Spanned<String>>,
    /// What the service takes where the key is absent.
    #[cfg_attr(test, schemars(with = "Option<schema::Scalar>"))]
    default: Option<Spanned<Scalar>>,
    /// What the service always takes; without a key.
    #[cfg_attr(test, schemars(with = "Option<schema::Scalar>"))]
    value: Option<Spanned<Scalar>>,
}

impl<'de> Deserialize<'de> for WrittenSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Setting;
        impl<'de> Visitor<'de> for Setting {
            type Value = WrittenSetting;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key in quotes, { key = \"…\" } or { value = … }")
            }

            fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<WrittenSetting, E> {
                Ok(WrittenSetting::Key(key.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenSetting, A::Error> {
                SettingTable::deserialize(MapAccessDeserializer::new(map)).map(WrittenSetting::Table)
            }
        }
        deserializer.deserialize_any(Setting)
    }
}

/// A text or a number, as text.
struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a text in quotes")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(text.to_string()))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar(number.to_string()))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Scalar, E> {
                Ok(Scalar(number.to_string()))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar(number.to_string()))
            }
        }
        deserializer.deserialize_any(Text)
    }
}

pub(super) const LAYERS: &[(&str, Layer)] = &[
    ("client", Layer::Client),
    ("proxy", Layer::Proxy),
    ("server", Layer::Server),
    ("queue", Layer::Queue),
    ("workflow", Layer::Workflow),
    ("job", Layer::Job),
    ("probe", Layer::Probe),
];

pub(super) const EFFECTS: &[(&str, DeadlineEffect)] = &[
    ("cuts", DeadlineEffect::Cuts),
    ("cuts-retries", DeadlineEffect::CutsRetries),
    ("stops", DeadlineEffect::Stops),
];

/// A value as text, with the unit for it, to what it stands for; the error says what is wrong.
type Parse<'p, T> =
    &'p dyn Fn(&str, Option<crate::model::notation::Unit>) -> Result<Bound<T>, Cow<'static, str>>;

impl Reading {
    /// The dialect that a table declares; `others` are those before it.
    pub(super) fn dialect(
        &self,
        written: Spanned<WrittenDialect>,
        others: &[Own],
    ) -> Result<(Own, Place), ConfigError> {
        let span = written.span();
        let written = written.into_inner();
        let name = written.name.get_ref();
        let shown = secret::quoted('`', "", name);
        self.name("dialect", name, written.name.span())?;
        let wrong_name = if crate::dialect::all().any(|dialect| dialect.id == name) {
            Some(format!("there is a dialect `{name}` already; take another name"))
        } else if others.iter().any(|other| other.name == *name) {
            Some(format!("the dialect {shown} stands twice"))
        } else {
            None
        };
        if let Some(message) = wrong_name {
            return Err(self.error(Some(written.name.span()), message));
        }
        if written.files.is_empty() {
            return Err(self.error(Some(span), format!("the dialect {shown} has no files")));
        }
        if written.policies.get_ref().0.is_empty() {
            return Err(self.error(Some(span), format!("the dialect {shown} has no policies")));
        }
        if let (Some(_), Some(retries)) = (&written.attempts, &written.retries) {
            let message = "`attempts` counts the first try and `retries` does not; give one of them";
            return Err(self.error(Some(retries.span()), message.into()));
        }
        let policies: Result<Vec<_>, _> = written
            .policies
            .get_ref()
            .0
            .iter()
            .map(|text| self.pattern(text, written.policies.span()))
            .collect();
        let retries = written.retries.is_some();
        let count = |text: &str, _| own::attempts(text, retries);
        let multiplier = |text: &str, _| own::multiplier(text);
        let word = |what: &str, text: &str, words: &[&str]| nearest::unknown(what, text, words).into();
        let growth = |text: &str, _| {
            own::growth(text).map(Bound::At).ok_or_else(|| word("growth", text, own::GROWTHS))
        };
        let jitter = |text: &str, _| {
            own::jitter(text).map(Bound::At).ok_or_else(|| word("jitter", text, own::JITTERS))
        };
        let reads: Vec<_> = written.files.iter().map(|text| text.get_ref().as_str()).collect();
        let place = self.source.place(written.policies.span().start, written.policies.span().end);
        let own = Own {
            reads: reads.join(", "),
            policies: policies?,
            retries,
            attempts: self.setting(written.attempts.or(written.retries), false, &count)?,
            initial: self.setting(written.initial, true, &own::time)?,
            multiplier: self.setting(written.multiplier, false, &multiplier)?,
            cap: self.setting(written.cap, true, &own::time)?,
            growth: self.setting(self.worded(written.growth, "growth", own::GROWTHS)?, false, &growth)?,
            jitter: self.setting(self.worded(written.jitter, "jitter", own::JITTERS)?, true, &jitter)?,
            attempt_timeout: self.setting(written.attempt_timeout, true, &own::time)?,
            deadline: self.setting(written.deadline, true, &own::time)?,
            deadline_effect: self.one_of(written.deadline_effect, "effect", EFFECTS)?,
            layer: self.one_of(written.layer, "layer", LAYERS)?,
            name: written.name.into_inner(),
            files: self.globs(written.files)?,
        };
        Ok((own, place))
    }

    /// The steps of a pointer.
    fn pattern(&self, text: &Spanned<String>, around: Range<usize>) -> Result<Vec<String>, ConfigError> {
        let pointer = text.get_ref();
        if pointer.is_empty() {
            return Ok(Vec::new());
        }
        let Some(rest) = pointer.strip_prefix('/') else {
            let span = if text.span().is_empty() { around } else { text.span() };
            let pointer = secret::quoted('`', "", pointer);
            let message = format!("{pointer} is no pointer; write it like \"/clients/*/again\"");
            return Err(self.error(Some(span), message));
        };
        Ok(rest.split('/').map(unescape).collect())
    }

    /// A growth or a jitter that is a text: the word itself where it is one, otherwise the key of one.
    fn worded(
        &self,
        written: Option<Spanned<WrittenSetting>>,
        what: &str,
        words: &[&str],
    ) -> Result<Option<Spanned<WrittenSetting>>, ConfigError> {
        let Some(setting) = written else { return Ok(None) };
        let span = setting.span();
        let WrittenSetting::Key(text) = setting.get_ref() else { return Ok(Some(setting)) };
        if words.contains(&text.as_str()) {
            let value = Spanned::new(span.clone(), Scalar(text.clone()));
            let table = SettingTable { key: None, unit: None, default: None, value: Some(value) };
            return Ok(Some(Spanned::new(span, WrittenSetting::Table(table))));
        }
        // short words are near to anything
        match crate::model::nearest(text, words).filter(|word| word.len() > 4) {
            Some(_) => {
                let unknown = nearest::unknown(what, text, words);
                let key = secret::echo("", text);
                let message = format!("{unknown} A key of that name is {{ key = \"{key}\" }}");
                Err(self.error(Some(span), message))
            }
            None => Ok(Some(setting)),
        }
    }

    fn one_of<T: Copy>(
        &self,
        written: Option<Spanned<String>>,
        what: &str,
        words: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let Some(text) = written else { return Ok(words[0].1) };
        let found = words.iter().find(|(word, _)| word == text.get_ref());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.error(Some(text.span()), nearest::unknown(what, text.get_ref(), &known))
        })
    }

    /// A setting as it is declared; `timed` where it may have a unit.
    fn setting<T>(
        &self,
        written: Option<Spanned<WrittenSetting>>,
        timed: bool,
        parse: Parse<'_, T>,
    ) -> Result<Option<Declared<T>>, ConfigError> {
        let Some(written) = written else { return Ok(None) };
        let span = written.span();
        let table = match written.into_inner() {
            WrittenSetting::Key(key) => {
                return Ok(Some(Declared::Key { path: self.path(&key, span)?, unit: None, absent: None }));
            }
            WrittenSetting::Table(table) => table,
        };
        let unit = match &table.unit {
            None => None,
            Some(text) if !timed => {
                return Err(self.error(Some(text.span()), "only times have a unit".into()));
            }
            Some(text) => Some(own::unit(text.get_ref()).ok_or_else(|| {
                self.error(Some(text.span()), nearest::unknown("unit", text.get_ref(), own::UNITS))
            })?),
        };
        let value = |text: &Spanned<Scalar>| {
            let Scalar(value) = text.get_ref();
            parse(value, unit).map_err(|why| {
                let message = match secret::is_plain("", value) {
                    true => format!("`{value}`: {why}"),
                    // what is wrong may be told with a part of it
                    false => format!("{} is not what is expected here", secret::echo("", value)),
                };
                self.error(Some(text.span()), message)
            })
        };
        match (table.key, &table.value, &table.default) {
            (Some(key), None, default) => {
                let absent = default.as_ref().map(value).transpose()?;
                Ok(Some(Declared::Key { path: self.path(&key, span)?, unit, absent }))
            }
            (None, Some(fixed), None) => Ok(Some(Declared::Fixed(value(fixed)?))),
            _ => {
                let message =
                    "a setting has a `key`, with a `default` where it is absent, or a fixed `value`";
                Err(self.error(Some(span), message.into()))
            }
        }
    }

    /// The keys of `a.b` or of the pointer `/a/b`.
    fn path(&self, key: &str, span: Range<usize>) -> Result<Vec<String>, ConfigError> {
        let steps: Vec<String> = match key.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(unescape).collect(),
            None => key.split('.').map(str::to_string).collect(),
        };
        if steps.iter().any(String::is_empty) {
            let message = format!(
                "{} is no key; write it like \"pause\", \"wait.first\" or \"/wait/first\"",
                secret::quoted('`', "", key)
            );
            return Err(self.error(Some(span), message));
        }
        Ok(steps)
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
