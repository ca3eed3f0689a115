//! Argo Workflows (argoproj/argo-workflows, main of August 2026: workflow/controller/operator.go,
//! pkg/apis/workflow/v1alpha1/workflow_types.go, cmd/argoexec/commands/emissary.go).

use crate::dialect::shape::kubernetes::{Object, objects};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time, Word, whole_number};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Backoff, Bound, CapApplies, DeadlineEffect, Duration, Facts, Growth, Idle, Layer, Links, Policy, Ratio,
    Setting,
};

mod templates;

use templates::{Template, Templates, reference, steps};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Argo Workflows",
    reads: "Workflow, WorkflowTemplate, ClusterWorkflowTemplate and CronWorkflow objects, alone or in a Sensor",
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
/// Of one attempt; it takes the place of activeDeadlineSeconds. A whole number is refused (workflow/validate).
const TIMEOUT: Time = Time::new("timeout", Notation::Go);
/// Of a template: of one attempt. Of the workflow: of everything.
const ACTIVE_DEADLINE: Time = Time::new("activeDeadlineSeconds", Notation::Whole(Seconds, true));
/// Of a container set: runs, although its comment speaks of retries.
const CONTAINER_RUNS: Count = Count::new("retries").or(1).quoted();
const CONTAINER_WAIT: Time = Time::new("duration", Notation::Go).or(Duration::ZERO);

/// The keys of a retryStrategy (RetryStrategy) and of its backoff (Backoff).
const KEYS: &[&str] = &[LIMIT, POLICY.key, "backoff", "affinity", "expression"];
const WAIT_KEYS: &[&str] = &[DURATION.key, "factor", CAP.key, MAX_DURATION.key];
/// What becomes of other keys: workflow/common/parse.go is strict unless told otherwise; the full resource
/// definitions, the default from 4.0 on, drop them, and the minimal ones keep what the controller does not read.
const UNKNOWN: &str = "Argo has no such key: argo lint refuses it, and a workflow runs without it";

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let mut owned = false;
    let objects = objects(document).into_iter().filter(|object| object.group == "argoproj.io");
    for object in objects.flat_map(with_triggered) {
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

/// An object, and the workflows that a sensor of Argo Events starts.
fn with_triggered(object: Object<'_>) -> Vec<Object<'_>> {
    let sensor = Some(object.node).filter(|_| object.kind == "Sensor");
    let triggers = sensor.and_then(|node| node.path(["spec", "triggers"])).into_iter().flat_map(Node::items);
    let started = triggers.flat_map(|trigger| {
        let ways = ["argoWorkflow", "k8s"];
        ways.into_iter().filter_map(move |way| trigger.path(["template", way, "source", "resource"]))
    });
    let started = started.filter_map(Object::of).filter(|object| object.group == "argoproj.io");
    std::iter::once(object).chain(started).collect()
}

fn workflow(object: Object<'_>, spec: Block<'_>, facts: &mut Facts) {
    let mut reader = Reader::new("Argo");
    let deadline = reader.get(spec, &ACTIVE_DEADLINE);
    let defaults = spec.block("templateDefaults");
    let templates = Templates::of(object, spec);
    facts.workloads.extend(templates.workloads(object));
    let shared = [(spec, "all templates"), (defaults, "template defaults")];
    let shared = shared.map(|(block, label)| (block.get("retryStrategy"), label));
    for (strategy, label) in shared {
        let Some(strategy) = strategy else { continue };
        let own = |template: &&Template<'_>| template.strategy().is_none();
        let mut reader = Reader::new("Argo");
        let timeouts = templates
            .all
            .iter()
            .filter(own)
            .map(|template| attempt_timeout(&mut reader, template.node, defaults));
        let timeout = match timeouts.reduce(longer) {
            Some(timeout) => timeout,
            None => default_timeout(&mut reader, defaults),
        };
        let name = format!("{}/{label}", object.name());
        let blocks = [Some(strategy), defaults.get("retryStrategy")];
        let whole = spec.get("workflowTemplateRef").and_then(|named| reference(object, named));
        let calls = templates.plain_runs_elsewhere().chain(whole).collect();
        let links = Links { calls, ..Links::default() };
        let policy = retry_strategy(reader, blocks, strategy, name, timeout, &deadline);
        facts.policies.push(Policy { links, ..policy });
    }
    let shared = shared.into_iter().find_map(|(strategy, _)| strategy);
    let on_exit = templates.on_exit(spec);
    let spared = Setting::unlimited("the workflow's deadline spares what runs on exit");
    for (at, template) in templates.all.iter().enumerate() {
        let node = template.node;
        let deadline = if on_exit.contains(&at) { &spared } else { &deadline };
        let name = format!("{}/{}", object.name(), templates.label(at));
        let within = templates.retried_callers(at, shared);
        let owners = templates.run_as(at, object);
        if let Some(strategy) = template.strategy() {
            let mut reader = Reader::new("Argo");
            let timeout = attempt_timeout(&mut reader, node, defaults);
            let mut policy = {
                let blocks = [Some(strategy), defaults.get("retryStrategy")];
                retry_strategy(reader, blocks, strategy, name.clone(), timeout, deadline)
            };
            if shared.is_some() {
                policy.idle = None; // it switches the shared strategy off
            }
            let owners = owners.iter().cloned().chain(templates.run_in(at, object)).collect();
            let links = Links { calls: templates.runs_elsewhere(at), owners, ..Links::default() };
            facts.policies.push(Policy { within: within.clone(), links, ..policy });
        }
        for strategy in steps(node).filter_map(|step| step.get("retryStrategy")) {
            facts.policies.push(Policy {
                idle: Some(Idle {
                    why: "a step or a task has no retryStrategy, only the template that it runs".into(),
                    help: "Move it into the template.".into(),
                }),
                ..policy(ID, Layer::Workflow, format!("{name}/step"), strategy)
            });
        }
        if let Some(strategy) = node.path(["containerSet", "retryStrategy"]) {
            let policy = container_retries(strategy, format!("{name}/containers"), deadline);
            // the strategy of the template runs the whole pod again
            facts.policies.push(match template.strategy().or(shared) {
                Some(around) => Policy { within: vec![around.pointer()], ..policy },
                None => Policy { within, links: Links { owners, ..Links::default() }, ..policy },
            });
        }
    }
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
    reader.unknown(blocks[0], KEYS, |_| true, UNKNOWN);
    reader.unknown(waits[0], WAIT_KEYS, |_| true, UNKNOWN);
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
    reader.unknown(block, &[CONTAINER_RUNS.key, CONTAINER_WAIT.key], |_| true, UNKNOWN);
    let runs = block.get(CONTAINER_RUNS.key);
    if let Some(node) = runs.filter(|node| node.text().and_then(whole_number) == Some(0)) {
        reader.replace(node, "it counts the runs of each container, the first included, and none is made");
    }
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
