//! Call paths that follow from the files: within one of them, and by the names that several of them write.
//!
//! Only retries that a failure reaches make a path. A message that is put into a queue, or an event that is
//! handed over, does not come back when its handler fails: no link goes that way.

use super::{Joint, LayerSource, Path, PathLayer, ProjectFile};
use crate::model::{Name, Policy, Reference};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The longest path that is followed, and the most paths to one policy.
const MOST_LAYERS: usize = 16;
const MOST_PATHS: usize = 1_000;

/// A policy, by the numbers of its file and of itself.
type At = (usize, usize);

/// The policies around one, and what joins them.
type Around = Vec<(At, Option<Joint>)>;

/// The call paths. Each starts at a policy that stands in no other, and ends at one that none stands in.
pub(super) fn paths(files: &[ProjectFile]) -> Vec<Path> {
    let around = around(files);
    let outer: HashSet<At> = around.values().flatten().map(|(at, _)| *at).collect();
    let innermost = around.keys().filter(|at| !outer.contains(at));
    innermost.flat_map(|at| paths_to(files, &around, *at)).collect()
}

fn paths_to(files: &[ProjectFile], around: &BTreeMap<At, Around>, innermost: At) -> Vec<Path> {
    let mut paths = Vec::new();
    // innermost first, as they are followed outwards; with each what joins it with the next
    let mut open: Vec<Vec<(At, Option<Joint>)>> = vec![vec![(innermost, None)]];
    while let Some(way) = open.pop() {
        let (last, _) = way[way.len() - 1];
        let known = |at: &At| way.iter().any(|(known, _)| known == at);
        let next: Vec<_> = around.get(&last).into_iter().flatten().filter(|(at, _)| !known(at)).collect();
        if next.is_empty() || way.len() == MOST_LAYERS {
            if way.len() > 1 {
                paths.push(path(files, way));
            }
        } else {
            // the last one is followed first
            open.extend(next.into_iter().rev().map(|(at, joint)| {
                let mut longer = way.clone();
                longer[way.len() - 1].1.clone_from(joint);
                longer.push((*at, None));
                longer
            }));
        }
        if paths.len() == MOST_PATHS {
            break;
        }
    }
    paths
}

/// A path of what was found from its innermost policy outwards.
fn path(files: &[ProjectFile], way: Vec<(At, Option<Joint>)>) -> Path {
    let outwards = way.into_iter().rev();
    let (layers, joints): (Vec<At>, Vec<_>) = outwards.unzip();
    let names = layers.iter().filter_map(|at| Some(policy_at(files, *at)?.name.as_str()));
    Path {
        name: names.collect::<Vec<_>>().join(" → "),
        declared: None,
        layers: layers
            .into_iter()
            .map(|(file, policy)| PathLayer::Found(LayerSource::Policy { file, policy }))
            .collect(),
        joints,
        deadline: None,
        max_attempts: None,
    }
}

fn policy_at(files: &[ProjectFile], (file, policy): At) -> Option<&Policy> {
    files.get(file)?.facts.policies.get(policy)
}

/// For each policy that is run by others: those.
fn around(files: &[ProjectFile]) -> BTreeMap<At, Around> {
    let names = Names::of(files);
    let mut around: BTreeMap<At, Around> = BTreeMap::new();
    let mut join = |inner: At, outer: At, joint: Option<Joint>| {
        let known = around.entry(inner).or_default();
        if inner != outer && known.iter().all(|(at, _)| *at != outer) {
            known.push((outer, joint));
        }
    };
    for (file, found) in files.iter().enumerate() {
        let policies = &found.facts.policies;
        let mut by_pointer: HashMap<&str, usize> = HashMap::new();
        for (n, policy) in policies.iter().enumerate().rev() {
            by_pointer.insert(&policy.pointer, n);
        }
        for (n, policy) in policies.iter().enumerate() {
            for outer in policy.within.iter().filter_map(|pointer| by_pointer.get(pointer.as_str())) {
                join((file, n), (file, *outer), None);
            }
            for reference in &policy.links.calls {
                for inner in names.reached(file, &reference.name) {
                    join(inner, (file, n), Some(joint(file, reference)));
                }
            }
        }
    }
    around.retain(|_, outer| !outer.is_empty());
    around
}

fn joint(file: usize, reference: &Reference) -> Joint {
    Joint { file, place: reference.place, name: reference.name.to_string() }
}

/// The first label of a host, which names the service in most networks.
pub(super) fn host_label(name: &Name) -> Option<&str> {
    match name {
        Name::Host(host) | Name::Backend(host) => host.split('.').next(),
        _ => None,
    }
}

/// A name, with its file where it holds in one file only.
type Known<'n> = (Option<usize>, &'n Name);

fn known(file: usize, name: &Name) -> Known<'_> {
    (matches!(name, Name::Here(_)).then_some(file), name)
}

/// Which policies a name reaches.
struct Names<'p> {
    files: &'p [ProjectFile],
    on_the_way: HashMap<Known<'p>, Vec<At>>,
    owned: HashMap<Known<'p>, Vec<At>>,
    /// Workloads, by the numbers of their file and of themselves.
    workloads: HashMap<Known<'p>, Vec<At>>,
    /// The files that are the code of a workload.
    code: HashMap<At, Vec<usize>>,
}

impl<'p> Names<'p> {
    fn of(files: &'p [ProjectFile]) -> Self {
        let (on_the_way, owned, workloads) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut this = Self { files, on_the_way, owned, workloads, code: code(files) };
        for (file, found) in files.iter().enumerate() {
            for (n, policy) in found.facts.policies.iter().enumerate() {
                // what stands in another policy is reached through it, unless a name is that of a part
                let parts = |name: &&Name| policy.within.is_empty() || matches!(name, Name::Object(..));
                for name in policy.links.owners.iter().filter(parts) {
                    this.owned.entry(known(file, name)).or_default().push((file, n));
                }
                for name in &policy.links.on_the_way_to {
                    this.on_the_way.entry(known(file, name)).or_default().push((file, n));
                }
            }
            for (n, workload) in found.facts.workloads.iter().enumerate() {
                for name in &workload.names {
                    this.workloads.entry(known(file, name)).or_default().push((file, n));
                }
            }
        }
        this
    }

    /// The policies that a call to a name runs: of a host those on the way to it, and without any those
    /// of what is behind it.
    fn reached(&self, file: usize, name: &Name) -> Vec<At> {
        match (self.on_the_way.get(&known(file, name)), name) {
            (Some(passed), _) => passed.clone(),
            (None, Name::Host(host)) => self.owned_by(file, &Name::Backend(host.clone())),
            (None, name) => self.owned_by(file, name),
        }
    }

    fn owned_by(&self, file: usize, name: &Name) -> Vec<At> {
        let mut reached = Vec::new();
        self.run_by(file, name, &mut HashSet::new(), &mut reached);
        reached
    }

    fn run_by(&self, file: usize, name: &Name, seen: &mut HashSet<At>, reached: &mut Vec<At>) {
        let workloads = self.workloads.get(&known(file, name)).map(Vec::as_slice).unwrap_or_default();
        let homes = self.homes(file, name, workloads);
        let at_home = |(home, _): &&At| homes.as_ref().is_none_or(|homes| homes.contains(home));
        reached.extend(self.owned.get(&known(file, name)).into_iter().flatten().filter(at_home));
        for at @ (home, n) in workloads.iter().filter(at_home) {
            let workload = &self.files[*home].facts.workloads[*n];
            let aliases = workload.names.iter().filter(|alias| *alias != name);
            reached.extend(aliases.filter_map(|alias| self.owned.get(&known(*home, alias))).flatten());
            for code in self.code.get(at).into_iter().flatten() {
                reached.extend(outermost(&self.files[*code]).map(|(n, _)| (*code, n)));
            }
            if seen.insert(*at) {
                workload.runs.iter().for_each(|inner| self.run_by(*home, inner, seen, reached));
            }
        }
    }

    /// The files whose objects of a name are meant: there is one object of a name in a cluster, but several in a
    /// repository that has one for each stage, or many examples. It is that of the same file, else the only one of the
    /// same folder, else the only one. None where all are meant.
    fn homes(&self, file: usize, name: &Name, objects: &[At]) -> Option<Vec<usize>> {
        if !matches!(name, Name::Object(..)) {
            return None;
        }
        let all: BTreeSet<usize> = objects.iter().map(|(home, _)| *home).collect();
        let folder = |file: usize| folder_of(&self.files[file].path);
        let beside: Vec<usize> = all.iter().copied().filter(|home| folder(*home) == folder(file)).collect();
        Some(match (all.contains(&file), beside.as_slice(), all.len()) {
            (true, ..) => vec![file],
            (_, [only], _) => vec![*only],
            (_, [], 1) => all.into_iter().collect(),
            _ => Vec::new(),
        })
    }
}

/// The policies of a file that stand in no other; those that do are reached through them.
fn outermost(file: &ProjectFile) -> impl Iterator<Item = (usize, &Policy)> {
    file.facts.policies.iter().enumerate().filter(|(_, policy)| policy.within.is_empty())
}

/// The files that lie in the folder of a workload, if that is of it alone: of several folders in the
/// nearest. A folder that its own template lies in holds more than its code.
fn code(files: &[ProjectFile]) -> HashMap<At, Vec<usize>> {
    let mut folders: HashMap<String, Vec<At>> = HashMap::new();
    for (file, found) in files.iter().enumerate() {
        let home = folder_of(&found.path);
        for (n, workload) in found.facts.workloads.iter().enumerate() {
            let Some(folder) = &workload.folder else { continue };
            let folder = match found.path.contains('/') {
                true => clean(&format!("{home}/{folder}")),
                false => clean(folder),
            };
            if !is_within(home, &folder) {
                folders.entry(folder).or_default().push((file, n));
            }
        }
    }
    let mut code: HashMap<At, Vec<usize>> = HashMap::new();
    if folders.is_empty() {
        return code;
    }
    for (file, found) in files.iter().enumerate().filter(|(_, found)| !found.facts.policies.is_empty()) {
        let path = clean(&found.path);
        let outer =
            std::iter::successors(Some(folder_of(&path)), |at| (!at.is_empty()).then(|| folder_of(at)));
        if let Some([only]) = outer.filter_map(|at| folders.get(at)).next().map(Vec::as_slice) {
            code.entry(*only).or_default().push(file);
        }
    }
    code
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_within(path: &str, folder: &str) -> bool {
    let path = clean(path);
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path without `.` and, as far as it goes, `..`.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (n, part) in path.split('/').enumerate() {
        match part {
            "" if n == 0 && path.starts_with('/') => parts.push(""),
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| !["", ".."].contains(last)) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Facts, Links, Workload};
    use crate::stack::samples::{file, line, policy};

    fn host(name: &str) -> Name {
        Name::Host(name.into())
    }

    fn calling(name: &str, pointer: &str, called: Name) -> Policy {
        let calls = vec![Reference { name: called, place: line(9) }];
        Policy { links: Links { calls, ..Links::default() }, ..policy(name, pointer) }
    }

    fn route(name: &str, pointer: &str, hosts: &[&str], to: &str) -> Policy {
        let on_the_way_to = hosts.iter().map(|name| host(name)).collect();
        let calling = calling(name, pointer, Name::Backend(to.into()));
        Policy { links: Links { on_the_way_to, ..calling.links }, ..policy(name, pointer) }
    }

    fn owned(name: &str, pointer: &str, owner: Name) -> Policy {
        Policy { links: Links { owners: vec![owner], ..Links::default() }, ..policy(name, pointer) }
    }

    fn workload(path: &str, names: Vec<Name>, folder: &str) -> ProjectFile {
        let workloads = vec![Workload { names, runs: vec![], folder: Some(folder.into()) }];
        let facts = Facts { workloads, ..Facts::default() };
        ProjectFile { path: path.into(), facts, schedules: vec![] }
    }

    fn names(files: &[ProjectFile]) -> Vec<String> {
        paths(files).into_iter().map(|path| path.name).collect()
    }

    #[test]
    fn a_client_its_mesh_route_and_what_runs_behind_it_are_one_path() {
        let files = [
            file("web.toml", vec![calling("web", "/web", host("payments.shop"))], vec![]),
            file("mesh.yaml", vec![route("pay", "/0", &["payments.shop"], "payments.shop")], vec![]),
            file("pay.yaml", vec![owned("db", "/db", Name::Backend("payments.shop".into()))], vec![]),
        ];
        assert_eq!(names(&files), ["web → pay → db"]);
        let joints = &paths(&files)[0].joints;
        assert_eq!(joints.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(joints[1].as_ref().map(|joint| (joint.file, joint.place.line)), Some((0, 9)));
    }

    #[test]
    fn without_a_route_the_host_is_what_runs_behind_it() {
        let files = [
            file("web.toml", vec![calling("web", "/web", host("payments.shop"))], vec![]),
            file("pay.yaml", vec![owned("db", "/db", Name::Backend("payments.shop".into()))], vec![]),
        ];
        assert_eq!(names(&files), ["web → db"]);
    }

    #[test]
    fn routing_is_done_once() {
        let files = [
            file("a.yaml", vec![route("edge", "/0", &["shop.example"], "payments.shop")], vec![]),
            file("b.yaml", vec![route("pay", "/0", &["payments.shop"], "payments.shop")], vec![]),
        ];
        assert!(names(&files).is_empty(), "the backend of a route is past all routes");
    }

    #[test]
    fn names_of_one_file_hold_there_only() {
        let here = || Name::Here("/Resources/F".into());
        let caller = || calling("state", "/s", here());
        let files = [
            file("a.yaml", vec![caller(), owned("own", "/o", here())], vec![]),
            file("b.yaml", vec![owned("other", "/o", here())], vec![]),
        ];
        assert_eq!(names(&files), ["state → own"]);
    }

    #[test]
    fn each_of_several_callers_and_callees_is_a_path_of_its_own() {
        let files = [
            file("a.toml", vec![calling("a", "/a", host("h")), calling("b", "/b", host("h"))], vec![]),
            file("m.yaml", vec![route("r0", "/0", &["h"], "h"), route("r1", "/1", &["h"], "h")], vec![]),
        ];
        assert_eq!(names(&files), ["a → r0", "b → r0", "a → r1", "b → r1"]);
    }

    #[test]
    fn policies_that_call_each_other_end() {
        let ring = |name: &str, own: &str, other: &str| {
            let calling = calling(name, name, Name::Function(other.into()));
            let owners = vec![Name::Function(own.into())];
            Policy { links: Links { owners, ..calling.links.clone() }, ..calling }
        };
        let leaf = owned("leaf", "/leaf", Name::Function("f".into()));
        let files = [file("a.yaml", vec![ring("f", "f", "g"), ring("g", "g", "f"), leaf], vec![])];
        assert_eq!(names(&files), ["f → g → leaf"]);
    }

    #[test]
    fn a_file_in_the_folder_of_a_function_is_its_code() {
        let function = || vec![Name::Here("/Resources/F".into()), Name::Function("f".into())];
        let inner = |path: &str| file(path, vec![policy("inner", "/retry")], vec![]);
        let caller = || file("flow.json", vec![calling("state", "/s", Name::Function("f".into()))], vec![]);
        let joined = |folder: &str, path: &str| {
            names(&[workload("app/template.yaml", function(), folder), inner(path), caller()])
        };
        assert_eq!(joined("src/f/", "app/src/f/config.toml"), ["state → inner"]);
        let here = [workload("template.yaml", function(), "f/"), inner("f/config.toml"), caller()];
        assert_eq!(names(&here), ["state → inner"]);
        let top = [workload("/template.yaml", function(), "f/"), inner("/f/config.toml"), caller()];
        assert_eq!(names(&top), ["state → inner"]);
        assert_eq!(joined("./src/../src/f", "app/src/f/deep/config.toml"), ["state → inner"]);
        assert_eq!(joined("../lib", "lib/config.toml"), ["state → inner"]);
        assert!(joined("src/f", "app/src/fun/config.toml").is_empty());
        assert!(joined(".", "app/config.toml").is_empty(), "the template's own folder holds more");
        assert!(joined("..", "other/config.toml").is_empty());
    }

    #[test]
    fn a_folder_of_several_functions_is_nobodys() {
        let files = [
            workload("a.yaml", vec![Name::Function("f".into())], "src"),
            workload("b.yaml", vec![Name::Function("g".into())], "src/"),
            file("src/config.toml", vec![policy("inner", "/retry")], vec![]),
            file("flow.json", vec![calling("state", "/s", Name::Function("f".into()))], vec![]),
        ];
        assert!(names(&files).is_empty());
    }

    #[test]
    fn what_stands_in_another_policy_is_reached_through_it() {
        let mut inner = owned("inner", "/i", Name::StateMachine("m".into()));
        inner.within = vec!["/o".into()];
        let files = [
            file("m.json", vec![owned("outer", "/o", Name::StateMachine("m".into())), inner], vec![]),
            file("a.json", vec![calling("a", "/a", Name::StateMachine("m".into()))], vec![]),
        ];
        assert_eq!(names(&files), ["a → outer → inner"]);
    }

    #[test]
    fn many_ways_are_bounded() {
        let layer = |n: usize| {
            let around: Vec<String> =
                if n == 0 { vec![] } else { (0..4).map(|k| format!("/{}/{k}", n - 1)).collect() };
            (0..4).map(move |k| Policy { within: around.clone(), ..policy("p", &format!("/{n}/{k}")) })
        };
        let policies = (0..12).flat_map(layer).collect();
        let found = paths(&[file("a.yaml", policies, vec![])]);
        assert_eq!(found.len(), 4 * MOST_PATHS);
    }

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(clean("a/./b//../c"), "a/c");
        assert_eq!(clean("../a"), "../a");
        assert_eq!(clean("/a/../b"), "/b");
        assert!(is_within("a/b", "a") && !is_within("ab", "a") && is_within("a", ""));
    }
}
