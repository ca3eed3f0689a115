//! A file's bytes as text, or why not.

use super::prefilter::Prefilter;
use std::cell::RefCell;
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
        /// It is UTF-16 or UTF-32, with or without the mark of it.
        wide: bool,
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
    /// It is no config until somebody renders it.
    Template,
    /// retrylint.toml excludes it.
    LeftOut,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(size) => {
                write!(f, "it has {size} bytes or more, over the limit; --max-file-size raises it")
            }
            Self::Binary => f.write_str("it is binary, and no config"),
            Self::NothingInIt => f.write_str("it holds no retry settings"),
            Self::NoFile => f.write_str("it is no regular file; give a pipe as standard input, named `-`"),
            Self::Template => f.write_str("it is a template"),
            Self::LeftOut => f.write_str("retrylint.toml leaves it out"),
        }
    }
}

/// What `read_to_end` wants to be left, lest it makes a read of its own to find out.
const ROOM: usize = 64;
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
    // most files are looked at and left: their bytes need no memory of their own
    thread_local!(static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        // room for the whole, and for a read that tells that it was the whole
        bytes.reserve(metadata.len() as usize + ROOM);
        read_all(&mut std::fs::File::open(path)?, bytes, limit, filter)
    })
}

/// The same for a stream.
pub fn stream(stream: &mut dyn io::Read, limit: u64, filter: &Prefilter) -> io::Result<Content> {
    read_all(stream, &mut Vec::new(), limit, filter)
}

fn read_all(
    stream: &mut dyn io::Read,
    bytes: &mut Vec<u8>,
    limit: u64,
    filter: &Prefilter,
) -> io::Result<Content> {
    stream.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(Content::Skipped(Skip::TooLarge(bytes.len() as u64)));
    }
    Ok(content(bytes, filter))
}

/// The same for bytes.
pub fn content(bytes: &[u8], filter: &Prefilter) -> Content {
    if let Some(text) = wide(bytes) {
        return if filter.passes(&text) {
            Content::NotUtf8 { before: String::new(), wide: true }
        } else {
            Content::Skipped(Skip::NothingInIt)
        };
    }
    if bytes[..bytes.len().min(HEAD)].contains(&0) {
        return Content::Skipped(Skip::Binary);
    }
    if !filter.passes(bytes) {
        return Content::Skipped(Skip::NothingInIt);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Content::Text(text.to_string()),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            Content::NotUtf8 { before, wide: false }
        }
    }
}

/// Where the ASCII of a text stands in UTF-16 and UTF-32: the width of a character, its byte in it, and the mark.
const WIDE: &[(usize, usize, &[u8])] =
    &[(4, 0, &[0xFF, 0xFE, 0, 0]), (4, 3, &[0, 0, 0xFE, 0xFF]), (2, 0, &[0xFF, 0xFE]), (2, 1, &[0xFE, 0xFF])];

/// The ASCII of a text in UTF-16 or UTF-32, other characters as NULs: by its mark, or since it starts with three
/// characters as those of a config are.
fn wide(bytes: &[u8]) -> Option<Vec<u8>> {
    let (width, at) = shape(bytes)?;
    Some(bytes.chunks_exact(width).map(|char| if char[at].is_ascii() { char[at] } else { 0 }).collect())
}

/// Whether bytes are UTF-16 or UTF-32.
pub fn is_wide(bytes: &[u8]) -> bool {
    shape(bytes).is_some()
}

/// The width of their characters, and where in it ASCII stands.
fn shape(bytes: &[u8]) -> Option<(usize, usize)> {
    let starts = |(width, at, mark): &&(usize, usize, &[u8])| {
        // numbers of two bytes, as binary files begin with, are hardly ever three characters that can be written
        let written = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        let ascii = |char: &[u8]| {
            char.iter().enumerate().all(|(n, byte)| if n == *at { written(*byte) } else { *byte == 0 })
        };
        bytes.starts_with(mark) || bytes.len() >= 3 * width && bytes.chunks(*width).take(3).all(ascii)
    };
    WIDE.iter().find(starts).map(|(width, at, _)| (*width, *at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Content {
        content(bytes, &Prefilter::new(["retr"]))
    }

    #[test]
    fn what_cannot_matter_is_skipped_with_its_reason() {
        assert!(matches!(read(b"retries: 3"), Content::Text(_)));
        assert!(matches!(read(b"timeout: 3"), Content::Skipped(Skip::NothingInIt)));
        assert!(matches!(read(b"retries\0"), Content::Skipped(Skip::Binary)));
        let numbers = b"\x01\0\x02\0\x40\0r\0e\0t\0r\0";
        assert!(matches!(read(numbers), Content::Skipped(Skip::Binary)));
        let small = stream(&mut &b"retries: 3"[..], 5, &Prefilter::new(["retr"]));
        assert!(matches!(small, Ok(Content::Skipped(Skip::TooLarge(_)))));
    }

    #[test]
    fn other_encodings_are_told_only_where_they_matter() {
        assert!(matches!(read(b"retries: 3 # caf\xe9"), Content::NotUtf8 { wide: false, .. }));
        assert!(matches!(read(b"timeout: 3 # caf\xe9"), Content::Skipped(_)));
        let wide = |width: usize, at: usize, text: &str| -> Vec<u8> {
            let char = |byte: u8| (0..width).map(move |n| if n == at { byte } else { 0 });
            text.bytes().flat_map(char).collect()
        };
        for (width, at, mark) in WIDE {
            let (with, without) =
                ([*mark, &wide(*width, *at, "retries: 3")].concat(), wide(*width, *at, "retries: 3"));
            assert!(matches!(read(&with), Content::NotUtf8 { wide: true, .. }), "{width} {at}");
            assert!(matches!(read(&without), Content::NotUtf8 { wide: true, .. }), "{width} {at}");
            assert!(matches!(read(&wide(*width, *at, "timeout: 3")), Content::Skipped(Skip::NothingInIt)));
        }
    }
}
