//! Istio: VirtualService and the mesh's own defaults (istio/istio and istio/api, 1.24 and later). Everything
//! becomes a route of Envoy; here stands what Istio fills in.

use crate::dialect::shape::kubernetes::{Object, objects};
use crate::dialect::shape::read::{Block, Count, Field, Keys, Notation, Reader, Time};
use crate::dialect::shape::{envoy, failures, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::{
    Backoff, Bound, Duration, Facts, Idle, Layer, Links, Methods, Name, Origin, Policy, Ratio, Reference,
    Repeated, Setting, link, secret,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Istio",
    reads: "VirtualService objects, IstioOperator, mesh configuration",
    markers: &["networking.istio.io", "install.istio.io", "httpretrypolicy", "http_retry_policy"],
    read,
};

const ID: &str = "istio";

/// Absent from a `retries` block it is 0: retries are off (istio/istio
/// pilot/pkg/networking/core/route/retry/retry.go, ConvertPolicy). They count retries.
const ATTEMPTS: Count = Count::new("attempts").or(0);
/// Retries of a route that says nothing (retry.go, DefaultPolicy).
const RETRIES_BY_DEFAULT: u64 = 2;
const PER_TRY_TIMEOUT: Time = whole_millis("perTryTimeout");
const BACKOFF: Time = whole_millis("backoff").or(envoy::BASE);
/// None by default: Istio switches Envoy's 15 s off (route.go, setTimeout).
const TIMEOUT: Time = whole_millis("timeout");

/// Validation refuses less than a millisecond and parts of one
/// (istio/istio pkg/config/validation/agent/validation.go, ValidateDuration).
const fn whole_millis(key: &'static str) -> Time {
    Time::new(key, Notation::Go).at_least(Duration::from_millis(1)).grain(Duration::from_millis(1))
}

/// The fields of HTTPRetry (istio/api networking/v1alpha3/virtual_service.proto).
const FIELDS: &[&str] =
    &["attempts", "perTryTimeout", "retryOn", "backoff", "retryRemoteLocalities", "retryIgnorePreviousHosts"];

/// Status codes that have a name in Go's net/http, which validation asks for.
const NAMED_CODES: &[std::ops::RangeInclusive<u16>] = &[
    100..=103,
    200..=208,
    226..=226,
    300..=305,
    307..=308,
    400..=418,
    421..=426,
    428..=429,
    431..=431,
    451..=451,
    500..=508,
    510..=511,
];

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let objects = objects(document);
    for object in &objects {
        match (object.group, object.kind) {
            ("networking.istio.io", "VirtualService") => virtual_service(*object, facts),
            ("install.istio.io", "IstioOperator") | ("sailoperator.io", "Istio") => {
                let spec = object.node.get("spec");
                let values = spec.and_then(|spec| spec.get("values"));
                for mesh in [spec, values].into_iter().flatten().filter_map(|part| part.get("meshConfig")) {
                    mesh_config(mesh, facts);
                }
            }
            ("", "ConfigMap") => {
                let text = object.node.path(["data", "mesh"]).and_then(Node::embedded);
                if let Some(mesh) = &text {
                    mesh_config(mesh.root(), facts);
                }
            }
            _ => {}
        }
    }
    if !objects.is_empty() {
        return true;
    }
    // the mesh configuration alone, or the values of the chart that installs it
    let root = document.root();
    mesh_config(root, facts) || root.get("meshConfig").is_some_and(|mesh| mesh_config(mesh, facts))
}

fn virtual_service(object: Object<'_>, facts: &mut Facts) {
    let on_the_way_to = hosts(object);
    let routes = object.node.path(["spec", "http"]);
    for (n, route) in routes.into_iter().flat_map(Node::items).enumerate() {
        if ["redirect", "directResponse", "delegate"].iter().any(|key| route.get(key).is_some()) {
            continue;
        }
        let label = route.get("name").and_then(Node::text).map_or(format!("http[{n}]"), str::to_string);
        let name = format!("{}/{label}", object.name());
        let links = Links {
            calls: destinations(object, route),
            on_the_way_to: on_the_way_to.iter().cloned().chain(grpc_services(route)).collect(),
            ..Links::default()
        };
        facts.policies.push(Policy { links, methods: methods(route), ..http_route(route, name) });
    }
}

/// The hosts that a VirtualService is for.
fn hosts(object: Object<'_>) -> Vec<Name> {
    let hosts = object.node.path(["spec", "hosts"]).into_iter().flat_map(Node::items);
    hosts.filter_map(|host| full_name(object, host.text()?).map(Name::Host)).collect()
}

/// A host as others know it: a short name is one of the object's namespace (virtual_service.proto, hosts).
fn full_name(object: Object<'_>, written: &str) -> Option<String> {
    let host = link::host(written)?;
    match object.namespace() {
        Some(namespace) if !written.contains('.') => Some(format!("{host}.{namespace}")),
        _ => Some(host),
    }
}

/// What a route goes to. No other VirtualService comes in between: routing is done once.
fn destinations(object: Object<'_>, route: Node<'_>) -> Vec<Reference> {
    let targets = route.get("route").into_iter().flat_map(Node::items);
    let hosts = targets.filter_map(|target| target.path(["destination", "host"]));
    let reference = |host: Node<'_>| {
        let name = Name::Backend(full_name(object, host.text()?)?);
        Some(Reference { name, place: host.place() })
    };
    hosts.filter_map(reference).collect()
}

/// The gRPC services whose paths a route matches: `/package.Service/`.
fn grpc_services(route: Node<'_>) -> impl Iterator<Item = Name> {
    let matches = route.get("match").into_iter().flat_map(Node::items);
    let paths = matches
        .filter_map(|one| one.get("uri"))
        .flat_map(|uri| ["prefix", "exact"].into_iter().filter_map(move |key| uri.get(key)?.text()));
    paths.filter_map(|path| link::grpc_service(path).map(Name::GrpcService))
}

/// The methods that a route matches. Calls of gRPC are all POST, whatever they do.
fn methods(route: Node<'_>) -> Option<Methods> {
    let matches = route.get("match").into_iter().flat_map(Node::items);
    let named = matches
        .filter_map(|one| one.get("method"))
        .flat_map(|method| ["exact", "regex"].into_iter().filter_map(move |key| method.get(key)));
    let rpc = grpc_services(route).next().is_some();
    failures::matched_methods(named).filter(|_| !rpc)
}

fn http_route(route: Node<'_>, name: String) -> Policy {
    let mut reader = Reader::new("Istio");
    let block = Block::new(route, Keys::Exact);
    let deadline = reader.get(block, &TIMEOUT);
    let policy = if let Some(retries) = block.get("retries") {
        validate(&mut reader, Block::new(retries, Keys::Exact));
        retry_policy(reader, retries, Keys::Exact, name, deadline)
    } else {
        Policy {
            written: false,
            attempts: Setting::default(1 + RETRIES_BY_DEFAULT, reader.default_of()),
            backoff: envoy::backoff(reader.absent(&BACKOFF), Setting::unlimited("")),
            deadline,
            faults: reader.faults,
            ..policy(ID, Layer::Proxy, name, route)
        }
    };
    beside_fault(policy, block.block("fault"))
}

/// A fault of the same route comes before its timeout and its retries: what it aborts is never sent, and the
/// timeout counts from the end of what it delays (Envoy's fault filter stands before its router; measured with
/// 1.40). Istio documents that a route with a fault has neither (virtual_service.proto, HTTPRoute.fault),
/// but sets both (route.go, applyHTTPRouteDestination), and what the fault lets through has them.
fn beside_fault(mut policy: Policy, fault: Block<'_>) -> Policy {
    let (abort, delay) = (fault.block("abort"), fault.block("delay"));
    let aborted = percentage(abort.block("percentage").get("value"));
    // the older key is one of delays only
    let delayed = percentage(delay.block("percentage").get("value").or_else(|| delay.get("percent")));
    match abort.node() {
        Some(abort) if aborted.is_some_and(|share| share >= Ratio::new(100, 1)) => {
            if policy.written && policy.attempts.at() != Some(1) {
                policy.idle = Some(Idle {
                    why: "the fault of this route aborts every request before it is sent".into(),
                    help: "Take the fault out, or inject it where the request arrives.".into(),
                });
            }
            policy.attempts = Setting::new(Bound::At(1), Origin::Written(abort.key_place()));
            policy.backoff = Backoff::none("nothing is sent");
            policy.repeated.clear();
        }
        _ if policy.deadline.at().is_some()
            && (aborted, delayed) != (Some(Ratio::ZERO), Some(Ratio::ZERO)) =>
        {
            let why =
                "Istio documents no timeout beside a fault, and Envoy counts it from the end of a delay";
            policy.deadline = Setting::unknown(why, policy.deadline.origin.place());
        }
        _ => {}
    }
    policy
}

/// How many of a hundred requests a fault is for: none where nothing is written. None where it is not known.
fn percentage(written: Option<Node<'_>>) -> Option<Ratio> {
    written.map_or(Some(Ratio::ZERO), |node| node.text().and_then(|text| Ratio::parse(text).ok()))
}

/// What validation says to the `retries` of a route and of the mesh's inbound policy; that of the outbound
/// one is not validated (validation.go, ValidateMeshConfig).
fn validate(reader: &mut Reader<'_, '_>, block: Block<'_>) {
    let off = block.get(ATTEMPTS.key).is_none_or(|count| ATTEMPTS.value(count) == Ok(Bound::At(0)));
    let useless = ["perTryTimeout", "retryOn", "retryRemoteLocalities"];
    let useless: Vec<_> = useless.into_iter().filter(|key| off && block.get(key).is_some()).collect();
    if let ([setting, ..], Some(at)) = (useless.as_slice(), block.get(ATTEMPTS.key).or(block.node())) {
        reader.refuse(
            at,
            format!("{setting} asks for attempts of at least 1, and without attempts there are none"),
        );
        let all = useless.join(" and ");
        reader.advise(format!("remove {all}, which leaves retries off, or set attempts to at least 1"));
    }
    retry_on(reader, block);
}

/// A `retries` block, of a route or of the mesh.
fn retry_policy<'d>(
    mut reader: Reader<'_, 'd>,
    retries: Node<'d>,
    keys: Keys,
    name: String,
    deadline: Setting<Duration>,
) -> Policy {
    let block = Block::new(retries, keys);
    reader.unknown(block, FIELDS, |_| true, "Istio's retry policy has no such key");
    let mut attempts = reader.get(block, &ATTEMPTS).map(|retries| retries + 1);
    let words = block.get("retryOn").filter(|words| words.text().is_some_and(never_met));
    let idle = words.filter(|_| attempts.at() != Some(1)).map(|words| {
        attempts = Setting::written(1, words.place());
        Idle {
            why: "its conditions ask for a list of codes or headers that is not there".into(),
            help: "Write the codes themselves, as 503, or another condition.".into(),
        }
    });
    let per_try = reader.get(block, &PER_TRY_TIMEOUT);
    let attempt_timeout =
        envoy::per_try_timeout(&mut reader, block.get(PER_TRY_TIMEOUT.key), per_try, &attempts, &deadline);
    Policy {
        attempts,
        backoff: envoy::backoff(reader.get(block, &BACKOFF), Setting::unlimited("")),
        attempt_timeout,
        deadline,
        idle,
        repeated: block.get("retryOn").map(repeated).unwrap_or_default(),
        retries_timeouts: envoy::retries_timeouts(block.get("retryOn")),
        faults: reader.faults,
        ..policy(ID, Layer::Proxy, name, retries)
    }
}

/// What a list of conditions and codes says about what is repeated.
fn repeated(list: Node<'_>) -> Vec<Repeated> {
    let found = [failures::statuses(list), failures::conditions(list, envoy::UNCLEAR)];
    found.into_iter().flatten().collect()
}

/// Conditions that no answer meets: codes in words bring their list with them, and headers cannot be set
/// (retry.go, parseRetryOn).
fn never_met(words: &str) -> bool {
    let empty = |word: &str| matches!(word.trim(), "retriable-status-codes" | "retriable-headers");
    words.split(',').all(empty)
}

/// A list that is split at commas and not trimmed (validation.go, ValidateHTTPRetry).
fn retry_on(reader: &mut Reader<'_, '_>, block: Block<'_>) {
    let Some(node) = block.get("retryOn") else { return };
    if node.kind() != Kind::String {
        return reader.refuse(node, "a text is expected, a number in quotes");
    }
    let words = node.text().unwrap_or_default();
    if crate::dialect::shape::placeholder::read(words).is_some() {
        return; // not known before it is filled in
    }
    let named = |code: u16| NAMED_CODES.iter().any(|codes| codes.contains(&code));
    let known = |word: &str| envoy::RETRY_ON.contains(&word) || word.parse().is_ok_and(named);
    match words.split(',').find(|word| !words.is_empty() && !known(word)) {
        None => {}
        Some("") => reader.refuse(node, "there is a comma with nothing behind or before it"),
        Some(word) if known(word.trim()) => {
            reader.refuse(node, "the list is not trimmed, and there is a blank beside a comma");
        }
        Some(word) => {
            let wrong = secret::echo(node.key(), word.trim());
            reader.refuse(
                node,
                format!("{wrong} is neither a condition that Envoy knows nor a named status code"),
            );
        }
    }
}

/// `defaultHttpRetryPolicy` and `defaultInboundHttpRetryPolicy` of the mesh; says whether there is one. An
/// inbound route has one target, and its policy no per-try timeout (retry.go, ConvertInboundPolicy).
fn mesh_config(mesh: Node<'_>, facts: &mut Facts) -> bool {
    const KEYS: Keys = Keys::ProtobufGo; // it is read as protobuf (istio/istio pkg/config/mesh/mesh.go)
    let block = Block::new(mesh, KEYS);
    let none = Setting::unlimited("Istio's default");
    let outbound = block.get("defaultHttpRetryPolicy");
    if let Some(retries) = outbound {
        let mut reader = Reader::new("Istio");
        reader.doubled(block, "defaultHttpRetryPolicy");
        let mut policy = retry_policy(reader, retries, KEYS, retries.key().into(), none.clone());
        if policy.attempt_timeout.is_unlimited() {
            // nothing that could be set here: perTryTimeout is for routes only (mesh/v1alpha1/config.proto)
            policy.attempt_timeout = Setting::unknown("the timeout of each route bounds it", None);
        }
        facts.policies.push(policy);
    }
    let inbound = block.get("defaultInboundHttpRetryPolicy");
    if let Some(retries) = inbound {
        let mut reader = Reader::new("Istio");
        reader.doubled(block, "defaultInboundHttpRetryPolicy");
        let within = Block::new(retries, KEYS);
        if let Some(node) = within.get(PER_TRY_TIMEOUT.key) {
            reader.replace(node, "Istio ignores it for inbound routes");
        }
        validate(&mut reader, within);
        let policy = retry_policy(reader, retries, KEYS, retries.key().into(), none.clone());
        facts.policies.push(Policy { attempt_timeout: none, ..policy });
    }
    outbound.is_some() || inbound.is_some()
}
