//! Envoy's retry schedule, which every control plane of Envoy ends in.

use super::read::Reader;
use crate::document::Node;
use crate::model::{Backoff, Bound, CapApplies, Duration, Growth, Jitter, Origin, Setting};
use crate::source::Place;

/// Envoy's first interval: `upstream.base_retry_backoff_ms`, 25 ms
/// (envoyproxy/envoy source/common/router/retry_state_impl.cc, 1.40).
pub const BASE: Duration = Duration::from_millis(25);

/// The conditions of `retry_on`, HTTP's and gRPC's; Envoy drops any other word
/// (source/common/router/retry_state_impl.cc, parseRetryOn and parseRetryGrpcOn), and Istio refuses it
/// (istio/istio pkg/config/validation/agent/validation.go, supportedRetryOnPolicies).
pub const RETRY_ON: &[&str] = &[
    "5xx",
    "gateway-error",
    "reset",
    "reset-before-request",
    "connect-failure",
    "retriable-4xx",
    "refused-stream",
    "retriable-status-codes",
    "retriable-headers",
    "envoy-ratelimited",
    "http3-post-connect-failure",
    "cancelled",
    "deadline-exceeded",
    "internal",
    "resource-exhausted",
    "unavailable",
];

/// The conditions of these that leave open whether the call was carried out: an answer of a server that failed, and
/// a connection that was lost after the request was sent. The others say that it was not sent, or what became of it.
pub const UNCLEAR: &[&str] = &["5xx", "gateway-error", "reset"];

/// Where a list of conditions holds one under which a try that timed out is retried: the same ones, which count a
/// reset of the stream (source/common/router/retry_state_impl.cc, wouldRetryFromReset; PR #41147 for gateway-error).
pub fn retries_timeouts(list: Option<Node<'_>>) -> Option<Place> {
    let mut words = list?.text()?.split(',');
    words.any(|word| UNCLEAR.contains(&word.trim())).then(|| list.map(Node::place))?
}

/// Full jitter under an interval that doubles from the base to the cap; without a cap of its own it is
/// ten times the base (envoyproxy/envoy source/common/router/retry_policy_impl.cc and
/// source/common/common/backoff_strategy.cc, 1.40; the formula in its documentation is that of 2020).
pub fn backoff(base: Setting<Duration>, cap: Setting<Duration>) -> Backoff {
    let cap = match cap.bound {
        Bound::Unlimited => {
            let tenfold = Origin::Default("ten times the base interval, Envoy's default".into());
            Setting { origin: tenfold, ..base.clone().map(|base| base.times(10)) }
        }
        _ => cap,
    };
    Backoff {
        growth: Growth::DoublingToCap,
        initial: base,
        cap,
        cap_applies: CapApplies::BeforeJitter,
        jitter: Setting::default(Jitter::Full { least: Duration::ZERO }, "Envoy's full jitter"),
        ..Backoff::none("Envoy's default")
    }
}

/// What becomes of a per-try timeout that is not below another, as a clause.
pub fn dropped(other: &str) -> String {
    format!("Envoy drops a per-try timeout that is not below {other}")
}

/// A per-try timeout is dropped where it is not below the timeout of the whole request
/// (envoyproxy/envoy source/common/router/router.cc, finalTimeout; measured with 1.40).
pub fn per_try_timeout(
    reader: &mut Reader<'_, '_>,
    written: Option<Node<'_>>,
    per_try: Setting<Duration>,
    attempts: &Setting<u64>,
    deadline: &Setting<Duration>,
) -> Setting<Duration> {
    // of a single try nothing is lost
    let written = written.filter(|_| attempts.at() != Some(1));
    match (written, per_try.at(), deadline.at()) {
        (Some(node), Some(time), Some(whole)) if time >= whole => {
            reader.replace(node, dropped(&format!("the timeout of the request, {whole}")));
            Setting::unlimited(format!("Envoy drops the one of {time}"))
        }
        _ => per_try,
    }
}
