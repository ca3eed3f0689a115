//! TOML into the tree. The one file that knows the lexer.

use super::embedded::{OffsetMap, Style};
use super::node::{Builder, Document, Key, Kind, NewNode, Span, TooLarge};
use super::{Comment, Fault, Parsed, template};
use crate::source::SourceText;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Reads a TOML file.
pub(super) fn parse(source: &SourceText) -> Parsed<'_> {
    read(source, source.as_str(), Builder::new(source, Cow::Borrowed(source.as_str()), None))
}

/// Reads a text within a file.
pub(super) fn within(source: &SourceText, text: String, map: OffsetMap) -> Parsed<'_> {
    let builder = Builder::new(source, Cow::Owned(text.clone()), Some(map));
    read(source, &text, builder)
}

/// Reads a text into the tree of a document that has it; of a text within a file the faults are without
/// their places.
fn read<'t>(source: &'t SourceText, text: &str, mut builder: Builder<'t>) -> Parsed<'t> {
    if too_much(text) {
        let message = "the file is nested too deep, or has too many tables";
        return refused(source, message, "Split it, or exclude it in retrylint.toml.");
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
            comments: comments(source, text, None),
            ..Parsed::default()
        };
    }
    let filler = [TokenKind::Whitespace, TokenKind::Newline, TokenKind::Comment, TokenKind::Eof];
    let first = Source::new(text).lex().find(|token| !filler.contains(&token.kind()));
    let start = first.map_or(0, |token| token.span().start()) as u32;
    let root = NewNode::plain(Kind::Map, Span { start, end: start });
    let built = builder.add(None, None, root).and_then(|root| fill(&mut builder, root, table.get_ref()));
    if built.is_err() {
        return refused(
            source,
            "the file holds more than is read",
            "Split it, or exclude it in retrylint.toml.",
        );
    }
    let document = builder.finish();
    Parsed {
        comments: comments(source, text, document.as_ref()),
        documents: document.into_iter().collect(),
        ..Parsed::default()
    }
}

fn refused<'t>(source: &'t SourceText, message: &str, help: &str) -> Parsed<'t> {
    let fault = Fault { place: source.place(0, 0), message: message.into(), help: help.into() };
    Parsed { faults: vec![fault], ..Parsed::default() }
}

/// The deepest nesting that is read: with each level of brackets one or more of keys may come.
const MOST_LEVELS: usize = 255;
/// The most `[tables]` that are read; the parser takes time by their square.
const MOST_TABLES: usize = 20_000;

/// Whether the parser is not made for a text: its own bookkeeping takes one call for each level.
fn too_much(text: &str) -> bool {
    let mut tables = 0;
    let mut line_start = true;
    // dots since the last value at each level of brackets
    let mut dots = vec![0usize];
    let mut levels = 0;
    for token in Source::new(text).lex() {
        let kind = token.kind();
        match kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                tables += usize::from(line_start && dots.len() == 1);
                dots.push(0);
                levels += 1;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket if dots.len() > 1 => {
                levels -= 1 + dots.pop().unwrap_or_default();
            }
            TokenKind::Newline | TokenKind::Comma => {
                levels -= std::mem::take(dots.last_mut().unwrap_or(&mut 0));
            }
            TokenKind::Dot => {
                *dots.last_mut().unwrap_or(&mut 0) += 1;
                levels += 1;
            }
            _ => {}
        }
        line_start = match kind {
            TokenKind::Newline => true,
            TokenKind::Whitespace => line_start,
            _ => false,
        };
        if levels > MOST_LEVELS || tables > MOST_TABLES {
            return true;
        }
    }
    false
}

/// The comments of a text; a document that has it knows their places.
fn comments(source: &SourceText, text: &str, document: Option<&Document<'_>>) -> Vec<Comment> {
    let tokens = Source::new(text).lex().filter(|token| token.kind() == TokenKind::Comment);
    let comments = tokens.map(|token| {
        let (start, end) = (token.span().start(), token.span().end());
        let span = Span { start: start as u32, end: end as u32 };
        let bytes = document.map_or(start..end, |document| document.bytes(span));
        Comment::new(source, bytes, text[start..end].trim_start_matches('#'))
    });
    comments.collect()
}

fn span_of<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span { start: range.start as u32, end: range.end as u32 }
}

/// The builder bounds how deep this goes.
fn fill(builder: &mut Builder<'_>, parent: u32, table: &DeTable<'_>) -> Result<u32, TooLarge> {
    let mut end = builder.span_of(parent).end;
    for (key, value) in table {
        let span = span_of(key);
        let text = builder.keep(key.get_ref(), span);
        end = end.max(add(builder, parent, Some(Key { text, span }), value)?);
    }
    builder.close(parent, end);
    Ok(end)
}

/// Adds a value and says where it ends. A table has the place of its header or of its key, and
/// reaches to the last of its own.
fn add(
    builder: &mut Builder<'_>,
    parent: u32,
    key: Option<Key>,
    value: &Spanned<DeValue<'_>>,
) -> Result<u32, TooLarge> {
    let span = span_of(value);
    match value.get_ref() {
        DeValue::Table(table) => {
            let map = builder.add(Some(parent), key, NewNode::plain(Kind::Map, span))?;
            fill(builder, map, table)
        }
        DeValue::Array(items) => {
            let list = builder.add(Some(parent), key, NewNode::plain(Kind::List, span))?;
            let mut end = span.end;
            for item in items.iter() {
                end = end.max(add(builder, list, None, item)?);
            }
            builder.close(list, end);
            Ok(end)
        }
        scalar => {
            let node = new_scalar(builder, span, scalar);
            builder.add(Some(parent), key, node)?;
            Ok(span.end)
        }
    }
}

fn new_scalar(builder: &mut Builder<'_>, span: Span, value: &DeValue<'_>) -> NewNode {
    let written = builder.written(span).to_string();
    let (kind, text) = match value {
        DeValue::String(text) => (Kind::String, Cow::Borrowed(text.as_ref())),
        DeValue::Integer(_) => (Kind::Integer, written.replace('_', "").into()),
        DeValue::Float(_) => (Kind::Float, written.replace('_', "").into()),
        DeValue::Boolean(_) => (Kind::Bool, written.as_str().into()),
        _ => (Kind::String, written.as_str().into()),
    };
    let style = match (value, written.as_bytes().first()) {
        (DeValue::String(_), Some(b'"')) => Style::Double,
        (DeValue::String(_), _) => Style::Literal,
        _ => Style::Plain,
    };
    NewNode { text: builder.keep(&text, span), style, ..NewNode::plain(kind, span) }
}
