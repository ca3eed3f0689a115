//! `inspect --format json`: everything that was found, with its computed values.

use crate::model::{Bound, Duration, Origin, Policy, Queue, Setting};
use crate::schedule::Schedule;
use crate::stack::{LayerSource, Project, Stack, StackLayer};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the policies, queues and stacks of a project, as version 1 of the format.
pub fn json(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    let (mut policies, mut queues) = (Vec::new(), Vec::new());
    for file in &project.files {
        let both = file.facts.policies.iter().zip(&file.schedules);
        policies.extend(both.map(|(found, schedule)| policy(&file.path, found, schedule)));
        queues.extend(file.facts.queues.iter().map(|found| queue(&file.path, found)));
    }
    let stacks: Vec<_> = project.stacks.iter().map(|found| stack(project, found)).collect();
    let all = json!({ "version": 1, "policies": policies, "queues": queues, "stacks": stacks });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}

fn time(bound: Bound<Duration>) -> Value {
    bound.at().map_or(Value::Null, |time| json!(time.millis()))
}

fn count(bound: Bound<u64>) -> Value {
    bound.at().map_or(Value::Null, Value::from)
}

fn policy(file: &str, policy: &Policy, schedule: &Schedule) -> Value {
    let waits = |pick: fn(&crate::schedule::Wait) -> Duration| match &schedule.waits {
        Some(waits) => waits.iter().map(|wait| json!(pick(wait).millis())).collect(),
        None => Value::Null,
    };
    let deadline = policy.deadline.at().map(|_| policy.deadline_effect.word());
    json!({
        "file": file,
        "line": policy.place.line,
        "column": policy.place.column,
        "pointer": policy.pointer,
        "dialect": policy.dialect,
        "name": policy.name,
        "layer": policy.layer.word(),
        "attempts": count(policy.attempts.bound),
        "waits_min_ms": waits(|wait| wait.min),
        "waits_max_ms": waits(|wait| wait.max),
        "waits_truncated": schedule.truncated,
        "total_wait_min_ms": time(schedule.total_min),
        "total_wait_max_ms": time(schedule.total_max),
        "attempt_timeout_ms": time(policy.attempt_timeout.bound),
        "deadline_ms": time(policy.deadline.bound),
        "deadline_effect": deadline,
        "demand_ms": time(schedule.demand),
        "worst_case_ms": time(schedule.worst_case),
        "origins": {
            "attempts": policy.attempts.origin.word(),
            "waits": waits_origin(policy).word(),
            "attempt_timeout": policy.attempt_timeout.origin.word(),
            "deadline": policy.deadline.origin.word(),
        },
    })
}

/// Where the waits come from: what is unknown or assumed of them, else where the first wait does.
pub(super) fn waits_origin(policy: &Policy) -> &Origin {
    let backoff = &policy.backoff;
    let origins = [&backoff.initial.origin, &backoff.multiplier.origin, &backoff.cap.origin, &backoff.jitter.origin];
    let unknown = origins.iter().find(|origin| matches!(origin, Origin::Unknown(..)));
    let assumed = || origins.iter().find(|origin| origin.is_assumed());
    unknown.or_else(assumed).copied().unwrap_or(&backoff.initial.origin)
}

fn queue(file: &str, queue: &Queue) -> Value {
    let runs = queue.handlers.iter().map(|handler| handler.run.at());
    let longest: Option<Vec<Duration>> = runs.collect();
    json!({
        "file": file,
        "line": queue.place.line,
        "column": queue.place.column,
        "pointer": queue.pointer,
        "dialect": queue.dialect,
        "name": queue.name,
        "window_ms": time(queue.window.bound),
        "receives": count(queue.receives.bound),
        "retention_ms": time(queue.retention.bound),
        "handler_worst_case_ms": longest.and_then(|runs| runs.into_iter().max()).map(|time| json!(time.millis())),
        "origins": {
            "window": queue.window.origin.word(),
            "receives": queue.receives.origin.word(),
            "retention": queue.retention.origin.word(),
        },
    })
}

fn stack(project: &Project, stack: &Stack) -> Value {
    let layers: Vec<_> = stack.layers.iter().map(|part| layer(project, part)).collect();
    json!({
        "name": stack.name,
        "layers": layers,
        "fail_fast_calls": count(stack.fail_fast_calls),
        "slow_fail_calls": count(stack.slow_fail_calls),
        "demand_ms": time(stack.demand),
        "worst_case_ms": time(stack.worst_case),
        "deadline_ms": time(stack.deadline.bound),
    })
}

fn layer(project: &Project, layer: &StackLayer) -> Value {
    let place = match layer.source {
        LayerSource::Policy { file, policy } => {
            project.files.get(file).and_then(|file| Some((&file.path, &file.facts.policies.get(policy)?.pointer)))
        }
        LayerSource::Queue { file, queue } => {
            project.files.get(file).and_then(|file| Some((&file.path, &file.facts.queues.get(queue)?.pointer)))
        }
        LayerSource::Foreign => None,
    };
    let Setting { bound, .. } = layer.attempts;
    json!({
        "name": layer.name,
        "layer": layer.layer.word(),
        "file": place.map(|(file, _)| file),
        "pointer": place.map(|(_, pointer)| pointer),
        "attempts": count(bound),
        "attempt_ms": time(layer.attempt),
        "worst_case_ms": time(layer.worst_case),
    })
}
