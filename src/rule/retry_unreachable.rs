//! retry-unreachable

use super::words::{Evidence, Subject, Wording, accepted, at_its_tightest, counted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Duration, Pacing, Policy};
use crate::schedule::{Schedule, fit};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "retry-unreachable",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Budget,
    summary: "A retry can never start, because the time is used up before.",
    why: "A retry that the deadline always forestalls protects from nothing. Where a single attempt may use up \
          the whole deadline, there is no retry after the failures that hurt most: the slow ones.",
    bad: Example {
        file: "search.toml",
        text: r#"[search]
endpoint = "http://search:9200"
attempt_timeout = "10s"
total_timeout = "10s"

[search.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    good: Example {
        file: "search.toml",
        text: r#"[search]
endpoint = "http://search:9200"
attempt_timeout = "3s"
total_timeout = "10s"

[search.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    fix: "Give one attempt only a part of the deadline, wait less between attempts, raise the deadline, or take \
          the retries away that never start.",
    needs: "The deadline and the number of attempts, and either the attempt timeout or the smallest waits. Where nothing bounds an attempt: that the file writes the deadline, and asks for a retry of what timed out.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings
        .extend(accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule)));
}

pub(super) fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule) -> Option<Finding> {
    let (policy, whose) = &at_its_tightest(policy);
    let deadline = policy.deadline.at()?;
    let retries = policy.attempts.at().map(|attempts| attempts.saturating_sub(1));
    if retries == Some(0) || policy.attempts.is_unknown() {
        return None;
    }
    // an endless policy is meant to be ended by its deadline
    let started = fit::attempts_started(policy, Duration::ZERO).at();
    if started.is_some_and(|started| started <= 1) && fit::shortfall(policy).is_some() {
        return None; // that no more than one attempt fits, deadline-exceeded says
    }
    let first_late = started.zip(retries).filter(|(started, retries)| started <= retries);
    let slow =
        policy.attempt_timeout.at().filter(|time| *time >= deadline && policy.pacing == Pacing::AfterFailure);

    let mut evidence = Evidence::of(&file.path);
    let wording = match (first_late, slow) {
        (Some((started, retries)), _) if started <= 1 => {
            evidence.waits(policy, schedule);
            late(started.max(1), retries, deadline)
        }
        (_, Some(timeout)) => {
            evidence.number("the attempt timeout", &policy.attempt_timeout);
            Wording {
                message: format!(
                    "one attempt may take {timeout}, and the deadline{whose} is {deadline}: no retry follows an attempt that times out"
                ),
                label: "its retries follow fast failures only".into(),
                help: format!(
                    "Lower the attempt timeout well below {deadline}, or raise the deadline above {timeout}."
                ),
            }
        }
        (Some((started, retries)), None) => {
            evidence.waits(policy, schedule);
            late(started, retries, deadline)
        }
        (None, None) => return of_unended(file, policy, deadline, whose),
    };
    evidence.value("attempts", &policy.attempts);
    evidence.number(&format!("the deadline{whose}"), &policy.deadline);
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

/// The file asks for a retry of what timed out, and only the deadline ends an attempt: its retries follow what
/// fails faster. That is what many mean, so it is a note.
fn of_unended(file: &ProjectFile, policy: &Policy, deadline: Duration, whose: &str) -> Option<Finding> {
    let asked = policy.retries_timeouts?;
    let unended = policy.attempt_timeout.is_unlimited() && policy.faults.is_empty();
    if !(unended && policy.deadline.is_written()) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.label(asked, "this retries what timed out, too".into());
    evidence.value("the attempt timeout", &policy.attempt_timeout);
    evidence.number(&format!("the deadline{whose}"), &policy.deadline);
    let wording = Wording {
        message: format!(
            "only the deadline of {deadline} ends an attempt that hangs, and no retry follows it"
        ),
        label: "its retries follow faster failures only".into(),
        help: format!("Give each attempt a timeout of its own, well below {deadline}."),
    };
    let finding = Subject::policy(file, policy).finding(&RULE, wording, evidence);
    Some(Finding { severity: Severity::Note, ..finding })
}

/// The least waits alone reach the deadline before this retry.
fn late(first: u64, retries: u64, deadline: Duration) -> Wording {
    let which = match (first, retries) {
        (_, 1) => "the retry".to_string(),
        (1, _) => format!("all {}", counted(retries, "retrie")),
        (first, last) if first == last => format!("retry {first}"),
        (first, last) => format!("retries {first} to {last}"),
    };
    Wording {
        message: format!("{which} can never start: the waits before use up the deadline of {deadline}"),
        label: match first {
            1 => "no retry starts in time".into(),
            first => format!(
                "{} in time",
                if first == 2 { "1 retry starts".into() } else { format!("{} retries start", first - 1) }
            ),
        },
        help: format!(
            "Make {}, wait less between them, or raise the deadline of {deadline}.",
            if first == 1 { "no retries".into() } else { format!("{} at most", counted(first, "attempt")) }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Backoff, DeadlineEffect, Growth, Setting};
    use crate::rule::samples::{check_policy, secs};
    use crate::stack::samples::{line, policy};

    fn waiting(attempts: u64, wait: u64, timeout: Option<u64>, deadline: u64) -> Policy {
        Policy {
            attempts: Setting::written(attempts, line(4)),
            attempt_timeout: timeout.map_or_else(
                || Setting::unknown("an expression", None),
                |time| Setting::written(secs(time), line(5)),
            ),
            deadline: Setting::written(secs(deadline), line(2)),
            backoff: Backoff {
                growth: Growth::Constant,
                initial: Setting::written(secs(wait), line(6)),
                ..Backoff::none("")
            },
            ..policy("p", "/p")
        }
    }

    #[test]
    fn no_retry_follows_an_attempt_that_takes_the_whole_deadline() {
        let finding = check_policy(&RULE, waiting(3, 0, Some(900), 900)).unwrap();
        assert_eq!(
            finding.message,
            "one attempt may take 15 min, and the deadline is 15 min: no retry follows an attempt that times out"
        );
        assert_eq!(check_policy(&RULE, waiting(3, 0, Some(899), 900)), None);
    }

    #[test]
    fn least_waits_that_reach_the_deadline_say_from_which_retry_on() {
        let finding = check_policy(&RULE, waiting(5, 4, None, 10)).unwrap();
        assert_eq!(
            finding.message,
            "retries 3 to 4 can never start: the waits before use up the deadline of 10 s"
        );
        assert!(finding.help.starts_with("Make 3 attempts at most"), "{}", finding.help);
        let finding = check_policy(&RULE, waiting(4, 5, None, 10)).unwrap();
        assert_eq!(
            finding.message,
            "retries 2 to 3 can never start: the waits before use up the deadline of 10 s"
        );
        let finding = check_policy(&RULE, waiting(2, 10, None, 10)).unwrap();
        assert_eq!(
            finding.message,
            "the retry can never start: the waits before use up the deadline of 10 s"
        );
        assert_eq!(check_policy(&RULE, waiting(3, 4, None, 10)), None);
    }

    #[test]
    fn an_unknown_attempt_timeout_an_endless_policy_and_a_single_attempt_are_silent() {
        assert_eq!(check_policy(&RULE, waiting(3, 0, None, 1)), None);
        assert_eq!(check_policy(&RULE, waiting(1, 0, Some(9), 1)), None);
        let endless = Policy { attempts: Setting::unlimited("its default"), ..waiting(1, 4, Some(1), 10) };
        assert_eq!(check_policy(&RULE, endless), None);
    }

    #[test]
    fn a_deadline_before_all_retries_is_told_of_once() {
        assert_eq!(check_policy(&RULE, waiting(3, 1, Some(1), 0)), None, "deadline-exceeded has it");
        assert!(check_policy(&RULE, waiting(3, 0, None, 0)).is_some(), "and only this rule has it here");
        assert_eq!(
            check_policy(&RULE, waiting(3, 20, None, 10)),
            None,
            "no retry fits, deadline-exceeded says"
        );
        assert!(check_policy(&RULE, waiting(3, 5, None, 10)).is_some(), "one does");
    }

    #[test]
    fn a_retry_of_timeouts_that_nothing_but_the_deadline_brings_about_is_a_note() {
        let hanging = Policy {
            attempt_timeout: Setting::unlimited("Istio's default"),
            retries_timeouts: Some(line(7)),
            ..waiting(3, 0, None, 10)
        };
        let finding = check_policy(&RULE, hanging.clone()).unwrap();
        assert_eq!(
            finding.message,
            "only the deadline of 10 s ends an attempt that hangs, and no retry follows it"
        );
        assert_eq!(finding.severity, Severity::Note);
        let unasked = Policy { retries_timeouts: None, ..hanging.clone() };
        assert_eq!(check_policy(&RULE, unasked), None, "only faster failures are retried");
        let default = Policy { deadline: Setting::default(secs(15), "Envoy's default"), ..hanging.clone() };
        assert_eq!(check_policy(&RULE, default), None, "nobody wrote the deadline");
        let unknown = Policy { attempt_timeout: Setting::unknown("an expression", None), ..hanging };
        assert_eq!(check_policy(&RULE, unknown), None);
    }

    #[test]
    fn hedged_attempts_start_beside_a_slow_one() {
        let hedged = Policy { pacing: Pacing::Hedged, ..waiting(3, 1, Some(9), 5) };
        assert_eq!(check_policy(&RULE, hedged), None);
    }

    #[test]
    fn where_only_retries_are_cut_the_first_attempt_runs_whatever_the_deadline() {
        let argo = Policy { deadline_effect: DeadlineEffect::CutsRetries, ..waiting(2, 10, None, 10) };
        let finding = check_policy(&RULE, argo.clone()).unwrap();
        assert!(finding.help.starts_with("Make no retries"), "{}", finding.help);
        let later = Policy { deadline: Setting::written(secs(11), line(2)), ..argo };
        assert_eq!(check_policy(&RULE, later), None);
    }
}
