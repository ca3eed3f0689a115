//! CloudFormation and SAM templates: resources, the functions that name values, and what refers to what.
//! (AWS CloudFormation user guide, "Intrinsic function reference" and "Parameters"; AWS SAM
//! specification, "Globals".)

use super::read::{Block, Keys, Notation, Reader, Resolved, Time, literal};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{Duration, Fault, Origin, Setting};
use std::collections::HashMap;

/// How long a function may run; 3 s where nothing is written (Lambda API reference, Timeout).
const FUNCTION_TIMEOUT: Time = Time::new("Timeout", Notation::Whole(Seconds, true))
    .range(Duration::from_secs(1), Duration::from_secs(900))
    .or(Duration::from_secs(3));

/// The property that gives a resource of a kind its physical name.
const NAMES: &[(&str, &str)] = &[
    ("AWS::SQS::Queue", "QueueName"),
    ("AWS::Lambda::Function", "FunctionName"),
    ("AWS::Serverless::Function", "FunctionName"),
    ("AWS::SNS::Topic", "TopicName"),
    ("AWS::StepFunctions::StateMachine", "StateMachineName"),
];

/// So many variables of an `Fn::Sub` are looked up among its own.
const MOST_SUBSTITUTES: usize = 8;

/// A template.
pub struct Template<'d> {
    root: Node<'d>,
    parameters: HashMap<&'d str, Node<'d>>,
    resources: HashMap<&'d str, Resource<'d>>,
    /// By their physical names as written, in which `Fn::Sub` may have left its variables.
    named: HashMap<&'d str, Resource<'d>>,
}

/// A block of a template that may hang on a condition.
#[derive(Clone, Copy)]
pub enum Part<'d> {
    /// This one, at least where its condition is met.
    Known(Node<'d>),
    /// As if the key were not there.
    Absent,
    /// Not in the template, or one of several.
    Unknown,
}

/// A resource of a template.
#[derive(Clone, Copy)]
pub struct Resource<'d> {
    /// Its logical id.
    pub id: &'d str,
    /// Its type, as `AWS::SQS::Queue`.
    pub kind: &'d str,
    /// The whole resource.
    pub node: Node<'d>,
    /// Its properties.
    pub properties: Option<Node<'d>>,
}

/// A function of the template language, short (`!Ref X`) or long (`Ref: X`, `Fn::GetAtt: …`).
struct Intrinsic<'d> {
    name: &'d str,
    argument: Node<'d>,
}

impl<'d> Intrinsic<'d> {
    fn of(node: Node<'d>) -> Option<Self> {
        if let Some(tag) = node.tag() {
            return Some(Self { name: tag.strip_prefix('!')?, argument: node });
        }
        let mut entries = node.entries();
        let (only, more) = (entries.next()?, entries.next());
        let name = only.key();
        let known = name == "Ref" || name.starts_with("Fn::");
        (more.is_none() && known)
            .then(|| Self { name: name.strip_prefix("Fn::").unwrap_or(name), argument: only })
    }
}

impl<'d> Template<'d> {
    /// The template that a document is: a mapping with `Resources` whose values have types.
    pub fn of(document: &'d Document<'_>) -> Option<Self> {
        let root = document.root();
        let typed = |resource: Node<'_>| {
            let kind = resource.get("Type").and_then(Node::string);
            kind.is_some_and(|kind| kind.contains("::"))
        };
        let all = root.get("Resources").filter(|all| all.entries().any(typed))?;
        let parameters = root.get("Parameters").into_iter().flat_map(Node::entries);
        let mut named = HashMap::new();
        for resource in all.entries().filter_map(resource) {
            let key = NAMES.iter().find(|(kind, _)| *kind == resource.kind).map(|(_, key)| *key);
            let name = key.and_then(|key| template_text(resource.properties?.get(key)?)?.text());
            if let Some(name) = name {
                named.entry(name).or_insert(resource);
            }
        }
        Some(Self {
            root,
            parameters: parameters.map(|parameter| (parameter.key(), parameter)).collect(),
            resources: all.entries().filter_map(resource).map(|found| (found.id, found)).collect(),
            named,
        })
    }

    /// The resources that have a type, in order.
    pub fn resources(&self) -> impl Iterator<Item = Resource<'d>> {
        self.root.get("Resources").into_iter().flat_map(Node::entries).filter_map(resource)
    }

    /// The resource with a logical id.
    pub fn resource(&self, id: &str) -> Option<Resource<'d>> {
        self.resources.get(id).copied()
    }

    /// SAM's `Globals.Function`.
    pub fn function_globals(&self) -> Option<Node<'d>> {
        self.root.path(["Globals", "Function"])
    }

    /// How long a function may run, and what Lambda refuses of that; SAM's Globals reach its own functions
    /// only. None for what is no function.
    pub fn function_timeout(&self, function: Resource<'d>) -> Option<(Setting<Duration>, Vec<Fault>)> {
        let globals = match function.kind {
            "AWS::Serverless::Function" => self.function_globals(),
            "AWS::Lambda::Function" => None,
            _ => return None,
        };
        let resolve = |node| self.resolve(node);
        let blocks = [function.properties, globals].map(|node| Block::new(node, Keys::Exact));
        let mut reader = Reader::with("Lambda", &resolve);
        let timeout = reader.first(&blocks, &FUNCTION_TIMEOUT);
        Some((timeout, reader.faults))
    }

    /// The block that a node stands for.
    pub fn part(&self, node: Option<Node<'d>>) -> Part<'d> {
        let Some(node) = node.filter(|node| node.kind() != Kind::Null) else { return Part::Absent };
        let known = |resolved: &Resolved<'d>| match resolved {
            Resolved::Literal(value, Origin::Written(_)) if value.kind() == Kind::Map => Some(*value),
            _ => None,
        };
        match self.resolve(node) {
            Resolved::Absent => Part::Absent,
            Resolved::If(_, sides) => match &*sides {
                [Resolved::Absent, Resolved::Absent] => Part::Absent,
                [side, Resolved::Absent] | [Resolved::Absent, side] => {
                    known(side).map_or(Part::Unknown, Part::Known)
                }
                _ => Part::Unknown,
            },
            other => known(&other).map_or(Part::Unknown, Part::Known),
        }
    }

    /// The value that a node stands for, as far as the template says.
    pub fn resolve(&self, node: Node<'d>) -> Resolved<'d> {
        let Some(Intrinsic { name, argument }) = Intrinsic::of(node) else { return literal(node) };
        match name {
            "Ref" => self.parameter(argument.text().unwrap_or_default()),
            "If" => {
                let sides: Vec<_> = argument.items().collect();
                match (sides.as_slice(), sides.first().and_then(|first| first.text())) {
                    ([_, met, unmet], Some(condition)) => {
                        let sides = Box::new([self.resolve(*met), self.resolve(*unmet)]);
                        Resolved::If(condition.to_string(), sides)
                    }
                    _ => Resolved::Unknown("Fn::If takes a condition and two values".into()),
                }
            }
            "FindInMap" => self.map_value(argument),
            "Sub" if argument.text().is_some_and(|text| !text.contains("${")) => {
                Resolved::Literal(argument, Origin::Written(node.place()))
            }
            _ => Resolved::Unknown(format!("Fn::{name} is not resolved before the deployment").into()),
        }
    }

    fn parameter(&self, name: &str) -> Resolved<'d> {
        if name == "AWS::NoValue" {
            return Resolved::Absent;
        }
        let Some(parameter) = self.parameters.get(name) else {
            return Resolved::Unknown(format!("{name} is known at the deployment only").into());
        };
        let kind = parameter.get("Type").and_then(Node::text).unwrap_or_default();
        match parameter.get("Default") {
            Some(default) if !kind.starts_with("AWS::SSM::Parameter::Value") => {
                let why = format!("the default of the parameter {name}");
                Resolved::Literal(default, Origin::Fallback(why.into(), default.place()))
            }
            _ => Resolved::Unknown(format!("the parameter {name} has no default in the template").into()),
        }
    }

    fn map_value(&self, keys: Node<'d>) -> Resolved<'d> {
        let mut at = self.root.get("Mappings");
        let mut assumed = None;
        for key in keys.items() {
            let name = match self.resolve(key) {
                Resolved::Literal(node, origin) => {
                    if let Origin::Fallback(why, _) = origin {
                        assumed = Some(why);
                    }
                    node.text()
                }
                _ => None,
            };
            let Some(name) = name else {
                return Resolved::Unknown("Fn::FindInMap has a key that is not in the template".into());
            };
            at = at.and_then(|map| map.get(name));
        }
        match at.filter(|value| value.kind() != Kind::Map) {
            Some(value) => {
                let place = value.place();
                Resolved::Literal(
                    value,
                    assumed.map_or(Origin::Inherited(place), |why| Origin::Fallback(why, place)),
                )
            }
            None => Resolved::Unknown("Fn::FindInMap finds nothing in the template".into()),
        }
    }

    /// What `${name}` stands for in a text that `Fn::Sub` or `Fn::Join` makes: a value of the function's own
    /// map, else a parameter. None where neither makes the text.
    pub fn substitution(&self, text: Node<'d>, name: &str) -> Option<Resolved<'d>> {
        let Intrinsic { name: function, argument } = Intrinsic::of(text)?;
        let own = argument.items().nth(1).and_then(|map| map.get(name));
        match function {
            "Sub" => Some(own.map_or_else(|| self.parameter(name), |value| self.resolve(value))),
            "Join" => Some(self.parameter(name)),
            _ => None,
        }
    }

    /// The resource that a node refers to: by `Ref`, `Fn::GetAtt`, `Fn::Sub`, `Fn::Join`, or by a literal
    /// name or ARN that ends in the literal name of a resource.
    pub fn target(&self, node: Node<'d>) -> Option<Resource<'d>> {
        let Some(Intrinsic { name, argument }) = Intrinsic::of(node) else {
            let text = node.text()?;
            return self.named(last_part(text)).or_else(|| self.named(unqualified(text)?));
        };
        match name {
            "Ref" => self.resource(owner(argument.text()?)),
            "GetAtt" => match argument.text() {
                Some(text) => self.resource(owner(text)),
                None => self.resource(argument.items().next()?.text()?),
            },
            "Sub" => {
                let mut parts = argument.items();
                let text = argument.text().or_else(|| parts.next()?.text())?;
                let own = parts.next();
                let mut values = substitutes(text).take(MOST_SUBSTITUTES).filter_map(|name| own?.get(name));
                values.find_map(|value| self.target(value)).or_else(|| self.substituted(text))
            }
            "Join" => argument.items().nth(1)?.items().find_map(|part| {
                let refers = Intrinsic::of(part).is_some();
                self.target(part).filter(|_| refers)
            }),
            "If" => {
                let sides: Vec<_> = argument.items().skip(1).filter_map(|side| self.target(side)).collect();
                match sides.as_slice() {
                    [one, other] if one.id == other.id => Some(*one),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The resources that a node refers to: one for each side of its conditions.
    pub fn targets(&self, node: Node<'d>) -> Vec<Resource<'d>> {
        match Intrinsic::of(node) {
            Some(Intrinsic { name: "If", argument }) => {
                argument.items().skip(1).flat_map(|side| self.targets(side)).collect()
            }
            _ => self.target(node).into_iter().collect(),
        }
    }

    /// The first resource that a text names as `${Id}` or `${Id.Attribute}`; without one, the resource
    /// whose literal name the text ends in.
    pub fn substituted(&self, text: &str) -> Option<Resource<'d>> {
        let found = substitutes(text).find_map(|name| self.resource(owner(name)));
        found.or_else(|| self.named(last_part(text)))
    }

    /// The resource with a literal physical name.
    fn named(&self, name: &str) -> Option<Resource<'d>> {
        self.named.get(name).copied()
    }
}

fn resource(node: Node<'_>) -> Option<Resource<'_>> {
    let kind = node.get("Type")?.string()?;
    Some(Resource { id: node.key(), kind, node, properties: node.get("Properties") })
}

/// What stands after the last `:` that is not within `${…}`.
fn last_part(text: &str) -> &str {
    let mut within = 0_u32;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'}' => within += 1,
            b'{' => within = within.saturating_sub(1),
            b':' if within == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    text
}

/// The name of a function that a version or an alias is added to: `…:function:NAME:live`, `NAME:live` (Lambda API
/// reference, "FunctionName").
fn unqualified(text: &str) -> Option<&str> {
    let name = text.split_once("function:").map_or(text, |(_, rest)| rest);
    name.split_once(':').map(|(name, _)| name)
}

/// The names within `${…}`.
fn substitutes(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.trim())
}

/// `Id` of `Id.Attribute`.
fn owner(name: &str) -> &str {
    name.split_once('.').map_or(name, |(id, _)| id)
}

/// The parts of a text that `Fn::Join` puts together with nothing or blanks between them; a part that is not a
/// literal is an `Err` with the placeholder that `Fn::Sub` would have in its place.
pub fn joined_text(node: Node<'_>) -> Option<Vec<Result<Node<'_>, String>>> {
    let Intrinsic { name: "Join", argument } = Intrinsic::of(node)? else { return None };
    let mut arguments = argument.items();
    let between = arguments.next()?.text()?;
    if !between.trim().is_empty() {
        return None;
    }
    let part = |part| match Intrinsic::of(part) {
        None => Ok(part),
        Some(Intrinsic { name: "Sub", .. }) => template_text(part).ok_or_else(|| "${Fn::Sub}".to_string()),
        Some(Intrinsic { name: "Ref" | "GetAtt", argument }) => {
            let named = argument.text().or_else(|| argument.items().next()?.text());
            Err(format!("${{{}}}", named.map_or("", owner)))
        }
        Some(Intrinsic { name, .. }) => Err(format!("${{Fn::{name}}}")),
    };
    let mut parts = Vec::new();
    for (n, item) in arguments.next()?.items().enumerate() {
        if n > 0 && !between.is_empty() {
            parts.push(Err(between.to_string()));
        }
        parts.push(part(item));
    }
    Some(parts)
}

/// The mapping that `Fn::ToJsonString` turns into a text (AWS::LanguageExtensions).
pub fn mapping_as_text(node: Node<'_>) -> Option<Node<'_>> {
    let Intrinsic { name: "ToJsonString", argument } = Intrinsic::of(node)? else { return None };
    Some(argument)
}

/// The text node of `Fn::Sub`, in either form, or the node itself where it is plain text.
pub fn template_text(node: Node<'_>) -> Option<Node<'_>> {
    match Intrinsic::of(node) {
        None => node.string().map(|_| node),
        Some(Intrinsic { name: "Sub", argument }) => match argument.text() {
            Some(_) => Some(argument),
            None => argument.items().next().filter(|first| first.text().is_some()),
        },
        Some(_) => None,
    }
}
