//! Rows as CSV: plain numbers as they are, durations in milliseconds.

use super::Sheet;
use crate::calculator::Scale;
use crate::model::Duration;
use std::io::{self, Write};

/// Writes a line for each retry of each policy.
pub fn csv(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let ending = if sheets.iter().all(|sheet| matches!(sheet.scale, Scale::Plain(_))) { "" } else { "_ms" };
    let columns = ["wait", "total", "min", "mean", "max", "total_min", "total_mean", "total_max"];
    let names: Vec<_> = columns.iter().map(|name| format!("{name}{ending}")).collect();
    writeln!(out, "policy,retry,{},capped", names.join(","))?;
    for sheet in sheets {
        for row in &sheet.answer.rows {
            let times = [
                row.wait,
                row.total,
                row.spread.min,
                row.spread.mean,
                row.spread.max,
                row.total_spread.min,
                row.total_spread.mean,
                row.total_spread.max,
            ];
            let times: Vec<_> = times.into_iter().map(|time| number(&sheet.scale, time)).collect();
            writeln!(out, "{},{},{},{}", quoted(&sheet.name), row.retry, times.join(","), row.capped)?;
        }
    }
    Ok(())
}

fn number(scale: &Scale, time: Duration) -> String {
    match scale {
        Scale::Plain(_) => scale.number(time),
        Scale::Time => serde_json::to_string(&time.millis()).unwrap_or_default(),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
