//! CloudFormation and SAM templates: SQS queues, Lambda functions, what feeds them and what calls them
//! (AWS CloudFormation template reference; Lambda developer guide "Using Lambda with Amazon SQS" and
//! "Asynchronous invocation"; EventBridge user guide "Retry policy"; SAM specification).

mod sns;

use crate::dialect::shape::cloudformation::{Part, Resource, Template, template_text};
use crate::dialect::shape::policy;
use crate::dialect::shape::read::{Block, Count, Flag, Keys, Notation, Reader, Resolved, Time};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Advice, Backoff, Bound, DeadlineEffect, Duration, Facts, Fault, Growth, Handler, Layer, Links, Name,
    Pacing, Policy, Queue, Reference, Setting, Workload,
};
use std::collections::{HashMap, HashSet};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "AWS CloudFormation",
    reads: "CloudFormation and SAM templates in YAML and JSON, CDK's output",
    markers: &[
        "aws::sqs::",
        "aws::lambda::",
        "aws::serverless::",
        "aws::events::",
        "aws::scheduler::",
        "healthyretrypolicy",
    ],
    read,
};

const ID: &str = "aws-cloudformation";

const VISIBILITY_TIMEOUT: Time = seconds("VisibilityTimeout", 0, 43_200).or(Duration::from_secs(30));
const RETENTION: Time = seconds("MessageRetentionPeriod", 60, 1_209_600).or(Duration::from_secs(345_600));
const MAX_RECEIVE_COUNT: Count = Count::new("maxReceiveCount").range(1, i32::MAX as u64).quoted();
/// Properties of a queue that are no part of a retry, and refused outside of their ranges (SQS API reference,
/// "SetQueueAttributes"; a message of up to 1 MiB since August 2025).
const OTHER_TIMES: &[Time] = &[
    seconds("DelaySeconds", 0, 900),
    seconds("ReceiveMessageWaitTimeSeconds", 0, 20),
    seconds("KmsDataKeyReusePeriodSeconds", 60, 86_400),
];
const MESSAGE_SIZE: Count = Count::new("MaximumMessageSize").range(1_024, 1_048_576).quoted();
const FIFO: Flag = Flag { key: "FifoQueue", absent: false };
/// Messages of one run.
const BATCH_SIZE: Count = Count::new("BatchSize").or(10).range(1, 10_000).quoted();
/// More messages have to be gathered for a while, and a FIFO queue never gives more.
const UNGATHERED: u64 = 10;
/// Time that messages are gathered for, on the window's account.
const BATCHING_WINDOW: Time = seconds("MaximumBatchingWindowInSeconds", 0, 300).or(Duration::ZERO);
/// Runs of a function at one time, and those that a queue may start (Lambda developer guide, "Configuring scaling
/// behavior for SQS event source mappings").
const RESERVED: Count = Count::new("ReservedConcurrentExecutions").quoted();
const MOST_RUNS: Count = Count::new("MaximumConcurrency").range(2, 1_000).quoted();
/// Receives that the guide to Lambda with SQS advises at the least.
const ADVISED_RECEIVES: u64 = 5;
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
const RECORD_AGE: Time = seconds("MaximumRecordAgeInSeconds", 60, 604_800).minus_one_is_none();
/// Retries of a batch of Kafka that would be endless, where there is a place for what fails (Lambda developer
/// guide, "Configuring error handling controls for Kafka event sources").
const KAFKA_RETRIES: u64 = 10;
/// Settings of streams, which Lambda refuses for a queue.
const STREAM_KEYS: &[&str] =
    &["MaximumRetryAttempts", "MaximumRecordAgeInSeconds", "BisectBatchOnFunctionError"];

/// What calls a function asynchronously, and where it names it; `*` is each item of a list (Lambda developer
/// guide, "Invoking Lambda with events from other AWS services").
const CALLERS: &[(&str, &[&str])] = &[
    ("AWS::S3::Bucket", &["NotificationConfiguration", "LambdaConfigurations", "*", "Function"]),
    ("AWS::SNS::Subscription", &["Endpoint"]),
    ("AWS::SNS::Topic", &["Subscription", "*", "Endpoint"]),
    ("AWS::Events::Rule", &["Targets", "*", "Arn"]),
    ("AWS::Scheduler::Schedule", &["Target", "Arn"]),
    ("AWS::Logs::SubscriptionFilter", &["DestinationArn"]),
    ("AWS::IoT::TopicRule", &["TopicRulePayload", "Actions", "*", "Lambda", "FunctionArn"]),
    ("AWS::SES::ReceiptRule", &["Rule", "Actions", "*", "LambdaAction", "FunctionArn"]),
    ("AWS::Config::ConfigRule", &["Source", "SourceIdentifier"]),
    ("AWS::Lambda::EventInvokeConfig", &["DestinationConfig", "OnSuccess", "Destination"]),
    ("AWS::Lambda::EventInvokeConfig", &["DestinationConfig", "OnFailure", "Destination"]),
    ("AWS::Serverless::Function", &["EventInvokeConfig", "DestinationConfig", "OnSuccess", "Destination"]),
    ("AWS::Serverless::Function", &["EventInvokeConfig", "DestinationConfig", "OnFailure", "Destination"]),
    (CUSTOM_RESOURCE, &["ServiceToken"]),
    // CDK's resource that sets a bucket's notifications
    (
        "Custom::S3BucketNotifications",
        &["NotificationConfiguration", "LambdaFunctionConfigurations", "*", "LambdaFunctionArn"],
    ),
];
const CUSTOM_RESOURCE: &str = "AWS::CloudFormation::CustomResource";
/// SAM's events that do.
const CALLING_EVENTS: &[&str] = &[
    "S3",
    "SNS",
    "EventBridgeRule",
    "CloudWatchEvent",
    "Schedule",
    "ScheduleV2",
    "CloudWatchLogs",
    "IoTRule",
];

const fn seconds(key: &'static str, least: u64, most: u64) -> Time {
    Time::new(key, Notation::Whole(Seconds, true))
        .range(Duration::from_secs(least), Duration::from_secs(most))
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let Some(template) = Template::of(document) else { return false };
    let mut reading = Reading::of(&template);
    reading.globals();
    for resource in template.resources() {
        reading.resource(resource);
    }
    facts.policies.append(&mut reading.policies);
    facts.queues.append(&mut reading.queues);
    facts.workloads.extend(template.resources().filter_map(workload));
    true
}

/// What runs, the property that names it in its account, and those that may be the folder or file that it is.
const WORKLOADS: &[(&str, &str, &[&str])] = &[
    ("AWS::Lambda::Function", "FunctionName", &["Code"]),
    ("AWS::Serverless::Function", "FunctionName", &["CodeUri"]),
    ("AWS::StepFunctions::StateMachine", "StateMachineName", &["DefinitionUri", "DefinitionS3Location"]),
    ("AWS::Serverless::StateMachine", "Name", &["DefinitionUri"]),
];

/// A function or a state machine. A local path where a template takes one is what `aws cloudformation package`
/// and `sam build` put into the account (AWS CLI reference, "package").
fn workload(resource: Resource<'_>) -> Option<Workload> {
    let (kind, name, paths) = WORKLOADS.iter().find(|(kind, ..)| *kind == resource.kind)?;
    let text =
        |key: &str| template_text(resource.properties?.get(key)?)?.text().filter(|text| !text.contains("${"));
    let named: fn(String) -> Name =
        if kind.ends_with("Function") { Name::Function } else { Name::StateMachine };
    let local = |path: &&str| !path.contains("://") && !path.starts_with("arn:");
    Some(Workload {
        names: [Some(Name::Here(resource.node.pointer())), text(name).map(|name| named(name.to_string()))]
            .into_iter()
            .flatten()
            .collect(),
        runs: Vec::new(),
        folder: paths.iter().find_map(|key| text(key)).filter(local).map(str::to_string),
    })
}

/// A policy of what runs a function.
fn running<'d>(at: Site<'d>, function: Option<Resource<'d>>) -> Policy {
    let place = at.node.key_place();
    let call = |function: Resource<'_>| Reference { name: Name::Here(function.node.pointer()), place };
    let links = Links { calls: function.map(call).into_iter().collect(), ..Links::default() };
    Policy { links, ..policy(ID, Layer::Queue, at.name, at.node) }
}

const QUEUE: &str = "AWS::SQS::Queue";

/// A template, and what has been read of it.
struct Reading<'d> {
    template: &'d Template<'d>,
    queues: Vec<Queue>,
    /// Where the queue of a logical id stands among them.
    by_id: HashMap<&'d str, usize>,
    policies: Vec<Policy>,
    /// Functions that something of the template calls asynchronously, and whose retries nothing sets.
    called: HashSet<&'d str>,
    /// Pointers of the values that may hold for several functions and whose faults are told of.
    told: HashSet<String>,
}

/// Where a policy stands and what it is called.
struct Site<'d> {
    node: Node<'d>,
    name: String,
}

/// A queue, and the ids of those that take its dead letters.
fn queue(template: &Template<'_>, resource: Resource<'_>) -> (Queue, Vec<String>) {
    let resolve = |node| template.resolve(node);
    let mut reader = Reader::with("SQS", &resolve);
    let block = Block::new(resource.properties, Keys::Exact);
    let redrive = block.get("RedrivePolicy");
    let written = redrive.filter(|node| !matches!(template.resolve(*node), Resolved::Absent));
    let text = written.filter(|node| node.string().is_some()).and_then(Node::embedded);
    let whole = text.as_ref().map(|text| text.root()).or(written);
    let known = match template.part(whole) {
        Part::Known(known) => Some(known),
        Part::Absent | Part::Unknown => None,
    };
    let open = whole.filter(|whole| known.is_none_or(|known| !known.is(*whole)));
    let redrive = Block::new(known, Keys::Exact);
    if let Some(node) = known.filter(|node| node.entries().next().is_some()) {
        for key in [DEAD_LETTERS, MAX_RECEIVE_COUNT.key].into_iter().filter(|key| redrive.get(key).is_none())
        {
            reader.missing(node, key);
        }
    }
    let mut dead = Vec::new();
    let mut kept = Vec::new();
    if let Some(node) = redrive.get(DEAD_LETTERS) {
        for other in template.targets(node).into_iter().filter(|other| other.kind == QUEUE) {
            dead.push(other.id.to_string());
            kept.push(dead_letter_retention(template, other));
            if let (Some(own), Some(others)) = (is_fifo(template, resource), is_fifo(template, other))
                && own != others
            {
                let expected = if own { "a FIFO queue is expected" } else { "a standard queue is expected" };
                reader.refuse(node, expected);
                reader.advise("name a dead-letter queue of the same type as its source");
            }
        }
    }
    let receives = reader.get(redrive, &MAX_RECEIVE_COUNT);
    for time in OTHER_TIMES {
        reader.get(block, time);
    }
    reader.get(block, &MESSAGE_SIZE);
    let queue = Queue {
        name: resource.id.to_string(),
        dialect: ID,
        place: resource.node.key_place(),
        pointer: resource.node.pointer(),
        window_key: VISIBILITY_TIMEOUT.key,
        window: reader.get(block, &VISIBILITY_TIMEOUT),
        receives: match open {
            Some(node) => {
                Setting::unknown("RedrivePolicy is known at the deployment only", Some(node.place()))
            }
            None => receives,
        },
        retention: reader.get(block, &RETENTION),
        dead_letters: open.is_some() || redrive.get(DEAD_LETTERS).is_some(),
        dead_letter_retention: kept.pop().flatten().filter(|_| kept.is_empty()),
        is_dead_letter_queue: false,
        handlers: Vec::new(),
        faults: reader.faults,
    };
    (queue, dead)
}

const DEAD_LETTERS: &str = "deadLetterTargetArn";

/// How long a standard queue keeps dead letters, from when they were sent to their source; one that is FIFO counts
/// from their arrival (SQS developer guide, "Setting up dead-letter queue retention").
fn dead_letter_retention(template: &Template<'_>, queue: Resource<'_>) -> Option<Setting<Duration>> {
    let resolve = |node| template.resolve(node);
    let standard = is_fifo(template, queue) == Some(false);
    standard.then(|| Reader::with("SQS", &resolve).get(Block::new(queue.properties, Keys::Exact), &RETENTION))
}

/// Whether a queue of the template is FIFO, as far as it is written; the name of one that is, and of no
/// other, ends in `.fifo`.
fn is_fifo(template: &Template<'_>, queue: Resource<'_>) -> Option<bool> {
    let name = queue.properties.and_then(|properties| template_text(properties.get("QueueName")?)?.text());
    if name.is_some_and(|name| name.ends_with(".fifo")) {
        return Some(true);
    }
    let resolve = |node| template.resolve(node);
    let fifo = Reader::with("SQS", &resolve).get(Block::new(queue.properties, Keys::Exact), &FIFO);
    fifo.at().filter(|_| !fifo.origin.is_assumed())
}

/// The function that a node names, by way of its aliases and versions.
fn function<'d>(template: &Template<'d>, node: Node<'d>) -> Option<Resource<'d>> {
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

/// The values at a path; `*` is each item of a list.
fn at_path<'d>(node: Node<'d>, path: &[&str], found: &mut Vec<Node<'d>>) {
    match path {
        [] => found.push(node),
        ["*", rest @ ..] => node.items().for_each(|item| at_path(item, rest, found)),
        [key, rest @ ..] => {
            if let Some(value) = node.get(key) {
                at_path(value, rest, found);
            }
        }
    }
}

/// The functions that a resource calls asynchronously.
fn called_by<'d>(template: &Template<'d>, resource: Resource<'d>) -> Vec<&'d str> {
    let custom = resource.kind.starts_with("Custom::");
    let mut named = Vec::new();
    let is_caller = |caller: &str| caller == resource.kind || custom && caller == CUSTOM_RESOURCE;
    for (_, path) in CALLERS.iter().filter(|(caller, _)| is_caller(caller)) {
        if let Some(properties) = resource.properties {
            at_path(properties, path, &mut named);
        }
    }
    // an action of SES may wait for the answer
    let waits = |node: &Node<'_>| {
        let invocation = node.parent().and_then(|action| action.get("InvocationType"));
        invocation.is_some_and(|invocation| invocation.text() != Some("Event"))
    };
    let asynchronous = named.into_iter().filter(|node| !waits(node));
    asynchronous.filter_map(|node| function(template, node)).map(|function| function.id).collect()
}

fn events(function: Resource<'_>) -> impl Iterator<Item = (Node<'_>, &str, Block<'_>)> {
    let all = function.properties.and_then(|properties| properties.get("Events"));
    all.into_iter().flat_map(Node::entries).filter_map(|event| {
        let kind = event.get("Type").and_then(Node::text)?;
        Some((event, kind, Block::new(event, Keys::Exact).block("Properties")))
    })
}

impl<'d> Reading<'d> {
    fn of(template: &'d Template<'d>) -> Self {
        let mut reading = Self {
            template,
            queues: Vec::new(),
            by_id: HashMap::new(),
            policies: Vec::new(),
            called: HashSet::new(),
            told: HashSet::new(),
        };
        let (mut set, mut unclear, mut dead) = (HashSet::new(), false, Vec::new());
        for resource in template.resources() {
            reading.called.extend(called_by(template, resource));
            match resource.kind {
                QUEUE => {
                    reading.by_id.insert(resource.id, reading.queues.len());
                    let (queue, others) = queue(template, resource);
                    reading.queues.push(queue);
                    dead.extend(others);
                }
                "AWS::Lambda::EventInvokeConfig" => {
                    let named = resource.properties.and_then(|properties| properties.get("FunctionName"));
                    match named.and_then(|node| function(template, node)) {
                        Some(function) => drop(set.insert(function.id)),
                        None => unclear = true,
                    }
                }
                "AWS::Serverless::Function" => {
                    let calls = |(_, kind, block): (Node<'_>, &str, Block<'_>)| {
                        let queue = block.get("SqsSubscription");
                        let direct = queue.is_none_or(|queue| queue.boolean() == Some(false));
                        CALLING_EVENTS.contains(&kind) && direct
                    };
                    if events(resource).any(calls) {
                        reading.called.insert(resource.id);
                    }
                    let blocks = [reading.invoke_config(resource), reading.global_invoke_config()];
                    if blocks.iter().any(|part| !matches!(part, Part::Absent)) {
                        set.insert(resource.id);
                    }
                }
                _ => {}
            }
        }
        for id in dead {
            if let Some(at) = reading.by_id.get(id.as_str()) {
                reading.queues[*at].is_dead_letter_queue = true;
            }
        }
        // one of them may be set by what cannot be followed
        reading.called.retain(|id| !unclear && !set.contains(id));
        reading
    }

    fn invoke_config(&self, function: Resource<'d>) -> Part<'d> {
        self.template.part(function.properties.and_then(|properties| properties.get("EventInvokeConfig")))
    }

    fn global_invoke_config(&self) -> Part<'d> {
        let globals = self.template.function_globals();
        self.template.part(globals.and_then(|globals| globals.get("EventInvokeConfig")))
    }

    fn resource(&mut self, resource: Resource<'d>) {
        let properties = Block::new(resource.properties, Keys::Exact);
        match resource.kind {
            "AWS::Lambda::EventSourceMapping" => self.mapping(resource),
            "AWS::Lambda::EventInvokeConfig" => {
                let called = properties.get("FunctionName").and_then(|node| function(self.template, node));
                let at = Site { node: resource.node, name: resource.id.to_string() };
                let policy = self.asynchronous(at, &[properties], called);
                self.policies.push(policy);
            }
            "AWS::Lambda::Function" => self.implied(resource),
            "AWS::Serverless::Function" => self.serverless_function(resource),
            "AWS::Serverless::StateMachine" => {
                for (event, kind, block) in events(resource) {
                    self.event_delivery(event, kind, block, resource);
                }
            }
            "AWS::Events::Rule" => {
                for (n, target) in properties.get("Targets").into_iter().flat_map(Node::items).enumerate() {
                    if let Part::Known(target) = self.template.part(Some(target)) {
                        self.delivery(target, format!("{}/Targets[{n}]", resource.id));
                    }
                }
            }
            "AWS::Scheduler::Schedule" => {
                if let Part::Known(target) = self.template.part(properties.get("Target")) {
                    self.delivery(target, resource.id.to_string());
                }
            }
            "AWS::SNS::Subscription" => self.policies.extend(sns::subscription(self.template, resource)),
            "AWS::SNS::Topic" => self.policies.extend(sns::topic(self.template, resource)),
            _ => {}
        }
    }

    /// How long a run may take, and what is refused of that, once for each timeout.
    fn run_time(&mut self, called: Option<Resource<'d>>) -> (Setting<Duration>, Vec<Fault>) {
        let known = called.and_then(|function| self.template.function_timeout(function));
        let Some((timeout, mut faults)) = known else {
            return (Setting::unknown("the function is not in this template", None), Vec::new());
        };
        self.once(&mut faults);
        (timeout, faults)
    }

    /// Keeps the faults of values that hold for several functions for the first of them.
    fn once(&mut self, faults: &mut Vec<Fault>) {
        faults.retain(|fault| self.told.insert(fault.pointer.clone()));
    }

    /// A mapping of its own.
    fn mapping(&mut self, resource: Resource<'d>) {
        let block = Block::new(resource.properties, Keys::Exact);
        let called = block.get("FunctionName").and_then(|node| function(self.template, node));
        let at = Site { node: resource.node, name: resource.id.to_string() };
        let source = block.get("EventSourceArn");
        let is_queue = |node: Node<'d>| match self.template.target(node) {
            Some(target) => target.kind == QUEUE,
            None => template_text(node).and_then(Node::text).is_some_and(|arn| arn.contains(":sqs:")),
        };
        if source.is_some_and(is_queue) {
            self.queue_mapping(at, block, source, called);
        } else if block.get("StartingPosition").is_some() {
            self.stream_mapping(at, block, called);
        }
    }

    /// A function with its events, its asynchronous retries and those that Globals give it.
    fn serverless_function(&mut self, resource: Resource<'d>) {
        for (event, kind, block) in events(resource) {
            let at = Site { node: event, name: format!("{}/{}", resource.id, event.key()) };
            match kind {
                "SQS" => self.queue_mapping(at, block, block.get("Queue"), Some(resource)),
                "SNS" => self.queue_between(at, block, resource),
                "Kinesis" | "DynamoDB" | "MSK" | "SelfManagedKafka" | "DocumentDB" => {
                    self.stream_mapping(at, block, Some(resource));
                }
                _ => self.event_delivery(event, kind, block, resource),
            }
        }
        if let Part::Known(config) = self.invoke_config(resource) {
            let mut blocks = vec![Block::new(config, Keys::Exact)];
            match self.global_invoke_config() {
                Part::Known(globals) => blocks.push(Block::new(globals, Keys::Exact)),
                Part::Absent => {}
                Part::Unknown => return,
            }
            let at = Site { node: config, name: resource.id.to_string() };
            let policy = self.asynchronous(at, &blocks, Some(resource));
            self.policies.push(policy);
        }
        self.implied(resource);
    }

    /// Retries of asynchronous invocations that Globals give to all functions without their own.
    fn globals(&mut self) {
        let Part::Known(config) = self.global_invoke_config() else { return };
        let functions = self.template.resources().filter(|found| found.kind == "AWS::Serverless::Function");
        let all: Vec<_> = functions.filter(|one| matches!(self.invoke_config(*one), Part::Absent)).collect();
        let mut runs: Vec<Setting<Duration>> = Vec::new();
        for one in &all {
            runs.extend(self.template.function_timeout(*one).map(|(run, _)| run));
        }
        let Some(first) = runs.first().cloned() else { return };
        let at = Site { node: config, name: "Globals".to_string() };
        let policy = self.asynchronous(at, &[Block::new(config, Keys::Exact)], all.first().copied());
        let alike = runs.iter().all(|run| run.bound == first.bound);
        let attempt_timeout =
            if alike { first } else { Setting::unknown("the functions have several", None) };
        self.policies.push(Policy { attempt_timeout, ..policy });
    }

    /// What Lambda does with asynchronous invocations although nothing says so.
    fn implied(&mut self, function: Resource<'d>) {
        let reserved = function.properties.and_then(|all| all.get("ReservedConcurrentExecutions"));
        let runs = reserved.is_none_or(|reserved| reserved.text() != Some("0"));
        if runs && self.called.contains(function.id) {
            let at = Site { node: function.node, name: function.id.to_string() };
            let policy = self.asynchronous(at, &[], Some(function));
            self.policies.push(Policy { written: false, ..policy });
        }
    }

    /// A stream or a topic of Kafka that feeds a function.
    fn stream_mapping(&mut self, at: Site<'d>, block: Block<'d>, called: Option<Resource<'d>>) {
        let (attempt_timeout, mut faults) = self.run_time(called);
        let resolve = |node| self.template.resolve(node);
        let mut reader = Reader::with("Lambda", &resolve);
        let mut retries = reader.get(block, &STREAM_RETRIES);
        let has = |keys: &[&str]| keys.iter().any(|key| block.get(key).is_some());
        let kafka = has(&["Topics", "SelfManagedEventSource"]);
        let on_failure = match self.template.part(block.get("DestinationConfig")) {
            Part::Known(config) => dead_letters(self.template, config, "OnFailure"),
            Part::Absent => Some(false),
            Part::Unknown => None,
        };
        match (kafka && retries.is_unlimited(), on_failure) {
            (true, Some(true)) => {
                let whose = "Lambda's limit for Kafka with a failure destination";
                retries = Setting::default(KAFKA_RETRIES, whose);
            }
            (true, None) => retries = Setting::unknown("OnFailure is known at the deployment only", None),
            (true, Some(false)) => {}
            (false, _) if retries.is_unlimited() && retries.origin.is_default() => {
                retries = Setting::unlimited("Lambda's default: until the record expires");
            }
            (false, _) => {}
        }
        // what Kinesis and DynamoDB give to a function has settings for all of this; the others end in their own way
        let dead_letters = if kafka || has(&["DocumentDBEventSourceConfig"]) { None } else { on_failure };
        let deadline = reader.get(block, &RECORD_AGE);
        faults.append(&mut reader.faults);
        self.policies.push(Policy {
            written: !(retries.origin.is_default() && deadline.origin.is_default()),
            attempts: retries.map(|retries| retries + 1),
            backoff: Backoff::unknown("Lambda does not publish the waits of a stream's retries"),
            attempt_timeout,
            deadline,
            deadline_effect: DeadlineEffect::Stops,
            dead_letters,
            faults,
            ..running(at, called)
        });
    }

    /// SAM's queue between a topic and a function: one that is named, or one that SAM makes with nothing set
    /// (samtranslator/model/eventsources/push.py, SNS).
    fn queue_between(&mut self, at: Site<'d>, block: Block<'d>, resource: Resource<'d>) {
        let Some(subscription) = block.get("SqsSubscription") else { return };
        if subscription.kind() == Kind::Map {
            let named = Block::new(subscription, Keys::Exact);
            self.queue_mapping(at, named, named.get("QueueArn"), Some(resource));
        } else if subscription.boolean() == Some(true) {
            let own = self.queues.len();
            let nothing = Block::new(None, Keys::Exact);
            let reader = Reader::new("SQS");
            self.queues.push(Queue {
                name: at.name.clone(),
                dialect: ID,
                place: at.node.key_place(),
                pointer: at.node.pointer(),
                window_key: VISIBILITY_TIMEOUT.key,
                window: reader.absent(&VISIBILITY_TIMEOUT),
                receives: reader.absent(&MAX_RECEIVE_COUNT),
                retention: reader.absent(&RETENTION),
                dead_letters: false,
                dead_letter_retention: None,
                is_dead_letter_queue: false,
                handlers: Vec::new(),
                faults: Vec::new(),
            });
            self.feed(at, nothing, Some(own), false, Some(resource));
        }
    }

    /// A queue that feeds a function; of one that is elsewhere only what Lambda refuses is known.
    fn queue_mapping(
        &mut self,
        at: Site<'d>,
        block: Block<'d>,
        source: Option<Node<'d>>,
        called: Option<Resource<'d>>,
    ) {
        let target = source.and_then(|node| self.template.target(node)).filter(|found| found.kind == QUEUE);
        let arn = source.and_then(template_text).and_then(Node::text).unwrap_or_default();
        let fifo = match target {
            Some(queue) => is_fifo(self.template, queue) == Some(true),
            None => arn.contains(":sqs:") && arn.ends_with(".fifo"),
        };
        let known = target.and_then(|queue| self.by_id.get(queue.id).copied());
        self.feed(at, block, known, fifo, called);
    }

    /// The mapping of a queue, by its place among those of the template.
    fn feed(
        &mut self,
        at: Site<'d>,
        block: Block<'d>,
        queue: Option<usize>,
        fifo: bool,
        called: Option<Resource<'d>>,
    ) {
        let (run, mut faults) = self.run_time(called);
        let resolve = |node| self.template.resolve(node);
        let mut reader = Reader::with("Lambda", &resolve);
        let gathering = reader.get(block, &BATCHING_WINDOW);
        let batch = reader.get(block, &BATCH_SIZE);
        let many = batch.at().filter(|size| *size > UNGATHERED);
        if let (Some(node), Some(size)) = (block.get(BATCH_SIZE.key), many) {
            let size = size.to_string();
            if fifo {
                reader.refuse_as(node, "at most 10 is expected for a FIFO queue", &[(&size, &batch.origin)]);
            } else if gathering.bound == Bound::At(Duration::ZERO) {
                let expected = "for more than 10, a MaximumBatchingWindowInSeconds of at least 1 is expected";
                reader.refuse_as(node, expected, &[(&size, &batch.origin), ("0 s", &gathering.origin)]);
                reader.advise("set MaximumBatchingWindowInSeconds to at least 1, or BatchSize to 10 at most");
            }
        }
        let gathers = gathering.at().is_some_and(|time| !time.is_zero());
        if let Some(node) = block.get(BATCHING_WINDOW.key).filter(|_| fifo && gathers) {
            reader.refuse_as(node, "a FIFO queue takes none", &[("it", &gathering.origin)]);
            reader.advise("remove it, or set it to 0");
        }
        for node in STREAM_KEYS.iter().filter_map(|key| block.get(key)) {
            let Resolved::Literal(value, _) = self.template.resolve(node) else { continue };
            // what a queue has anyhow is not asked for
            if !matches!(value.text(), Some("false" | "-1")) {
                reader.refuse(node, "only streams take it");
                reader.advise("remove it; a queue counts with the maxReceiveCount of its RedrivePolicy");
            }
        }
        let throttled = self.throttled(&mut reader, block, called);
        faults.append(&mut reader.faults);
        let name = called.map_or(at.name.clone(), |function| function.id.to_string());
        let base = running(at, called);
        let Some(queue) = queue.and_then(|queue| self.queues.get_mut(queue)) else {
            if !faults.is_empty() {
                let elsewhere = "the queue is not in this template";
                self.policies.push(Policy {
                    written: false,
                    attempts: Setting::unknown(elsewhere, None),
                    backoff: Backoff::unknown(elsewhere),
                    attempt_timeout: run,
                    faults,
                    ..base
                });
            }
            return;
        };
        queue.handlers.push(Handler {
            name,
            place: base.place,
            run: run.clone(),
            attempts: 1,
            gathering,
            advice: Some(Advice {
                runs: 6,
                receives: ADVISED_RECEIVES,
                throttled,
                source: "AWS's guide to Lambda with SQS".into(),
            }),
        });
        self.policies.push(Policy {
            written: false,
            attempts: queue.receives.clone(),
            backoff: Backoff {
                growth: Growth::Constant,
                initial: queue.window.clone(),
                ..Backoff::none("redelivery after the visibility timeout")
            },
            pacing: Pacing::StartToStart,
            attempt_timeout: run,
            faults,
            ..base
        });
    }

    /// The reserved concurrency of a function, unless the mapping keeps the queue within it.
    fn throttled(
        &self,
        reader: &mut Reader<'_, 'd>,
        block: Block<'d>,
        called: Option<Resource<'d>>,
    ) -> Option<Setting<u64>> {
        let most = reader.get(block.block("ScalingConfig"), &MOST_RUNS);
        let function = called?;
        let globals =
            (function.kind == "AWS::Serverless::Function").then(|| self.template.function_globals());
        let blocks = [function.properties, globals.flatten()].map(|node| Block::new(node, Keys::Exact));
        let resolve = |node| self.template.resolve(node);
        let reserved = Reader::with("Lambda", &resolve).first(&blocks, &RESERVED);
        let open = match most.bound {
            Bound::At(most) => reserved.at().is_some_and(|reserved| reserved < most),
            Bound::Unlimited => reserved.at().is_some(),
            Bound::Unknown => false,
        };
        open.then_some(reserved)
    }

    /// Lambda's own retries of an asynchronous invocation.
    fn asynchronous(&mut self, at: Site<'d>, blocks: &[Block<'d>], called: Option<Resource<'d>>) -> Policy {
        let (attempt_timeout, mut faults) = self.run_time(called);
        let resolve = |node| self.template.resolve(node);
        let mut reader = Reader::with("Lambda", &resolve);
        let whose = "Lambda's own back-off";
        let attempts = reader.first(blocks, &ASYNC_RETRIES).map(|retries| retries + 1);
        let deadline = reader.first(blocks, &ASYNC_AGE);
        let mut others = reader.faults;
        self.once(&mut others);
        faults.append(&mut others);
        Policy {
            attempts,
            backoff: Backoff {
                growth: Growth::List(ASYNC_WAITS.to_vec()),
                initial: Setting::default(ASYNC_WAITS[0], whose),
                ..Backoff::none(whose)
            },
            attempt_timeout,
            deadline,
            deadline_effect: DeadlineEffect::Stops,
            faults,
            ..running(at, called)
        }
    }

    /// The delivery of one of SAM's events to a function or a state machine.
    fn event_delivery(&mut self, event: Node<'d>, kind: &str, block: Block<'d>, resource: Resource<'d>) {
        let delivered = ["EventBridgeRule", "CloudWatchEvent", "Schedule", "ScheduleV2"].contains(&kind);
        if let Some(node) = block.node().filter(|_| delivered) {
            self.delivery(node, format!("{}/{}", resource.id, event.key()));
        }
    }

    /// The `RetryPolicy` of a target of EventBridge or its scheduler.
    fn delivery(&mut self, target: Node<'d>, name: String) {
        let Part::Known(retries) = self.template.part(target.get("RetryPolicy")) else { return };
        let resolve = |node| self.template.resolve(node);
        let mut reader = Reader::with("EventBridge", &resolve);
        let block = Block::new(retries, Keys::Exact);
        let unpublished = "EventBridge does not publish how long a delivery may take";
        self.policies.push(Policy {
            attempts: reader.get(block, &DELIVERY_RETRIES).map(|retries| retries + 1),
            backoff: Backoff::unknown("EventBridge does not publish its waits"),
            attempt_timeout: Setting::unknown(unpublished, None),
            deadline: reader.get(block, &DELIVERY_AGE),
            deadline_effect: DeadlineEffect::Stops,
            dead_letters: dead_letters(self.template, target, "DeadLetterConfig"),
            faults: reader.faults,
            ..policy(ID, Layer::Queue, name, retries)
        });
    }
}

/// Whether a block names a place for what fails, as far as the template says.
fn dead_letters<'d>(template: &Template<'d>, block: Node<'d>, key: &str) -> Option<bool> {
    match template.part(block.get(key)) {
        Part::Known(_) => Some(true),
        Part::Absent => Some(false),
        Part::Unknown => None,
    }
}
