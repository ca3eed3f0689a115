//! Shapes that several systems share: how settings are read from a block, and the objects that more
//! than one system is written in.

pub mod cloudformation;
pub mod envoy;
pub mod failures;
pub mod kubernetes;
pub mod placeholder;
pub mod read;
pub mod switch;

use crate::document::Node;
use crate::model::{Backoff, DeadlineEffect, Layer, Links, Pacing, Policy, Setting};
use std::borrow::Cow;

/// A policy that stands at a node, with nothing said about it yet: one attempt without any limit.
pub fn policy(dialect: impl Into<Cow<'static, str>>, layer: Layer, name: String, at: Node<'_>) -> Policy {
    Policy {
        name,
        dialect: dialect.into(),
        layer,
        place: at.key_place(),
        pointer: at.pointer(),
        written: true,
        attempts: Setting::default(1, "nothing retries"),
        backoff: Backoff::none("nothing waits"),
        pacing: Pacing::AfterFailure,
        attempt_timeout: Setting::unlimited("nothing sets one"),
        deadline: Setting::unlimited("nothing sets one"),
        deadline_effect: DeadlineEffect::Cuts,
        ships: false,
        within: Vec::new(),
        links: Links::default(),
        idle: None,
        idle_limits: Vec::new(),
        tightest: None,
        retries_timeouts: None,
        methods: None,
        ignores_retry_after: None,
        dead_letters: None,
        repeated: Vec::new(),
        bare_numbers: Vec::new(),
        faults: Vec::new(),
    }
}
