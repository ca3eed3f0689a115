//! YAML and JSON into the tree. The one file that knows the parser.

use super::embedded::{OffsetMap, Style};
use super::node::{Builder, Document, Key, Kind, NewNode, Span, Text, TooLarge};
use super::outline::{self, string_end};
use super::{Comment, Fault, Parsed, template};
use crate::source::SourceText;
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Reads those documents of a YAML stream that are wanted.
pub(super) fn parse<'t>(source: &'t SourceText, want: &dyn Fn(&str) -> bool) -> Parsed<'t> {
    let (runs, documents) = outline::wanted(source.as_str(), want);
    let mut parsed = Parsed::default();
    for (first, bytes) in runs {
        let part = Part { bytes, first, alone: documents < 2 };
        let more = read(source, source.as_str(), part, None);
        if more.template {
            return more;
        }
        parsed.documents.extend(more.documents);
        parsed.faults.extend(more.faults);
        parsed.comments.extend(more.comments);
    }
    parsed
}

/// Reads JSON, with comments and trailing commas.
pub(super) fn parse_json(source: &SourceText) -> Parsed<'_> {
    let (text, spans) = without_comments(source.as_str());
    let comments = spans.into_iter().map(|Span { start, end }| {
        let written = &source.as_str()[start as usize..end as usize];
        let inner = written
            .strip_prefix("//")
            .unwrap_or_else(|| written.trim_start_matches("/*").trim_end_matches("*/"));
        Comment::new(source, start as usize..end as usize, inner)
    });
    let comments: Vec<_> = comments.collect();
    let mut parsed = read(source, &text, Part::whole(&text), None);
    parsed.comments.splice(0..0, comments);
    parsed
}

/// Reads a text within a file, of which only the first document has its places.
pub(super) fn within(source: &SourceText, text: String, map: OffsetMap) -> Parsed<'_> {
    read(source, &text.clone(), Part::whole(&text), Some((text, map)))
}

/// The same for JSON; comments and trailing commas are read over.
pub(super) fn json_within(source: &SourceText, text: String, map: OffsetMap) -> Parsed<'_> {
    within(source, without_comments(&text).0.into_owned(), map)
}

/// Reads a text within a file; None where it is no stream that starts with a mapping.
pub(super) fn embedded(source: &SourceText, text: String, map: OffsetMap) -> Option<Document<'_>> {
    let parsed = within(source, text, map);
    let document = parsed.documents.into_iter().next()?;
    let mapping = document.root().kind() == Kind::Map && parsed.faults.is_empty();
    mapping.then_some(document)
}

/// What is read of a text.
struct Part {
    /// Whole documents.
    bytes: Range<usize>,
    /// The number of the first of them.
    first: usize,
    /// It is the only one, as far as is known.
    alone: bool,
}

impl Part {
    fn whole(text: &str) -> Self {
        Self { bytes: 0..text.len(), first: 0, alone: true }
    }
}

/// Reads a part of a text that is the file's, byte for byte but for blanked comments, or one within it, which
/// only the first document of a stream gets.
fn read<'t>(
    source: &'t SourceText,
    text: &str,
    part: Part,
    within: Option<(String, OffsetMap)>,
) -> Parsed<'t> {
    // neither many comments in a row nor a long key are an error, and both take linear time
    let options = granit_parser::options! {
        block_scalar_eof_without_line_feed: true,
        emit_unresolved_aliases: true,
        simple_key_max_lookahead: usize::MAX,
        max_buffered_comment_events: usize::MAX,
    };
    let mut parsed = Parsed::default();
    let embedded = within.is_some();
    let mut comments: Vec<(Span, String)> = Vec::new();
    let file = if within.is_none() { source.as_str() } else { "" };
    let mut within = within;
    let start = part.bytes.start;
    let masked = without_placeholders(&text[part.bytes]);
    let mut parser = Parser::new_from_str_with_options(&masked, options);
    let mut started = part.first;
    let mut documents: Vec<(usize, Document<'t>)> = Vec::new();
    let mut tree: Option<Tree<'t>> = None;
    loop {
        let (event, span) = match parser.next_event() {
            Some(Ok(next)) => next,
            Some(Err(error)) => {
                let at = start + error.marker().byte_offset().unwrap_or(0);
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
        let in_file = |range: Range<usize>| Span {
            start: (start + range.start) as u32,
            end: (start + range.end) as u32,
        };
        let range = in_file(span.byte_range().unwrap_or(0..0));
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(..) => {
                started += 1;
                let (text, map) = match within.take() {
                    Some((text, map)) => (Cow::Owned(text), Some(map)),
                    None => (Cow::Borrowed(file), None),
                };
                tree = Some(Tree::new(Builder::new(source, text, map)));
            }
            Event::DocumentEnd => {
                let document = tree.take().and_then(|tree| tree.builder.finish());
                documents.extend(document.map(|document| (started - 1, document)));
            }
            Event::Comment(text, _) => comments.push((range, text.into_owned())),
            event => {
                let Some(open) = &mut tree else { continue };
                let tag = span.tag_span().and_then(|tag| tag.byte_range()).map(in_file);
                if let Err(trouble) = open.take(event, range, tag, text) {
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
    if !parsed.faults.is_empty() && template::has_marks(text) {
        return Parsed { template: true, ..Parsed::default() };
    }
    let holder = documents.first().map(|(_, document)| document).filter(|_| embedded);
    let comments = comments.into_iter().filter(|_| holder.is_some() || !embedded).map(|(span, text)| {
        let bytes = span.start as usize..span.end as usize;
        Comment::new(source, holder.map_or(bytes, |document| document.bytes(span)), &text)
    });
    parsed.comments = comments.collect();
    if started > 1 || !part.alone {
        for (n, document) in &mut documents {
            document.set_prefix(format!("#{n}"), 0);
        }
    }
    parsed.documents = documents.into_iter().map(|(_, document)| document).collect();
    parsed
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
    /// It is a key of the mapping around it.
    as_key: bool,
    key: Option<Key>,
    /// Where the last of its own ends.
    end: u32,
}

/// A document as its events come in.
struct Tree<'t> {
    builder: Builder<'t>,
    open: Vec<Open>,
    /// Complete values by the number of their anchor.
    anchors: HashMap<usize, u32>,
}

impl<'t> Tree<'t> {
    fn new(builder: Builder<'t>) -> Self {
        Self { builder, open: Vec::new(), anchors: HashMap::new() }
    }

    fn take(&mut self, event: Event<'_>, span: Span, tag: Option<Span>, text: &str) -> Result<(), Trouble> {
        let expects_key = self.expects_key();
        match event {
            Event::Scalar(value, style, anchor, tag_name) => {
                let value = unmasked(&value, span, text);
                let node = self.scalar(value, style, span, tag_name.as_deref(), tag, text);
                let span = Span { end: node.span.end, ..span };
                if expects_key {
                    // a null that is written (`~`) is a key of that name
                    let text = match node.kind {
                        Kind::Null if span.start < span.end => self.builder.keep(value, span),
                        _ => node.text,
                    };
                    if anchor > 0 {
                        let index = self.builder.add(None, None, NewNode { text, ..node })?;
                        self.anchors.insert(anchor, index);
                    }
                    self.set_key(Key { text, span });
                } else {
                    let index = self.add(node)?;
                    self.anchors.extend((anchor > 0).then_some((anchor, index)));
                }
                self.reach(span.end);
            }
            Event::MappingStart(style, anchor, tag_name) => {
                if text[span.start as usize..].starts_with("{{") {
                    return Err(Trouble::Template);
                }
                let tag = self.tag(tag_name.as_deref(), tag, text);
                self.container(Kind::Map, style, anchor, span, tag)?;
            }
            Event::SequenceStart(style, anchor, tag_name) => {
                let tag = self.tag(tag_name.as_deref(), tag, text);
                self.container(Kind::List, style, anchor, span, tag)?;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let end = if open.flow { span.end } else { open.end };
                self.builder.close(open.node, end);
                if open.anchor > 0 {
                    self.anchors.insert(open.anchor, open.node);
                }
                if open.as_key {
                    // a key that is a list or a mapping is known by what is written
                    let key =
                        Key { text: self.builder.text_of(open.node), span: self.builder.span_of(open.node) };
                    self.set_key(key);
                }
                self.reach(end);
            }
            Event::Alias(anchor) => {
                let Some(of) = self.anchors.get(&anchor).copied() else { return Err(Trouble::WithinItself) };
                if expects_key {
                    let text = self.builder.text_of(of);
                    self.set_key(Key { text, span });
                } else {
                    let (parent, key) = self.position();
                    self.builder.copy(of, parent, key)?;
                }
                self.reach(span.end);
            }
            Event::UnresolvedAlias(name) => return Err(Trouble::NoAnchor(name.into_owned())),
            _ => {}
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.map && open.key.is_none())
    }

    fn set_key(&mut self, key: Key) {
        if let Some(open) = self.open.last_mut() {
            open.key = Some(key);
        }
    }

    /// What is open reaches at least to here.
    fn reach(&mut self, end: u32) {
        if let Some(open) = self.open.last_mut() {
            open.end = open.end.max(end);
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
        tag: Text,
    ) -> Result<(), Trouble> {
        let as_key = self.expects_key();
        let new = NewNode { tag, ..NewNode::plain(kind, span) };
        let node = if as_key { self.builder.add(None, None, new)? } else { self.add(new)? };
        let flow = style == StructureStyle::Flow;
        let map = kind == Kind::Map;
        self.open.push(Open { node, anchor, map, flow, as_key, key: None, end: span.start });
        Ok(())
    }

    /// A tag as written, unless it is one of YAML's own.
    fn tag(&mut self, tag: Option<&Tag>, span: Option<Span>, text: &str) -> Text {
        let written = span.and_then(|span| Some((span, text.get(span.start as usize..span.end as usize)?)));
        match written {
            Some((span, name)) if name != "!" && own_tag(tag).is_none() => self.builder.keep(name, span),
            _ => Text::default(),
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        mut span: Span,
        tag: Option<&Tag>,
        tag_span: Option<Span>,
        text: &str,
    ) -> NewNode {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let own = own_tag(tag);
        let plain = style == Style::Plain;
        let kind = match own.as_deref() {
            Some("int") => Kind::Integer,
            Some("float") => Kind::Float,
            Some("bool") => Kind::Bool,
            Some("null") => Kind::Null,
            Some(_) => Kind::String,
            None if plain && span.start == span.end => Kind::Null,
            // the tag `!` alone says that it is no number
            None if plain && tag_span.is_none_or(|tag| tag.end - tag.start > 1) => plain_kind(value),
            None => Kind::String,
        };
        let shown = if kind == Kind::Null { Text::default() } else { self.builder.keep(value, span) };
        if style == Style::Block {
            // the parser's end is where the next thing starts
            let content = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            span.end = span.start + content.trim_end_matches([' ', '\t', '\r', '\n']).len() as u32;
        }
        NewNode { kind, text: shown, span, tag: self.tag(tag, tag_span, text), style }
    }
}

/// The name of a tag that is one of YAML's own (`!!str`, `!!map`).
fn own_tag(tag: Option<&Tag>) -> Option<String> {
    let tag = tag?;
    format!("{}{}", tag.handle(), tag.suffix()).strip_prefix("tag:yaml.org,2002:").map(str::to_string)
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
            // not the `//` of an address without quotes, which YAML allows
            (b'/', Some(b'/')) if !matches!(&bytes[..at], [.., before, b':'] if before.is_ascii_alphanumeric()) =>
            {
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
