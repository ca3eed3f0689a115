//! What the rules share: the words for numbers, and the evidence that a finding shows.

use super::{Rule, suspicious_unit};
use crate::finding::{Change, Finding, Fix, Label, Severity};
use crate::model::{Bound, Duration, Growth, Jitter, Origin, Policy, Queue, Remark, Setting, Tightest};
use crate::schedule::{Schedule, Wait, fit};
use crate::source::Place;
use crate::stack::{Found, Project, ProjectFile, Stack, StackLayer};
use std::borrow::Cow;
use std::fmt::Display;

/// "1 attempt", "4 attempts".
pub(super) fn counted(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// "a", "a or b", "a, b or c".
pub(super) fn alternatives(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// Every policy with its file and schedule.
pub(super) fn policies(project: &Project) -> impl Iterator<Item = (&ProjectFile, &Policy, &Schedule)> {
    project.files.iter().flat_map(|file| {
        file.facts
            .policies
            .iter()
            .zip(&file.schedules)
            .map(move |(policy, schedule)| (file, policy, schedule))
    })
}

/// The same for rules about numbers: without those whose configuration is refused as a whole. That is told of, and
/// what the refused value would have done to the others is not.
pub(super) fn accepted(project: &Project) -> impl Iterator<Item = (&ProjectFile, &Policy, &Schedule)> {
    policies(project)
        .filter(|(_, policy, _)| !policy.faults.iter().any(|fault| fault.refused && !fault.lenient))
}

/// The waits that come about: those before the retries that can start within the deadline. That there is no time
/// for the others is told of by itself.
pub(super) fn waits_in_time<'s>(policy: &Policy, schedule: &'s Schedule) -> Option<&'s [Wait]> {
    let waits = schedule.waits.as_deref()?;
    let started = fit::attempts_started(policy, Duration::ZERO).at();
    let retries = started.map(|started| usize::try_from(started.saturating_sub(1)).unwrap_or(usize::MAX));
    waits.get(..retries.map_or(waits.len(), |retries| retries.min(waits.len())))
}

/// A policy as it is for the calls that have the least time, and whose deadline that is: "" where all have the
/// same, else " of the route".
pub(super) fn at_its_tightest(policy: &Policy) -> (Cow<'_, Policy>, String) {
    match &policy.tightest {
        None => (Cow::Borrowed(policy), String::new()),
        Some(Tightest { of, deadline }) => {
            (Cow::Owned(Policy { deadline: deadline.clone(), ..policy.clone() }), format!(" of {of}"))
        }
    }
}

/// What a finding says.
pub(super) struct Wording {
    /// What is wrong, with its numbers; one clause.
    pub message: String,
    /// What the place itself shows.
    pub label: String,
    /// What to change.
    pub help: String,
}

/// What a finding is about.
pub(super) struct Subject<'p> {
    file: &'p str,
    place: Place,
    pointer: &'p str,
    dialect: Cow<'static, str>,
}

impl<'p> Subject<'p> {
    /// A policy.
    pub(super) fn policy(file: &'p ProjectFile, policy: &'p Policy) -> Self {
        Self {
            file: &file.path,
            place: policy.place,
            pointer: &policy.pointer,
            dialect: policy.dialect.clone(),
        }
    }

    /// A queue.
    pub(super) fn queue(file: &'p ProjectFile, queue: &'p Queue) -> Self {
        Self { file: &file.path, place: queue.place, pointer: &queue.pointer, dialect: queue.dialect.into() }
    }

    /// A part of a file that no dialect has read.
    pub(super) fn of_file(file: &'p str, place: Place) -> Self {
        Self { file, place, pointer: "", dialect: "".into() }
    }

    /// A call path: its innermost layer that is in the files, else its declaration.
    pub(super) fn stack(project: &'p Project, stack: &Stack) -> Option<Self> {
        let found = stack.layers.iter().rev().find_map(|layer| Self::layer(project, layer));
        found.or_else(|| Some(Self::of_file(&project.config_path, stack.declared?)))
    }

    /// A layer of a call path, if it is in the files.
    pub(super) fn layer(project: &'p Project, layer: &StackLayer) -> Option<Self> {
        Some(match project.found(layer.source)? {
            Found::Policy(file, policy, _) => Self::policy(file, policy),
            Found::Queue(file, queue) => Self::queue(file, queue),
        })
    }

    /// The same at another place of the file, where there is one.
    pub(super) fn at(self, place: Option<Place>) -> Self {
        Self { place: place.unwrap_or(self.place), ..self }
    }

    /// The same with another pointer.
    pub(super) fn pointing_to(self, pointer: &'p str) -> Self {
        Self { pointer, ..self }
    }

    /// The finding.
    pub(super) fn finding(self, rule: &Rule, wording: Wording, evidence: Evidence) -> Finding {
        let own = |label: &Label| label.file == self.file && label.place == self.place;
        let severity = rule.severity.min(evidence.most());
        let mut related: Vec<Label> = Vec::new();
        for label in evidence.related {
            if !own(&label) && !related.contains(&label) {
                related.push(label);
            }
        }
        Finding {
            rule: rule.id,
            severity,
            message: wording.message,
            file: self.file.to_string(),
            place: self.place,
            pointer: self.pointer.to_string(),
            dialect: self.dialect,
            label: wording.label,
            help: wording.help,
            related,
            notes: evidence.notes,
            fix: None,
        }
    }
}

/// A change of what is written for this setting alone.
pub(super) fn change<T>(setting: &Setting<T>, change: Change) -> Option<Fix> {
    match setting.origin {
        Origin::Written(place) if setting.branches.is_empty() => Some(Fix { place, change }),
        _ => None,
    }
}

/// Rests on nothing but what is written and what the system takes by default.
pub(super) fn is_exact<T>(setting: &Setting<T>) -> bool {
    !setting.origin.is_assumed() && setting.branches.is_empty()
}

/// Nothing of a policy is refused, and no number of it is likely to have another unit: that comes first.
pub(super) fn is_sound(policy: &Policy) -> bool {
    policy.faults.is_empty() && !suspicious_unit::is_in(policy)
}

/// A sound policy of which no time and no count rests on a guess.
pub(super) fn is_exact_policy(policy: &Policy) -> bool {
    let Policy { attempts, attempt_timeout, deadline, backoff, .. } = policy;
    let times = [attempt_timeout, deadline, &backoff.initial, &backoff.cap];
    is_exact(attempts)
        && times.into_iter().all(is_exact)
        && is_exact(&backoff.multiplier)
        && is_exact(&backoff.jitter)
        && is_sound(policy)
}

/// The window that holds every run of a queue's handlers as its system advises it, else one run; what is
/// not known is left out. None where a part of it is guessed, or is more than one number.
pub(super) fn wider_window(file: &ProjectFile, queue: &Queue) -> Option<Fix> {
    let from = queue.window.at().filter(|_| queue.faults.is_empty())?;
    let mut to = from;
    for handler in &queue.handlers {
        // the length of a run with retries of its own is worked out of a policy
        let policies = &file.facts.policies;
        let first = policies.partition_point(|policy| policy.place.start < handler.place.start);
        let mut own = policies[first..].iter().take_while(|policy| policy.place == handler.place);
        let guessed = handler.attempts > 1 && !own.all(is_exact_policy);
        if guessed || !is_exact(&handler.run) || !is_exact(&handler.gathering) {
            return None;
        }
        if let (Some(run), Some(gathering)) = (handler.run.at(), handler.gathering.at()) {
            let runs = handler.advice.as_ref().map_or(1, |advice| advice.runs);
            to = to.max(run.times(runs.into()).plus(gathering));
        }
    }
    change(&queue.window, Change::Time { from, to })
}

/// The finding about what a dialect knows of a setting; the label says what the setting does.
pub(super) fn remarked(
    rule: &Rule,
    file: &ProjectFile,
    policy: &Policy,
    remark: &Remark,
    label: &str,
) -> Finding {
    let wording =
        Wording { message: remark.what.to_string(), label: label.into(), help: remark.help.to_string() };
    let subject = Subject::policy(file, policy).at(Some(remark.place)).pointing_to(&remark.pointer);
    subject.finding(rule, wording, Evidence::of(&file.path))
}

/// Where each number of a finding comes from, and what that means for its severity.
#[derive(Default)]
pub(super) struct Evidence {
    file: String,
    related: Vec<Label>,
    notes: Vec<String>,
    mild: bool,
    numbers: u32,
    defaults: u32,
    guesses: u32,
}

impl Evidence {
    /// Evidence of a file.
    pub(super) fn of(file: &str) -> Self {
        Self { file: file.to_string(), ..Self::default() }
    }

    /// What follows is of another file.
    pub(super) fn turn_to(&mut self, file: &str) {
        self.file = file.to_string();
    }

    /// A place of the file.
    pub(super) fn label(&mut self, place: Place, message: String) {
        self.related.push(Label { file: self.file.clone(), place, message });
    }

    /// A fact without a place.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The finding is a warning at most.
    pub(super) fn soften(&mut self) {
        self.mild = true;
    }

    /// A number that the finding rests on.
    pub(super) fn number<T: Copy + Display>(&mut self, what: &str, setting: &Setting<T>) {
        if setting.at().is_some() {
            self.numbers += 1;
            self.defaults += u32::from(setting.origin.is_default());
            self.guesses += u32::from(setting.origin.is_guess());
        }
        self.value(what, setting);
    }

    /// A value beside the numbers, whose being a default does not count.
    pub(super) fn value<T: Copy + Display>(&mut self, what: &str, setting: &Setting<T>) {
        let text = match setting.bound {
            Bound::At(value) => format!("{what}: {value}"),
            Bound::Unlimited => format!("{what}: no limit"),
            Bound::Unknown => format!("{what}: not known"),
        };
        self.tell(text, &setting.origin);
    }

    /// The waits of a policy; without any there is nothing to tell.
    pub(super) fn waits(&mut self, policy: &Policy, schedule: &Schedule) {
        let backoff = &policy.backoff;
        let Some(waits) = &schedule.waits else {
            return self.tell("the waits: not known".into(), &backoff.initial.origin);
        };
        if !waits.iter().any(|wait| !wait.max.is_zero()) {
            return;
        }
        self.numbers += 1;
        self.defaults += u32::from(backoff.initial.origin.is_default());
        self.guesses += u32::from(backoff.initial.origin.is_guess());
        if backoff.initial.origin.is_default() {
            let longest = waits.iter().map(|wait| wait.max).max().unwrap_or_default();
            self.tell(format!("the waits: up to {longest}"), &backoff.initial.origin);
        } else if matches!(backoff.growth, Growth::List(_)) {
            self.tell("the waits".into(), &backoff.initial.origin);
        } else {
            self.value("the first wait", &backoff.initial);
        }
        let grows = waits.iter().any(|wait| wait.max != waits[0].max);
        if matches!(backoff.growth, Growth::Exponential) && grows {
            self.value("the growth with each retry", &backoff.multiplier);
        }
        if !backoff.cap.is_unlimited() && !backoff.cap.origin.is_default() {
            self.value("the longest wait", &backoff.cap);
        }
        if let (Bound::At(jitter), false) = (backoff.jitter.bound, backoff.jitter.origin.is_default()) {
            self.tell(format!("the jitter: {}", scatter(jitter)), &backoff.jitter.origin);
        }
    }

    /// No finding rests on defaults alone and is an error all the same.
    pub(super) fn weighed(mut self) -> Self {
        self.mild |= self.numbers > 0 && self.numbers == self.defaults;
        self
    }

    /// The most severe that a finding of these numbers is.
    fn most(&self) -> Severity {
        match self.mild {
            // nothing of it is written
            _ if self.guesses > 0 && self.guesses + self.defaults == self.numbers => Severity::Note,
            true => Severity::Warning,
            false => Severity::Error,
        }
    }

    fn tell(&mut self, text: String, origin: &Origin) {
        self.mild |= origin.is_assumed();
        match origin {
            Origin::Written(place) | Origin::Inherited(place) => self.label(*place, text),
            Origin::Default(whose) | Origin::Declared(whose) => self.note(format!("{text} ({whose})")),
            Origin::Assumed(why, Some(place)) | Origin::Fallback(why, place) => {
                self.label(*place, format!("{text} (assumed: {why})"))
            }
            Origin::Unknown(why, Some(place)) => self.label(*place, format!("{text}, since {why}")),
            Origin::Assumed(why, None) => self.note(format!("{text} (assumed: {why})")),
            Origin::Unknown(why, None) => self.note(format!("{text}, since {why}")),
        }
    }
}

fn scatter(jitter: Jitter) -> String {
    match jitter {
        Jitter::None => "none".into(),
        Jitter::Full { least } if least.is_zero() => "anything up to the wait".into(),
        Jitter::Full { least } => format!("anything from {least} to the wait"),
        Jitter::Equal => "from half the wait to the wait".into(),
        Jitter::Factor { below, above } if below == above => format!("the wait, more or less {below} of it"),
        Jitter::Factor { below, above } => format!("the wait, less {below} to more {above} of it"),
        Jitter::Around { span } => format!("± {span}"),
        Jitter::Added { span } => format!("up to {span} on top"),
        Jitter::Decorrelated => "up to three times the wait before".into(),
    }
}

/// The attempts and attempt timeouts of a call path, outermost first.
pub(super) fn stack_evidence(project: &Project, stack: &Stack) -> Evidence {
    let mut evidence = Evidence::default();
    for layer in &stack.layers {
        let found = project.found(layer.source);
        let timeout = found.map(|found| match found {
            Found::Policy(_, policy, _) => &policy.attempt_timeout,
            Found::Queue(_, queue) => &queue.window,
        });
        if let Some(joint) = &layer.joint
            && let Some(file) = project.files.get(joint.file)
        {
            evidence.turn_to(&file.path);
            evidence.label(joint.place, format!("this calls {}", joint.name));
        }
        evidence.turn_to(found.map_or(&project.config_path, Found::path));
        evidence.number(&format!("attempts of {}", layer.name), &layer.attempts);
        if let Some(timeout) = timeout.filter(|timeout| timeout.at().is_some()) {
            evidence.number(&format!("one attempt of {}", layer.name), timeout);
        }
        if layer.starts != layer.attempts.bound
            && let Bound::At(starts) = layer.starts
        {
            evidence.note(format!(
                "{} of {} can start before the deadline",
                counted(starts, "attempt"),
                layer.name
            ));
        }
    }
    evidence.turn_to(&project.config_path);
    if let Some(place) = stack.declared {
        evidence.label(place, format!("the stack {}", stack.name));
    }
    evidence
}
