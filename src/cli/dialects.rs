//! `retrylint dialects`

use super::args::Format;
use super::{CLEAN, FAILED, complain};
use crate::config::{self, Config};
use crate::dialect;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Lists the systems whose configuration is read, and the dialects of the retrylint.toml that holds here.
pub(super) fn dialects(format: Format, out: &mut dyn Write) -> io::Result<u8> {
    let config = match config::find(Path::new("."), Path::is_file)
        .map(|path| config::read(&path, std::fs::read_to_string(&path)))
    {
        None => Config::default(),
        Some(Ok(config)) => config,
        Some(Err(error)) => {
            complain(error);
            return Ok(FAILED);
        }
    };
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
            serde_json::to_writer_pretty(&mut *out, &json!({ "version": 1, "dialects": list }))?;
            writeln!(out)?;
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
