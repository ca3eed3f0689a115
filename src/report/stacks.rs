//! `stacks`: the call paths, as trees and as graphs.

use super::inspect::{self, bound, said};
use super::{printable, write_json};
use crate::model::Bound;
use crate::stack::{Candidate, LayerSource, Project, Stack, StackLayer};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Writes each path as a tree with its numbers.
pub fn human(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    if project.stacks.is_empty() {
        writeln!(
            out,
            "no call path: nothing in these files calls something else in them, and none is declared"
        )?;
    }
    for (n, stack) in project.stacks.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", printable(&stack.name))?;
        for (depth, layer) in stack.layers.iter().enumerate() {
            let branch =
                if depth == 0 { "  ".to_string() } else { format!("  {}└─ ", "   ".repeat(depth - 1)) };
            let at = project.found(layer.source).map_or("declared in retrylint.toml".to_string(), |found| {
                format!("{}:{}", printable(found.path()), found.place().line)
            });
            let (name, kind) = (printable(&layer.name), layer.layer.word());
            writeln!(out, "{branch}{name} ({kind}, {at}): attempts {}", said(&layer.attempts, "unlimited"))?;
        }
        writeln!(out, "  fail-fast calls  {}", calls(stack, stack.fail_fast_calls, |layer| layer.starts))?;
        writeln!(out, "  slow-fail calls  {}", bound(stack.slow_fail_calls, "unlimited"))?;
        writeln!(out, "  demand           {}", bound(stack.demand, "unlimited"))?;
        writeln!(out, "  worst case       {}", bound(stack.worst_case, "unlimited"))?;
        writeln!(out, "  deadline         {}", said(&stack.deadline, "none"))?;
        for missing in unknown(stack) {
            writeln!(out, "  not known        {}", printable(&missing))?;
        }
    }
    Ok(())
}

/// "3 × 3 × 3 = 27"
fn calls(stack: &Stack, product: Bound<u64>, factor: fn(&StackLayer) -> Bound<u64>) -> String {
    let factors: Vec<_> = stack.layers.iter().map(|layer| bound(factor(layer), "unlimited")).collect();
    match product {
        Bound::At(product) => format!("{} = {product}", factors.join(" × ")),
        other => format!("{} ({})", bound(other, "unlimited"), factors.join(" × ")),
    }
}

/// Which values of a path are missing.
fn unknown(stack: &Stack) -> Vec<String> {
    let attempts = stack.layers.iter().filter(|layer| layer.attempts.is_unknown());
    let attempts = attempts.map(|layer| format!("the attempts of {}", layer.name));
    let lengths = stack.layers.iter().filter(|layer| matches!(layer.attempt, Bound::Unknown));
    attempts.chain(lengths.map(|layer| format!("how long one attempt of {} takes", layer.name))).collect()
}

/// Writes the paths as JSON, version 1, like those of `inspect`.
pub fn json(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    write_json(&json!({ "version": 1, "stacks": inspect::stacks(project) }), out)
}

/// The layers of all paths and which of them call which, each once.
struct Graph {
    labels: Vec<String>,
    numbers: BTreeMap<(LayerSource, String), usize>,
    edges: BTreeSet<(usize, usize)>,
}

impl Graph {
    fn of(project: &Project) -> Self {
        let mut graph = Self { labels: Vec::new(), numbers: BTreeMap::new(), edges: BTreeSet::new() };
        for stack in &project.stacks {
            let mut above = None;
            for layer in &stack.layers {
                let node = graph.node(project, layer);
                graph.edges.extend(above.map(|above| (above, node)));
                above = Some(node);
            }
        }
        graph
    }

    fn node(&mut self, project: &Project, layer: &StackLayer) -> usize {
        let key = (layer.source, layer.name.clone());
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let times = format!("{} ×", bound(layer.attempts.bound, "unlimited"));
        let at = project
            .found(layer.source)
            .map_or(String::new(), |found| format!("\n{}", printable(found.path())));
        self.labels.push(format!("{}\n{times}{at}", printable(&layer.name)));
        self.numbers.insert(key, self.labels.len() - 1);
        self.labels.len() - 1
    }
}

/// Writes the paths for Graphviz.
pub fn dot(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    let graph = Graph::of(project);
    writeln!(out, "digraph stacks {{\n  rankdir=LR;\n  node [shape=box];")?;
    for (n, label) in graph.labels.iter().enumerate() {
        let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        writeln!(out, "  n{n} [label=\"{label}\"];")?;
    }
    for (from, to) in &graph.edges {
        writeln!(out, "  n{from} -> n{to};")?;
    }
    writeln!(out, "}}")
}

/// Writes the paths for Mermaid, which pages of GitHub and GitLab draw.
pub fn mermaid(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    let graph = Graph::of(project);
    writeln!(out, "flowchart LR")?;
    for (n, label) in graph.labels.iter().enumerate() {
        let label =
            label.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('\n', "<br/>");
        writeln!(out, "  n{n}[\"{label}\"]")?;
    }
    for (from, to) in &graph.edges {
        writeln!(out, "  n{from} --> n{to}")?;
    }
    Ok(())
}

/// Writes pairs that may be layers of one path; `shown` names a file as retrylint.toml would.
pub fn candidates(
    project: &Project,
    candidates: &[Candidate],
    shown: &dyn Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    if candidates.is_empty() {
        writeln!(out, "no names are alike that no call path joins")?;
    }
    for candidate in candidates {
        let both = [candidate.outer, candidate.inner].map(|source| project.found(source));
        let [Some(outer), Some(inner)] = both else { continue };
        let names = format!("{} → {}: {}", outer.name(), inner.name(), candidate.why);
        writeln!(out, "{}", printable(&names))?;
        for layer in [outer, inner] {
            writeln!(out, "    {}", printable(&format!("{}#{}", shown(layer.path()), layer.pointer())))?;
        }
    }
    Ok(())
}

/// The same as JSON, version 1.
pub fn candidates_json(
    project: &Project,
    candidates: &[Candidate],
    shown: &dyn Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let selector =
        |source| project.found(source).map(|found| format!("{}#{}", shown(found.path()), found.pointer()));
    let each = candidates
        .iter()
        .map(|one| json!({ "outer": selector(one.outer), "inner": selector(one.inner), "why": one.why }));
    write_json(&json!({ "version": 1, "candidates": each.collect::<Vec<_>>() }), out)
}
