//! CloudFormation and SAM templates: resources, the functions that name values, and what refers to what.
//! (AWS CloudFormation user guide, "Intrinsic function reference" and "Parameters"; AWS SAM
//! specification, "Globals".)

use super::read::{Block, Keys, Notation, Reader, Resolved, Time, literal};
use crate::document::{Document, Kind, Node};
use crate::model::notation::Unit::Seconds;
use crate::model::{Duration, Origin, Setting};

/// How long a function may run; 3 s where nothing is written (Lambda API reference, Timeout).
const FUNCTION_TIMEOUT: Time = Time::new("Timeout", Notation::Whole(Seconds, true))
    .range(Duration::from_secs(1), Duration::from_secs(900))
    .or(Duration::from_secs(3));

/// A template.
#[derive(Clone, Copy)]
pub struct Template<'d> {
    root: Node<'d>,
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
        root.get("Resources")?.entries().any(typed).then_some(Self { root })
    }

    /// The resources that have a type, in order.
    pub fn resources(self) -> impl Iterator<Item = Resource<'d>> {
        self.root.get("Resources").into_iter().flat_map(Node::entries).filter_map(resource)
    }

    /// The resource with a logical id.
    pub fn resource(self, id: &str) -> Option<Resource<'d>> {
        self.root.path(["Resources", id]).and_then(resource)
    }

    /// SAM's `Globals.Function`.
    pub fn function_globals(self) -> Option<Node<'d>> {
        self.root.path(["Globals", "Function"])
    }

    /// How long a function may run; SAM's Globals reach its own functions only. None for what is no function.
    pub fn function_timeout(self, function: Resource<'d>) -> Option<Setting<Duration>> {
        let globals = match function.kind {
            "AWS::Serverless::Function" => self.root.path(["Globals", "Function"]),
            "AWS::Lambda::Function" => None,
            _ => return None,
        };
        let resolve = |node| self.resolve(node);
        let blocks = [function.properties, globals].map(|node| Block::new(node, Keys::Exact));
        Some(Reader::with("Lambda", &resolve).first(&blocks, &FUNCTION_TIMEOUT))
    }

    /// The value that a node stands for, as far as the template says.
    pub fn resolve(self, node: Node<'d>) -> Resolved<'d> {
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

    fn parameter(self, name: &str) -> Resolved<'d> {
        if name == "AWS::NoValue" {
            return Resolved::Absent;
        }
        let Some(parameter) = self.root.path(["Parameters", name]) else {
            return Resolved::Unknown(format!("{name} is known at the deployment only").into());
        };
        let kind = parameter.get("Type").and_then(Node::text).unwrap_or_default();
        match parameter.get("Default") {
            Some(default) if !kind.starts_with("AWS::SSM::Parameter::Value") => {
                let why = format!("the default of the parameter {name}");
                Resolved::Literal(default, Origin::Assumed(why.into(), Some(default.place())))
            }
            _ => Resolved::Unknown(format!("the parameter {name} has no default in the template").into()),
        }
    }

    fn map_value(self, keys: Node<'d>) -> Resolved<'d> {
        let mut at = self.root.get("Mappings");
        for key in keys.items() {
            let name = match self.resolve(key) {
                Resolved::Literal(node, _) => node.text(),
                _ => None,
            };
            let Some(name) = name else {
                return Resolved::Unknown("Fn::FindInMap has a key that is not in the template".into());
            };
            at = at.and_then(|map| map.get(name));
        }
        match at.filter(|value| value.kind() != Kind::Map) {
            Some(value) => Resolved::Literal(value, Origin::Inherited(value.place())),
            None => Resolved::Unknown("Fn::FindInMap finds nothing in the template".into()),
        }
    }

    /// What `${name}` stands for in a text that `Fn::Sub` or `Fn::Join` makes: a value of the function's own
    /// map, else a parameter. None where neither makes the text.
    pub fn substitution(self, text: Node<'d>, name: &str) -> Option<Resolved<'d>> {
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
    pub fn target(self, node: Node<'d>) -> Option<Resource<'d>> {
        let Some(Intrinsic { name, argument }) = Intrinsic::of(node) else {
            return self.named(node.text()?.rsplit(':').next()?);
        };
        match name {
            "Ref" => self.resource(owner(argument.text()?)),
            "GetAtt" => match argument.text() {
                Some(text) => self.resource(owner(text)),
                None => self.resource(argument.items().next()?.text()?),
            },
            "Sub" => {
                let text = argument.text().or_else(|| argument.items().next()?.text())?;
                self.substituted(text)
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

    /// The first resource that a text names as `${Id}` or `${Id.Attribute}`; without one, the resource
    /// whose literal name the text ends in.
    pub fn substituted(self, text: &str) -> Option<Resource<'d>> {
        let names = text.split("${").skip(1).filter_map(|rest| rest.split_once('}'));
        let found = names.map(|(name, _)| owner(name.trim())).find_map(|id| self.resource(id));
        found.or_else(|| text.rsplit(':').next().and_then(|name| self.named(name)))
    }

    /// The resource with a literal physical name.
    fn named(self, name: &str) -> Option<Resource<'d>> {
        let keys = ["QueueName", "FunctionName", "TopicName", "StateMachineName"];
        let is_named = |resource: &Resource<'d>| {
            let properties = resource.properties;
            keys.iter()
                .any(|key| properties.and_then(|all| all.get(key)).and_then(Node::string) == Some(name))
        };
        self.resources().filter(|resource| !resource.kind.ends_with("EventSourceMapping")).find(is_named)
    }
}

fn resource(node: Node<'_>) -> Option<Resource<'_>> {
    let kind = node.get("Type")?.string()?;
    Some(Resource { id: node.key(), kind, node, properties: node.get("Properties") })
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
