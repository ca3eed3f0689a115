//! Kubernetes objects: apiVersion, kind and metadata, alone or in a list of objects.

use crate::document::{Document, Format, Kind, Node};

/// An object of a Kubernetes API.
#[derive(Clone, Copy)]
pub struct Object<'d> {
    /// The whole object.
    pub node: Node<'d>,
    /// API group; "" for the core group.
    pub group: &'d str,
    /// Its kind.
    pub kind: &'d str,
}

impl<'d> Object<'d> {
    /// The object that a mapping is, if it is one.
    pub fn of(node: Node<'d>) -> Option<Self> {
        let version = node.get("apiVersion")?.string()?;
        let kind = node.get("kind")?.string()?;
        let group = version.split_once('/').map_or("", |(group, _)| group);
        Some(Self { node, group, kind })
    }

    /// `metadata.namespace`, where it is written.
    pub fn namespace(self) -> Option<&'d str> {
        self.node.path(["metadata", "namespace"])?.text()
    }

    /// `metadata.name`, or what a generated name starts with.
    pub fn name(self) -> &'d str {
        let metadata = self.node.get("metadata");
        let named = |key| metadata.and_then(|metadata| metadata.get(key)).and_then(Node::text);
        named("name")
            .or_else(|| named("generateName").map(|name| name.trim_end_matches('-')))
            .unwrap_or(self.kind)
    }
}

/// The objects of a document: itself, or the items of a `List`.
pub fn objects<'d>(document: &'d Document<'_>) -> Vec<Object<'d>> {
    let Some(outer) = Object::of(document.root()) else { return Vec::new() };
    if !outer.kind.ends_with("List") {
        return vec![outer];
    }
    let items = outer.node.get("items").into_iter().flat_map(Node::items);
    items.filter_map(Object::of).collect()
}

/// The kind of objects that hold files.
const CONFIG_MAP: &str = "ConfigMap";

/// Whether an object is the schema of others, by its kind as it is written.
pub fn is_definition(kind: &str) -> bool {
    kind.trim_matches(['"', '\'', ',']) == "CustomResourceDefinition"
}

/// Whether an object may have config files, or objects that have them, by its kind as it is written.
pub fn may_hold_files(kind: &str) -> bool {
    let word = kind.trim_matches(|char: char| !char.is_ascii_alphanumeric());
    let plain = !word.is_empty() && word.chars().all(|char| char.is_ascii_alphanumeric());
    !plain || word == CONFIG_MAP || word.ends_with("List")
}

/// The texts of a ConfigMap that are config files, each under its file name. Those of a Secret are nobody's
/// business, and a finding would show parts of them.
pub fn config_files<'d>(document: &'d Document<'_>) -> impl Iterator<Item = Node<'d>> {
    let texts = |object: Object<'d>| match (object.group, object.kind) {
        ("", CONFIG_MAP) => object.node.get("data"),
        _ => None,
    };
    let held = objects(document).into_iter().filter_map(texts).flat_map(Node::entries);
    held.filter(|text| text.kind() == Kind::String && Format::is_config(text.key()))
}
