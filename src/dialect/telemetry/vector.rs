//! Vector's sinks (vectordotdev/vector 0.5x: src/sinks/util/service.rs, src/sinks/util/retries.rs).

use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time, Word};
use crate::dialect::shape::switch::switch;
use crate::dialect::shape::{failures, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Backoff, Bound, CapApplies, Duration, Facts, Growth, Jitter, Layer, Policy, Remark, Repeated, Setting,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Vector",
    reads: "vector.toml, vector.yaml, their parts with sinks, and the files of a sinks folder",
    markers: &["sinks", "retry_"],
    read,
};

const ID: &str = "vector";

/// The default, 9223372036854775807, is as good as none: retries without end.
const ENDLESS: u64 = i64::MAX as u64;
/// Retries.
const RETRY_ATTEMPTS: Count = Count::new("retry_attempts").range(0, ENDLESS);
const INITIAL: Time = seconds("retry_initial_backoff_secs", 1);
/// Of one wait, whatever its name says; 3600 before 0.35.
const MAX: Time = seconds("retry_max_duration_secs", 30);
/// Of each attempt.
const TIMEOUT: Time = seconds("timeout_secs", 60).at_least(Duration::ZERO);
const JITTER: Word<Jitter> =
    Word { key: "retry_jitter_mode", absent: FULL, words: &[("Full", FULL), ("None", Jitter::None)] };
/// The wait is drawn from 1 ms on.
const FULL: Jitter = Jitter::Full { least: Duration::from_millis(1) };

/// The other settings of `request`.
const OTHERS: &[&str] =
    &["concurrency", "rate_limit_duration_secs", "rate_limit_num", "adaptive_concurrency", "headers"];
/// Words of which a key holds one that is meant to say how requests are tried again. The struct of `request`
/// does not refuse what it does not know, other than the sinks around it (src/sinks/util/service.rs).
const MEANT: &[&str] = &["retr", "attempt", "backoff", "jitter", "timeout"];

/// Which answers are retried. Of another sink the key is refused like any other that it does not know, but
/// for a few that pass over them (`deny_unknown_fields` in src/sinks/*/config.rs).
const STRATEGY: &str = "retry_strategy";
/// Its words: RetryStrategy of src/sinks/util/http.rs.
const STRATEGIES: Word<()> =
    Word { key: "type", absent: (), words: &[("none", ()), ("default", ()), ("all", ()), ("custom", ())] };
/// Sinks that have it.
const STRATEGIC: &[&str] = &[
    "appsignal",
    "aws_s3",
    "axiom",
    "azure_logs_ingestion",
    "datadog_events",
    "gcp_stackdriver_logs",
    "gcp_stackdriver_metrics",
    "honeycomb",
    "http",
    "keep",
    "opentelemetry",
    "prometheus_remote_write",
];
/// Sinks that pass over keys that they do not know.
const LENIENT: &[&str] = &["gcp_pubsub", "mezmo", "logdna", "sematext_logs", "sematext_metrics"];

/// Sinks that send requests, and so retry without a `request` table as well; a `*` stands for any ending.
const REQUESTING: &[&str] = &[
    "appsignal",
    "aws_*",
    "axiom",
    "azure_*",
    "clickhouse",
    "databend",
    "databricks_zerobus",
    "datadog_*",
    "doris",
    "elasticsearch",
    "gcp_*",
    "greptimedb*",
    "honeycomb",
    "http",
    "humio_*",
    "influxdb_*",
    "keep",
    "logdna",
    "loki",
    "mezmo",
    "nats",
    "new_relic",
    "opentelemetry",
    "postgres",
    "prometheus_remote_write",
    "redis",
    "sematext_*",
    "splunk_hec_*",
    "vector",
];

const fn seconds(key: &'static str, absent: u64) -> Time {
    Time::new(key, Notation::Whole(Seconds, false))
        .at_least(Duration::from_secs(1))
        .or(Duration::from_secs(absent))
}

fn read(document: &Document<'_>, file: &File<'_>, facts: &mut Facts) -> bool {
    let root = document.root();
    if let Some(name) = sink_file(file.path).filter(|_| is_sink(root)) {
        facts.policies.extend(sink(root, name));
        return true;
    }
    // the values of Vector's chart, by itself or as a part of another
    let charts = root.entries().filter_map(|part| part.get("customConfig"));
    let values: Vec<_> = root.get("customConfig").into_iter().chain(charts).collect();
    let mut owned = false;
    for config in values.into_iter().chain([root]) {
        owned |= sinks(config, facts);
    }
    owned
}

/// The name of the sink that a file of a `--config-dir` holds without anything around it: each file in the
/// folder `sinks` is one (src/config/loading/loader.rs, load_from_dir).
fn sink_file(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    let folder = folder.rsplit(['/', '\\']).next();
    folder.filter(|folder| *folder == "sinks").and(name.rsplit_once('.')).map(|(name, _)| name)
}

fn is_sink(node: Node<'_>) -> bool {
    node.get("type").is_some() && node.get("inputs").is_some()
}

/// The sinks of a configuration, if it is one.
fn sinks(config: Node<'_>, facts: &mut Facts) -> bool {
    let Some(sinks) = config.get("sinks").filter(|sinks| sinks.kind() == Kind::Map) else {
        return false;
    };
    if !sinks.entries().any(is_sink) {
        return false;
    }
    facts.policies.extend(sinks.entries().filter_map(|node| sink(node, node.key())));
    true
}

fn requests(kind: &str) -> bool {
    REQUESTING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == *known,
    })
}

fn sink(node: Node<'_>, name: &str) -> Option<Policy> {
    let kind = node.get("type")?.text()?;
    // an http sink within, for the one protocol that there is (src/sinks/opentelemetry/mod.rs)
    let settings = if kind == "opentelemetry" { node.get("protocol")? } else { node };
    let request = settings.get("request").filter(|request| request.kind() == Kind::Map);
    if request.is_none() && !requests(kind) {
        return None;
    }
    let block = Block::new(request, Keys::Exact);
    let mut reader = Reader::new("Vector");
    let retries = reader.get(block, &RETRY_ATTEMPTS);
    let attempts = match retries.bound {
        Bound::At(ENDLESS) => Setting { bound: Bound::Unlimited, ..retries },
        _ => retries.map(|retries| retries + 1),
    };
    let (attempts, repeated) = match settings.get(STRATEGY) {
        Some(strategy) => retry_strategy(&mut reader, strategy, kind, attempts),
        None => (attempts, None),
    };
    // with this strategy nothing is retried, however many retries are written (src/sinks/util/retries.rs)
    let none = settings.get(STRATEGY).and_then(|strategy| strategy.get(STRATEGIES.key)).and_then(Node::text)
        == Some("none")
        && STRATEGIC.contains(&kind);
    let lost = block.get(RETRY_ATTEMPTS.key).filter(|node| none && node.text() != Some("0"));
    let idle_limits = lost.map(|node| Remark {
        place: node.key_place(),
        pointer: node.pointer(),
        what: format!(
            "{} has no effect beside a retry_strategy of the type none, which retries nothing",
            node.key()
        )
        .into(),
        help: "Remove it, or the retry_strategy.".into(),
    });
    if let Some(misplaced) = block.get(STRATEGY) {
        reader.replace(misplaced, "Vector reads it beside request, not within");
    }
    let written = [RETRY_ATTEMPTS.key, INITIAL.key, MAX.key, JITTER.key];
    reader.unknown(
        block,
        &[&written[..], &[TIMEOUT.key, STRATEGY], OTHERS].concat(),
        |key| MEANT.iter().any(|word| key.contains(word)),
        "Vector passes over a key of request that it does not know",
    );
    Some(Policy {
        written: written.iter().any(|key| block.get(key).is_some()),
        attempts,
        backoff: Backoff {
            growth: Growth::FibonacciFromSecond,
            initial: reader.get(block, &INITIAL),
            cap: reader.get(block, &MAX),
            cap_applies: CapApplies::BeforeJitter,
            jitter: reader.get(block, &JITTER),
            can_jitter: true,
            switch: switch(block.get(JITTER.key), None, JITTER.key, "Full"),
            ..Backoff::none("Vector's default")
        },
        attempt_timeout: reader.get(block, &TIMEOUT),
        repeated: repeated.into_iter().collect(),
        ships: true,
        idle_limits: idle_limits.into_iter().collect(),
        faults: reader.faults,
        ..policy(ID, Layer::Client, name.to_string(), request.unwrap_or(node))
    })
}

/// What a strategy leaves of the attempts, and what of its codes cannot succeed later.
fn retry_strategy<'d>(
    reader: &mut Reader<'_, 'd>,
    node: Node<'d>,
    kind: &str,
    attempts: Setting<u64>,
) -> (Setting<u64>, Option<Repeated>) {
    if !STRATEGIC.contains(&kind) {
        if LENIENT.contains(&kind) {
            reader.replace(node, format!("the {kind} sink does not know it, and goes on without it"));
        } else if requests(kind) {
            reader.refuse(node, format!("the {kind} sink does not know it"));
        }
        return (attempts, None);
    }
    if node.kind() != Kind::Map {
        reader.refuse(node, "a mapping with a type is expected");
        return (attempts, None);
    }
    let strategy = Block::new(node, Keys::Exact);
    match strategy.get(STRATEGIES.key) {
        Some(word) => drop(reader.value(word, &STRATEGIES)),
        None => reader.missing(node, STRATEGIES.key),
    }
    match strategy.get(STRATEGIES.key).and_then(|word| Some((word, word.text()?))) {
        Some((word, "none")) => (Setting::written(1, word.place()), None),
        Some((_, "custom")) => {
            let codes = strategy.get("status_codes");
            if codes.is_none() {
                reader.missing(node, "status_codes");
            }
            (attempts, codes.and_then(failures::statuses))
        }
        _ => (attempts, None),
    }
}
