//! gRPC's client service config (grpc/proposal A6-client-retries.md of August 2024; grpc-go, grpc-java and
//! the C core agree but where it says so; measured with grpcio 1.85 and grpc-js 1.14).

use crate::dialect::shape::read::{Block, Count, Keys, Notation, Number, Reader, Time};
use crate::dialect::shape::{failures, placeholder, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::{
    Backoff, Bound, CapApplies, Duration, Facts, Growth, Jitter, Layer, Links, Name, Pacing, Policy, Ratio,
    Reference, Setting, secret,
};
use std::collections::HashSet;

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "gRPC service config",
    reads: "service configs in JSON and YAML, alone, as text within another file, or in records for DNS",
    markers: &["methodconfig"],
    read,
};

const ID: &str = "grpc-service-config";

/// Attempts, the first included (A6, "Validation of retryPolicy").
const MAX_ATTEMPTS: Count = Count::new("maxAttempts").range(2, u32::MAX as u64).quoted();
/// The libraries take no more (grpc-go dialoptions.go, defaultMaxCallAttempts; the C core and Java alike).
const MOST_ATTEMPTS: u64 = 5;
const INITIAL: Time = above_zero("initialBackoff");
const MAX: Time = above_zero("maxBackoff");
const MULTIPLIER: Number =
    Number { key: "backoffMultiplier", absent: Bound::Unknown, least: Ratio::ZERO, above: true };
const MAX_TOKENS: &str = "maxTokens";
const MOST_TOKENS: Ratio = Ratio::new(1000, 1);
/// Pause between the starts of two hedged calls.
const HEDGING_DELAY: Time = Time::new("hedgingDelay", Notation::Protobuf).or(Duration::ZERO);
/// Of the whole call, all attempts and waits included.
const TIMEOUT: Time = Time::new("timeout", Notation::Protobuf);
/// The waits are spread by a fifth, after the cap (A6; grpc-go 1.69, grpc-java 1.80 and later).
const JITTER: Jitter = Jitter::Factor { below: Ratio::new(1, 5), above: Ratio::new(1, 5) };

/// Status codes by number.
const CODES: &[&str] = &[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// Keys whose text is a service config.
const TEXT_KEYS: &[&str] = &[
    "default_service_config",
    "defaultServiceConfig",
    "service_config_json",
    "serviceConfigJson",
    "serviceConfig", // of a list for DNS, too (grpc/proposal A2-service-configs-in-dns.md)
];

const fn above_zero(key: &'static str) -> Time {
    let time = Time::new(key, Notation::Protobuf).at_least(Duration::from_nanos(1));
    Time { absent: Bound::Unknown, ..time }
}

fn read(document: &Document<'_>, file: &File<'_>, facts: &mut Facts) -> bool {
    if is_config(document.root()) {
        service_config(document.root(), file, facts);
        return true;
    }
    let root = document.root();
    let choices = root.kind() == Kind::List && {
        let held = |choice: Node<'_>| choice.get("serviceConfig").is_some_and(is_config);
        root.items().next().is_some() && root.items().all(held)
    };
    texts(root, file, facts);
    choices
}

fn is_config(node: Node<'_>) -> bool {
    let configs = node.get("methodConfig").is_some_and(|list| list.kind() == Kind::List);
    configs || node.get("retryThrottling").is_some_and(|inner| inner.get("maxTokens").is_some())
}

/// What the text of a DNS record with choices starts with (A2, "Encoding in DNS TXT Records").
const RECORD: &str = "grpc_config=";

/// Service configs that stand as text in another file. The nesting is bounded by the document.
fn texts(node: Node<'_>, file: &File<'_>, facts: &mut Facts) {
    for child in node.children() {
        if let Some(text) = child.string().filter(|text| text.trim_start_matches('"').starts_with(RECORD)) {
            // in zones, and what is made into them, within quotes of its own
            let quoted = text.starts_with('"').then(|| child.embedded_after("")).flatten();
            let record = quoted.as_ref().map_or(child, Document::root);
            if let Some(choices) = record.embedded_after(RECORD) {
                texts(choices.root(), file, facts);
            }
        } else if TEXT_KEYS.contains(&child.key()) {
            if let Some(inner) = child.embedded().as_ref().filter(|inner| is_config(inner.root())) {
                service_config(inner.root(), file, facts);
            } else if is_config(child) {
                service_config(child, file, facts);
            }
        } else {
            texts(child, file, facts);
        }
    }
}

fn service_config(config: Node<'_>, file: &File<'_>, facts: &mut Facts) {
    let before = facts.policies.len();
    for method in config.get("methodConfig").into_iter().flat_map(Node::items) {
        let block = Block::new(method, Keys::Exact);
        let retries = block.get("retryPolicy");
        let hedges = block.get("hedgingPolicy");
        let mut reader = Reader::new("gRPC");
        let deadline = reader.get(block, &TIMEOUT);
        if let (Some(hedges), Some(_)) = (hedges, retries) {
            reader.refuse(hedges, "a method has a retryPolicy or a hedgingPolicy, not both");
        }
        if block.get("name").is_none_or(|names| names.items().next().is_none()) {
            let block = retries.or(hedges).unwrap_or(method);
            reader.replace(block, "an entry without a name is for no call, and gRPC passes over it");
        }
        if let Some(retries) = retries {
            let mut policy = retry_policy(reader, retries, called(method), deadline);
            let generated = file.path.ends_with("grpc_service_config.json");
            for fault in policy.faults.iter_mut().filter(|fault| fault.what == "a missing maxAttempts") {
                fault.lenient = generated;
            }
            facts.policies.push(Policy { links: links(method), ..policy });
        } else if let Some(hedges) = hedges {
            let policy = hedging_policy(reader, hedges, called(method), deadline);
            facts.policies.push(Policy { links: links(method), ..policy });
        }
    }
    let mut reader = Reader::new("gRPC");
    names(&mut reader, config);
    throttling(&mut reader, config);
    if let Some(first) = facts.policies.get_mut(before) {
        first.faults.append(&mut reader.faults);
    }
}

/// The bucket of tokens that retries are paid from (A6, "Validation of retryThrottling").
fn throttling<'d>(reader: &mut Reader<'_, 'd>, config: Node<'d>) {
    let Some(throttling) = config.get("retryThrottling") else { return };
    let block = Block::new(throttling, Keys::Exact);
    for key in [MAX_TOKENS, "tokenRatio"] {
        let Some(node) = block.get(key) else {
            reader.missing(throttling, key);
            continue;
        };
        let tokens = reader.value(node, &Number { key, ..MULTIPLIER }).at();
        in_quotes(reader, Some(node).filter(|_| tokens.is_some()));
        if key == MAX_TOKENS && tokens.is_some_and(|tokens| tokens > MOST_TOKENS) {
            let effect = "Go and Node refuse more than 1000; the C core and Java take it";
            reader.some_refuse(node, effect, "Write at most 1000; all take that.");
        }
    }
}

/// A service or method is named once in all, and a method only beside its service.
fn names(reader: &mut Reader<'_, '_>, config: Node<'_>) {
    let methods = config.get("methodConfig").into_iter().flat_map(Node::items);
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    for name in methods.filter_map(|method| method.get("name")).flat_map(Node::items) {
        let part = |key| name.get(key).and_then(Node::text).unwrap_or_default();
        let both = (part("service"), part("method"));
        if both.0.is_empty() && !both.1.is_empty() {
            let method = name.get("method").unwrap_or(name);
            reader.refuse(method, "a service is expected beside the method");
        } else if !seen.insert(both) {
            let last = ["method", "service"].iter().find_map(|key| name.get(key)).unwrap_or(name);
            reader.refuse(last, "each name stands once in all entries");
        }
    }
}

/// The services that an entry is for.
fn links(method: Node<'_>) -> Links {
    let names = method.get("name").into_iter().flat_map(Node::items);
    let services = names.filter_map(|name| name.get("service"));
    let call = |service: Node<'_>| {
        let name = service.text().filter(|text| !text.is_empty())?;
        Some(Reference { name: Name::GrpcService(name.to_string()), place: service.place() })
    };
    Links { calls: services.filter_map(call).collect(), ..Links::default() }
}

/// The first service or method that an entry is for.
fn called(method: Node<'_>) -> String {
    let first = method.get("name").and_then(|names| names.items().next());
    let part =
        |key| first.and_then(|name| name.get(key)).and_then(Node::text).filter(|text| !text.is_empty());
    match (part("service"), part("method")) {
        (Some(service), Some(method)) => format!("{service}/{method}"),
        (Some(service), None) => service.to_string(),
        _ if first.is_none() => "no method".to_string(),
        _ => "all methods".to_string(),
    }
}

fn attempts<'d>(reader: &mut Reader<'_, 'd>, block: Block<'d>) -> Setting<u64> {
    let written = reader.get(block, &Count { absent: Bound::Unknown, ..MAX_ATTEMPTS });
    in_quotes(reader, block.get(MAX_ATTEMPTS.key).filter(|_| written.at().is_some()));
    match (block.node(), block.get(MAX_ATTEMPTS.key)) {
        (Some(node), None) => reader.missing(node, MAX_ATTEMPTS.key),
        (_, Some(node)) if written.at().is_some_and(|count| count > MOST_ATTEMPTS) => {
            reader.replace(node, "gRPC takes more than 5 attempts as 5");
        }
        _ => {}
    }
    written.map(|count| count.min(MOST_ATTEMPTS))
}

/// A number in quotes: the C core (src/core/util/json/json_object_loader.cc, LoadScalar) and Java
/// (JsonUtil.getNumberAsDouble) take it as protobuf JSON does; Go's encoding/json and grpc-js do not.
fn in_quotes(reader: &mut Reader<'_, '_>, number: Option<Node<'_>>) {
    let quoted = |node: &Node<'_>| node.string().is_some_and(|text| Ratio::parse(text).is_ok());
    if let Some(node) = number.filter(quoted) {
        let effect = "Go and Node refuse a number in quotes; the C core and Java take it";
        reader.some_refuse(node, effect, "Write it without the quotes; all take that.");
    }
}

fn retry_policy<'d>(
    mut reader: Reader<'_, 'd>,
    retries: Node<'d>,
    name: String,
    deadline: Setting<Duration>,
) -> Policy {
    let block = Block::new(retries, Keys::Exact);
    let attempts = attempts(&mut reader, block);
    for key in [INITIAL.key, MAX.key, MULTIPLIER.key, "retryableStatusCodes"] {
        if block.get(key).is_none() {
            reader.missing(retries, key);
        }
    }
    let multiplier = reader.get(block, &MULTIPLIER);
    in_quotes(&mut reader, block.get(MULTIPLIER.key).filter(|_| multiplier.at().is_some()));
    let listed = block.get("retryableStatusCodes");
    codes(&mut reader, listed, true);
    Policy {
        repeated: listed.and_then(|list| failures::codes(list, CODES)).into_iter().collect(),
        attempts,
        backoff: Backoff {
            growth: Growth::Exponential,
            initial: reader.get(block, &INITIAL),
            multiplier,
            cap: reader.get(block, &MAX),
            cap_applies: CapApplies::BeforeJitter,
            jitter: Setting::default(JITTER, "gRPC's jitter"),
            ..Backoff::none("gRPC's default")
        },
        deadline,
        faults: reader.faults,
        ..policy(ID, Layer::Client, name, retries)
    }
}

fn hedging_policy<'d>(
    mut reader: Reader<'_, 'd>,
    hedges: Node<'d>,
    name: String,
    deadline: Setting<Duration>,
) -> Policy {
    let block = Block::new(hedges, Keys::Exact);
    let attempts = attempts(&mut reader, block);
    let listed = block.get("nonFatalStatusCodes");
    codes(&mut reader, listed, false);
    Policy {
        repeated: listed.and_then(|list| failures::codes(list, CODES)).into_iter().collect(),
        attempts,
        backoff: Backoff {
            growth: Growth::Constant,
            initial: reader.get(block, &HEDGING_DELAY),
            ..Backoff::none("gRPC's default")
        },
        pacing: Pacing::Hedged,
        deadline,
        faults: reader.faults,
        ..policy(ID, Layer::Client, name, hedges)
    }
}

/// Codes are upper-case names or numbers; at least one where calls are retried.
fn codes(reader: &mut Reader<'_, '_>, list: Option<Node<'_>>, needed: bool) {
    let Some(list) = list else { return };
    if needed && list.kind() == Kind::List && list.items().next().is_none() {
        return reader.refuse(list, "at least one status code is expected");
    }
    let known = |code: Node<'_>| match code.kind() {
        Kind::Integer => {
            code.text().and_then(|text| text.parse().ok()).is_some_and(|n: usize| n < CODES.len())
        }
        _ => code.text().is_some_and(|name| CODES.contains(&name)),
    };
    let filled_in = |code: Node<'_>| code.text().is_some_and(|text| placeholder::read(text).is_some());
    if list.kind() != Kind::List && !filled_in(list) {
        return reader.refuse(list, "a list of status codes is expected");
    }
    let numbered = |code: &Node<'_>| code.kind() == Kind::Integer && known(*code);
    if let Some(code) = list.items().find(numbered) {
        let effect = "the C core refuses a status code as a number; Go, Java and Node take it";
        reader.some_refuse(code, effect, "Write its name, as UNAVAILABLE; all take that.");
    }
    if let Some(wrong) = list.items().find(|code| !known(*code) && !filled_in(*code)) {
        let name = wrong.text().map_or("a list".into(), |name| secret::echo(list.key(), name));
        reader.refuse(list, format!("{name} is no status code; the names are in capitals, as UNAVAILABLE"));
        reader.hide(wrong);
    }
}
