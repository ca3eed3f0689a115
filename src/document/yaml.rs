//! YAML and JSON into the tree. The one file that knows the parser.

use super::embedded::OffsetMap;
use super::node::{Builder, Document, Key, Kind, NewNode, Span, Text, TooLarge};
use super::{Comment, Fault, Parsed, template};
use crate::source::SourceText;
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads a stream of YAML documents.
pub(super) fn parse(source: &SourceText) -> Parsed<'_> {
    read(source, Cow::Borrowed(source.as_str()), None)
}

/// Reads JSON, with comments and trailing commas.
pub(super) fn parse_json(source: &SourceText) -> Parsed<'_> {
    let (text, comments) = without_comments(source.as_str());
    let place = |span: Span| source.place(span.start as usize, span.end as usize);
    let comments = comments.into_iter().map(|span| {
        let written = &source.as_str()[span.start as usize..span.end as usize];
        let inner = written
            .strip_prefix("//")
            .unwrap_or_else(|| written.trim_start_matches("/*").trim_end_matches("*/"));
        comment(source, inner, place(span))
    });
    let comments: Vec<_> = comments.collect();
    let mut parsed = read(source, text, None);
    parsed.comments.splice(0..0, comments);
    parsed
}

/// Reads a text within a file; None where it is no single document that holds a mapping.
pub(super) fn embedded(source: &SourceText, text: String, map: OffsetMap) -> Option<Document<'_>> {
    let parsed = read(source, Cow::Owned(text), Some(map));
    let document = parsed.documents.into_iter().next()?;
    let mapping = document.root().kind() == Kind::Map && parsed.faults.is_empty();
    mapping.then_some(document)
}

/// How long a key may be; JSON has no limit.
const LONGEST_KEY: usize = 1 << 20;

fn read<'t>(source: &'t SourceText, text: Cow<'t, str>, map: Option<OffsetMap>) -> Parsed<'t> {
    let options = granit_parser::options! {
        block_scalar_eof_without_line_feed: true,
        emit_unresolved_aliases: true,
        simple_key_max_lookahead: LONGEST_KEY,
    };
    let mut parsed = Parsed::default();
    let mut map = map;
    let kept = text.clone();
    let masked = without_placeholders(&kept);
    let mut parser = Parser::new_from_str_with_options(&masked, options);
    let mut started = 0usize;
    let mut documents: Vec<(usize, Document<'t>)> = Vec::new();
    let mut tree: Option<Tree<'t>> = None;
    loop {
        let (event, span) = match parser.next_event() {
            Some(Ok(next)) => next,
            Some(Err(error)) => {
                let at = error.marker().byte_offset().unwrap_or(0);
                started += usize::from(tree.take().is_none());
                let place = source.place(at, at + 1);
                parsed.faults.push(syntax_fault(place, &error.info()));
                match parser.proceed_next_document() {
                    Ok(true) => continue,
                    _ => break,
                }
            }
            None => break,
        };
        let range = span.byte_range().unwrap_or(0..0);
        let range = Span { start: range.start as u32, end: range.end as u32 };
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(..) => {
                started += 1;
                tree = Some(Tree::new(Builder::new(source, text.clone(), map.take())));
            }
            Event::DocumentEnd => {
                let document = tree.take().and_then(|tree| tree.builder.finish());
                documents.extend(document.map(|document| (started - 1, document)));
            }
            Event::Comment(text, _) => {
                let place = source.place(range.start as usize, range.end as usize);
                parsed.comments.push(comment(source, &text, place));
            }
            event => {
                let Some(open) = &mut tree else { continue };
                let tag = span.tag_span().and_then(|tag| tag.byte_range());
                let tag = tag.map(|tag| Span { start: tag.start as u32, end: tag.end as u32 });
                if let Err(trouble) = open.take(event, range, tag, &kept) {
                    match trouble {
                        Trouble::Template => return Parsed { template: true, ..Parsed::default() },
                        trouble => parsed
                            .faults
                            .push(trouble.fault(source.place(range.start as usize, range.end as usize))),
                    }
                    tree = None;
                    if !matches!(parser.proceed_next_document(), Ok(true)) {
                        break;
                    }
                }
            }
        }
    }
    if !parsed.faults.is_empty() && template::has_marks(&kept) {
        return Parsed { template: true, ..Parsed::default() };
    }
    if started > 1 {
        for (n, document) in &mut documents {
            document.set_prefix(format!("#{n}"), 0);
        }
    }
    parsed.documents = documents.into_iter().map(|(_, document)| document).collect();
    parsed
}

fn comment(source: &SourceText, text: &str, place: crate::source::Place) -> Comment {
    let before = &source.as_str()[..place.start as usize];
    let line = before.rsplit('\n').next().unwrap_or_default();
    Comment {
        place,
        text: text.trim().to_string(),
        own_line: line.trim_matches(['\u{feff}', ' ', '\t', '\r']).is_empty(),
    }
}

fn syntax_fault(place: crate::source::Place, message: &str) -> Fault {
    let first = message.lines().next().unwrap_or_default();
    Fault {
        place,
        message: first.trim_end_matches('.').to_string(),
        help: "Correct the syntax; nothing of this document was checked.".into(),
    }
}

/// Why a document cannot be read although its syntax is right.
enum Trouble {
    /// It is none until it is rendered.
    Template,
    /// An alias without an anchor.
    NoAnchor(String),
    /// An anchor within itself.
    WithinItself,
    /// More than is read.
    TooLarge(TooLarge),
}

impl From<TooLarge> for Trouble {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl Trouble {
    fn fault(self, place: crate::source::Place) -> Fault {
        let (message, help) = match self {
            Self::NoAnchor(name) => (
                format!("there is no anchor {name} before this alias"),
                "Name an anchor that stands before it in the same document.",
            ),
            Self::WithinItself => (
                "an anchor stands for a value that contains it".into(),
                "Take the alias out of the value it stands for.",
            ),
            Self::TooLarge(TooLarge::Depth) => {
                ("the document is nested more than 255 levels deep".into(), "Nest it less deep.")
            }
            Self::TooLarge(TooLarge::Nodes) => (
                "the document has more than 4 million values".into(),
                "Split it, or exclude it in retrylint.toml.",
            ),
            Self::TooLarge(TooLarge::Aliases) => (
                "the aliases of the document stand for more than 200,000 values".into(),
                "Use fewer aliases of aliases.",
            ),
            Self::Template => ("the file is a template".into(), ""),
        };
        Fault { place, message, help: help.into() }
    }
}

/// A list or mapping that is not complete.
struct Open {
    node: u32,
    anchor: usize,
    map: bool,
    /// Its end is a bracket of its own.
    flow: bool,
    key: Option<Key>,
}

/// A key that is no scalar, until its end.
struct CompositeKey {
    depth: usize,
    start: u32,
}

/// A document as its events come in.
struct Tree<'t> {
    builder: Builder<'t>,
    open: Vec<Open>,
    composite: Option<CompositeKey>,
    /// Complete values by the number of their anchor.
    anchors: HashMap<usize, u32>,
}

impl<'t> Tree<'t> {
    fn new(builder: Builder<'t>) -> Self {
        Self { builder, open: Vec::new(), composite: None, anchors: HashMap::new() }
    }

    fn take(&mut self, event: Event<'_>, span: Span, tag: Option<Span>, text: &str) -> Result<(), Trouble> {
        if self.composite.is_some() {
            self.within_composite_key(&event, span, text);
            return Ok(());
        }
        let expects_key = self.open.last().is_some_and(|open| open.map && open.key.is_none());
        match event {
            Event::Scalar(value, style, anchor, _) if expects_key => {
                let plain = style == ScalarStyle::Plain;
                let value = unmasked(&value, span, text);
                let kept = if plain && span.start == span.end {
                    Text::default()
                } else {
                    self.builder.keep(value, span)
                };
                self.set_key(Key { text: kept, span });
                if anchor > 0 {
                    let node = NewNode {
                        kind: Kind::String,
                        text: kept,
                        span,
                        tag: Text::default(),
                        quoted: !plain,
                    };
                    let index = self.builder.add(None, None, node)?;
                    self.anchors.insert(anchor, index);
                }
            }
            Event::Scalar(value, style, anchor, _) => {
                let node = self.scalar(unmasked(&value, span, text), style, span, tag, text);
                let index = self.add(node)?;
                if anchor > 0 {
                    self.anchors.insert(anchor, index);
                }
            }
            Event::MappingStart(..) | Event::SequenceStart(..) if expects_key => {
                self.composite = Some(CompositeKey { depth: 1, start: span.start });
            }
            Event::MappingStart(style, anchor, _) => {
                if text[span.start as usize..].starts_with("{{") {
                    return Err(Trouble::Template);
                }
                self.container(Kind::Map, style, anchor, span, tag, text)?;
            }
            Event::SequenceStart(style, anchor, _) => {
                self.container(Kind::List, style, anchor, span, tag, text)?
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(open) = self.open.pop() {
                    self.builder.close(open.node, open.flow.then_some(span.end));
                    if open.anchor > 0 {
                        self.anchors.insert(open.anchor, open.node);
                    }
                }
            }
            Event::Alias(anchor) => {
                let Some(of) = self.anchors.get(&anchor).copied() else { return Err(Trouble::WithinItself) };
                if expects_key {
                    let name = self.builder.keep(&text[span.start as usize..span.end as usize], span);
                    self.set_key(Key { text: name, span });
                } else {
                    let (parent, key) = self.position();
                    self.builder.copy(of, parent, key)?;
                }
            }
            Event::UnresolvedAlias(name) => return Err(Trouble::NoAnchor(name.into_owned())),
            _ => {}
        }
        Ok(())
    }

    /// A key that is a list or a mapping is known by what is written.
    fn within_composite_key(&mut self, event: &Event<'_>, span: Span, text: &str) {
        let Some(composite) = &mut self.composite else { return };
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => composite.depth += 1,
            Event::MappingEnd | Event::SequenceEnd => composite.depth -= 1,
            _ => {}
        }
        if composite.depth == 0 {
            let span = Span { start: composite.start, end: span.end.max(composite.start) };
            self.composite = None;
            let key = self.builder.keep(&text[span.start as usize..span.end as usize], span);
            self.set_key(Key { text: key, span });
        }
    }

    fn set_key(&mut self, key: Key) {
        if let Some(open) = self.open.last_mut() {
            open.key = Some(key);
        }
    }

    /// Where the next value goes.
    fn position(&mut self) -> (Option<u32>, Option<Key>) {
        match self.open.last_mut() {
            Some(open) => (Some(open.node), open.key.take()),
            None => (None, None),
        }
    }

    fn add(&mut self, node: NewNode) -> Result<u32, Trouble> {
        let (parent, key) = self.position();
        Ok(self.builder.add(parent, key, node)?)
    }

    fn container(
        &mut self,
        kind: Kind,
        style: StructureStyle,
        anchor: usize,
        span: Span,
        tag: Option<Span>,
        text: &str,
    ) -> Result<(), Trouble> {
        let tag = self.tag(tag, text);
        let node = self.add(NewNode { kind, text: Text::default(), span, tag, quoted: false })?;
        let flow = style == StructureStyle::Flow;
        self.open.push(Open { node, anchor, map: kind == Kind::Map, flow, key: None });
        Ok(())
    }

    /// A tag as written, unless it is one of YAML's own.
    fn tag(&mut self, tag: Option<Span>, text: &str) -> Text {
        let written = tag.and_then(|tag| Some((tag, text.get(tag.start as usize..tag.end as usize)?)));
        match written {
            Some((span, name)) if core_kind(name).is_none() => self.builder.keep(name, span),
            _ => Text::default(),
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        span: Span,
        tag: Option<Span>,
        text: &str,
    ) -> NewNode {
        let plain = style == ScalarStyle::Plain;
        let empty = plain && span.start == span.end;
        let core = tag.and_then(|tag| text.get(tag.start as usize..tag.end as usize)).and_then(core_kind);
        let kind = match core {
            Some(kind) => kind,
            None if empty => Kind::Null,
            None if plain => plain_kind(value),
            None => Kind::String,
        };
        let shown = if kind == Kind::Null { Text::default() } else { self.builder.keep(value, span) };
        NewNode { kind, text: shown, span, tag: self.tag(tag, text), quoted: !plain }
    }
}

/// The kind that one of YAML's own tags asks for.
fn core_kind(tag: &str) -> Option<Kind> {
    Some(match tag.strip_prefix("!!")? {
        "str" | "binary" => Kind::String,
        "int" => Kind::Integer,
        "float" => Kind::Float,
        "bool" => Kind::Bool,
        "null" => Kind::Null,
        _ => return None,
    })
}

/// What a plain scalar is in YAML 1.2's core schema.
fn plain_kind(text: &str) -> Kind {
    match text {
        "null" | "Null" | "NULL" | "~" | "" => return Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return Kind::Bool,
        ".inf" | ".Inf" | ".INF" | "-.inf" | "-.Inf" | "-.INF" | "+.inf" | ".nan" | ".NaN" | ".NAN" => {
            return Kind::Float;
        }
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if all(digits, 10)
        || text.strip_prefix("0x").is_some_and(|hex| all(hex, 16))
        || text.strip_prefix("0o").is_some_and(|octal| all(octal, 8))
    {
        return Kind::Integer;
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let number = whole.len() + fraction.len() > 0
        && whole.chars().chain(fraction.chars()).all(|digit| digit.is_ascii_digit())
        && all(exponent.strip_prefix(['-', '+']).unwrap_or(exponent), 10);
    if number { Kind::Float } else { Kind::String }
}

/// JSON with its comments blanked out, byte for byte, and where they stood.
fn without_comments(text: &str) -> (Cow<'_, str>, Vec<Span>) {
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => at = string_end(bytes, at),
            (b'/', Some(b'/')) => {
                let end = bytes[at..]
                    .iter()
                    .position(|byte| matches!(byte, b'\n' | b'\r'))
                    .map_or(bytes.len(), |length| at + length);
                comments.push(Span { start: at as u32, end: end as u32 });
                at = end;
            }
            (b'/', Some(b'*')) => {
                let end = text[at + 2..].find("*/").map_or(bytes.len(), |length| at + 2 + length + 2);
                comments.push(Span { start: at as u32, end: end as u32 });
                at = end;
            }
            _ => at += 1,
        }
    }
    if comments.is_empty() {
        return (Cow::Borrowed(text), comments);
    }
    let mut blanked = String::with_capacity(text.len());
    let mut done = 0;
    for Span { start, end } in &comments {
        blanked.push_str(&text[done..*start as usize]);
        let bytes = text[*start as usize..*end as usize].bytes();
        blanked.extend(bytes.map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }));
        done = *end as usize;
    }
    blanked.push_str(&text[done..]);
    (Cow::Owned(blanked), comments)
}

/// What stands in the place of a placeholder while its text is parsed.
const MASK: char = '_';

/// JSON with each `${…}` outside of its strings made a plain word of as many bytes: what a tool fills in
/// there may be a number, and until then its braces would be taken for a mapping's.
fn without_placeholders(text: &str) -> Cow<'_, str> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with(['{', '[']) || !text.contains("${") {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut masked = String::with_capacity(text.len());
    let (mut at, mut done) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = string_end(bytes, at),
            b'\'' => at += 2 + bytes[at + 1..].iter().take_while(|byte| **byte != b'\'').count(),
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                let (length, closed) = placeholder(&bytes[at..]);
                if closed {
                    masked.push_str(&text[done..at]);
                    masked.extend(std::iter::repeat_n(MASK, length));
                    done = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[done..]);
    Cow::Owned(masked)
}

/// How long a placeholder is at whose `$` the bytes start, and whether it ends on its line.
fn placeholder(bytes: &[u8]) -> (usize, bool) {
    let mut open = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 1 => return (at + 1, true),
            b'}' => open -= 1,
            b'\n' | b'\r' => return (at, false),
            _ => {}
        }
    }
    (bytes.len(), false)
}

/// The value as it is written, where a placeholder of it was masked.
fn unmasked<'v>(value: &'v str, span: Span, text: &'v str) -> &'v str {
    let written = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let masked = value.contains(MASK) && written.len() == value.len() && written.contains("${");
    if masked { written } else { value }
}

/// The byte after a JSON string that starts at a quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}
