//! Envoy's route configuration: in a bootstrap, alone, as resources of an xDS file, or in a dump
//! (envoyproxy/data-plane-api envoy/config/route/v3/route_components.proto; measured with 1.40).

use crate::dialect::shape::envoy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time};
use crate::dialect::shape::{failures, placeholder, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::{Backoff, Bound, Duration, Facts, Idle, Layer, Origin, Policy, Setting};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Envoy",
    reads: "bootstrap files and route configurations, YAML and JSON",
    markers: &["virtual_hosts", "virtualhosts"],
    read,
};

const ID: &str = "envoy";

/// Retries, not attempts (RetryPolicy.num_retries, uint32).
const NUM_RETRIES: Count = Count::new("num_retries").or(1).range(0, u32::MAX as u64).quoted();
/// One of `retriable_status_codes`, uint32; Envoy takes any.
const STATUS_CODE: Count = Count::new("retriable_status_codes").range(0, u32::MAX as u64).quoted();
const PER_TRY_TIMEOUT: Time = Time::new("per_try_timeout", Notation::ProtobufMessage).zero_is_none();
const BASE_INTERVAL: Time = above_zero("base_interval").or(envoy::BASE);
const MAX_INTERVAL: Time = above_zero("max_interval");
/// The fields of RetryPolicy and of its RetryBackOff, of 1.40.
const FIELDS: &[&str] = &[
    "retry_on",
    "num_retries",
    "per_try_timeout",
    "per_try_idle_timeout",
    "retry_priority",
    "retry_host_predicate",
    "retry_options_predicates",
    "host_selection_retry_max_attempts",
    "retriable_status_codes",
    "retry_back_off",
    "rate_limited_retry_back_off",
    "retriable_headers",
    "retriable_request_headers",
    "refresh_cluster_on_retry",
];
const BACK_OFF_FIELDS: &[&str] = &["base_interval", "max_interval"];
/// RouteAction.timeout.
const TIMEOUT: Time =
    Time::new("timeout", Notation::ProtobufMessage).or(Duration::from_secs(15)).zero_is_none();

const fn above_zero(key: &'static str) -> Time {
    Time::new(key, Notation::ProtobufMessage).at_least(Duration::from_nanos(1))
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let root = Block::new(document.root(), Keys::Protobuf);
    let bootstrap = root.get("static_resources").is_some() || root.get("dynamic_resources").is_some();
    let resource = |item: Node<'_>| {
        let kind = item.get("@type").and_then(Node::text);
        kind.is_some_and(|kind| kind.starts_with("type.googleapis.com/envoy."))
    };
    let resources = ["resources", "configs"]
        .iter()
        .any(|key| root.get(key).is_some_and(|list| list.items().any(resource)));
    let routes = |node: Node<'_>| {
        let hosts = Block::new(node, Keys::Protobuf).get("virtual_hosts");
        hosts.is_some_and(|hosts| hosts.items().any(|host| host.get("domains").is_some()))
    };
    let routes = routes(document.root()) || document.root().items().any(routes);
    if bootstrap || resources || routes || resource(document.root()) {
        route_configurations(document.root(), facts);
        return true;
    }
    false
}

/// Every virtual host, wherever the filters, listeners and resources around it stand. The nesting is
/// bounded by the document.
fn route_configurations(node: Node<'_>, facts: &mut Facts) {
    for child in node.children() {
        if Keys::Protobuf.same(child.key(), "virtual_hosts") {
            child.items().for_each(|host| virtual_host(host, facts));
        } else if matches!(child.kind(), Kind::List | Kind::Map) {
            route_configurations(child, facts);
        }
    }
}

fn virtual_host(host: Node<'_>, facts: &mut Facts) {
    let block = Block::new(host, Keys::Protobuf);
    let host_name = block.get("name").and_then(Node::text).unwrap_or("virtual host");
    let mut inherited: Vec<Setting<Duration>> = Vec::new();
    let mut own = Vec::new();
    for (n, route) in block.get("routes").into_iter().flat_map(Node::items).enumerate() {
        let route = Block::new(route, Keys::Protobuf);
        let action = route.block("route");
        if action.node().is_none() {
            continue;
        }
        let mut reader = Reader::new("Envoy");
        let timeout = reader.get(action, &TIMEOUT);
        reader.doubled(action, "retry_policy");
        let Some(retries) = action.get("retry_policy") else {
            inherited.push(timeout);
            continue;
        };
        let label = route.get("name").and_then(Node::text).map_or(format!("routes[{n}]"), str::to_string);
        own.push(retry_policy(reader, retries, format!("{host_name}/{label}"), timeout));
    }
    if let Some(retries) = block.get("retry_policy") {
        let mut reader = Reader::new("Envoy");
        reader.doubled(block, "retry_policy");
        let replaced = inherited.is_empty() && !own.is_empty();
        let timeout = longest(inherited).unwrap_or_else(|| reader.absent(&TIMEOUT));
        let mut policy = retry_policy(reader, retries, host_name.to_string(), timeout);
        if replaced {
            policy.attempts = Setting::new(Bound::At(1), Origin::Written(retries.key_place()));
            policy.backoff = Backoff::none("replaced by the policies of the routes");
            policy.repeated.clear();
            policy.idle = Some(Idle {
                why: "every route has a retry_policy of its own, which replaces it as a whole".into(),
                help: "Remove it, or the policies of the routes that it is meant for.".into(),
            });
        }
        facts.policies.push(policy);
    }
    facts.policies.append(&mut own);
}

/// The longest of the timeouts that govern one policy; none at all is longer than any.
fn longest(timeouts: Vec<Setting<Duration>>) -> Option<Setting<Duration>> {
    timeouts.into_iter().reduce(|one, other| match (one.bound, other.bound) {
        (Bound::Unlimited, _) | (Bound::Unknown, _) => one,
        (_, Bound::Unlimited) | (_, Bound::Unknown) => other,
        (Bound::At(a), Bound::At(b)) => {
            if b > a {
                other
            } else {
                one
            }
        }
    })
}

fn retry_policy<'d>(
    mut reader: Reader<'_, 'd>,
    retries: Node<'d>,
    name: String,
    deadline: Setting<Duration>,
) -> Policy {
    let block = Block::new(retries, Keys::Protobuf);
    reader.unknown(block, FIELDS, |_| true, "the retry_policy of Envoy 1.40 has no such key");
    // a wrapper of a number may be written as the message that it is
    let count = match block.block(NUM_RETRIES.key).get("value") {
        Some(value) => reader.value(value, &NUM_RETRIES),
        None => reader.get(block, &NUM_RETRIES),
    };
    let mut attempts = count.map(|retries| retries.saturating_add(1));
    for key in ["retry_on", "retriable_status_codes", "retry_back_off"] {
        reader.doubled(block, key);
    }
    if let Some(node) = block.get("retry_on").filter(|node| node.kind() != Kind::String) {
        reader.refuse(node, "a text is expected, with commas between the conditions");
    }
    if !retries_something(block) {
        let origin = block.get("retry_on").map_or_else(
            || Origin::Default("Envoy retries nothing without retry_on".into()),
            |node| Origin::Written(node.place()),
        );
        attempts = Setting::new(Bound::At(1), origin);
    }
    let idle = idle(block, attempts.at());
    // the codes are read beside that word only
    let words = block.get("retry_on").and_then(Node::text).unwrap_or_default();
    let read = words.contains("retriable-status-codes") || placeholder::read(words).is_some();
    let codes = block.get("retriable_status_codes").filter(|codes| listed(*codes));
    if let Some(codes) = codes.filter(|_| !read && retries_something(block)) {
        reader.replace(codes, "Envoy reads it only if retry_on holds retriable-status-codes");
    }
    for code in codes.into_iter().flat_map(Node::items) {
        reader.value(code, &STATUS_CODE);
    }
    let codes = codes.filter(|_| read);
    let per_try = reader.get(block, &PER_TRY_TIMEOUT);
    let attempt_timeout =
        envoy::per_try_timeout(&mut reader, block.get(PER_TRY_TIMEOUT.key), per_try, &deadline);
    let waits = block.block("retry_back_off");
    reader.unknown(waits, BACK_OFF_FIELDS, |_| true, "Envoy's retry_back_off has no such key");
    if let Some(node) = waits.node().filter(|_| waits.get(BASE_INTERVAL.key).is_none()) {
        reader.missing(node, BASE_INTERVAL.key);
    }
    let limited = block.block("rate_limited_retry_back_off");
    if let Some(node) = limited.node().filter(|_| !limited.get("reset_headers").is_some_and(listed)) {
        reader.missing(node, "reset_headers");
    }
    let base = reader.get(waits, &BASE_INTERVAL);
    let mut cap = reader.get(waits, &MAX_INTERVAL);
    if let (Some(first), Some(most), Some(node)) = (base.at(), cap.at(), waits.get(MAX_INTERVAL.key))
        && most < first
    {
        reader.refuse(node, format!("a time of at least base_interval, {first}, is expected"));
        cap = Setting::unknown("its value is refused", Some(node.place()));
    }
    Policy {
        attempts,
        backoff: envoy::backoff(base, cap),
        attempt_timeout,
        deadline,
        repeated: codes.and_then(failures::statuses).into_iter().collect(),
        idle,
        faults: reader.faults,
        ..policy(ID, Layer::Proxy, name, retries)
    }
}

/// Why a policy never retries. It is not off on purpose: without it nothing would be retried either.
fn idle(block: Block<'_>, attempts: Option<u64>) -> Option<Idle> {
    let (why, help) = match block.get("retry_on") {
        _ if attempts != Some(1) => return None,
        None => (
            "Envoy retries nothing without retry_on",
            "Add retry_on, as connect-failure,refused-stream,unavailable.",
        ),
        Some(words) if !retries_something(block) && !conditions(words).any(known) => (
            "retry_on holds no condition that Envoy knows, and it drops what it does not know",
            "Write conditions of Envoy's, as 5xx or retriable-status-codes.",
        ),
        Some(_) if !retries_something(block) => (
            "its conditions ask for a list of codes or headers that is not there",
            "Add retriable_status_codes or retriable_headers, or another condition.",
        ),
        Some(_) => {
            ("num_retries is 0", "Allow a retry, or remove the block: without one nothing is retried either.")
        }
    };
    Some(Idle { why: why.into(), help: help.into() })
}

/// A list with something in it; a value alone is one.
fn listed(list: Node<'_>) -> bool {
    list.items().next().is_some() || list.text().is_some()
}

/// Conditions that ask for a list beside them.
const WITH_A_LIST: &[(&str, &str)] =
    &[("retriable-status-codes", "retriable_status_codes"), ("retriable-headers", "retriable_headers")];

/// The conditions of `retry_on`, as they are written.
fn conditions(words: Node<'_>) -> impl Iterator<Item = &str> {
    words.text().unwrap_or_default().split(',').map(str::trim)
}

fn known(condition: &str) -> bool {
    envoy::RETRY_ON.contains(&condition)
}

/// Whether a condition of `retry_on` can be met, or is filled in later.
fn retries_something(block: Block<'_>) -> bool {
    let Some(words) = block.get("retry_on") else { return false };
    let filled_in = words.text().and_then(placeholder::read).is_some();
    filled_in
        || conditions(words).any(|word| match WITH_A_LIST.iter().find(|(condition, _)| *condition == word) {
            Some((_, list)) => block.get(list).is_some_and(listed),
            None => known(word),
        })
}
