//! Secrets in what is shown: values of keys that look like credentials, texts that look like tokens, and
//! passwords in URLs. A mask has as many bytes as what it hides, so that places stay right. One pass over
//! the bytes, whatever they are; where it is in doubt, it hides.

use crate::model::secret::{self, is_credential, is_random_mix, last_word, plain, starts_a_token};
use crate::source::Place;

/// What in the query of a URL says that a secret follows.
const QUERY: &[&str] = &["key", "code", "sas"];

/// What in a URL is followed by something that nobody else may know.
const WEBHOOKS: &[&str] = &["hooks.slack.com/services/", "discord.com/api/webhooks/", "webhook.office.com/"];

/// What announces a token of any kind.
const SCHEMES: &[&str] = &["Bearer ", "bearer ", "Basic ", "basic "];

/// Options that take a user and a password with a colon between.
const USERS: &[&str] = &["-u", "--user", "--proxy-user"];

/// Programs and their options that take a password, with a blank before it or none.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("mysql", &["-p"]),
    ("mariadb", &["-p"]),
    ("sshpass", &["-p"]),
    ("mongo", &["-p"]),
    ("docker login", &["-p"]),
    ("podman login", &["-p"]),
    ("helm registry", &["-p"]),
    ("sqlcmd", &["-P"]),
    ("redis-cli", &["-a"]),
    ("ldap", &["-w"]),
    ("curl", &["-u"]),
];

/// What may stand in a comment between a word for a secret and the secret.
const FILLERS: &[&str] =
    &["is", "was", "are", "for", "of", "the", "a", "an", "now", "here", "still", "and", "or"];

/// No variable's name is longer.
const LONGEST_NAME: usize = 80;

/// No user with a password is longer, in bytes.
const LONGEST_USER: usize = 200;

/// How many lines below the name of a variable its value is looked for.
const BESIDE: usize = 3;

/// A file's text without its secrets, and without what stands at the `hidden` places.
pub(super) fn text(text: &str, hidden: &[Place]) -> String {
    let mut masked = tokens(text).into_bytes();
    let secret = |line: &str| line.trim() == "kind: Secret" || line.contains("\"kind\": \"Secret\"");
    let mut reader = Reader { holds_a_secret: text.lines().any(secret), ..Reader::default() };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        reader.line(&text[start..end], &mut masked[start..end]);
        start += line.len();
    }
    for place in hidden {
        let end = (place.end as usize).min(masked.len());
        let bytes = masked.get_mut(place.start as usize..end).unwrap_or_default();
        bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b'*');
    }
    String::from_utf8(masked).unwrap_or_default()
}

/// What the lines before say about the next one.
#[derive(Default)]
struct Reader {
    within: Within,
    /// A section of TOML or INI that is all credentials.
    section: bool,
    /// So many more lines may hold the value of a variable that has been named.
    named: usize,
    /// The line before ended in an option that takes a secret.
    option: bool,
    /// The file holds a Secret of Kubernetes.
    holds_a_secret: bool,
}

/// The value of a credential that goes on below its key.
#[derive(Default)]
enum Within {
    #[default]
    Nothing,
    /// Lines that stand deeper than this column.
    Block { column: usize, literal: bool },
    /// Up to three quotes.
    Fence(&'static str),
    /// Up to the bracket that closes it.
    Brackets { depth: usize, list: bool, quote: Option<u8> },
}

impl Reader {
    fn line(&mut self, line: &str, masked: &mut [u8]) {
        self.named = self.named.saturating_sub(1);
        let from = self.go_on(line, masked);
        if let Some(from) = from {
            self.keys(line, from, masked);
            programs(line, masked);
            comment(line, masked);
            words(line, masked);
            defaults(line, masked);
            let item = line.trim_start();
            let item = item.strip_prefix("- ").unwrap_or(item);
            if std::mem::take(&mut self.option) && from == 0 {
                hide_values(line, line.len() - item.len(), line.len(), false, masked);
            }
            let option = item.trim_matches(['"', '\'', ',', ' ', '\t', '[']);
            self.option = option.starts_with("--") && option.bytes().all(is_name) && is_credential(option);
        }
        if is_key_material(line.trim()) {
            hide(masked, line.len() - line.trim_start().len(), line.len());
        }
    }

    /// Hides what belongs to a value that began above; where the rest of the line begins, if there is one.
    fn go_on(&mut self, line: &str, masked: &mut [u8]) -> Option<usize> {
        let indent = line.len() - line.trim_start().len();
        match self.within {
            Within::Nothing => Some(0),
            Within::Block { column, literal } => {
                let item = indent == column && !literal && line[indent..].starts_with("- ");
                if indent == line.len() {
                    None
                } else if indent > column || item {
                    hide_values(line, indent, line.len(), !literal, masked);
                    None
                } else {
                    self.within = Within::Nothing;
                    Some(0)
                }
            }
            Within::Fence(fence) => {
                let end = line.find(fence);
                hide(masked, 0, end.unwrap_or(line.len()));
                end.map(|end| {
                    self.within = Within::Nothing;
                    end + fence.len()
                })
            }
            Within::Brackets { .. } => self.brackets(line, 0, masked),
        }
    }

    /// Hides what stands in brackets, up to the one that closes them.
    fn brackets(&mut self, line: &str, from: usize, masked: &mut [u8]) -> Option<usize> {
        let Within::Brackets { depth, list, quote } = &mut self.within else { return Some(from) };
        let bytes = line.as_bytes();
        let mut end = line.len();
        let mut at = from;
        while at < bytes.len() {
            match (*quote, bytes[at]) {
                (Some(_), b'\\') => at += 1,
                (Some(open), byte) if byte == open => *quote = None,
                (Some(_), _) => {}
                (None, byte @ (b'"' | b'\'')) => *quote = Some(byte),
                (None, b'[' | b'{') => *depth += 1,
                (None, b']' | b'}') => *depth = depth.saturating_sub(1),
                (None, _) => {}
            }
            at += 1;
            if *depth == 0 {
                end = at.min(line.len());
                break;
            }
        }
        let (closed, keep_numbers) = (*depth == 0, !*list);
        hide_values(line, from, end, keep_numbers, masked);
        if closed {
            self.within = Within::Nothing;
        }
        closed.then_some(end)
    }

    /// The keys of a line, one after the other.
    fn keys(&mut self, line: &str, from: usize, masked: &mut [u8]) {
        if from == 0
            && let Some(header) = header(line)
        {
            self.section = is_credential(header);
            return;
        }
        let bytes = line.as_bytes();
        let mut open: Option<u8> = None;
        let mut flow = 0usize;
        let mut at = from;
        while at < bytes.len() {
            if !is_name(bytes[at]) {
                match (open, bytes[at]) {
                    (Some(quote), byte) if byte == quote => open = None,
                    (None, byte @ (b'"' | b'\'')) => open = Some(byte),
                    (None, b'{' | b'[') => flow += 1,
                    (None, b'}' | b']') => flow = flow.saturating_sub(1),
                    _ => {}
                }
                at += 1;
                continue;
            }
            let start = at;
            at = run(bytes, at, is_name);
            let key = &line[start..at];
            let mut mark = at;
            if open.is_some() && bytes.get(mark) == open.as_ref() {
                open = None;
                mark += 1;
            }
            mark = run(bytes, mark, is_blank);
            if !matches!(bytes.get(mark), Some(b':' | b'=')) {
                at = at.max(mark.min(line.len()));
                if let Some((from, to)) = said(line, key, at) {
                    hide(masked, from, to);
                    at = to;
                }
                continue;
            }
            let value = run(bytes, mark + 1, is_blank);
            at = value.min(line.len());
            let before = start.checked_sub(1).map(|before| bytes[before]);
            let secret = is_credential(key)
                || self.section
                || self.named > 0 && last_word(key) == "value"
                || self.holds_a_secret && key == "data"
                || key == "Variables" // of a Lambda function's environment
                || before == Some(b'\\') // what a key with an escape says is not looked at
                || matches!(before, Some(b'?' | b'&')) && QUERY.contains(&key);
            if secret {
                let counts = plain(key).contains("token") || self.section;
                at = self.value(line, Value { column: start, at, open, flow: flow > 0, counts }, masked);
                if open.is_some() && bytes.get(at) == open.as_ref() {
                    open = None;
                    at += 1;
                }
            } else if matches!(last_word(key).as_str(), "name" | "key" | "variable") {
                let name = &bytes[at..bytes.len().min(at + LONGEST_NAME)];
                let name = &name[..run(name, 0, |byte| !matches!(byte, b',' | b'}'))];
                if is_credential(&String::from_utf8_lossy(name)) {
                    self.named = BESIDE + 1;
                }
            }
        }
    }

    /// Hides a value; where the line goes on after it.
    fn value(&mut self, line: &str, value: Value, masked: &mut [u8]) -> usize {
        let (bytes, at) = (line.as_bytes(), value.at);
        let rest = &line[at..];
        for fence in ["\"\"\"", "'''"] {
            if let Some(inner) = rest.strip_prefix(fence) {
                let end = inner.find(fence).map(|end| at + fence.len() + end);
                hide(masked, at + fence.len(), end.unwrap_or(line.len()));
                if end.is_none() {
                    self.within = Within::Fence(fence);
                }
                return end.map_or(line.len(), |end| end + fence.len());
            }
        }
        match bytes.get(at) {
            None | Some(b'#' | b'|' | b'>' | b'&') if value.open.is_none() => {
                // a block scalar, or what stands below; an anchor may stand before either
                let literal = matches!(bytes.get(at), Some(b'|' | b'>')) || rest.ends_with(['|', '>']);
                self.within = Within::Block { column: value.column, literal };
                if bytes.get(at) == Some(&b'&') {
                    hide(masked, at, line.len());
                }
                line.len()
            }
            Some(open @ (b'[' | b'{')) if value.open.is_none() => {
                self.within = Within::Brackets { depth: 0, list: *open == b'[', quote: None };
                self.brackets(line, at, masked).unwrap_or(line.len())
            }
            Some(quote @ (b'"' | b'\'')) if value.open.is_none() => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != *quote {
                    end += if bytes[end] == b'\\' && *quote == b'"' { 2 } else { 1 };
                }
                let end = end.min(bytes.len());
                hide(masked, at + 1, end);
                (end + 1).min(bytes.len())
            }
            _ => {
                let ends = |end: &usize| match value.open {
                    Some(quote) => bytes[*end] == quote,
                    None if value.flow => matches!(bytes[*end], b',' | b'}' | b']'),
                    None => bytes[*end] == b'#' && is_blank(bytes[*end - 1]),
                };
                let end = (at..bytes.len()).find(ends).unwrap_or(bytes.len());
                let text = line[at..end].trim_end();
                let kept = matches!(text, "true" | "false" | "null" | "~")
                    || value.counts && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                if !kept {
                    hide(masked, at, at + text.len());
                }
                end
            }
        }
    }
}

/// Where the value of a credential begins, and what it stands in.
struct Value {
    /// Where the key begins.
    column: usize,
    at: usize,
    /// The quote that the key stands in together with its value.
    open: Option<u8>,
    flow: bool,
    /// A number is more likely a count than a secret.
    counts: bool,
}

fn hide(masked: &mut [u8], from: usize, to: usize) {
    if let Some(part) = masked.get_mut(from..to) {
        part.fill(b'*');
    }
}

/// Hides the words of a stretch that are no keys, and unless `numbers` are kept these as well.
fn hide_values(line: &str, from: usize, to: usize, numbers: bool, masked: &mut [u8]) {
    let bytes = &line.as_bytes()[..to.min(line.len())];
    let in_word =
        |byte: u8| !is_blank(byte) && !matches!(byte, b'"' | b'\'' | b',' | b'[' | b']' | b'{' | b'}');
    let mut at = from;
    while at < bytes.len() {
        if !in_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = run(bytes, at, in_word);
        let word = &bytes[at..end];
        let next = run(bytes, end, |byte| matches!(byte, b'"' | b'\''));
        let next = bytes.get(run(bytes, next, is_blank));
        let key = word.ends_with(b":") || matches!(next, Some(b':' | b'='));
        let mark = matches!(word, b"-" | b"=" | b":" | b"true" | b"false" | b"null");
        let number = numbers && word[0].is_ascii_digit() && word.len() <= 8 && {
            let digits = word.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
            word.len() - digits <= 2
        };
        if !(key && numbers || mark || number) {
            hide(masked, at, end);
        }
        at = end;
    }
}

/// The end of a run of such bytes.
fn run(bytes: &[u8], from: usize, of: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !of(*byte)).unwrap_or(rest.len())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The last part of the name of a section in TOML or INI.
fn header(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let inner = inner.trim_matches(['[', ']']);
    inner
        .bytes()
        .all(|byte| is_name(byte) || is_blank(byte))
        .then(|| inner.rsplit('.').next().unwrap_or(inner))
}

/// The secret that follows a word without a mark: behind an option of a command, `--password X`, `-u user:X`, or
/// in prose, `old key X`, where it looks random.
fn said(line: &str, word: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let from = run(bytes, at, |byte| is_blank(byte) || matches!(byte, b'"' | b'\'' | b','));
    let name = word.trim_start_matches('-');
    let user = USERS.contains(&word);
    if !user && !name.eq_ignore_ascii_case("key") && !is_credential(name) {
        return None;
    }
    if from == at && !from.checked_sub(1).is_some_and(|before| is_blank(bytes[before])) {
        return None;
    }
    let to = end_of_word(bytes, from);
    let said = &line[from..to];
    if said.is_empty() {
        return None;
    }
    if user {
        let colon = said.find(':')?;
        return Some((from + colon + 1, to));
    }
    let option = word.starts_with("--") && is_credential(name) && !said.starts_with('-');
    let random = said.len() >= 8
        && said.bytes().any(|byte| byte.is_ascii_digit())
        && said.bytes().any(|byte| byte.is_ascii_alphabetic());
    (option || random).then_some((from, to))
}

fn end_of_word(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, |byte| !is_blank(byte) && !matches!(byte, b'"' | b'\'' | b',' | b']' | b'}'))
}

/// Hides what programs of a command line take as a password: `mysql -pX`, `redis-cli -a X`. Where the program stands
/// on another line, `-pX` is hidden if X is neither a word nor a number.
fn programs(line: &str, masked: &mut [u8]) {
    let bytes = line.as_bytes();
    let options =
        || PROGRAMS.iter().filter(|(program, _)| line.contains(program)).flat_map(|(_, options)| *options);
    let known: Vec<&str> = options().copied().collect();
    for (at, _) in line.match_indices('-') {
        let apart = at == 0 || is_blank(bytes[at - 1]) || matches!(bytes[at - 1], b'"' | b'\'' | b',');
        let Some(option) = line.get(at..at + 2).filter(|_| apart) else { continue };
        let end = end_of_word(bytes, at + 2);
        let mut from = at + 2;
        let attached = end > from && bytes[from] != b'-';
        if known.contains(&option) {
            if !attached {
                from = run(bytes, from, |byte| is_blank(byte) || matches!(byte, b'"' | b'\'' | b',' | b'='));
            }
            let to = end_of_word(bytes, from);
            let user = if option == "-u" { line[from..to].find(':').map(|colon| colon + 1) } else { Some(0) };
            if let Some(user) = user.filter(|_| from > at + 1 && bytes.get(from) != Some(&b'-')) {
                hide(masked, from + user, to);
            }
        } else if option == "-p" && attached {
            let said = &bytes[from..end];
            let word = said.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'='));
            let number = said.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'/'));
            if !word && !number {
                hide(masked, from, end);
            }
        }
    }
}

/// Hides the word that a comment says after a word for a secret: `# the password is X`.
fn comment(line: &str, masked: &mut [u8]) {
    let starts = |mark: &str| {
        let apart = |at: &usize| *at == 0 || is_blank(line.as_bytes()[at - 1]);
        line.match_indices(mark).map(|(at, _)| at).find(apart).map(|at| at + mark.len())
    };
    let Some(from) = [starts("#"), starts("//"), starts("/*")].into_iter().flatten().min() else { return };
    let mut announced = false;
    let mut at = from;
    for word in line[from..].split([' ', '\t']) {
        let start = at;
        at += word.len() + 1;
        let bare = word.trim_matches(|char: char| !char.is_alphanumeric());
        if bare.is_empty() || announced && FILLERS.contains(&bare) {
            continue;
        }
        if announced {
            hide(masked, start, start + word.len());
        }
        announced = is_credential(bare);
    }
}

/// Hides the defaults within placeholders, `${NAME:X}` and `${NAME:-X}`, unless they are plain or an address.
fn defaults(line: &str, masked: &mut [u8]) {
    for (at, mark) in line.match_indices("${") {
        let from = at + mark.len();
        let end = run(line.as_bytes(), from, |byte| !matches!(byte, b'}' | b'"' | b'\''));
        let Some((name, rest)) = line[from..end].split_once(':') else { continue };
        let default = rest.trim_start_matches('-');
        if !secret::is_plain(name, default) && !default.contains("://") {
            hide(masked, end - default.len(), end);
        }
        if end == line.len() {
            break; // nor does a later one have an end
        }
    }
}

/// Hides words that look random, and the passwords of `user:password@host`.
fn words(line: &str, masked: &mut [u8]) {
    let bytes = line.as_bytes();
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_');
    let mut at = 0;
    while at < bytes.len() {
        let end = run(bytes, at, in_word);
        if end > at && is_random_mix(&line[at..end]) {
            hide(masked, at, end);
        }
        at = end.max(at) + 1;
    }
    for (end, _) in line.match_indices('@') {
        let over = |byte: &u8| is_blank(*byte) || matches!(byte, b'"' | b'\'' | b'/' | b'@' | b',');
        let from = bytes[..end].iter().rev().take(LONGEST_USER).take_while(|byte| !over(byte)).count();
        if let Some(colon) = bytes[end - from..end].iter().position(|byte| *byte == b':') {
            hide(masked, end - from + colon + 1, end);
        }
    }
}

/// A line of Base64 as keys and certificates have it.
fn is_key_material(line: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mixed =
        line.bytes().any(|byte| byte.is_ascii_digit()) && line.bytes().any(|byte| byte.is_ascii_uppercase());
    line.len() >= 40 && line.bytes().all(base64) && mixed
}

/// A JSON Pointer whose keys are without tokens.
pub(super) fn pointer(pointer: &str) -> String {
    pointer.split('/').map(tokens).collect::<Vec<_>>().join("/")
}

/// A text without the tokens of well-known services, the passwords of URLs and the bodies of keys.
pub(super) fn tokens(text: &str) -> String {
    let mut masked = text.as_bytes().to_vec();
    let bytes = text.as_bytes();
    let in_token =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=');
    let mut at = 0;
    while at < bytes.len() {
        if !in_token(bytes[at]) {
            at += 1;
            continue;
        }
        let end = run(bytes, at, in_token);
        let announced = SCHEMES.iter().any(|scheme| text[..at].ends_with(scheme))
            && end - at >= 8
            && bytes[at..end].iter().any(u8::is_ascii_digit);
        let starts = |from: &usize| {
            let apart = *from == at || !bytes[*from - 1].is_ascii_alphanumeric();
            apart && text.get(*from..end).is_some_and(starts_a_token)
        };
        if announced {
            hide(&mut masked, at, end);
        } else if let Some(from) = (at..end).find(starts) {
            hide(&mut masked, from, end);
        }
        at = end;
    }
    for (at, mark) in text.match_indices("://") {
        let rest = &text[at + mark.len()..];
        let over =
            |char: char| matches!(char, '/' | '?' | '#' | '"' | '\'' | '<' | '>') || char.is_whitespace();
        let authority = &rest[..rest.find(over).unwrap_or(rest.len())];
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some(colon) = user.find(':')
        {
            let start = at + mark.len();
            hide(&mut masked, start + colon + 1, start + user.len());
        }
    }
    for webhook in WEBHOOKS {
        for (at, webhook) in text.match_indices(webhook) {
            let at = at + webhook.len();
            let over = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'<' | b'>');
            hide(&mut masked, at, run(bytes, at, over));
        }
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("-----BEGIN ").map(|at| from + at) {
        // without an end it is the line, and its Base64 is known by itself
        let end =
            text[at..].find("-----END ").or_else(|| text[at..].find('\n')).map_or(text.len(), |end| at + end);
        for line in at..end {
            if !matches!(bytes[line], b'\n' | b'\r') {
                masked[line] = b'*';
            }
        }
        if !text[at..end].contains('\n') && !text[end..].starts_with("-----END ") {
            break; // there is no end further on either
        }
        from = end;
    }
    String::from_utf8(masked).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each text shows what is left of it, in as many bytes.
    fn shows(cases: &[(&str, &str)]) {
        for (given, expected) in cases {
            assert_eq!(text(given, &[]), *expected);
            assert_eq!(text(given, &[]).len(), given.len());
        }
    }

    #[test]
    fn values_of_credentials_are_hidden_byte_for_byte() {
        shows(&[
            ("  password: hunter2", "  password: *******"),
            ("password: 918273645", "password: *********"),
            ("password: abc,def}g", "password: *********"),
            ("db_passwd = \"a b\" # x", "db_passwd = \"***\" # x"),
            ("pwd: x1 # retrylint: ignore", "pwd: ** # retrylint: ignore"),
            ("{\"apiKey\": \"abc\", \"retries\": 3}", "{\"apiKey\": \"***\", \"retries\": 3}"),
            ("- DB_PASSWORD=pässword", "- DB_PASSWORD=*********"),
            ("- \"DB_PASSWORD=a,b\" # c", "- \"DB_PASSWORD=***\" # c"),
            ("retry: { client-secret: x, max: 3 }", "retry: { client-secret: *, max: 3 }"),
            ("h: \"Authorization: Basic ab, c\", \"x\"", "h: \"Authorization: ***********\", \"x\""),
        ]);
    }

    #[test]
    fn words_options_and_queries_are_known_as_well() {
        shows(&[
            ("DB_PASS: ab", "DB_PASS: **"),
            ("db: { user: u, pass: ab }", "db: { user: u, pass: ** }"),
            ("user_pw: ab", "user_pw: **"),
            ("auth:\n  basic: ab", "auth:\n  basic: **"),
            ("auth_header: ab", "auth_header: **"),
            ("u: \"https://x/c?sv=1&sig=ab\"", "u: \"https://x/c?sv=1&sig=**\""),
            ("u: \"https://x/c?code=ab\"", "u: \"https://x/c?code=**\""),
            ("h: https://hooks.slack.com/services/T0/B0/X", "h: https://hooks.slack.com/services/*******"),
            ("cmd: \"run --password ab -v\"", "cmd: \"run --password ** -v\""),
            ("args: [\"--api-key\", \"ab\", \"-v\"]", "args: [\"--api-key\", \"**\", \"-v\"]"),
            ("cmd: curl -u user:ab x", "cmd: curl -u user:** x"),
            ("# old key a1b2c3d4e5", "# old key **********"),
            ("# token a1b2c3d4e5", "# token **********"),
            ("max: 3 # the password is ab, and 5", "max: 3 # the password is *** and 5"),
            ("// old pw ab", "// old pw **"),
            ("cmd: mysql -h db -pab -u root x", "cmd: mysql -h db -p** -u root x"),
            ("cmd: mysql -p ab", "cmd: mysql -p **"),
            ("cmd: redis-cli -a ab ping", "cmd: redis-cli -a ** ping"),
            ("args: [\"-pAb1\", \"-port\", \"-p8080\"]", "args: [\"-p***\", \"-port\", \"-p8080\"]"),
            ("cmd: curl --user u:ab x", "cmd: curl --user u:** x"),
            ("run: PGPASSWORD=ab psql", "run: PGPASSWORD=*******"),
            ("- --password\n- ab\n- c", "- --password\n- **\n- c"),
            ("[\n \"--token\",\n \"ab\"\n]", "[\n \"--token\",\n \"**\"\n]"),
            ("dsn_x: app:ab@tcp(db)/x", "dsn_x: ****************"),
            ("addr: app:ab@tcp(db)/x", "addr: app:**@tcp(db)/x"),
            ("url: db/${DB_PASS:-ab}/x", "url: db/${DB_PASS:***}/x"),
            ("wait: ${PAUSE:a b!} # c", "wait: ${PAUSE:****} # c"),
            ("wait: ${PAUSE:5s}, ${URL:http://x:8080/y}", "wait: ${PAUSE:5s}, ${URL:http://x:8080/y}"),
            ("licence: q7Xz0pL2mN8vB4kRt5Yw", "licence: ********************"),
            ("{\"passw\\u006frd\": \"ab\"}", "{\"passw\\u006frd\": \"**\"}"),
            ("Variables: { K: ab }", "Variables: { K: ** }"),
            ("kind: Secret\ndata:\n  k: ab", "kind: Secret\ndata:\n  k: **"),
            ("stringData:\n  a.yml: |\n    note: ab", "stringData:\n  a.yml: *\n    note: **"),
        ]);
        for text in [
            "pass_timeout: 3s",
            "bypass: true",
            "certain: x",
            "key: name",
            "the key is here",
            "data:\n  k: ab",
        ] {
            assert_eq!(super::text(text, &[]), text);
        }
    }

    #[test]
    fn what_only_speaks_about_a_credential_stays() {
        for text in [
            "maxTokens: 10",
            "tokenRatio: 0.1",
            "password_retries: 3",
            "secretName: shop-tls",
            "secretKeyRef: { name: shop, key: db }",
            "tokenBucket: { maxTokens: 4 }",
            "password: null",
            "retries: 3",
            "name: payments\nvalue: 3s",
        ] {
            assert_eq!(super::text(text, &[]), text);
        }
    }

    #[test]
    fn values_that_go_on_below_their_key_are_hidden_and_what_follows_is_not() {
        shows(&[
            ("token: |\n  ab cd\n\n  12\nretries: 3", "token: |\n  ** **\n\n  **\nretries: 3"),
            ("password:\r\n  hunter2\r\nretries: 3", "password:\r\n  *******\r\nretries: 3"),
            ("- password:\n    ab\n  retries: 3", "- password:\n    **\n  retries: 3"),
            ("tokens:\n- ab\n- cd\nretries: 3", "tokens:\n- **\n- **\nretries: 3"),
            ("secrets:\n  db: ab\n  wait: 30s\nx: y", "secrets:\n  db: **\n  wait: 30s\nx: y"),
            ("token = \"\"\"ab\ncd\"\"\"\nmax = 3", "token = \"\"\"**\n**\"\"\"\nmax = 3"),
            ("tokens = [\n \"a]b\", 12,\n]\nmax = 3", "tokens = [\n \"*]*\", **,\n]\nmax = 3"),
            (
                "{\"secrets\": {\n \"db\": \"ab\"\n}, \"max\": 3}",
                "{\"secrets\": {\n \"db\": \"**\"\n}, \"max\": 3}",
            ),
            ("[credentials]\ndb = \"ab\"\n[x]\ny = \"z\"", "[credentials]\ndb = \"**\"\n[x]\ny = \"z\""),
        ]);
    }

    #[test]
    fn the_value_of_a_variable_that_is_named_beside_it_is_hidden() {
        shows(&[
            ("- name: DB_PASSWORD\n  value: ab", "- name: DB_PASSWORD\n  value: **"),
            ("- name: LOG_LEVEL\n  value: ab", "- name: LOG_LEVEL\n  value: ab"),
            (
                "{\"name\": \"A_SECRET\",\n \"value\": \"ab\"}",
                "{\"name\": \"A_SECRET\",\n \"value\": \"**\"}",
            ),
            ("{name: A_TOKEN, value: ab}", "{name: A_TOKEN, value: **}"),
            ("ParameterKey: DbPassword\nParameterValue: ab", "ParameterKey: DbPassword\nParameterValue: **"),
        ]);
    }

    #[test]
    fn tokens_and_passwords_of_urls_are_hidden_anywhere() {
        assert_eq!(tokens("url = postgres://app:s3cret@db/x"), "url = postgres://app:******@db/x");
        assert_eq!(tokens("redis://:ab@h:1 b://c:d@e"), "redis://:**@h:1 b://c:*@e");
        let key = ["AKIA", "ABCDEFGHIJKLMNOP"].concat();
        assert_eq!(tokens(&format!("x {key} y")), format!("x {} y", "*".repeat(20)));
        assert_eq!(tokens("https://example.com/a:b@c"), "https://example.com/a:b@c");
        assert_eq!(tokens("Bearer abcdefg1 Basic authentication"), "Bearer ******** Basic authentication");
    }

    #[test]
    fn bodies_of_keys_are_hidden() {
        let line = "  MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ==";
        assert_eq!(text(line, &[]), format!("  {}", "*".repeat(line.len() - 2)));
        let key = "a\n-----BEGIN KEY-----\nab\n-----END KEY-----\nb";
        assert_eq!(tokens(key), format!("a\n{}\n**\n-----END KEY-----\nb", "*".repeat(19)));
    }

    #[test]
    fn a_megabyte_in_one_line_takes_no_longer_for_being_odd() {
        for odd in [
            "a:",
            "sk-",
            "eyJ",
            "://",
            "name:",
            "token:",
            "-----BEGIN ",
            "a b ",
            "[",
            "\"",
            "token=\\",
            "x://a@",
            "token/",
            "--token ",
            "key,",
            "?sig=&",
            "${a:b!",
            "${a:b!}",
            "-p ",
            "mysql -p",
            "u:p@",
            "[-p",
            "# pw ",
        ] {
            let text = odd.repeat(1_000_000 / odd.len());
            assert_eq!(super::text(&text, &[]).len(), text.len());
        }
    }

    proptest! {
        #[test]
        fn bytes_stay_or_become_stars(
            text in r#"((password|tokens|name|value|[a-zé]{1,3}|secrets)|[:= \n\r\t"'\\\[\]{}|,#-]|\PC)*"#
        ) {
            for masked in [super::text(&text, &[]), tokens(&text)] {
                prop_assert_eq!(masked.len(), text.len());
                prop_assert!(masked.bytes().zip(text.bytes()).all(|(new, old)| new == old || new == b'*'));
                prop_assert_eq!(masked.lines().count(), text.lines().count());
            }
        }
    }
}
