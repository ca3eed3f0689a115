//! The templates of a workflow: which of them run which, and those of other objects that they run.

use crate::dialect::shape::kubernetes::Object;
use crate::dialect::shape::placeholder;
use crate::dialect::shape::read::Block;
use crate::document::{Kind, Node};
use crate::model::{Name, Reference, Workload};
use std::collections::{BTreeSet, HashMap};

/// The most templates that are looked at for the callers of one, and for those that one calls.
const MOST: usize = 1000;

/// A template, and what it stands in where it is inline.
#[derive(Clone, Copy)]
pub(super) struct Template<'d> {
    pub node: Node<'d>,
    /// The template whose step or task it is the inline template of, by its number.
    within: Option<usize>,
}

impl<'d> Template<'d> {
    pub fn strategy(self) -> Option<Node<'d>> {
        self.node.get("retryStrategy")
    }

    /// The name that others call it by.
    fn name(self) -> Option<&'d str> {
        self.node.get("name").filter(|_| self.within.is_none()).and_then(Node::text)
    }
}

/// All templates of a workflow: those that have a name of their own, and the inline ones of their steps and
/// tasks (docs/inline-templates.md). Each stands behind the one that it is within.
pub(super) struct Templates<'d> {
    pub all: Vec<Template<'d>>,
    /// For each the numbers of those that run it.
    callers: Vec<Vec<usize>>,
    /// For each the numbers of those that it runs.
    called: Vec<Vec<usize>>,
    /// For each the templates of other objects that it runs.
    elsewhere: Vec<Vec<Reference>>,
}

impl<'d> Templates<'d> {
    pub fn of(object: Object<'d>, spec: Block<'d>) -> Self {
        let named = spec.get("templates").into_iter().flat_map(Node::items);
        let mut all: Vec<_> = named.map(|node| Template { node, within: None }).collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, template) in all.iter().enumerate() {
            by_name.entry(template.name().unwrap_or_default()).or_default().push(at);
        }
        let (mut called, mut elsewhere) = (Vec::new(), Vec::new());
        while let Some(template) = all.get(called.len()).copied() {
            let at = called.len();
            let (mut runs, mut refers) = (Vec::new(), Vec::new());
            for step in steps(template.node) {
                if let Some(node) = step.get("inline").filter(|inline| inline.kind() == Kind::Map) {
                    runs.push(all.len());
                    all.push(Template { node, within: Some(at) });
                } else if let Some(name) = step.get("template").and_then(Node::text) {
                    runs.extend(by_name.get(name).into_iter().flatten());
                } else {
                    refers.extend(step.get("templateRef").and_then(|named| reference(object, named)));
                }
            }
            called.push(runs);
            elsewhere.push(refers);
        }
        let mut callers = vec![Vec::new(); all.len()];
        for (at, inner) in called.iter().enumerate() {
            inner.iter().for_each(|inner| callers[*inner].push(at));
        }
        Self { all, callers, called, elsewhere }
    }

    /// The pointers of the retry strategies of templates that run this one, by steps or tasks, directly or by
    /// way of templates without a strategy. `shared` is the strategy of those without one of their own.
    pub fn retried_callers(&self, called: usize, shared: Option<Node<'d>>) -> Vec<String> {
        let strategy = |at: usize| self.all[at].strategy().or(shared);
        let callers = self.reached(called, &self.callers, &|at| strategy(at).is_none());
        let mut found: Vec<Node<'d>> = Vec::new();
        for strategy in callers.into_iter().skip(1).filter_map(strategy) {
            if !found.iter().any(|known| known.pointer() == strategy.pointer()) {
                found.push(strategy);
            }
        }
        found.into_iter().map(Node::pointer).collect()
    }

    /// The templates of other objects that this one runs, directly or by way of templates without a strategy.
    pub fn runs_elsewhere(&self, at: usize) -> Vec<Reference> {
        let plain = |at: usize| self.all[at].strategy().is_none();
        let run = self.reached(at, &self.called, &plain);
        let run = run.into_iter().filter(|inner| *inner == at || plain(*inner));
        run.flat_map(|inner| self.elsewhere[inner].iter().cloned()).collect()
    }

    /// The templates of other objects that templates without a strategy run.
    pub fn plain_runs_elsewhere(&self) -> impl Iterator<Item = Reference> {
        let plain =
            self.all.iter().zip(&self.elsewhere).filter(|(template, _)| template.strategy().is_none());
        plain.flat_map(|(_, refers)| refers.iter().cloned())
    }

    /// The names of the templates by which others run this one before any other strategy: its own, and those of
    /// templates without a strategy that run it.
    pub fn run_as(&self, at: usize, object: Object<'_>) -> Vec<Name> {
        let plain = |at: usize| self.all[at].strategy().is_none();
        let callers = self.reached(at, &self.callers, &plain);
        let callers = callers.into_iter().filter(|caller| *caller == at || plain(*caller));
        callers.filter_map(|caller| owner(object, Some(self.all[caller].name()?))).collect()
    }

    /// The name by which the whole of an object runs this one within a strategy that is given to all templates without
    /// one of their own, as a workflow that names the object may do.
    pub fn run_in(&self, at: usize, object: Object<'_>) -> Option<Name> {
        let plain = |at: &usize| self.all[*at].strategy().is_none();
        owner(object, None).filter(|_| self.callers[at].iter().any(plain))
    }

    /// One, and those that are found from it by way of those that may be passed.
    fn reached(&self, from: usize, next: &[Vec<usize>], pass: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = BTreeSet::from([from]);
        let mut found = vec![from];
        let mut open = vec![from];
        while let Some(at) = open.pop().filter(|_| seen.len() < MOST) {
            for next in next[at].iter().copied().filter(|next| seen.insert(*next)) {
                found.push(next);
                if pass(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// A WorkflowTemplate and its templates as others know them, each with what it runs elsewhere.
    pub fn workloads(&self, object: Object<'_>) -> Vec<Workload> {
        let known = |name: Name, runs: Vec<Reference>| Workload {
            names: vec![name],
            runs: runs.into_iter().map(|reference| reference.name).collect(),
            folder: None,
        };
        let templates = self.all.iter().enumerate().filter_map(|(at, template)| {
            let runs = if template.strategy().is_none() { self.runs_elsewhere(at) } else { Vec::new() };
            Some(known(owner(object, Some(template.name()?))?, runs))
        });
        owner(object, None).map(|whole| known(whole, Vec::new())).into_iter().chain(templates).collect()
    }

    /// The numbers of the templates that run only when the workflow is over, which its deadline spares
    /// (workflow/controller/workflowpod.go, getDeadline).
    pub fn on_exit(&self, spec: Block<'d>) -> BTreeSet<usize> {
        let named = |key: &str| spec.get(key).and_then(Node::text);
        let (Some(entry), Some(exit)) = (named("entrypoint"), named("onExit")) else {
            return BTreeSet::new();
        };
        let before = self.run_by(entry);
        self.run_by(exit).difference(&before).copied().collect()
    }

    /// The numbers of a template and of all that it runs.
    fn run_by(&self, name: &str) -> BTreeSet<usize> {
        let named = (0..self.all.len()).filter(|at| self.all[*at].name() == Some(name));
        let mut open: Vec<usize> = named.collect();
        let mut run = BTreeSet::from_iter(open.iter().copied());
        while let Some(at) = open.pop() {
            open.extend(self.called[at].iter().copied().filter(|inner| run.insert(*inner)));
        }
        run
    }

    /// "build", or "main/compile" of an inline one.
    pub fn label(&self, at: usize) -> String {
        let Template { node, within } = self.all[at];
        match within {
            None => node.get("name").and_then(Node::text).unwrap_or("template").to_string(),
            Some(outer) => {
                let step = node.parent().and_then(|step| step.get("name")).and_then(Node::text);
                format!("{}/{}", self.label(outer), step.unwrap_or("inline"))
            }
        }
    }
}

/// The steps or tasks of a template.
pub(super) fn steps<'d>(template: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    let groups = template.get("steps").into_iter().flat_map(Node::items);
    let steps = groups.flat_map(|group| match group.kind() {
        Kind::List => group.items().collect(),
        _ => vec![group],
    });
    steps.chain(template.path(["dag", "tasks"]).into_iter().flat_map(Node::items))
}

/// A kind of objects that have templates for others, by what their templates and the whole of one go by.
struct Kinds {
    template: &'static str,
    whole: &'static str,
}

const NAMESPACED: Kinds = Kinds { template: "template of a WorkflowTemplate", whole: "WorkflowTemplate" };
const OF_CLUSTER: Kinds =
    Kinds { template: "template of a ClusterWorkflowTemplate", whole: "ClusterWorkflowTemplate" };

impl Kinds {
    fn name(&self, namespace: Option<&str>, object: &str, template: Option<&str>) -> Name {
        let kind = if template.is_some() { self.template } else { self.whole };
        let parts = namespace.into_iter().chain([object]).chain(template);
        Name::Object(kind, parts.collect::<Vec<_>>().join("/"))
    }
}

/// How others know a template of an object, or the whole of it; None where they cannot call it.
fn owner(object: Object<'_>, template: Option<&str>) -> Option<Name> {
    match object.kind {
        "WorkflowTemplate" => Some(NAMESPACED.name(object.namespace(), object.name(), template)),
        "ClusterWorkflowTemplate" => Some(OF_CLUSTER.name(None, object.name(), template)),
        _ => None,
    }
}

/// The template that a `templateRef` names, or the object that a `workflowTemplateRef` does: one of the namespace of
/// the workflow, or of the cluster (workflow/templateresolution/context.go, GetTemplateFromRef). None where it is
/// filled in later.
pub(super) fn reference(object: Object<'_>, named: Node<'_>) -> Option<Reference> {
    let template = named.get("template").and_then(Node::text);
    let node = named.get("name")?;
    let of = node.text()?;
    if [Some(of), template].into_iter().flatten().any(|text| placeholder::read(text).is_some()) {
        return None;
    }
    let name = match named.get("clusterScope").and_then(Node::boolean) {
        Some(true) => OF_CLUSTER.name(None, of, template),
        _ => NAMESPACED.name(object.namespace(), of, template),
    };
    Some(Reference { name, place: node.place() })
}
