//! Who calls whom: the names by which one file speaks of what another is about.

use crate::source::Place;
use std::fmt;
use std::net::IpAddr;

/// A name that both sides of a call write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A host that calls go to, through whatever proxies stand before it; as [`host`] gives it.
    Host(String),
    /// What runs behind a host, past all proxies.
    Backend(String),
    /// The full name of a gRPC service.
    GrpcService(String),
    /// A Lambda function, by the name it has in its account.
    Function(String),
    /// A state machine of Step Functions, by the name it has in its account.
    StateMachine(String),
    /// An object of a cluster, or a part of one: its kind, and `namespace/name`, or `name` where it has none.
    Object(&'static str, String),
    /// An object of the same file, by its RFC 6901 pointer.
    Here(String),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name)
            | Self::Backend(name)
            | Self::GrpcService(name)
            | Self::Function(name)
            | Self::StateMachine(name)
            | Self::Object(_, name) => f.write_str(name),
            Self::Here(pointer) => f.write_str(pointer.rsplit('/').next().unwrap_or_default()),
        }
    }
}

/// A name where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: Name,
    /// Where it is written.
    pub place: Place,
}

/// What a policy has to do with others: where the calls go that it repeats, and which calls it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// What each of its attempts calls.
    pub calls: Vec<Reference>,
    /// The calls that pass it on their way: those to one of these.
    pub on_the_way_to: Vec<Name>,
    /// What makes the attempts: a call to one of these runs the whole of the policy.
    pub owners: Vec<Name>,
}

/// Something that runs, and whose policies may stand elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The names that calls reach it by.
    pub names: Vec<Name>,
    /// What a call to it runs besides: the names of others.
    pub runs: Vec<Name>,
    /// The folder that is its code with all that lies in it, as the file writes it: relative to the file.
    pub folder: Option<String>,
}

/// The host of a URL, or of `host` and `host:port`, in lower case; None where it is no name that another
/// file could know it by: a placeholder, a pattern, this machine. Names of Kubernetes services lose
/// `.svc.cluster.local` and `.svc` (Kubernetes documentation, "DNS for Services and Pods").
pub fn host(text: &str) -> Option<String> {
    let text = text.trim();
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let host = host.strip_suffix(".cluster.local").unwrap_or(&host);
    let host = host.strip_suffix(".svc").unwrap_or(host);
    let label = |label: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty() && label.len() <= 63 && label.bytes().all(known)
    };
    let nobody = host == "localhost" || host.ends_with(".localhost") || host.parse::<IpAddr>().is_ok();
    let named = host.len() <= 253
        && host.split('.').all(label)
        && host.contains(|char: char| char.is_ascii_alphabetic());
    (named && !nobody).then(|| host.to_string())
}

/// The gRPC service of a path, as `/shop.v1.Payments/Charge` (gRPC over HTTP2, "Requests"); None where it has no
/// package or the path goes on before the service ends.
pub fn grpc_service(path: &str) -> Option<String> {
    let (service, _) = path.strip_prefix('/')?.split_once('/')?;
    let part = |part: &str| {
        part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (package, name) = service.rsplit_once('.')?;
    let named = name.starts_with(|char: char| char.is_ascii_uppercase());
    (named && part(name) && package.split('.').all(part)).then(|| service.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_in_urls_and_addresses() {
        for text in [
            "http://payments.shop.svc.cluster.local:8080/v1?x=1",
            "payments.shop.svc",
            "Payments.Shop",
            "grpc://user:secret@payments.shop.:50051",
            "dns:///payments.shop:443",
        ] {
            assert_eq!(host(text).as_deref(), Some("payments.shop"), "{text}");
        }
        assert_eq!(host("ledger-db").as_deref(), Some("ledger-db"));
    }

    #[test]
    fn a_host_that_no_other_file_knows_is_none() {
        for text in [
            "",
            "localhost:8080",
            "http://127.0.0.1/",
            "http://[::1]:80/",
            "${HOST}",
            "http://{{ host }}/",
            "*.shop",
            "unix:/run/x.sock",
            "http://api.localhost",
            "a b",
            "0.0.0.0",
            "8080",
        ] {
            assert_eq!(host(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_of_grpc_names_its_service() {
        assert_eq!(grpc_service("/shop.v1.Payments/").as_deref(), Some("shop.v1.Payments"));
        assert_eq!(grpc_service("/shop.v1.Payments/Charge").as_deref(), Some("shop.v1.Payments"));
        for path in
            ["/", "/shop.v1.Payments", "/api/v1/", "/Payments/", "/a..B/", "/example.com/x", "shop.B/x"]
        {
            assert_eq!(grpc_service(path), None, "{path}");
        }
    }
}
