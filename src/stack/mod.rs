//! Policies and queues of all files, joined along call paths.

mod arithmetic;
mod candidates;
mod links;
mod selector;

pub use candidates::{Candidate, candidates};

use crate::model::{Bound, Duration, Facts, Layer, Policy, Queue, Setting};
use crate::schedule::Schedule;
use crate::source::Place;

/// Everything that the rules see.
#[derive(Debug, Default)]
pub struct Project {
    /// The files that say something, by path.
    pub files: Vec<ProjectFile>,
    /// Call paths, declared ones first, in the order of retrylint.toml.
    pub stacks: Vec<Stack>,
    /// Comments that silence nothing; known when all other findings are.
    pub unused_suppressions: Vec<UnusedSuppression>,
    /// Layers of declared stacks that name a policy which is not there.
    pub lost_layers: Vec<LostLayer>,
    /// The retrylint.toml that declares stacks, as a finding names it; "" where there is none.
    pub config_path: String,
}

/// A comment that silences nothing.
#[derive(Clone, Debug)]
pub struct UnusedSuppression {
    /// The file, as the user named it.
    pub file: String,
    /// The comment.
    pub place: Place,
}

/// One file and what it says.
#[derive(Debug)]
pub struct ProjectFile {
    /// Its path, as the user named it, with forward slashes.
    pub path: String,
    /// What it says.
    pub facts: Facts,
    /// The schedule of each policy, in their order.
    pub schedules: Vec<Schedule>,
}

/// A `[[stack]]` of retrylint.toml.
#[derive(Clone, Debug)]
pub struct DeclaredStack {
    /// Its name.
    pub name: String,
    /// Where retrylint.toml declares it.
    pub place: Place,
    /// What bounds the whole of it.
    pub deadline: Option<Duration>,
    /// The attempt product allowed for it, where it is not the common one.
    pub max_attempts: Option<u64>,
    /// Its layers, outermost first.
    pub layers: Vec<DeclaredLayer>,
}

/// A layer as retrylint.toml declares it.
#[derive(Clone, Debug)]
pub enum DeclaredLayer {
    /// A policy of a file.
    Policy(Selector),
    /// Something outside the repository.
    Foreign {
        /// Its name.
        name: String,
        /// The most attempts.
        attempts: u64,
        /// What bounds one of them.
        attempt_timeout: Option<Duration>,
        /// What bounds all of them.
        deadline: Option<Duration>,
    },
}

/// `FILE`, `FILE#policy name` or `FILE#/pointer`; the file is relative to retrylint.toml.
#[derive(Clone, Debug)]
pub struct Selector {
    /// The file, with forward slashes, as a path that compares equal to [`ProjectFile::path`].
    pub file: String,
    /// The name or pointer of the policy; None stands for the only one of the file.
    pub policy: Option<String>,
    /// Where it is written in retrylint.toml.
    pub place: Place,
}

/// A layer that a stack names and that is not there.
#[derive(Clone, Debug)]
pub struct LostLayer {
    /// The stack.
    pub stack: String,
    /// What it names.
    pub selector: Selector,
    /// The selector fits several policies, not none.
    pub several: bool,
    /// What could have been meant: selectors of policies that are there, the nearest first; of several
    /// that the selector fits, these.
    pub candidates: Vec<String>,
}

/// Joins what the files say along the declared call paths, and works each of them out.
pub fn build(files: Vec<ProjectFile>, declared: &[DeclaredStack]) -> Project {
    let mut project = Project { files, ..Project::default() };
    for stack in declared {
        match join(&project.files, stack) {
            Ok(path) => project.stacks.push(arithmetic::stack(&project.files, path)),
            Err(lost) => project.lost_layers.extend(lost),
        }
    }
    let declared: Vec<Vec<LayerSource>> = project.stacks.iter().map(Stack::sources).collect();
    for path in links::paths(&project.files) {
        let stack = arithmetic::stack(&project.files, path);
        let sources = stack.sources();
        // what is a part of a declared path is told with it
        if !declared.iter().any(|whole| whole.windows(sources.len()).any(|part| part == sources)) {
            project.stacks.push(stack);
        }
    }
    project
}

/// A call path before it is worked out: which layers, and what is declared for all of them together.
struct Path {
    name: String,
    declared: Option<Place>,
    layers: Vec<PathLayer>,
    /// What joins a layer with the one above it, by the number of the inner one; none for what is declared.
    joints: Vec<Option<Joint>>,
    deadline: Option<Duration>,
    max_attempts: Option<u64>,
}

/// A layer of it: something that a file says, or what retrylint.toml declares for the world outside.
enum PathLayer {
    Found(LayerSource),
    Foreign { name: String, attempts: u64, attempt_timeout: Option<Duration>, deadline: Option<Duration> },
}

/// The call path that a stack declares, or each of its layers that is not there.
fn join(files: &[ProjectFile], stack: &DeclaredStack) -> Result<Path, Vec<LostLayer>> {
    let mut layers = Vec::new();
    let mut lost = Vec::new();
    for layer in &stack.layers {
        match layer.clone() {
            DeclaredLayer::Foreign { name, attempts, attempt_timeout, deadline } => {
                layers.push(PathLayer::Foreign { name, attempts, attempt_timeout, deadline });
            }
            DeclaredLayer::Policy(selector) => match selector::find(files, &selector) {
                Ok(source) => layers.push(PathLayer::Found(source)),
                Err(selector::NotOne { several, candidates }) => {
                    lost.push(LostLayer { stack: stack.name.clone(), selector, several, candidates });
                }
            },
        }
    }
    if !lost.is_empty() {
        return Err(lost);
    }
    let (name, declared) = (stack.name.clone(), Some(stack.place));
    let (deadline, max_attempts) = (stack.deadline, stack.max_attempts);
    Ok(Path { name, declared, layers, joints: Vec::new(), deadline, max_attempts })
}

/// A call path.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Its name, or `outer → inner` by the names of its policies.
    pub name: String,
    /// Where retrylint.toml declares it; None where it follows from the files.
    pub declared: Option<Place>,
    /// Its layers, outermost first.
    pub layers: Vec<StackLayer>,
    /// What bounds the whole of it: its own, or that of the outermost layer.
    pub deadline: Setting<Duration>,
    /// The attempt product allowed for it, where it is not the common one.
    pub max_attempts: Option<u64>,
    /// Calls at the bottom when every attempt fails at once.
    pub fail_fast_calls: Bound<u64>,
    /// Calls at the bottom when every attempt takes its full timeout.
    pub slow_fail_calls: Bound<u64>,
    /// What the outermost layer asks for.
    pub demand: Bound<Duration>,
    /// What can really elapse.
    pub worst_case: Bound<Duration>,
}

impl Project {
    /// What a layer is, where it is in the files.
    pub fn found(&self, source: LayerSource) -> Option<Found<'_>> {
        match source {
            LayerSource::Policy { file, policy } => {
                let file = self.files.get(file)?;
                Some(Found::Policy(file, file.facts.policies.get(policy)?, file.schedules.get(policy)?))
            }
            LayerSource::Queue { file, queue } => {
                let file = self.files.get(file)?;
                Some(Found::Queue(file, file.facts.queues.get(queue)?))
            }
            LayerSource::Foreign => None,
        }
    }
}

/// What a layer is in the files, and the file that it stands in.
#[derive(Clone, Copy, Debug)]
pub enum Found<'p> {
    /// A policy with its schedule.
    Policy(&'p ProjectFile, &'p Policy, &'p Schedule),
    /// A queue.
    Queue(&'p ProjectFile, &'p Queue),
}

impl<'p> Found<'p> {
    /// The path of the file.
    pub fn path(self) -> &'p str {
        match self {
            Self::Policy(file, ..) | Self::Queue(file, _) => &file.path,
        }
    }

    /// RFC 6901 pointer of it.
    pub fn pointer(self) -> &'p str {
        match self {
            Self::Policy(_, policy, _) => &policy.pointer,
            Self::Queue(_, queue) => &queue.pointer,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'p str {
        match self {
            Self::Policy(_, policy, _) => &policy.name,
            Self::Queue(_, queue) => &queue.name,
        }
    }

    /// Its place.
    pub fn place(self) -> Place {
        match self {
            Self::Policy(_, policy, _) => policy.place,
            Self::Queue(_, queue) => queue.place,
        }
    }
}

impl Stack {
    fn sources(&self) -> Vec<LayerSource> {
        self.layers.iter().map(|layer| layer.source).collect()
    }
}

/// What the files say about two layers belonging together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Index of the file into [`Project::files`].
    pub file: usize,
    /// The place that names what is called.
    pub place: Place,
    /// What is called.
    pub name: String,
}

/// A layer of a call path, in numbers.
#[derive(Clone, Debug)]
pub struct StackLayer {
    /// What people call it.
    pub name: String,
    /// Where it sits.
    pub layer: Layer,
    /// The policy or queue that it is.
    pub source: LayerSource,
    /// What joins it with the layer above, where another place than its own says so.
    pub joint: Option<Joint>,
    /// The most attempts.
    pub attempts: Setting<u64>,
    /// What bounds one of them: an attempt timeout, or the window of a queue.
    pub timeout: Setting<Duration>,
    /// What bounds all of them.
    pub deadline: Setting<Duration>,
    /// How many of them can start within its deadline if each fails at once after the smallest waits.
    pub starts: Bound<u64>,
    /// Length of one attempt: its timeout, or the worst case of the layer below where that is shorter.
    pub attempt: Bound<Duration>,
    /// Demand of this layer with those attempts.
    pub demand: Bound<Duration>,
    /// Worst case of this layer with those attempts.
    pub worst_case: Bound<Duration>,
}

/// What a layer of a call path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerSource {
    /// Policy `policy` of file `file` of the project.
    Policy {
        /// Index into [`Project::files`].
        file: usize,
        /// Index into the policies of its facts.
        policy: usize,
    },
    /// Queue `queue` of file `file` of the project.
    Queue {
        /// Index into [`Project::files`].
        file: usize,
        /// Index into the queues of its facts.
        queue: usize,
    },
    /// Declared in retrylint.toml for something outside the repository.
    Foreign,
}

/// Hand-built models for the tests of this floor and the next.
#[cfg(test)]
pub(crate) mod samples {
    use super::ProjectFile;
    use crate::model::{
        Backoff, DeadlineEffect, Duration, Facts, Layer, Links, Pacing, Policy, Queue, Setting,
    };
    use crate::schedule::schedule;
    use crate::source::Place;

    /// A place of eight characters at the start of a line.
    pub(crate) fn line(line: u32) -> Place {
        Place { start: line * 100, end: line * 100 + 8, line, column: 1, end_line: line, end_column: 9 }
    }

    /// A file with its schedules.
    pub(crate) fn file(path: &str, policies: Vec<Policy>, queues: Vec<Queue>) -> ProjectFile {
        let schedules = policies.iter().map(schedule).collect();
        let facts = Facts { policies, queues, ..Facts::default() };
        ProjectFile { path: path.into(), facts, schedules }
    }

    /// A written policy of one attempt.
    pub(crate) fn policy(name: &str, pointer: &str) -> Policy {
        Policy {
            name: name.into(),
            dialect: "generic".into(),
            layer: Layer::Client,
            place: line(1),
            pointer: pointer.into(),
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

    /// A queue of 5 receives with a window of 30 s.
    pub(crate) fn queue(name: &str, pointer: &str) -> Queue {
        Queue {
            name: name.into(),
            dialect: "aws-cloudformation",
            place: line(1),
            pointer: pointer.into(),
            window_key: "VisibilityTimeout",
            window: Setting::written(Duration::from_secs(30), line(3)),
            receives: Setting::written(5, line(4)),
            retention: Setting::default(Duration::from_secs(345_600), "SQS's default"),
            dead_letters: true,
            dead_letter_retention: None,
            is_dead_letter_queue: false,
            handlers: Vec::new(),
            faults: Vec::new(),
        }
    }
}
