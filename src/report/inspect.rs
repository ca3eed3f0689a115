//! `inspect`: everything that was found, with its computed values.

use crate::model::{Bound, Duration, Origin, Policy, Queue, Setting};
use crate::report::{mask, printable, write_json};
use crate::schedule::Schedule;
use crate::stack::{Found, Project, Stack, StackLayer};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the policies, queues and stacks of a project as JSON, version 1.
pub fn json(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    write_json(&value(project), out)
}

/// Writes the same as YAML.
pub fn yaml(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    serde_yaml::to_writer(out, &value(project)).map_err(io::Error::other)
}

fn value(project: &Project) -> Value {
    let (mut policies, mut queues) = (Vec::new(), Vec::new());
    for file in &project.files {
        let both = file.facts.policies.iter().zip(&file.schedules);
        policies.extend(both.map(|(found, schedule)| policy(&file.path, found, schedule)));
        queues.extend(file.facts.queues.iter().map(|found| queue(&file.path, found)));
    }
    json!({ "version": 1, "policies": policies, "queues": queues, "stacks": stacks(project) })
}

fn time(bound: Bound<Duration>) -> Value {
    bound.at().map_or(Value::Null, |time| json!(time.millis()))
}

fn count(bound: Bound<u64>) -> Value {
    bound.at().map_or(Value::Null, Value::from)
}

pub(super) fn policy(file: &str, policy: &Policy, schedule: &Schedule) -> Value {
    let waits = |pick: fn(&crate::schedule::Wait) -> Duration| match &schedule.waits {
        Some(waits) => waits.iter().map(|wait| json!(pick(wait).millis())).collect(),
        None => Value::Null,
    };
    let deadline = policy.deadline.at().map(|_| policy.deadline_effect.word());
    json!({
        "file": file,
        "line": policy.place.line,
        "column": policy.place.column,
        "pointer": mask::pointer(&policy.pointer),
        "dialect": policy.dialect,
        "name": mask::tokens(&policy.name),
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
    let origins =
        [&backoff.initial.origin, &backoff.multiplier.origin, &backoff.cap.origin, &backoff.jitter.origin];
    let unknown = origins.iter().find(|origin| matches!(origin, Origin::Unknown(..)));
    let assumed = || origins.iter().find(|origin| origin.is_assumed());
    unknown.or_else(assumed).copied().unwrap_or(&backoff.initial.origin)
}

pub(super) fn queue(file: &str, queue: &Queue) -> Value {
    let runs = queue.handlers.iter().map(|handler| handler.run.at());
    let longest: Option<Vec<Duration>> = runs.collect();
    json!({
        "file": file,
        "line": queue.place.line,
        "column": queue.place.column,
        "pointer": mask::pointer(&queue.pointer),
        "dialect": queue.dialect,
        "name": mask::tokens(&queue.name),
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

/// The call paths of a project.
pub(super) fn stacks(project: &Project) -> Vec<Value> {
    project.stacks.iter().map(|found| stack(project, found)).collect()
}

/// A call path.
pub(super) fn stack(project: &Project, stack: &Stack) -> Value {
    let layers: Vec<_> = stack.layers.iter().map(|part| layer(project, part)).collect();
    json!({
        "name": mask::tokens(&stack.name),
        "layers": layers,
        "fail_fast_calls": count(stack.fail_fast_calls),
        "slow_fail_calls": count(stack.slow_fail_calls),
        "demand_ms": time(stack.demand),
        "worst_case_ms": time(stack.worst_case),
        "deadline_ms": time(stack.deadline.bound),
    })
}

fn layer(project: &Project, layer: &StackLayer) -> Value {
    let found = project.found(layer.source);
    let Setting { bound, .. } = layer.attempts;
    json!({
        "name": mask::tokens(&layer.name),
        "layer": layer.layer.word(),
        "file": found.map(Found::path),
        "pointer": found.map(|found| mask::pointer(found.pointer())),
        "attempts": count(bound),
        "attempt_ms": time(layer.attempt),
        "worst_case_ms": time(layer.worst_case),
    })
}

/// Writes the same for people: a few lines for each policy, queue and stack, and where each number comes from.
pub fn human(project: &Project, out: &mut dyn Write) -> io::Result<()> {
    for file in
        project.files.iter().filter(|file| !file.facts.policies.is_empty() || !file.facts.queues.is_empty())
    {
        writeln!(out, "{}", printable(&file.path))?;
        for (policy, schedule) in file.facts.policies.iter().zip(&file.schedules) {
            describe_policy(policy, schedule, out)?;
        }
        for queue in &file.facts.queues {
            describe_queue(queue, out)?;
        }
        writeln!(out)?;
    }
    project.stacks.iter().try_for_each(|stack| describe_stack(stack, out))
}

fn describe_policy(policy: &Policy, schedule: &Schedule, out: &mut dyn Write) -> io::Result<()> {
    let Policy { name, dialect, pointer, .. } = policy;
    let title = format!("{name} ({dialect}, {}) {pointer}", policy.layer.word());
    writeln!(out, "  {}: {}", policy.place.line, printable(&title))?;
    writeln!(out, "      attempts         {}", said(&policy.attempts, "unlimited"))?;
    let origin = printable(&source_of(waits_origin(policy)));
    writeln!(out, "      waits            {} ({origin})", waits(schedule))?;
    writeln!(out, "      attempt timeout  {}", said(&policy.attempt_timeout, "none"))?;
    let effect =
        policy.deadline.at().map_or(String::new(), |_| format!(", {}", policy.deadline_effect.word()));
    writeln!(out, "      deadline         {}{effect}", said(&policy.deadline, "none"))?;
    let (demand, worst) = (bound(schedule.demand, "unlimited"), bound(schedule.worst_case, "unlimited"));
    writeln!(out, "      demand           {demand}\n      worst case       {worst}")
}

fn describe_queue(queue: &Queue, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("{} ({}, queue) {}", queue.name, queue.dialect, queue.pointer);
    writeln!(out, "  {}: {}", queue.place.line, printable(&title))?;
    writeln!(out, "      window           {}", said(&queue.window, "none"))?;
    writeln!(out, "      receives         {}", said(&queue.receives, "unlimited"))?;
    writeln!(out, "      retention        {}", said(&queue.retention, "unlimited"))?;
    for handler in &queue.handlers {
        writeln!(
            out,
            "      handler          {}: {}",
            printable(&handler.name),
            said(&handler.run, "unlimited")
        )?;
    }
    Ok(())
}

fn describe_stack(stack: &Stack, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "stack {}", printable(&stack.name))?;
    for layer in &stack.layers {
        writeln!(
            out,
            "  {} ({}): attempts {}",
            printable(&layer.name),
            layer.layer.word(),
            said(&layer.attempts, "unlimited")
        )?;
    }
    writeln!(out, "      fail-fast calls  {}", bound(stack.fail_fast_calls, "unlimited"))?;
    writeln!(out, "      slow-fail calls  {}", bound(stack.slow_fail_calls, "unlimited"))?;
    writeln!(out, "      demand           {}", bound(stack.demand, "unlimited"))?;
    writeln!(out, "      worst case       {}", bound(stack.worst_case, "unlimited"))?;
    writeln!(out, "      deadline         {}", said(&stack.deadline, "none"))
}

/// A value, or a word for its absence.
pub(super) fn bound<T: Copy + std::fmt::Display>(bound: Bound<T>, unlimited: &str) -> String {
    match bound {
        Bound::At(value) => value.to_string(),
        Bound::Unlimited => unlimited.to_string(),
        Bound::Unknown => "not known".to_string(),
    }
}

/// A value and where it comes from.
pub(super) fn said<T: Copy + std::fmt::Display>(setting: &Setting<T>, unlimited: &str) -> String {
    format!("{} ({})", bound(setting.bound, unlimited), printable(&source_of(&setting.origin)))
}

/// "line 12", "Istio's default", "not known: …"
fn source_of(origin: &Origin) -> String {
    match origin {
        Origin::Written(place) => format!("line {}", place.line),
        Origin::Inherited(place) => format!("inherited from line {}", place.line),
        Origin::Default(whose) | Origin::Declared(whose) => whose.to_string(),
        Origin::Assumed(why, Some(place)) | Origin::Fallback(why, place) => {
            format!("line {}, assumed: {why}", place.line)
        }
        Origin::Assumed(why, None) => format!("assumed: {why}"),
        Origin::Unknown(why, _) => format!("not known: {why}"),
    }
}

/// "0 s to 25 ms, 0 s to 50 ms; 75 ms in all at most"
fn waits(schedule: &Schedule) -> String {
    let total =
        schedule.total_max.at().filter(|_| schedule.waits.as_ref().is_some_and(|waits| !waits.is_empty()));
    let total = total.map_or(String::new(), |total| format!("; {total} in all at most"));
    format!("{}{total}", listed(schedule))
}

/// "0 s to 25 ms, 0 s to 50 ms"
pub(super) fn listed(schedule: &Schedule) -> String {
    const MOST: usize = 10;
    let Some(waits) = &schedule.waits else { return "not known".to_string() };
    if waits.is_empty() {
        return "none".to_string();
    }
    let one = |wait: &crate::schedule::Wait| match wait.min == wait.max {
        true => wait.max.to_string(),
        false => format!("{} to {}", wait.min, wait.max),
    };
    let shown: Vec<_> = waits.iter().take(MOST).map(one).collect();
    let more = if schedule.truncated || waits.len() > MOST { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
