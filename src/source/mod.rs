//! Files: which there are, what they hold, and where in them something stands.

pub mod discover;
pub mod place;
pub mod prefilter;
pub mod read;
pub mod text;
pub mod write;

pub use place::Place;
pub use text::SourceText;
