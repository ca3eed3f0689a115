//! missing-jitter

use super::words::{Evidence, Subject, Wording, accepted, is_sound, waits_in_time};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Change, Finding, Fix, Severity};
use crate::model::{Bound, Duration, Jitter, Layer, Pacing, Policy, Switch};
use crate::schedule::{Schedule, Wait};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "missing-jitter",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Load,
    summary: "Every client waits the same times, and all of them come back together.",
    why: "What failed together is retried together: after an outage each wave of retries arrives within an \
          instant, and can take down what has just come up. Schedules that wait for an hour or more before every \
          retry are none of it: a mail or a payment that is tried again tomorrow is picked up by whatever works off \
          what is due, at its own pace.",
    bad: Example {
        file: "mail.toml",
        text: r#"[mail]
url = "https://mail.example/send"
request_timeout = "2s"

[mail.retry]
max_attempts = 4
initial_backoff = "250ms"
multiplier = 2
max_backoff = "2s"
"#,
        config: "",
    },
    good: Example {
        file: "mail.toml",
        text: r#"[mail]
url = "https://mail.example/send"
request_timeout = "2s"

[mail.retry]
max_attempts = 4
initial_backoff = "250ms"
multiplier = 2
max_backoff = "2s"
jitter = "full"
"#,
        config: "",
    },
    fix: "Turn the system's jitter on; full jitter, anything between nothing and the computed wait, spreads best.",
    needs: "The waits, that they are not scattered, and that the system has a setting for it.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    findings
        .extend(accepted(project).filter_map(|(file, policy, schedule)| of_policy(file, policy, schedule)));
}

fn of_policy(file: &ProjectFile, policy: &Policy, schedule: &Schedule) -> Option<Finding> {
    let spoken_of = matches!(policy.layer, Layer::Client | Layer::Proxy | Layer::Queue | Layer::Workflow);
    let unscattered = policy.backoff.jitter.bound == Bound::At(Jitter::None) && policy.backoff.can_jitter;
    if !(policy.written && spoken_of && unscattered && policy.pacing == Pacing::AfterFailure) {
        return None;
    }
    let waits = waits_in_time(policy, schedule).unwrap_or_default();
    if waits.iter().all(|wait| wait.max.is_zero() || wait.max >= UNHURRIED) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.waits(policy, schedule);
    let wording = Wording {
        message: format!("all clients wait exactly {} and come back together", listed(waits)),
        label: "without jitter".into(),
        help: "Scatter the waits with the jitter setting; anything between nothing and the computed wait spreads best."
            .into(),
    };
    let finding = Subject::policy(file, policy).finding(&RULE, wording, evidence);
    Some(Finding { fix: policy.backoff.switch.as_ref().filter(|_| is_sound(policy)).map(turn_on), ..finding })
}

fn turn_on(switch: &Switch) -> Fix {
    let change = match &switch.key {
        Some(key) => Change::Add { key: key.clone(), word: switch.word },
        None => Change::Word(switch.word),
    };
    Fix { place: switch.place, change }
}

/// From here on a wait is an entry in a schedule, and no client sits it out.
const UNHURRIED: Duration = Duration::from_secs(3600);

/// How many waits are shown.
const SHOWN: usize = 4;

/// "100 ms", where all are alike, else "100 ms, 200 ms, 400 ms, …".
fn listed(waits: &[Wait]) -> String {
    match waits {
        [first, rest @ ..] if rest.iter().all(|wait| wait == first) => first.max.to_string(),
        _ => {
            let shown: Vec<_> = waits.iter().take(SHOWN).map(|wait| wait.max.to_string()).collect();
            format!("{}{}", shown.join(", "), if waits.len() > SHOWN { ", …" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Backoff, Growth, Ratio, Setting};
    use crate::rule::samples::check_policy;
    use crate::stack::samples::{line, policy};

    fn doubling() -> Policy {
        Policy {
            attempts: Setting::written(6, line(4)),
            backoff: Backoff {
                growth: Growth::Exponential,
                initial: Setting::written(Duration::from_millis(250), line(6)),
                multiplier: Setting::written(Ratio::new(2, 1), line(7)),
                can_jitter: true,
                ..Backoff::none("")
            },
            ..policy("p", "/p")
        }
    }

    #[test]
    fn exact_waits_are_reported() {
        let finding = check_policy(&RULE, doubling()).unwrap();
        assert_eq!(
            finding.message,
            "all clients wait exactly 250 ms, 500 ms, 1 s, 2 s, … and come back together"
        );
        let mut fixed = doubling();
        fixed.backoff.growth = Growth::Constant;
        assert_eq!(
            check_policy(&RULE, fixed).unwrap().message,
            "all clients wait exactly 250 ms and come back together"
        );
    }

    #[test]
    fn waits_of_an_hour_and_more_are_schedules_and_any_shorter_one_is_not() {
        let starting = |secs| {
            let mut policy = doubling();
            policy.backoff.initial = Setting::written(Duration::from_secs(secs), line(6));
            check_policy(&RULE, policy)
        };
        assert_eq!(starting(3600), None);
        assert!(starting(3599).is_some());
    }

    #[test]
    fn jitter_a_system_without_the_setting_and_what_is_not_written_are_silent() {
        let with = |change: fn(&mut Policy)| {
            let mut policy = doubling();
            change(&mut policy);
            check_policy(&RULE, policy)
        };
        assert_eq!(with(|p| p.backoff.jitter = Setting::written(Jitter::Equal, line(8))), None);
        assert_eq!(with(|p| p.backoff.jitter = Setting::unknown("an expression", None)), None);
        assert_eq!(with(|p| p.backoff.can_jitter = false), None);
        assert_eq!(with(|p| p.written = false), None);
        assert_eq!(with(|p| p.layer = Layer::Job), None);
        assert_eq!(with(|p| p.layer = Layer::Probe), None);
        assert_eq!(with(|p| p.pacing = Pacing::StartToStart), None);
        assert_eq!(with(|p| p.attempts = Setting::written(1, line(4))), None);
        assert_eq!(with(|p| p.backoff.initial = Setting::written(Duration::ZERO, line(6))), None);
    }
}
