//! Placeholders that another tool fills in before the system reads the file.

/// A placeholder that is the whole of a value.
#[derive(Debug, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// What it is called, as written.
    pub name: &'t str,
    /// What stands there if nothing is filled in.
    pub default: Option<&'t str>,
}

/// Opening and closing marks, and the marks between a name and its default.
const FORMS: &[(&str, &str, &[&str])] = &[
    ("${{", "}}", &[]),
    ("${", "}", &[":-", "-", ":"]),
    ("{{", "}}", &[]),
    ("{%", "%}", &[]),
    ("<%", "%>", &[]),
    ("#{", "}", &[]),
    ("%{", "}", &[]),
    ("%env(", ")%", &[]),
    ("$(", ")", &[]),
    ("@", "@", &[]),
    ("__", "__", &[]),
];

/// The placeholder that a text is, or holds: a text with one somewhere in it is as unknown as the
/// placeholder itself.
pub fn read(text: &str) -> Option<Placeholder<'_>> {
    for (open, close, marks) in FORMS {
        let Some(start) = text.find(open) else { continue };
        let after = &text[start + open.len()..];
        let Some(end) = after.find(close).filter(|end| *end > 0) else { continue };
        let whole = start == 0 && open.len() + end + close.len() == text.len();
        if matches!(*open, "@" | "__") && !whole {
            continue;
        }
        let inner = &after[..end];
        let split = marks.iter().find_map(|mark| inner.split_once(mark)).filter(|_| whole);
        let name = &text[start..start + open.len() + end + close.len()];
        return Some(match split {
            Some((variable, default)) if !default.contains("${") => {
                Placeholder { name: variable.trim(), default: Some(default.trim()) }
            }
            _ => Placeholder { name, default: None },
        });
    }
    let variable = text.strip_prefix('$')?;
    let named = variable.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = named && variable.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    plain.then_some(Placeholder { name: text, default: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_found_in_the_shells_and_in_springs_form() {
        for text in ["${RETRIES:-5}", "${RETRIES-5}", "${RETRIES:5}"] {
            assert_eq!(read(text), Some(Placeholder { name: "RETRIES", default: Some("5") }), "{text}");
        }
    }

    #[test]
    fn placeholders_without_a_default_are_unknown() {
        for text in [
            "${RETRIES}",
            "{{ .Values.retries }}",
            "%env(int:RETRIES)%",
            "$RETRIES",
            "${A:-${B}}",
            "@RETRIES@",
        ] {
            assert_eq!(read(text).map(|found| found.default), Some(None), "{text}");
        }
    }

    #[test]
    fn a_placeholder_within_a_text_makes_it_unknown() {
        assert_eq!(read("${N}ms").map(|found| found.default), Some(None));
    }

    #[test]
    fn plain_values_are_none() {
        for text in ["5", "250ms", "5xx,reset", "a@b", "$5", "__init", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
