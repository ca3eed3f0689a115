//! A look at a file's bytes before anything is parsed.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Finds any of some words in one pass, whatever their case.
#[derive(Debug)]
pub struct Prefilter {
    words: Option<AhoCorasick>,
}

impl Prefilter {
    /// For these words; without a word everything passes.
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let words: Vec<_> = words.into_iter().collect();
        if words.is_empty() {
            return Self { words: None };
        }
        // more words than an automaton can hold: everything passes
        Self {
            words: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind(Some(AhoCorasickKind::DFA))
                .build(words)
                .ok(),
        }
    }

    /// Whether one of the words is in the bytes.
    pub fn passes(&self, bytes: &[u8]) -> bool {
        self.words.as_ref().is_none_or(|words| words.is_match(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_word_passes_in_any_case() {
        let filter = Prefilter::new(["retr", "backoff"]);
        assert!(filter.passes(b"MAX_RETRIES: 3"));
        assert!(filter.passes(b"initialBackOff"));
        assert!(!filter.passes(b"timeout: 3"));
    }
}
