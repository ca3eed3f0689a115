//! Where something stands in a file.

/// A stretch of a file, as bytes and as lines and columns. It stays valid when the text is gone.
///
/// Lines and columns count from 1; columns count characters, and the end is the place after the
/// last character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// First byte, from the start of the file.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// Line of the first byte.
    pub line: u32,
    /// Column of the first byte.
    pub column: u32,
    /// Line of `end`.
    pub end_line: u32,
    /// Column of `end`.
    pub end_column: u32,
}
