//! Files that become YAML, JSON or TOML only when a tool has filled them in.

/// Marks of Helm and Go, of Jinja, and of ERB.
const MARKS: &[&str] = &["{{", "{%", "<%"];

/// Whether a text that cannot be parsed is a template.
pub(super) fn has_marks(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark)) || text.lines().any(|line| is_placeholder(line.trim()))
}

/// A line that is nothing but a variable of a shell, which stands for lines of its own.
fn is_placeholder(line: &str) -> bool {
    let name = line.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_'))
}
