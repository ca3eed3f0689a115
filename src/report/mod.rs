//! Output, one format a file.

pub mod inspect;
