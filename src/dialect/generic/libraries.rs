//! Libraries whose own option names services hand through, and what those say that others leave open.

use super::names::{self, Counted, Role};
use crate::document::{Kind, Node};
use crate::model::notation::Unit;
use crate::model::{Bound, CapApplies, Duration, Jitter, Origin, Ratio, Setting};

/// A library that is told by the names of its options.
pub(super) struct Library {
    /// What people call it.
    pub name: &'static str,
    /// It is this one where a table has a key of each row and none of `not`.
    signs: &'static [&'static [&'static str]],
    not: &'static [&'static str],
    /// Its names for settings, which go before what they mean elsewhere, with what a bare number counts.
    names: &'static [(&'static str, Role, Option<Unit>)],
    /// The first wait where none is written. Here and below, it is not known where those who take these options
    /// differ.
    pub initial: Bound<Duration>,
    /// The growth where none is written.
    pub multiplier: Ratio,
    /// The ceiling where none is written.
    pub cap: Bound<Duration>,
    /// Whether what is scattered may be over the ceiling.
    pub cap_applies: CapApplies,
    /// How waits are scattered where nothing is written.
    pub jitter: Bound<Jitter>,
    /// How they are where a switch turns it on.
    pub scattered: Jitter,
    /// Each wait is scattered around the one before it, scattered already, which the model has no kind for.
    pub compounds: bool,
    /// The first retry follows at once, and the second waits for twice what is written.
    pub first_at_once: bool,
    /// Without a count it goes on until its longest time, of which 0 is none.
    pub endless: bool,
}

const HALF: Jitter = Jitter::Factor { below: Ratio::new(1, 2), above: Ratio::new(1, 2) };

const LIBRARIES: &[Library] = &[
    // tim-kos/node-retry lib/retry.js and lib/retry_operation.js (0.13): options of p-retry to 6 and of
    // async-retry as well, which scatters where nothing is written
    Library {
        name: "node-retry",
        signs: &[&["retries"], &["min_timeout", "max_timeout"]],
        not: &[],
        names: &[
            ("min_timeout", Role::Initial, Some(Unit::Millis)),
            ("max_timeout", Role::Cap, Some(Unit::Millis)),
            ("max_retry_time", Role::Elapsed, Some(Unit::Millis)),
            ("randomize", Role::Jitter, None),
            ("forever", Role::Forever, None),
        ],
        initial: Bound::At(Duration::from_secs(1)),
        multiplier: Ratio::new(2, 1),
        cap: Bound::Unlimited,
        cap_applies: CapApplies::AfterJitter,
        jitter: Bound::Unknown,
        scattered: Jitter::Factor { below: Ratio::ZERO, above: Ratio::ONE },
        compounds: false,
        first_at_once: false,
        endless: false,
    },
    // tulios/kafkajs src/retry/index.js and defaults.js (2.2): `factor` scatters, `multiplier` grows, and the longest
    // time is that of one wait
    Library {
        name: "kafkajs",
        signs: &[&["initial_retry_time"]],
        not: &[],
        names: &[
            ("initial_retry_time", Role::Initial, Some(Unit::Millis)),
            ("max_retry_time", Role::Cap, Some(Unit::Millis)),
            ("factor", Role::Jitter, None),
        ],
        initial: Bound::At(Duration::from_millis(300)),
        multiplier: Ratio::new(2, 1),
        cap: Bound::At(Duration::from_secs(30)),
        cap_applies: CapApplies::AfterJitter,
        jitter: Bound::Unknown,
        scattered: Jitter::None,
        compounds: true,
        first_at_once: false,
        endless: false,
    },
    // urllib3 src/urllib3/util/retry.py (2.x), get_backoff_time
    Library {
        name: "urllib3",
        signs: &[
            &["backoff_factor"],
            &["status_forcelist", "total", "backoff_jitter", "respect_retry_after_header"],
        ],
        not: &["multiplier", "initial_delay", "initial_backoff", "base_delay", "delay", "interval"],
        names: &[
            ("total", Role::Count(Counted::Retries), None),
            ("backoff_factor", Role::Initial, Some(Unit::Seconds)),
            ("backoff_max", Role::Cap, Some(Unit::Seconds)),
            ("backoff_jitter", Role::Jitter, Some(Unit::Seconds)),
        ],
        initial: Bound::Unknown,
        multiplier: Ratio::new(2, 1),
        cap: Bound::At(Duration::from_secs(120)),
        cap_applies: CapApplies::AfterJitter,
        jitter: Bound::At(Jitter::None),
        scattered: Jitter::None,
        compounds: false,
        first_at_once: true,
        endless: false,
    },
    // cenkalti/backoff exponential.go (v4) and the OpenTelemetry collector's config/configretry: neither counts,
    // and their ceilings differ (60 s, 30 s)
    Library {
        name: "Go's backoff library",
        signs: &[&["initial_interval"], &["max_elapsed_time"]],
        not: &[],
        names: &[],
        initial: Bound::Unknown,
        multiplier: Ratio::new(3, 2),
        cap: Bound::Unknown,
        cap_applies: CapApplies::BeforeJitter,
        jitter: Bound::At(HALF),
        scattered: HALF,
        compounds: false,
        first_at_once: false,
        endless: true,
    },
];

impl Library {
    /// The library whose options a table holds, if it is plain which.
    pub(super) fn of(table: Node<'_>) -> Option<&'static Self> {
        let keys: Vec<_> = table
            .entries()
            .filter(|child| child.kind() != Kind::Null)
            .map(|child| option(&names::stem(child.key()).0).to_string())
            .collect();
        let has = |names: &[&str]| names.iter().any(|name| keys.iter().any(|key| key == name));
        LIBRARIES.iter().find(|library| library.signs.iter().all(|names| has(names)) && !has(library.not))
    }

    /// What it takes where nothing is written. A service may hand something else to it.
    pub(super) fn usual<T>(&self, bound: Bound<T>) -> Setting<T> {
        match bound {
            Bound::Unknown => Setting::unknown("those who take these options differ", None),
            bound => {
                Setting::new(bound, Origin::Assumed(format!("the default of {}", self.name).into(), None))
            }
        }
    }

    /// What one of its own names means.
    pub(super) fn meaning(&self, key: &str) -> Option<(Role, Option<Unit>)> {
        let (stem, unit) = names::stem(key);
        let name = option(&stem);
        let found = self.names.iter().find(|(known, ..)| *known == name);
        found.map(|(_, role, own)| (*role, unit.or(*own)))
    }
}

/// An option as it stands in a table that is all about retrying: `total` of `retry_total`.
fn option(name: &str) -> &str {
    name.strip_prefix("retry_").unwrap_or(name)
}
