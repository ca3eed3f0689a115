//! retrylint.schema.json: what retrylint.toml may hold, from the types that it is read into.
//! `UPDATE_DOCS=1 cargo test --lib schema` writes it anew.

use super::dialects::{EFFECTS, LAYERS, SettingTable};
use super::{FailOn, Level, Written, WrittenLayer, WrittenTime};
use crate::{dialect::own, rule};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use std::borrow::Cow;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/retrylint.schema.json");

/// A type that is written in another way than it is read into.
macro_rules! written {
    ($name:ty, $shown:literal, $schema:expr) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $shown.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        }
    };
}

pub(super) struct Rules;
pub(super) struct Unit;
pub(super) struct Effect;
pub(super) struct Layers;

/// A policy of the repository, or something outside it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it stands for its schema")]
pub(super) enum Layer {
    Policy(String),
    Foreign(WrittenLayer),
}

/// A text or a list of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it stands for its schema")]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A key, or a table that says more.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it stands for its schema")]
pub(super) enum Setting {
    Key(String),
    Table(SettingTable),
}

/// A text or a number.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it stands for its schema")]
pub(super) enum Scalar {
    Text(String),
    Number(f64),
}

fn words(words: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({ "type": "string", "enum": words.collect::<Vec<_>>() })
}

written!(WrittenTime, "Duration", |_| {
    json_schema!({ "type": "string", "description": "A duration with units, like 250ms, 2s or 1m30s." })
});
written!(Level, "Level", |_| words(["off", "note", "warning", "error"].into_iter()));
written!(FailOn, "FailOn", |_| words(["note", "warning", "error", "never"].into_iter()));
written!(Unit, "Unit", |_| words(own::UNITS.iter().copied()));
written!(Effect, "DeadlineEffect", |_| words(EFFECTS.iter().map(|(word, _)| *word)));
written!(Layers, "LayerKind", |_| words(LAYERS.iter().map(|(word, _)| *word)));
written!(Rules, "Rules", |generator| {
    let level = generator.subschema_for::<Level>();
    let rule = |rule: &rule::Rule| {
        let text = Value::from(rule.summary);
        (rule.id.to_string(), serde_json::json!({ "description": text, "allOf": [level] }))
    };
    let rules: serde_json::Map<String, Value> = rule::all().iter().map(rule).collect();
    json_schema!({ "type": "object", "properties": rules, "additionalProperties": false })
});

fn schema() -> Value {
    // the editors' plugins for TOML know this draft
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<Written>();
    schema.insert("title".into(), "retrylint.toml".into());
    schema.to_value()
}

#[test]
fn the_schema_is_what_retrylint_toml_is_read_into() {
    let text = serde_json::to_string_pretty(&schema()).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PATH, &text).expect("a written schema");
    }
    let there = std::fs::read_to_string(PATH).unwrap_or_default().replace("\r\n", "\n");
    assert!(there == text, "retrylint.schema.json is stale: run `UPDATE_DOCS=1 cargo test --lib schema`");
}

/// What is wrong with a value by a schema; of the keywords that this one uses, and a panic at any other.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let Some(keywords) = schema.as_object() else {
        return if schema == &Value::Bool(true) { vec![] } else { vec![format!("{at} is not allowed")] };
    };
    let sub =
        |schema: &Value, value: &Value, step: &str| faults(root, schema, value, &format!("{at}/{step}"));
    let fits = |schema: &Value| sub(schema, value, "").is_empty();
    let properties = schema["properties"].as_object();
    let mut wrong = Vec::new();
    for (keyword, rule) in keywords {
        let list = || rule.as_array().expect("a list").iter();
        let ok = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "definitions" | "format" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a pointer");
                fits(root.pointer(pointer).expect("a definition"))
            }
            "type" => match rule {
                Value::String(kind) => is(value, kind),
                _ => list().any(|kind| is(value, kind.as_str().expect("a type"))),
            },
            "enum" => list().any(|one| one == value),
            "anyOf" => list().any(fits),
            "allOf" => list().all(fits),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number")),
            "required" => list().all(|key| value.get(key.as_str().expect("a key")).is_some()),
            "items" => value.as_array().into_iter().flatten().all(|item| fits_at(&sub, rule, item)),
            "properties" => properties.into_iter().flatten().all(|(key, schema)| {
                let found = value.get(key).map(|value| sub(schema, value, key)).unwrap_or_default();
                wrong.extend_from_slice(&found);
                found.is_empty()
            }),
            "additionalProperties" => value.as_object().into_iter().flatten().all(|(key, value)| {
                properties.is_some_and(|known| known.contains_key(key)) || fits_at(&sub, rule, value)
            }),
            other => panic!("the schema has the keyword {other}, which this reading does not know"),
        };
        if !ok {
            wrong.push(format!("{at}: {keyword}"));
        }
    }
    wrong
}

fn fits_at(sub: &dyn Fn(&Value, &Value, &str) -> Vec<String>, schema: &Value, value: &Value) -> bool {
    sub(schema, value, "-").is_empty()
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other}"),
    }
}

fn by_schema(text: &str) -> Vec<String> {
    let value: Value = toml::from_str(text).expect("TOML");
    let schema = schema();
    faults(&schema, &schema, &value, "")
}

/// The examples of retrylint.toml that people see.
fn examples() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("a file");
    let readme = read("README.md");
    let start = readme.find("In `retrylint.toml`").expect("the section of the settings");
    let block = readme[start..].split("```toml\n").nth(1).expect("its example");
    let mut all = vec![block.split("```").next().expect("its end").to_string()];
    all.extend(
        ["demo", "dialect/own/acme", "dialect/own/keys-elsewhere"]
            .map(|folder| read(&format!("fixtures/{folder}/retrylint.toml"))),
    );
    let rules = rule::all().iter().flat_map(|rule| [&rule.bad, &rule.good]);
    all.extend(rules.map(|example| example.config.to_string()));
    all
}

#[test]
fn every_example_of_a_retrylint_toml_is_right_by_the_schema_and_by_the_reader() {
    for text in examples() {
        assert!(by_schema(&text).is_empty(), "{text}\n{:?}", by_schema(&text));
        super::parse(&text, std::path::Path::new(".")).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
}

#[test]
fn what_the_reader_refuses_for_its_shape_is_wrong_by_the_schema_too() {
    for text in [
        "attempts = 3",
        "fail-on = \"errors\"",
        "include = \"a\"",
        "[limits]\nattempt-product = 0",
        "[rules]\nmissing-jiter = \"off\"",
        "[rules]\nmissing-jitter = \"none\"",
        "[[stack]]\nname = \"a\"",
        "[[stack]]\nname = \"a\"\nlayers = [{ name = \"b\" }]",
        "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]",
        "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\ncap = { key = \"b\", unit = \"weeks\" }",
        "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\nlayer = \"proxi\"",
    ] {
        assert!(!by_schema(text).is_empty(), "{text}");
        assert!(super::parse(text, std::path::Path::new(".")).is_err(), "{text}");
    }
}
