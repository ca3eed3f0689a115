//! Any bytes as YAML, JSON and TOML: the tree, and every question that a dialect asks of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrylint::document::{self, Document, Format};
use retrylint::source::SourceText;

fn ask(document: &Document<'_>, within: usize) {
    for node in document.all() {
        let (place, key) = (node.place(), node.key_place());
        assert!(place.start <= place.end && key.start <= key.end);
        assert!(place.line >= 1 && place.column >= 1 && place.line <= place.end_line);
        let _ = (node.pointer(), node.tag(), node.text(), node.boolean(), node.children().count());
        if within > 0
            && let Some(inner) = node.embedded()
        {
            ask(&inner, within - 1);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [format, rest @ ..] = bytes else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let format = [Format::Yaml, Format::Json, Format::Toml][usize::from(*format) % 3];
    let source = SourceText::new(text.to_string());
    let parsed = document::parse(&source, format);
    parsed.documents.iter().for_each(|document| ask(document, 2));
    document::outline::outline(text).for_each(drop);
});
