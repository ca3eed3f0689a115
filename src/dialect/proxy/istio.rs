//! Istio: VirtualService and the mesh's own defaults (istio/istio and istio/api, 1.24 and later). Everything
//! becomes a route of Envoy; here stands what Istio fills in.

use crate::dialect::shape::kubernetes::{Object, objects};
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Time};
use crate::dialect::shape::{envoy, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Node};
use crate::model::{Bound, Duration, Facts, Layer, Policy, Setting};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "Istio",
    reads: "VirtualService objects, IstioOperator, mesh configuration",
    markers: &["networking.istio.io", "install.istio.io", "httpretrypolicy"],
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

/// The words of `retryOn` that validation lets pass beside status codes (validation.go, ValidateHTTPRetry).
const RETRY_ON: &[&str] = &[
    "connect-failure",
    "refused-stream",
    "retriable-4xx",
    "retriable-status-codes",
    "retriable-headers",
    "5xx",
    "gateway-error",
    "reset",
    "reset-before-request",
    "envoy-ratelimited",
    "http3-post-connect-failure",
    "cancelled",
    "deadline-exceeded",
    "internal",
    "resource-exhausted",
    "unavailable",
];

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let objects = objects(document);
    for object in &objects {
        match (object.group, object.kind) {
            ("networking.istio.io", "VirtualService") => virtual_service(*object, facts),
            ("install.istio.io", "IstioOperator") => {
                if let Some(mesh) = object.node.path(["spec", "meshConfig"]) {
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
    if objects.is_empty() { mesh_config(document.root(), facts) } else { true }
}

fn virtual_service(object: Object<'_>, facts: &mut Facts) {
    let routes = object.node.path(["spec", "http"]);
    for (n, route) in routes.into_iter().flat_map(Node::items).enumerate() {
        if route.get("redirect").is_some() || route.get("directResponse").is_some() {
            continue;
        }
        let label = route.get("name").and_then(Node::text).map_or(format!("http[{n}]"), str::to_string);
        let name = format!("{}/{label}", object.name());
        facts.policies.push(http_route(route, name));
    }
}

fn http_route(route: Node<'_>, name: String) -> Policy {
    let mut reader = Reader::new("Istio");
    let block = Block::new(route, Keys::Exact);
    let deadline = reader.get(block, &TIMEOUT);
    let Some(retries) = block.get("retries") else {
        return Policy {
            written: false,
            attempts: Setting::default(1 + RETRIES_BY_DEFAULT, reader.default_of()),
            backoff: envoy::backoff(reader.absent(&BACKOFF), Setting::unlimited("")),
            deadline,
            faults: reader.faults,
            ..policy(ID, Layer::Proxy, name, route)
        };
    };
    retry_policy(reader, retries, name, deadline)
}

/// A `retries` block, of a route or of the mesh.
fn retry_policy<'d>(
    mut reader: Reader<'_, 'd>,
    retries: Node<'d>,
    name: String,
    deadline: Setting<Duration>,
) -> Policy {
    let block = Block::new(retries, Keys::Exact);
    let count = reader.get(block, &ATTEMPTS);
    if count.at() == Some(0) {
        let useless = ["perTryTimeout", "retryOn", "retryRemoteLocalities"];
        if let Some(setting) = useless.iter().find(|key| block.get(key).is_some()) {
            let at = block.get("attempts").unwrap_or(retries);
            reader.refuse(
                at,
                format!("{setting} asks for attempts of at least 1, and without attempts there are none"),
            );
        }
    }
    retry_on(&mut reader, block);
    let per_try = reader.get(block, &PER_TRY_TIMEOUT);
    let attempt_timeout =
        envoy::per_try_timeout(&mut reader, block.get(PER_TRY_TIMEOUT.key), per_try, &deadline);
    Policy {
        attempts: count.map(|retries| retries + 1),
        backoff: envoy::backoff(reader.get(block, &BACKOFF), Setting::unlimited("")),
        attempt_timeout,
        deadline,
        faults: reader.faults,
        ..policy(ID, Layer::Proxy, name, retries)
    }
}

fn retry_on(reader: &mut Reader<'_, '_>, block: Block<'_>) {
    let Some(node) = block.get("retryOn") else { return };
    let words = node.text().unwrap_or_default();
    let is_code = |word: &str| matches!(word.parse::<u16>(), Ok(100..=599));
    let Some(wrong) =
        words.split(',').find(|word| !word.is_empty() && !is_code(word) && !RETRY_ON.contains(word))
    else {
        return;
    };
    if RETRY_ON.contains(&wrong.trim()) || is_code(wrong.trim()) {
        reader.refuse(node, "the list is not trimmed, and there is a blank beside a comma");
    } else {
        reader.refuse(
            node,
            format!("{} is neither a status code nor a condition that Envoy knows", wrong.trim()),
        );
    }
}

/// `defaultHttpRetryPolicy` and `defaultInboundHttpRetryPolicy` of the mesh; says whether there is one.
fn mesh_config(mesh: Node<'_>, facts: &mut Facts) -> bool {
    let mut found = false;
    for key in ["defaultHttpRetryPolicy", "defaultInboundHttpRetryPolicy"] {
        if let Some(retries) = mesh.get(key) {
            let deadline =
                Setting::new(Bound::Unlimited, crate::model::Origin::Default("Istio's default".into()));
            facts.policies.push(retry_policy(Reader::new("Istio"), retries, key.into(), deadline));
            found = true;
        }
    }
    found
}
