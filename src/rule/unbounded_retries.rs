//! unbounded-retries

use super::words::{Evidence, Subject, Wording, accepted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Layer, Policy};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "unbounded-retries",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Budget,
    summary: "Neither a number of attempts nor a deadline ends the retrying.",
    why: "What fails for good is then tried for ever: it holds a connection, a worker or a place in a queue, \
          adds load to what is broken already, and nobody is told.",
    bad: Example {
        file: "ingest.yaml",
        text: "ingest:
  source: nats://nats:4222
  reconnect:
    max_retries: -1
    initial_backoff: 1s
    multiplier: 2
    max_backoff: 30s
    jitter: full
",
        config: "",
    },
    good: Example {
        file: "ingest.yaml",
        text: "ingest:
  source: nats://nats:4222
  reconnect:
    max_retries: -1
    initial_backoff: 1s
    multiplier: 2
    max_backoff: 30s
    max_elapsed_time: 15m
    jitter: full
",
        config: "",
    },
    fix: "Set a number of attempts or a deadline after which the failure is reported. Where it is meant to go on \
          for ever, say so in a comment: `retrylint: ignore[unbounded-retries] -- why`.",
    needs: "That the number of attempts has no limit and that there is no deadline. A limit that is set but not known makes no finding.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    let endless = accepted(project).filter(|(_, policy, _)| is_endless(policy));
    findings.extend(endless.map(|(file, policy, _)| finding(file, policy)));
}

/// Nothing ends it, and that is worth a finding: supervisors and probes go on for ever by their nature,
/// redelivery is told of with its queue, and shippers are made for it.
pub(super) fn is_endless(policy: &Policy) -> bool {
    let redelivery = policy.layer == Layer::Queue && policy.dead_letters.is_none();
    let by_nature = matches!(policy.layer, Layer::Server | Layer::Probe)
        || redelivery
        || policy.ships && policy.attempts.origin.is_default();
    policy.attempts.is_unlimited() && policy.deadline.is_unlimited() && !by_nature
}

fn finding(file: &ProjectFile, policy: &Policy) -> Finding {
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.value("the deadline", &policy.deadline);
    // what a stream keeps expires
    let expires = policy.layer == Layer::Queue;
    if !policy.written || expires {
        evidence.soften();
    }
    let nothing = if expires { "nothing but its expiry" } else { "nothing" };
    let wording = Wording {
        message: format!("{nothing} ends the retrying: there is no limit of attempts and no deadline"),
        label: if expires { "holds up what comes after it".into() } else { "retries for ever".into() },
        help: "Set a number of attempts or a deadline; if it is meant to go on for ever, say so with \
               `retrylint: ignore[unbounded-retries] -- why` in a comment."
            .into(),
    };
    Subject::policy(file, policy).finding(&RULE, wording, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bound, Origin, Setting};
    use crate::rule::samples::{check_policy, secs};
    use crate::stack::samples::{line, policy};

    fn endless() -> Policy {
        Policy { attempts: Setting::new(Bound::Unlimited, Origin::Written(line(4))), ..policy("p", "/p") }
    }

    #[test]
    fn endless_attempts_without_a_deadline_are_an_error_where_they_are_written() {
        let finding = check_policy(&RULE, endless()).unwrap();
        assert_eq!(finding.severity, Severity::Error);
        assert_eq!(finding.related[0].message, "attempts: no limit");
        assert_eq!(finding.notes, ["the deadline: no limit (nothing sets one)"]);
    }

    #[test]
    fn by_default_they_are_a_warning() {
        let policy = Policy { written: false, attempts: Setting::unlimited("its default"), ..endless() };
        assert_eq!(check_policy(&RULE, policy).unwrap().severity, Severity::Warning);
    }

    #[test]
    fn a_deadline_a_count_or_not_knowing_either_is_silent() {
        assert_eq!(
            check_policy(&RULE, Policy { deadline: Setting::written(secs(9), line(2)), ..endless() }),
            None
        );
        assert_eq!(
            check_policy(&RULE, Policy { deadline: Setting::unknown("an expression", None), ..endless() }),
            None
        );
        assert_eq!(
            check_policy(&RULE, Policy { attempts: Setting::unknown("an expression", None), ..endless() }),
            None
        );
        assert_eq!(check_policy(&RULE, policy("p", "/p")), None);
    }

    #[test]
    fn supervisors_probes_and_queues_are_silent_and_shippers_unless_it_is_written() {
        for layer in [Layer::Server, Layer::Probe, Layer::Queue] {
            assert_eq!(check_policy(&RULE, Policy { layer, ..endless() }), None);
        }
        let shipper = Policy { ships: true, attempts: Setting::unlimited("Vector's default"), ..endless() };
        assert_eq!(check_policy(&RULE, shipper), None);
        assert!(check_policy(&RULE, Policy { ships: true, ..endless() }).is_some());
    }
}
