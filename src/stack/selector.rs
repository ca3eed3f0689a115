//! Finds the policy or queue that a selector of retrylint.toml names.

use super::{LayerSource, ProjectFile, Selector};

/// How many candidates are told.
const CANDIDATES: usize = 3;
/// Selectors are compared up to this many characters.
const COMPARED: usize = 120;

/// One thing that a selector can name.
struct Named<'p> {
    path: &'p str,
    name: &'p str,
    pointer: &'p str,
    source: LayerSource,
}

/// A selector that does not name exactly one thing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotOne {
    /// It fits several.
    pub several: bool,
    /// Selectors of what could have been meant.
    pub candidates: Vec<String>,
}

/// What the selector names.
pub(super) fn find(files: &[ProjectFile], selector: &Selector) -> Result<LayerSource, NotOne> {
    let all: Vec<_> = files.iter().enumerate().flat_map(|(index, file)| named(index, file)).collect();
    let fits = |named: &&Named<'_>| {
        named.path == selector.file
            && match selector.policy.as_deref() {
                None => true,
                Some(pointer) if is_pointer(pointer) => named.pointer == pointer,
                Some(name) => named.name == name,
            }
    };
    let fitting: Vec<_> = all.iter().filter(fits).collect();
    // a queue and the policy of its redelivery often have one name: then the policy is meant
    let policies = || fitting.iter().filter(|named| matches!(named.source, LayerSource::Policy { .. }));
    match (fitting.as_slice(), policies().count()) {
        ([only], _) => Ok(only.source),
        ([], _) => Err(NotOne { several: false, candidates: nearest(&all, selector) }),
        (_, 1) => Ok(policies().next().map_or(fitting[0].source, |named| named.source)),
        (several, _) => {
            let candidates = several.iter().take(CANDIDATES).map(|named| by_pointer(named)).collect();
            Err(NotOne { several: true, candidates })
        }
    }
}

fn named(index: usize, file: &ProjectFile) -> impl Iterator<Item = Named<'_>> {
    let policies = file.facts.policies.iter().enumerate().map(move |(policy, said)| Named {
        path: &file.path,
        name: &said.name,
        pointer: &said.pointer,
        source: LayerSource::Policy { file: index, policy },
    });
    let queues = file.facts.queues.iter().enumerate().map(move |(queue, said)| Named {
        path: &file.path,
        name: &said.name,
        pointer: &said.pointer,
        source: LayerSource::Queue { file: index, queue },
    });
    policies.chain(queues)
}

/// `/spec/retries`, or `#1/spec/retries` in a stream of documents.
fn is_pointer(text: &str) -> bool {
    text.starts_with(['/', '#'])
}

fn by_pointer(named: &Named<'_>) -> String {
    format!("{}#{}", named.path, named.pointer)
}

/// The nearest file counts before the nearest policy of it.
fn nearest(all: &[Named<'_>], selector: &Selector) -> Vec<String> {
    let wanted = selector.policy.as_deref().unwrap_or_default();
    let mut ranked: Vec<_> = all
        .iter()
        .map(|named| {
            let by_name = !is_pointer(wanted) && !named.name.is_empty();
            let part = if by_name { named.name } else { named.pointer };
            let far = (distance(&selector.file, named.path), distance(wanted, part));
            (far, format!("{}#{part}", named.path))
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(CANDIDATES).map(|(_, text)| text).collect()
}

/// How many characters have to be changed, added or taken away.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(COMPARED).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().take(COMPARED).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        row[0] = left;
        for (b, above) in other.iter().zip(row.iter_mut().skip(1)) {
            let changed = diagonal + usize::from(a != *b);
            diagonal = *above;
            left = changed.min(left + 1).min(*above + 1);
            *above = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::samples::{file, policy, queue};

    fn select(files: &[ProjectFile], file: &str, policy: Option<&str>) -> Result<LayerSource, NotOne> {
        let selector =
            Selector { file: file.into(), policy: policy.map(Into::into), place: Default::default() };
        find(files, &selector)
    }

    fn shop() -> Vec<ProjectFile> {
        vec![
            file(
                "web.toml",
                vec![policy("payments", "/payments/retry"), policy("mail", "/mail/retry")],
                vec![],
            ),
            file("mesh.yaml", vec![policy("payments/http[0]", "#1/spec/http/0/retries")], vec![]),
            file(
                "queue.yaml",
                vec![policy("Orders", "/Resources/Mapping")],
                vec![queue("Orders", "/Resources/Orders")],
            ),
            file("bare.yaml", vec![], vec![queue("Jobs", "/Resources/Jobs")]),
        ]
    }

    #[test]
    fn a_policy_is_found_by_name_by_pointer_and_as_the_only_one_of_its_file() {
        let files = shop();
        assert_eq!(select(&files, "web.toml", Some("mail")), Ok(LayerSource::Policy { file: 0, policy: 1 }));
        assert_eq!(
            select(&files, "web.toml", Some("/payments/retry")),
            Ok(LayerSource::Policy { file: 0, policy: 0 })
        );
        assert_eq!(
            select(&files, "mesh.yaml", Some("#1/spec/http/0/retries")),
            Ok(LayerSource::Policy { file: 1, policy: 0 })
        );
        assert_eq!(select(&files, "mesh.yaml", None), Ok(LayerSource::Policy { file: 1, policy: 0 }));
    }

    #[test]
    fn a_queue_is_found_where_no_policy_has_the_name() {
        let files = shop();
        assert_eq!(select(&files, "bare.yaml", Some("Jobs")), Ok(LayerSource::Queue { file: 3, queue: 0 }));
        assert_eq!(select(&files, "bare.yaml", None), Ok(LayerSource::Queue { file: 3, queue: 0 }));
        assert_eq!(
            select(&files, "queue.yaml", Some("Orders")),
            Ok(LayerSource::Policy { file: 2, policy: 0 })
        );
        assert_eq!(
            select(&files, "queue.yaml", Some("/Resources/Orders")),
            Ok(LayerSource::Queue { file: 2, queue: 0 })
        );
    }

    #[test]
    fn a_misspelt_name_gives_the_nearest_of_the_same_file_first() {
        let candidates = select(&shop(), "web.toml", Some("paiments")).unwrap_err().candidates;
        assert_eq!(candidates[0], "web.toml#payments");
    }

    #[test]
    fn a_misspelt_file_gives_the_nearest_file() {
        let candidates = select(&shop(), "mash.yaml", None).unwrap_err().candidates;
        assert!(candidates[0].starts_with("mesh.yaml#"), "{candidates:?}");
    }

    #[test]
    fn several_policies_give_each_of_them_by_its_pointer() {
        let candidates = select(&shop(), "web.toml", None).unwrap_err().candidates;
        assert_eq!(candidates, ["web.toml#/payments/retry", "web.toml#/mail/retry"]);
    }

    #[test]
    fn distance_counts_changes() {
        assert_eq!(distance("retry", "retry"), 0);
        assert_eq!(distance("retry", "retries"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }
}
