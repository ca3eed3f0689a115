//! YAML, JSON and TOML as one tree with the place of every key and value.
//!
//! Nothing above this floor knows which format a file was in.

mod embedded;
pub mod node;
mod pointer;
mod template;
mod toml;
mod yaml;

pub use node::{Document, Kind, Node};

use crate::source::{Place, SourceText};

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, with what 1.1 files in use need.
    Yaml,
    /// JSON; comments and trailing commas are read over.
    Json,
    /// TOML 1.1.
    Toml,
}

/// What became of a file's text.
#[derive(Debug, Default)]
pub struct Parsed<'t> {
    /// The documents that could be read, in order.
    pub documents: Vec<Document<'t>>,
    /// What could not be read; one broken document leaves the others.
    pub faults: Vec<Fault>,
    /// Every comment outside the documents' values.
    pub comments: Vec<Comment>,
    /// The file is a template (Helm, Jinja, …) that is no YAML, JSON or TOML until it is rendered.
    /// Then there are no documents and no faults.
    pub template: bool,
}

/// A part of a file that cannot be read.
#[derive(Debug)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong, as a clause without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A comment, without its mark.
#[derive(Debug)]
pub struct Comment {
    /// The whole comment, its mark included.
    pub place: Place,
    /// What it says, trimmed.
    pub text: String,
    /// Nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// A key that stands twice in one mapping; the later one counts.
#[derive(Debug)]
pub struct Duplicate {
    /// The key.
    pub key: String,
    /// The one that is lost.
    pub first: Place,
    /// The one that counts.
    pub last: Place,
}

/// Reads all documents of a text.
pub fn parse(source: &SourceText, format: Format) -> Parsed<'_> {
    match format {
        Format::Yaml => yaml::parse(source),
        Format::Json => yaml::parse_json(source),
        Format::Toml => toml::parse(source),
    }
}
