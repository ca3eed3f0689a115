//! One file for each rule. A rule sees the model and the stacks, and gives findings.

use crate::finding::{Finding, Severity};
use crate::model::Duration;
use crate::stack::Project;

/// A rule, with everything that its documentation says.
pub struct Rule {
    /// Kebab-case name, the only one it has.
    pub id: &'static str,
    /// How bad its findings are unless set otherwise; a single one may be milder.
    pub severity: Severity,
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
    /// Finds.
    pub check: fn(&Project, &Limits, &mut Vec<Finding>),
}

/// A file of a rule's documentation; it is run as a test.
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
