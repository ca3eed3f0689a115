//! The tree and its small face.

use super::embedded::{OffsetMap, Scalar, Style};
use super::{Duplicate, Format, Parsed, embedded, outline, pointer};
use crate::source::{Place, SourceText};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// One document of a file.
#[derive(Debug)]
pub struct Document<'t> {
    source: &'t SourceText,
    /// What the spans count in: the file's text, or a text within it.
    text: Cow<'t, str>,
    /// From that text to the file's, where they are not the same.
    map: Option<OffsetMap>,
    /// Texts that do not stand in `text` as they are.
    decoded: String,
    nodes: Vec<Entry>,
    duplicates: Vec<Duplicate>,
    /// What every pointer starts with: `#N`, or the pointer of the value that holds this text.
    prefix: String,
    /// How many texts within texts this is.
    nesting: u8,
}

/// A value in a document, with the key it stands under. Cheap to copy.
///
/// Aliases and merge keys (`<<`) are resolved: a node reached through one has the pointer of the
/// way it was reached by, and the places of the text that it stands for.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    index: u32,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, `null`, `~`.
    Null,
    /// `true` or `false`, unquoted.
    Bool,
    /// A whole number, unquoted.
    Integer,
    /// Another number, unquoted.
    Float,
    /// Any other scalar, and every quoted one.
    String,
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// Bytes of the document's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A text: bytes of the document's text, or of those that were decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text {
    span: Span,
    decoded: bool,
}

/// The index of no node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    parent: u32,
    first: u32,
    last: u32,
    next: u32,
    /// How many stand before it in its list or mapping.
    position: u32,
    depth: u16,
    kind: Kind,
    style: Style,
    /// Another value of the same key takes its place.
    hidden: bool,
    has_key: bool,
    key: Text,
    key_span: Span,
    text: Text,
    span: Span,
    tag: Text,
}

/// The deepest nesting, aliases included.
const MOST_DEPTH: u16 = 255;
/// The most values of a document, aliases included.
const MOST_NODES: usize = 4_000_000;
/// The most values that come of aliases.
const MOST_COPIES: usize = 200_000;

/// A document holds more than is read.
#[derive(Debug)]
pub(super) enum TooLarge {
    /// It is nested too deep.
    Depth,
    /// It has too many values.
    Nodes,
    /// Its aliases stand for too much.
    Aliases,
}

/// A key of a value that is to be added.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) text: Text,
    pub(super) span: Span,
}

/// A value that is to be added.
pub(super) struct NewNode {
    pub(super) kind: Kind,
    pub(super) text: Text,
    pub(super) span: Span,
    pub(super) tag: Text,
    pub(super) style: Style,
}

impl NewNode {
    /// A list or a mapping, or a scalar that is to be filled in.
    pub(super) fn plain(kind: Kind, span: Span) -> Self {
        Self { kind, text: Text::default(), span, tag: Text::default(), style: Style::Plain }
    }
}

/// A document that is being built.
pub(super) struct Builder<'t> {
    document: Document<'t>,
    copies: usize,
}

impl<'t> Builder<'t> {
    pub(super) fn new(source: &'t SourceText, text: Cow<'t, str>, map: Option<OffsetMap>) -> Self {
        let document = Document {
            source,
            text,
            map,
            decoded: String::new(),
            nodes: Vec::new(),
            duplicates: Vec::new(),
            prefix: String::new(),
            nesting: 0,
        };
        Self { document, copies: 0 }
    }

    /// A text that stands verbatim in the document's text, or is kept beside it.
    pub(super) fn keep(&mut self, value: &str, span: Span) -> Text {
        let verbatim = self.document.text.get(span.start as usize..span.end as usize);
        if verbatim == Some(value) {
            return Text { span, decoded: false };
        }
        let inner = Span { start: span.start + 1, end: span.end.saturating_sub(1).max(span.start + 1) };
        if self.document.text.get(inner.start as usize..inner.end as usize) == Some(value) {
            return Text { span: inner, decoded: false };
        }
        let start = self.document.decoded.len() as u32;
        self.document.decoded.push_str(value);
        Text { span: Span { start, end: self.document.decoded.len() as u32 }, decoded: true }
    }

    /// What stands in the document's text.
    pub(super) fn written(&self, span: Span) -> &str {
        self.document.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Adds a value as the last one of its parent.
    pub(super) fn add(
        &mut self,
        parent: Option<u32>,
        key: Option<Key>,
        node: NewNode,
    ) -> Result<u32, TooLarge> {
        let index = self.document.nodes.len() as u32;
        let depth = parent.map_or(0, |parent| self.document.nodes[parent as usize].depth + 1);
        if depth > MOST_DEPTH {
            return Err(TooLarge::Depth);
        }
        if self.document.nodes.len() >= MOST_NODES {
            return Err(TooLarge::Nodes);
        }
        self.document.nodes.push(Entry {
            parent: NONE,
            first: NONE,
            last: NONE,
            next: NONE,
            position: 0,
            depth,
            kind: node.kind,
            style: node.style,
            hidden: false,
            has_key: key.is_some(),
            key: key.map(|key| key.text).unwrap_or_default(),
            key_span: key.map(|key| key.span).unwrap_or(node.span),
            text: node.text,
            span: node.span,
            tag: node.tag,
        });
        if let Some(parent) = parent {
            self.append(parent, index);
        }
        Ok(index)
    }

    fn append(&mut self, parent: u32, index: u32) {
        let last = std::mem::replace(&mut self.document.nodes[parent as usize].last, index);
        let position = match self.document.nodes.get_mut(last as usize) {
            Some(before) => {
                before.next = index;
                before.position + 1
            }
            None => {
                self.document.nodes[parent as usize].first = index;
                0
            }
        };
        let node = &mut self.document.nodes[index as usize];
        (node.parent, node.next, node.position) = (parent, NONE, position);
    }

    /// The end of a list or mapping.
    pub(super) fn close(&mut self, index: u32, end: u32) {
        let node = &mut self.document.nodes[index as usize];
        node.span.end = end.max(node.span.start);
        if node.kind == Kind::Map {
            self.settle(index);
        }
    }

    /// The text of a complete scalar; of a list or a mapping what is written.
    pub(super) fn text_of(&self, node: u32) -> Text {
        let Entry { kind, text, span, .. } = self.document.nodes[node as usize];
        if matches!(kind, Kind::List | Kind::Map) { Text { span, decoded: false } } else { text }
    }

    /// The span of a value that was added.
    pub(super) fn span_of(&self, node: u32) -> Span {
        self.document.nodes[node as usize].span
    }

    /// Makes the last of equal keys count, and puts what merge keys bring behind the mapping's own.
    fn settle(&mut self, map: u32) {
        let children: Vec<u32> = self.document.children(map).collect();
        let merges = |node: &u32| {
            let entry = &self.document.nodes[*node as usize];
            entry.has_key
                && self.document.text(entry.key) == "<<"
                && entry.key_span.end - entry.key_span.start == 2
        };
        let (merged, own): (Vec<u32>, Vec<u32>) = children.into_iter().partition(merges);
        self.hide_duplicates(&own);
        if merged.is_empty() {
            return;
        }
        let mut seen: HashMap<String, ()> = HashMap::new();
        for node in own {
            seen.insert(self.document.key(node).to_string(), ());
        }
        for merge in merged {
            let sources = match self.document.nodes[merge as usize].kind {
                Kind::Map => vec![merge],
                Kind::List => self.document.children(merge).collect(),
                _ => Vec::new(),
            };
            self.document.nodes[merge as usize].hidden = true;
            for source in sources {
                let entries: Vec<u32> = self.document.children(source).collect();
                let source = &mut self.document.nodes[source as usize];
                (source.first, source.last) = (NONE, NONE);
                for entry in entries {
                    if !self.document.nodes[entry as usize].hidden
                        && seen.insert(self.document.key(entry).to_string(), ()).is_none()
                    {
                        self.append(map, entry);
                    }
                }
            }
        }
    }

    fn hide_duplicates(&mut self, children: &[u32]) {
        const FEW: usize = 16;
        let document = &self.document;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        if children.len() <= FEW {
            for (n, first) in children.iter().enumerate() {
                let key = document.key(*first);
                if let Some(last) = children[n + 1..].iter().rev().find(|other| document.key(**other) == key)
                {
                    pairs.push((*first, *last));
                }
            }
        } else {
            let mut sorted = children.to_vec();
            sorted.sort_by(|a, b| document.key(*a).cmp(document.key(*b)).then(a.cmp(b)));
            for same in sorted.chunk_by(|a, b| document.key(*a) == document.key(*b)) {
                let last = same[same.len() - 1];
                pairs.extend(same[..same.len() - 1].iter().map(|first| (*first, last)));
            }
            pairs.sort_unstable();
        }
        for (first, last) in pairs {
            self.document.nodes[first as usize].hidden = true;
            if self.document.duplicates.len() < MOST_DUPLICATES {
                let place = |node: u32| {
                    let span = self.document.nodes[node as usize].key_span;
                    self.document.place(span)
                };
                let duplicate = Duplicate {
                    key: self.document.key(first).to_string(),
                    first: place(first),
                    last: place(last),
                };
                self.document.duplicates.push(duplicate);
            }
        }
    }

    /// Adds what an anchor stands for once more.
    pub(super) fn copy(&mut self, of: u32, parent: Option<u32>, key: Option<Key>) -> Result<u32, TooLarge> {
        let root = self.copy_one(of, parent, key)?;
        let mut open: Vec<(u32, u32)> = vec![(of, root)];
        while let Some((from, to)) = open.pop() {
            let mut child = self.document.nodes[from as usize].first;
            while let Some(entry) = self.document.nodes.get(child as usize).copied() {
                let key = entry.has_key.then_some(Key { text: entry.key, span: entry.key_span });
                let copied = self.copy_one(child, Some(to), key)?;
                open.push((child, copied));
                child = entry.next;
            }
        }
        Ok(root)
    }

    fn copy_one(&mut self, of: u32, parent: Option<u32>, key: Option<Key>) -> Result<u32, TooLarge> {
        self.copies += 1;
        if self.copies > MOST_COPIES {
            return Err(TooLarge::Aliases);
        }
        let Entry { kind, text, span, tag, style, hidden, .. } = self.document.nodes[of as usize];
        let copied = self.add(parent, key, NewNode { kind, text, span, tag, style })?;
        self.document.nodes[copied as usize].hidden = hidden;
        Ok(copied)
    }

    /// The document, if it has a value.
    pub(super) fn finish(self) -> Option<Document<'t>> {
        let document = self.document;
        document.nodes.first().is_some_and(|root| root.kind != Kind::Null).then_some(document)
    }
}

/// The most equal keys of a document that are told.
const MOST_DUPLICATES: usize = 100;

impl<'t> Document<'t> {
    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }

    /// Every value, those too that a later key hides and those that aliases stand for.
    pub fn all(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len() as u32).map(|index| Node { document: self, index })
    }

    /// Keys that stand twice in one mapping.
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }

    pub(super) fn set_prefix(&mut self, prefix: String, nesting: u8) {
        self.prefix = prefix;
        self.nesting = nesting;
    }

    fn text(&self, text: Text) -> &str {
        let Span { start, end } = text.span;
        let whole: &str = if text.decoded { &self.decoded } else { &self.text };
        whole.get(start as usize..end as usize).unwrap_or_default()
    }

    fn key(&self, node: u32) -> &str {
        self.text(self.nodes[node as usize].key)
    }

    fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let index = |index: u32| (index != NONE).then_some(index);
        std::iter::successors(index(self.nodes[node as usize].first), move |at| {
            index(self.nodes[*at as usize].next)
        })
    }

    fn place(&self, span: Span) -> Place {
        let Range { start, end } = self.bytes(span);
        self.source.place(start, end)
    }

    /// The bytes of the file for some of the document's text.
    pub(super) fn bytes(&self, Span { start, end }: Span) -> Range<usize> {
        let (start, end) = self.map.as_ref().map_or((start, end), |map| map.outer(start, end));
        start as usize..end as usize
    }
}

impl<'d> Node<'d> {
    fn entry(self) -> &'d Entry {
        &self.document.nodes[self.index as usize]
    }

    fn at(self, index: u32) -> Self {
        Self { index, ..self }
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// The value under a key of a mapping; of duplicate keys the last. None where there is none, and
    /// where this is no mapping.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entries().find(|entry| entry.key() == key)
    }

    /// `get` for each key in turn.
    pub fn path<const N: usize>(self, keys: [&str; N]) -> Option<Node<'d>> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The values of a mapping (each knows its key) or the elements of a list, in order.
    pub fn children(self) -> impl Iterator<Item = Node<'d>> {
        let children = self.document.children(self.index).map(move |index| self.at(index));
        children.filter(|child| !child.entry().hidden)
    }

    /// The elements of a list; none where this is no list.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        let list = self.kind() == Kind::List;
        self.children().filter(move |_| list)
    }

    /// The values of a mapping, each knowing its key; none where this is no mapping.
    pub fn entries(self) -> impl Iterator<Item = Node<'d>> {
        let map = self.kind() == Kind::Map;
        self.children().filter(move |_| map)
    }

    /// The key that this value stands under; of list elements and of the root "".
    pub fn key(self) -> &'d str {
        self.document.text(self.entry().key)
    }

    /// The scalar's text: unquoted and unescaped for strings, as written for the others, "" for null.
    /// None for lists and mappings.
    pub fn text(self) -> Option<&'d str> {
        let scalar = !matches!(self.kind(), Kind::List | Kind::Map);
        scalar.then(|| self.document.text(self.entry().text))
    }

    /// `text` of a value that is a string.
    pub fn string(self) -> Option<&'d str> {
        self.text().filter(|_| self.kind() == Kind::String)
    }

    /// The value of an unquoted `true` or `false`.
    pub fn boolean(self) -> Option<bool> {
        self.text().filter(|_| self.kind() == Kind::Bool).map(|text| text.eq_ignore_ascii_case("true"))
    }

    /// The scalar was written in quotes (or as a block scalar).
    pub fn is_quoted(self) -> bool {
        self.entry().style != Style::Plain
    }

    /// The scalar is a block scalar of YAML, whose text stands as it is but for its indentation.
    pub fn is_block(self) -> bool {
        self.entry().style == Style::Block
    }

    /// A later value of the same key takes its place.
    pub fn is_hidden(self) -> bool {
        self.entry().hidden
    }

    /// The YAML tag as written (`!Ref`, `!Sub`), without those of YAML itself.
    pub fn tag(self) -> Option<&'d str> {
        Some(self.document.text(self.entry().tag)).filter(|tag| !tag.is_empty())
    }

    /// What this value stands in.
    pub fn parent(self) -> Option<Node<'d>> {
        let parent = self.entry().parent;
        (parent != NONE).then(|| self.at(parent))
    }

    /// Which of its parent's values this is, from 0 on.
    pub fn position(self) -> usize {
        self.entry().position as usize
    }

    /// RFC 6901 pointer of the value; with `#N` before it in a stream of several documents.
    pub fn pointer(self) -> String {
        let mut steps = Vec::new();
        let mut node = self;
        while let Some(parent) = node.parent() {
            steps.push(if node.entry().has_key {
                pointer::escape(node.key()).into_owned()
            } else {
                node.entry().position.to_string()
            });
            node = parent;
        }
        steps.iter().rev().fold(self.document.prefix.clone(), |pointer, step| pointer + "/" + step)
    }

    /// Where the value stands; of lists and mappings from the first to the last of their own.
    pub fn place(self) -> Place {
        self.document.place(self.entry().span)
    }

    /// Where the key stands; of list elements and of the root the value's first line.
    pub fn key_place(self) -> Place {
        let Entry { has_key, key_span, span, .. } = *self.entry();
        if has_key {
            return self.document.place(key_span);
        }
        let rest = self.document.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let line = rest.find(['\r', '\n']).unwrap_or(rest.len()) as u32;
        self.document.place(Span { start: span.start, end: span.start + line })
    }

    /// The document that a string value holds as text (JSON or YAML), with places in this file.
    /// None where it cannot be read as a mapping.
    pub fn embedded(self) -> Option<Document<'d>> {
        self.string()?;
        self.embedded_join(&[Ok(self)])
    }

    /// The same for a text that is the concatenation of several scalars of this document, as
    /// `Fn::Join` makes; a part that is `Err` stands for itself and has no place of its own.
    pub fn embedded_join(self, parts: &[Result<Node<'d>, &str>]) -> Option<Document<'d>> {
        let (text, map) = self.inner(parts)?;
        if !embedded::looks_like_a_mapping(&text) {
            return None;
        }
        let mut document = super::yaml::embedded(self.document.source, text, map)?;
        document.set_prefix(self.pointer(), self.document.nesting + 1);
        Some(document)
    }

    /// The value that a string holds as text (JSON or YAML) behind a prefix, with places in this file.
    pub fn embedded_after(self, prefix: &str) -> Option<Document<'d>> {
        self.string().filter(|text| text.starts_with(prefix))?;
        let (mut text, map) = self.inner(&[Ok(self)])?;
        text.replace_range(..prefix.len(), &" ".repeat(prefix.len()));
        let parsed = super::yaml::within(self.document.source, text, map);
        let mut document = parsed.documents.into_iter().next().filter(|_| parsed.faults.is_empty())?;
        document.set_prefix(self.pointer(), self.document.nesting + 1);
        Some(document)
    }

    /// The file of a name that a string value holds as text, with places in this file. A document that
    /// cannot be read is left out.
    pub fn embedded_file(self, name: &str) -> Option<Parsed<'d>> {
        self.string()?;
        let (text, map) = self.inner(&[Ok(self)])?;
        let format = Format::of(name, &text);
        let pieces = match format {
            Format::Yaml => outline::pieces(&text),
            _ => std::iter::once(0..text.len()).collect(),
        };
        let mut file = Parsed::default();
        for (n, piece) in pieces.iter().enumerate() {
            let (text, map) = (text[piece.clone()].to_string(), map.part(piece));
            let parsed = super::parse_within(self.document.source, format, text, map);
            let mut prefix = self.pointer();
            if pieces.len() > 1 {
                prefix += &format!("#{n}");
            }
            let document = parsed.documents.into_iter().next().filter(|_| parsed.faults.is_empty());
            file.documents.extend(document.map(|mut document| {
                document.set_prefix(prefix, self.document.nesting + 1);
                document
            }));
            file.comments.extend(parsed.comments);
        }
        Some(file)
    }

    /// The text within this one that some scalars make, and where it stands in the file; None where texts
    /// are nested too deep.
    fn inner(self, parts: &[Result<Node<'d>, &str>]) -> Option<(String, OffsetMap)> {
        const MOST_NESTING: u8 = 3;
        if self.document.nesting >= MOST_NESTING {
            return None;
        }
        let own = self.place();
        let mut text = String::new();
        let mut map = OffsetMap::default();
        for part in parts {
            let inner = text.len() as u32;
            match part {
                Ok(node) => {
                    let value = node.text()?;
                    let Entry { span, style, .. } = *node.entry();
                    let around: &str = &node.document.text;
                    let written = around.get(span.start as usize..span.end as usize).unwrap_or_default();
                    map.align(inner, &Scalar { value, written, style }, |bytes| {
                        let (start, end) = (span.start + bytes.start as u32, span.start + bytes.end as u32);
                        node.document.map.as_ref().map_or((start, end), |map| map.outer(start, end))
                    });
                    text.push_str(value);
                }
                Err(stand_in) => {
                    map.fix(inner, (own.start, own.end));
                    text.push_str(stand_in);
                }
            }
        }
        Some((text, map))
    }

    /// A number that only this value of its document has.
    pub fn number(self) -> u32 {
        self.index
    }

    /// The same value, whichever way it was reached.
    pub fn is(self, other: Node<'_>) -> bool {
        let address = |node: Node<'_>| std::ptr::from_ref(node.entry()).addr();
        address(self) == address(other)
    }
}
