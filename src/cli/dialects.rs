//! `retrylint dialects`

use super::args::Format;
use super::{CLEAN, FAILED, told};
use crate::config;
use crate::dialect;
use crate::report::write_json;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Lists the systems whose configuration is read, and the dialects of the retrylint.toml that holds here.
pub(super) fn dialects(format: Format, out: &mut dyn Write) -> io::Result<u8> {
    let Some(config) = told(config::of(Path::new("."))) else { return Ok(FAILED) };
    let own = config.dialects.iter().map(|own| {
        (own.name.as_str(), own.name.as_str(), format!("{}, as {} declares", own.reads, config.path))
    });
    let built_in = dialect::all().map(|dialect| (dialect.id, dialect.title, dialect.reads.to_string()));
    let all: Vec<_> = built_in.chain(own).collect();
    match format {
        Format::Json => {
            let list: Vec<_> = all
                .iter()
                .map(|(id, title, reads)| json!({ "id": id, "title": title, "reads": reads }))
                .collect();
            write_json(&json!({ "version": 1, "dialects": list }), out)?;
        }
        Format::Human => {
            let width = all.iter().map(|(id, ..)| id.chars().count()).max().unwrap_or(0);
            for (id, title, reads) in &all {
                writeln!(out, "{id:width$}  {title}: {reads}")?;
            }
        }
    }
    Ok(CLEAN)
}
