//! Failures that cannot succeed later, and calls that are not safe to repeat.

use crate::document::{Kind, Node};
use crate::model::Repeated;

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

/// HTTP methods that a second call does not leave as the first one did (RFC 9110, section 9.2.2).
const UNSAFE_METHODS: &[&str] = &["POST", "PATCH"];

/// Which of the words of a list, or of a text with commas, are in a table.
fn among(list: Node<'_>, table: impl Fn(&str) -> bool) -> Vec<String> {
    let text = list.text().unwrap_or_default();
    let items = list.items().filter_map(Node::text).chain(text.split(','));
    items.map(str::trim).filter(|word| !word.is_empty() && table(word)).map(str::to_string).collect()
}

fn repeated(list: Node<'_>, permanent: Vec<String>, ambiguous: Vec<String>) -> Option<Repeated> {
    let any = !permanent.is_empty() || !ambiguous.is_empty();
    any.then(|| Repeated { place: list.key_place(), pointer: list.pointer(), permanent, ambiguous })
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
    repeated(list, among(list, permanent), Vec::new())
}

/// gRPC codes that are retried, by name or number; `names` are all of them in their order.
pub fn codes(list: Node<'_>, names: &[&str]) -> Option<Repeated> {
    let name = |word: &str| match word.parse::<usize>() {
        Ok(number) => names.get(number).copied().unwrap_or_default().to_string(),
        Err(_) => word.to_string(),
    };
    let permanent = among(list, |word| PERMANENT_CODES.contains(&name(word).as_str()));
    let ambiguous = among(list, |word| AMBIGUOUS_CODES.contains(&name(word).as_str()));
    repeated(list, permanent, ambiguous)
}

/// Names of errors that are retried, of which the table holds those that cannot succeed later.
pub fn errors(list: Node<'_>, permanent: &[&str]) -> Option<Repeated> {
    repeated(list, among(list, |word| permanent.contains(&word)), Vec::new())
}

/// Classes of errors that are retried.
pub fn classes(list: Node<'_>, permanent: impl Fn(&str) -> bool) -> Option<Repeated> {
    repeated(list, among(list, permanent), Vec::new())
}

/// HTTP methods that are retried.
pub fn methods(list: Node<'_>) -> Option<Repeated> {
    let listed = list.kind() == Kind::List || list.text().is_some();
    let unsafe_ones = |word: &str| UNSAFE_METHODS.contains(&word.to_ascii_uppercase().as_str());
    listed.then(|| repeated(list, Vec::new(), among(list, unsafe_ones)))?
}
