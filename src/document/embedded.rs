//! Texts within texts: which bytes of the file each byte of a decoded scalar comes from.

use std::ops::Range;

/// Stretches of an inner text and where they stand in the file.
#[derive(Debug, Default)]
pub(super) struct OffsetMap {
    /// In the order of `inner`; each reaches to the next one.
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    inner: u32,
    outer: u32,
    /// All of it stands for the bytes from `outer` to here; without it, byte stands for byte.
    fixed_end: Option<u32>,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In YAML's single quotes, where two of them stand for one.
    Single,
    /// In double quotes, with escapes; TOML's may be threefold.
    Double,
    /// In TOML's single quotes, which may be threefold; nothing is escaped.
    Literal,
    /// A block scalar of YAML; its span starts at the content.
    Block,
}

/// A scalar's decoded text and how it stands in the text around it.
pub(super) struct Scalar<'a> {
    pub(super) value: &'a str,
    pub(super) written: &'a str,
    pub(super) style: Style,
}

impl OffsetMap {
    /// The bytes of the file for a stretch of the inner text.
    pub(super) fn outer(&self, start: u32, end: u32) -> (u32, u32) {
        let (first, _) = self.one(start);
        let last = if end > start { self.one(end - 1).1 } else { first };
        (first, last.max(first))
    }

    /// The first byte of an inner byte in the file, and the byte after it.
    fn one(&self, at: u32) -> (u32, u32) {
        let after = self.stretches.partition_point(|stretch| stretch.inner <= at);
        match self.stretches.get(after.wrapping_sub(1)) {
            Some(Stretch { outer, fixed_end: Some(end), .. }) => (*outer, *end),
            Some(stretch) => {
                let outer = stretch.outer + (at - stretch.inner);
                (outer, outer + 1)
            }
            None => (0, 0),
        }
    }

    /// The map of a part of the inner text.
    pub(super) fn part(&self, part: &Range<usize>) -> Self {
        let (start, end) = (part.start as u32, part.end as u32);
        let first = self.stretches.partition_point(|stretch| stretch.inner <= start).saturating_sub(1);
        let within = self.stretches[first..].iter().take_while(|stretch| stretch.inner < end);
        let moved = within.map(|stretch| match stretch.fixed_end {
            None if stretch.inner < start => {
                Stretch { inner: 0, outer: stretch.outer + (start - stretch.inner), fixed_end: None }
            }
            _ => Stretch { inner: stretch.inner.saturating_sub(start), ..*stretch },
        });
        Self { stretches: moved.collect() }
    }

    /// From here on everything stands for one stretch of the file.
    pub(super) fn fix(&mut self, inner: u32, outer: (u32, u32)) {
        self.stretches.push(Stretch { inner, outer: outer.0, fixed_end: Some(outer.1) });
    }

    /// From here on, for `length` bytes, byte stands for byte, if there are as many of them in the file.
    fn copy(&mut self, inner: u32, length: usize, outer: (u32, u32)) {
        if (outer.1 - outer.0) as usize != length {
            return self.fix(inner, outer);
        }
        let goes_on = self.stretches.last().is_some_and(|last| {
            last.fixed_end.is_none() && outer.0.wrapping_sub(last.outer) == inner.wrapping_sub(last.inner)
        });
        if !goes_on {
            self.stretches.push(Stretch { inner, outer: outer.0, fixed_end: None });
        }
    }

    /// Adds a scalar's text at `inner`. `place` gives the file's bytes for some of its written form.
    ///
    /// The two are laid side by side character by character. Blanks are laid by the run: indentation
    /// and folded lines make their numbers differ, and no value starts or ends with one. Where they
    /// do not fit each other the whole stands for the whole.
    pub(super) fn align(
        &mut self,
        inner: u32,
        scalar: &Scalar<'_>,
        place: impl Fn(Range<usize>) -> (u32, u32),
    ) {
        let known = self.stretches.len();
        if self.try_align(inner, scalar, &place).is_none() {
            self.stretches.truncate(known);
            self.fix(inner, place(0..scalar.written.len()));
        }
    }

    fn try_align(
        &mut self,
        inner: u32,
        scalar: &Scalar<'_>,
        place: impl Fn(Range<usize>) -> (u32, u32),
    ) -> Option<()> {
        let Scalar { value, written, style } = scalar;
        let mut at = style.content(written);
        let mut done = 0;
        while done < value.len() {
            let from = inner + done as u32;
            let rest = written.get(at..)?;
            let blanks = value[done..].len() - value[done..].trim_start_matches(BLANKS).len();
            let written_blanks = style.blanks(rest);
            if blanks + written_blanks > 0 {
                let outer = place(at..at + written_blanks);
                if value[done..done + blanks] == rest[..written_blanks] {
                    self.copy(from, blanks, outer);
                } else if blanks > 0 {
                    self.fix(from, outer);
                }
                (done, at) = (done + blanks, at + written_blanks);
                continue;
            }
            let expected = value[done..].chars().next()?;
            let (char, length) = style.next(rest)?;
            if char != expected {
                return None;
            }
            let outer = place(at..at + length);
            if length == char.len_utf8() {
                self.copy(from, length, outer)
            } else {
                self.fix(from, outer)
            }
            (done, at) = (done + char.len_utf8(), at + length);
        }
        Some(())
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl Style {
    /// Where the content starts.
    fn content(self, written: &str) -> usize {
        match self {
            Self::Plain | Self::Block => 0,
            Self::Double if written.starts_with("\"\"\"") => 3,
            Self::Literal if written.starts_with("'''") => 3,
            Self::Single | Self::Double | Self::Literal => 1.min(written.len()),
        }
    }

    /// How many bytes of blanks come next, escaped ones and breaks that stand for nothing included.
    fn blanks(self, rest: &str) -> usize {
        let mut at = 0;
        loop {
            let next = &rest[at..];
            let plain = next.len() - next.trim_start_matches(BLANKS).len();
            let escaped = match next.strip_prefix('\\').and_then(|escape| escape.chars().next()) {
                Some('n' | 't' | 'r' | ' ' | '\n' | '\r' | '\t') if self == Self::Double => 2,
                _ => 0,
            };
            match plain + escaped {
                0 => return at,
                step => at += step,
            }
        }
    }

    /// The next character and how many bytes it is written in.
    fn next(self, rest: &str) -> Option<(char, usize)> {
        match self {
            Self::Single if rest.starts_with("''") => Some(('\'', 2)),
            Self::Double if rest.starts_with('\\') => escape(rest),
            _ => rest.chars().next().map(|char| (char, char.len_utf8())),
        }
    }
}

/// The character that an escape of YAML, JSON or TOML stands for, and its length.
fn escape(rest: &str) -> Option<(char, usize)> {
    let code = |from: usize, digits: usize| {
        rest.get(from..from + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    let known = match rest[1..].chars().next()? {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        char @ ('"' | '/' | '\\') => char,
        'x' => return Some((char::from_u32(code(2, 2)?)?, 4)),
        'U' => return Some((char::from_u32(code(2, 8)?)?, 10)),
        'u' => {
            let first = code(2, 4)?;
            if let Some(char) = char::from_u32(first) {
                return Some((char, 6));
            }
            let second = code(8, 4).filter(|_| rest.get(6..8) == Some("\\u"))?;
            let pair = char::decode_utf16([first as u16, second as u16]).next()?;
            return Some((pair.ok()?, 12));
        }
        _ => return None,
    };
    Some((known, 2))
}

/// The cheap look before a text is parsed: JSON's brace, or a key at the start of its first line.
pub(super) fn looks_like_a_mapping(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('{') {
        return true;
    }
    let first =
        text.lines().map(str::trim_end).find(|line| !line.is_empty() && !line.starts_with(['#', '-']));
    first.is_some_and(|line| line.ends_with(':') || line.contains(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_stands_where_it_stood() {
        let mut map = OffsetMap::default();
        map.copy(0, 5, (10, 15));
        map.copy(5, 3, (20, 23));
        map.fix(8, (40, 44));
        for start in 0..10 {
            let part = map.part(&(start..12));
            assert_eq!(part.outer(0, 1), map.outer(start as u32, start as u32 + 1), "{start}");
            assert_eq!(part.outer(10 - start as u32, 10 - start as u32), map.outer(10, 10), "{start}");
        }
    }
}
