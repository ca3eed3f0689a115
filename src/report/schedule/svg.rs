//! A timeline as an SVG picture, light or dark as its surroundings are.

use super::Sheet;
use crate::model::Duration;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A policy's attempts in time, in nanoseconds.
pub(super) struct Timeline {
    pub(super) bars: Vec<Bar>,
    /// Attempts that are not drawn.
    pub(super) more: usize,
    /// The deadline and the window.
    pub(super) lines: Vec<(f64, &'static str)>,
    pub(super) end: f64,
    pub(super) end_time: Duration,
}

/// An attempt.
pub(super) struct Bar {
    /// Its earliest start.
    pub(super) earliest: f64,
    /// Its latest start.
    pub(super) latest: f64,
    /// Its end, if it starts at the latest.
    pub(super) end: f64,
}

/// The most attempts that are drawn.
const MOST_BARS: usize = 24;

impl Timeline {
    pub(super) fn of(sheet: &Sheet) -> Self {
        let length = sheet.answer.attempt.unwrap_or_default();
        let nanos = |time: Duration| time.nanos() as f64;
        let (mut earliest, mut latest) = (Duration::ZERO, Duration::ZERO);
        let mut bars = vec![Bar { earliest: 0.0, latest: 0.0, end: nanos(length) }];
        for row in sheet.answer.rows.iter().take(MOST_BARS - 1) {
            earliest = earliest.plus(length).plus(row.spread.min);
            latest = latest.plus(length).plus(row.spread.max);
            bars.push(Bar {
                earliest: nanos(earliest),
                latest: nanos(latest),
                end: nanos(latest.plus(length)),
            });
        }
        let limits = [(&sheet.answer.deadline, "deadline"), (&sheet.answer.window, "window")];
        let limits: Vec<_> =
            limits.into_iter().filter_map(|(fit, what)| Some((fit.as_ref()?.limit, what))).collect();
        let longest =
            limits.iter().map(|(limit, _)| *limit).chain([latest.plus(length)]).max().unwrap_or_default();
        let end_time = longest.max(Duration::from_nanos(1));
        let more = (sheet.answer.rows.len() + 1).saturating_sub(bars.len());
        let lines = limits.into_iter().map(|(limit, what)| (nanos(limit), what)).collect();
        Self { bars, more, lines, end: nanos(end_time), end_time }
    }
}

const STYLE: &str = "text{font:11px system-ui,sans-serif;fill:#1f2430}.a{fill:#2f6fde}.j{fill:#2f6fde;opacity:.25}.g{stroke:#8a93a5;stroke-width:1}.deadline{stroke:#d03f3f;stroke-width:1.5}.window{stroke:#b7791f;stroke-width:1.5;stroke-dasharray:4 3}.b{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#e6e9f0}.a,.j{fill:#7aa7ff}.g{stroke:#5b6475}.deadline{stroke:#ff7b7b}.window{stroke:#f0b34a}.b{fill:#14171f}}";
const WIDTH: f64 = 400.0;
const LEFT: f64 = 26.0;
const RIGHT: f64 = 12.0;
const ROW: f64 = 18.0;

/// Draws each policy below the other: attempts as bars, the room that jitter gives their starts as
/// shading, deadline and window as lines.
pub fn svg(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let mut body = String::new();
    let mut top = 0.0;
    for sheet in sheets {
        top = draw(sheet, top, &mut body);
    }
    let title = sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>().join(" and ");
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" role=\"img\"><title>{}</title><style>{STYLE}</style><rect class=\"b\" width=\"{WIDTH}\" height=\"{top}\"/>{body}</svg>",
        escaped(&title)
    )
}

fn draw(sheet: &Sheet, top: f64, body: &mut String) -> f64 {
    let timeline = Timeline::of(sheet);
    let x = |time: f64| LEFT + time / timeline.end * (WIDTH - LEFT - RIGHT);
    let text = |body: &mut String, x: f64, y: f64, anchor: &str, words: &str| {
        let _ = write!(
            body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(words)
        );
    };
    text(body, 6.0, top + 16.0, "start", &shortened(&sheet.name));
    let start = top + 38.0;
    let bottom = start + timeline.bars.len() as f64 * ROW + if timeline.more > 0 { ROW } else { 0.0 };
    let mut taken: Vec<f64> = Vec::new();
    for (time, what) in &timeline.lines {
        let at = x(*time);
        let _ = write!(body, "<path class=\"{what}\" d=\"M{at:.1} {:.1}V{bottom:.1}\"/>", start - 4.0);
        let anchor = if at > WIDTH / 2.0 { "end" } else { "start" };
        let close = taken.iter().any(|other| (other - at).abs() < 130.0);
        text(
            body,
            at,
            if close { start + 8.0 } else { start - 8.0 },
            anchor,
            &format!("{what} {}", sheet.say(Duration::from_nanos(*time as u128))),
        );
        taken.push(at);
    }
    for (n, bar) in timeline.bars.iter().enumerate() {
        let y = start + n as f64 * ROW;
        text(body, LEFT - 6.0, y + 11.0, "end", &(n + 1).to_string());
        let mut rect = |class: &str, from: f64, to: f64| {
            let width = (x(to) - x(from)).max(1.5);
            let _ = write!(
                body,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"12\" rx=\"2\"/>",
                x(from),
                y + 1.0
            );
        };
        if bar.latest > bar.earliest {
            rect("j", bar.earliest, bar.latest);
        }
        rect("a", bar.latest, bar.end);
    }
    if timeline.more > 0 {
        text(body, LEFT, bottom - 6.0, "start", &format!("{} more attempts", timeline.more));
    }
    let _ = write!(body, "<path class=\"g\" d=\"M{LEFT} {bottom:.1}H{:.1}\"/>", WIDTH - RIGHT);
    text(body, LEFT, bottom + 14.0, "start", "0");
    text(body, WIDTH - RIGHT, bottom + 14.0, "end", &sheet.say(timeline.end_time));
    bottom + 24.0
}

/// What has room above the picture.
fn shortened(name: &str) -> String {
    const MOST: usize = 60;
    if name.chars().count() <= MOST {
        name.to_string()
    } else {
        name.chars().take(MOST - 1).chain(['…']).collect()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
