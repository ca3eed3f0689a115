//! What retry settings really do, read from the config files that a repository already has.
//!
//! ```text
//! paths ─▶ source ─▶ document ─▶ dialect ─▶ model ─▶ stack ─▶ rule ─▶ report
//! ```

pub mod calculator;
pub mod cli;
pub mod config;
pub mod dialect;
pub mod document;
pub mod finding;
pub mod fix;
pub mod model;
pub mod report;
pub mod rule;
pub mod schedule;
pub mod source;
pub mod stack;

pub use cli::run::{check_bytes, check_text, fix_text};
