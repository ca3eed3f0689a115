//! A file's bytes as text, or why not.

use super::prefilter::Prefilter;
use std::fmt;
use std::io::{self, Read as _};
use std::path::Path;

/// What became of a file.
#[derive(Debug)]
pub enum Content {
    /// Its text.
    Text(String),
    /// It was not read on, and why.
    Skipped(Skip),
    /// It holds the words that matter, but is no UTF-8.
    NotUtf8 {
        /// The text up to the first byte that is none.
        before: String,
        /// It is UTF-16.
        utf16: bool,
    },
}

/// Why a file is not read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// It has more bytes than the limit.
    TooLarge(u64),
    /// It has NUL bytes.
    Binary,
    /// None of the words that matter is in it.
    NothingInIt,
    /// It is a pipe, a device, a socket or a folder.
    NoFile,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(size) => write!(f, "{size} bytes are more than the limit (--max-file-size)"),
            Self::Binary => f.write_str("it is binary"),
            Self::NothingInIt => f.write_str("it holds no retry settings"),
            Self::NoFile => f.write_str("it is no regular file"),
        }
    }
}

/// Bytes at the start that are looked at for NULs.
const HEAD: usize = 8192;

/// Reads a file of at most `limit` bytes, if it holds one of the filter's words.
pub fn file(path: &Path, limit: u64, filter: &Prefilter) -> io::Result<Content> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Ok(Content::Skipped(Skip::NoFile));
    }
    if metadata.len() > limit {
        return Ok(Content::Skipped(Skip::TooLarge(metadata.len())));
    }
    stream(&mut std::fs::File::open(path)?, limit, filter)
}

/// The same for a stream.
pub fn stream(stream: &mut dyn io::Read, limit: u64, filter: &Prefilter) -> io::Result<Content> {
    let mut bytes = Vec::new();
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(Content::Skipped(Skip::TooLarge(bytes.len() as u64)));
    }
    Ok(content(bytes, filter))
}

/// The same for bytes.
pub fn content(bytes: Vec<u8>, filter: &Prefilter) -> Content {
    if let Some(text) = utf16(&bytes) {
        let passes = filter.passes(text.as_bytes());
        return if passes {
            Content::NotUtf8 { before: String::new(), utf16: true }
        } else {
            Content::Skipped(Skip::NothingInIt)
        };
    }
    if bytes[..bytes.len().min(HEAD)].contains(&0) {
        return Content::Skipped(Skip::Binary);
    }
    if !filter.passes(&bytes) {
        return Content::Skipped(Skip::NothingInIt);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            Content::NotUtf8 { before: String::from_utf8(bytes).unwrap_or_default(), utf16: false }
        }
    }
}

/// The text of bytes that start with the mark of UTF-16.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Content {
        content(bytes.to_vec(), &Prefilter::new(["retr"]))
    }

    #[test]
    fn what_cannot_matter_is_skipped_with_its_reason() {
        assert!(matches!(read(b"retries: 3"), Content::Text(_)));
        assert!(matches!(read(b"timeout: 3"), Content::Skipped(Skip::NothingInIt)));
        assert!(matches!(read(b"retries\0"), Content::Skipped(Skip::Binary)));
        let small = stream(&mut &b"retries: 3"[..], 5, &Prefilter::new(["retr"]));
        assert!(matches!(small, Ok(Content::Skipped(Skip::TooLarge(_)))));
    }

    #[test]
    fn other_encodings_are_told_only_where_they_matter() {
        assert!(matches!(read(b"retries: 3 # caf\xe9"), Content::NotUtf8 { utf16: false, .. }));
        assert!(matches!(read(b"timeout: 3 # caf\xe9"), Content::Skipped(_)));
        let wide: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("retries: 3".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert!(matches!(read(&wide), Content::NotUtf8 { utf16: true, .. }));
    }
}
