//! deadline-exceeded

use super::words::{
    Evidence, Subject, Wording, accepted, at_its_tightest, change, counted, is_exact_policy, stack_evidence,
};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Change, Finding, Fix, Severity};
use crate::model::{Bound, Duration, Pacing, Policy};
use crate::schedule::Schedule;
use crate::schedule::fit::{self, Fitting, UnknownTime};
use crate::stack::{Found, Project, ProjectFile, Stack};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "deadline-exceeded",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Budget,
    summary: "The attempts and waits need longer than the deadline that governs them.",
    why: "The deadline ends the operation before its attempts are used up. The retries that were configured \
          for bad days are then the ones that never happen, and a caller sees a timeout instead of the last error.",
    bad: Example {
        file: "orders.toml",
        text: r#"[orders]
url = "https://orders.example/api"
attempt_timeout = "2s"
total_timeout = "5s"

[orders.retry]
max_attempts = 4
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    good: Example {
        file: "orders.toml",
        text: r#"[orders]
url = "https://orders.example/api"
attempt_timeout = "2s"
total_timeout = "5s"

[orders.retry]
max_attempts = 2
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"
"#,
        config: "",
    },
    fix: "Make fewer attempts, give each of them less time, wait less in between, or raise the deadline. The \
          finding says how many attempts fit as it stands and what deadline all of them need.",
    needs: "The number of attempts, the deadline, and the attempt timeout or the waits; what is missing of the last two counts as no time. Of a stack: the demand of the whole, and its deadline or that of its outermost layer.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings
        .extend(accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule)));
    findings.extend(project.stacks.iter().filter_map(|stack| of_stack(project, stack)));
}

pub(super) fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule) -> Option<Finding> {
    let (policy, whose) = &at_its_tightest(policy);
    let attempts = policy.attempts.at().filter(|attempts| *attempts > 1)?;
    let deadline = policy.deadline.at()?;
    let short = fit::shortfall(policy)?;
    let need = deadline.plus(short);

    let timeout = policy.attempt_timeout.at();
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    if timeout.is_some() {
        evidence.number("the attempt timeout", &policy.attempt_timeout);
    } else {
        evidence.value("the attempt timeout", &policy.attempt_timeout);
    }
    evidence.waits(policy, schedule);
    let which = format!("the deadline{whose}");
    evidence.number(&which, &policy.deadline);
    let wording = Wording {
        message: message(policy, attempts, schedule.total_max, need, &which, deadline),
        label: format!("needs {need}, {short} more than there is"),
        help: help(policy, attempts, schedule.total_max.at(), need, &which, deadline),
    };
    let finding = Subject::policy(file, policy).finding(&RULE, wording, evidence.weighed());
    // what does not fit for some is not put right for all
    let fix = if whose.is_empty() { fewer(policy, schedule, deadline) } else { None };
    Some(Finding { fix, ..finding })
}

/// As many attempts as fit, where all numbers are known and one of them is still a retry.
fn fewer(policy: &Policy, schedule: &Schedule, deadline: Duration) -> Option<Fix> {
    policy.attempt_timeout.at()?;
    schedule.total_max.at()?;
    let (from, to) = (policy.attempts.at()?, fit::attempts_within(policy, deadline)?.least);
    let fits = to > 1 && is_exact_policy(policy);
    fits.then(|| change(&policy.attempts, Change::Attempts { from, to })).flatten()
}

fn message(
    policy: &Policy,
    attempts: u64,
    waits: Bound<Duration>,
    need: Duration,
    which: &str,
    deadline: Duration,
) -> String {
    let tries = counted(attempts, "attempt");
    let Some(timeout) = policy.attempt_timeout.at() else {
        let waits = waits.at().unwrap_or_default();
        let count = counted(attempts - 1, "wait");
        return match policy.pacing {
            Pacing::AfterFailure => {
                let add = if attempts == 2 { "adds" } else { "add" };
                format!("{count} {add} up to {waits}, more than {which} of {deadline}")
            }
            Pacing::StartToStart | Pacing::Hedged => {
                format!("{tries} start up to {waits} apart, more than {which} of {deadline}")
            }
        };
    };
    let what = match (policy.pacing, waits) {
        (_, Bound::At(Duration::ZERO)) => format!("{tries} of {timeout} need"),
        (Pacing::AfterFailure, Bound::At(waits)) => format!("{tries} of {timeout} and {waits} of waits need"),
        (_, Bound::At(waits)) => format!("{tries} of {timeout} that start up to {waits} apart need"),
        (_, _) => format!("{tries} of {timeout} alone need"),
    };
    format!("{what} {need}, but {which} is {deadline}")
}

fn help(
    policy: &Policy,
    attempts: u64,
    waits: Option<Duration>,
    need: Duration,
    which: &str,
    deadline: Duration,
) -> String {
    let timeout = policy.attempt_timeout.at();
    let within = fit::attempts_within(policy, deadline);
    let exact = within.is_some_and(|fitting| fitting.unknown.is_none());
    let fitting = match (within, timeout) {
        (Some(Fitting { most: 0, .. }), Some(timeout)) => {
            format!("Not even one attempt of {timeout} fits in {deadline}")
        }
        (Some(Fitting { most: 0, .. }), None) => "Nothing fits in no time".to_string(),
        (Some(fitting), _) => how_many(fitting, deadline),
        (None, _) => format!("Fewer attempts fit in {deadline}"),
    };
    // what is not known takes some time as well
    let (at_least, to) = if exact { ("to at least", "to") } else { ("above", "below") };
    let raise = format!("raise {which} {at_least} {need}");
    let spare = deadline.minus(waits.unwrap_or_default());
    let shorter = Duration::from_nanos(spare.nanos() / u128::from(attempts)).floor_millis();
    let lower = match timeout {
        Some(_) if policy.pacing == Pacing::AfterFailure && !shorter.is_zero() => {
            format!("lower the attempt timeout {to} {shorter}")
        }
        Some(_) => "lower the attempt timeout and the waits".to_string(),
        None => "shorten the waits".to_string(),
    };
    format!("{fitting}; to keep {}, {raise}, or {lower}.", counted(attempts, "attempt"))
}

/// "2 attempts fit in 5 s"; where a number that goes into it is a bound only, so is this one.
fn how_many(fitting: Fitting, deadline: Duration) -> String {
    let Fitting { least, most, unknown } = fitting;
    let many = |count| {
        format!("{} {} in {deadline}", counted(count, "attempt"), if count == 1 { "fits" } else { "fit" })
    };
    match unknown {
        Some(UnknownTime::Attempt) => {
            format!("At most {} (how long one takes is not known)", many(most))
        }
        Some(UnknownTime::Waits) => format!("At most {} (the waits are not known)", many(most)),
        None if least == most => many(least),
        None if least == 0 => {
            format!("At most {}, and none where the jitter makes the waits long", many(most))
        }
        None => format!("At most {}, and only {least} where the jitter makes the waits long", many(most)),
    }
}

pub(super) fn of_stack(project: &Project, stack: &Stack) -> Option<Finding> {
    let (need, deadline) = (stack.demand.at()?, stack.deadline.at()?);
    if need <= deadline || told_of_a_layer(project, stack) {
        return None;
    }
    let mut evidence = stack_evidence(project, stack);
    if let Some(Found::Policy(file, ..)) = outermost(project, stack) {
        evidence.turn_to(&file.path);
    }
    evidence.number("the deadline of the stack", &stack.deadline);
    let wording = Wording {
        message: format!("the stack {} needs {need} in all, but its deadline is {deadline}", stack.name),
        label: format!("the innermost layer of {}", stack.name),
        help: format!(
            "Raise the deadline to at least {need}, {} more; or lower attempts, attempt timeouts and waits of {}.",
            need.minus(deadline),
            costliest(stack)
        ),
    };
    Some(Subject::stack(project, stack)?.finding(&RULE, wording, evidence.weighed()))
}

/// A layer has the same deadline, and by itself is over it.
fn told_of_a_layer(project: &Project, stack: &Stack) -> bool {
    stack.layers.iter().any(|layer| match project.found(layer.source) {
        Some(Found::Policy(file, policy, schedule)) => {
            policy.deadline == stack.deadline && of_policy(file, policy, schedule).is_some()
        }
        _ => false,
    })
}

fn outermost<'p>(project: &'p Project, stack: &Stack) -> Option<Found<'p>> {
    project.found(stack.layers.first()?.source)
}

/// The layer that makes the most attempts.
fn costliest(stack: &Stack) -> &str {
    let layers = stack.layers.iter().rev();
    layers.max_by_key(|layer| layer.attempts.at()).map_or("its layers", |layer| &layer.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Backoff, Growth, Ratio, Setting};
    use crate::rule::samples::{check_policy, check_project, secs};
    use crate::stack::samples::{file, line, policy};
    use crate::stack::{DeclaredLayer, DeclaredStack, Selector, build};

    /// 4 attempts of 2 s with waits of 25, 50 and 100 ms within 5 s.
    fn payments() -> Policy {
        Policy {
            attempts: Setting::written(4, line(4)),
            attempt_timeout: Setting::written(secs(2), line(5)),
            deadline: Setting::written(secs(5), line(2)),
            backoff: Backoff {
                growth: Growth::Exponential,
                initial: Setting::default(Duration::from_millis(25), "Istio's default"),
                multiplier: Setting::default(Ratio::new(2, 1), "Istio's default"),
                ..Backoff::none("Istio's default")
            },
            ..policy("payments", "/retries")
        }
    }

    #[test]
    fn attempts_and_waits_over_the_deadline_are_reported_with_what_fits() {
        let finding = check_policy(&RULE, payments()).unwrap();
        assert_eq!(
            finding.message,
            "4 attempts of 2 s and 175 ms of waits need 8.175 s, but the deadline is 5 s"
        );
        assert_eq!(
            finding.help,
            "2 attempts fit in 5 s; to keep 4 attempts, raise the deadline to at least 8.175 s, or lower the \
             attempt timeout to 1.206 s."
        );
        assert_eq!(finding.label, "needs 8.175 s, 3.175 s more than there is");
        assert_eq!(finding.severity, Severity::Error);
        let related: Vec<_> = finding.related.iter().map(|label| label.message.as_str()).collect();
        assert_eq!(related, ["attempts: 4", "the attempt timeout: 2 s", "the deadline: 5 s"]);
        assert_eq!(finding.notes[0], "the waits: up to 100 ms (Istio's default)");
    }

    #[test]
    fn what_just_fits_is_silent() {
        let deadline = Setting::written(Duration::from_millis(8_175), line(2));
        assert_eq!(check_policy(&RULE, Policy { deadline, ..payments() }), None);
    }

    #[test]
    fn an_unknown_attempt_timeout_counts_as_none() {
        let backoff = Backoff {
            growth: Growth::Exponential,
            initial: Setting::written(secs(10), line(6)),
            multiplier: Setting::written(Ratio::new(2, 1), line(7)),
            ..Backoff::none("")
        };
        let job = Policy {
            attempts: Setting::written(7, line(4)),
            attempt_timeout: Setting::unknown("nothing bounds a run", None),
            deadline: Setting::written(secs(200), line(2)),
            backoff,
            ..payments()
        };
        let finding = check_policy(&RULE, job).unwrap();
        assert_eq!(finding.message, "6 waits add up to 10 min 30 s, more than the deadline of 3 min 20 s");
        assert!(
            finding
                .help
                .starts_with("At most 5 attempts fit in 3 min 20 s (how long one takes is not known);"),
            "{}",
            finding.help
        );
    }

    #[test]
    fn attempts_alone_may_be_too_long_where_the_waits_are_not_known() {
        let finding =
            check_policy(&RULE, Policy { backoff: Backoff::unknown("no wait is written"), ..payments() })
                .unwrap();
        assert_eq!(finding.message, "4 attempts of 2 s alone need 8 s, but the deadline is 5 s");
    }

    #[test]
    fn hedged_attempts_overlap() {
        let backoff = Backoff {
            growth: Growth::Constant,
            initial: Setting::written(secs(1), line(6)),
            ..Backoff::none("")
        };
        let hedged = Policy { pacing: Pacing::Hedged, backoff, ..payments() };
        assert_eq!(check_policy(&RULE, hedged.clone()), None, "3 × 1 s + 2 s");
        let deadline = Setting::written(secs(4), line(2));
        let finding = check_policy(&RULE, Policy { deadline, ..hedged }).unwrap();
        assert_eq!(
            finding.message,
            "4 attempts of 2 s that start up to 3 s apart need 5 s, but the deadline is 4 s"
        );
    }

    #[test]
    fn a_single_attempt_and_endless_ones_are_silent() {
        let once = Setting::written(1, line(4));
        assert_eq!(
            check_policy(
                &RULE,
                Policy { attempts: once, deadline: Setting::written(secs(1), line(2)), ..payments() }
            ),
            None
        );
        let endless = Setting::unlimited("whoever's default");
        assert_eq!(check_policy(&RULE, Policy { attempts: endless, ..payments() }), None);
    }

    #[test]
    fn assumptions_and_mere_defaults_are_warnings() {
        let assumed = |time| {
            Setting::new(
                Bound::At(time),
                crate::model::Origin::Assumed("a bare number".into(), Some(line(2))),
            )
        };
        let finding = check_policy(&RULE, Policy { deadline: assumed(secs(5)), ..payments() }).unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(finding.related[2].message, "the deadline: 5 s (assumed: a bare number)");
        let guess = Policy { deadline: assumed(secs(5)), attempt_timeout: assumed(secs(2)), ..payments() };
        assert_eq!(check_policy(&RULE, guess).unwrap().severity, Severity::Note, "no time is certain");
        let fallback = |time, at| {
            let why = "the default of a parameter".into();
            Setting::new(Bound::At(time), crate::model::Origin::Fallback(why, line(at)))
        };
        let parameters =
            Policy { deadline: fallback(secs(5), 2), attempt_timeout: fallback(secs(2), 3), ..payments() };
        assert_eq!(check_policy(&RULE, parameters).unwrap().severity, Severity::Warning, "they are written");
        let finding = check_policy(
            &RULE,
            Policy {
                deadline: Setting::default(secs(5), "Envoy's default"),
                attempt_timeout: Setting::default(secs(2), "Envoy's default"),
                ..payments()
            },
        );
        assert_eq!(finding.unwrap().severity, Severity::Warning, "the written count stands aside");
    }

    fn stack(deadline: Option<Duration>) -> DeclaredStack {
        let at = |pointer: &str| {
            let policy = Some(pointer.to_string());
            DeclaredLayer::Policy(Selector { file: "a.yaml".into(), policy, place: line(9) })
        };
        DeclaredStack {
            name: "shop".into(),
            place: line(8),
            deadline,
            max_attempts: None,
            layers: vec![at("/outer"), at("/inner")],
        }
    }

    fn layers(outer_deadline: Option<Duration>) -> Vec<Policy> {
        let deadline =
            outer_deadline.map_or_else(|| Setting::unlimited("nothing"), |at| Setting::written(at, line(2)));
        let outer =
            Policy { deadline, attempt_timeout: Setting::unlimited("nothing"), ..policy("web", "/outer") };
        let outer = Policy { attempts: Setting::written(2, line(3)), ..outer };
        let inner = Policy {
            deadline: Setting::unlimited("nothing"),
            pointer: "/inner".into(),
            place: line(7),
            ..payments()
        };
        vec![outer, inner]
    }

    #[test]
    fn a_stack_is_judged_by_what_all_of_it_needs_and_told_of_at_its_innermost_policy() {
        let project = build(vec![file("a.yaml", layers(None), vec![])], &[stack(Some(secs(3)))]);
        let findings = check_project(&RULE, &project);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "the stack shop needs 16.35 s in all, but its deadline is 3 s");
        assert_eq!((findings[0].place, findings[0].pointer.as_str()), (line(7), "/inner"));
        assert_eq!(findings[0].severity, Severity::Error);
    }

    #[test]
    fn a_stack_with_the_deadline_of_an_outermost_layer_that_is_over_it_by_itself_is_one_finding() {
        let mut policies = layers(Some(secs(5)));
        let project = build(vec![file("a.yaml", policies.clone(), vec![])], &[stack(None)]);
        assert_eq!(
            check_project(&RULE, &project)[0].message,
            "the stack shop needs 16.35 s in all, but its deadline is 5 s"
        );
        policies[0].attempt_timeout = Setting::written(secs(9), line(4));
        let project = build(vec![file("a.yaml", policies, vec![])], &[stack(None)]);
        let findings = check_project(&RULE, &project);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].pointer, "/outer");
    }
}
