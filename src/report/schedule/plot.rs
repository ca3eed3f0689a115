//! A timeline in the terminal: a line for each attempt, 80 columns wide.

use super::Sheet;
use super::svg::Timeline;
use std::io::{self, Write};

const WIDTH: usize = 80;

/// Draws each policy; `█` is an attempt, `░` is where it may start earlier, `│` the deadline, `┊` the window.
pub fn plot(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    for (n, sheet) in sheets.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        let timeline = Timeline::of(sheet);
        let label = timeline.bars.len().to_string().len() + 2;
        let room = WIDTH - label;
        let column = |time: f64| ((time / timeline.end * (room - 1) as f64).round() as usize).min(room - 1);
        writeln!(out, "{}", sheet.name)?;
        for (n, bar) in timeline.bars.iter().enumerate() {
            let mut line = vec![' '; room];
            for (time, mark) in
                timeline.lines.iter().map(|(time, what)| (*time, if *what == "deadline" { '│' } else { '┊' }))
            {
                line[column(time)] = mark;
            }
            line[column(bar.earliest)..=column(bar.latest)].fill('░');
            line[column(bar.latest)..=column(bar.end)].fill('█');
            writeln!(
                out,
                "{}",
                format!("{:>1$} ", n + 1, label - 1) + line.iter().collect::<String>().trim_end()
            )?;
        }
        if timeline.more > 0 {
            writeln!(out, "{} more attempts", timeline.more)?;
        }
        let end = sheet.say(timeline.end_time);
        writeln!(out, "{}0{:>2$}", " ".repeat(label), end, room - 1)?;
        let marks = timeline
            .lines
            .iter()
            .map(|(_, what)| format!("{} {what}", if *what == "deadline" { '│' } else { '┊' }));
        let marks: Vec<_> =
            ["█ attempt".to_string(), "░ may start earlier".to_string()].into_iter().chain(marks).collect();
        writeln!(out, "{}{}", " ".repeat(label), marks.join("  "))?;
    }
    Ok(())
}
