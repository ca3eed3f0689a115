//! The names that services give their retry settings, and what each is taken to mean.

use crate::model::notation::Unit;

/// What a count counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The first try included.
    Attempts,
    /// Without the first try.
    Retries,
    /// Said both ways; retries is the larger reading.
    RetriesAssumed,
    /// Said both ways; attempts is the likely one.
    AttemptsAssumed,
}

/// What a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// How often.
    Count(Counted),
    /// The first wait, of waits that grow.
    Initial,
    /// The wait, of waits that do not grow.
    Fixed,
    /// A wait, a list of waits or the word for how they grow, as its value says.
    Backoff,
    /// A list of waits.
    Delays,
    /// The word for how waits grow.
    Strategy,
    /// Growth per retry.
    Multiplier,
    /// The ceiling of one wait.
    Cap,
    /// How waits are scattered.
    Jitter,
    /// What bounds one attempt.
    AttemptTimeout,
    /// The same, unless a clearer name stands beside it.
    PlainTimeout,
    /// What bounds the whole, and cuts.
    Deadline,
    /// What bounds the whole, looked at between attempts.
    Elapsed,
    /// The switch of the whole, by which it is on.
    Enabled,
    /// The same, by which it is off.
    Disabled,
    /// Whether waits are multiplied.
    Exponential,
    /// Whether it goes on for ever.
    Forever,
}

impl Role {
    /// A count or a wait: what makes a policy.
    pub fn is_setting(self) -> bool {
        matches!(self, Self::Count(_) | Self::Initial | Self::Fixed | Self::Backoff | Self::Delays)
    }

    /// A time that may stand outside the retry table.
    pub fn is_time(self) -> bool {
        matches!(self, Self::AttemptTimeout | Self::PlainTimeout | Self::Deadline | Self::Elapsed)
    }

    /// It says how long the waits are.
    pub fn is_of_waits(self) -> bool {
        let wait = matches!(self, Self::Initial | Self::Fixed | Self::Backoff | Self::Delays | Self::Cap);
        wait || matches!(self, Self::Strategy | Self::Exponential | Self::Multiplier | Self::Jitter)
    }

    /// Its value is a duration.
    pub fn is_duration(self) -> bool {
        self.is_time()
            || matches!(self, Self::Initial | Self::Fixed | Self::Backoff | Self::Delays | Self::Cap)
    }
}

/// Where a setting stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a table that is all about retrying.
    Own,
    /// Beside settings of other kinds.
    Flat,
}

/// How much a name says by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// It names a retry wherever it stands, and may carry a prefix.
    Strong,
    /// It counts beside another one.
    Beside,
    /// The same where the table has a wait before a retry, and no clearer name: `factor`, which is a factor of
    /// anything elsewhere.
    Plain,
    /// It counts in a table that is all about retrying.
    Own,
}

impl Counted {
    /// The first try is not counted.
    pub fn is_of_retries(self) -> bool {
        matches!(self, Self::Retries | Self::RetriesAssumed)
    }
}

use Counted::{Attempts, AttemptsAssumed, Retries, RetriesAssumed};
use Strength::{Beside, Own, Plain, Strong};

/// Names with the same meaning.
const NAMES: &[(Role, Strength, &[&str])] = &[
    (
        Role::Count(Attempts),
        Beside,
        &[
            "max_attempts",
            "attempts",
            "max_tries",
            "tries",
            "num_attempts",
            "total_attempts",
            "maximum_attempts",
        ],
    ),
    (Role::Count(Attempts), Own, &["max_calls"]),
    (
        Role::Count(Retries),
        Strong,
        &[
            "max_retries",
            "retries",
            "num_retries",
            "max_retry",
            "retry_max",
            "retry_limit",
            "max_retry_times",
            "retry_times",
            "max_num_retries",
            "maximum_retries",
            "max_retry_number",
            "max_number_of_retries",
        ],
    ),
    (
        Role::Count(RetriesAssumed),
        Strong,
        &["max_retry_attempts", "max_reconnect_attempts", "max_retry_count"],
    ),
    (Role::Count(RetriesAssumed), Beside, &["retry_attempts", "retry_count", "reconnect_attempts"]),
    // attempts to Laravel and async.js, retries to others
    (Role::Count(RetriesAssumed), Own, &["count", "times"]),
    (Role::Count(AttemptsAssumed), Own, &["max_failures", "failure_limit"]),
    (
        Role::Initial,
        Strong,
        &[
            "initial_backoff",
            "base_backoff",
            "backoff_base",
            "backoff_initial",
            "min_backoff",
            "backoff_min",
            "first_backoff",
            "retry_backoff_base",
            "retry_initial_delay",
            "initial_retry_delay",
            "retry_base_delay",
            "base_retry_delay",
            "min_retry_delay",
            "retry_initial_backoff",
            "initial_retry_backoff",
            "min_retry_backoff",
            "min_retry_interval",
            "min_retry_wait",
            "initial_retry_interval",
            "retry_initial_interval",
            "retry_delay_min",
            "retry_wait_min",
        ],
    ),
    (
        Role::Initial,
        Beside,
        &[
            "initial_delay",
            "initial_interval",
            "initial_wait",
            "initial_sleep",
            "base_delay",
            "min_delay",
            "wait_min",
            "start_delay",
        ],
    ),
    (
        Role::Initial,
        Own,
        &["initial", "base", "min", "base_interval", "min_wait", "min_interval", "backoff_unit"],
    ),
    (
        Role::Fixed,
        Strong,
        &[
            "retry_delay",
            "retry_interval",
            "retry_wait",
            "retry_sleep",
            "busy_retries_wait",
            "retry_period",
            "reconnect_delay",
            "reconnect_interval",
        ],
    ),
    (
        Role::Fixed,
        Beside,
        &["delay", "wait", "wait_duration", "waiting_time", "interval", "sleep", "retry_after"],
    ),
    (Role::Backoff, Strong, &["backoff", "retry_backoff", "back_off"]),
    (Role::Delays, Own, &["delays", "intervals", "schedule", "waits", "backoffs"]),
    (Role::Delays, Strong, &["retry_delays", "retry_intervals", "retry_waits", "retry_schedule"]),
    (
        Role::Strategy,
        Beside,
        &["backoff_strategy", "backoff_type", "retry_strategy", "backoff_mode", "backoff_policy"],
    ),
    (Role::Strategy, Plain, &["strategy"]),
    (Role::Strategy, Own, &["kind", "type", "mode", "policy", "algorithm"]),
    (
        Role::Exponential,
        Beside,
        &[
            "exponential_backoff",
            "use_exponential_backoff",
            "enable_exponential_backoff",
            "exponential_backoff_enabled",
        ],
    ),
    (Role::Exponential, Own, &["exponential", "use_exponential"]),
    (
        Role::Multiplier,
        Beside,
        &[
            "backoff_multiplier",
            "backoff_factor",
            "exponential_base",
            "backoff_exponent",
            "backoff_coefficient",
            "backoff_rate",
            "exponential_backoff_factor",
            "retry_backoff_multiplier",
            "growth_factor",
            "retry_multiplier",
            "delay_multiplier",
            "delay_factor",
            "retry_backoff_factor",
        ],
    ),
    (Role::Multiplier, Plain, &["multiplier", "factor"]),
    (Role::Multiplier, Own, &["exponent", "coefficient", "rate"]),
    (
        Role::Cap,
        Beside,
        &[
            "max_backoff",
            "max_delay",
            "max_interval",
            "max_wait",
            "backoff_max",
            "retry_backoff_max",
            "wait_max",
            "backoff_cap",
            "max_retry_delay",
            "max_retry_backoff",
            "max_retry_interval",
            "retry_max_delay",
            "retry_max_backoff",
            "retry_max_interval",
            "max_retry_wait",
            "retry_wait_max",
            "retry_delay_max",
            "max_sleep",
            "max_reconnect_delay",
            "max_reconnect_interval",
            "delay_max",
        ],
    ),
    (Role::Cap, Own, &["max", "cap", "maximum"]),
    (
        Role::Jitter,
        Beside,
        &[
            "jitter",
            "jitter_factor",
            "jitter_fraction",
            "jitter_ratio",
            "randomization_factor",
            "random_factor",
            "jitter_percent",
            "backoff_jitter",
            "max_jitter",
            "retry_jitter",
            "use_jitter",
            "jitter_strategy",
        ],
    ),
    (
        Role::AttemptTimeout,
        Beside,
        &[
            "request_timeout",
            "attempt_timeout",
            "per_try_timeout",
            "per_attempt_timeout",
            "http_timeout",
            "client_timeout",
            "response_timeout",
            "rpc_timeout",
            "try_timeout",
            "per_request_timeout",
            "per_call_timeout",
            "query_timeout",
            "statement_timeout",
            "command_timeout",
        ],
    ),
    (Role::PlainTimeout, Beside, &["timeout"]),
    (
        Role::Deadline,
        Beside,
        &[
            "total_timeout",
            "overall_timeout",
            "operation_timeout",
            "call_timeout",
            "deadline",
            "max_duration",
            "total_deadline",
            "global_timeout",
            "budget",
        ],
    ),
    (
        Role::Elapsed,
        Beside,
        &[
            "max_elapsed_time",
            "max_retry_time",
            "max_retry_duration",
            "retry_timeout",
            "retry_window",
            "give_up_after",
            "max_elapsed",
        ],
    ),
    (
        Role::Enabled,
        Beside,
        &["enable_retry", "enable_retries", "use_retry", "use_retries", "retry", "retry_on_failure"],
    ),
    (Role::Enabled, Own, &["enabled", "enable"]),
    (Role::Disabled, Beside, &["disable_retry", "disable_retries", "no_retry", "no_retries"]),
    (Role::Disabled, Own, &["disabled", "disable"]),
    (Role::Forever, Beside, &["retry_forever"]),
    (Role::Forever, Own, &["forever", "infinite", "unlimited"]),
];

/// Attempt timeouts that some count from the first attempt on.
pub const ASSUMED_OF_AN_ATTEMPT: &[&str] = &["query_timeout", "statement_timeout", "command_timeout"];

/// What a time that is none of the above may bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayBound {
    /// One attempt, or nothing of it.
    Attempt,
    /// One attempt or the whole.
    Whole,
}

/// Words of a time that bounds a part of an attempt, and what part. (`read_timeout` is the longest silence
/// between two bytes to most clients: urllib3, Java's SO_TIMEOUT, Netty.)
const PARTS: &[(&[&str], &str)] = &[
    (
        &["connect_timeout", "connection_timeout", "dial_timeout", "tls_timeout", "handshake_timeout"],
        "it bounds connecting, and not the whole attempt",
    ),
    (&["pool_timeout", "acquire_timeout", "checkout_timeout"], "it bounds the wait for a connection alone"),
    (
        &["read_timeout", "write_timeout", "socket_timeout", "io_timeout", "send_timeout", "receive_timeout"],
        "it bounds each wait for the network, and not the whole attempt",
    ),
];

/// Words of times that bound nothing of a call.
const NO_BOUNDS: &[&str] = &[
    "idle",
    "keepalive",
    "session",
    "shutdown",
    "drain",
    "startup",
    "stop",
    "termination",
    "heartbeat",
    "ping",
    "visibility",
    "cache",
    "circuit",
    "breaker",
    "reset",
    "lockout",
    "login",
    "token",
];

/// A time of something else than a call.
pub fn bounds_nothing(key: &str) -> bool {
    snake(key).replace("keep_alive", "keepalive").split('_').any(|word| NO_BOUNDS.contains(&word))
}

/// What a key may bound that is no known time, and why that is not plain. None where it bounds nothing.
pub fn may_bound(key: &str) -> Option<(MayBound, &'static str)> {
    let (stem, _) = stem(key);
    let says = |words: &[&str]| words.iter().any(|word| stem.contains(word));
    if let Some((_, why)) = PARTS.iter().find(|(names, _)| names.iter().any(|name| stem.ends_with(name))) {
        return Some((MayBound::Attempt, why));
    }
    let time =
        says(&["timeout", "time_out", "deadline", "time_limit", "max_time", "max_duration", "elapsed"]);
    if !time || bounds_nothing(&stem) {
        return None;
    }
    let whole =
        says(&["deadline", "limit", "max_", "total", "overall", "elapsed", "operation", "op_", "retr"]);
    let may = if whole { MayBound::Whole } else { MayBound::Attempt };
    Some((may, "whether it bounds one attempt or the whole is not plain"))
}

/// Tables beside a retry table that may say how long its attempts go on.
pub const CLIENT_TABLES: &[&str] =
    &["http", "client", "http_client", "request", "requests", "connection", "transport", "network", "limits"];

/// Tables that hold times alone, each under what it bounds: `timeouts: { request: 2s }`.
pub const TIME_TABLES: &[&str] = &["timeouts", "timeout"];

/// Words for a number where digits should be.
pub const NUMBER_WORDS: &[&str] =
    &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "once", "twice"];

/// Tables that are all about retrying.
const OWN_TABLES: &[&str] = &[
    "retry",
    "retries",
    "retry_policy",
    "retry_config",
    "backoff",
    "back_off",
    "backoff_config",
    "reconnect",
    "retry_on_failure",
    "retry_settings",
    "retry_options",
    "retry_strategy",
    "retrying",
    "backoff_policy",
];

/// Tables in which the words mean something else, or stand for somebody else's settings: health checks,
/// people's attempts, texts, labels, schemas, recorded answers.
pub const NOT_RETRIES: &[&str] = &[
    "healthcheck",
    "health_check",
    "health_checks",
    "livenessprobe",
    "liveness_probe",
    "readiness_probe",
    "startup_probe",
    "labels",
    "annotations",
    "match_labels",
    "tags",
    "examples",
    "example",
    "schema",
    "schemas",
    "json_schema",
    "response_metadata",
    "responsemetadata",
    "translations",
    "messages",
    "i18n",
    "login",
    "lockout",
    "password_reset",
    "password",
    "otp",
    "captcha",
    "mfa",
    "two_factor",
    "quiz",
    "dunning",
];

/// Keys by which an item of a list is told from the others, the surest first.
pub const IDENTIFYING: &[&str] =
    &["name", "id", "service", "service_name", "client", "upstream", "host", "queue", "topic", "job"];

/// Keys of a table that listens itself.
pub const SERVES: &[&str] = &["listen", "bind", "listen_address"];

/// Timeouts that hold for every attempt of a table, whatever the prefix of its policies.
pub const EVERY_ATTEMPT: &[&str] =
    &["timeout", "request_timeout", "attempt_timeout", "per_attempt_timeout", "per_try_timeout"];

/// Prefixes of what happened, or of one step of it.
const PAST: &[&str] = &["last", "next", "current", "previous", "prev", "total", "remaining"];

/// Prefixes of what people try, and of probes.
const NOT_CALLS: &[&str] = &[
    "login",
    "failed_login",
    "lockout",
    "password",
    "password_reset",
    "otp",
    "captcha",
    "mfa",
    "two_factor",
    "quiz",
    "healthcheck",
    "health_check",
];

/// Top-level tables of frameworks that give the keys below them meanings of their own.
const FRAMEWORKS: &[&str] = &[
    "spring",
    "resilience4j",
    "management",
    "quarkus",
    "micronaut",
    "mp",
    "smallrye",
    "dapr",
    "kafka_connect",
];

/// What a list says is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Statuses or errors.
    Failures,
    /// HTTP methods.
    Methods,
}

/// What a key lists, if it lists what is repeated.
pub fn repeated(key: &str) -> Option<Listed> {
    match snake(key).as_str() {
        "retryable_status_codes"
        | "retriable_status_codes"
        | "retry_statuses"
        | "status_codes"
        | "statuses"
        | "retry_on"
        | "status_forcelist"
        | "retry_on_status"
        | "retry_on_errors"
        | "retryable_errors"
        | "retryable_failures"
        | "retry_exceptions" => Some(Listed::Failures),
        "methods" | "retry_methods" | "allowed_methods" => Some(Listed::Methods),
        _ => None,
    }
}

/// Words for "no limit".
pub const ENDLESS: &[&str] =
    &["unlimited", "infinite", "infinity", "forever", "no_limits", "inf", ".inf", "never"];

/// How waits grow, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The same each time.
    Constant,
    /// No wait.
    None,
    /// n · initial.
    Linear,
    /// Multiplied each time.
    Exponential,
    /// 1, 1, 2, 3, 5, …
    Fibonacci,
    /// Multiplied each time, with jitter.
    Jittered,
}

/// The strategy that a word stands for.
pub fn strategy(word: &str) -> Option<Strategy> {
    Some(match snake(word).as_str() {
        "constant" | "fixed" | "constant_backoff" | "fixed_delay" => Strategy::Constant,
        "none" | "immediate" | "no_backoff" => Strategy::None,
        "linear" | "linear_backoff" => Strategy::Linear,
        "exponential" | "exp" | "exponential_backoff" => Strategy::Exponential,
        "fibonacci" => Strategy::Fibonacci,
        "jittered" | "exponential_jitter" | "backoff_jitter" => Strategy::Jittered,
        _ => return None,
    })
}

/// The unit that a key ends in, if it does.
pub type UnitSuffix = Option<Unit>;

const UNITS: &[(Unit, &[&str])] = &[
    (Unit::Nanos, &["ns", "nanos", "nanoseconds"]),
    (Unit::Micros, &["us", "micros", "usec", "microseconds"]),
    (Unit::Millis, &["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]),
    (Unit::Seconds, &["s", "sec", "secs", "second", "seconds"]),
    (Unit::Minutes, &["m", "min", "mins", "minute", "minutes"]),
    (Unit::Hours, &["h", "hour", "hours"]),
    (Unit::Days, &["d", "day", "days"]),
];

/// The unit that a comment names, as in `# seconds` or `# in ms`.
pub fn unit_in_words(comment: &str) -> Option<Unit> {
    const OTHER_SCRIPTS: &[(&str, Unit)] =
        &[("毫秒", Unit::Millis), ("秒", Unit::Seconds), ("分钟", Unit::Minutes), ("小时", Unit::Hours)];
    let word = |word: &str| {
        let lower = word.to_lowercase();
        let long = lower.len() > 1; // a lone letter may be anything
        UNITS.iter().find(|(_, names)| long && names.contains(&lower.as_str())).map(|(unit, _)| *unit)
    };
    let words = comment.split(|char: char| !char.is_alphabetic());
    words
        .into_iter()
        .find_map(word)
        .or_else(|| OTHER_SCRIPTS.iter().find(|(name, _)| comment.contains(name)).map(|(_, unit)| *unit))
}

/// The unit of a text that is a number and a unit, as `30s`.
pub fn unit_in_text(text: &str) -> Option<Unit> {
    let word =
        text.trim().trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | ' '));
    let lower = word.to_ascii_lowercase();
    UNITS.iter().find(|(_, names)| names.contains(&lower.as_str())).map(|(unit, _)| *unit)
}

/// A key in snake_case, whichever case it is written in.
pub fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    let mut before = None::<char>;
    let mut chars = key.chars().peekable();
    while let Some(char) = chars.next() {
        if matches!(char, '-' | '.' | '_' | ' ') {
            snake.push('_');
        } else {
            let follows_small = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
            let starts_word = before.is_some_and(char::is_uppercase)
                && chars.peek().is_some_and(|next| next.is_lowercase());
            if char.is_uppercase() && (follows_small || starts_word) {
                snake.push('_');
            }
            snake.extend(char.to_lowercase());
        }
        before = Some(char);
    }
    snake
}

/// A key in snake_case without the unit it ends in, and that unit.
pub fn stem(key: &str) -> (String, UnitSuffix) {
    let snake = snake(key);
    for (unit, suffixes) in UNITS {
        for suffix in *suffixes {
            let rest = snake.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('_'));
            if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                return (rest.strip_suffix("_in").unwrap_or(rest).to_string(), Some(*unit));
            }
        }
    }
    (snake, None)
}

/// What a key means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What it is for.
    pub role: Role,
    /// The unit it ends in.
    pub unit: UnitSuffix,
    /// What stands before the known name: `connect` of `connect_retries`.
    pub prefix: String,
    /// It counts beside a wait alone, and gives way to a clearer name.
    pub plain: bool,
}

/// The meaning of a key, if it is one of a retry policy.
pub fn meaning(key: &str, scope: Scope) -> Option<Meaning> {
    let whole = snake(key);
    let (stem, unit) = stem(key);
    let read = |name: &str, unit: UnitSuffix| {
        let (role, strength) = exact(name, scope)?;
        let role = if unit.is_some() && name == "retry_max" { Role::Cap } else { role };
        let prefix = if scope == Scope::Flat && name.contains("reconnect") { RECONNECT } else { "" };
        let plain = strength == Plain && scope == Scope::Flat;
        has_unit(role, unit).then(|| Meaning { role, unit, prefix: prefix.into(), plain })
    };
    let with_prefix = |name: &str, unit: UnitSuffix| {
        let (role, prefix) = prefixed(name)?;
        let within = scope == Scope::Flat || prefix.is_empty();
        (within && has_unit(role, unit)).then_some(Meaning { role, unit, prefix, plain: false })
    };
    read(&whole, None)
        .or_else(|| unit.and_then(|unit| read(&stem, Some(unit))))
        .or_else(|| with_prefix(&whole, None))
        .or_else(|| unit.and_then(|unit| with_prefix(&stem, Some(unit))))
}

/// Whether a setting may have this unit: a number of retries has none, nor has a switch.
fn has_unit(role: Role, unit: UnitSuffix) -> bool {
    unit.is_none() || role.is_duration() || role == Role::Jitter
}

/// The role and strength of a known name.
fn exact(name: &str, scope: Scope) -> Option<(Role, Strength)> {
    let known = NAMES
        .iter()
        .find(|(_, strength, names)| (scope == Scope::Own || *strength != Own) && names.contains(&name));
    known.map(|(role, strength, _)| (*role, *strength))
}

/// The prefix of what connects anew, and is no call.
const RECONNECT: &str = "reconnect";

/// A prefix without the words that say no more than "retry", and whether there was one: `connect_retry` is
/// `connect`, as if the settings stood in a table `retry` of their own.
fn table_prefix(prefix: &str) -> (&str, Option<&'static str>) {
    let word = OWN_TABLES.iter().filter(|word| {
        prefix.strip_suffix(**word).is_some_and(|before| before.is_empty() || before.ends_with('_'))
    });
    match word.max_by_key(|word| word.len()) {
        Some(&RECONNECT) => (prefix, Some(RECONNECT)),
        Some(word) => (prefix[..prefix.len() - word.len()].trim_end_matches('_'), Some(word)),
        None => (prefix, None),
    }
}

/// The longest name that a key ends in, with what stands before it: a strong one, one that speaks of
/// retrying, or any behind the name of a table that is all about it (`retry_max_attempts`).
fn prefixed(name: &str) -> Option<(Role, String)> {
    let mut best: Option<(Role, String, usize)> = None;
    for (role, strength, names) in NAMES {
        for known in names.iter() {
            let before = name.strip_suffix(known).and_then(|before| before.strip_suffix('_'));
            let Some(before) = before.filter(|before| !before.is_empty()) else { continue };
            let (prefix, table) = table_prefix(before);
            // a switch or a count of the waits is none of the whole
            let of_waits = role.is_of_waits() || !table.is_some_and(|table| table.starts_with("back"));
            let speaks = known.contains("retr") || known.contains("backoff");
            let counts = *strength == Strong || speaks && *strength == Beside || table.is_some() && of_waits;
            let told =
                PAST.contains(&prefix) || HEADS.iter().any(|head| head.trim_end_matches('_') == prefix);
            if counts && !told && !is_no_call(prefix) && best.as_ref().is_none_or(|best| best.2 < known.len())
            {
                let prefix =
                    if known.contains(RECONNECT) { format!("{prefix}_{RECONNECT}") } else { prefix.into() };
                best = Some((*role, prefix, known.len()));
            }
        }
    }
    let around = HEADS.iter().filter_map(|head| Some((*head, name.strip_prefix(head)?)));
    for (head, rest) in around {
        for (role, _, names) in NAMES {
            for known in names.iter().filter(|known| known.contains("retr") || known.contains("backoff")) {
                let tail = known.strip_prefix(head).filter(|tail| !tail.is_empty());
                let before = tail.and_then(|tail| rest.strip_suffix(tail)?.strip_suffix('_'));
                let Some(prefix) = before.filter(|prefix| !prefix.is_empty()) else { continue };
                if is_no_call(prefix) {
                    continue;
                }
                if best.as_ref().is_none_or(|best| best.2 < known.len()) {
                    best = Some((*role, prefix.to_string(), known.len()));
                }
            }
        }
    }
    best.map(|(role, prefix, _)| (role, prefix))
}

/// Words that a known name may start with, with its prefix behind them: `max_join_backoff`.
const HEADS: &[&str] = &["max_", "min_", "initial_", "base_"];

/// What is tried by people, or is a probe: `login`, `max_login`.
fn is_no_call(prefix: &str) -> bool {
    let bare = HEADS.iter().find_map(|head| prefix.strip_prefix(head)).unwrap_or(prefix);
    NOT_CALLS.contains(&bare)
}

/// A name that speaks of retrying wherever it stands.
pub fn is_strong(key: &str) -> bool {
    let whole = snake(key);
    let (stem, _) = stem(key);
    match exact(&whole, Scope::Flat).or_else(|| exact(&stem, Scope::Flat)) {
        Some((_, strength)) => strength == Strong,
        None => prefixed(&whole).or_else(|| prefixed(&stem)).is_some(),
    }
}

/// A table that is all about retrying, by its name in snake_case.
pub fn is_own_table(name: &str) -> bool {
    OWN_TABLES.contains(&name)
        || name.ends_with("_retry")
        || name.ends_with("_retry_policy")
        || name.ends_with("_backoff")
}

/// A key that tells nothing but that this is about retrying.
pub fn says_retry_only(key: &str) -> bool {
    OWN_TABLES.contains(&snake(key).as_str())
}

/// A top-level table of a framework, by its name in snake_case.
pub fn is_framework(name: &str) -> bool {
    FRAMEWORKS.iter().any(|framework| {
        name.strip_prefix(framework).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_becomes_snake_case() {
        for (key, expected) in [
            ("maxRetries", "max_retries"),
            ("max-retries", "max_retries"),
            ("MAX_RETRIES", "max_retries"),
            ("HTTPTimeout", "http_timeout"),
            ("retry.max", "retry_max"),
            ("MaxRetryTimes", "max_retry_times"),
        ] {
            assert_eq!(snake(key), expected);
        }
    }

    /// Role, unit and prefix of a key.
    fn role(key: &str, scope: Scope) -> Option<(Role, UnitSuffix, String)> {
        meaning(key, scope).map(|meaning| (meaning.role, meaning.unit, meaning.prefix))
    }

    #[test]
    fn the_whole_name_goes_before_its_unit() {
        assert_eq!(role("backoff_min", Scope::Flat), Some((Role::Initial, None, String::new())));
        assert_eq!(role("delay_min", Scope::Own), Some((Role::Fixed, Some(Unit::Minutes), String::new())));
        assert_eq!(
            role("retryDelayInMillis", Scope::Flat),
            Some((Role::Fixed, Some(Unit::Millis), String::new()))
        );
        assert_eq!(role("retry_max_ms", Scope::Flat), Some((Role::Cap, Some(Unit::Millis), String::new())));
    }

    #[test]
    fn a_prefix_tells_policies_of_one_table_apart() {
        let retries = Role::Count(Counted::Retries);
        for (key, expected) in [
            ("connect_retries", (retries, None, "connect")),
            ("connect_retry_backoff_ms", (Role::Backoff, Some(Unit::Millis), "connect")),
            ("connect_retry_max_attempts", (Role::Count(Counted::Attempts), None, "connect")),
            ("max_join_backoff", (Role::Cap, None, "join")),
            ("min_join_backoff", (Role::Initial, None, "join")),
            ("max_join_retries", (retries, None, "join")),
            ("reconnect_delay", (Role::Fixed, None, "reconnect")),
            ("reconnect_max_attempts", (Role::Count(Counted::Attempts), None, "reconnect")),
        ] {
            let (role, unit, prefix) = expected;
            assert_eq!(self::role(key, Scope::Flat), Some((role, unit, prefix.to_string())), "{key}");
        }
    }

    #[test]
    fn what_stands_in_a_retry_table_may_stand_behind_its_name() {
        for (key, role) in [
            ("retry_max_attempts", Role::Count(Counted::Attempts)),
            ("retry_factor", Role::Multiplier),
            ("retry_initial", Role::Initial),
            ("retry_min", Role::Initial),
            ("backoff_interval", Role::Fixed),
            ("retry_enabled", Role::Enabled),
            ("retry_policy_multiplier", Role::Multiplier),
        ] {
            assert_eq!(self::role(key, Scope::Flat), Some((role, None, String::new())), "{key}");
        }
        for key in ["backoff_enabled", "last_retry_delay", "next_retry_interval"] {
            assert_eq!(role(key, Scope::Flat), None, "{key}");
        }
    }

    #[test]
    fn what_a_time_may_bound_is_told_from_what_it_does_not() {
        let may = |key| may_bound(key).map(|(may, _)| may);
        for key in ["connectTimeout", "read_timeout_ms", "some_timeout", "http_request_timeout"] {
            assert_eq!(may(key), Some(MayBound::Attempt), "{key}");
        }
        for key in ["request_deadline", "op_timeout", "max_retry_timeout", "time_limit_secs"] {
            assert_eq!(may(key), Some(MayBound::Whole), "{key}");
        }
        for key in ["idle_timeout", "keep_alive_timeout", "max_retries", "interval"] {
            assert_eq!(may(key), None, "{key}");
        }
    }

    #[test]
    fn a_comment_may_name_the_unit() {
        for (comment, unit) in [
            ("seconds", Some(Unit::Seconds)),
            ("in ms", Some(Unit::Millis)),
            ("1 hour", Some(Unit::Hours)),
            ("毫秒", Some(Unit::Millis)),
            ("how long to wait", None),
            ("s3 bucket", None),
        ] {
            assert_eq!(unit_in_words(comment), unit, "{comment}");
        }
    }

    #[test]
    fn peoples_attempts_are_none_of_ours() {
        for key in
            ["max_login_attempts", "max_failed_login_attempts", "lockout_duration_secs", "RetryableErrors"]
        {
            assert_eq!(role(key, Scope::Flat), None, "{key}");
        }
    }
}
