//! CloudFormation and SAM templates: SQS queues, Lambda functions and what feeds them (AWS CloudFormation
//! template reference; Lambda developer guide "Using Lambda with Amazon SQS" and "Asynchronous
//! invocation"; EventBridge user guide "Retry policy"; SAM specification).

use crate::dialect::shape::cloudformation::{Resource, Template};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Keys, Notation, Reader, Resolved, Time};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Advice, Backoff, DeadlineEffect, Duration, Facts, Growth, Handler, Layer, Pacing, Policy, Queue, Setting,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "AWS CloudFormation",
    reads: "CloudFormation and SAM templates in YAML and JSON, CDK's output",
    markers: &["aws::sqs::", "aws::lambda::", "aws::serverless::", "aws::events::", "aws::scheduler::"],
    read,
};

const ID: &str = "aws-cloudformation";

const VISIBILITY_TIMEOUT: Time = seconds("VisibilityTimeout", 0, 43_200).or(Duration::from_secs(30));
const RETENTION: Time = seconds("MessageRetentionPeriod", 60, 1_209_600).or(Duration::from_secs(345_600));
const MAX_RECEIVE_COUNT: Count = Count::new("maxReceiveCount").range(1, i32::MAX as u64).quoted();
/// Time that messages are gathered for, on the window's account.
const BATCHING_WINDOW: Time = seconds("MaximumBatchingWindowInSeconds", 0, 300).or(Duration::ZERO);
/// Retries of an asynchronous invocation.
const ASYNC_RETRIES: Count = Count::new("MaximumRetryAttempts").or(2).range(0, 2).quoted();
const ASYNC_AGE: Time = seconds("MaximumEventAgeInSeconds", 60, 21_600).or(Duration::from_secs(21_600));
/// The waits before the two retries of an asynchronous invocation after a function error.
const ASYNC_WAITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(120)];
/// Retries of a delivery by EventBridge or its scheduler.
const DELIVERY_RETRIES: Count = Count::new("MaximumRetryAttempts").or(185).range(0, 185).quoted();
const DELIVERY_AGE: Time = seconds("MaximumEventAgeInSeconds", 60, 86_400).or(Duration::from_secs(86_400));
/// Retries of a batch of a stream; none of them is the last where it is −1 or absent.
const STREAM_RETRIES: Count =
    Count { endless: Some(-1), ..Count::new("MaximumRetryAttempts").range(0, 10_000).quoted() };
const RECORD_AGE: Time = seconds("MaximumRecordAgeInSeconds", 60, 604_800);

const fn seconds(key: &'static str, least: u64, most: u64) -> Time {
    Time::new(key, Notation::Whole(Seconds, true))
        .range(Duration::from_secs(least), Duration::from_secs(most))
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let Some(template) = Template::of(document) else { return false };
    let mut queues: Vec<(&str, Queue)> = Vec::new();
    for resource in template.resources().filter(|resource| resource.kind == QUEUE) {
        queues.push((resource.id, queue(template, resource)));
    }
    for resource in template.resources() {
        match resource.kind {
            "AWS::Lambda::EventSourceMapping" => mapping(template, resource, &mut queues, facts),
            "AWS::Lambda::EventInvokeConfig" => {
                let block = Block::new(resource.properties, Keys::Exact);
                let called = block.get("FunctionName").and_then(|node| function(template, node));
                let at = Site { node: resource.node, name: resource.id.to_string() };
                facts.policies.push(asynchronous(template, at, &[block], called));
            }
            "AWS::Serverless::Function" => serverless_function(template, resource, &mut queues, facts),
            "AWS::Events::Rule" => {
                let targets = resource.properties.and_then(|properties| properties.get("Targets"));
                for (n, target) in targets.into_iter().flat_map(Node::items).enumerate() {
                    delivery(template, target, format!("{}/Targets[{n}]", resource.id), facts);
                }
            }
            "AWS::Scheduler::Schedule" => {
                if let Some(target) = resource.properties.and_then(|properties| properties.get("Target")) {
                    delivery(template, target, resource.id.to_string(), facts);
                }
            }
            _ => {}
        }
    }
    let dead: Vec<_> = queues.iter().filter_map(|(id, _)| dead_letter_queue(template, id)).collect();
    facts.queues.extend(
        queues.into_iter().map(|(id, queue)| Queue { is_dead_letter_queue: dead.contains(&id), ..queue }),
    );
    true
}

const QUEUE: &str = "AWS::SQS::Queue";

/// Where a policy stands and what it is called.
struct Site<'d> {
    node: Node<'d>,
    name: String,
}

/// The id of the queue that takes the dead letters of another.
fn dead_letter_queue<'d>(template: Template<'d>, id: &str) -> Option<&'d str> {
    let target = template.resource(id)?.properties?.path(["RedrivePolicy", "deadLetterTargetArn"])?;
    template.target(target).map(|resource| resource.id)
}

fn queue(template: Template<'_>, resource: Resource<'_>) -> Queue {
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("SQS", &resolve);
    let block = Block::new(resource.properties, Keys::Exact);
    let redrive =
        block.get("RedrivePolicy").filter(|node| !matches!(template.resolve(*node), Resolved::Absent)); // Ref: AWS::NoValue
    let text = redrive.filter(|node| node.string().is_some()).and_then(Node::embedded);
    let redrive = Block::new(text.as_ref().map(|text| text.root()).or(redrive), Keys::Exact);
    let unread = redrive.node().is_some_and(|node| node.tag().is_some() || node.text().is_some());
    Queue {
        name: resource.id.to_string(),
        dialect: ID,
        place: resource.node.key_place(),
        pointer: resource.node.pointer(),
        window_key: "VisibilityTimeout",
        window: reader.get(block, &VISIBILITY_TIMEOUT),
        receives: if unread {
            Setting::unknown("RedrivePolicy is known at the deployment only", redrive.node().map(Node::place))
        } else {
            reader.get(redrive, &MAX_RECEIVE_COUNT)
        },
        retention: reader.get(block, &RETENTION),
        dead_letters: unread || redrive.get("deadLetterTargetArn").is_some(),
        is_dead_letter_queue: false,
        handlers: Vec::new(),
        faults: reader.faults,
    }
}

/// The function that a node names, by way of its aliases and versions.
fn function<'d>(template: Template<'d>, node: Node<'d>) -> Option<Resource<'d>> {
    let mut resource = template.target(node)?;
    for _ in 0..4 {
        match resource.kind {
            "AWS::Lambda::Function" | "AWS::Serverless::Function" => return Some(resource),
            "AWS::Lambda::Alias" | "AWS::Lambda::Version" => {
                resource = template.target(resource.properties?.get("FunctionName")?)?;
            }
            _ => return None,
        }
    }
    None
}

/// How long a run may take.
fn run_time(template: Template<'_>, called: Option<Resource<'_>>) -> Setting<Duration> {
    let known = called.and_then(|function| template.function_timeout(function));
    known.unwrap_or_else(|| Setting::unknown("the function is not in this template", None))
}

/// A mapping of its own.
fn mapping(template: Template<'_>, resource: Resource<'_>, queues: &mut [(&str, Queue)], facts: &mut Facts) {
    let block = Block::new(resource.properties, Keys::Exact);
    let called = block.get("FunctionName").and_then(|node| function(template, node));
    let at = Site { node: resource.node, name: resource.id.to_string() };
    let source = block.get("EventSourceArn");
    let stream = block.get("StartingPosition").is_some();
    source_of(template, at, block, source, stream, called, queues, facts);
}

/// A function with its events, its asynchronous retries and those that Globals give it.
fn serverless_function(
    template: Template<'_>,
    resource: Resource<'_>,
    queues: &mut [(&str, Queue)],
    facts: &mut Facts,
) {
    let properties = resource.properties;
    for event in properties.and_then(|all| all.get("Events")).into_iter().flat_map(Node::entries) {
        let block = Block::new(event, Keys::Exact).block("Properties");
        let at = Site { node: event, name: format!("{}/{}", resource.id, event.key()) };
        match event.get("Type").and_then(Node::text) {
            Some("SQS") => {
                source_of(template, at, block, block.get("Queue"), false, Some(resource), queues, facts)
            }
            Some("Kinesis" | "DynamoDB") => {
                source_of(template, at, block, block.get("Stream"), true, Some(resource), queues, facts);
            }
            Some("EventBridgeRule" | "CloudWatchEvent" | "Schedule" | "ScheduleV2") => {
                if let Some(node) = block.node() {
                    delivery(template, node, at.name, facts);
                }
            }
            _ => {}
        }
    }
    if let Some(config) = properties.and_then(|all| all.get("EventInvokeConfig")) {
        let globals = Block::new(template.function_globals(), Keys::Exact).block("EventInvokeConfig");
        let at = Site { node: config, name: resource.id.to_string() };
        facts.policies.push(asynchronous(
            template,
            at,
            &[Block::new(config, Keys::Exact), globals],
            Some(resource),
        ));
    }
}

/// What feeds a function: a queue of this template, or a stream.
#[allow(clippy::too_many_arguments)]
fn source_of(
    template: Template<'_>,
    at: Site<'_>,
    block: Block<'_>,
    source: Option<Node<'_>>,
    stream: bool,
    called: Option<Resource<'_>>,
    queues: &mut [(&str, Queue)],
    facts: &mut Facts,
) {
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("Lambda", &resolve);
    let run = run_time(template, called);
    if stream {
        let attempts = reader.get(block, &STREAM_RETRIES).map(|retries| retries + 1);
        let deadline = reader.get(block, &RECORD_AGE);
        facts.policies.push(Policy {
            written: [STREAM_RETRIES.key, RECORD_AGE.key].iter().any(|key| block.get(key).is_some()),
            attempts,
            backoff: Backoff::unknown("Lambda does not publish the waits of a stream's retries"),
            attempt_timeout: run,
            deadline,
            deadline_effect: DeadlineEffect::Stops,
            faults: reader.faults,
            ..policy(ID, Layer::Queue, at.name, at.node)
        });
        return;
    }
    let id = source.and_then(|node| template.target(node)).map(|resource| resource.id);
    let Some((_, queue)) = queues.iter_mut().find(|(name, _)| Some(*name) == id) else { return };
    let gathering = reader.get(block, &BATCHING_WINDOW);
    queue.handlers.push(Handler {
        name: called.map_or(at.name.clone(), |function| function.id.to_string()),
        place: at.node.key_place(),
        run: run.clone(),
        attempts: 1,
        gathering,
        advice: Some(Advice { runs: 6, source: "AWS's guide to Lambda with SQS".into() }),
    });
    facts.policies.push(Policy {
        written: false,
        attempts: queue.receives.clone(),
        backoff: Backoff {
            growth: Growth::Constant,
            initial: queue.window.clone(),
            ..Backoff::none("redelivery after the visibility timeout")
        },
        pacing: Pacing::StartToStart,
        attempt_timeout: run,
        faults: reader.faults,
        ..policy(ID, Layer::Queue, at.name, at.node)
    });
}

/// Lambda's own retries of an asynchronous invocation.
fn asynchronous(
    template: Template<'_>,
    at: Site<'_>,
    blocks: &[Block<'_>],
    called: Option<Resource<'_>>,
) -> Policy {
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("Lambda", &resolve);
    let whose = "Lambda's own back-off";
    Policy {
        attempts: reader.first(blocks, &ASYNC_RETRIES).map(|retries| retries + 1),
        backoff: Backoff {
            growth: Growth::List(ASYNC_WAITS.to_vec()),
            initial: Setting::default(ASYNC_WAITS[0], whose),
            ..Backoff::none(whose)
        },
        attempt_timeout: run_time(template, called),
        deadline: reader.first(blocks, &ASYNC_AGE),
        deadline_effect: DeadlineEffect::Stops,
        faults: reader.faults,
        ..policy(ID, Layer::Queue, at.name, at.node)
    }
}

/// The `RetryPolicy` of a target of EventBridge or its scheduler.
fn delivery(template: Template<'_>, target: Node<'_>, name: String, facts: &mut Facts) {
    let Some(retries) = target.get("RetryPolicy") else { return };
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("EventBridge", &resolve);
    let block = Block::new(retries, Keys::Exact);
    facts.policies.push(Policy {
        attempts: reader.get(block, &DELIVERY_RETRIES).map(|retries| retries + 1),
        backoff: Backoff::unknown("EventBridge does not publish its waits"),
        attempt_timeout: Setting::unknown("EventBridge does not publish how long a delivery may take", None),
        deadline: reader.get(block, &DELIVERY_AGE),
        deadline_effect: DeadlineEffect::Stops,
        dead_letters: Some(target.get("DeadLetterConfig").is_some()),
        faults: reader.faults,
        ..policy(ID, Layer::Queue, name, retries)
    });
}
