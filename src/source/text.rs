//! The text of one file, with its lines.

use super::Place;
use std::sync::OnceLock;

/// A file's text and the starts of its lines. A byte order mark stays in the text, so that byte
/// offsets are those of the file; it has no column.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    /// Found out for the first place that is asked for.
    lines: OnceLock<Lines>,
}

#[derive(Debug)]
struct Lines {
    starts: Vec<u32>,
    /// Characters before each stretch of `STRETCH` bytes; a character counts where it starts.
    characters: Vec<u32>,
}

/// A line of megabytes is not counted from its start for every place in it.
const STRETCH: usize = 4096;

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl SourceText {
    /// Takes a text of less than 4 GiB.
    pub fn new(text: String) -> Self {
        Self { text, lines: OnceLock::new() }
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let starts = memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1);
            let stretches = bytes.chunks(STRETCH).scan(0, |before, stretch| {
                let here = *before;
                *before += starts_of_characters(stretch);
                Some(here)
            });
            Lines { starts: std::iter::once(0).chain(starts).collect(), characters: stretches.collect() }
        })
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The place of the bytes from `start` to before `end`; both are moved into the text and onto
    /// character boundaries where they are not.
    pub fn place(&self, start: usize, end: usize) -> Place {
        let start = self.boundary(start);
        let end = self.boundary(end.max(start));
        let (line, column) = self.position(start);
        let (end_line, end_column) = self.position(end);
        Place { start: start as u32, end: end as u32, line, column, end_line, end_column }
    }

    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn position(&self, at: usize) -> (u32, u32) {
        let starts = &self.lines().starts;
        let line = starts.partition_point(|start| *start as usize <= at) - 1;
        let start = starts[line] as usize;
        let mark = u32::from(line == 0 && at > 0 && self.text.starts_with(BYTE_ORDER_MARK));
        let before = match self.text.as_bytes().get(start..at) {
            Some(before) if before.len() <= STRETCH => starts_of_characters(before),
            _ => self.characters_before(at) - self.characters_before(start),
        };
        (line as u32 + 1, before - mark + 1)
    }

    fn characters_before(&self, at: usize) -> u32 {
        let stretch = at / STRETCH;
        let rest = self.text.as_bytes().get(stretch * STRETCH..at).map_or(0, starts_of_characters);
        let whole = self.lines().characters.get(stretch).copied();
        whole.map_or_else(|| starts_of_characters(self.text.as_bytes()), |before| before + rest)
    }
}

/// Bytes that start a character of UTF-8.
fn starts_of_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_not_the_byte_order_mark() {
        let text = SourceText::new("\u{feff}é: 1\r\nb: 2\n".into());
        let place = text.place(3, 5);
        assert_eq!((place.line, place.column, place.end_line, place.end_column), (1, 1, 1, 2));
        let place = text.place(10, 11);
        assert_eq!((place.line, place.column), (2, 1));
    }

    #[test]
    fn columns_of_a_long_line_are_those_counted_one_by_one() {
        let line = "aé€".repeat(5000);
        let text = SourceText::new(format!("x\n{line}"));
        for (n, (at, _)) in line.char_indices().enumerate().step_by(97) {
            assert_eq!(text.place(at + 2, at + 2).column as usize, n + 1);
        }
        assert_eq!(text.place(2 + line.len(), 2 + line.len()).column as usize, 15_001);
    }

    #[test]
    fn offsets_beyond_the_text_or_within_a_character_are_moved_back() {
        let text = SourceText::new("é".into());
        let place = text.place(1, 99);
        assert_eq!((place.start, place.end), (0, 2));
    }
}
