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
    /// The switch of the whole.
    Enabled,
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
    /// It counts in a table that is all about retrying.
    Own,
}

use Counted::{Attempts, AttemptsAssumed, Retries, RetriesAssumed};
use Strength::{Beside, Own, Strong};

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
    (Role::Count(RetriesAssumed), Own, &["count"]),
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
    (Role::Strategy, Own, &["strategy", "kind", "type", "mode", "policy", "algorithm"]),
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
    (Role::Multiplier, Own, &["multiplier", "factor", "exponent", "coefficient", "rate"]),
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
            "read_timeout",
            "response_timeout",
            "rpc_timeout",
            "socket_timeout",
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
    (Role::Enabled, Own, &["enabled", "enable"]),
];

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
pub const SERVES: &[&str] = &["listen", "bind", "port", "listen_address"];

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

/// The role of a key, the unit it ends in, and the prefix before the known name.
pub fn role(key: &str, scope: Scope) -> Option<(Role, UnitSuffix, String)> {
    let whole = snake(key);
    let (stem, unit) = stem(key);
    let exact = |name: &str| {
        let found = NAMES
            .iter()
            .find(|(_, strength, names)| (scope == Scope::Own || *strength != Own) && names.contains(&name));
        found.map(|(role, ..)| *role)
    };
    if let Some(role) = exact(&whole) {
        return Some((role, None, String::new()));
    }
    if let Some(role) = unit.and(exact(&stem)) {
        return Some((role, unit, String::new()));
    }
    if let (Some(name), Scope::Own) = (stem.strip_prefix("retry_"), scope)
        && let Some(role) = exact(name)
    {
        return Some((role, unit, String::new()));
    }
    if scope == Scope::Own {
        return None;
    }
    prefixed(&whole).map(|(role, prefix)| (role, None, prefix)).or_else(|| {
        let (role, prefix) = prefixed(&stem).filter(|_| unit.is_some())?;
        Some((role, unit, prefix))
    })
}

/// The longest strong name that a key ends in, with what stands before it.
fn prefixed(name: &str) -> Option<(Role, String)> {
    let mut best: Option<(Role, &str, usize)> = None;
    for (role, strength, names) in NAMES {
        for known in names.iter() {
            let before = name.strip_suffix(known).and_then(|before| before.strip_suffix('_'));
            let Some(prefix) = before.filter(|prefix| !prefix.is_empty()) else { continue };
            let told = PAST.contains(&prefix) || is_no_call(prefix);
            let speaks = known.contains("retr") || known.contains("backoff");
            let counts =
                (*strength == Strong || speaks && *strength == Beside || OWN_TABLES.contains(&prefix))
                    && !told;
            if counts && best.is_none_or(|(_, _, length)| length < known.len()) {
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
                if best.is_none_or(|(_, _, length)| length < known.len()) {
                    best = Some((*role, prefix, known.len()));
                }
            }
        }
    }
    best.map(|(role, prefix, _)| (role, prefix.to_string()))
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
    let known =
        |name: &str| NAMES.iter().find(|(_, strength, names)| *strength != Own && names.contains(&name));
    match known(&whole).or_else(|| known(&stem)) {
        Some((_, strength, _)) => *strength == Strong,
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

    #[test]
    fn the_whole_name_goes_before_its_unit() {
        assert_eq!(role("backoff_min", Scope::Flat), Some((Role::Initial, None, String::new())));
        assert_eq!(role("delay_min", Scope::Own), Some((Role::Fixed, Some(Unit::Minutes), String::new())));
        assert_eq!(
            role("retryDelayInMillis", Scope::Flat),
            Some((Role::Fixed, Some(Unit::Millis), String::new()))
        );
    }

    #[test]
    fn a_prefix_tells_policies_of_one_table_apart() {
        let retries = Role::Count(Counted::Retries);
        assert_eq!(role("connect_retries", Scope::Flat), Some((retries, None, "connect".into())));
        assert_eq!(
            role("connect_retry_backoff_ms", Scope::Flat),
            Some((Role::Backoff, Some(Unit::Millis), "connect".into()))
        );
    }

    #[test]
    fn a_prefix_may_stand_within_the_name() {
        assert_eq!(role("max_join_backoff", Scope::Flat), Some((Role::Cap, None, "join".into())));
        assert_eq!(role("min_join_backoff", Scope::Flat), Some((Role::Initial, None, "join".into())));
        assert_eq!(
            role("max_join_retries", Scope::Flat),
            Some((Role::Count(Counted::Retries), None, "join".into()))
        );
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
