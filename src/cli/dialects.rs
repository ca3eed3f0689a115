//! `retrylint dialects`

use super::CLEAN;
use super::args::Format;
use crate::dialect;
use serde_json::json;
use std::io::{self, Write};

/// Lists the systems whose configuration is read.
pub(super) fn dialects(format: Format, out: &mut dyn Write) -> io::Result<u8> {
    match format {
        Format::Json => {
            let list = dialect::all()
                .map(|dialect| json!({ "id": dialect.id, "title": dialect.title, "reads": dialect.reads }));
            let all = json!({ "version": 1, "dialects": list.collect::<Vec<_>>() });
            serde_json::to_writer_pretty(&mut *out, &all)?;
            writeln!(out)?;
        }
        Format::Human => {
            let width = dialect::all().map(|dialect| dialect.id.len()).max().unwrap_or(0);
            for dialect in dialect::all() {
                writeln!(out, "{:width$}  {}: {}", dialect.id, dialect.title, dialect.reads)?;
            }
        }
    }
    Ok(CLEAN)
}
