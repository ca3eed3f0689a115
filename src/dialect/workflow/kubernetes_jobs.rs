//! Kubernetes Jobs and CronJobs (kubernetes/kubernetes pkg/controller/job/job_controller.go and
//! backoff_utils.go; kubernetes/website docs/concepts/workloads/pods/pod-lifecycle.md for restarts in place).

use crate::dialect::shape::kubernetes::{Object, objects};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time, Word};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Backoff, Bound, CapApplies, Duration, Facts, Growth, Layer, Policy, Ratio, Remark, Setting,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Kubernetes Jobs",
    reads: "Job and CronJob objects",
    markers: &["batch/v1"],
    read,
};

const ID: &str = "kubernetes-jobs";

/// Retries of the whole Job, by default 6 (pkg/apis/batch/v1/defaults.go).
const BACKOFF_LIMIT: Count = Count::new("backoffLimit").or(6);
/// Retries of one index; with it the Job has no limit of its own.
const PER_INDEX: Count = Count::new("backoffLimitPerIndex");
/// Indexes that may fail before the Job does.
const FAILED_INDEXES: Count = Count::new("maxFailedIndexes");
/// Of the Job: of everything. Of the pod: of one attempt, or of all restarts in place.
const ACTIVE_DEADLINE: Time =
    Time::new("activeDeadlineSeconds", Notation::Whole(Seconds, false)).at_least(Duration::from_secs(1));
const RESTART: Word<Restart> = Word {
    key: "restartPolicy",
    absent: Restart::Never,
    words: &[("Never", Restart::Never), ("OnFailure", Restart::OnFailure)],
};
/// DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff; the documentation's six minutes are those of
/// releases before 1.27.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The kubelet's ceiling between restarts in place.
const LONGEST_RESTART_WAIT: Duration = Duration::from_secs(300);

/// Who starts the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restart {
    /// The Job controller, with a new pod.
    Never,
    /// The kubelet, in the same pod.
    OnFailure,
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let mut owned = false;
    for object in objects(document).into_iter().filter(|object| object.group == "batch") {
        let spec = match object.kind {
            "Job" => object.node.get("spec"),
            "CronJob" => object.node.path(["spec", "jobTemplate", "spec"]),
            _ => continue,
        };
        owned = true;
        if let Some(spec) = spec {
            facts.policies.extend(job(object, spec));
        }
    }
    owned
}

/// The policy of a job; none of a patch that says nothing about it.
fn job(object: Object<'_>, spec: Node<'_>) -> Option<Policy> {
    let block = Block::new(spec, Keys::Exact);
    let limit = block.get(PER_INDEX.key).or(block.get(BACKOFF_LIMIT.key));
    let template = block.block("template");
    if limit.is_none() && template.node().is_none() {
        return None;
    }
    let pod = template.block("spec");
    let mut reader = Reader::new("Kubernetes");
    let known = reader.get(pod, &RESTART);
    let restart = known.at().unwrap_or(Restart::Never);
    let count = match block.get(PER_INDEX.key) {
        Some(node) if restart == Restart::OnFailure => {
            reader.refuse(node, "restartPolicy: Never is expected beside it");
            reader.get(block, &PER_INDEX)
        }
        Some(node) => {
            let mode = block.get("completionMode").and_then(Node::text);
            if mode.is_none_or(|mode| mode == "NonIndexed") {
                reader.refuse(node, "completionMode: Indexed is expected beside it");
            }
            reader.get(block, &PER_INDEX)
        }
        None => reader.get(block, &BACKOFF_LIMIT),
    };
    if let Some(node) = block.get("podFailurePolicy").filter(|_| restart == Restart::OnFailure) {
        reader.refuse(node, "restartPolicy: Never is expected beside it");
    }
    failed_indexes(&mut reader, block);
    let idle_limits = if reader.faults.is_empty() { unreached(block) } else { Vec::new() };
    let job_deadline = reader.get(block, &ACTIVE_DEADLINE);
    let pod_deadline = reader.get(pod, &ACTIVE_DEADLINE);
    let (attempt_timeout, deadline) = match restart {
        Restart::Never => (pod_deadline, job_deadline),
        Restart::OnFailure => {
            (Setting::unlimited("nothing bounds a run by itself"), sooner(job_deadline, pod_deadline))
        }
    };
    Some(Policy {
        written: limit.is_some(),
        attempts: match restart {
            _ if known.is_unknown() => Setting::unknown("restartPolicy decides what it counts", None),
            Restart::Never => count.map(|retries| retries + 1),
            // the restart that reaches the limit is killed right after its start (pastBackoffLimitOnFailure)
            Restart::OnFailure => count.map(|restarts| restarts.max(1)),
        },
        backoff: backoff(restart),
        attempt_timeout,
        deadline,
        idle_limits,
        faults: reader.faults,
        ..policy(ID, Layer::Job, object.name().to_string(), limit.unwrap_or(spec))
    })
}

/// At most as many indexes as there are may fail, and only where each has a limit of its own.
fn failed_indexes<'d>(reader: &mut Reader<'_, 'd>, block: Block<'d>) {
    let Some(node) = block.get(FAILED_INDEXES.key) else { return };
    let most = reader.get(block, &FAILED_INDEXES).at();
    let completions = reader.get(block, &Count::new("completions")).at();
    if block.get(PER_INDEX.key).is_none() {
        reader.refuse(node, "backoffLimitPerIndex is expected beside it");
    } else if let (Some(most), Some(all)) = (most, completions)
        && most > all
    {
        reader.refuse(node, format!("at most completions, {all}, is expected"));
    }
}

/// Limits of the whole Job that its indexes cannot reach: a Job fails with more failed pods than backoffLimit, or more
/// failed indexes than maxFailedIndexes, and each index fails once more than backoffLimitPerIndex at the most
/// (kubernetes/kubernetes pkg/controller/job/job_controller.go, 1.33).
fn unreached(block: Block<'_>) -> Vec<Remark> {
    let mut reader = Reader::new("Kubernetes");
    let mut count = |key: &'static str| {
        let node = block.get(key)?;
        Some((node, reader.value(node, &Count::new(key)).at()?))
    };
    let (Some((_, per_index)), Some((_, indexes))) = (count(PER_INDEX.key), count("completions")) else {
        return Vec::new();
    };
    let most = per_index.saturating_add(1).saturating_mul(indexes);
    let pods = count(BACKOFF_LIMIT.key).filter(|(_, limit)| *limit >= most).map(|(node, limit)| {
        let why = format!("{indexes} indexes with {per_index} retries each fail {most} times at the most");
        (node, format!("{}: {limit} is never reached: {why}", node.key()))
    });
    let failed = count(FAILED_INDEXES.key).filter(|(_, limit)| *limit >= indexes).map(|(node, limit)| {
        (node, format!("{}: {limit} is never passed: there are {indexes} indexes in all", node.key()))
    });
    let remark = |(node, what): (Node<'_>, String)| Remark {
        place: node.key_place(),
        pointer: node.pointer(),
        what: what.into(),
        help: "Set it so low that it can be reached, or remove it.".into(),
    };
    pods.into_iter().chain(failed).map(remark).collect()
}

fn sooner(one: Setting<Duration>, other: Setting<Duration>) -> Setting<Duration> {
    match (one.bound, other.bound) {
        (Bound::At(a), Bound::At(b)) if b < a => other,
        (Bound::Unlimited, _) => other,
        _ => one,
    }
}

fn backoff(restart: Restart) -> Backoff {
    let whose = "Kubernetes' own back-off";
    let (lead, longest) = match restart {
        Restart::Never => (Vec::new(), LONGEST_WAIT),
        Restart::OnFailure => (vec![Duration::ZERO], LONGEST_RESTART_WAIT),
    };
    Backoff {
        lead,
        growth: Growth::Exponential,
        initial: Setting::default(FIRST_WAIT, whose),
        multiplier: Setting::default(Ratio::new(2, 1), whose),
        cap: Setting::default(longest, whose),
        cap_applies: CapApplies::BeforeJitter,
        ..Backoff::none(whose)
    }
}
