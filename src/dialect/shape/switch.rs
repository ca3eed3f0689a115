//! How a setting that is off or absent is turned on.

use super::placeholder;
use crate::document::{Kind, Node};
use crate::model::Switch;

/// The switch of a setting that is written, or of one that is to stand beside another as `key`. None where
/// neither of them is a plain value.
pub fn switch(
    written: Option<Node<'_>>,
    beside: Option<Node<'_>>,
    key: impl Into<String>,
    word: &'static str,
) -> Option<Switch> {
    match written {
        Some(node) => {
            let plain =
                node.tag().is_none() && node.text().is_some_and(|text| placeholder::read(text).is_none());
            plain.then(|| Switch { place: node.place(), key: None, word })
        }
        None => beside.map(|node| Switch { place: node.place(), key: Some(key.into()), word }),
    }
}

/// The last value of a mapping that is neither a list nor a mapping.
pub fn last_scalar(block: Node<'_>) -> Option<Node<'_>> {
    block.entries().filter(|node| !matches!(node.kind(), Kind::List | Kind::Map | Kind::Null)).last()
}
