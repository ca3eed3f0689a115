//! Where in a line a key can be added or taken away. Where the line holds more than the one entry, or a
//! comment would lose what it is about, nothing is.

use super::{Edit, Site};
use crate::document::Format;
use crate::source::Place;
use std::ops::Range;

/// The bytes of a scalar without its quotes, which are escaped within a text; `start` is where it stands.
pub(super) fn unquoted(written: &str, start: usize) -> Range<usize> {
    let inner = ["\"", "'", "\\\""].into_iter().find_map(|quote| {
        let inner = written.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(start + quote.len()..start + quote.len() + inner.len())
    });
    inner.unwrap_or(start..start + written.len())
}

/// An entry and the line that it stands in.
struct Line<'t> {
    /// From the start of the line to the key.
    before: &'t str,
    /// The key as written.
    key: &'t str,
    /// Between key and value.
    between: &'t str,
    /// From the value to the end of the line.
    after: &'t str,
    start: usize,
    /// Where the break starts.
    end: usize,
    /// The break, or nothing at the end of the text.
    ending: &'t str,
}

impl<'t> Line<'t> {
    /// The line of an entry, if it stands in one of a length that people write.
    fn of(text: &'t str, key: Range<usize>, value: Range<usize>) -> Option<Self> {
        let from = key.start.saturating_sub(LONGEST_LINE);
        let to = text.len().min(value.end.saturating_add(LONGEST_LINE));
        let bytes = text.as_bytes();
        let start = match bytes.get(from..key.start)?.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => from + at + 1,
            None => (from == 0).then_some(0)?,
        };
        let end = match bytes.get(value.end..to)?.iter().position(|byte| *byte == b'\n') {
            Some(at) => value.end + at,
            None => (to == text.len()).then_some(to)?,
        };
        let ending = if end < text.len() && text[value.end..end].ends_with('\r') { end - 1 } else { end };
        if text.get(start..ending)?.contains(['\n', '\r']) {
            return None;
        }
        Some(Self {
            before: text[start..key.start].trim_start_matches('\u{feff}'),
            key: text.get(key.clone())?,
            between: text.get(key.end..value.start)?,
            after: text.get(value.end..ending)?,
            start,
            end: ending,
            ending: text.get(ending..(end + 1).min(text.len()))?,
        })
    }

    /// The separator alone stands between key and value: no tag and no anchor.
    fn is_plain(&self) -> bool {
        matches!(self.between.trim(), ":" | "=")
    }
}

/// Lines are looked through so far to both sides of an entry.
const LONGEST_LINE: usize = 10_000;
const BLANKS: [char; 2] = [' ', '\t'];
const COMMENTS: [&str; 3] = ["#", "//", "/*"];

/// A key with a word behind the entry whose value stands at a place.
pub(super) fn added(site: &Site<'_>, place: Place, key: &str, word: &str) -> Option<Edit> {
    let value = place.start as usize..place.end as usize;
    let (key_at, flow) = if site.whole {
        let (key, around) = (site.scalar.key_place(), site.scalar.parent()?.place());
        (key.start as usize..key.end as usize, site.text[around.start as usize..].starts_with('{'))
    } else {
        // a block scalar shows JSON as it is
        (site.scalar.is_block() && site.holds_json()).then_some(())?;
        (key_before(site.text, value.start)?, true)
    };
    let line = Line::of(site.text, key_at, value.clone())?;
    let quote = line.key.chars().next().filter(|char| matches!(char, '"' | '\''));
    let name = quote.map_or(key.to_string(), |quote| format!("{quote}{key}{quote}"));
    let value_quote = quote.or((site.format == Format::Toml).then_some('"'));
    let bare = word == "true";
    let word =
        value_quote.filter(|_| !bare).map_or(word.to_string(), |quote| format!("{quote}{word}{quote}"));
    let separator = if line.is_plain() { line.between } else { ": " };
    let entry = format!("{name}{separator}{word}");
    let rest = line.after.trim_start_matches(BLANKS);
    let alone = line.before.trim_matches(BLANKS).is_empty();
    let ending = if line.ending.is_empty() { ending_of(site.text) } else { line.ending };
    if flow {
        let (_, tail) = rest.split_at(usize::from(rest.starts_with(',')));
        if alone && tail.trim_matches(BLANKS).is_empty() {
            return Some(Edit {
                bytes: value.end..value.end,
                with: format!(",{ending}{}{entry}", line.before),
            });
        }
        let tail = tail.trim_start_matches(BLANKS);
        let wide = separator.ends_with(BLANKS);
        let room = !COMMENTS.iter().any(|mark| tail.starts_with(mark)) && rest.starts_with([',', '}']);
        let comma = if wide { ", " } else { "," };
        return room.then(|| Edit { bytes: value.end..value.end, with: format!("{comma}{entry}") });
    }
    let commented = rest.starts_with('#') && line.after.starts_with(BLANKS);
    let bullets = line.before.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-'));
    (bullets && (rest.is_empty() || commented)).then(|| {
        let indent = line.before.replace('-', " ");
        Edit { bytes: line.end..line.end, with: format!("{ending}{indent}{entry}") }
    })
}

/// The quoted key of JSON whose value starts here.
fn key_before(text: &str, value: usize) -> Option<Range<usize>> {
    let end = text.get(..value)?.trim_end_matches(BLANKS).strip_suffix(':')?.trim_end_matches(BLANKS).len();
    let start = text[..end].strip_suffix('"')?.rfind('"')?;
    (!text[start..end].contains('\n')).then_some(start..end)
}

/// The break of the first line.
fn ending_of(text: &str) -> &'static str {
    let first = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if first { "\r\n" } else { "\n" }
}

/// An entry that a later one hides, taken away with its line where it has one of its own.
pub(super) fn removed(site: &Site<'_>) -> Option<Edit> {
    let node = site.scalar;
    if !site.whole || !node.is_hidden() || node.text().is_none_or(str::is_empty) || node.tag().is_some() {
        return None;
    }
    let (key, value) = (node.key_place(), node.place());
    let (key, value) = (key.start as usize..key.end as usize, value.start as usize..value.end as usize);
    let line = Line::of(site.text, key.clone(), value.clone())?;
    let above =
        site.text[..line.start].trim_end_matches(['\n', '\r']).rsplit('\n').next().unwrap_or_default();
    // a comment above would speak of what comes next
    let told = COMMENTS.iter().any(|mark| above.trim_start_matches(BLANKS).starts_with(mark));
    if !line.is_plain() || told && line.before.trim_matches(BLANKS).is_empty() {
        return None;
    }
    let flow = site.text[node.parent()?.place().start as usize..].starts_with('{');
    let rest = line.after.trim_matches(BLANKS);
    let alone = line.before.trim_matches(BLANKS).is_empty() && rest == if flow { "," } else { "" };
    if alone && !line.ending.is_empty() && line.start + line.before.len() == key.start {
        return Some(Edit { bytes: line.start..line.end + line.ending.len(), with: String::new() });
    }
    let comma = line.after.trim_start_matches(BLANKS).strip_prefix(',').filter(|_| flow)?;
    let next = comma.trim_start_matches(BLANKS);
    let more = !next.is_empty() && !COMMENTS.iter().any(|mark| next.starts_with(mark));
    more.then(|| Edit { bytes: key.start..value.end + line.after.len() - next.len(), with: String::new() })
}
