//! Files: which there are, what they hold, and where in them something stands.

pub mod discover;
pub mod git;
pub mod place;
pub mod prefilter;
pub mod read;
pub mod rename;
pub mod text;
pub mod tree;
pub mod write;

pub use place::Place;
pub use text::SourceText;
pub use tree::Tree;
