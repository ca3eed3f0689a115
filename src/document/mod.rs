//! YAML, JSON and TOML as one tree with the place of every key and value.
//!
//! Nothing above this floor knows which format a file was in.

mod embedded;
pub mod node;
pub mod outline;
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

/// The endings of files that a walk looks at, and their languages.
const ENDINGS: &[(&str, Option<Format>)] = &[
    ("yaml", Some(Format::Yaml)),
    ("yml", Some(Format::Yaml)),
    ("json", Some(Format::Json)),
    ("jsonc", Some(Format::Json)),
    ("toml", Some(Format::Toml)),
    ("template", None), // CloudFormation, in YAML or JSON
];

impl Format {
    fn ending(path: &str) -> Option<&'static (&'static str, Option<Self>)> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known))
    }

    /// Whether a walk looks at a file of this name.
    pub fn is_config(path: &str) -> bool {
        Self::ending(path).is_some()
    }

    /// The language of a file, by its name, else by how it starts.
    pub fn of(path: &str, text: &str) -> Self {
        let by_start = || {
            let start = text.trim_start_matches('\u{feff}').trim_start();
            let first =
                start.lines().find(|line| !line.trim_start().starts_with('#')).unwrap_or_default().trim();
            let section = first.starts_with('[') && first.ends_with(']') && !first.contains([',', '"', '{']);
            let assignment = first.split_once('=').is_some_and(|(key, _)| !key.contains([':', '{', '[']));
            match start.as_bytes().first() {
                Some(b'{') => Self::Json,
                _ if section || assignment => Self::Toml,
                _ => Self::Yaml,
            }
        };
        Self::ending(path).and_then(|(_, format)| *format).unwrap_or_else(by_start)
    }
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

impl Comment {
    fn new(source: &SourceText, bytes: std::ops::Range<usize>, text: &str) -> Self {
        let before = source.as_str().get(..bytes.start).unwrap_or_default();
        let rest = before.trim_end_matches(['\u{feff}', ' ', '\t']);
        Self {
            place: source.place(bytes.start, bytes.end),
            text: text.trim().to_string(),
            own_line: rest.is_empty() || rest.ends_with(['\r', '\n']),
        }
    }
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
    parse_wanted(source, format, &|_| true)
}

/// Reads the documents of a text that are wanted, by what they are as text; those of TOML always. The others keep
/// their numbers.
pub fn parse_wanted<'t>(source: &'t SourceText, format: Format, want: &dyn Fn(&str) -> bool) -> Parsed<'t> {
    match format {
        Format::Yaml => yaml::parse(source, want),
        Format::Json if want(source.as_str()) => yaml::parse_json(source),
        Format::Json => Parsed::default(),
        Format::Toml => toml::parse(source),
    }
}

/// Reads the one document of a text within a file.
fn parse_within(source: &SourceText, format: Format, text: String, map: embedded::OffsetMap) -> Parsed<'_> {
    match format {
        Format::Yaml => yaml::within(source, text, map),
        Format::Json => yaml::json_within(source, text, map),
        Format::Toml => toml::within(source, text, map),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_the_name_or_else_by_the_start() {
        assert_eq!(Format::of("a/b.yml", "{"), Format::Yaml);
        assert_eq!(Format::of("x.template", " {\"Resources\": {}}"), Format::Json);
        assert_eq!(Format::of("x.template", "Resources:"), Format::Yaml);
        assert_eq!(Format::of("conf", "# c\n[retry]\nmax = 3"), Format::Toml);
        assert_eq!(Format::of("conf", "max = 3"), Format::Toml);
        assert_eq!(Format::of("conf", "retries: 3"), Format::Yaml);
        assert!(Format::is_config("A.JSON") && !Format::is_config("json") && !Format::is_config("x.rs"));
    }
}
