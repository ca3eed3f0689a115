//! One file for each system: which documents are its own, and what they say.

/// Libraries of calling services.
mod library {
    pub mod grpc_service_config;
    pub mod resilience4j;
}
/// Proxies, gateways and meshes.
mod proxy {
    pub mod envoy;
    pub mod istio;
}
/// Functions, their queues and events.
mod serverless {
    pub mod aws_cloudformation;
}
/// Shippers of logs and metrics.
mod telemetry {
    pub mod vector;
}
/// Workflow engines and batch jobs.
mod workflow {
    pub mod argo_workflows;
    pub mod aws_step_functions;
    pub mod kubernetes_jobs;
}
mod foreign;
mod generic;
mod shape;

use crate::document::{Comment, Document, Node, Parsed};
use crate::model::{Facts, annotation};
use crate::source::prefilter::Prefilter;
use std::sync::LazyLock;

/// How a system's configuration is read.
pub struct Dialect {
    /// Kebab-case name, the only one it has.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The files it reads, in a line.
    pub reads: &'static str,
    /// Byte strings (lower case) of which each document that matters holds at least one, whatever the case.
    pub markers: &'static [&'static str],
    /// Takes what a document says into the facts, and tells whether the document is the system's own.
    read: fn(&Document<'_>, &File<'_>, &mut Facts) -> bool,
}

/// What stands around a document.
struct File<'d> {
    /// The file's path.
    path: &'d str,
    /// All documents of the file.
    documents: &'d [Document<'d>],
    /// All comments of the file, in order.
    comments: &'d [Comment],
}

/// The systems with a language of their own.
const SYSTEMS: &[Dialect] = &[
    proxy::envoy::DIALECT,
    proxy::istio::DIALECT,
    serverless::aws_cloudformation::DIALECT,
    workflow::aws_step_functions::DIALECT,
    workflow::argo_workflows::DIALECT,
    workflow::kubernetes_jobs::DIALECT,
    library::grpc_service_config::DIALECT,
    library::resilience4j::DIALECT,
    telemetry::vector::DIALECT,
];

/// Every dialect, the systems first.
pub fn all() -> impl Iterator<Item = &'static Dialect> {
    SYSTEMS.iter().chain(std::iter::once(&generic::DIALECT))
}

/// Finds out whether a file can matter: whether it holds a marker of any dialect.
pub static PREFILTER: LazyLock<Prefilter> =
    LazyLock::new(|| Prefilter::new(all().flat_map(|dialect| dialect.markers.iter().copied())));

/// Takes what a file says into the facts: each document by every system that it belongs to, otherwise as
/// the settings of a hand-written service; and the files that a ConfigMap holds likewise.
pub fn read(parsed: &Parsed<'_>, path: &str, facts: &mut Facts) {
    let file = File { path, documents: &parsed.documents, comments: &parsed.comments };
    for document in &parsed.documents {
        let mut owned = false;
        for system in SYSTEMS {
            owned |= (system.read)(document, &file, facts);
        }
        if !owned {
            (generic::DIALECT.read)(document, &file, facts);
        }
        for text in shape::kubernetes::config_files(document) {
            held_file(text, facts);
        }
    }
}

/// A file that stands as text in another one. The nesting is bounded by the document.
fn held_file(text: Node<'_>, facts: &mut Facts) {
    let matters = text.text().is_some_and(|text| PREFILTER.passes(text.as_bytes()));
    let Some(parsed) = matters.then(|| text.embedded_file(text.key())).flatten() else { return };
    facts.annotations.extend(annotation::parse(&parsed.comments));
    read(&parsed, text.key(), facts);
}
