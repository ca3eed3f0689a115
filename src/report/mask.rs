//! Secrets in what is shown: values of keys that look like credentials, texts that look like tokens, and
//! passwords in URLs. A mask has as many bytes as what it hides, so that places stay right.

/// Parts of keys (in lower case, without `-` and `_`) whose values are never shown.
const CREDENTIALS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "authkey",
    "sharedkey",
    "accountkey",
    "credential",
    "authorization",
    "bearer",
    "connectionstring",
    "connstr",
    "dsn",
    "cookie",
    "sessionkey",
    "sastoken",
    "webhookurl",
    "licensekey",
    "salt",
];

/// How tokens of well-known services start, and how long they are at least.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("sk-", 30),
    ("npm_", 30),
    ("pypi-", 30),
    ("hvs.", 20),
    ("dop_v1_", 40),
    ("SG.", 40),
    ("eyJ", 40),
    ("-----BEGIN ", 15),
];

/// A line of a config without its secrets; `before` is the line above it, which may name the variable
/// whose value this one is.
pub(super) fn line(line: &str, before: &str) -> String {
    let mut bytes = tokens(line).into_bytes();
    for (key, value) in values(line) {
        let named = before.trim_start().trim_start_matches("- ").starts_with("name") && is_credential(before);
        if is_credential(&line[key.0..key.1]) || key_is(line, key, "value") && named {
            bytes[value.0..value.1].fill(b'*');
        }
    }
    if is_key_material(line.trim()) {
        let start = line.len() - line.trim_start().len();
        bytes[start..].fill(b'*');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn key_is(line: &str, key: (usize, usize), name: &str) -> bool {
    line[key.0..key.1].eq_ignore_ascii_case(name)
}

fn is_credential(key: &str) -> bool {
    let plain: String =
        key.chars().filter(|char| !matches!(char, '-' | '_' | '.')).collect::<String>().to_ascii_lowercase();
    CREDENTIALS.iter().any(|word| plain.contains(word))
}

/// A line of Base64 as keys and certificates have it.
fn is_key_material(line: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mixed =
        line.bytes().any(|byte| byte.is_ascii_digit()) && line.bytes().any(|byte| byte.is_ascii_uppercase());
    line.len() >= 40 && line.bytes().all(base64) && mixed
}

type Range = (usize, usize);

/// The keys of a line and their values, without quotes; numbers, truth values and nothing are no secrets.
fn values(line: &str) -> Vec<(Range, Range)> {
    let bytes = line.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_name(bytes[at]) {
            at += 1;
            continue;
        }
        let key = (at, (at..bytes.len()).find(|end| !is_name(bytes[*end])).unwrap_or(bytes.len()));
        at = key.1;
        let mut mark = key.1;
        while matches!(bytes.get(mark), Some(b'"' | b'\'' | b' ' | b'\t')) {
            mark += 1;
        }
        if !matches!(bytes.get(mark), Some(b':' | b'=')) {
            continue;
        }
        let mut start = mark + 1;
        while matches!(bytes.get(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        let value = value(bytes, start);
        let text = line.get(value.0..value.1).unwrap_or_default();
        let harmless =
            text.parse::<f64>().is_ok() || matches!(text, "" | "true" | "false" | "null" | "~" | "|" | ">");
        if !harmless && !text.starts_with(['{', '[']) {
            found.push((key, value));
            if is_credential(&line[key.0..key.1]) {
                at = value.1;
            }
        }
    }
    found
}

fn value(bytes: &[u8], start: usize) -> Range {
    match bytes.get(start) {
        Some(quote @ (b'"' | b'\'')) => {
            let mut end = start + 1;
            while end < bytes.len() && bytes[end] != *quote {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            (start + 1, end.min(bytes.len()))
        }
        _ => {
            let stops = |end: &usize| {
                matches!(bytes[*end], b',' | b'}' | b']' | b'\r')
                    || bytes[*end] == b'#' && *end > 0 && bytes[*end - 1] == b' '
            };
            let end = (start..bytes.len()).find(stops).unwrap_or(bytes.len());
            (start.min(end), end)
        }
    }
}

/// A text without the tokens of well-known services and the passwords of URLs.
pub(super) fn tokens(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let in_token =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=');
    for (start, least) in TOKENS {
        for (at, _) in text.match_indices(start) {
            let inside = at > 0 && text.as_bytes()[at - 1].is_ascii_alphanumeric();
            let end = text.as_bytes()[at..]
                .iter()
                .position(|byte| !in_token(*byte))
                .map_or(text.len(), |end| at + end);
            let end = if start.starts_with("-----") { text.len() } else { end };
            if !inside && end - at >= *least {
                bytes[at..end].fill(b'*');
            }
        }
    }
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let rest = &text[start..];
        let authority = &rest[..rest.find(['/', '?', '#', ' ', '"', '\'']).unwrap_or(rest.len())];
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some(colon) = user.find(':')
        {
            bytes[start + colon + 1..start + user.len()].fill(b'*');
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_credentials_are_hidden_byte_for_byte() {
        for (line, expected) in [
            ("  password: hunter2", "  password: *******"),
            ("db_passwd = \"a b\" # x", "db_passwd = \"***\" # x"),
            ("{\"apiKey\": \"abc\", \"retries\": 3}", "{\"apiKey\": \"***\", \"retries\": 3}"),
            ("- DB_PASSWORD=pässword", "- DB_PASSWORD=*********"),
            ("retry: { client-secret: x, max: 3 }", "retry: { client-secret: *, max: 3 }"),
            ("maxTokens: 10", "maxTokens: 10"),
            ("retries: 3", "retries: 3"),
        ] {
            assert_eq!(super::line(line, ""), expected);
            assert_eq!(super::line(line, "").len(), line.len());
        }
    }

    #[test]
    fn the_value_of_a_variable_that_is_named_above_is_hidden() {
        assert_eq!(super::line("    value: hunter2", "  - name: DB_PASSWORD"), "    value: *******");
        assert_eq!(super::line("    value: plain", "  - name: LOG_LEVEL"), "    value: plain");
    }

    #[test]
    fn tokens_and_passwords_of_urls_are_hidden_anywhere() {
        assert_eq!(tokens("url = postgres://app:s3cret@db/x"), "url = postgres://app:******@db/x");
        let key = ["AKIA", "ABCDEFGHIJKLMNOP"].concat();
        assert_eq!(tokens(&format!("x {key} y")), format!("x {} y", "*".repeat(20)));
        assert_eq!(tokens("https://example.com/a:b@c"), "https://example.com/a:b@c");
    }

    #[test]
    fn lines_of_keys_are_hidden() {
        let line = "  MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ==";
        assert_eq!(super::line(line, ""), format!("  {}", "*".repeat(line.len() - 2)));
    }
}
