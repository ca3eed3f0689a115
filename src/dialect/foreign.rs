//! Documents with a language of their own that the generic dialect must not read: what looks like a
//! retry setting in them is a schema, a text, a recorded event, or a system's own.

use super::shape;
use crate::document::outline::outline;
use crate::document::{Document, Kind, Node};

/// Top-level keys that tell a language, all of a row together.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("a Kubernetes object", &["apiVersion", "kind"]),
    ("a CloudFormation template", &["AWSTemplateFormatVersion"]),
    ("a CloudFormation template", &["Resources", "Parameters"]),
    ("an API description", &["openapi"]),
    ("an API description", &["swagger"]),
    ("an API description", &["asyncapi"]),
    ("a schema", &["$schema", "properties"]),
    ("a schema", &["$schema", "$defs"]),
    ("a schema", &["$schema", "definitions"]),
    ("a schema", &["type", "properties"]),
    ("a manifest", &["package", "dependencies"]),
    ("a manifest", &["workspace", "members"]),
    ("a manifest", &["name", "version", "dependencies"]),
    ("a manifest", &["name", "version", "scripts"]),
    ("a manifest", &["build-system"]),
    ("a lock file", &["lockfileVersion"]),
    ("a dashboard", &["panels", "schemaVersion"]),
    ("a dashboard", &["panels", "templating"]),
    ("a workflow of GitHub", &["on", "jobs"]),
    ("an action of GitHub", &["runs", "inputs"]),
    ("an action of GitHub", &["runs", "name"]),
    ("a Compose file", &["services", "volumes"]),
    ("a Compose file", &["services", "networks"]),
    ("a Compose file", &["services", "secrets"]),
    ("a flow of Kestra", &["id", "namespace", "tasks"]),
    ("a state machine", &["StartAt", "States"]),
    ("Serverless Framework", &["service", "provider", "functions"]),
    ("a pipeline of Concourse", &["jobs", "resources"]),
    ("a collector's pipeline", &["receivers", "exporters", "service"]),
    ("a Prometheus configuration", &["scrape_configs"]),
    ("a Prometheus configuration", &["remote_write"]),
    ("Alertmanager", &["route", "receivers"]),
    ("Promtail", &["clients", "scrape_configs"]),
    ("Vector", &["sources", "sinks"]),
    ("Envoy", &["static_resources"]),
    ("Envoy", &["virtual_hosts"]),
    ("gRPC", &["methodConfig"]),
    ("Kong", &["_format_version"]),
    ("Caddy", &["apps", "admin"]),
    ("RabbitMQ", &["queues", "exchanges"]),
    ("Redpanda Connect", &["input", "output"]),
    ("Filebeat", &["filebeat.inputs"]),
    ("Telegraf", &["agent", "inputs"]),
    ("Cloudflare Workers", &["compatibility_date"]),
    ("Cargo", &["net", "http"]),
    ("GitLab CI", &["stages"]),
    ("waiters of the AWS SDKs", &["version", "waiters"]),
    ("a service model of the AWS SDKs", &["metadata", "operations", "shapes"]),
    ("retry data of the AWS SDKs", &["definitions", "retry"]),
    ("Loki", &["schema_config"]),
    ("Loki, Mimir or Tempo", &["distributor", "ingester"]),
    ("Loki, Mimir or Tempo", &["ingester", "memberlist"]),
];

/// Those of them in which no setting stands.
const SCHEMAS: &[&str] = &["an API description", "a schema", "a manifest", "a lock file"];

/// Paths into tables that tell a language.
const PATHS: &[(&str, &[&str])] = &[
    ("Traefik", &["http", "middlewares"]),
    ("Traefik", &["http", "routers"]),
    ("Fluent Bit", &["pipeline", "outputs"]),
    ("Caddy", &["apps", "http", "servers"]),
    ("nextest", &["profile", "default", "slow-timeout"]),
    ("nextest", &["profile", "default", "fail-fast"]),
];

/// Files whose name tells the language.
const FILES: &[(&str, &str)] = &[("nextest", "nextest.toml")];

/// The language that a document is in, if it is one that the generic dialect must not read.
pub fn language(document: &Document<'_>, path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if let Some((language, _)) = FILES.iter().find(|(_, file)| *file == name) {
        return Some(language);
    }
    let root = document.root();
    let has = |keys: &[&str]| keys.iter().all(|key| root.get(key).is_some());
    let at = |path: &[&str]| path.iter().try_fold(root, |node, key| node.get(key)).is_some();
    let by_keys = LANGUAGES.iter().find(|(_, keys)| has(keys)).map(|(language, _)| *language);
    let by_path = || PATHS.iter().find(|(_, path)| at(path)).map(|(language, _)| *language);
    by_keys.or_else(by_path).or_else(|| by_shape(root))
}

/// What the top level of a document shows that is not parsed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glance {
    /// Nothing that keeps it from being a service's own settings, or that it holds the files of others.
    Open,
    /// Another language; a system's, maybe.
    Language,
    /// A description of data, in which no setting stands.
    Schema,
}

/// Looks at the top level of a document's text.
pub fn glance(text: &str) -> Glance {
    let mut keys: Vec<&str> = Vec::new();
    let mut kind = "";
    for top in outline(text) {
        if top.key == "kind" {
            kind = top.rest;
        }
        keys.push(top.key);
        let row = LANGUAGES
            .iter()
            .find(|(_, row)| row.contains(&top.key) && row.iter().all(|key| keys.contains(key)));
        match row {
            Some((_, row)) if row.contains(&"kind") => {
                return if shape::kubernetes::is_definition(kind) {
                    Glance::Schema
                } else if shape::kubernetes::may_hold_files(kind) {
                    Glance::Open
                } else {
                    Glance::Language
                };
            }
            Some((language, _)) if SCHEMAS.contains(language) => return Glance::Schema,
            Some(_) => return Glance::Language,
            None => {}
        }
    }
    Glance::Open
}

fn by_shape(root: Node<'_>) -> Option<&'static str> {
    let items_have = |list: Option<Node<'_>>, keys: &[&str]| {
        list.into_iter().flat_map(Node::items).any(|item| keys.iter().all(|key| item.get(key).is_some()))
    };
    let services = root.get("services");
    let composed = |service: Node<'_>| service.get("image").is_some() || service.get("build").is_some();
    let typed = |part: Node<'_>| {
        part.entries().next().is_some() && part.entries().all(|entry| entry.get("type").is_some())
    };
    let parts = ["sources", "transforms", "sinks"];
    if root.entries().next().is_some()
        && root.entries().all(|part| parts.contains(&part.key()) && typed(part))
    {
        Some("a part of a Vector configuration")
    } else if items_have(root.get("groups"), &["rules"]) {
        Some("rules of Prometheus")
    } else if services.into_iter().flat_map(Node::entries).any(composed) {
        Some("a Compose file")
    } else if root.kind() == Kind::List {
        let tasks = root.items().any(|item| {
            ["tasks", "hosts", "register", "until", "become", "when"]
                .iter()
                .any(|key| item.get(key).is_some())
        });
        tasks.then_some("tasks of Ansible")
    } else {
        None
    }
}
