//! The top level of a document, seen in its bytes before anything is parsed.

use memchr::{memchr, memmem};
use std::ops::Range;

/// A key of a document's outermost mapping and how its value starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top<'t> {
    /// The key, without quotes.
    pub key: &'t str,
    /// What stands behind it on its line, trimmed, as written; of JSON no more than a word's length.
    pub rest: &'t str,
}

/// The keys of the outermost mapping of a YAML or JSON document, in order, as far as they are beyond doubt: none
/// of a list, and none behind what cannot be told without a parser.
pub fn outline(document: &str) -> impl Iterator<Item = Top<'_>> {
    let text = document.trim_start_matches('\u{feff}');
    let (mut block, mut flow) = (None, None);
    if text.trim_start().starts_with('{') {
        flow = Some(Flow { text, at: text.find('{').unwrap_or_default(), depth: 0 });
    } else {
        block = Some(Block { rest: text });
    }
    std::iter::from_fn(move || match (&mut flow, &mut block) {
        (Some(flow), _) => flow.next(),
        (_, Some(block)) => block.next(),
        _ => None,
    })
}

/// A block mapping of YAML: its keys are what starts in the first column.
struct Block<'t> {
    rest: &'t str,
}

impl<'t> Block<'t> {
    fn next(&mut self) -> Option<Top<'t>> {
        while !self.rest.is_empty() {
            let end = memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.get(1..).unwrap_or_default();
            let line = line.trim_end();
            match line.as_bytes() {
                [] | [b' ' | b'\t' | b'#', ..] | [b'-'] | [b'-', b' ', ..] => {}
                _ if line == "---" || line.starts_with("--- #") => {}
                _ => {
                    let top = entry(line);
                    if top.is_none() {
                        self.rest = "";
                    }
                    return top;
                }
            }
        }
        None
    }
}

/// The key and the rest of a line that starts with a plain or quoted key.
fn entry(line: &str) -> Option<Top<'_>> {
    let colons = line.match_indices(':').map(|(at, _)| at);
    let at = { colons }.find(|at| matches!(line.as_bytes().get(at + 1), None | Some(b' ' | b'\t')))?;
    let (key, rest) = (line[..at].trim_end(), line[at + 1..].trim());
    let quoted = |mark: char| {
        let inner = key.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains([mark, '\\'])).then_some(inner)
    };
    let plain = || key.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_').then_some(key);
    Some(Top { key: quoted('"').or_else(|| quoted('\'')).or_else(plain)?, rest })
}

/// JSON, or what looks like it.
struct Flow<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Flow<'t> {
    fn next(&mut self) -> Option<Top<'t>> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.checked_sub(1).filter(|depth| *depth > 0)?,
                b'"' => {
                    let start = self.at + 1;
                    self.at = string_end(bytes, self.at);
                    if self.depth == 1 {
                        let key = self.text.get(start..self.at - 1).filter(|key| !key.contains('\\'))?;
                        let behind = self.text.get(self.at..)?.trim_start();
                        if let Some(rest) = behind.strip_prefix(':') {
                            return Some(Top { key, rest: start_of_line(rest.trim_start()) });
                        }
                    }
                    continue;
                }
                // a comment, or text in YAML's other quotes: whatever brackets it has are none
                b'/' | b'\'' | b'#' => return None,
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

/// A line as far as a word on it reaches: a file may be one line.
fn start_of_line(text: &str) -> &str {
    const MOST: usize = 80;
    let line = text.char_indices().take(MOST).find(|(_, char)| matches!(char, '\n' | '\r'));
    let end = line.or_else(|| text.char_indices().nth(MOST)).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end()
}

/// The byte after a JSON string that starts at a quote.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += next;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The documents of a YAML stream: from each line that is `---` to the next. What stands before the first one
/// is a document if there is more than comments.
pub(super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let marker = |at: &usize| {
        let starts_line = match &bytes[..*at] {
            [] | [0xEF, 0xBB, 0xBF] => true,
            [.., before] => matches!(before, b'\n' | b'\r'),
        };
        starts_line && matches!(bytes.get(at + 3), None | Some(b' ' | b'\t' | b'\r' | b'\n'))
    };
    let mut starts: Vec<usize> = memmem::find_iter(bytes, "---").filter(marker).collect();
    let head = &text[..starts.first().copied().unwrap_or(text.len())];
    let head = head.trim_start_matches('\u{feff}');
    if head.lines().any(|line| !line.trim().is_empty() && !line.starts_with(['#', '%'])) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(text.len()));
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The stretches of a YAML stream that are wanted, each of whole documents, with the number of its first
/// document; and how many documents there are. The whole stream where all are wanted, or where it has marks that
/// reach from one document to others.
pub(super) fn wanted(text: &str, want: &dyn Fn(&str) -> bool) -> (Vec<(usize, Range<usize>)>, usize) {
    let whole = || vec![(0, 0..text.len())];
    let pieces = pieces(text);
    if pieces.len() < 2 {
        return (if want(text) { whole() } else { Vec::new() }, pieces.len());
    }
    let reaching =
        |mark: &str| text.starts_with(&mark[1..]) || memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    if reaching("\n%") || reaching("\n...") {
        return (whole(), pieces.len());
    }
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    let mut dropped = false;
    for (n, piece) in pieces.iter().enumerate() {
        if !want(&text[piece.clone()]) {
            dropped = true;
            continue;
        }
        match runs.last_mut() {
            Some((_, run)) if run.end == piece.start => run.end = piece.end,
            _ => runs.push((n, piece.clone())),
        }
    }
    (if dropped { runs } else { whole() }, pieces.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<(&str, &str)> {
        outline(text).map(|Top { key, rest }| (key, rest)).collect()
    }

    #[test]
    fn the_top_level_of_a_block_mapping_is_what_starts_in_the_first_column() {
        let text =
            "\u{feff}# c\n---\napiVersion: v1 # x\n'kind' : Pod\r\nitems:\n- a: 1\n  b: 2\n\"c\":\n  - d\n";
        assert_eq!(keys(text), [("apiVersion", "v1 # x"), ("kind", "Pod"), ("items", ""), ("c", "")]);
        assert_eq!(keys("- a: 1\n  b: 2\n"), []);
        assert_eq!(keys("http://x:80/y: 1\n"), [("http://x:80/y", "1")]);
    }

    #[test]
    fn the_top_level_of_json_is_what_stands_in_the_outermost_braces() {
        let text = "{\"a\": {\"b\": \"}\\\"{\", \"c\": [1, {\"d\": 2}]}, \"e\": \"f\",\n \"g\" : 1}";
        let found: Vec<_> = outline(text).map(|top| top.key).collect();
        assert_eq!(found, ["a", "e", "g"]);
        assert_eq!(keys("[{\"a\": 1}]"), []);
    }

    #[test]
    fn what_takes_a_parser_ends_the_outline() {
        assert_eq!(keys("a: 1\n? b\n: 2\nc: 3\n"), [("a", "1")]);
        assert_eq!(keys("a: {\n}\nb: 1\n"), [("a", "{")]);
        assert_eq!(keys("{\"a\": 1, // \"x\": {\n \"b\": 2}"), [("a", "1, // \"x\": {")]);
        assert_eq!(keys("{\"a\": 1, \"\\u0062\": 2}"), [("a", "1, \"\\u0062\": 2}")]);
        assert_eq!(keys("{\"a\": 1"), [("a", "1")]);
        assert_eq!(keys("{\"a"), []);
    }

    #[test]
    fn a_stream_is_cut_where_its_documents_start() {
        let cut = |text: &'static str| -> Vec<&str> {
            pieces(text).into_iter().map(|piece| &text[piece]).collect()
        };
        assert_eq!(cut("a: 1\n---\nb: 2\n"), ["a: 1\n", "---\nb: 2\n"]);
        assert_eq!(cut("# only a comment\n--- # first\nb: 2\n"), ["--- # first\nb: 2\n"]);
        assert_eq!(cut("a: |\n  ---\n----\n"), ["a: |\n  ---\n----\n"]);
        assert_eq!(cut("\u{feff}---\na: 1\r---\rb: 1"), ["---\na: 1\r", "---\rb: 1"]);
        assert_eq!(cut("---\n---\n"), ["---\n", "---\n"]);
        assert!(cut("# nothing\n\n").is_empty());
    }

    #[test]
    fn what_is_wanted_of_a_stream_keeps_its_number() {
        let want = |text: &str| text.contains('x');
        let text = "a: x\n---\nb: x\n---\nc\n---\nd: x\n";
        assert_eq!(wanted(text, &want), (vec![(0, 0..14), (3, 20..29)], 4));
        assert_eq!(wanted("a: 1\n---\nb: 2\n", &want), (vec![], 2));
        let reaching = "a: x\n...\n---\nb\n";
        assert_eq!(wanted(reaching, &want), (vec![(0, 0..reaching.len())], 2));
    }
}
