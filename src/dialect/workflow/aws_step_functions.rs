//! AWS Step Functions: the Amazon States Language, in files of its own and within templates
//! (states-language.net/spec.html; AWS Step Functions developer guide, "Handling errors in workflows").

use crate::dialect::shape::cloudformation::{Template, joined_text, mapping_as_text, template_text};
use crate::dialect::shape::read::{
    Block, Count, Keys, Notation, Number, Reader, Resolved, Time, Word, literal,
};
use crate::dialect::shape::switch::{last_scalar, switch};
use crate::dialect::shape::{failures, placeholder, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{
    Backoff, Bound, CapApplies, Duration, Facts, Growth, Jitter, Layer, Links, Name, Origin, Policy, Ratio,
    Reference, Setting,
};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "AWS Step Functions",
    reads: "state machines in *.asl.json, *.asl.yaml, CloudFormation and SAM templates",
    markers: &["startat"],
    read,
};

const ID: &str = "aws-step-functions";

/// Retries, although it is called attempts.
const MAX_ATTEMPTS: Count = Count::new("MaxAttempts").or(3).range(0, 99_999_999);
const INTERVAL: Time = seconds("IntervalSeconds").or(Duration::from_secs(1));
/// Under 366 days (developer guide, "Handling errors in workflows"); more than `IntervalSeconds`.
const MAX_DELAY: Time =
    seconds("MaxDelaySeconds").range(Duration::from_secs(1), Duration::from_secs(31_622_399));
const BACKOFF_RATE: Number =
    Number { key: "BackoffRate", absent: Bound::At(Ratio::new(2, 1)), least: Ratio::ONE, above: false };
const JITTER: Word<Jitter> = Word {
    key: "JitterStrategy",
    absent: Jitter::None,
    words: &[("FULL", Jitter::Full { least: Duration::ZERO }), ("NONE", Jitter::None)],
};
/// Of a task: it counts anew for each attempt. Of the machine: it cuts everything.
const TIMEOUT: Time = seconds("TimeoutSeconds");
const HEARTBEAT: Time = seconds("HeartbeatSeconds");
/// Whether a machine is an Express workflow: in CloudFormation, in SAM, and in Serverless.
const TYPES: [Word<bool>; 3] = [kind("StateMachineType"), kind("Type"), kind("type")];
/// An Express machine lives no longer (developer guide, "Quotas").
const EXPRESS_LIMIT: Duration = Duration::from_secs(300);
/// Errors of the machine itself, which the same input brings about again.
const PERMANENT: &[&str] = &[
    "States.Permissions",
    "States.ParameterPathFailure",
    "States.ResultPathMatchFailure",
    "States.NoChoiceMatched",
    "States.IntrinsicFailure",
    "States.Runtime",
];
/// The fields of a retrier, and the comment that each object may have.
const FIELDS: &[&str] = &[
    "ErrorEquals",
    "IntervalSeconds",
    "MaxAttempts",
    "BackoffRate",
    "MaxDelaySeconds",
    "JitterStrategy",
    "Comment",
];
/// States that a `Retry` is refused on.
const NEVER_RETRIED: &[&str] = &["Pass", "Choice", "Wait", "Succeed", "Fail"];

const fn seconds(key: &'static str) -> Time {
    Time::new(key, Notation::Whole(Seconds, false))
        .range(Duration::from_secs(1), Duration::from_secs(99_999_999))
}

const fn kind(key: &'static str) -> Word<bool> {
    Word { key, absent: false, words: &[("EXPRESS", true), ("STANDARD", false)] }
}

/// A state machine and what its surroundings say about it.
#[derive(Clone, Copy)]
struct Machine<'d> {
    definition: Node<'d>,
    /// What says its type.
    properties: Option<Node<'d>>,
    template: Option<&'d Template<'d>>,
    /// What makes the text that the definition stands in.
    text: Option<Node<'d>>,
    /// The resource that it is.
    resource: Option<Node<'d>>,
}

impl<'d> Machine<'d> {
    /// The definition alone.
    fn alone(definition: Node<'d>) -> Self {
        Self { definition, properties: None, template: None, text: None, resource: None }
    }

    fn substitution(self, name: &str) -> Option<Node<'d>> {
        self.properties?.path(["DefinitionSubstitutions", name])
    }

    /// The value that a node stands for. Within a text that is filled in, a placeholder without quotes is the
    /// value of the template that takes its place.
    fn resolve(self, node: Node<'d>) -> Resolved<'d> {
        let Some(template) = self.template else { return literal(node) };
        let name = node.text().filter(|_| !node.is_quoted()).and_then(|text| {
            text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).filter(|name| !name.contains('$'))
        });
        let (Some(text), Some(name)) = (self.text, name) else { return template.resolve(node) };
        let filled = match name.strip_prefix('!') {
            Some(kept) => self.substitution(kept).map(|value| template.resolve(value)),
            None => template
                .substitution(text, name)
                .or_else(|| self.substitution(name).map(|value| template.resolve(value))),
        };
        filled.map_or_else(|| literal(node), as_text)
    }
}

/// A value as it stands within a text: quotes of its own are lost, and it may stand there more than once.
fn as_text(resolved: Resolved<'_>) -> Resolved<'_> {
    let spread = |origin| match origin {
        Origin::Written(place) => Origin::Inherited(place),
        other => other,
    };
    match resolved {
        Resolved::Literal(node, origin) => match node.text() {
            Some(text) => Resolved::Text(text.into(), spread(origin)),
            None => Resolved::Unknown("a list or mapping is put into the text".into()),
        },
        Resolved::If(condition, sides) => Resolved::If(condition, Box::new(sides.map(as_text))),
        other => other,
    }
}

fn read(document: &Document<'_>, _: &File<'_>, facts: &mut Facts) -> bool {
    let root = document.root();
    if is_machine(root) {
        machine(Machine::alone(root), facts);
        return true;
    }
    for stated in root.path(["stepFunctions", "stateMachines"]).into_iter().flat_map(Node::entries) {
        if let Some(definition) = stated.get("definition").filter(|node| is_machine(*node)) {
            machine(Machine { properties: Some(stated), ..Machine::alone(definition) }, facts);
        }
    }
    let Some(template) = Template::of(document) else { return false };
    for resource in template.resources() {
        let sam = match resource.kind {
            "AWS::StepFunctions::StateMachine" => false,
            "AWS::Serverless::StateMachine" => true,
            _ => continue,
        };
        let Some(properties) = resource.properties else { continue };
        let within = |definition, text| Machine {
            definition,
            properties: Some(properties),
            template: Some(&template),
            text,
            resource: Some(resource.node),
        };
        let string = properties.get("DefinitionString").filter(|_| !sam);
        let mapping = properties.get("Definition").or_else(|| string.and_then(mapping_as_text));
        if let Some(definition) = mapping.filter(|node| is_machine(*node)) {
            machine(within(definition, None), facts);
        } else if let Some(text) = string {
            let parsed = match joined_text(text) {
                Some(parts) => {
                    let parts: Vec<_> =
                        parts.iter().map(|part| part.as_ref().copied().map_err(String::as_str)).collect();
                    text.embedded_join(&parts)
                }
                None => template_text(text).and_then(Node::embedded),
            };
            if let Some(inner) = parsed.as_ref().filter(|inner| is_machine(inner.root())) {
                machine(within(inner.root(), Some(text)), facts);
            }
        }
    }
    true
}

fn is_machine(node: Node<'_>) -> bool {
    let typed = |state: Node<'_>| state.get("Type").is_some();
    node.get("StartAt").and_then(Node::text).is_some()
        && node
            .get("States")
            .is_some_and(|states| states.entries().all(typed) && states.entries().next().is_some())
}

fn machine(machine: Machine<'_>, facts: &mut Facts) {
    let resolve = |node| machine.resolve(node);
    let mut reader = Reader::with("Step Functions", &resolve);
    let written = reader.get(Block::new(machine.definition, Keys::Exact), &TIMEOUT);
    let properties = Block::new(machine.properties, Keys::Exact);
    let kind = TYPES.iter().find(|kind| properties.get(kind.key).is_some());
    let express = kind.map_or(reader.absent(&TYPES[0]), |kind| reader.get(properties, kind));
    let deadline = match (express.at(), written.at()) {
        (Some(false), _) => written,
        (_, Some(time)) if time <= EXPRESS_LIMIT => written,
        _ if written.is_unknown() => written,
        (Some(true), _) if express.origin.is_assumed() => express.map(|_| EXPRESS_LIMIT),
        (Some(true), _) => Setting::default(EXPRESS_LIMIT, "the limit of an Express workflow"),
        (None, _) => Setting { bound: Bound::Unknown, origin: express.origin, branches: Vec::new() },
    };
    let before = facts.policies.len();
    let around = Around { path: String::new(), retrier: None };
    states(machine, machine.definition, &around, &deadline, facts);
    if let Some(first) = facts.policies.get_mut(before) {
        first.faults.append(&mut reader.faults);
    }
}

/// What a nested state stands in.
struct Around {
    /// The names of the states around it.
    path: String,
    /// The pointer of the retrier that repeats it most often.
    retrier: Option<String>,
}

/// Every retrier of the states of a machine, of a branch or of an iterated part. A retrier of a Map or
/// Parallel state repeats all that is within it.
fn states<'d>(
    machine: Machine<'d>,
    scope: Node<'d>,
    around: &Around,
    deadline: &Setting<Duration>,
    facts: &mut Facts,
) {
    for state in scope.get("States").into_iter().flat_map(Node::entries) {
        let path = match around.path.as_str() {
            "" => state.key().to_string(),
            outer => format!("{outer}/{}", state.key()),
        };
        let before = facts.policies.len();
        retriers(
            machine,
            state,
            &Around { path: path.clone(), retrier: around.retrier.clone() },
            deadline,
            facts,
        );
        let own = facts.policies[before..].iter().filter(|policy| policy.attempts.at() != Some(1));
        let most = own.max_by_key(|policy| policy.attempts.at().unwrap_or(u64::MAX));
        let retrier = most.map(|policy| policy.pointer.clone()).or_else(|| around.retrier.clone());
        let inside = Around { path, retrier };
        let iterated = ["Iterator", "ItemProcessor"].into_iter().filter_map(|key| state.get(key));
        let branches = state.get("Branches").into_iter().flat_map(Node::items);
        for inner in branches.chain(iterated) {
            states(machine, inner, &inside, deadline, facts);
        }
    }
}

fn retriers<'d>(
    machine: Machine<'d>,
    state: Node<'d>,
    around: &Around,
    deadline: &Setting<Duration>,
    facts: &mut Facts,
) {
    let Some(list) = state.get("Retry") else { return };
    let kind = state.get("Type").and_then(Node::text).unwrap_or_default();
    let count = list.items().count();
    let resolve = |node| machine.resolve(node);
    let before = facts.policies.len();
    // what is no mapping is filled in later
    for (n, retrier) in list.items().enumerate().filter(|(_, item)| item.kind() == Kind::Map) {
        let mut reader = Reader::with("Step Functions", &resolve);
        let attempt_timeout = attempt_timeout(machine, state, kind, &mut reader);
        if facts.policies.len() > before {
            reader.faults.clear(); // what is wrong with the state has been said once
        } else if NEVER_RETRIED.contains(&kind) {
            reader.refuse(list, format!("a {kind} state cannot be retried"));
        }
        errors(&mut reader, retrier, n + 1 == count);
        let block = Block::new(retrier, Keys::Exact);
        reader.unknown(block, FIELDS, |_| true, "a retrier of Step Functions has no such key");
        let name = &around.path;
        let label = if count == 1 { name.clone() } else { format!("{name}/Retry[{n}]") };
        let attempts = reader.get(block, &MAX_ATTEMPTS).map(|retries| retries + 1);
        let (initial, cap) = waits(&mut reader, block);
        if let Some(rate) = block.get(BACKOFF_RATE.key).filter(|rate| rate.is_quoted())
            && rate.text().and_then(placeholder::read).is_none()
        {
            reader.refuse(rate, "a number without quotes is expected");
        }
        // taking an error out of a later retrier is no retry of it
        let listed = block.get("ErrorEquals").filter(|_| attempts.at() != Some(1));
        facts.policies.push(Policy {
            repeated: listed.and_then(|list| failures::errors(list, PERMANENT)).into_iter().collect(),
            attempts,
            backoff: Backoff {
                growth: Growth::Exponential,
                initial,
                multiplier: reader.get(block, &BACKOFF_RATE),
                cap,
                cap_applies: CapApplies::BeforeJitter,
                jitter: reader.get(block, &JITTER),
                can_jitter: true,
                switch: switch(block.get(JITTER.key), last_scalar(retrier), JITTER.key, "FULL"),
                ..Backoff::none("Step Functions' default")
            },
            attempt_timeout,
            deadline: deadline.clone(),
            within: around.retrier.iter().cloned().collect(),
            links: Links {
                calls: called(machine, state).into_iter().collect(),
                owners: machine.resource.map(|node| Name::Here(node.pointer())).into_iter().collect(),
                ..Links::default()
            },
            faults: reader.faults,
            ..policy(ID, Layer::Workflow, label, retrier)
        });
    }
}

/// The first wait, and the longest, which has to be longer.
fn waits<'d>(reader: &mut Reader<'_, 'd>, block: Block<'d>) -> (Setting<Duration>, Setting<Duration>) {
    let (initial, cap) = (reader.get(block, &INTERVAL), reader.get(block, &MAX_DELAY));
    let assumed = initial.origin.is_assumed() || cap.origin.is_assumed();
    match (initial.at(), cap.at(), block.get(MAX_DELAY.key)) {
        (Some(first), Some(most), Some(node)) if most <= first && !assumed => {
            reader.refuse(node, format!("more than IntervalSeconds, {first}, is expected"));
            (initial, Setting::unknown("its value is refused", Some(node.place())))
        }
        _ => (initial, cap),
    }
}

/// `ErrorEquals` names at least one error, and `States.ALL` stands alone in the last retrier.
fn errors(reader: &mut Reader<'_, '_>, retrier: Node<'_>, last: bool) {
    let list = Block::new(retrier, Keys::Exact).get("ErrorEquals");
    let Some(list) = list else { return reader.missing(retrier, "ErrorEquals") };
    if list.text().and_then(placeholder::read).is_some() {
        return; // not known before it is filled in
    }
    let names: Vec<_> = list.items().filter_map(Node::text).collect();
    if list.kind() != Kind::List {
        reader.refuse(list, "a list of error names is expected");
    } else if list.items().next().is_none() {
        reader.refuse(list, "at least one error name is expected");
    } else if names.contains(&"States.ALL") && names.len() > 1 {
        reader.refuse(list, "States.ALL has to stand alone in its list");
    } else if names.contains(&"States.ALL") && !last {
        reader.refuse(list, "States.ALL has to stand in the last retrier");
    }
}

/// What bounds one attempt: the task's own timeout, else that of the function it calls.
fn attempt_timeout<'d>(
    machine: Machine<'d>,
    state: Node<'d>,
    kind: &str,
    reader: &mut Reader<'_, 'd>,
) -> Setting<Duration> {
    if kind != "Task" {
        return Setting::unknown(format!("what the {kind} state runs bounds it"), None);
    }
    let block = Block::new(state, Keys::Exact);
    if let Some(path) = block.get("TimeoutSecondsPath") {
        if block.get(TIMEOUT.key).is_some() {
            reader.refuse(path, "it excludes TimeoutSeconds");
        }
        return Setting::unknown("TimeoutSecondsPath is known at run time only", Some(path.place()));
    }
    let timeout = reader.get(block, &TIMEOUT);
    if let Some(path) = block.get("HeartbeatSecondsPath").filter(|_| block.get(HEARTBEAT.key).is_some()) {
        reader.refuse(path, "it excludes HeartbeatSeconds");
    }
    let heartbeat = reader.get(block, &HEARTBEAT);
    if let (Some(beat), Some(time), Some(node)) = (heartbeat.at(), timeout.at(), block.get(HEARTBEAT.key))
        && beat >= time
    {
        reader.refuse(node, format!("a time below TimeoutSeconds of {time} is expected"));
    }
    match hands_over(state) {
        _ if !timeout.is_unlimited() => timeout,
        Some(kind) if kind.text().is_some_and(|kind| HANDED_OVER.contains(&kind)) => timeout,
        Some(kind) => Setting::unknown("InvocationType is known at run time only", Some(kind.place())),
        None => function_timeout(machine, state).unwrap_or(timeout),
    }
}

/// Invocations of a function that do not wait for it (Lambda API reference, "Invoke").
const HANDED_OVER: &[&str] = &["Event", "DryRun"];

/// The argument of a task, in JSONPath or JSONata.
fn argument<'d>(state: Node<'d>, key: &str) -> Option<Node<'d>> {
    let arguments = ["Parameters", "Arguments"].into_iter().find_map(|name| state.get(name))?;
    arguments.get(key)
}

/// How a task invokes a function, unless it waits for the answer for certain.
fn hands_over(state: Node<'_>) -> Option<Node<'_>> {
    let kind = argument(state, "InvocationType").or_else(|| argument(state, "InvocationType.$"))?;
    (kind.text() != Some("RequestResponse")).then_some(kind)
}

/// The function or the state machine that a task waits for.
fn called(machine: Machine<'_>, state: Node<'_>) -> Option<Reference> {
    let resource = state.get("Resource")?;
    let text = template_text(resource).and_then(Node::text).unwrap_or_default();
    if text.ends_with(".waitForTaskToken") || hands_over(state).is_some() {
        return None;
    }
    let place = resource.place();
    let here = |id: &str| Some(Name::Here(machine.template?.resource(id)?.node.pointer()));
    let own = machine.template.and_then(|template| called_function(machine, template, state)).and_then(here);
    if let Some(name) = own {
        return Some(Reference { name, place });
    }
    let literal = |node: Node<'_>| node.text().filter(|text| !text.contains("${")).map(account_name);
    let (name, node) = if let Some((_, service)) = text.split_once(":states:::") {
        match service {
            "lambda:invoke" => {
                let node = argument(state, "FunctionName")?;
                (Name::Function(literal(node)?), node)
            }
            "states:startExecution.sync" | "states:startExecution.sync:2" => {
                let node = argument(state, "StateMachineArn")?;
                let target = machine.template.and_then(|template| template.target(node));
                match target {
                    Some(target) => (Name::Here(target.node.pointer()), node),
                    None => (Name::StateMachine(literal(node)?), node),
                }
            }
            _ => return None,
        }
    } else if text.contains(":lambda:") {
        (Name::Function(literal(resource)?), resource)
    } else {
        return None;
    };
    Some(Reference { name, place: node.place() })
}

/// The name in an ARN of a function or a state machine, or the name itself: `arn:aws:lambda:eu-west-1:1:function:NAME`,
/// to which a version or an alias may be added (Lambda API reference, "FunctionName").
fn account_name(text: &str) -> String {
    let parts: Vec<_> = text.split(':').collect();
    let marked = parts.iter().position(|part| matches!(*part, "function" | "stateMachine"));
    let at = marked.map_or(0, |at| at + 1);
    parts.get(at).copied().unwrap_or_default().to_string()
}

/// The timeout of the function of the same template that a task calls.
fn function_timeout(machine: Machine<'_>, state: Node<'_>) -> Option<Setting<Duration>> {
    let template = machine.template?;
    let function = template.resource(called_function(machine, template, state)?)?;
    let (mut setting, _) = template.function_timeout(function)?;
    if let Origin::Written(place) = setting.origin {
        setting.origin = Origin::Inherited(place);
    }
    Some(setting)
}

/// The logical id of the function that a task calls: by its `Resource`, or by the `FunctionName` of
/// `lambda:invoke`; either directly or through a substitution.
fn called_function<'d>(machine: Machine<'d>, template: &Template<'d>, state: Node<'d>) -> Option<&'d str> {
    let resource = state.get("Resource")?;
    if resource.text().is_some_and(|text| text.ends_with(".waitForTaskToken")) {
        return None; // the function ends, and the task waits on
    }
    let reference = argument(state, "FunctionName").unwrap_or(resource);
    let text = template_text(reference).and_then(Node::text);
    let substituted = text.and_then(|text| text.split_once("${")).and_then(|(_, rest)| rest.split_once('}'));
    let substitution = substituted.and_then(|(name, _)| machine.substitution(name));
    if let Some(value) = substitution {
        return template.target(value).map(|resource| resource.id);
    }
    let named = text.filter(|text| text.contains("${")).and_then(|text| template.substituted(text));
    named.or_else(|| template.target(reference)).map(|resource| resource.id)
}
