//! suspicious-unit

use super::words::{Evidence, Subject, Wording, policies};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::notation::{self, Unit};
use crate::model::{BareNumber, Doubt, Duration, Policy};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "suspicious-unit",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Settings,
    summary: "A number that is only plausible in another unit, or numbers that no unit makes plausible.",
    why: "30 under a key that ends in _ms gives every attempt 30 ms, and all of them fail; 5000 under one that ends in _seconds waits for more than an hour.",
    bad: Example {
        file: "stock.toml",
        text: r#"[stock]
url = "http://stock:8080"
timeout_ms = 30
deadline_seconds = 60
max_retries = 2
retry_delay_ms = 250
jitter = "full"
"#,
        config: "",
    },
    good: Example {
        file: "stock.toml",
        text: r#"[stock]
url = "http://stock:8080"
timeout_ms = 3000
deadline_seconds = 60
max_retries = 2
retry_delay_ms = 250
jitter = "full"
"#,
        config: "",
    },
    fix: "Write the number in the unit of its key, or a duration with a unit of its own.",
    needs: "A number, and the unit that its key gives it; or two numbers of a policy without a unit.",
    check,
};

/// Timeouts of remote calls and waits between them lie between these, nearly always.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(50);
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_secs(3600);

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for (file, policy, _) in policies(project) {
        findings.extend(policy.bare_numbers.iter().filter_map(|number| of_number(file, policy, number)));
    }
}

/// Whether a number of a policy is likely to be of another unit.
pub(super) fn is_in(policy: &Policy) -> bool {
    policy.bare_numbers.iter().any(|number| wording(number).is_some())
}

/// The time that was likely meant, where another unit makes it plausible.
fn meant(number: &str, unit: Unit, time: Duration, is_timeout: bool) -> Option<Duration> {
    let shortest = if is_timeout { SHORTEST_TIMEOUT } else { SHORTEST_WAIT };
    let other = match time {
        time if time.is_zero() => return None,
        time if time < shortest => larger(unit)?,
        time if time > LONGEST => smaller(unit)?,
        _ => return None,
    };
    notation::with_unit(number, other).ok().filter(|time| (shortest..=LONGEST).contains(time))
}

fn of_number(file: &ProjectFile, policy: &Policy, number: &BareNumber) -> Option<Finding> {
    let subject = Subject::policy(file, policy).at(Some(number.place)).pointing_to(&number.pointer);
    Some(subject.finding(&RULE, wording(number)?, Evidence::of(&file.path)))
}

fn wording(number: &BareNumber) -> Option<Wording> {
    let written = &number.written;
    Some(match &number.doubt {
        Doubt::Magnitude { number, unit, time, is_timeout } => {
            let meant = meant(number, *unit, *time, *is_timeout)?;
            let what = if *is_timeout { "a timeout" } else { "a wait" };
            Wording {
                message: format!("{written} is {what} of {time}; {meant} would be plausible"),
                label: format!("{meant}?"),
                help: format!(
                    "Write the number in the unit of its key, or the duration with a unit of its own, as \"{}\".",
                    meant.to_string().replace(' ', "")
                ),
            }
        }
        Doubt::TwoUnits { time } => Wording {
            message: format!("{written} is {time}, and its key speaks of another unit"),
            label: "two units".into(),
            help: "Write the number in the unit of its key, or take the unit out of the key.".into(),
        },
        Doubt::Apart { other } => Wording {
            message: format!("{written} and {other} have no unit, and none makes both of them plausible"),
            label: "in which unit?".into(),
            help: "Write the unit with each of them, in the key (`timeout_ms`) or in the value (\"30s\")."
                .into(),
        },
    })
}

/// The unit that people take this one for when the time is too short.
fn larger(unit: Unit) -> Option<Unit> {
    match unit {
        Unit::Nanos | Unit::Micros => Some(Unit::Millis),
        Unit::Millis => Some(Unit::Seconds),
        _ => None,
    }
}

/// The same when it is too long.
fn smaller(unit: Unit) -> Option<Unit> {
    match unit {
        Unit::Seconds => Some(Unit::Millis),
        Unit::Minutes | Unit::Hours | Unit::Days => Some(Unit::Seconds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::check_policy;
    use super::*;
    use crate::stack::samples::{line, policy};

    fn with(number: &str, unit: Unit, is_timeout: bool) -> Policy {
        let bare = BareNumber {
            place: line(3),
            pointer: "/stock/x".into(),
            written: format!("x: {number}"),
            doubt: Doubt::Magnitude {
                number: number.into(),
                unit,
                time: notation::with_unit(number, unit).expect("a time"),
                is_timeout,
            },
        };
        Policy { bare_numbers: vec![bare], ..policy("stock", "/stock") }
    }

    #[test]
    fn numbers_of_another_magnitude_are_reported_with_what_was_likely_meant() {
        for (number, unit, is_timeout, message) in [
            ("30", Unit::Millis, true, "x: 30 is a timeout of 30 ms; 30 s would be plausible"),
            ("5000", Unit::Seconds, false, "x: 5000 is a wait of 1 h 23 min 20 s; 5 s would be plausible"),
            ("2", Unit::Millis, false, "x: 2 is a wait of 2 ms; 2 s would be plausible"),
        ] {
            assert_eq!(
                check_policy(&RULE, with(number, unit, is_timeout)).expect("a finding").message,
                message
            );
        }
    }

    #[test]
    fn a_number_that_has_no_unit_in_common_with_another_is_reported_beside_it() {
        let Policy { mut bare_numbers, .. } = with("30", Unit::Seconds, true);
        bare_numbers[0].doubt = Doubt::Apart { other: "y: 1000".into() };
        let finding = check_policy(&RULE, Policy { bare_numbers, ..policy("stock", "/stock") });
        assert_eq!(
            finding.expect("a finding").message,
            "x: 30 and y: 1000 have no unit, and none makes both of them plausible"
        );
    }

    #[test]
    fn plausible_numbers_and_those_that_no_unit_makes_plausible_are_not() {
        for (number, unit, is_timeout) in [
            ("100", Unit::Millis, true),
            ("10", Unit::Millis, false),
            ("0", Unit::Millis, true),
            ("600", Unit::Seconds, true),
            ("86400000", Unit::Seconds, false),
        ] {
            assert_eq!(check_policy(&RULE, with(number, unit, is_timeout)), None, "{number}");
        }
    }
}
