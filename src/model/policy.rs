//! A retry policy.

use super::notation::Unit;
use super::{Backoff, Duration, Links, Setting};
use crate::source::Place;
use std::borrow::Cow;

/// How often, when and for how long one operation is tried.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What people call it: the names on the way to it, or of the object it belongs to.
    pub name: String,
    /// Id of the dialect that read it.
    pub dialect: Cow<'static, str>,
    /// Where in a call path it sits.
    pub layer: Layer,
    /// Its key, or that of the object which has it by default.
    pub place: Place,
    /// RFC 6901 pointer of that.
    pub pointer: String,
    /// Something in the file sets it; otherwise it exists by default.
    pub written: bool,
    /// The most attempts, the first included.
    pub attempts: Setting<u64>,
    /// The waits between them.
    pub backoff: Backoff,
    /// From what the waits are counted.
    pub pacing: Pacing,
    /// What bounds one attempt.
    pub attempt_timeout: Setting<Duration>,
    /// What bounds the whole operation, waits included.
    pub deadline: Setting<Duration>,
    /// What happens at the deadline.
    pub deadline_effect: DeadlineEffect,
    /// Part of its calls have less time: the deadline is that of those with the most.
    pub tightest: Option<Tightest>,
    /// It ships what is lost when it gives up (logs, metrics), and is made to retry for ever.
    pub ships: bool,
    /// Pointers of the policies of this file each of whose attempts runs this one: around a state or a
    /// template that is nested. Several are several ways.
    pub within: Vec<String>,
    /// What it calls and belongs to, by names that other policies know.
    pub links: Links,
    /// Why it never retries although it is written, as a clause; None where it does, and where it is switched
    /// off on purpose.
    pub idle: Option<Idle>,
    /// Counts that do not limit, because another setting takes precedence or is reached first.
    pub idle_limits: Vec<Remark>,
    /// That answers of a rate limit are retried on its own schedule, where the system can follow the server's.
    pub ignores_retry_after: Option<Remark>,
    /// Whether what it gives up on goes somewhere; None where the system has no such place, or drops nothing.
    pub dead_letters: Option<bool>,
    /// What the file says about which failures and calls are repeated.
    pub repeated: Vec<Repeated>,
    /// Where the file asks for a retry of what has timed out, if it does.
    pub retries_timeouts: Option<Place>,
    /// The HTTP methods of the calls that it is for, where the file names them.
    pub methods: Option<Methods>,
    /// Numbers whose unit is not written beside them, but in their key or nowhere.
    pub bare_numbers: Vec<BareNumber>,
    /// Values that the system refuses or replaces.
    pub faults: Vec<Fault>,
}

/// The calls of a policy that have the least time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightest {
    /// What people call them: the route.
    pub of: String,
    /// What bounds the whole operation.
    pub deadline: Setting<Duration>,
}

/// HTTP methods that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Methods {
    /// Where it names the first of them.
    pub place: Place,
    /// As it writes them.
    pub named: Vec<String>,
}

impl Methods {
    /// These and others.
    pub fn and(mut self, mut others: Self) -> Self {
        self.named.append(&mut others.named);
        self
    }

    /// Those that a second call does not leave as the first one did (RFC 9110, section 9.2.2).
    pub fn unsafe_ones(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(String::as_str).filter(|method| is_unsafe(method))
    }
}

/// Whether a second call of an HTTP method may do more than the first one did.
pub fn is_unsafe(method: &str) -> bool {
    ["POST", "PATCH"].iter().any(|one| one.eq_ignore_ascii_case(method))
}

/// A list of failures or methods that are repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// Its key.
    pub place: Place,
    /// RFC 6901 pointer of it.
    pub pointer: String,
    /// Those of them that cannot succeed later.
    pub permanent: Vec<String>,
    /// Those after which the call may have been carried out, and methods that are not safe to repeat.
    pub ambiguous: Vec<String>,
    /// Those after which it may have been carried out, of a system that repeats calls whatever they do: they harm
    /// where the policy is for methods that are not safe to repeat.
    pub unclear: Vec<String>,
}

/// A number without a unit of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareNumber {
    /// Its key.
    pub place: Place,
    /// RFC 6901 pointer of it.
    pub pointer: String,
    /// Key and number as written.
    pub written: String,
    /// What may be wrong with its unit.
    pub doubt: Doubt,
}

/// What may be wrong with the unit of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It may be one of another magnitude.
    Magnitude {
        /// The number.
        number: String,
        /// The unit that its key or a convention gives it.
        unit: Unit,
        /// So long that is.
        time: Duration,
        /// It bounds an attempt or the whole; otherwise it is a wait.
        is_timeout: bool,
    },
    /// It is a text with another unit than that of its key.
    TwoUnits {
        /// So long the text is.
        time: Duration,
    },
    /// Nothing gives it a unit, and none makes both it and another number of the policy plausible.
    Apart {
        /// Key and number of that as written.
        other: String,
    },
}

/// Why a policy never retries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// As a clause: "Envoy retries nothing without retry_on".
    pub why: Cow<'static, str>,
    /// What to write instead, as an imperative sentence.
    pub help: Cow<'static, str>,
}

/// What a dialect knows of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its key.
    pub place: Place,
    /// RFC 6901 pointer of it.
    pub pointer: String,
    /// What holds, as a clause: "backoffLimit: 40 is never reached, since …".
    pub what: Cow<'static, str>,
    /// What to write instead, as an imperative sentence.
    pub help: Cow<'static, str>,
}

/// Where in a call path a policy sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// A library in the calling service.
    Client,
    /// A proxy, gateway or mesh.
    Proxy,
    /// The called side itself.
    Server,
    /// Redelivery by a queue.
    Queue,
    /// A workflow engine.
    Workflow,
    /// A batch job or a step of CI.
    Job,
    /// A health check.
    Probe,
}

impl Layer {
    /// As the JSON output has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Proxy => "proxy",
            Self::Server => "server",
            Self::Queue => "queue",
            Self::Workflow => "workflow",
            Self::Job => "job",
            Self::Probe => "probe",
        }
    }
}

/// From what a wait is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// From the end of the attempt that failed.
    AfterFailure,
    /// From the start of the attempt before: redelivery after a window, probes.
    StartToStart,
    /// From start to start, with attempts that go on beside each other: hedging. The least wait is 0,
    /// since a failure starts the next attempt at once.
    Hedged,
}

/// What happens at the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineEffect {
    /// An attempt in flight is aborted.
    Cuts,
    /// A retry in flight is aborted and a wait that would end after it is not begun; the first attempt
    /// goes on (Argo's maxDuration).
    CutsRetries,
    /// No new attempt starts; one in flight goes on.
    Stops,
}

impl DeadlineEffect {
    /// As the JSON output has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cuts => "cuts",
            Self::CutsRetries => "cuts-retries",
            Self::Stops => "stops",
        }
    }
}

/// A value that the system refuses or takes for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The key (or the block, for a missing one).
    pub place: Place,
    /// RFC 6901 pointer of it.
    pub pointer: String,
    /// What is there, in a few words: "perTryTimeout: 3s", "the missing maxBackoff".
    pub what: String,
    /// The value, where it may be more than it is expected to be and is not to be shown.
    pub hidden: Option<Place>,
    /// What the system does, as a clause with its subject: "Envoy ignores a per-try timeout that is not
    /// below the route timeout of 3 s".
    pub effect: Cow<'static, str>,
    /// What to write instead, as an imperative, where the system's rules say it.
    pub help: Option<Cow<'static, str>>,
    /// Whether the configuration as a whole is refused or only the value lost.
    pub refused: bool,
    /// It may not concern those who read the file (one warning for each file, not an error).
    pub lenient: bool,
}
