//! Tables in the terminal and in Markdown.

use super::Sheet;
use crate::calculator::Row;
use crate::model::Bound;
use std::io::{self, Write};

/// Writes numbered rows and the answers in sentences; several policies stand side by side.
pub fn table(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let (head, rows) = cells(sheets);
    let width = |column: usize| {
        rows.iter()
            .chain([&head])
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<_> = (0..head.len()).map(width).collect();
    for row in std::iter::once(&head).chain(&rows) {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{}{cell}", " ".repeat(width - cell.chars().count())));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    for (n, sheet) in sheets.iter().enumerate() {
        writeln!(out)?;
        if sheets.len() > 1 {
            writeln!(out, "{}: {}", letter(n), sheet.name)?;
        }
        sheet.sentences().iter().try_for_each(|sentence| writeln!(out, "{sentence}"))?;
    }
    differences(sheets).iter().try_for_each(|line| writeln!(out, "\n{line}"))
}

/// The same as Markdown.
pub fn markdown(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let (head, rows) = cells(sheets);
    writeln!(out, "| {} |\n|{}", head.join(" | "), " ---: |".repeat(head.len()))?;
    rows.iter().try_for_each(|row| writeln!(out, "| {} |", row.join(" | ")))?;
    for (n, sheet) in sheets.iter().enumerate() {
        writeln!(out)?;
        if sheets.len() > 1 {
            writeln!(out, "**{}**: `{}`\n", letter(n), sheet.name)?;
        }
        sheet.sentences().iter().try_for_each(|sentence| writeln!(out, "* {sentence}"))?;
    }
    differences(sheets).iter().try_for_each(|line| writeln!(out, "\n{line}"))
}

fn cells(sheets: &[Sheet]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut head = vec!["retry".to_string()];
    for (n, sheet) in sheets.iter().enumerate() {
        let several = sheets.len() > 1;
        let named = |what: &str| match what {
            "" => String::new(),
            what if several => format!("{} {what}", letter(n)),
            what => what.to_string(),
        };
        head.extend(columns(sheet).iter().map(|what| named(what)));
    }
    let count = sheets.iter().map(|sheet| sheet.answer.rows.len()).max().unwrap_or(0);
    let rows = (0..count).map(|n| {
        let mut row = vec![(n + 1).to_string()];
        for sheet in sheets {
            match sheet.answer.rows.get(n) {
                Some(found) => row.extend(values(sheet, found)),
                None => row.extend(columns(sheet).iter().map(|_| String::new())),
            }
        }
        row
    });
    let mut rows: Vec<_> = rows.collect();
    if sheets.iter().any(|sheet| sheet.answer.truncated) {
        rows.push(vec!["…".to_string()]);
    }
    (head, rows)
}

/// A, B, C, … for policies side by side.
fn letter(n: usize) -> char {
    char::from(b'A' + (n % 26) as u8)
}

fn columns(sheet: &Sheet) -> &'static [&'static str] {
    if sheet.answer.jittered {
        &["least", "mean", "most", "total at most", ""]
    } else {
        &["wait", "total", ""]
    }
}

fn values(sheet: &Sheet, row: &Row) -> Vec<String> {
    let number = |time| sheet.scale.number(time);
    let mark = if row.capped { "at the cap" } else { "" }.to_string();
    if sheet.answer.jittered {
        vec![
            number(row.spread.min),
            number(row.spread.mean),
            number(row.spread.max),
            number(row.total_spread.max),
            mark,
        ]
    } else {
        vec![number(row.wait), number(row.total), mark]
    }
}

/// What two policies differ in, in totals.
fn differences(sheets: &[Sheet]) -> Option<String> {
    let [one, other] = sheets else { return None };
    let total =
        |sheet: &Sheet| sheet.answer.total.map_or("not known".to_string(), |total| sheet.say(total.max));
    let attempts = |sheet: &Sheet| match sheet.answer.attempts {
        Bound::At(count) => count.to_string(),
        Bound::Unlimited => "without end".to_string(),
        Bound::Unknown => "not known".to_string(),
    };
    let pairs = [
        ("attempts", attempts(one), attempts(other)),
        ("waits at most", total(one), total(other)),
        ("demand", one.bound(one.answer.demand), other.bound(other.answer.demand)),
        ("worst case", one.bound(one.answer.worst_case), other.bound(other.answer.worst_case)),
    ];
    let differing: Vec<_> =
        pairs.iter().filter(|(_, a, b)| a != b).map(|(what, a, b)| format!("{what} {a} → {b}")).collect();
    Some(if differing.is_empty() {
        "No difference in totals.".to_string()
    } else {
        format!("Difference: {}.", differing.join(", "))
    })
}
