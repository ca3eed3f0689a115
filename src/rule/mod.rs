//! One file for each rule. A rule sees the model and the stacks, and gives findings.

mod attempt_product_exceeded;
mod cap_below_initial;
mod deadline_exceeded;
mod deadline_inverted;
mod gives_up_early;
mod implicit_retries;
mod invalid_retry_value;
mod limit_without_effect;
mod missing_backoff;
mod missing_dead_letter;
mod missing_deadline;
mod missing_jitter;
mod permanent_failure_retried;
mod receives_spent_early;
mod retention_exceeded;
mod retry_after_ignored;
mod retry_unreachable;
mod retry_without_effect;
mod shrinking_backoff;
mod suspicious_unit;
mod unbounded_retries;
mod uncapped_backoff;
mod unknown_layer;
mod unreadable_config;
mod unsafe_retry;
mod unused_suppression;
mod visibility_window_exceeded;
mod visibility_window_tight;
mod words;

use crate::finding::{Finding, Severity};
use crate::model::Duration;
use crate::stack::Project;

/// A rule, with everything that its documentation says.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Kebab-case name, the only one it has.
    pub id: &'static str,
    /// How bad its findings are unless set otherwise; a single one may be milder.
    pub severity: Severity,
    /// Off unless asked for.
    pub pedantic: bool,
    /// What it is about.
    pub group: Group,
    /// What it reports, in a line.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// A file that it reports.
    pub bad: Example,
    /// The same, put right: nothing is reported.
    pub good: Example,
    /// How to fix it.
    pub fix: &'static str,
    /// What it needs to know for a finding; without it, it is silent.
    pub needs: &'static str,
    /// Finds.
    pub check: fn(&Project, &Limits, &mut Vec<Finding>),
}

/// What rules are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Time that does not fit.
    Budget,
    /// Windows that do not fit.
    Queue,
    /// More calls than meant.
    Load,
    /// Retries that cannot help, or can harm.
    Meaning,
    /// Values that do not mean what they say.
    Settings,
    /// The files and comments themselves.
    Housekeeping,
}

impl Group {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Queue => "queue",
            Self::Load => "load",
            Self::Meaning => "meaning",
            Self::Settings => "settings",
            Self::Housekeeping => "housekeeping",
        }
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Budget => "Budget: time that does not fit",
            Self::Queue => "Queue: windows that do not fit",
            Self::Load => "Load: more calls than meant",
            Self::Meaning => "Meaning: retries that cannot help, or can harm",
            Self::Settings => "Settings: values that do not mean what they say",
            Self::Housekeeping => "Housekeeping: the files and comments themselves",
        }
    }
}

/// Every rule, in the order of the documentation.
pub fn all() -> &'static [Rule] {
    &[
        deadline_exceeded::RULE,
        retry_unreachable::RULE,
        deadline_inverted::RULE,
        missing_deadline::RULE,
        unbounded_retries::RULE,
        visibility_window_exceeded::RULE,
        visibility_window_tight::RULE,
        retention_exceeded::RULE,
        receives_spent_early::RULE,
        missing_dead_letter::RULE,
        attempt_product_exceeded::RULE,
        missing_jitter::RULE,
        missing_backoff::RULE,
        uncapped_backoff::RULE,
        retry_after_ignored::RULE,
        implicit_retries::RULE,
        permanent_failure_retried::RULE,
        unsafe_retry::RULE,
        gives_up_early::RULE,
        limit_without_effect::RULE,
        retry_without_effect::RULE,
        invalid_retry_value::RULE,
        cap_below_initial::RULE,
        shrinking_backoff::RULE,
        suspicious_unit::RULE,
        unreadable_config::RULE,
        unused_suppression::RULE,
        unknown_layer::RULE,
    ]
}

/// The rules that say of some of their findings how the file is put right (`check --fix`).
const FIXABLE: &[&str] = &[
    deadline_exceeded::RULE.id,
    visibility_window_exceeded::RULE.id,
    visibility_window_tight::RULE.id,
    missing_jitter::RULE.id,
    cap_below_initial::RULE.id,
    unreadable_config::RULE.id,
];

impl Rule {
    /// Whether `check --fix` puts some of its findings right.
    pub fn can_fix(&self) -> bool {
        FIXABLE.contains(&self.id)
    }
}

/// A file of a rule's documentation; it is run as a test.
#[derive(Clone, Copy)]
pub struct Example {
    /// Its name, which decides how it is read.
    pub file: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// The retrylint.toml beside it, or "".
    pub config: &'static str,
}

/// `[limits]` of retrylint.toml.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest attempt product of a stack.
    pub attempt_product: u64,
    /// The longest single wait.
    pub single_wait: Duration,
    /// What a shipper should outlast.
    pub outage: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { attempt_product: 10, single_wait: Duration::from_secs(3600), outage: Duration::from_secs(300) }
    }
}

/// Runs of one rule for its tests.
#[cfg(test)]
mod samples {
    use super::{Limits, Rule};
    use crate::finding::Finding;
    use crate::model::{Duration, Policy};
    use crate::stack::{Project, samples::file};

    pub(super) const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    pub(super) fn check_project(rule: &Rule, project: &Project) -> Vec<Finding> {
        let mut findings = Vec::new();
        (rule.check)(project, &Limits::default(), &mut findings);
        findings
    }

    /// The only finding about a policy that is alone.
    pub(super) fn check_policy(rule: &Rule, policy: Policy) -> Option<Finding> {
        let project = Project { files: vec![file("a.yaml", vec![policy], vec![])], ..Project::default() };
        let mut findings = check_project(rule, &project);
        assert!(findings.len() <= 1, "{findings:?}");
        findings.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_kebab_case_and_unique() {
        let ids: BTreeSet<_> = all().iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), all().len());
        let kebab = |id: &str| {
            id.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
        };
        assert!(ids.iter().all(|id| kebab(id)), "{ids:?}");
    }
}
