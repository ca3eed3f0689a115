//! Texts within texts: which byte of the file each byte of a decoded scalar comes from.

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
    /// All of it stands for the bytes from `outer` to here.
    fixed_end: Option<u32>,
}

impl OffsetMap {
    /// The bytes of the file for a stretch of the inner text.
    pub(super) fn outer(&self, start: u32, end: u32) -> (usize, usize) {
        let (first, _) = self.one(start);
        let last = if end > start { self.one(end - 1).1 } else { first };
        (first as usize, last.max(first) as usize)
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

    /// From here on everything stands for one stretch of the file.
    pub(super) fn fix(&mut self, inner: u32, outer: u32, end: u32) {
        self.stretches.push(Stretch { inner, outer, fixed_end: Some(end) });
    }

    fn step(&mut self, inner: u32, outer: u32) {
        let goes_on = self.stretches.last().is_some_and(|last| {
            last.fixed_end.is_none() && outer.wrapping_sub(last.outer) == inner.wrapping_sub(last.inner)
        });
        if !goes_on {
            self.stretches.push(Stretch { inner, outer, fixed_end: None });
        }
    }

    /// Lays a decoded value beside its written form, which starts at `start`: quotes and escapes, the
    /// indentation of block scalars, and folded lines are passed over. `column` is how many blanks stand
    /// before the written form on its line, if nothing else does; `place` gives the file's byte of one of it.
    pub(super) fn align(
        &mut self,
        inner: u32,
        value: &str,
        start: u32,
        column: usize,
        written: &str,
        place: impl Fn(u32) -> u32,
    ) {
        let style = Style::of(written);
        let bytes = written.as_bytes();
        let mut at = style.content(written);
        let indent = style.indent(&written[at..]).max(column);
        let mut line_start = style.is_block();
        for (n, char) in value.char_indices() {
            if line_start {
                let spaces = bytes[at.min(bytes.len())..]
                    .iter()
                    .take(indent)
                    .take_while(|byte| **byte == b' ')
                    .count();
                at += spaces;
                line_start = false;
            }
            let rest = written.get(at..).unwrap_or_default();
            self.step(inner + n as u32, place(start + at.min(bytes.len()) as u32));
            if char == '\n' && style.is_block() {
                at += rest.find('\n').map_or(rest.len(), |end| end + 1);
                line_start = true;
            } else if style == Style::Double && rest.starts_with('\\') {
                at += escape_length(rest.as_bytes());
            } else if style == Style::Single && rest.starts_with("''") {
                at += 2;
            } else if rest.starts_with(char) {
                at += char.len_utf8();
            } else {
                // a folded line: the break and the blanks around it stand for one blank or break
                at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
                line_start = style.is_block();
            }
        }
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    /// With a header line, or without it where the span starts at the content.
    Block,
}

impl Style {
    fn of(written: &str) -> Self {
        match written.as_bytes().first() {
            Some(b'"') => Self::Double,
            Some(b'\'') => Self::Single,
            Some(b'|' | b'>') => Self::Block,
            _ if written.contains('\n') => Self::Block,
            _ => Self::Plain,
        }
    }

    fn is_block(self) -> bool {
        self == Self::Block
    }

    /// Where the content starts.
    fn content(self, written: &str) -> usize {
        match self {
            Self::Plain => 0,
            Self::Double if written.starts_with("\"\"\"") => 3 + line_break(&written[3..]),
            Self::Single if written.starts_with("'''") => 3 + line_break(&written[3..]),
            Self::Double | Self::Single => 1,
            Self::Block if written.starts_with(['|', '>']) => {
                written.find('\n').map_or(written.len(), |end| end + 1)
            }
            Self::Block => 0,
        }
    }

    /// Blanks before each line of a block scalar: those of its first line that has something else.
    fn indent(self, content: &str) -> usize {
        let line = content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if self.is_block() { line.len() - line.trim_start_matches(' ').len() } else { 0 }
    }
}

fn line_break(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

fn escape_length(rest: &[u8]) -> usize {
    match rest.get(1) {
        Some(b'x') => 4,
        // a pair of surrogates is one character
        Some(b'u')
            if rest.get(6..8) == Some(b"\\u")
                && matches!(rest.get(2..4), Some([b'd' | b'D', b'8'..=b'9' | b'a' | b'b' | b'A' | b'B'])) =>
        {
            12
        }
        Some(b'u') => 6,
        Some(b'U') => 10,
        _ => 2,
    }
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
