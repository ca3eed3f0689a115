//! The text of one file, with its lines.

use super::Place;

/// A file's text and the starts of its lines. A byte order mark stays in the text, so that byte
/// offsets are those of the file; it has no column.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    line_starts: Vec<u32>,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl SourceText {
    /// Takes a text of less than 4 GiB.
    pub fn new(text: String) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(starts.map(|(at, _)| at as u32 + 1)).collect();
        Self { text, line_starts }
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
        let line = self.line_starts.partition_point(|start| *start as usize <= at) - 1;
        let before = &self.text[self.line_starts[line] as usize..at];
        let before = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
        (line as u32 + 1, before.chars().count() as u32 + 1)
    }
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
    fn offsets_beyond_the_text_or_within_a_character_are_moved_back() {
        let text = SourceText::new("é".into());
        let place = text.place(1, 99);
        assert_eq!((place.start, place.end), (0, 2));
    }
}
