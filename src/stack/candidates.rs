//! Layers that may belong to one call path, by names that are alike. That is a guess, and never makes a
//! finding: it is for a person to look at.

use super::links::host_label;
use super::{LayerSource, Project};
use crate::model::{Layer, Policy};
use std::collections::{BTreeMap, BTreeSet};

/// Two policies of different files that may be layers of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The outer one.
    pub outer: LayerSource,
    /// The inner one.
    pub inner: LayerSource,
    /// What is alike, as a clause.
    pub why: String,
}

/// The most that are told.
const MOST: usize = 1_000;
/// Words of less than this many letters say nothing.
const SHORTEST: usize = 3;
/// Folders and files of any service.
const ANYONES: &[&str] = &[
    "app",
    "apps",
    "application",
    "base",
    "chart",
    "charts",
    "conf",
    "config",
    "configs",
    "configuration",
    "default",
    "deploy",
    "deployment",
    "dev",
    "etc",
    "infra",
    "k8s",
    "kubernetes",
    "local",
    "main",
    "mesh",
    "overlays",
    "prod",
    "production",
    "resources",
    "service",
    "services",
    "settings",
    "src",
    "stage",
    "staging",
    "template",
    "templates",
    "test",
    "values",
];

/// Pairs that no path joins and whose names are alike: what a policy calls, or is called, and the host of a
/// route or the folder or file of another policy.
pub fn candidates(project: &Project) -> Vec<Candidate> {
    let mut outer: BTreeMap<String, Vec<LayerSource>> = BTreeMap::new();
    let mut inner: BTreeMap<String, Vec<(LayerSource, String)>> = BTreeMap::new();
    for (n, file) in project.files.iter().enumerate() {
        for (k, policy) in file.facts.policies.iter().enumerate() {
            let source = LayerSource::Policy { file: n, policy: k };
            for word in called(policy) {
                outer.entry(word).or_default().push(source);
            }
            for (word, why) in answers(policy, &file.path) {
                inner.entry(word).or_default().push((source, why));
            }
        }
    }
    let joined: BTreeSet<(LayerSource, LayerSource)> = project
        .stacks
        .iter()
        .flat_map(|stack| stack.layers.windows(2).map(|pair| (pair[0].source, pair[1].source)))
        .collect();
    let mut found = Vec::new();
    for (word, outers) in &outer {
        for (inner, why) in inner.get(word).into_iter().flatten() {
            for outer in outers.iter().filter(|outer| file_of(outer) != file_of(inner)) {
                if !joined.contains(&(*outer, *inner)) && found.len() < MOST {
                    found.push(Candidate {
                        outer: *outer,
                        inner: *inner,
                        why: format!("it calls {word}, and {why}"),
                    });
                }
            }
        }
    }
    found
}

fn file_of(source: &LayerSource) -> Option<usize> {
    match source {
        LayerSource::Policy { file, .. } | LayerSource::Queue { file, .. } => Some(*file),
        LayerSource::Foreign => None,
    }
}

/// What a policy may call: the hosts that it names, else what it is called itself.
fn called(policy: &Policy) -> BTreeSet<String> {
    let hosts = policy.links.calls.iter().filter_map(|reference| host_label(&reference.name));
    let hosts: BTreeSet<String> = hosts.map(str::to_string).collect();
    if !hosts.is_empty() || policy.layer != Layer::Client {
        return hosts;
    }
    word(policy.name.rsplit(['/', '.']).next().unwrap_or_default()).into_iter().collect()
}

/// The names that a policy may be known by, each with what it is.
fn answers(policy: &Policy, path: &str) -> Vec<(String, String)> {
    if policy.layer == Layer::Proxy {
        let hosts = policy.links.on_the_way_to.iter();
        let hosts = hosts
            .filter_map(|name| Some((host_label(name)?.to_string(), format!("this route is for {name}"))));
        return hosts.collect();
    }
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    let both = [(stem, "the file"), (folder, "the folder")];
    both.into_iter()
        .flat_map(|(name, what)| word(name).map(|word| (word, format!("{what} has that name"))))
        .collect()
}

/// A name as a word that can be compared; none where it says nothing.
fn word(name: &str) -> Option<String> {
    let word = name.to_ascii_lowercase().replace('_', "-");
    (word.len() >= SHORTEST && !ANYONES.contains(&word.as_str())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Links, Name, Reference};
    use crate::stack::build;
    use crate::stack::samples::{file, line, policy};

    fn calling(host: &str) -> Policy {
        let calls = vec![Reference { name: Name::Host(host.into()), place: line(1) }];
        Policy { links: Links { calls, ..Links::default() }, ..policy("retry", "/retry") }
    }

    fn route(host: &str) -> Policy {
        let links = Links { on_the_way_to: vec![Name::Host(host.into())], ..Links::default() };
        Policy { layer: Layer::Proxy, links, ..policy("route", "/spec/http/0/retries") }
    }

    fn whys(files: Vec<crate::stack::ProjectFile>) -> Vec<String> {
        candidates(&build(files, &[])).into_iter().map(|candidate| candidate.why).collect()
    }

    #[test]
    fn a_short_host_and_a_route_of_some_namespace_are_a_candidate() {
        let files = vec![
            file("web.toml", vec![calling("payments")], vec![]),
            file("mesh.yaml", vec![route("payments.shop")], vec![]),
        ];
        assert_eq!(whys(files), ["it calls payments, and this route is for payments.shop"]);
    }

    #[test]
    fn a_folder_with_the_name_of_a_host_is_a_candidate() {
        let files = vec![
            file("web.toml", vec![calling("payments.shop")], vec![]),
            file("services/payments/config.toml", vec![policy("db", "/db/retry")], vec![]),
        ];
        assert_eq!(whys(files), ["it calls payments, and the folder has that name"]);
    }

    #[test]
    fn what_is_joined_already_and_words_of_anyone_are_none() {
        let files = vec![
            file("web.toml", vec![calling("payments.shop")], vec![]),
            file("mesh.yaml", vec![route("payments.shop")], vec![]),
        ];
        assert!(whys(files).is_empty());
        let files = vec![
            file("web.toml", vec![calling("config.shop")], vec![]),
            file("services/config.toml", vec![policy("db", "/db/retry")], vec![]),
        ];
        assert!(whys(files).is_empty());
    }
}
