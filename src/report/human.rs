//! Findings for people, with the source lines. The one file that knows miette.

use super::mask;
use crate::finding::{Finding, Label, Severity};
use crate::source::Place;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

/// Writes each finding with the lines that it is about; `source` gives a file's text.
pub fn human(
    findings: &[Finding],
    source: &dyn Fn(&str) -> Option<String>,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(WIDTH)
        .with_context_lines(CONTEXT);
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for finding in findings {
        let files: Vec<_> =
            std::iter::once(&finding.file).chain(finding.related.iter().map(|label| &label.file)).collect();
        texts.retain(|name, _| files.contains(&name)); // findings come file by file
        for file in files {
            texts.entry(file.clone()).or_insert_with(|| source(file));
        }
        let shown = Shown::of(finding, &texts);
        let mut text = String::new();
        handler.render_report(&mut text, &shown).map_err(io::Error::other)?;
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        writeln!(out, "{}\n", lines.join("\n").trim_end())?;
    }
    Ok(())
}

const WIDTH: usize = 100;
/// Lines around a label.
const CONTEXT: usize = 1;
/// Lines between two labels that may be shown as well.
const BETWEEN: usize = 6;
/// The longest line that is shown whole, and what is shown around a label of a longer one, in bytes.
const LONG_LINE: usize = 200;
const AROUND: usize = 60;

/// A finding, or its labels in another file, as miette takes it.
#[derive(Debug)]
struct Shown {
    rule: Option<&'static str>,
    severity: Severity,
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    related: Vec<Shown>,
}

impl Shown {
    fn of(finding: &Finding, texts: &BTreeMap<String, Option<String>>) -> Self {
        let own = |label: &&Label| label.file == finding.file;
        let mut labels = vec![(finding.place, printable(&finding.label))];
        labels
            .extend(finding.related.iter().filter(own).map(|label| (label.place, printable(&label.message))));
        let mut others: Vec<(&str, Vec<(Place, String)>)> = Vec::new();
        for label in finding.related.iter().filter(|label| !own(label)) {
            let entry = (label.place, printable(&label.message));
            match others.iter_mut().find(|(file, _)| *file == label.file) {
                Some((_, labels)) => labels.push(entry),
                None => others.push((&label.file, vec![entry])),
            }
        }
        let text = |file: &str| texts.get(file).and_then(Option::as_deref);
        let (source, spans, unseen) = snippet(&finding.file, text(&finding.file), &labels);
        let mut help = vec![printable(&finding.help)];
        help.extend(finding.notes.iter().map(|note| format!("note: {}", printable(note))));
        help.extend(unseen);
        let related = others.into_iter().map(|(file, labels)| {
            let (source, spans, unseen) = snippet(file, text(file), &labels);
            Self {
                rule: None,
                severity: Severity::Note,
                message: format!("in {}", printable(file)),
                help: (!unseen.is_empty()).then(|| unseen.join("\n")),
                source,
                labels: spans,
                related: Vec::new(),
            }
        });
        Self {
            rule: Some(finding.rule),
            severity: finding.severity,
            message: match source {
                Some(_) => printable(&finding.message),
                None => printable(&format!("{}: {}", finding.file, finding.message)),
            },
            help: Some(help.join("\n")),
            source,
            labels: spans,
            related: related.collect(),
        }
    }
}

/// The source of some labels, as far as it is shown: without its secrets, long lines cut, and only the
/// lines around labels. Labels that have no room are told as text.
fn snippet(
    file: &str,
    text: Option<&str>,
    labels: &[(Place, String)],
) -> (Option<NamedSource<String>>, Vec<LabeledSpan>, Vec<String>) {
    let told = |(place, message): &(Place, String)| format!("line {}: {message}", place.line);
    let Some(text) = text else { return (None, Vec::new(), labels.iter().map(told).collect()) };
    let lines: Vec<&str> = text.split('\n').collect();
    let near = |n: usize| labels.iter().any(|(place, _)| (place.line as usize).abs_diff(n) <= BETWEEN);
    let mut shown = String::new();
    let (mut spans, mut unseen) = (Vec::new(), Vec::new());
    for (n, line) in lines.iter().enumerate() {
        if near(n + 1) {
            let line = line.trim_end_matches('\r');
            let before = n.checked_sub(1).map_or("", |n| lines[n]);
            let here: Vec<_> = labels.iter().filter(|(place, _)| place.line as usize == n + 1).collect();
            let columns: Vec<_> = here.iter().map(|(place, _)| columns(line, *place, n)).collect();
            let (window, lead) = window(line, columns.first().copied());
            let start = shown.len();
            shown.push_str(lead);
            let masked = mask::line(line, before);
            shown.push_str(&printable(masked.get(window.0..window.1).unwrap_or_default()));
            for (label, (from, to)) in here.into_iter().zip(columns) {
                if from >= window.0 && from <= window.1 {
                    let offset = start + lead.len() + (from - window.0);
                    let length = to.min(window.1) - from;
                    let primary = std::ptr::eq(label, &labels[0]);
                    let new =
                        if primary { LabeledSpan::new_primary_with_span } else { LabeledSpan::new_with_span };
                    spans.push(new(Some(label.1.clone()), (offset, length)));
                } else {
                    unseen.push(told(label));
                }
            }
        }
        shown.push('\n');
    }
    (Some(NamedSource::new(printable(file), shown)), spans, unseen)
}

/// First and last byte of a label within its first line.
fn columns(line: &str, place: Place, n: usize) -> (usize, usize) {
    let mark = if n == 0 && line.starts_with('\u{feff}') { 1 } else { 0 };
    let byte = |column: u32| {
        let at = line.char_indices().nth(column as usize - 1 + mark);
        at.map_or(line.len(), |(at, _)| at)
    };
    let from = byte(place.column.max(1));
    let to = if place.end_line == place.line { byte(place.end_column.max(1)) } else { line.len() };
    (from, to.max(from))
}

/// The part of a line that is shown, and what stands before it.
fn window(line: &str, label: Option<(usize, usize)>) -> ((usize, usize), &'static str) {
    if line.len() <= LONG_LINE {
        return ((0, line.len()), "");
    }
    let boundary = |mut at: usize| {
        at = at.min(line.len());
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, to) = label.unwrap_or((0, 0));
    let start = boundary(from.saturating_sub(AROUND));
    let end = boundary((to + AROUND).min(start + LONG_LINE));
    ((start, end), if start > 0 { "…" } else { "" })
}

/// A text without characters that a terminal would act on; each becomes as many bytes as it had.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        let acts = char.is_control() && char != '\t'
            || matches!(char, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if acts {
            shown.extend(std::iter::repeat_n('?', char.len_utf8()));
        } else {
            shown.push(char);
        }
    }
    mask::tokens(&shown)
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.rule.map(|rule| Box::new(rule) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let each = self.related.iter().map(|shown| shown as &dyn Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(each) as Box<dyn Iterator<Item = &dyn Diagnostic>>)
    }
}
