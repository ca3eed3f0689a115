//! SNS's delivery to HTTP/S endpoints (SNS developer guide, "Amazon SNS message delivery retries").

use super::{ID, dead_letters, seconds};
use crate::dialect::shape::cloudformation::{Part, Resource, Template, template_text};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Field, Flag, Keys, Reader, Resolved, Time};
use crate::document::{Document, Node};
use crate::model::{Backoff, Bound, Duration, Layer, Policy, Setting};
use std::borrow::Cow;

/// All retries, those of the four phases together.
const RETRIES: Count = Count::new("numRetries").or(3).range(0, 100).quoted();
/// At once, then with the least wait; then those that grow; at last with the longest wait.
const AT_ONCE: Count = Count::new("numNoDelayRetries").or(0).quoted();
const LEAST_WAITS: Count = Count::new("numMinDelayRetries").or(0).quoted();
const LONGEST_WAITS: Count = Count::new("numMaxDelayRetries").or(0).quoted();
const LEAST: Time = seconds("minDelayTarget", 1, 3600).or(Duration::from_secs(20));
const LONGEST: Time = seconds("maxDelayTarget", 1, 3600).or(Duration::from_secs(20));
/// The waits may not add up to more.
const TOTAL: Duration = Duration::from_secs(3600);
const FUNCTIONS: &[&str] = &["linear", "arithmetic", "geometric", "exponential"];
const UNPUBLISHED: &str = "SNS scatters its waits and does not publish how";
const NO_OVERRIDES: Flag = Flag { key: "disableSubscriptionOverrides", absent: false };

/// The policy of a subscription.
pub(super) fn subscription<'d>(template: &Template<'d>, resource: Resource<'d>) -> Option<Policy> {
    let properties = resource.properties?;
    let at = properties.get("DeliveryPolicy")?;
    let text = text(at);
    let block = root(template, text.as_ref(), at)?;
    let Part::Known(retries) = template.part(block.get("healthyRetryPolicy")) else { return None };
    let found = delivery(template, resource.id, at, retries);
    let (effect, help) = match (protocol(template, properties), ruling_topic(template, properties)) {
        (Some(protocol), _)
            if !["http", "https"].iter().any(|other| other.eq_ignore_ascii_case(protocol)) =>
        {
            (
                format!("SNS follows one for http and https only, and the protocol is {protocol}"),
                "remove it; SNS retries in its own way".to_string(),
            )
        }
        (_, Some(topic)) => (
            format!("{} of the topic {topic} puts the topic's own in its place", NO_OVERRIDES.key),
            format!("set the retries of the topic {topic}, or let it have overrides"),
        ),
        _ => {
            return Some(Policy {
                dead_letters: dead_letters(template, properties, "RedrivePolicy"),
                ..found
            });
        }
    };
    let mut reader = Reader::new("SNS");
    reader.replace(at, effect);
    reader.advise(help);
    let unheeded = "this delivery policy does not hold";
    Some(Policy {
        attempts: Setting::unknown(unheeded, Some(at.place())),
        backoff: Backoff::unknown(unheeded),
        faults: reader.faults,
        ..found
    })
}

/// The policy of a topic for its subscriptions.
pub(super) fn topic<'d>(template: &Template<'d>, resource: Resource<'d>) -> Option<Policy> {
    let at = resource.properties?.get("DeliveryPolicy")?;
    let text = text(at);
    let Part::Known(http) = template.part(root(template, text.as_ref(), at)?.get("http")) else {
        return None;
    };
    let Part::Known(retries) = template.part(http.get("defaultHealthyRetryPolicy")) else { return None };
    Some(delivery(template, resource.id, at, retries))
}

/// A delivery policy that is written as a JSON text.
fn text(at: Node<'_>) -> Option<Document<'_>> {
    template_text(at).and_then(Node::embedded)
}

fn root<'n, 'd: 'n>(
    template: &Template<'d>,
    text: Option<&'n Document<'d>>,
    at: Node<'d>,
) -> Option<Node<'n>> {
    match (text, template.part(Some(at))) {
        (Some(text), _) => Some(text.root()),
        (None, Part::Known(block)) => Some(block),
        (None, Part::Absent | Part::Unknown) => None,
    }
}

fn protocol<'d>(template: &Template<'d>, properties: Node<'d>) -> Option<&'d str> {
    match template.resolve(properties.get("Protocol")?) {
        Resolved::Literal(value, origin) => value.text().filter(|_| !origin.is_assumed()),
        _ => None,
    }
}

/// The topic of a subscription, where it does not let subscriptions have policies of their own.
fn ruling_topic<'d>(template: &Template<'d>, properties: Node<'d>) -> Option<&'d str> {
    let topic =
        template.target(properties.get("TopicArn")?).filter(|found| found.kind == "AWS::SNS::Topic")?;
    let at = topic.properties?.get("DeliveryPolicy")?;
    let text = text(at);
    let Part::Known(http) = template.part(root(template, text.as_ref(), at)?.get("http")) else {
        return None;
    };
    let resolve = |node| template.resolve(node);
    let disabled = Reader::with("SNS", &resolve).get(Block::new(http, Keys::Exact), &NO_OVERRIDES);
    (disabled.at() == Some(true) && !disabled.origin.is_assumed()).then_some(topic.id)
}

/// How the wait gets from the least to the longest: AWS has a diagram of it, and no formula. CDK writes the
/// names in capitals.
struct Function;

impl Field for Function {
    type Value = ();

    fn key(&self) -> &'static str {
        "backoffFunction"
    }

    fn absent(&self) -> Bound<()> {
        Bound::At(())
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<()>, Cow<'static, str>> {
        let written = node.text().unwrap_or_default();
        if FUNCTIONS.iter().any(|function| function.eq_ignore_ascii_case(written)) {
            Ok(Bound::At(()))
        } else {
            Err("linear, arithmetic, geometric or exponential is expected".into())
        }
    }
}

/// What `retries` says, of the delivery policy at a node.
fn delivery<'n>(template: &Template<'n>, name: &str, at: Node<'_>, retries: Node<'n>) -> Policy {
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("SNS", &resolve);
    let block = Block::new(retries, Keys::Exact);
    let count = reader.get(block, &RETRIES);
    let [at_once, first, last] = [AT_ONCE, LEAST_WAITS, LONGEST_WAITS].map(|field| reader.get(block, &field));
    let (least, longest) = (reader.get(block, &LEAST), reader.get(block, &LONGEST));
    reader.get(block, &Function);
    let delays = [(LEAST.key, &least.origin), (LONGEST.key, &longest.origin)];
    let counts = [
        (RETRIES.key, &count.origin),
        (AT_ONCE.key, &at_once.origin),
        (LEAST_WAITS.key, &first.origin),
        (LONGEST_WAITS.key, &last.origin),
    ];
    if let (Some(from), Some(to), Some(node)) = (least.at(), longest.at(), block.get(LONGEST.key))
        && to < from
        && block.get(LEAST.key).is_some()
    {
        reader.refuse_as(node, format!("at least {} of {from} is expected", LEAST.key), &delays);
    }
    let mut backoff = Backoff::unknown(UNPUBLISHED);
    if let (Some(all), Some(at_once), Some(first), Some(last)) =
        (count.at(), at_once.at(), first.at(), last.at())
    {
        let told = at_once.saturating_add(first).saturating_add(last);
        if told > all {
            let expected = format!("at least {told} is expected, the retries of its phases together");
            reader.refuse_as(block.get(RETRIES.key).unwrap_or(retries), expected, &counts);
        } else if let (Some(from), Some(to)) = (least.at(), longest.at())
            && reader.faults.is_empty()
            && from <= to
        {
            // the first of the growing waits is the least, the last of them the longest
            let growing = match all - told {
                few @ (0 | 1) => from.times(few),
                many => from.times(many - 1).plus(to),
            };
            let sum = from.times(first).plus(growing).plus(to.times(last));
            if sum > TOTAL {
                let expected =
                    format!("waits of {TOTAL} in all are expected at most, and these are {sum} or more");
                reader.refuse_as(retries, expected, &[&counts[..], &delays].concat());
                reader.advise("make fewer retries, or wait less between them");
            }
        }
        if at_once == all {
            backoff = Backoff::none("SNS's no-delay phase");
        }
    }
    Policy {
        attempts: count.map(|retries| retries + 1),
        backoff,
        attempt_timeout: Setting::unknown(
            "SNS does not publish exactly how long it waits for an answer",
            None,
        ),
        faults: reader.faults,
        ..policy(ID, Layer::Queue, name.to_string(), at)
    }
}
