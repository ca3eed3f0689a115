//! Where a service says that its calls go.

use super::names;
use crate::document::{Kind, Node};
use crate::model::{Name, Reference, link};

/// Keys whose value is where calls go, as words of a key in snake case.
const ADDRESSES: &[&str] = &[
    "url",
    "uri",
    "base_url",
    "base_uri",
    "endpoint",
    "address",
    "addr",
    "host",
    "hostname",
    "upstream",
    "target",
    "server_url",
    "service_url",
    "authority",
];

/// The hosts that a table names.
pub(super) fn hosts(table: Node<'_>) -> Vec<Reference> {
    let entries = table.entries().filter(|child| child.kind() == Kind::String);
    let named = entries.filter(|child| ADDRESSES.contains(&names::snake(child.key()).as_str()));
    let found = named.filter_map(|child| {
        let name = Name::Host(link::host(child.text()?)?);
        Some(Reference { name, place: child.place() })
    });
    found.collect()
}
