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

use std::io::{self, ErrorKind};

/// Why a file could not be read or written, in the words of people.
pub fn why(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_string(),
        ErrorKind::PermissionDenied => {
            "permission is denied; correct the rights of the file or folder".to_string()
        }
        ErrorKind::IsADirectory => "it is a folder, and a file is expected".to_string(),
        ErrorKind::InvalidData => "it is no UTF-8; save it as UTF-8".to_string(),
        _ => {
            // without the number that the system has for it
            let told = error.to_string();
            told.split(" (os error").next().unwrap_or_default().to_string()
        }
    }
}
