//! Failures that cannot succeed later, and calls that are not safe to repeat.

use crate::document::{Kind, Node};
use crate::model::{Methods, Repeated, is_unsafe};

/// HTTP statuses that say the same again to the same request; 408, 425 and 429 are not among them
/// (RFC 9110, section 15.5).
const PERMANENT_STATUSES: &[&str] = &["400", "401", "403", "404", "405", "409", "410", "413", "422"];

/// gRPC's codes that say the same again to the same call (grpc/grpc doc/statuscodes.md).
const PERMANENT_CODES: &[&str] = &[
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "FAILED_PRECONDITION",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "UNAUTHENTICATED",
];

/// What services call such failures, in lower case and without `_`, `-` and the ending "Error" or "Exception".
const PERMANENT_NAMES: &[&str] = &[
    "validation",
    "badrequest",
    "unauthorized",
    "forbidden",
    "accessdenied",
    "notfound",
    "invalidargument",
    "permissiondenied",
    "unauthenticated",
];

/// gRPC's codes that leave open whether the call was carried out.
const AMBIGUOUS_CODES: &[&str] =
    &["CANCELLED", "UNKNOWN", "DEADLINE_EXCEEDED", "ABORTED", "INTERNAL", "DATA_LOSS"];

/// HTTP statuses that a server or a proxy before it answers with whether the call was carried out or not
/// (RFC 9110, section 15.6).
const UNCLEAR_STATUSES: &[&str] = &["500", "502", "503", "504"];

/// Which of the words of a list, or of a text with commas, are in a table.
fn among(list: Node<'_>, table: impl Fn(&str) -> bool) -> Vec<String> {
    let text = list.text().unwrap_or_default();
    let items = list.items().filter_map(Node::text).chain(text.split(','));
    items.map(str::trim).filter(|word| !word.is_empty() && table(word)).map(str::to_string).collect()
}

fn repeated(list: Node<'_>, found: Repeated) -> Option<Repeated> {
    let any = [&found.permanent, &found.ambiguous, &found.unclear].iter().any(|words| !words.is_empty());
    any.then(|| Repeated { place: list.key_place(), pointer: list.pointer(), ..found })
}

/// HTTP statuses or names of errors that are retried.
pub fn statuses(list: Node<'_>) -> Option<Repeated> {
    let permanent = |word: &str| {
        let code = word.to_ascii_uppercase();
        let name = word.replace(['_', '-'], "").to_ascii_lowercase();
        let name = name.strip_suffix("error").or(name.strip_suffix("exception")).unwrap_or(&name);
        PERMANENT_STATUSES.contains(&word)
            || PERMANENT_CODES.contains(&code.as_str())
            || PERMANENT_NAMES.contains(&name)
    };
    let unclear = among(list, |word| UNCLEAR_STATUSES.contains(&word));
    repeated(list, Repeated { permanent: among(list, permanent), unclear, ..Repeated::default() })
}

/// Conditions that are retried, of which the table holds those that leave open whether the call was carried out.
pub fn conditions(list: Node<'_>, unclear: &[&str]) -> Option<Repeated> {
    let unclear = among(list, |word| unclear.contains(&word));
    repeated(list, Repeated { unclear, ..Repeated::default() })
}

/// gRPC codes that are retried, by name or number; `names` are all of them in their order.
pub fn codes(list: Node<'_>, names: &[&str]) -> Option<Repeated> {
    let name = |word: &str| match word.parse::<usize>() {
        Ok(number) => names.get(number).copied().unwrap_or_default().to_string(),
        Err(_) => word.to_string(),
    };
    let permanent = among(list, |word| PERMANENT_CODES.contains(&name(word).as_str()));
    let ambiguous = among(list, |word| AMBIGUOUS_CODES.contains(&name(word).as_str()));
    repeated(list, Repeated { permanent, ambiguous, ..Repeated::default() })
}

/// Names of errors that are retried, of which the table holds those that cannot succeed later.
pub fn errors(list: Node<'_>, permanent: &[&str]) -> Option<Repeated> {
    classes(list, |word| permanent.contains(&word))
}

/// Classes of errors that are retried.
pub fn classes(list: Node<'_>, permanent: impl Fn(&str) -> bool) -> Option<Repeated> {
    repeated(list, Repeated { permanent: among(list, permanent), ..Repeated::default() })
}

/// HTTP methods that are retried.
pub fn methods(list: Node<'_>) -> Option<Repeated> {
    let listed = list.kind() == Kind::List || list.text().is_some();
    listed.then(|| repeated(list, Repeated { ambiguous: among(list, is_unsafe), ..Repeated::default() }))?
}

/// The methods that the matchers of a request name, each by its value: a method, or a regular expression
/// that is nothing but some of them (`^(POST|PUT)$`). None where they name none.
pub fn matched_methods<'d>(values: impl Iterator<Item = Node<'d>>) -> Option<Methods> {
    let mut found: Option<Methods> = None;
    for node in values {
        let text = node.text().unwrap_or_default().trim_start_matches('^').trim_end_matches('$');
        let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
        let words: Vec<_> = text.split('|').collect();
        if words.iter().all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase())) {
            let named = words.into_iter().map(str::to_string);
            found
                .get_or_insert_with(|| Methods { place: node.place(), named: Vec::new() })
                .named
                .extend(named);
        }
    }
    found
}
