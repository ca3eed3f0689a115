//! deadline-inverted

use super::words::{Evidence, Subject, Wording};
use super::{Example, Group, Limits, Rule, deadline_exceeded, retry_unreachable};
use crate::finding::{Finding, Severity};
use crate::stack::{Found, Project, Stack, StackLayer};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "deadline-inverted",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Budget,
    summary: "In a stack, an inner layer may go on for longer than the outer layer waits for it.",
    why: "The outer layer gives up and tries again, or answers with an error, while the inner one is still at work: \
          its last attempts are made for nobody, and run beside those of the next call.",
    bad: Example {
        file: "shop.toml",
        text: r#"[web]
timeout = "2s"

[web.retry]
max_attempts = 2
initial_backoff = "100ms"
max_backoff = "1s"
multiplier = 2
jitter = "full"

[ledger]
timeout = "1s"

[ledger.retry]
max_attempts = 3
initial_backoff = "100ms"
max_backoff = "1s"
multiplier = 2
jitter = "full"
"#,
        config: r#"[[stack]]
name = "checkout"
layers = ["shop.toml#web", "shop.toml#ledger"]
"#,
    },
    good: Example {
        file: "shop.toml",
        text: r#"[web]
timeout = "4s"

[web.retry]
max_attempts = 2
initial_backoff = "100ms"
max_backoff = "1s"
multiplier = 2
jitter = "full"

[ledger]
timeout = "1s"

[ledger.retry]
max_attempts = 3
initial_backoff = "100ms"
max_backoff = "1s"
multiplier = 2
jitter = "full"
"#,
        config: r#"[[stack]]
name = "checkout"
layers = ["shop.toml#web", "shop.toml#ledger"]
"#,
    },
    fix: "Make each layer give up before the one above it: a deadline for the inner layer, fewer or shorter attempts, \
          or more time in the outer layer.",
    needs: "The worst case of the inner layer, and the attempt timeout or the deadline of the outer one.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for stack in &project.stacks {
        for (n, pair) in stack.layers.windows(2).enumerate() {
            if let [outer, inner] = pair {
                findings.extend(of_pair(project, stack, n, outer, inner));
            }
        }
    }
}

/// `n` is the place of the outer layer in the stack.
fn of_pair(
    project: &Project,
    stack: &Stack,
    n: usize,
    outer: &StackLayer,
    inner: &StackLayer,
) -> Option<Finding> {
    let longest = inner.worst_case.at()?;
    let timeout = outer.timeout.at().filter(|time| outer.deadline.at().is_none_or(|end| *time <= end));
    let limit = timeout.or(outer.deadline.at())?;
    if longest <= limit || is_told(project, stack, n, outer, timeout.is_some()) {
        return None;
    }
    let mut evidence = Evidence::default();
    evidence.turn_to(project.found(outer.source).map_or(&project.config_path, Found::path));
    let waits = match timeout {
        Some(_) => {
            evidence.number(&format!("one attempt of {}", outer.name), &outer.timeout);
            format!("{} waits {limit} for it", outer.name)
        }
        None => {
            evidence.number(&format!("the deadline of {}", outer.name), &outer.deadline);
            format!("the deadline of {} is {limit}", outer.name)
        }
    };
    evidence.turn_to(project.found(inner.source).map_or(&project.config_path, Found::path));
    evidence.value(&format!("attempts of {}", inner.name), &inner.attempts);
    if inner.timeout.at().is_some() {
        evidence.number(&format!("one attempt of {}", inner.name), &inner.timeout);
    }
    if inner.deadline.at().is_some() {
        evidence.number(&format!("the deadline of {}", inner.name), &inner.deadline);
    }
    if let Some(Found::Policy(_, policy, schedule)) = project.found(inner.source) {
        evidence.waits(policy, schedule);
    }
    let wording = Wording {
        message: format!("{} may go on for {longest}, but {waits}", inner.name),
        label: format!("{} longer than anybody waits", longest.minus(limit)),
        help: format!(
            "Give {} a deadline of at most {limit}, or fewer or shorter attempts; or give {} at least {longest}.",
            inner.name, outer.name
        ),
    };
    let subject = Subject::layer(project, inner).or_else(|| Subject::stack(project, stack))?;
    Some(subject.finding(&RULE, wording, evidence))
}

/// Another rule reports the same cause: the handler of a queue outlasts its window; or a deadline is too short
/// for the outer layer itself, or for the whole.
fn is_told(project: &Project, stack: &Stack, n: usize, outer: &StackLayer, by_timeout: bool) -> bool {
    let found = project.found(outer.source);
    if let Some(Found::Queue(_, queue)) = found {
        return !queue.handlers.is_empty();
    }
    let own = match found {
        _ if by_timeout => return false,
        Some(Found::Policy(file, policy, schedule)) => {
            deadline_exceeded::of_policy(file, policy, schedule).is_some()
                || retry_unreachable::of_policy(file, policy, schedule).is_some()
        }
        _ => false,
    };
    own || n == 0 && deadline_exceeded::of_stack(project, stack).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bound, Origin, Policy, Setting};
    use crate::rule::samples::{check_project, secs};
    use crate::stack::samples::{file, line, policy, queue};
    use crate::stack::{DeclaredLayer, DeclaredStack, Selector, build};

    fn repeated(pointer: &str, attempts: u64, timeout: Option<u64>, deadline: Option<u64>) -> Policy {
        let time = |time: Option<u64>, at| {
            time.map_or_else(|| Setting::unlimited("nothing"), |time| Setting::written(secs(time), line(at)))
        };
        Policy {
            attempts: Setting::written(attempts, line(3)),
            attempt_timeout: time(timeout, 4),
            deadline: time(deadline, 5),
            ..policy(pointer.trim_start_matches('/'), pointer)
        }
    }

    fn found(policies: Vec<Policy>, queues: Vec<crate::model::Queue>, layers: &[&str]) -> Vec<Finding> {
        let layer = |pointer: &&str| {
            let policy = Some((*pointer).to_string());
            DeclaredLayer::Policy(Selector { file: "a.toml".into(), policy, place: line(9) })
        };
        let stack = DeclaredStack {
            name: "shop".into(),
            place: line(8),
            deadline: None,
            max_attempts: None,
            layers: layers.iter().map(layer).collect(),
        };
        check_project(&RULE, &build(vec![file("a.toml", policies, queues)], &[stack]))
    }

    fn two(outer: Policy, inner: Policy) -> Vec<Finding> {
        found(vec![outer, inner], vec![], &["/web", "/db"])
    }

    #[test]
    fn an_inner_layer_that_outlasts_the_attempt_above_it_is_reported_at_its_own_place() {
        let findings = two(repeated("/web", 2, Some(2), None), repeated("/db", 3, Some(1), None));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "db may go on for 3 s, but web waits 2 s for it");
        assert_eq!((findings[0].pointer.as_str(), findings[0].severity), ("/db", Severity::Warning));
        let related: Vec<_> = findings[0].related.iter().map(|label| label.message.as_str()).collect();
        assert_eq!(related, ["one attempt of web: 2 s", "attempts of db: 3", "one attempt of db: 1 s"]);
    }

    #[test]
    fn an_inner_layer_that_ends_just_in_time_is_silent_however_often_it_tries() {
        assert!(two(repeated("/web", 2, Some(3), None), repeated("/db", 3, Some(1), None)).is_empty());
        assert!(two(repeated("/web", 2, Some(2), None), repeated("/db", 9, Some(1), Some(2))).is_empty());
    }

    #[test]
    fn a_deadline_in_the_middle_counts_where_it_is_shorter_than_an_attempt() {
        let middle = repeated("/mid", 1, None, Some(2));
        let policies = vec![repeated("/web", 1, Some(9), None), middle, repeated("/db", 3, Some(1), None)];
        let findings = found(policies, vec![], &["/web", "/mid", "/db"]);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].message, "db may go on for 3 s, but the deadline of mid is 2 s");
    }

    #[test]
    fn a_deadline_that_is_too_short_for_the_whole_is_one_finding_of_another_rule() {
        let (outer, inner) = (repeated("/web", 2, None, Some(2)), repeated("/db", 3, Some(1), None));
        assert!(two(outer.clone(), inner.clone()).is_empty());
        let own = Policy { attempt_timeout: Setting::written(secs(3), line(4)), ..outer };
        assert!(two(own, inner).is_empty());
    }

    #[test]
    fn a_window_is_judged_by_its_own_rule_where_the_handler_is_known() {
        let worker = || repeated("/w", 2, Some(30), None);
        let handler = crate::model::Handler {
            name: "w".into(),
            place: line(1),
            run: Setting::written(secs(60), line(4)),
            attempts: 2,
            gathering: Setting::default(secs(0), "nothing"),
            advice: None,
        };
        let handled = crate::model::Queue { handlers: vec![handler], ..queue("Orders", "/q") };
        assert!(found(vec![worker()], vec![handled], &["/q", "/w"]).is_empty());
        let findings = found(vec![worker()], vec![queue("Orders", "/q")], &["/q", "/w"]);
        assert_eq!(findings[0].message, "w may go on for 60 s, but Orders waits 30 s for it");
    }

    #[test]
    fn unknown_and_endless_times_are_silent() {
        let unknown =
            |policy: Policy| Policy { attempt_timeout: Setting::unknown("an expression", None), ..policy };
        let (outer, inner) = (repeated("/web", 2, Some(2), None), repeated("/db", 3, Some(1), None));
        assert!(two(unknown(outer.clone()), inner.clone()).is_empty());
        assert!(two(outer.clone(), unknown(inner)).is_empty());
        assert!(two(outer, repeated("/db", 3, None, None)).is_empty());
    }

    #[test]
    fn defaults_say_whose_they_are() {
        let default = Setting::new(Bound::At(secs(2)), Origin::Default("Envoy's default".into()));
        let outer = Policy { attempt_timeout: default, ..repeated("/web", 2, None, None) };
        let findings = two(outer, repeated("/db", 3, Some(1), None));
        assert_eq!(findings[0].notes, ["one attempt of web: 2 s (Envoy's default)"]);
    }
}
