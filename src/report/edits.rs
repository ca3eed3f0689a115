//! `check --diff`: what would change, as a unified diff. Secrets are hidden in it as everywhere.

use super::{Source, mask, printable};
use std::io::{self, Write};
use std::ops::Range;

/// Lines around a change.
const CONTEXT: usize = 3;
/// How many lines of one side may stand for none of the other.
const AHEAD: usize = 16;

/// Writes the diff of a file.
pub fn diff(file: &str, before: &Source, after: &Source, out: &mut dyn Write) -> io::Result<()> {
    let (old_shown, new_shown) =
        (mask::text(&before.text, &before.hidden), mask::text(&after.text, &after.hidden));
    let (before, after) = (before.text.as_str(), after.text.as_str());
    let (old, new): (Vec<_>, Vec<_>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let old_shown: Vec<_> = old_shown.split_inclusive('\n').collect();
    let new_shown: Vec<_> = new_shown.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    let file = printable(file);
    writeln!(out, "--- a/{file}\n+++ b/{file}")?;
    for hunk in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let lead = first.old.start.min(CONTEXT);
        let tail = (old.len() - last.old.end).min(CONTEXT);
        let from = first.old.start - lead..last.old.end + tail;
        let to = first.new.start - lead..last.new.end + tail;
        writeln!(out, "@@ -{} +{} @@", numbers(&from), numbers(&to))?;
        let mut at = from.start;
        for change in hunk {
            lines(' ', old_shown.get(at..change.old.start), out)?;
            lines('-', old_shown.get(change.old.clone()), out)?;
            lines('+', new_shown.get(change.new.clone()), out)?;
            at = change.old.end;
        }
        lines(' ', old_shown.get(at..from.end), out)?;
    }
    Ok(())
}

/// Lines of the old text and those that stand for them.
struct Changed {
    old: Range<usize>,
    new: Range<usize>,
}

/// The changes in order. The two texts are alike but for single lines, and so are not searched far.
fn changes(old: &[&str], new: &[&str]) -> Vec<Changed> {
    let mut changes: Vec<Changed> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && old.get(i) == new.get(j) {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let same = |a: usize, b: usize| old.get(i + a) == new.get(j + b);
        let steps = (1..=AHEAD).flat_map(|sum| (0..=sum).map(move |a| (a, sum - a)));
        let (a, b) = steps
            .filter(|(a, b)| i + a <= old.len() && j + b <= new.len())
            .find(|(a, b)| same(*a, *b))
            .unwrap_or((old.len() - i, new.len() - j));
        changes.push(Changed { old: i..i + a, new: j..j + b });
        (i, j) = (i + a, j + b);
    }
    changes
}

/// "12,7"; of no lines the one before.
fn numbers(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn lines(mark: char, lines: Option<&[&str]>, out: &mut dyn Write) -> io::Result<()> {
    for line in lines.unwrap_or_default() {
        let text = line.trim_end_matches(['\n', '\r']);
        write!(out, "{mark}{}{}", printable(text), &line[text.len()..])?;
        if !line.ends_with('\n') {
            writeln!(out, "\n\\ No newline at end of file")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let mut out = Vec::new();
        let source = |text: &str| Source { text: text.to_string(), hidden: Vec::new() };
        diff("a.yaml", &source(before), &source(after), &mut out).expect("writing to memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn changed_added_and_removed_lines_are_shown_with_three_around() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
        let after = before.replace("5\n6\n", "5\nnew\n6\n").replacen("16\n", "last\n", 1);
        insta::assert_snapshot!(shown(before, &after), @r"
        --- a/a.yaml
        +++ b/a.yaml
        @@ -3,6 +3,7 @@
         3
         4
         5
        +new
         6
         7
         8
        @@ -13,4 +14,4 @@
         13
         14
         15
        -16
        +last
        ");
        assert!(shown("a\nb\nc\n", "a\nc\n").ends_with("@@ -1,3 +1,2 @@\n a\n-b\n c\n"));
        assert!(
            shown("a", "b").ends_with("-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n")
        );
    }

    #[test]
    fn secrets_are_hidden() {
        let before = "password: hunter22\nattempts: 4\n";
        assert!(!shown(before, &before.replace('4', "2")).contains("hunter22"));
    }
}
