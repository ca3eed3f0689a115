//! A look at a file's bytes before anything is parsed.

use aho_corasick::{AhoCorasick, packed};

/// Finds any of some words in one pass, whatever their case.
#[derive(Debug)]
pub struct Prefilter {
    words: Words,
    /// Bytes of the longest word.
    longest: usize,
}

#[derive(Debug)]
enum Words {
    /// There are none: everything passes.
    None,
    /// A few, searched for side by side; of no use for short texts, which it sees to itself.
    Few(packed::Searcher),
    /// More, or a processor without the instructions for it.
    Many(AhoCorasick),
}

/// Bytes that are made lower case at a time. A word in any case is found by a search for one in lower case in a
/// copy, which takes a fifth of the time of a search for all cases.
const CHUNK: usize = 4 * 1024;

impl Prefilter {
    /// For these words; without a word everything passes.
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let words: Vec<_> = words.into_iter().map(str::to_ascii_lowercase).collect();
        let longest = words.iter().map(String::len).max().unwrap_or_default();
        let many = || AhoCorasick::new(&words).map_or(Words::None, Words::Many);
        let words = match packed::Searcher::new(&words) {
            // a word that fills the chunk would be found in none
            _ if longest == 0 || longest > CHUNK / 2 => Words::None,
            Some(few) => Words::Few(few),
            None => many(),
        };
        Self { words, longest }
    }

    /// Whether one of the words is in the bytes.
    pub fn passes(&self, bytes: &[u8]) -> bool {
        let mut lower = [0; CHUNK];
        let mut rest = bytes;
        loop {
            let taken = rest.len().min(CHUNK);
            let chunk = &mut lower[..taken];
            chunk.copy_from_slice(&rest[..taken]);
            chunk.make_ascii_lowercase();
            let found = match &self.words {
                Words::None => true,
                Words::Few(words) => words.find(&*chunk).is_some(),
                Words::Many(words) => words.is_match(&*chunk),
            };
            if found || taken == rest.len() {
                return found;
            }
            // a word may begin at the end of this chunk
            rest = &rest[taken - (self.longest - 1)..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_word_passes_in_any_case() {
        let filter = Prefilter::new(["retr", "Backoff"]);
        assert!(filter.passes(b"MAX_RETRIES: 3"));
        assert!(filter.passes(b"initialBackOff"));
        assert!(!filter.passes(b"timeout: 3"));
        assert!(!filter.passes(b""));
        assert!(Prefilter::new([]).passes(b""));
    }

    #[test]
    fn a_word_is_found_wherever_it_stands_in_a_long_text() {
        let many: Vec<String> = (0..300).map(|n| format!("word{n}x")).chain(["reTries".into()]).collect();
        for filter in [Prefilter::new(["retries", "x"]), Prefilter::new(many.iter().map(String::as_str))] {
            for at in (CHUNK - 10..CHUNK + 10).chain([0, 1, 3 * CHUNK - 3]) {
                let mut text = vec![b'-'; 3 * CHUNK + 7];
                assert!(!filter.passes(&text));
                text[at..at + 7].copy_from_slice(b"ReTrIeS");
                assert!(filter.passes(&text), "{at}");
            }
        }
    }
}
