//! "Did you mean": the known word that is nearest to a wrong one.

use crate::model::nearest;

/// What is said of a word that is not known.
pub(crate) fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known) {
        Some(word) => format!("there is no {what} `{wrong}`; did you mean `{word}`?"),
        None => format!("there is no {what} `{wrong}`; there are {}", known.join(", ")),
    }
}
