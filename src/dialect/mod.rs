//! One file for each system: which documents are its own, and what they say.

pub mod shape;

use crate::document::Document;
use crate::model::Facts;

/// How a system's configuration is read.
pub struct Dialect {
    /// Kebab-case name, the only one it has.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The files it reads, in a line.
    pub reads: &'static str,
    /// Byte strings (lower case) of which each document that matters holds at least one, whatever the case.
    pub markers: &'static [&'static str],
    /// Takes what a document says into the facts; does nothing where the document is not its own.
    pub read: fn(&Document<'_>, &str, &mut Facts),
}
