//! Argo Workflows (argoproj/argo-workflows, main of August 2026: workflow/controller/operator.go,
//! pkg/apis/workflow/v1alpha1/workflow_types.go, cmd/argoexec/commands/emissary.go).

use crate::dialect::shape::kubernetes::{Object, objects};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time, Word, whole_number};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Facts, Growth, Idle, Layer, Policy, Ratio, Setting,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Argo Workflows",
    reads: "Workflow, WorkflowTemplate, ClusterWorkflowTemplate and CronWorkflow objects",
    markers: &["argoproj.io"],
    read,
};

const ID: &str = "argo-workflows";

/// Retries; without it they never end, and the back-off is not waited for (processNodeRetries).
const LIMIT: &str = "limit";
/// Which outcomes are retried; another word is refused at the submission.
const POLICY: Word<()> = Word {
    key: "retryPolicy",
    absent: (),
    words: &[("Always", ()), ("OnFailure", ()), ("OnError", ()), ("OnTransientError", ())],
};
/// The first wait, in quotes; without it a back-off makes the node fail with an error.
const DURATION: Time = Time::new("duration", Notation::Argo);
const CAP: Time = Time::new("cap", Notation::Argo);
/// Counts from the start of the first attempt, run times included.
const MAX_DURATION: Time = Time::new("maxDuration", Notation::Argo);
/// Of one attempt; it takes the place of activeDeadlineSeconds.
const TIMEOUT: Time = Time::new("timeout", Notation::Argo);
/// Of a template: of one attempt. Of the workflow: of everything.
const ACTIVE_DEADLINE: Time = Time::new("activeDeadlineSeconds", Notation::Whole(Seconds, true));
/// Of a container set: runs, although its comment speaks of retries.
const CONTAINER_RUNS: Count = Count::new("retries").or(1).quoted();
const CONTAINER_WAIT: Time = Time::new("duration", Notation::Go).or(Duration::ZERO);

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let mut owned = false;
    for object in objects(document).into_iter().filter(|object| object.group == "argoproj.io") {
        let spec = match object.kind {
            "Workflow" | "WorkflowTemplate" | "ClusterWorkflowTemplate" => object.node.get("spec"),
            "CronWorkflow" => object.node.path(["spec", "workflowSpec"]),
            _ => continue,
        };
        owned = true;
        if let Some(spec) = spec {
            workflow(object, Block::new(spec, Keys::Exact), facts);
        }
    }
    owned
}

fn workflow(object: Object<'_>, spec: Block<'_>, facts: &mut Facts) {
    let mut reader = Reader::new("Argo");
    let deadline = reader.get(spec, &ACTIVE_DEADLINE);
    let defaults = spec.block("templateDefaults");
    let templates: Vec<_> = spec.get("templates").into_iter().flat_map(Node::items).collect();
    for (shared, label) in [(spec, "all templates"), (defaults, "template defaults")] {
        let Some(strategy) = shared.get("retryStrategy") else { continue };
        let own = |template: &&Node<'_>| template.get("retryStrategy").is_none();
        let mut reader = Reader::new("Argo");
        let timeouts =
            templates.iter().filter(own).map(|template| attempt_timeout(&mut reader, *template, defaults));
        let timeout = match timeouts.reduce(longer) {
            Some(timeout) => timeout,
            None => default_timeout(&mut reader, defaults),
        };
        let name = format!("{}/{label}", object.name());
        let blocks = [Some(strategy), defaults.get("retryStrategy")];
        facts.policies.push(retry_strategy(reader, blocks, strategy, name, timeout, &deadline));
    }
    for template in &templates {
        let template = *template;
        let name = template.get("name").and_then(Node::text).unwrap_or("template");
        let name = format!("{}/{name}", object.name());
        if let Some(strategy) = template.get("retryStrategy") {
            let mut reader = Reader::new("Argo");
            let timeout = attempt_timeout(&mut reader, template, defaults);
            let mut policy = {
                let blocks = [Some(strategy), defaults.get("retryStrategy")];
                retry_strategy(reader, blocks, strategy, name.clone(), timeout, &deadline)
            };
            if [spec, defaults].iter().any(|shared| shared.get("retryStrategy").is_some()) {
                policy.idle = None; // it switches the shared strategy off
            }
            facts.policies.push(Policy { within: retried_callers(&templates, template), ..policy });
        }
        if let Some(strategy) = template.path(["containerSet", "retryStrategy"]) {
            facts.policies.push(container_retries(strategy, format!("{name}/containers"), &deadline));
        }
    }
}

/// The pointers of the retry strategies of templates that run this one, by steps or tasks, directly or by
/// way of templates without a strategy of their own.
fn retried_callers(templates: &[Node<'_>], called: Node<'_>) -> Vec<String> {
    let name = |template: Node<'_>| template.get("name").and_then(Node::text).map(str::to_string);
    let mut open: Vec<String> = name(called).into_iter().collect();
    let mut seen = open.clone();
    let mut found = Vec::new();
    while let Some(inner) = open.pop() {
        for caller in templates.iter().filter(|template| calls(**template, &inner)) {
            if let Some(strategy) = caller.get("retryStrategy") {
                found.push(strategy.pointer());
            } else if let Some(outer) = name(*caller).filter(|outer| !seen.contains(outer)) {
                seen.push(outer.clone());
                open.push(outer);
            }
        }
    }
    found.retain(|pointer| called.get("retryStrategy").is_none_or(|own| own.pointer() != *pointer));
    found.dedup();
    found
}

/// Whether a template runs another one as a step or a task.
fn calls(template: Node<'_>, name: &str) -> bool {
    let steps =
        template.get("steps").into_iter().flat_map(Node::items).flat_map(|group| match group.kind() {
            Kind::List => group.items().collect(),
            _ => vec![group],
        });
    let tasks = template.path(["dag", "tasks"]).into_iter().flat_map(Node::items);
    steps.chain(tasks).any(|step| step.get("template").and_then(Node::text) == Some(name))
}

/// The longer of two timeouts that govern one policy; none at all is longer than any.
fn longer(one: Setting<Duration>, other: Setting<Duration>) -> Setting<Duration> {
    match (one.bound, other.bound) {
        (Bound::At(a), Bound::At(b)) if b > a => other,
        (Bound::At(_), Bound::Unlimited | Bound::Unknown) => other,
        _ => one,
    }
}

fn attempt_timeout<'d>(
    reader: &mut Reader<'_, 'd>,
    template: Node<'d>,
    defaults: Block<'d>,
) -> Setting<Duration> {
    let own = Block::new(template, Keys::Exact);
    if ["steps", "dag"].iter().any(|key| own.get(key).is_some()) {
        if let Some(node) = own.get(ACTIVE_DEADLINE.key) {
            reader.refuse(node, "steps and dag templates have no activeDeadlineSeconds");
        }
        return Setting::unknown("what the template runs bounds it", None);
    }
    let timeout = reader.first(&[own, defaults], &TIMEOUT);
    if timeout.is_unlimited() { reader.first(&[own, defaults], &ACTIVE_DEADLINE) } else { timeout }
}

/// The timeout of templates that say nothing themselves.
fn default_timeout<'d>(reader: &mut Reader<'_, 'd>, defaults: Block<'d>) -> Setting<Duration> {
    let timeout = reader.get(defaults, &TIMEOUT);
    if timeout.is_unlimited() { reader.get(defaults, &ACTIVE_DEADLINE) } else { timeout }
}

/// `merged` is the strategy and what `templateDefaults` has in it where it says nothing itself
/// (workflow/controller: the defaults are merged into each template, key by key).
fn retry_strategy<'d>(
    mut reader: Reader<'_, 'd>,
    merged: [Option<Node<'d>>; 2],
    strategy: Node<'d>,
    name: String,
    attempt_timeout: Setting<Duration>,
    workflow_deadline: &Setting<Duration>,
) -> Policy {
    let blocks = merged.map(|node| Block::new(node, Keys::Exact));
    let waits = blocks.map(|block| block.block("backoff"));
    let attempts = attempts(&mut reader, &blocks);
    reader.first(&blocks, &POLICY);
    let own_deadline = reader.first(&waits, &MAX_DURATION);
    // maxDuration spares the first attempt; the workflow's deadline spares nothing
    let (deadline, deadline_effect) = match (own_deadline.bound, workflow_deadline.bound) {
        (Bound::Unlimited, _) => (workflow_deadline.clone(), DeadlineEffect::Cuts),
        (Bound::At(own), Bound::At(whole)) if whole < own => {
            (workflow_deadline.clone(), DeadlineEffect::Cuts)
        }
        _ => (own_deadline, DeadlineEffect::CutsRetries),
    };
    Policy {
        idle: (attempts.at() == Some(1)).then(|| Idle {
            why: "a limit of 0 or less leaves no retry".into(),
            help: "Allow at least 1 retry, or remove retryStrategy.".into(),
        }),
        backoff: if attempts.is_unlimited() {
            unwaited(&mut reader, &waits)
        } else {
            backoff(&mut reader, &waits)
        },
        attempts,
        attempt_timeout,
        deadline,
        deadline_effect,
        faults: reader.faults,
        ..policy(ID, Layer::Workflow, name, strategy)
    }
}

fn attempts<'d>(reader: &mut Reader<'_, 'd>, blocks: &[Block<'d>]) -> Setting<u64> {
    let negative = |node: Node<'d>| node.text().and_then(whole_number).is_some_and(|number| number < 0);
    let written = blocks.iter().find_map(|block| block.get(LIMIT));
    if let Some(node) = written.filter(|node| negative(*node)) {
        reader.replace(node, "every count of failures is over a negative limit, and Argo never retries");
        return Setting::written(1, node.place());
    }
    reader.first(blocks, &Count::new(LIMIT).quoted()).map(|retries| retries + 1)
}

/// A back-off that is not waited for, since there is no limit; its values are looked at all the same.
fn unwaited<'d>(reader: &mut Reader<'_, 'd>, waits: &[Block<'d>]) -> Backoff {
    backoff(reader, waits);
    Backoff::none("Argo waits only where there is a limit")
}

fn backoff<'d>(reader: &mut Reader<'_, 'd>, waits: &[Block<'d>]) -> Backoff {
    let none = Backoff::none("Argo's default");
    let Some(node) = waits.iter().find_map(|block| block.node()) else { return none };
    if waits.iter().all(|block| block.get(DURATION.key).is_none()) {
        reader.missing(node, DURATION.key);
        return Backoff::unknown("a back-off without a duration makes the node fail");
    }
    let factor = factor(reader, waits);
    let grows = factor.is_unknown() || factor.at().is_some_and(|factor| factor != Ratio::ONE);
    Backoff {
        growth: if grows { Growth::Exponential } else { Growth::Constant },
        initial: reader.first(waits, &DURATION),
        multiplier: factor,
        cap: reader.first(waits, &CAP),
        cap_applies: CapApplies::BeforeJitter,
        ..none
    }
}

/// Only whole numbers are read; from 0 down the wait is constant.
fn factor<'d>(reader: &mut Reader<'_, 'd>, waits: &[Block<'d>]) -> Setting<Ratio> {
    let constant = || Setting::default(Ratio::ONE, "Argo's default");
    let Some(node) = waits.iter().find_map(|block| block.get("factor")) else { return constant() };
    if node.text().and_then(whole_number).is_some_and(|number| number <= 0) {
        return Setting::written(Ratio::ONE, node.place());
    }
    reader
        .value(node, &Count::new("factor").range(1, i32::MAX as u64).quoted())
        .map(|factor| Ratio::new(factor, 1))
}

/// Each container of the set is run so many times in all, with the same wait in between.
fn container_retries(strategy: Node<'_>, name: String, deadline: &Setting<Duration>) -> Policy {
    let mut reader = Reader::new("Argo");
    let block = Block::new(strategy, Keys::Exact);
    Policy {
        attempts: reader.get(block, &CONTAINER_RUNS).map(|runs| runs.max(1)),
        backoff: Backoff {
            growth: Growth::Constant,
            initial: reader.get(block, &CONTAINER_WAIT),
            ..Backoff::none("Argo's default")
        },
        deadline: deadline.clone(),
        faults: reader.faults,
        ..policy(ID, Layer::Workflow, name, strategy)
    }
}
