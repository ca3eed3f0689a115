//! Files that become YAML, JSON or TOML only when a template tool has filled them in.

/// Marks of Helm and Go, of Jinja, and of ERB.
const MARKS: &[&str] = &["{{", "{%", "<%"];

/// Whether a text that cannot be parsed is a template.
pub(super) fn has_marks(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}
