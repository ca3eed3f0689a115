//! "Did you mean": the known word that is nearest to a wrong one.

use crate::model::{nearest, secret};

/// What is said of a word that is not known.
pub(crate) fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    let shown = match secret::is_plain("", wrong) {
        true => format!("there is no {what} `{wrong}`"),
        false => format!("{} is no {what}", secret::echo("", wrong)),
    };
    match nearest(wrong, known) {
        Some(word) => format!("{shown}; did you mean `{word}`?"),
        None => format!("{shown}; there are {}", known.join(", ")),
    }
}
