//! The tree against independent readers of the same languages, and its places against the text.

mod common;

use proptest::prelude::*;
use retrylint::document::{self, Format, Kind, Node};
use retrylint::source::SourceText;
use serde_json::{Map, Value};

/// A tree as JSON; numbers by their text, so that no reader's rounding comes in between.
fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.boolean().expect("a truth value")),
        Kind::Integer | Kind::Float => number(node.text().expect("a scalar")),
        Kind::String => Value::String(node.text().expect("a scalar").to_string()),
        Kind::List => node.items().map(value).collect(),
        Kind::Map => Value::Object(
            node.entries().map(|entry| (entry.key().to_string(), value(entry))).collect::<Map<_, _>>(),
        ),
    }
}

fn number(text: &str) -> Value {
    let text = text.replace('_', "");
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    let whole = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| text.parse::<i64>().ok());
    whole
        .map(Value::from)
        .unwrap_or_else(|| text.parse::<f64>().map(Value::from).unwrap_or(Value::String(text)))
}

fn tree(text: &str, format: Format) -> Vec<Value> {
    let source = SourceText::new(text.to_string());
    let parsed = document::parse(&source, format);
    assert!(parsed.faults.is_empty() && !parsed.template, "{text}\n{:?}", parsed.faults);
    parsed.documents.iter().map(|document| value(document.root())).collect()
}

/// Pointers and the texts at their places.
fn places(text: &str, format: Format) -> Vec<(String, String, String)> {
    fn collect(text: &str, node: Node<'_>, found: &mut Vec<(String, String, String)>) {
        let at = |place: retrylint::source::Place| text[place.start as usize..place.end as usize].to_string();
        found.push((node.pointer(), at(node.key_place()), at(node.place())));
        node.children().for_each(|child| collect(text, child, found));
    }
    let source = SourceText::new(text.to_string());
    let parsed = document::parse(&source, format);
    let mut found = Vec::new();
    parsed.documents.iter().for_each(|document| collect(text, document.root(), &mut found));
    found
}

fn place_of(text: &str, format: Format, pointer: &str) -> (String, String) {
    let found = places(text, format).into_iter().find(|(at, ..)| at == pointer);
    found.map(|(_, key, value)| (key, value)).unwrap_or_else(|| panic!("nothing at {pointer}"))
}

const YAML: &[&str] = &[
    "a: 1\nb: [x, 'y z', \"w\\n\\u00e9\"]\nc:\n  - d: ~\n    e: true\n  - 2.5\n",
    "# comment\na: |\n  line\n    deeper\n\n  last\nb: >-\n  folded\n  text\nc: plain\n  goes on\n",
    "base: &base {x: 1, y: [1, 2]}\nuse: *base\n",
    "a: 0x1F\nb: 0o17\nc: 1e3\nd: -5\ne: .5\nf: 'null'\ng: \"8\"\nh: !!str 8\n",
    "\"quoted key\": 1\n? complex\n: 2\nempty:\nlist:\n- a\n-\n- - nested\n  - x\n",
    "{a: 1, b: {c: [1, 2, {d: e}]}}\n",
    "a: x # c\nb:\t1\nurl: http://x:80/#y\n",
];

const JSON: &[&str] = &[
    r#"{"a": [1, 2.5, -3e2, true, null, "x\"\\\/\u00e9\n"], "b": {"": {}, "c": []}}"#,
    "{\n\t\"tabs\": 1,\n\t\"pair\": \"\\ud83d\\ude00\"\n}",
    "[]",
    r#"{"long": "0123456789", "a/b": {"m~n": 1}}"#,
];

const TOML: &[&str] = &[
    "a = 1\n[b.c]\nd = \"x\"\ne = [1, 2, {f = 3}]\n[[g]]\nh = true\n[[g]]\nh = false\n",
    "x.y.z = 1_000\nq = 'lit\\eral'\nm = \"\"\"\nmulti\nline\"\"\"\nf = 2.50\nn = 0xff\no = 0o17\n",
    "\"quoted key\" = \"\\u00e9\"\n[t]\n[t.u]\nv = {w = {}}\n",
];

#[test]
fn yaml_gives_the_values_that_another_reader_gives() {
    for text in YAML {
        let other: Value = serde_yaml::from_str(text).expect("YAML");
        assert_eq!(tree(text, Format::Yaml), [other], "{text}");
    }
}

#[test]
fn json_gives_the_values_that_another_reader_gives() {
    for text in JSON {
        let other: Value = serde_json::from_str(text).expect("JSON");
        let expected: Vec<Value> = vec![other];
        assert_eq!(tree(text, Format::Json), expected, "{text}");
    }
}

#[test]
fn toml_gives_the_values_that_another_reader_gives() {
    for text in TOML {
        let other: Value = toml::from_str(text).expect("TOML");
        assert_eq!(tree(text, Format::Toml), [other], "{text}");
    }
}

#[test]
fn the_cases_give_the_values_that_other_readers_give() {
    let mut read = 0;
    for case in common::cases() {
        for input in &case.inputs {
            let text = case.text(input);
            let other: Option<Value> = match input.rsplit('.').next() {
                Some("yaml" | "yml")
                    if !text.contains('!') && !text.contains("<<:") && !text.contains("\n---") =>
                {
                    serde_yaml::from_str(&text).ok()
                }
                Some("json") => serde_json::from_str(&text).ok(),
                Some("toml") => toml::from_str(&text).ok(),
                _ => None,
            };
            if let Some(other) = other {
                assert_eq!(tree(&text, Format::of(input, &text)), [other], "{}", case.name);
                read += 1;
            }
        }
    }
    assert!(read > 70, "only {read} files were compared");
}

#[test]
fn windows_lines_and_a_byte_order_mark_leave_values_and_pointers_alone() {
    for (texts, format) in [(YAML, Format::Yaml), (JSON, Format::Json), (TOML, Format::Toml)] {
        for text in texts {
            let crlf = text.replace('\n', "\r\n");
            let multi_line_strings = format == Format::Toml && text.contains("\"\"\"");
            if !multi_line_strings {
                assert_eq!(tree(text, format), tree(&crlf, format), "{text}");
            }
            assert_eq!(tree(text, format), tree(&format!("\u{feff}{text}"), format), "{text}");
        }
    }
}

#[test]
fn scalars_stand_where_their_places_say() {
    for (texts, format) in [(YAML, Format::Yaml), (TOML, Format::Toml), (JSON, Format::Json)] {
        for text in texts.iter().flat_map(|text| [text.to_string(), format!("\u{feff}{text}")]) {
            let source = SourceText::new(text.clone());
            let parsed = document::parse(&source, format);
            let mut open: Vec<_> = parsed.documents.iter().map(|document| document.root()).collect();
            while let Some(node) = open.pop() {
                open.extend(node.children());
                let place = node.place();
                let written = &text[place.start as usize..place.end as usize];
                let plain = !node.is_quoted() && !matches!(node.kind(), Kind::List | Kind::Map | Kind::Null);
                if plain && !written.contains(['\n', '_']) {
                    assert_eq!(Some(written), node.text(), "{text}");
                }
            }
        }
    }
}

#[test]
fn keys_stand_where_their_places_say() {
    let toml = "[a.b.retry]\nmax = 3\n[payments]\nx.y = 1\n[[list]]\nz = 2\n";
    assert_eq!(place_of(toml, Format::Toml, "/a/b/retry").0, "retry");
    assert_eq!(place_of(toml, Format::Toml, "/a").0, "a");
    assert_eq!(place_of(toml, Format::Toml, "/payments/x/y"), ("y".into(), "1".into()));
    let yaml = "é: 1\nlist:\n  - name: x\n    b: 2\n  - y\n\"q k\": z\n";
    assert_eq!(place_of(yaml, Format::Yaml, "/list/0").0, "name: x");
    assert_eq!(place_of(yaml, Format::Yaml, "/list/1").0, "y");
    assert_eq!(place_of(yaml, Format::Yaml, "/q k").0, "\"q k\"");
    assert_eq!(place_of(yaml, Format::Yaml, "/é"), ("é".into(), "1".into()));
}

#[test]
fn lists_and_mappings_reach_to_the_last_of_their_own() {
    let toml = "[a.b]\nx=1\n[a]\ny=2\n[[t]]\nz=1\n[[t]]\nq={a=[1,2]}\n[t.u]\nv=1\n\n# more\n";
    assert_eq!(place_of(toml, Format::Toml, "/a/b").1, "[a.b]\nx=1");
    assert_eq!(place_of(toml, Format::Toml, "/a").1, "[a]\ny=2");
    assert_eq!(place_of(toml, Format::Toml, "/t/1").1, "[[t]]\nq={a=[1,2]}\n[t.u]\nv=1");
    assert_eq!(place_of("b.c.d = 2 # x\n", Format::Toml, "/b/c").1, "c.d = 2");
    let yaml = "base: &b [1]\nm:\n  x: 1\n  y: *b\nt: |\n  one\n\n  two\n\nn: 2\n";
    assert_eq!(place_of(yaml, Format::Yaml, "/m").1, "x: 1\n  y: *b");
    assert_eq!(place_of(yaml, Format::Yaml, "/t").1, "one\n\n  two");
}

#[test]
fn keys_may_be_aliases_lists_or_mappings() {
    let text = "&k key: 1\nother:\n  *k : 2\n? {a: &x 1}\n: *x\n? [b, c]\n: 3\n";
    let expected = serde_json::json!({"key": 1, "other": {"key": 2}, "{a: &x 1}": 1, "[b, c]": 3});
    assert_eq!(tree(text, Format::Yaml), [expected]);
    assert_eq!(place_of(text, Format::Yaml, "/other/key").0, "*k");
}

#[test]
fn numbers_of_toml_keep_what_says_their_base() {
    let text = "a = 0b101\nb = 0xDEAD_beef\nc = +1_000\nd = 0o17\n";
    let source = SourceText::new(text.into());
    let parsed = document::parse(&source, Format::Toml);
    let texts: Vec<_> = parsed.documents[0].root().entries().filter_map(Node::text).collect();
    assert_eq!(texts, ["0b101", "0xDEADbeef", "+1000", "0o17"]);
}

#[test]
fn any_number_of_comments_may_stand_before_a_value() {
    let comments = "# c\n".repeat(5000);
    for text in [format!("a:\n{comments}  - 1\n"), format!("{comments}a: [1]\n")] {
        assert_eq!(tree(&text, Format::Yaml), [serde_json::json!({"a": [1]})]);
    }
}

#[test]
fn pointers_are_escaped_and_numbered_in_a_stream() {
    let pointers =
        |text: &str| places(text, Format::Yaml).into_iter().map(|(pointer, ..)| pointer).collect::<Vec<_>>();
    assert_eq!(pointers("a/b: {c~d: 1}\n"), ["", "/a~1b", "/a~1b/c~0d"]);
    assert_eq!(pointers("---\na: 1\n"), ["", "/a"]);
    assert_eq!(pointers("a: 1\n---\n"), ["#0", "#0/a"]);
    assert_eq!(pointers("---\n---\na: 1\n...\n---\nb: 2\n"), ["#1", "#1/a", "#2", "#2/b"]);
}

#[test]
fn merge_keys_bring_what_the_mapping_does_not_say_itself() {
    let text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  x: 9\nd:\n  <<: *a\n";
    let found = &tree(text, Format::Yaml)[0];
    assert_eq!(found["c"], serde_json::json!({"x": 9, "y": 2, "z": 4}));
    assert_eq!(found["d"], serde_json::json!({"x": 1, "y": 2}));
    let (key, value) = place_of(text, Format::Yaml, "/c/z");
    assert_eq!((key.as_str(), value.as_str()), ("z", "4"));
}

#[test]
fn tags_are_kept_and_those_of_yaml_itself_decide() {
    let source = SourceText::new("a: !Ref X\nb: !GetAtt [A, Arn]\nc: !!str 3\nd: !Sub\n  k: v\n".into());
    let parsed = document::parse(&source, Format::Yaml);
    let root = parsed.documents[0].root();
    let tag = |key| root.get(key).and_then(Node::tag);
    assert_eq!((tag("a"), tag("b"), tag("c"), tag("d")), (Some("!Ref"), Some("!GetAtt"), None, Some("!Sub")));
    assert_eq!(root.get("c").map(Node::kind), Some(Kind::String));
    let texts = "[! 5, !<tag:yaml.org,2002:str> 5, !!timestamp 2001-01-01, !!map {}, !!int \"5\"]";
    let source = SourceText::new(texts.into());
    let parsed = document::parse(&source, Format::Yaml);
    let items: Vec<_> = parsed.documents[0].root().items().map(|node| (node.kind(), node.tag())).collect();
    let kinds = [Kind::String, Kind::String, Kind::String, Kind::Map, Kind::Integer];
    assert_eq!(items, kinds.map(|kind| (kind, None)));
}

#[test]
fn of_equal_keys_the_last_counts_and_both_are_told() {
    for (text, format) in
        [("a: 1\nb: 2\na: 3\n", Format::Yaml), ("{\"a\": 1, \"b\": 2, \"a\": 3}", Format::Json)]
    {
        let source = SourceText::new(text.into());
        let parsed = document::parse(&source, format);
        assert_eq!(value(parsed.documents[0].root()), serde_json::json!({"a": 3, "b": 2}));
        let [duplicate] = parsed.documents[0].duplicates() else {
            panic!("{:?}", parsed.documents[0].duplicates())
        };
        assert_eq!(duplicate.key, "a");
        assert!(duplicate.first.start < duplicate.last.start);
    }
    let many: String = (0..50).chain([7]).map(|n| format!("k{n}: {n}\n")).collect();
    let source = SourceText::new(many);
    assert_eq!(document::parse(&source, Format::Yaml).documents[0].duplicates().len(), 1);
}

#[test]
fn json_may_have_comments_and_trailing_commas() {
    let text = "// top\n{\n  \"a\": 1, // one\n  /* b */ \"url\": \"http://x//y\",\n}\n";
    assert_eq!(tree(text, Format::Json), [serde_json::json!({"a": 1, "url": "http://x//y"})]);
    let source = SourceText::new(text.into());
    let comments = document::parse(&source, Format::Json).comments;
    let said: Vec<_> = comments.iter().map(|comment| (comment.text.as_str(), comment.own_line)).collect();
    assert_eq!(said, [("top", true), ("one", false), ("b", true)]);
    let address = "{a: http://x/y, \"b\": 1 // c\n}";
    assert_eq!(tree(address, Format::Json), [serde_json::json!({"a": "http://x/y", "b": 1})]);
}

#[test]
fn one_broken_document_does_not_hide_the_others() {
    let source = SourceText::new("a: 1\n---\nb: [\n---\nc: 3\n".into());
    let parsed = document::parse(&source, Format::Yaml);
    assert_eq!(parsed.faults.len(), 1);
    let pointers: Vec<_> = parsed.documents.iter().map(|document| document.root().pointer()).collect();
    assert_eq!(pointers, ["#0", "#2"]);
}

#[test]
fn templates_are_no_errors() {
    for text in [
        "{{- if .Values.x }}\nretries: 3\n{{- end }}\n",
        "retries: {{ .Values.retries }}\n",
        "a:\n  {{- include \"x\" . | nindent 2 }}\n",
        "{% for x in y %}\nretries: {{ x }}\n{% endfor %}\n",
        "a: 1\n${EXTRA_SETTINGS}\n",
    ] {
        let source = SourceText::new(text.into());
        let parsed = document::parse(&source, Format::Yaml);
        assert!(parsed.template && parsed.faults.is_empty() && parsed.documents.is_empty(), "{text}");
    }
    for text in ["a: \"{{ x }}\"\n", "a: 1 # {{ x }}\n", "a: |\n  {{ x }}\n", "a: {b: {c: d}}\n"] {
        let source = SourceText::new(text.into());
        let parsed = document::parse(&source, Format::Yaml);
        assert!(!parsed.template && parsed.documents.len() == 1, "{text}");
    }
}

#[test]
fn texts_within_texts_have_their_places_in_the_file() {
    for text in [
        "s: |\n    {\"a\": {\"retry\": 3}}\n",
        "s: |\n    {\n      \"a\": {\n        \"retry\": 3 }\n    }\n",
        "s: \"{\\\"a\\\": {\\\"retry\\\": 3}}\"\n",
        "s: '{\"a\": {\"retry\": 3}}'\n",
        "s: >\n    {\"a\":\n    {\"retry\": 3}}\n",
        "s: |\n  a:\n    retry: 3\n",
    ] {
        let source = SourceText::new(text.into());
        let parsed = document::parse(&source, Format::Yaml);
        let outer = parsed.documents[0].root().get("s").expect("the text");
        let inner = outer.embedded().unwrap_or_else(|| panic!("{text}"));
        let node = inner.root().path(["a", "retry"]).expect("the value");
        assert_eq!(node.pointer(), "/s/a/retry");
        let (key, value) = (node.key_place(), node.place());
        let at = |place: retrylint::source::Place| &text[place.start as usize..place.end as usize];
        assert!(["retry", "\"retry\"", "\\\"retry\\\""].contains(&at(key)), "{text}: {}", at(key));
        assert_eq!(at(value), "3", "{text}");
    }
}

#[test]
fn escapes_within_texts_are_laid_beside_what_they_stand_for() {
    let json = r#"{"s": "{\"a\": \"\\u00e9 \ud83d\ude00\", \"c\": 1}"}"#;
    let toml = "s = \"\"\"\\\n   {\\\n  \\\"c\\\": 1}\"\"\"\n";
    for (text, format, key, value) in [
        (json, Format::Json, "a", r#"\"\\u00e9 \ud83d\ude00\""#),
        (json, Format::Json, "c", "1"),
        (toml, Format::Toml, "c", "1"),
    ] {
        let source = SourceText::new(text.into());
        let parsed = document::parse(&source, format);
        let inner = parsed.documents[0].root().get("s").and_then(|s| s.embedded()).expect("a text within");
        let node = inner.root().get(key).expect("the value");
        let at = |place: retrylint::source::Place| &text[place.start as usize..place.end as usize];
        assert_eq!((at(node.key_place()), at(node.place())), (&*format!(r#"\"{key}\""#), value), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in "[\\[\\]{}:,#&*!|>'\"%@`\\-?a-c0-2 \\n\\t.=/~<$é]{0,80}") {
        for format in [Format::Yaml, Format::Json, Format::Toml] {
            let source = SourceText::new(text.clone());
            let parsed = document::parse(&source, format);
            for document in &parsed.documents {
                let mut open = vec![document.root()];
                while let Some(node) = open.pop() {
                    open.extend(node.children());
                    prop_assert!(node.place().end as usize <= text.len());
                    prop_assert!(node.key_place().end as usize <= text.len());
                    let _ = (node.embedded().is_some(), node.pointer());
                }
            }
        }
    }
}
