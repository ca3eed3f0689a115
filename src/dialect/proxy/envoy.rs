//! Envoy's route configuration: in a bootstrap, alone, as resources of an xDS file, or in a dump
//! (envoyproxy/data-plane-api envoy/config/route/v3/route_components.proto; measured with 1.40).

use crate::dialect::shape::envoy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time};
use crate::dialect::shape::{failures, placeholder, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::{
    Backoff, Bound, Duration, Facts, Fault, Idle, Layer, Links, Methods, Name, Origin, Policy, Reference,
    Remark, Setting, Tightest, link,
};
use std::collections::HashMap;

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
        let mut clusters = HashMap::new();
        find_clusters(document.root(), &mut clusters);
        route_configurations(document.root(), &clusters, facts);
        return true;
    }
    false
}

/// Every virtual host, wherever the filters, listeners and resources around it stand. The nesting is
/// bounded by the document.
fn route_configurations<'d>(node: Node<'d>, clusters: &Clusters<'d>, facts: &mut Facts) {
    for child in node.children() {
        if Keys::Protobuf.same(child.key(), "virtual_hosts") {
            child.items().for_each(|host| virtual_host(host, clusters, facts));
        } else if matches!(child.kind(), Kind::List | Kind::Map) {
            route_configurations(child, clusters, facts);
        }
    }
}

/// Where the requests to a cluster go, by its name.
type Clusters<'d> = HashMap<&'d str, Vec<Name>>;

/// Every cluster with endpoints; the nesting is bounded by the document.
fn find_clusters<'d>(node: Node<'d>, clusters: &mut Clusters<'d>) {
    let block = Block::new(node, Keys::Protobuf);
    let assignment = block.block("load_assignment");
    if let (Some(name), Some(endpoints)) =
        (block.get("name").and_then(Node::text), assignment.get("endpoints"))
    {
        let groups =
            endpoints.items().filter_map(|group| Block::new(group, Keys::Protobuf).get("lb_endpoints"));
        let hosts = groups.flat_map(Node::items).filter_map(|endpoint| {
            let endpoint = Block::new(endpoint, Keys::Protobuf);
            let address =
                endpoint.block("endpoint").block("address").block("socket_address").get("address")?;
            Some(Name::Host(link::host(address.text()?)?))
        });
        clusters.insert(name, hosts.collect());
        return;
    }
    for child in node.children().filter(|child| matches!(child.kind(), Kind::List | Kind::Map)) {
        find_clusters(child, clusters);
    }
}

/// What a route calls: the endpoints of its cluster, or of those that share it.
fn called(action: Block<'_>, clusters: &Clusters<'_>) -> Vec<Reference> {
    let several = action.block("weighted_clusters").get("clusters").into_iter().flat_map(Node::items);
    let several = several.filter_map(|cluster| cluster.get("name"));
    let mut calls = Vec::new();
    for cluster in action.get("cluster").into_iter().chain(several) {
        let hosts = cluster.text().and_then(|name| clusters.get(name));
        for name in hosts.into_iter().flatten() {
            calls.push(Reference { name: name.clone(), place: cluster.place() });
        }
    }
    calls
}

/// The hosts that a virtual host is for, by name.
fn domains(host: Block<'_>) -> Vec<Name> {
    let domains = host.get("domains").into_iter().flat_map(Node::items);
    domains.filter_map(|domain| link::host(domain.text()?).map(Name::Host)).collect()
}

/// The gRPC service whose path a route matches.
fn grpc_service(route: Block<'_>) -> Option<Name> {
    let matched = route.block("match");
    let path = ["prefix", "path"].into_iter().find_map(|key| matched.get(key))?;
    link::grpc_service(path.text()?).map(Name::GrpcService)
}

fn virtual_host(host: Node<'_>, clusters: &Clusters<'_>, facts: &mut Facts) {
    let block = Block::new(host, Keys::Protobuf);
    let host_name = block.get("name").and_then(Node::text).unwrap_or("virtual host");
    let on_the_way_to = domains(block);
    let mut inherited = Inherited::default();
    let mut own = Vec::new();
    let shared = block.get("retry_policy");
    for (n, route) in block.get("routes").into_iter().flat_map(Node::items).enumerate() {
        let route = Block::new(route, Keys::Protobuf);
        let action = route.block("route");
        if action.node().is_none() {
            continue;
        }
        let mut reader = Reader::new("Envoy");
        let timeout = reader.get(action, &TIMEOUT);
        reader.doubled(action, "retry_policy");
        let label = route.get("name").and_then(Node::text).map_or(format!("routes[{n}]"), str::to_string);
        let Some(retries) = action.get("retry_policy") else {
            inherited.timeouts.push((label, timeout));
            inherited.calls.extend(called(action, clusters));
            inherited.methods = match (inherited.methods, methods(route)) {
                (Some(before), Some(more)) => Some(before.and(more)),
                (before, more) => before.or(more),
            };
            continue;
        };
        let links = Links {
            calls: called(action, clusters),
            on_the_way_to: on_the_way_to.iter().cloned().chain(grpc_service(route)).collect(),
            ..Links::default()
        };
        let mut policy = retry_policy(reader, retries, format!("{host_name}/{label}"), timeout);
        if shared.is_some() && is_off(retries) {
            policy.idle = None; // it switches that of the virtual host off
        }
        policy.methods = policy.methods.or(methods(route).filter(|_| !limited_to_some(retries)));
        own.push(Policy { links, ..policy });
    }
    if let Some(retries) = shared {
        let mut reader = Reader::new("Envoy");
        reader.doubled(block, "retry_policy");
        let replaced = inherited.timeouts.is_empty() && !own.is_empty();
        let timeout = longest(&inherited.timeouts).unwrap_or_else(|| reader.absent(&TIMEOUT));
        let mut policy = retry_policy(reader, retries, host_name.to_string(), timeout);
        policy.links = Links { calls: inherited.calls, on_the_way_to, ..Links::default() };
        policy.methods = policy.methods.or(inherited.methods.filter(|_| !limited_to_some(retries)));
        shorter_routes(&mut policy, Block::new(retries, Keys::Protobuf), inherited.timeouts);
        if replaced {
            policy.attempts = Setting::new(Bound::At(1), Origin::Written(retries.key_place()));
            policy.backoff = Backoff::none("replaced by the policies of the routes");
            policy.repeated.clear();
            policy.links = Links::default();
            policy.idle = (!is_off(retries)).then(|| Idle {
                why: "every route has a retry_policy of its own, which replaces it as a whole".into(),
                help: "Remove it, or the policies of the routes that it is meant for.".into(),
            });
        }
        facts.policies.push(policy);
    }
    facts.policies.append(&mut own);
}

/// What the routes that use the policy of a virtual host are.
#[derive(Default)]
struct Inherited {
    /// Their names and timeouts.
    timeouts: Vec<(String, Setting<Duration>)>,
    calls: Vec<Reference>,
    methods: Option<Methods>,
}

/// The longest of the timeouts that govern one policy; none at all is longer than any.
fn longest(timeouts: &[(String, Setting<Duration>)]) -> Option<Setting<Duration>> {
    let timeouts = timeouts.iter().map(|(_, timeout)| timeout.clone());
    timeouts.reduce(|one, other| match (one.bound, other.bound) {
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

/// What a policy does on the routes that have less time than the others: which of them has the least, and which of
/// them lose the per-try timeout.
fn shorter_routes(policy: &mut Policy, block: Block<'_>, timeouts: Vec<(String, Setting<Duration>)>) {
    let per_try = policy.attempt_timeout.at();
    let whole = policy.deadline.bound;
    let mut tightest: Option<Tightest> = None;
    for (of, deadline) in timeouts {
        let Some(time) = deadline.at().filter(|_| deadline.bound != whole) else { continue };
        let lost = block.get(PER_TRY_TIMEOUT.key).filter(|_| per_try.is_some_and(|per_try| per_try >= time));
        if let Some(node) = lost {
            let mut reader = Reader::new("Envoy");
            reader.replace(node, envoy::dropped(&format!("the timeout of the request, {time} on {of}")));
            policy.faults.extend(reader.faults.into_iter().map(|fault| Fault { lenient: true, ..fault }));
        } else if tightest.as_ref().and_then(|least| least.deadline.at()).is_none_or(|least| time < least) {
            tightest = Some(Tightest { of, deadline });
        }
    }
    policy.tightest = tightest;
}

/// The values that the matchers of a method ask for, of a route or of retriable_request_headers
/// (route_components.proto, HeaderMatcher; the matchers beside `string_match` are older).
fn method_values<'d>(headers: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    let matchers = headers.items().map(|matcher| Block::new(matcher, Keys::Protobuf)).filter(|matcher| {
        let inverted = matcher.get("invert_match").and_then(Node::boolean) == Some(true);
        matcher.get("name").and_then(Node::text) == Some(":method") && !inverted
    });
    matchers.filter_map(|matcher| {
        let string = matcher.block("string_match");
        let regex = [string.block("safe_regex"), matcher.block("safe_regex_match")];
        let regex = regex.into_iter().find_map(|regex| regex.get("regex"));
        string.get("exact").or_else(|| matcher.get("exact_match")).or(regex)
    })
}

/// The methods that a route matches. Calls of gRPC are all POST, whatever they do.
fn methods(route: Block<'_>) -> Option<Methods> {
    let named = route.block("match").get("headers").into_iter().flat_map(method_values);
    failures::matched_methods(named).filter(|_| grpc_service(route).is_none())
}

/// Whether only requests with certain headers are retried.
fn limited_to_some(retries: Node<'_>) -> bool {
    Block::new(retries, Keys::Protobuf).get("retriable_request_headers").is_some()
}

/// Whether a policy switches retries off.
fn is_off(retries: Node<'_>) -> bool {
    Block::new(retries, Keys::Protobuf).get(NUM_RETRIES.key).is_some_and(|count| count.text() == Some("0"))
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
    let ignores_retry_after = own_schedule(block, codes).filter(|_| attempts.at() != Some(1));
    let per_try = reader.get(block, &PER_TRY_TIMEOUT);
    let attempt_timeout =
        envoy::per_try_timeout(&mut reader, block.get(PER_TRY_TIMEOUT.key), per_try, &attempts, &deadline);
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
        repeated: [
            block.get("retry_on").and_then(|words| failures::conditions(words, envoy::UNCLEAR)),
            codes.and_then(failures::statuses),
        ]
        .into_iter()
        .flatten()
        .collect(),
        retries_timeouts: envoy::retries_timeouts(block.get("retry_on")),
        methods: block
            .get("retriable_request_headers")
            .and_then(|headers| failures::matched_methods(method_values(headers))),
        idle,
        ignores_retry_after,
        faults: reader.faults,
        ..policy(ID, Layer::Proxy, name, retries)
    }
}

/// Answers of a rate limit that are retried, and no header that says when (RetryPolicy.rate_limited_retry_back_off;
/// without it Envoy reads no Retry-After, source/common/router/retry_state_impl.cc). `codes` are those that are read.
fn own_schedule(block: Block<'_>, codes: Option<Node<'_>>) -> Option<Remark> {
    let words = block.get("retry_on").and_then(Node::text).unwrap_or_default();
    let unknown = crate::dialect::shape::placeholder::read(words).is_some();
    if unknown || block.get("rate_limited_retry_back_off").is_some() {
        return None;
    }
    let listed = codes.filter(|codes| codes.items().any(|code| code.text() == Some("429")));
    let limited = words.split(',').any(|word| word.trim() == "envoy-ratelimited");
    let word = block.get("retry_on").filter(|_| limited);
    let (node, answers) = match (listed, word) {
        (Some(node), _) => (node, "429"),
        (None, Some(node)) => (node, "envoy-ratelimited"),
        (None, None) => return None,
    };
    Some(Remark {
        place: node.key_place(),
        pointer: node.pointer(),
        what: format!(
            "{answers} is retried on Envoy's own schedule, whatever the server says about when to come back"
        )
        .into(),
        help: "Add rate_limited_retry_back_off with the header that the server sends: \
               `reset_headers: [{ name: Retry-After, format: SECONDS }]`."
            .into(),
    })
}

/// Why a policy never retries although it asks for it. One that says only that there are 0 retries is off on
/// purpose.
fn idle(block: Block<'_>, attempts: Option<u64>) -> Option<Idle> {
    let off = block.node().is_some_and(is_off);
    let (why, help) = match block.get("retry_on") {
        _ if attempts != Some(1) => return None,
        None if off => return None,
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
        Some(_) => ("num_retries is 0, whatever retry_on says", "Allow a retry, or remove retry_on."),
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
