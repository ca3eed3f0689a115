//! Vector's sinks (vectordotdev/vector 0.5x: src/sinks/util/service.rs, src/sinks/util/retries.rs).

use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time, Word};
use crate::dialect::shape::switch::switch;
use crate::dialect::shape::{failures, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{Backoff, Bound, CapApplies, Duration, Facts, Growth, Jitter, Layer, Policy, Setting};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Vector",
    reads: "vector.toml, vector.yaml and their parts with sinks",
    markers: &["sinks"],
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

/// Sinks that send requests, and so retry without a `request` table as well; a `*` stands for any ending.
const REQUESTING: &[&str] = &[
    "appsignal",
    "aws_*",
    "axiom",
    "azure_*",
    "clickhouse",
    "databend",
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
    "webhdfs",
];

const fn seconds(key: &'static str, absent: u64) -> Time {
    Time::new(key, Notation::Whole(Seconds, false))
        .at_least(Duration::from_secs(1))
        .or(Duration::from_secs(absent))
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let root = document.root();
    // the values of Vector's chart, by itself or as a part of another
    let charts = root.entries().filter_map(|part| part.get("customConfig"));
    let values: Vec<_> = root.get("customConfig").into_iter().chain(charts).collect();
    let mut owned = false;
    for config in values.into_iter().chain([root]) {
        owned |= sinks(config, facts);
    }
    owned
}

/// The sinks of a configuration, if it is one.
fn sinks(config: Node<'_>, facts: &mut Facts) -> bool {
    let Some(sinks) = config.get("sinks").filter(|sinks| sinks.kind() == Kind::Map) else {
        return false;
    };
    let is_sink = |sink: Node<'_>| sink.get("type").is_some() && sink.get("inputs").is_some();
    if !sinks.entries().any(is_sink) {
        return false;
    }
    facts.policies.extend(sinks.entries().filter_map(sink));
    true
}

fn requests(kind: &str) -> bool {
    REQUESTING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == *known,
    })
}

fn sink(node: Node<'_>) -> Option<Policy> {
    let kind = node.get("type")?.text()?;
    let request = node.get("request").filter(|request| request.kind() == Kind::Map);
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
    let strategy = node.get("retry_strategy").map(|strategy| Block::new(strategy, Keys::Exact));
    let word = |key: &str| strategy.and_then(|strategy| strategy.get(key));
    let kind = word("type").and_then(Node::text);
    let attempts = match word("type").filter(|_| kind == Some("none")) {
        Some(none) => Setting::written(1, none.place()),
        None => attempts,
    };
    let codes = word("status_codes").filter(|_| kind == Some("custom"));
    let written = ["retry_attempts", INITIAL.key, MAX.key, JITTER.key];
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
        repeated: codes.and_then(failures::statuses).into_iter().collect(),
        ships: true,
        faults: reader.faults,
        ..policy(ID, Layer::Client, node.key().to_string(), request.unwrap_or(node))
    })
}
