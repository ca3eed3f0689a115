//! cap-below-initial

use super::words::{Evidence, Subject, Wording, accepted, change, is_exact_policy};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Change, Finding, Severity};
use crate::model::{Backoff, Bound, Duration, Growth, Origin, Policy, Setting};
use crate::schedule::{fit, schedule};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "cap-below-initial",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Settings,
    summary: "The longest wait is shorter than the first one: every wait is the longest.",
    why: "The ceiling holds from the first wait on. So the first wait and its growth, which somebody chose with \
          care, mean nothing, and all retries come at the pace of the ceiling.",
    bad: Example {
        file: "carrier.toml",
        text: r#"[carrier]
url = "https://carrier.example/api"
request_timeout = "2s"

[carrier.retry]
max_attempts = 4
initial_backoff = "10s"
multiplier = 2
max_backoff = "3s"
jitter = "full"
"#,
        config: "",
    },
    good: Example {
        file: "carrier.toml",
        text: r#"[carrier]
url = "https://carrier.example/api"
request_timeout = "2s"

[carrier.retry]
max_attempts = 4
initial_backoff = "1s"
multiplier = 2
max_backoff = "3s"
jitter = "full"
"#,
        config: "",
    },
    fix: "Raise the ceiling above the first wait, or lower the first wait. A unit left out is the usual cause.",
    needs: "The first wait and the ceiling of one wait.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(accepted(project).filter_map(|(file, policy, _)| of_policy(file, policy)));
}

/// How many times the ceiling a first wait is that was meant in another unit: minutes and seconds lie nearest.
const UNIT_LOST: u64 = 60;

fn of_policy(file: &ProjectFile, policy: &Policy) -> Option<Finding> {
    let backoff = &policy.backoff;
    let (cap, initial) = (backoff.cap.at()?, backoff.initial.at()?);
    let unread = matches!(backoff.growth, Growth::None | Growth::List(_) | Growth::Unknown);
    // what the system refuses or replaces is told of as such
    let refused = |origin: &Origin| {
        origin.place().is_some_and(|place| policy.faults.iter().any(|fault| fault.place.line == place.line))
    };
    if cap >= initial || unread || refused(&backoff.cap.origin) || refused(&backoff.initial.origin) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.number("the longest wait", &backoff.cap);
    evidence.number("the first wait", &backoff.initial);
    let wording = Wording {
        message: format!("the longest wait, {cap}, is below the first, {initial}: every wait is {cap}"),
        label: format!("below the first wait of {initial}"),
        help: format!(
            "Raise the longest wait to at least {initial}, or lower the first wait to {cap} or less."
        ),
    };
    // so far apart one of them has lost its unit, and which one only a person can say
    let near = initial < cap.times(UNIT_LOST) && is_exact_policy(policy) && settles(policy, initial);
    let fix = near.then(|| change(&backoff.cap, Change::Time { from: cap, to: initial })).flatten();
    let finding =
        Subject::policy(file, policy).at(backoff.cap.origin.place()).finding(&RULE, wording, evidence);
    Some(Finding { fix, ..finding })
}

/// A ceiling at the first wait leaves no multiplier idle that is written beside it, and the waits fit into the
/// deadline.
fn settles(policy: &Policy, initial: Duration) -> bool {
    let under = |bound| {
        let cap = Setting::new(bound, policy.backoff.cap.origin.clone());
        Policy { backoff: Backoff { cap, ..policy.backoff.clone() }, ..policy.clone() }
    };
    let raised = under(Bound::At(initial));
    let idle = || schedule(&raised).waits != schedule(&under(Bound::Unlimited)).waits;
    !(policy.backoff.multiplier.is_written() && idle()) && fit::shortfall(&raised).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fault, Ratio};
    use crate::rule::samples::{check_policy, secs};
    use crate::stack::samples::{line, policy};

    fn capped(initial: u64, cap: u64) -> Policy {
        Policy {
            backoff: Backoff {
                growth: Growth::Exponential,
                initial: Setting::written(secs(initial), line(6)),
                cap: Setting::written(secs(cap), line(8)),
                ..Backoff::none("")
            },
            ..policy("p", "/p")
        }
    }

    #[test]
    fn a_ceiling_under_the_first_wait_is_told_of_at_the_ceiling() {
        let finding = check_policy(&RULE, capped(10, 3)).unwrap();
        assert_eq!(finding.message, "the longest wait, 3 s, is below the first, 10 s: every wait is 3 s");
        assert_eq!(finding.place, line(8));
        assert_eq!(finding.related.len(), 1, "the ceiling itself is the place");
    }

    #[test]
    fn the_ceiling_is_raised_where_that_leaves_nothing_idle_and_the_waits_fit() {
        let fixed = |change: fn(&mut Policy)| {
            let mut policy = capped(10, 3);
            policy.attempts = Setting::written(4, line(4));
            policy.backoff.multiplier = Setting::written(Ratio::ONE, line(7));
            change(&mut policy);
            check_policy(&RULE, policy).unwrap().fix.is_some()
        };
        assert!(fixed(|_| {}));
        assert!(fixed(|policy| policy.backoff.growth = Growth::Constant));
        assert!(!fixed(|policy| policy.backoff.multiplier = Setting::written(Ratio::new(2, 1), line(7))));
        assert!(fixed(|policy| {
            policy.backoff.growth = Growth::Fibonacci;
            policy.backoff.multiplier = Setting::default(Ratio::ONE, "the growth of its own");
        }));
        let once = |policy: &mut Policy| {
            policy.attempts = Setting::written(2, line(4));
            policy.backoff.multiplier = Setting::written(Ratio::new(2, 1), line(7));
        };
        assert!(fixed(once), "a single wait does not grow");
        assert!(!fixed(|policy| policy.deadline = Setting::written(secs(29), line(2))), "3 waits of 10 s");
        assert!(fixed(|policy| policy.deadline = Setting::written(secs(31), line(2))));
    }

    #[test]
    fn equal_waits_lists_and_refused_values_are_silent() {
        assert_eq!(check_policy(&RULE, capped(3, 3)), None);
        let mut list = capped(10, 3);
        list.backoff.growth = Growth::List(vec![secs(10)]);
        assert_eq!(check_policy(&RULE, list), None);
        let mut refused = capped(10, 3);
        refused.faults.push(Fault {
            place: line(8),
            pointer: "/p/cap".into(),
            what: "cap: 3s".into(),
            hidden: None,
            effect: "it is refused".into(),
            help: None,
            refused: true,
            lenient: false,
        });
        assert_eq!(check_policy(&RULE, refused), None);
    }
}
