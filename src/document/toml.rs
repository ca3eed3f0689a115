//! TOML into the tree. The one file that knows the lexer.

use super::node::{Builder, Key, Kind, NewNode, Span, Text, TooLarge};
use super::{Comment, Fault, Parsed, template};
use crate::source::SourceText;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Reads a TOML file.
pub(super) fn parse(source: &SourceText) -> Parsed<'_> {
    let text = source.as_str();
    if too_deep(text) {
        let help = "Nest it less deep.".to_string();
        let fault =
            Fault { place: source.place(0, 0), message: "a key or a list is nested too deep".into(), help };
        return Parsed { faults: vec![fault], ..Parsed::default() };
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() && template::has_marks(text) {
        return Parsed { template: true, ..Parsed::default() };
    }
    if let Some(error) = errors.first() {
        let span = error.span().unwrap_or(0..0);
        let place = source.place(span.start, span.end.max(span.start + 1));
        let message = error.message().lines().next().unwrap_or_default().to_string();
        let help = "Correct the syntax; nothing of this file was checked.".to_string();
        return Parsed {
            faults: vec![Fault { place, message, help }],
            comments: comments(source),
            ..Parsed::default()
        };
    }
    let mut builder = Builder::new(source, Cow::Borrowed(text), None);
    let root = NewNode {
        kind: Kind::Map,
        text: Text::default(),
        span: Span { start: 0, end: text.len() as u32 },
        tag: Text::default(),
        quoted: false,
    };
    let built =
        builder.add(None, None, root).and_then(|root| fill_table(&mut builder, root, table.get_ref()));
    if built.is_err() {
        let help = "Split it, or exclude it in retrylint.toml.".to_string();
        let fault =
            Fault { place: source.place(0, 0), message: "the file holds more than is read".into(), help };
        return Parsed { faults: vec![fault], ..Parsed::default() };
    }
    builder.close(0, Some(text.len() as u32));
    Parsed {
        documents: builder.finish().into_iter().collect(),
        comments: comments(source),
        ..Parsed::default()
    }
}

/// Keys with more dots, or more brackets in a row, than a document may be deep; the parser's own
/// bookkeeping is not made for them.
fn too_deep(text: &str) -> bool {
    const MOST: usize = 255;
    let (mut dots, mut brackets) = (0, 0usize);
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::Newline | TokenKind::Equals => dots = 0,
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => brackets += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                brackets = brackets.saturating_sub(1)
            }
            _ => {}
        }
        if dots > MOST || brackets > MOST {
            return true;
        }
    }
    false
}

fn comments(source: &SourceText) -> Vec<Comment> {
    let text = source.as_str();
    let tokens = Source::new(text).lex().filter(|token| token.kind() == TokenKind::Comment);
    let comments = tokens.map(|token| {
        let (start, end) = (token.span().start(), token.span().end());
        let line = text[..start].rsplit('\n').next().unwrap_or_default();
        let said = text[start..end].trim_start_matches('#').trim();
        Comment {
            place: source.place(start, end),
            text: said.to_string(),
            own_line: line.trim_matches(['\u{feff}', ' ', '\t']).is_empty(),
        }
    });
    comments.collect()
}

fn span_of<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span { start: range.start as u32, end: range.end as u32 }
}

/// The parser bounds how deep values are nested.
fn fill_table(builder: &mut Builder<'_>, parent: u32, table: &DeTable<'_>) -> Result<(), TooLarge> {
    for (key, value) in table {
        let span = span_of(key);
        let text = builder.keep(key.get_ref(), span);
        add(builder, parent, Some(Key { text, span }), value)?;
    }
    Ok(())
}

fn add(
    builder: &mut Builder<'_>,
    parent: u32,
    key: Option<Key>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), TooLarge> {
    let span = span_of(value);
    let mut node =
        NewNode { kind: Kind::String, text: Text::default(), span, tag: Text::default(), quoted: false };
    match value.get_ref() {
        DeValue::Table(table) => {
            node.kind = Kind::Map;
            let map = builder.add(Some(parent), key, node)?;
            fill_table(builder, map, table)?;
            builder.close(map, Some(span.end));
        }
        DeValue::Array(items) => {
            node.kind = Kind::List;
            let list = builder.add(Some(parent), key, node)?;
            for item in items.iter() {
                add(builder, list, None, item)?;
            }
            builder.close(list, Some(span.end));
        }
        DeValue::String(text) => {
            (node.text, node.quoted) = (builder.keep(text, span), true);
            builder.add(Some(parent), key, node)?;
        }
        DeValue::Integer(integer) => {
            let digits = integer.as_str().to_string();
            let text = match integer.radix() {
                16 => format!("0x{digits}"),
                8 => format!("0o{digits}"),
                _ => digits,
            };
            (node.kind, node.text) = (Kind::Integer, builder.keep(&text, span));
            builder.add(Some(parent), key, node)?;
        }
        DeValue::Float(float) => {
            (node.kind, node.text) = (Kind::Float, builder.keep(float.as_str(), span));
            builder.add(Some(parent), key, node)?;
        }
        DeValue::Boolean(value) => {
            (node.kind, node.text) = (Kind::Bool, builder.keep(if *value { "true" } else { "false" }, span));
            builder.add(Some(parent), key, node)?;
        }
        DeValue::Datetime(value) => {
            node.text = builder.keep(&value.to_string(), span);
            builder.add(Some(parent), key, node)?;
        }
    }
    Ok(())
}
