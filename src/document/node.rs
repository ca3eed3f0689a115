//! The tree and its small face.

use super::Duplicate;
use crate::source::Place;
use std::marker::PhantomData;

/// One document of a file.
#[derive(Debug)]
pub struct Document<'t> {
    text: PhantomData<&'t str>,
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

impl<'t> Document<'t> {
    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        unimplemented!()
    }

    /// Keys that stand twice in one mapping.
    pub fn duplicates(&self) -> &[Duplicate] {
        unimplemented!()
    }
}

impl<'d> Node<'d> {
    /// What the value is.
    pub fn kind(self) -> Kind {
        unimplemented!()
    }

    /// The value under a key of a mapping; of duplicate keys the last. None where there is none, and
    /// where this is no mapping.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let _ = key;
        unimplemented!()
    }

    /// `get` for each key in turn.
    pub fn path<const N: usize>(self, keys: [&str; N]) -> Option<Node<'d>> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The values of a mapping (each knows its key) or the elements of a list, in order.
    pub fn children(self) -> impl Iterator<Item = Node<'d>> {
        std::iter::empty()
    }

    /// The elements of a list; none where this is no list.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        std::iter::empty()
    }

    /// The values of a mapping, each knowing its key; none where this is no mapping.
    pub fn entries(self) -> impl Iterator<Item = Node<'d>> {
        std::iter::empty()
    }

    /// The key that this value stands under; of list elements and of the root "".
    pub fn key(self) -> &'d str {
        unimplemented!()
    }

    /// The scalar's text: unquoted and unescaped for strings, as written for the others, "" for null.
    /// None for lists and mappings.
    pub fn text(self) -> Option<&'d str> {
        unimplemented!()
    }

    /// `text` of a value that is a string.
    pub fn string(self) -> Option<&'d str> {
        self.text().filter(|_| self.kind() == Kind::String)
    }

    /// The value of an unquoted `true` or `false`.
    pub fn boolean(self) -> Option<bool> {
        unimplemented!()
    }

    /// The scalar was written in quotes (or as a block scalar).
    pub fn is_quoted(self) -> bool {
        unimplemented!()
    }

    /// The YAML tag as written (`!Ref`, `!Sub`), without those of YAML itself.
    pub fn tag(self) -> Option<&'d str> {
        unimplemented!()
    }

    /// What this value stands in.
    pub fn parent(self) -> Option<Node<'d>> {
        unimplemented!()
    }

    /// RFC 6901 pointer of the value; with `#N` before it in a stream of several documents.
    pub fn pointer(self) -> String {
        unimplemented!()
    }

    /// Where the value stands; of lists and mappings from the first to the last of their own.
    pub fn place(self) -> Place {
        unimplemented!()
    }

    /// Where the key stands; of list elements and of the root the value's first line.
    pub fn key_place(self) -> Place {
        unimplemented!()
    }

    /// The document that a string value holds as text (JSON or YAML), with places in this file.
    /// None where it cannot be read as a mapping.
    pub fn embedded(self) -> Option<Document<'d>> {
        unimplemented!()
    }

    /// The same for a text that is the concatenation of several scalars of this document, as
    /// `Fn::Join` makes; a part that is `Err` stands for itself and has no place of its own.
    pub fn embedded_join(self, parts: &[Result<Node<'d>, &str>]) -> Option<Document<'d>> {
        let _ = parts;
        unimplemented!()
    }

    /// The same value, whichever way it was reached.
    pub fn is(self, other: Node<'_>) -> bool {
        std::ptr::eq(self.document as *const _ as *const u8, other.document as *const _ as *const u8)
            && self.index == other.index
    }
}
