//! resilience4j's Retry and TimeLimiter in the files of Spring Boot (resilience4j 2.x, tags to 2.4.0:
//! CommonRetryConfigurationProperties, ConfigUtils, IntervalFunction, CommonTimeLimiterConfigurationProperties).

use crate::dialect::shape::read::{Count, Field, Flag, Keys, Notation, Number, Reader, Time};
use crate::dialect::shape::switch::switch;
use crate::dialect::shape::{failures, policy};
use crate::dialect::{Dialect, File};
use crate::document::{Document, Kind, Node};
use crate::model::notation::{self, Unit::Millis};
use crate::model::{
    Backoff, BareNumber, Bound, CapApplies, DeadlineEffect, Doubt, Duration, Facts, Growth, Idle, Jitter,
    Layer, Origin, Policy, Ratio, Repeated, Rounding, Setting,
};
use std::collections::{HashMap, HashSet};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    id: ID,
    title: "resilience4j",
    reads: "application.yml and application-*.yml of Spring Boot and Micronaut",
    markers: &["resilience4j"],
    read,
};

const ID: &str = "resilience4j";

/// Attempts, the first included (RetryConfig.DEFAULT_MAX_ATTEMPTS).
const MAX_ATTEMPTS: Count = Count::new("maxAttempts").or(3).range(1, i32::MAX as u64).quoted();
/// RetryConfig.DEFAULT_WAIT_DURATION.
const WAIT: Time = spring("waitDuration").or(Duration::from_millis(500));
const EXPONENTIAL: Flag = Flag { key: "enableExponentialBackoff", absent: false };
const RANDOMIZED: Flag = Flag { key: "enableRandomizedWait", absent: false };
/// IntervalFunction.DEFAULT_MULTIPLIER.
const MULTIPLIER: Number = Number {
    key: "exponentialBackoffMultiplier",
    absent: Bound::At(Ratio::new(3, 2)),
    least: Ratio::ZERO,
    above: true,
};
const MAX_WAIT: Time = spring("exponentialMaxWaitDuration");
const TIMEOUT: Time = spring("timeoutDuration").or(Duration::from_secs(1));
const RANDOM_FACTOR: &str = "randomizedWaitFactor";
/// IntervalFunction.DEFAULT_RANDOMIZATION_FACTOR.
const DEFAULT_FACTOR: Ratio = Ratio::new(1, 2);
/// IntervalFunction.checkInterval.
const SHORTEST: Duration = Duration::from_millis(1);
/// A class that computes the waits.
const FUNCTION: &str = "intervalBiFunction";
/// What fails in the same way again.
const PERMANENT: &[&str] = &[
    "HttpClientErrorException",
    "WebClientResponseException$BadRequest",
    "WebClientResponseException$NotFound",
    "WebClientResponseException$Forbidden",
    "WebClientResponseException$Unauthorized",
    "HttpClientErrorException$BadRequest",
    "HttpClientErrorException$NotFound",
    "HttpClientErrorException$Forbidden",
    "HttpClientErrorException$Unauthorized",
    "java.lang.IllegalArgumentException",
    "ValidationException",
    "ConstraintViolationException",
    "AccessDeniedException",
];
/// The name of version 1, which version 2 does not read.
const OLD_MAX_ATTEMPTS: &str = "maxRetryAttempts";
/// All keys of an instance (CommonRetryConfigurationProperties.InstanceProperties), and the one of version 1.
const KEYS: &[&str] = &[
    MAX_ATTEMPTS.key,
    WAIT.key,
    EXPONENTIAL.key,
    MULTIPLIER.key,
    MAX_WAIT.key,
    RANDOMIZED.key,
    RANDOM_FACTOR,
    FUNCTION,
    "baseConfig",
    "retryExceptions",
    "ignoreExceptions",
    "retryExceptionPredicate",
    "resultPredicate",
    "consumeResultBeforeRetryAttempt",
    "failAfterMaxAttempts",
    "eventConsumerBufferSize",
    OLD_MAX_ATTEMPTS,
];
/// Templates end in these names at the most so many steps up.
const MOST_TEMPLATES: usize = 16;

const fn spring(key: &'static str) -> Time {
    Time::new(key, Notation::Spring(Millis))
}

/// A part that a wait is scattered by: from 0 on, under 1.
struct Factor;

impl Field for Factor {
    type Value = Ratio;

    fn key(&self) -> &'static str {
        RANDOM_FACTOR
    }

    fn absent(&self) -> Bound<Ratio> {
        Bound::At(DEFAULT_FACTOR)
    }

    fn value(&self, node: Node<'_>) -> Result<Bound<Ratio>, std::borrow::Cow<'static, str>> {
        let factor =
            node.text().and_then(|text| Ratio::parse(text).ok()).filter(|factor| *factor < Ratio::ONE);
        factor.map(Bound::At).ok_or("a number from 0 to under 1 is expected".into())
    }
}

/// The properties of a file, as Spring sees them: every key is a path, however it is nested.
#[derive(Default)]
struct Properties<'d> {
    /// What stands at a way, up to the key of an instance; the last one written counts.
    values: HashMap<String, Node<'d>>,
    /// The names of a group, as of the instances of `retry`, each with where it stands first.
    names: HashMap<String, Vec<(&'d str, Node<'d>)>>,
    known: HashSet<(String, &'d str)>,
    /// The settings of each name of a group, in their order.
    settings: HashMap<(String, &'d str), Vec<(&'d str, Node<'d>)>>,
}

/// Keys on the way to a group (`resilience4j.retry.instances`), to a name in it, and to a setting of that.
const GROUP: usize = 3;
const SETTING: usize = GROUP + 2;

/// A way as one text that is the same for all its spellings.
fn spelled(way: &[&str]) -> String {
    let parts: Vec<String> = way.iter().map(|part| Keys::Relaxed.spelled(part)).collect();
    parts.join("\0")
}

impl<'d> Properties<'d> {
    fn of(document: &'d Document<'_>) -> Self {
        let mut properties = Self::default();
        properties.collect(document.root(), &mut Vec::new());
        properties
    }

    fn collect(&mut self, node: Node<'d>, way: &mut Vec<&'d str>) {
        for child in node.entries() {
            let before = way.len();
            match child.key().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(whole) => way.push(whole), // a name with dots of its own
                None => way.extend(child.key().split('.')),
            }
            if before > 0 || Keys::Relaxed.same(way[0], "resilience4j") {
                self.keep(way, child);
                self.collect(child, way);
            }
            way.truncate(before);
        }
    }

    fn keep(&mut self, way: &[&'d str], node: Node<'d>) {
        if way.len() <= SETTING {
            self.values.insert(spelled(way), node);
        }
        let Some(name) = way.get(GROUP) else { return };
        let group = spelled(&way[..GROUP]);
        if self.known.insert((group.clone(), name)) {
            self.names.entry(group.clone()).or_default().push((name, node));
        }
        if let Some(key) = way.get(GROUP + 1).filter(|_| way.len() == SETTING) {
            let list = key.find('[').unwrap_or(key.len()); // an item of a list, as `retryExceptions[0]`
            self.settings.entry((group, name)).or_default().push((&key[..list], node));
        }
    }

    /// What stands at a way.
    fn at(&self, way: &[&str]) -> Option<Node<'d>> {
        self.values.get(&spelled(way)).copied()
    }

    /// The names in a group.
    fn names(&self, group: &[&str; GROUP]) -> &[(&'d str, Node<'d>)] {
        self.names.get(&spelled(group)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// An instance or a template: its kind (`retry`, `timelimiter`), its group (`instances`, `configs`), its name.
#[derive(Clone, Copy)]
struct Named<'n> {
    kind: &'n str,
    group: &'n str,
    name: &'n str,
}

/// The properties of a document over those of the documents before it that hold for it, too.
struct Files<'d> {
    layers: Vec<Properties<'d>>,
}

impl<'d> Files<'d> {
    fn find(&self, named: Named<'_>, key: &str) -> Option<Node<'d>> {
        let way = ["resilience4j", named.kind, named.group, named.name, key];
        self.layers.iter().find_map(|layer| layer.at(&way)).filter(|node| node.kind() != Kind::Null)
    }

    fn exists(&self, named: Named<'_>) -> bool {
        let group = spelled(&["resilience4j", named.kind, named.group]);
        self.layers.iter().any(|layer| layer.known.contains(&(group.clone(), named.name)))
    }

    /// The template that an instance or a template starts from.
    fn template<'n>(&self, named: Named<'n>) -> Option<Named<'n>>
    where
        'd: 'n,
    {
        let base = self.find(named, "baseConfig").and_then(Node::text).unwrap_or("default");
        let template = Named { group: "configs", name: base, ..named };
        let itself = named.group == "configs" && named.name == base;
        (!itself && self.exists(template)).then_some(template)
    }

    /// An instance, then its templates, the nearest first.
    fn chain<'n>(&self, named: Named<'n>) -> Vec<Named<'n>>
    where
        'd: 'n,
    {
        std::iter::successors(Some(named), |named| self.template(*named)).take(MOST_TEMPLATES).collect()
    }
}

fn read(document: &Document<'_>, file: &File<'_>, facts: &mut Facts) -> bool {
    let own = Properties::of(document);
    if own.values.is_empty() {
        return false;
    }
    let base = file.documents.first().filter(|first| !std::ptr::eq(*first, document));
    let base = base.filter(|_| is_profile(document)).map(Properties::of);
    let files = Files { layers: std::iter::once(own).chain(base).collect() };
    for group in ["instances", "backends"] {
        for (name, at) in files.layers[0].names(&["resilience4j", "retry", group]) {
            facts.policies.push(instance(&files, Named { kind: "retry", group, name }, *at));
        }
    }
    false
}

/// A document that is laid over the first one when a profile is active.
fn is_profile(document: &Document<'_>) -> bool {
    let root = document.root();
    root.path(["spring", "config", "activate", "on-profile"]).is_some()
        || root.path(["spring", "profiles"]).is_some()
        || root.get("spring.config.activate.on-profile").is_some()
        || root.get("spring.profiles").is_some()
}

/// A setting of the first in a chain that has it; from the second on it is inherited.
fn setting<'d, F: Field>(
    files: &Files<'d>,
    reader: &mut Reader<'_, 'd>,
    chain: &[Named<'_>],
    field: &F,
) -> Option<Setting<F::Value>> {
    for (n, named) in chain.iter().enumerate() {
        if let Some(node) = files.find(*named, field.key()) {
            let mut value = reader.value(node, field);
            if let (Origin::Written(place), true) = (&value.origin, n > 0) {
                value.origin = Origin::Inherited(*place);
            }
            return Some(value);
        }
    }
    None
}

fn instance(files: &Files<'_>, named: Named<'_>, at: Node<'_>) -> Policy {
    let mut reader = Reader::new("resilience4j");
    let chain = files.chain(named);
    if let Some(node) = files.find(named, "baseConfig")
        && chain.len() == 1
    {
        reader.refuse(node, "the name of one of the configs is expected");
    }
    if let Some(node) = files.find(named, OLD_MAX_ATTEMPTS) {
        reader.replace(node, "resilience4j 2 does not read this name of version 1; it reads maxAttempts");
    }
    let group = spelled(&["resilience4j", named.kind, named.group]);
    let written = files.layers[0].settings.get(&(group, named.name)).map(Vec::as_slice).unwrap_or_default();
    reader.unknown_of(
        written,
        Keys::Relaxed,
        KEYS,
        "Spring binds no such key, and resilience4j goes on without it",
    );
    let attempts =
        setting(files, &mut reader, &chain, &MAX_ATTEMPTS).unwrap_or_else(|| reader.absent(&MAX_ATTEMPTS));
    ignored_waits(files, &mut reader, &chain);
    let backoff = backoff(files, &mut reader, &chain);
    let (attempt_timeout, deadline) = timeouts(files, &mut reader, named.name);
    let idle = attempts.at() == Some(1);
    Policy {
        idle: idle.then(|| Idle {
            why: "maxAttempts counts the first call, and 1 leaves no retry".into(),
            help: "Allow at least 2 attempts, or remove the instance.".into(),
        }),
        repeated: repeated(files, &chain).into_iter().collect(),
        bare_numbers: bare_wait(files, named).into_iter().collect(),
        attempts,
        backoff,
        attempt_timeout,
        deadline,
        deadline_effect: DeadlineEffect::Cuts,
        faults: reader.faults,
        ..policy(ID, Layer::Client, named.name.to_string(), at)
    }
}

/// The exceptions that are retried although they fail in the same way again; what is ignored is not.
fn repeated(files: &Files<'_>, chain: &[Named<'_>]) -> Option<Repeated> {
    let list = |key: &str| chain.iter().find_map(|named| files.find(*named, key));
    let ignored: Vec<_> =
        list("ignoreExceptions").into_iter().flat_map(Node::items).filter_map(Node::text).collect();
    let permanent = |class: &str| {
        let known = |name: &&str| {
            class.strip_suffix(*name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        PERMANENT.iter().any(known) && !ignored.contains(&class)
    };
    failures::classes(list("retryExceptions")?, permanent)
}

/// A `waitDuration` without a unit, which is one of milliseconds.
fn bare_wait(files: &Files<'_>, named: Named<'_>) -> Option<BareNumber> {
    let node = files.find(named, WAIT.key)?;
    let number = node.text().filter(|text| text.parse::<u64>().is_ok())?;
    Some(BareNumber {
        place: node.key_place(),
        pointer: node.pointer(),
        written: format!("{}: {number}", node.key()),
        doubt: Doubt::Magnitude {
            number: number.to_string(),
            unit: Millis,
            time: notation::with_unit(number, Millis).ok()?,
            is_timeout: false,
        },
    })
}

/// Without a `waitDuration` of its own an instance takes the waits of its template as they are, and none
/// of its own wait settings is read; nor is a `waitDuration` that is a mapping.
fn ignored_waits(files: &Files<'_>, reader: &mut Reader<'_, '_>, chain: &[Named<'_>]) {
    let own = chain[0];
    let wait = files.find(own, WAIT.key);
    if let Some(map) = wait.filter(|node| node.kind() == Kind::Map) {
        return reader
            .replace(map, "a mapping is not bound to a duration, and resilience4j goes on without it");
    }
    if wait.is_some() {
        return;
    }
    let keys = [EXPONENTIAL.key, MULTIPLIER.key, MAX_WAIT.key, RANDOMIZED.key, RANDOM_FACTOR];
    let mut written: Vec<_> = keys.iter().filter_map(|key| files.find(own, key)).collect();
    written.sort_by_key(|node| node.place());
    if let Some(first) = written.first() {
        let waits =
            if chain.len() > 1 { "the waits are those of its template" } else { "the waits are 500 ms each" };
        reader.replace(*first, format!("resilience4j reads it only beside waitDuration; {waits}"));
    }
}

/// The waits: of the nearest in the chain that has a `waitDuration`, which builds them from its own settings
/// and those that are copied to it; a randomizedWaitFactor is not copied.
fn backoff<'d>(files: &Files<'d>, reader: &mut Reader<'_, 'd>, chain: &[Named<'_>]) -> Backoff {
    let bound = |named: &Named<'_>| files.find(*named, WAIT.key).is_some_and(|node| node.kind() != Kind::Map);
    let fixed = Backoff {
        growth: Growth::Constant,
        initial: reader.absent(&WAIT),
        cap_applies: CapApplies::AfterJitter,
        rounding: Rounding::WholeMilliseconds,
        can_jitter: true,
        ..Backoff::none("resilience4j's default")
    };
    if chain.iter().any(|named| files.find(*named, FUNCTION).is_some()) {
        return Backoff::unknown("a class of the program computes the waits");
    }
    let Some(from) = chain.iter().position(bound) else { return fixed };
    let chain = &chain[from..];
    let inherit = |value: Setting<Duration>| match value.origin {
        Origin::Written(place) if from > 0 => Setting { origin: Origin::Inherited(place), ..value },
        _ => value,
    };
    let initial = setting(files, reader, &chain[..1], &WAIT).map_or(fixed.initial.clone(), inherit);
    let on = |flag: Option<Setting<bool>>| flag.and_then(|flag| flag.at()).unwrap_or(false);
    let exponential = on(setting(files, reader, chain, &EXPONENTIAL));
    let randomized = on(setting(files, reader, chain, &RANDOMIZED));
    let multiplier = setting(files, reader, chain, &MULTIPLIER);
    let cap = setting(files, reader, chain, &MAX_WAIT);
    let under = |time: &Setting<Duration>| time.at().is_some_and(|time| time < SHORTEST);
    if (exponential || randomized)
        && under(&initial)
        && let Some(node) = files.find(chain[0], WAIT.key).filter(|_| from == 0)
    {
        reader.refuse(node, "at least 1 ms is expected of waits that grow or scatter");
        return Backoff::unknown("its first wait is refused");
    }
    if exponential
        && multiplier.is_some()
        && cap.as_ref().is_some_and(under)
        && let Some(node) = files.find(chain[0], MAX_WAIT.key).filter(|_| from == 0)
    {
        reader.refuse(node, "at least 1 ms is expected");
        return Backoff::unknown("its longest wait is refused");
    }
    let factor = setting(files, reader, &chain[..1], &Factor);
    let dropped = exponential && multiplier.is_none();
    if dropped && from == 0 {
        for key in [MAX_WAIT.key, RANDOM_FACTOR] {
            if let Some(node) = files.find(chain[0], key) {
                reader.replace(node, "resilience4j reads it only beside exponentialBackoffMultiplier");
            }
        }
    }
    let default = reader.default_of();
    let jitter = match (randomized, factor.filter(|_| !dropped)) {
        (false, _) => Setting::default(Jitter::None, default.clone()),
        (true, Some(factor)) => factor.map(|part| Jitter::Factor { below: part, above: part }),
        (true, None) => {
            Setting::default(Jitter::Factor { below: DEFAULT_FACTOR, above: DEFAULT_FACTOR }, default.clone())
        }
    };
    Backoff {
        growth: if exponential { Growth::Exponential } else { Growth::Constant },
        initial,
        multiplier: multiplier.unwrap_or_else(|| reader.absent(&MULTIPLIER)),
        cap: cap.filter(|_| exponential && !dropped).unwrap_or_else(|| Setting::unlimited(default)),
        jitter,
        switch: files.find(chain[0], WAIT.key).filter(|_| from == 0).and_then(|wait| {
            switch(files.find(chain[0], RANDOMIZED.key), Some(wait), beside(wait.key()), "true")
        }),
        ..fixed
    }
}

/// `enableRandomizedWait` in the spelling of a key that it is to stand beside.
fn beside(key: &str) -> String {
    let (way, name) = key.split_at(key.rfind('.').map_or(0, |dot| dot + 1));
    let own = match name {
        name if name.contains('-') => "enable-randomized-wait",
        name if name.contains('_') => "enable_randomized_wait",
        _ => RANDOMIZED.key,
    };
    format!("{way}{own}")
}

/// The TimeLimiter of the same name bounds each attempt, unless the order of the aspects puts it around
/// the Retry; then it bounds the whole.
fn timeouts<'d>(
    files: &Files<'d>,
    reader: &mut Reader<'_, 'd>,
    name: &str,
) -> (Setting<Duration>, Setting<Duration>) {
    let limiter = Named { kind: "timelimiter", group: "instances", name };
    let none = Setting::unlimited("no TimeLimiter of that name");
    if !files.exists(limiter) {
        return (none.clone(), none);
    }
    let chain = files.chain(limiter);
    let timeout = setting(files, reader, &chain, &TIMEOUT).unwrap_or_else(|| reader.absent(&TIMEOUT));
    let order = |kind: &str, key: &str, default: i64| {
        let node = files.layers.iter().find_map(|layer| layer.at(&["resilience4j", kind, key]));
        node.and_then(Node::text).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    // Ordered.LOWEST_PRECEDENCE less 5 and 2: RetryConfigurationProperties, TimeLimiterConfigurationProperties
    let lowest = i64::from(i32::MAX);
    let outer = order("timelimiter", "timeLimiterAspectOrder", lowest - 2)
        < order("retry", "retryAspectOrder", lowest - 5);
    if outer {
        (none, timeout)
    } else {
        (timeout, Setting::unlimited("the TimeLimiter bounds each attempt, and nothing the whole"))
    }
}
