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

pub use generic::own;

use crate::document::{Comment, Document, Node, Parsed};
use crate::model::{Facts, Policy, annotation};
use crate::source::prefilter::Prefilter;
use foreign::Glance;
use memchr::memmem;
use own::Own;
use std::collections::{HashMap, HashSet};
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
    /// Numbers of the document's values that a dialect of retrylint.toml has read.
    claimed: HashSet<u32>,
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

/// The same for the markers of systems alone.
static OF_SYSTEMS: LazyLock<Prefilter> =
    LazyLock::new(|| Prefilter::new(SYSTEMS.iter().flat_map(|dialect| dialect.markers.iter().copied())));

/// Whether a document of a file that can matter has to be parsed, by its text: not if it is plainly in another
/// language, in which words of retrying are only words (a schema, a manifest, an object that no dialect reads), and
/// no comment in it speaks to this tool.
pub fn wants(document: &str) -> bool {
    let spoken_to = || memmem::find(document.as_bytes(), annotation::MARK.as_bytes()).is_some();
    match foreign::glance(document) {
        Glance::Open => true,
        Glance::Language => OF_SYSTEMS.passes(document.as_bytes()) || spoken_to(),
        Glance::Schema => spoken_to(),
    }
}

/// Takes what a file says into the facts: each document by the dialects of retrylint.toml that are for this
/// file, and by every system that it belongs to, otherwise as the settings of a hand-written service; and the
/// files that a ConfigMap holds likewise.
pub fn read(parsed: &Parsed<'_>, path: &str, own: &[&Own], facts: &mut Facts) {
    read_each(parsed, path, own, facts);
    tell_apart(&mut facts.policies);
}

fn read_each(parsed: &Parsed<'_>, path: &str, own: &[&Own], facts: &mut Facts) {
    for document in &parsed.documents {
        let claimed = HashSet::new();
        let mut file = File { path, documents: &parsed.documents, comments: &parsed.comments, claimed };
        for dialect in own {
            dialect.read(document, &mut file, facts);
        }
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

/// Policies of one name – objects of several namespaces, two kinds of retrying in one table – get their
/// pointers behind it, so that a message and a selector can mean one of them.
fn tell_apart(policies: &mut [Policy]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for policy in policies.iter() {
        *seen.entry(policy.name.clone()).or_default() += 1;
    }
    for policy in policies.iter_mut().filter(|policy| seen.get(&policy.name).is_some_and(|n| *n > 1)) {
        policy.name = format!("{} ({})", policy.name, policy.pointer);
    }
}

/// A file that stands as text in another one. The nesting is bounded by the document.
fn held_file(text: Node<'_>, facts: &mut Facts) {
    let matters = text.text().is_some_and(|text| PREFILTER.passes(text.as_bytes()));
    let Some(parsed) = matters.then(|| text.embedded_file(text.key())).flatten() else { return };
    facts.annotations.extend(annotation::parse(&parsed.comments));
    read_each(&parsed, text.key(), &[], facts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{self, Format};
    use crate::source::SourceText;
    use std::path::{Path, PathBuf};

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    fn facts(text: &str, path: &str, want: &dyn Fn(&str) -> bool) -> String {
        let source = SourceText::new(text.to_string());
        let parsed = document::parse_wanted(&source, Format::of(path, text), want);
        let mut facts = Facts { annotations: annotation::parse(&parsed.comments), ..Facts::default() };
        read(&parsed, path, &[], &mut facts);
        format!("{facts:#?}")
    }

    /// Documents of other languages that speak of retries.
    const OTHERS: &[&str] = &[
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  retries: {type: integer}\n",
        "{\"openapi\": \"3.0.0\", \"components\": {\"retries\": 3, \"timeout\": \"2s\"}}\n",
        "kind: Deployment\napiVersion: apps/v1\nspec:\n  retry: {attempts: 3}\n",
    ];

    #[test]
    fn nothing_is_lost_by_looking_before_parsing() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let nothing = format!("{:#?}", Facts::default());
        let (mut looked_at, mut told) = (0, 0);
        for file in files(&root) {
            let path = file.to_string_lossy();
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if !Format::is_config(&path) || path.ends_with(".expect.json") {
                continue;
            }
            let mut texts = vec![text.clone()];
            if matches!(Format::of(&path, &text), Format::Yaml) {
                let stream = OTHERS.iter().map(|other| format!("---\n{other}---\n{text}"));
                texts.push(stream.collect());
            }
            for text in texts {
                let all = facts(&text, &path, &|_| true);
                assert_eq!(facts(&text, &path, &wants), all, "{path}");
                assert!(all == nothing || PREFILTER.passes(text.as_bytes()), "{path}: no marker is in it");
                looked_at += 1;
                told += usize::from(all != nothing);
            }
        }
        assert!(looked_at > 500 && told > 300, "{told} of {looked_at}");
    }

    #[test]
    fn documents_of_other_languages_are_not_parsed() {
        assert!(OTHERS.iter().all(|other| !wants(other)));
        assert!(wants("apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: 'retries: 3'\n"));
        assert!(wants("apiVersion: v1\nkind: List\nitems: []\n"));
        assert!(wants("# retrylint: ignore-file\nopenapi: 3.0.0\n"));
        assert!(wants("retries: 3\n"));
    }
}
