//! Findings for people, with the source lines. The one file that knows miette.

use super::{Source, mask, printable};
use crate::finding::{Finding, Label, Severity};
use crate::fix::Made;
use crate::source::Place;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};

/// Writes each finding with the lines that it is about; `source` gives a file's text. Of a rule that finds much
/// only the first are written, and the others counted, unless `all` are asked for.
pub fn human(
    findings: &[Finding],
    all: bool,
    source: &dyn Fn(&str) -> Option<Source>,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let theme = || if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = |theme| {
        GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .with_width(WIDTH)
            .with_context_lines(CONTEXT)
    };
    let mut elsewhere = theme();
    elsewhere.characters.advice = "and".to_string();
    let (own, elsewhere) = (handler(theme()), handler(elsewhere));
    let mut texts: BTreeMap<String, Option<Text>> = BTreeMap::new();
    let mut shares = Shares::of(findings);
    let mut more: BTreeMap<&str, More<'_>> = BTreeMap::new();
    for finding in findings {
        if !all && !shares.take(finding) {
            more.entry(finding.rule).or_default().add(finding);
            continue;
        }
        let files: Vec<_> =
            std::iter::once(&finding.file).chain(finding.related.iter().map(|label| &label.file)).collect();
        texts.retain(|name, _| files.contains(&name)); // findings come file by file
        for file in files {
            texts.entry(file.clone()).or_insert_with(|| source(file).map(Text::new));
        }
        let mut text = String::new();
        for (n, shown) in Shown::of(finding, &texts).iter().enumerate() {
            let handler = if n == 0 { &own } else { &elsewhere };
            handler.render_report(&mut text, shown).map_err(io::Error::other)?;
        }
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        writeln!(out, "{}\n", lines.join("\n").trim_end())?;
    }
    for (rule, more) in &more {
        writeln!(out, "{rule}: {more} (--all shows them; --all --select {rule} this rule alone)")?;
    }
    if more.is_empty() { Ok(()) } else { writeln!(out) }
}

/// So many findings of a rule are written with their lines.
const MOST_OF_A_RULE: usize = 20;

/// How many findings of each rule are still to be written, and how many in each file.
struct Shares<'f>(BTreeMap<&'f str, (usize, BTreeMap<&'f str, usize>)>);

impl<'f> Shares<'f> {
    /// The files share what is written of a rule, so that none hides the others: as many in each as there is room for.
    fn of(findings: &'f [Finding]) -> Self {
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for finding in findings {
            *counts.entry(finding.rule).or_default().entry(&finding.file).or_default() += 1;
        }
        let shares = counts.into_iter().map(|(rule, mut files)| {
            let sum = |most: &usize| files.values().map(|count| count.min(most)).sum::<usize>();
            let share =
                (2..=MOST_OF_A_RULE).take_while(|most| sum(most) <= MOST_OF_A_RULE).last().unwrap_or(1);
            files.values_mut().for_each(|count| *count = share);
            (rule, (MOST_OF_A_RULE, files))
        });
        Self(shares.collect())
    }

    /// Whether there is room for a finding, which is taken then.
    fn take(&mut self, finding: &Finding) -> bool {
        let Some((all, files)) = self.0.get_mut(finding.rule) else { return false };
        let Some(own) = files.get_mut(finding.file.as_str()).filter(|own| **own > 0 && *all > 0) else {
            return false;
        };
        (*own, *all) = (*own - 1, *all - 1);
        true
    }
}

/// Findings of a rule that are counted only.
#[derive(Default)]
struct More<'f> {
    count: usize,
    files: BTreeSet<&'f str>,
}

impl<'f> More<'f> {
    fn add(&mut self, finding: &'f Finding) {
        self.count += 1;
        self.files.insert(&finding.file);
    }
}

impl fmt::Display for More<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.len();
        write!(f, "{} more in {files} file{}", self.count, if files == 1 { "" } else { "s" })
    }
}

/// Says what was put right, a line each.
pub fn fixes(made: &[Made], out: &mut dyn Write) -> io::Result<()> {
    for Made { rule, file, place, before, after } in made {
        let what = match (before.as_str(), after.as_str()) {
            ("", added) => format!("added {added}"),
            (removed, "") => format!("removed the first {removed}"),
            (before, after) => format!("{before} → {after}"),
        };
        writeln!(
            out,
            "fixed {}:{}:{}: {} ({rule})",
            printable(file),
            place.line,
            place.column,
            printable(&what)
        )?;
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

/// A file's text, as it is and without its secrets, which is as long.
struct Text {
    plain: String,
    masked: String,
    /// First byte of each line, and the end.
    starts: Vec<usize>,
}

impl Text {
    fn new(Source { text: plain, hidden }: Source) -> Self {
        let ends = plain.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).chain([plain.len() + 1]).collect();
        Self { masked: mask::text(&plain, &hidden), plain, starts }
    }

    /// A line by its number from 1, as it is and masked, without its end.
    fn line(&self, number: usize) -> Option<(&str, &str)> {
        let (from, to) = (*self.starts.get(number.checked_sub(1)?)?, *self.starts.get(number)?);
        let plain = self.plain.get(from..to - 1)?.trim_end_matches('\r');
        Some((plain, self.masked.get(from..from + plain.len())?))
    }
}

/// The lines of a file from one of them on.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    /// How many lines of the file stand before.
    above: usize,
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let part = self.text.read_span(span, before, after)?;
        // those of the part: with all lines before it, as miette counts, distant parts would be joined
        let lines = String::from_utf8_lossy(part.data()).lines().count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            part.data(),
            *part.span(),
            part.line() + self.above,
            part.column(),
            lines,
        )))
    }
}

/// A finding, or its labels in another file, as miette takes it.
#[derive(Debug)]
struct Shown {
    rule: Option<&'static str>,
    severity: Severity,
    message: String,
    help: Option<String>,
    source: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
}

impl Shown {
    /// The finding, and its labels in each other file.
    fn of(finding: &Finding, texts: &BTreeMap<String, Option<Text>>) -> Vec<Self> {
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
        let text = |file: &str| texts.get(file).and_then(Option::as_ref);
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
            }
        });
        let own = Self {
            rule: Some(finding.rule),
            severity: finding.severity,
            message: match source {
                Some(_) => printable(&finding.message),
                None => printable(&format!("{}: {}", finding.file, finding.message)),
            },
            help: Some(help.join("\n")),
            source,
            labels: spans,
        };
        std::iter::once(own).chain(related).collect()
    }
}

/// The source of some labels, as far as it is shown: without its secrets, long lines cut, and only the
/// lines around labels. Labels that have no room are told as text.
fn snippet(
    file: &str,
    text: Option<&Text>,
    labels: &[(Place, String)],
) -> (Option<Excerpt>, Vec<LabeledSpan>, Vec<String>) {
    let told = |(place, message): &(Place, String)| format!("line {}: {message}", place.line);
    let Some(text) = text else { return (None, Vec::new(), labels.iter().map(told).collect()) };
    let near = |line: usize| line.saturating_sub(BETWEEN).max(1)..=line + BETWEEN;
    let numbers: BTreeSet<usize> = labels
        .iter()
        .flat_map(|(place, _)| near(place.line as usize))
        .filter(|n| text.line(*n).is_some())
        .collect();
    let above = numbers.first().map_or(0, |first| first - 1);
    let mut shown = String::new();
    let mut ended = above;
    let (mut spans, mut unseen) = (Vec::new(), Vec::new());
    for (number, (line, masked)) in numbers.into_iter().filter_map(|n| Some((n, text.line(n)?))) {
        shown.extend(std::iter::repeat_n('\n', number - 1 - ended));
        let here: Vec<_> = labels.iter().filter(|(place, _)| place.line as usize == number).collect();
        let first = text.starts.get(number - 1).copied().unwrap_or_default();
        let columns: Vec<_> = here
            .iter()
            .map(|(place, _)| bytes(line, *place, first).unwrap_or_else(|| columns(line, *place, number - 1)))
            .collect();
        let columns = apart(&columns, line);
        let (window, lead) = window(line, columns.first().copied());
        let start = shown.len();
        shown.push_str(lead);
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
        shown.push('\n');
        ended = number;
    }
    (Some(Excerpt { name: printable(file), text: shown, above }), spans, unseen)
}

/// Labels that others stand within show where they begin: of one that is around another, miette draws both side by
/// side after its end.
fn apart(columns: &[(usize, usize)], line: &str) -> Vec<(usize, usize)> {
    let first = |from: usize| line.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let around = |(from, to): (usize, usize)| {
        columns.iter().any(|(start, end)| from <= *start && *end <= to && end - start < to - from)
    };
    let one = |(from, to): &(usize, usize)| {
        if around((*from, *to)) { (*from, *from + first(*from)) } else { (*from, *to) }
    };
    columns.iter().map(one).collect()
}

/// First and last byte of a label within its first line, which starts at `first`; None where its bytes are
/// those of another text.
fn bytes(line: &str, place: Place, first: usize) -> Option<(usize, usize)> {
    let from = (place.start as usize).checked_sub(first)?;
    let to = (place.end as usize).checked_sub(first)?.min(line.len());
    line.get(from..to).map(|_| (from, to))
}

/// The same by its columns.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceText;

    /// A finding at the first `at` of the text, with labels at other parts of it or of another file.
    fn shown(text: &str, at: &str, labels: &[(&str, &str, &str)], message: &str) -> String {
        let find = |text: &str, part: &str| {
            let start = text.find(part).expect("the part");
            SourceText::new(text.to_string()).place(start, start + part.len())
        };
        let related = labels.iter().map(|(file, text, part)| Label {
            file: (*file).into(),
            place: find(text, part),
            message: format!("see {part}"),
        });
        let finding = Finding {
            rule: "some-rule",
            severity: Severity::Warning,
            message: message.into(),
            file: "a.yaml".into(),
            place: find(text, at),
            pointer: String::new(),
            dialect: "".into(),
            label: "here".into(),
            help: "Do this.".into(),
            related: related.collect(),
            notes: vec!["3 attempts (its default)".into()],
            fix: None,
        };
        let source = |file: &str| {
            let text = match file {
                "a.yaml" => text,
                _ => labels.iter().find(|(name, ..)| *name == file)?.1,
            };
            Some(Source { text: text.to_string(), hidden: Vec::new() })
        };
        let mut out = Vec::new();
        human(&[finding], false, &source, false, &mut out).expect("writing to memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn labels_of_the_same_file_share_its_lines_and_those_of_others_have_their_own() {
        let text = "x: 1\nretry:\n  attempts: 4\n  timeout: 2s\n";
        let other = "a = 1\ndeadline = 5\n";
        insta::assert_snapshot!(
            shown(text, "attempts", &[("a.yaml", text, "2s"), ("b.toml", other, "5")], "4 attempts of 2 s"), @r##"
some-rule

  ⚠ 4 attempts of 2 s
   ╭─[a.yaml:3:3]
 2 │ retry:
 3 │   attempts: 4
   ·   ────┬───
   ·       ╰── here
 4 │   timeout: 2s
   ·            ─┬
   ·             ╰── see 2s
 5 │
   ╰────
  help: Do this.
        note: 3 attempts (its default)
  and in b.toml
   ╭─[b.toml:2:12]
 1 │ a = 1
 2 │ deadline = 5
   ·            ┬
   ·            ╰── see 5
 3 │
   ╰────
"##
        );
    }

    #[test]
    fn a_file_with_many_findings_hides_none_of_the_others() {
        let finding = |file: &str, line: u32| Finding {
            rule: "some-rule",
            severity: Severity::Note,
            message: "much".into(),
            file: file.into(),
            place: Place { line, ..Place::default() },
            pointer: String::new(),
            dialect: "".into(),
            label: "here".into(),
            help: "Do this.".into(),
            related: Vec::new(),
            notes: Vec::new(),
            fix: None,
        };
        let told = |counts: &[(&str, u32)], all: bool| {
            let findings: Vec<_> =
                counts.iter().flat_map(|(file, count)| (0..*count).map(|line| finding(file, line))).collect();
            let mut out = Vec::new();
            human(&findings, all, &|_| None, false, &mut out).expect("writing to memory");
            let out = String::from_utf8(out).expect("UTF-8");
            let shown = counts.iter().map(|(file, _)| out.matches(&format!("{file}: much")).count());
            (
                shown.collect::<Vec<_>>(),
                out.lines().rev().find(|line| line.contains("more")).map(str::to_string),
            )
        };
        let hint = |more: &str| {
            Some(format!("some-rule: {more} (--all shows them; --all --select some-rule this rule alone)"))
        };
        assert_eq!(
            told(&[("a", 90), ("b", 3), ("c", 7)], false),
            (vec![10, 3, 7], hint("80 more in 1 file"))
        );
        assert_eq!(told(&[("a", 21)], false), (vec![20], hint("1 more in 1 file")));
        assert_eq!(told(&[("a", 12), ("b", 12)], false), (vec![10, 10], hint("4 more in 2 files")));
        assert_eq!(told(&[("a", 20)], false), (vec![20], None));
        assert_eq!(told(&[("a", 90), ("b", 3)], true), (vec![90, 3], None));
    }

    #[test]
    fn no_secret_is_shown_beside_what_a_finding_is_about() {
        let text = "password:\n  two2\nretry: 4\ntokens: [one1, 12345678]\n";
        let out = shown(text, "retry", &[], "see postgres://app:three3@db");
        for secret in ["two2", "one1", "12345678", "three3"] {
            assert!(!out.contains(secret), "{out}");
        }
        assert!(out.contains("retry: 4"), "{out}");
    }

    #[test]
    fn nothing_reaches_the_terminal_that_it_would_act_on() {
        let out = shown("a: \u{1b}[31m\u{202e}\nretry: 4\n", "retry", &[], "bell \u{7}");
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out:?}");
    }

    #[test]
    fn of_a_line_without_end_only_what_is_around_the_label_is_shown() {
        let text = format!(
            "{{\"a\": \"{}\", \"retry\": 4, \"b\": \"{}\"}}",
            "x".repeat(500_000),
            "y".repeat(500_000)
        );
        let out = shown(&text, "retry", &[("a.yaml", &text, "b")], "much");
        assert!(out.len() < 2_000 && out.contains("\"retry\": 4"), "{}", out.len());
        let far = shown(&text, "retry", &[("a.yaml", &text, "}")], "much");
        assert!(far.contains("line 1: see }"), "a label out of sight is told: {far}");
    }

    #[test]
    fn lines_are_numbered_as_in_the_file_whatever_ends_them() {
        let text = format!("\u{feff}{}retry: 4\r\n", "é: 1\r\n".repeat(20));
        assert!(shown(&text, "retry", &[], "x").contains("a.yaml:21:1"));
    }

    #[test]
    fn a_file_whose_text_is_gone_is_still_named() {
        let finding_in = shown("retry: 4", "retry", &[], "x");
        assert!(finding_in.contains("a.yaml:1:1"));
        let mut out = Vec::new();
        let finding = Finding {
            rule: "some-rule",
            severity: Severity::Error,
            message: "gone".into(),
            file: "gone.yaml".into(),
            place: Place { line: 3, ..Place::default() },
            pointer: String::new(),
            dialect: "".into(),
            label: "here".into(),
            help: "Do this.".into(),
            related: Vec::new(),
            notes: Vec::new(),
            fix: None,
        };
        human(&[finding], false, &|_| None, false, &mut out).expect("writing to memory");
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(out.contains("gone.yaml: gone") && out.contains("line 3: here"), "{out}");
    }
}
