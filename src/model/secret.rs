//! What is not to be shown: keys whose values are credentials, texts that look like tokens, and how much of a value
//! a message may repeat.

use std::borrow::Cow;

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
    "stringdata",
];

/// Words of keys, each as a whole, that say the same.
const WORDS: &[&str] = &[
    "pass",
    "pw",
    "auth",
    "basic",
    "pat",
    "otp",
    "pin",
    "pem",
    "cert",
    "sig",
    "signature",
    "signing",
    "session",
    "psk",
    "passcode",
];

/// Last words of keys that only speak about a credential: where it is, how long it lives, how it is used.
const ABOUT: &[&str] = &[
    "name",
    "file",
    "path",
    "ref",
    "ttl",
    "timeout",
    "ratio",
    "count",
    "limit",
    "length",
    "type",
    "expiry",
    "seconds",
    "secs",
    "ms",
    "attempts",
    "retries",
    "retry",
    "enabled",
    "required",
    "algorithm",
    "bucket",
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
];

/// The longest word that a message repeats, in characters.
const LONGEST: usize = 32;
/// The longest amount with a sign, a blank or the like in it.
const LONGEST_AMOUNT: usize = 16;
/// Shorter words are not told from names by how random they look.
const SHORTEST_TOKEN: usize = 16;
/// The same where nothing else speaks for a secret.
const SHORTEST_MIX: usize = 20;

/// A value as a message may repeat it: as it is, or "a text of 12 characters" where it may be more than it is
/// expected to be. Where it is not repeated, the line that it stands in must not show it either.
pub fn echo<'t>(key: &str, text: &'t str) -> Cow<'t, str> {
    if is_plain(key, text) {
        return text.into();
    }
    match text.chars().count() {
        1 => "a text of 1 character".into(),
        count => format!("a text of {count} characters").into(),
    }
}

/// The same within marks: `` `soon` ``, or a text of 12 characters.
pub fn quoted(mark: char, key: &str, text: &str) -> String {
    if is_plain(key, text) { format!("{mark}{text}{mark}") } else { echo(key, text).into_owned() }
}

/// Whether a value may be repeated: short words, names or amounts with commas between them, none of them a token,
/// under a key that is for none.
pub fn is_plain(key: &str, text: &str) -> bool {
    !is_credential(key) && text.split(',').all(|part| is_plain_word(part.trim()))
}

fn is_plain_word(text: &str) -> bool {
    let within = |longest| text.chars().nth(longest).is_none();
    let word = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '/');
    let amount = |char: char| word(char) || matches!(char, '+' | '%' | ' ');
    let number = text.trim_start_matches(['+', '-', '.']).starts_with(|char: char| char.is_ascii_digit());
    let plain = within(LONGEST) && text.chars().all(word)
        || number && within(LONGEST_AMOUNT) && text.chars().all(amount);
    plain && !is_token(text)
}

/// Whether a word is a token of a well-known service, or looks random: letters and digits by turns.
pub fn is_token(word: &str) -> bool {
    starts_a_token(word) || word.len() >= SHORTEST_TOKEN && is_random(word)
}

/// Whether a word starts as tokens of well-known services do, and is long enough for one.
pub fn starts_a_token(word: &str) -> bool {
    TOKENS.iter().any(|(start, least)| word.starts_with(start) && word.len() >= *least)
}

/// Whether a long word has letters in both cases and digits by turns: a key in Base64, not a hash or a name.
pub fn is_random_mix(word: &str) -> bool {
    let has = |of: fn(&u8) -> bool| word.bytes().filter(of).count() >= 2;
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    word.len() >= SHORTEST_MIX && mixed && is_random(word)
}

/// Whether letters and digits change places as often as only chance has it.
fn is_random(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'a'..=b'z' => Some(1),
        b'A'..=b'Z' => Some(2),
        _ => None,
    };
    let changes = |two: &&[u8]| match (class(two[0]), class(two[1])) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    let bytes = word.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let changes = bytes.windows(2).filter(changes).count();
    digits >= 2 && letters >= 4 && 5 * changes >= 2 * bytes.len()
}

/// A key in lower case, without what stands between its words.
pub fn plain(key: &str) -> String {
    let kept = key.chars().filter(|char| !matches!(char, '-' | '_' | '.'));
    kept.collect::<String>().to_ascii_lowercase()
}

/// Whether the values of a key are never shown.
pub fn is_credential(key: &str) -> bool {
    let plain = plain(key);
    let word = |word: &str| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let says = CREDENTIALS.iter().any(|word| plain.contains(word))
        || key.split(['_', '-', '.']).any(word)
        || word(&last_word(key));
    says && !ABOUT.contains(&last_word(key).as_str())
}

/// The last word of a key in any spelling, in lower case: "ref" of `secretKeyRef`.
pub fn last_word(key: &str) -> String {
    let word = key.rsplit(['_', '-', '.']).next().unwrap_or(key);
    let capital = word.char_indices().rev().find(|(at, char)| {
        char.is_ascii_uppercase() && *at > 0 && word.as_bytes()[at - 1].is_ascii_lowercase()
    });
    word[capital.map_or(0, |(at, _)| at)..].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_amounts_are_repeated_and_what_may_be_a_secret_is_counted() {
        for text in [
            "",
            "soon",
            "250ms",
            "1.5 s",
            "-1",
            "50%",
            "gateway-eror",
            "States.Timeout",
            "a/b_c",
            "3,5",
            "5xx, reset",
        ] {
            assert_eq!(echo("deadline", text), text);
        }
        for (key, text, told) in [
            ("deadline", "a b", "a text of 3 characters"),
            ("deadline", "é!", "a text of 2 characters"),
            ("deadline", "!", "a text of 1 character"),
            ("deadline", "user:pass", "a text of 9 characters"),
            ("deadline", "hunter2hunter2hunter2hunter2hunter2", "a text of 35 characters"),
            ("deadline", "q7Xz0pL2mN8vB4kR", "a text of 16 characters"),
            ("deadline", "9f86d081884c7d659a2f", "a text of 20 characters"),
            ("api_key", "soon", "a text of 4 characters"),
        ] {
            assert_eq!(echo(key, text), told);
        }
        assert_eq!(
            (quoted('`', "a", "b").as_str(), quoted('`', "a", "b c").as_str()),
            ("`b`", "a text of 3 characters")
        );
    }

    #[test]
    fn names_are_no_tokens() {
        for name in ["connect-failure", "Http2ConnectionPoolSettings", "2024-01-01T00:00:00Z"] {
            assert!(!is_token(name), "{name}");
        }
    }
}
