//! attempt-product-exceeded

use super::unbounded_retries::is_endless;
use super::words::{Subject, Wording, counted, stack_evidence};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Bound, Layer};
use crate::stack::{Found, Project, Stack, StackLayer};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "attempt-product-exceeded",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Load,
    summary: "Layers that each retry multiply to more calls than allowed.",
    why: "Three layers of three attempts are 27 calls of the innermost service for one request, all of them when \
          it is already failing. That turns a short overload into a long outage.",
    bad: Example {
        file: "services.toml",
        text: r#"[web]
url = "http://gateway:8000"
request_timeout = "10s"

[web.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"

[gateway]
upstream = "http://ledger:9100"
request_timeout = "2s"

[gateway.retry]
max_attempts = 3
initial_backoff = "100ms"
multiplier = 2
max_backoff = "1s"
jitter = "full"

[ledger]
endpoint = "http://database:5432"
request_timeout = "500ms"

[ledger.retry]
max_attempts = 3
initial_backoff = "50ms"
multiplier = 2
max_backoff = "200ms"
jitter = "full"
"#,
        config: r#"[[stack]]
name = "checkout"
layers = [
  "services.toml#/web/retry",
  "services.toml#/gateway/retry",
  "services.toml#/ledger/retry",
]
"#,
    },
    good: Example {
        file: "services.toml",
        text: r#"[web]
url = "http://gateway:8000"
request_timeout = "10s"

[gateway]
upstream = "http://ledger:9100"
request_timeout = "2s"

[ledger]
endpoint = "http://database:5432"
request_timeout = "500ms"

[ledger.retry]
max_attempts = 3
initial_backoff = "50ms"
multiplier = 2
max_backoff = "200ms"
jitter = "full"
"#,
        config: r#"[[stack]]
name = "checkout"
layers = [
  { name = "web", attempts = 1, attempt-timeout = "10s" },
  { name = "gateway", attempts = 1, attempt-timeout = "2s" },
  "services.toml#/ledger/retry",
]
"#,
    },
    fix: "Retry in one layer, nearest to what fails, and let the others hand the failure up. Where the product is \
          meant, allow it: `max-attempts` of the stack, or `attempt-product` under `[limits]`.",
    needs: "The layers of a stack: declared in retrylint.toml, or nested in one file. Every number of attempts has to be known; a deadline counts where it keeps attempts from starting.",
    check,
};

fn check(project: &Project, limits: &Limits, findings: &mut Vec<Finding>) {
    findings.extend(project.stacks.iter().filter_map(|stack| of_stack(project, limits, stack)));
}

fn of_stack(project: &Project, limits: &Limits, stack: &Stack) -> Option<Finding> {
    let limit = stack.max_attempts.unwrap_or(limits.attempt_product);
    let message = match stack.fail_fast_calls {
        Bound::At(calls) if calls > limit => format!("{} = {calls} calls, more than {limit}", factors(stack)),
        Bound::Unlimited if !all_told(project, stack) => {
            format!("{} calls, and no limit of them", factors(stack))
        }
        _ => return None,
    };
    let mut evidence = stack_evidence(project, stack);
    match stack.slow_fail_calls {
        Bound::At(slow) if stack.fail_fast_calls != Bound::At(slow) => {
            evidence.note(format!("{} where every attempt takes as long as it may", counted(slow, "call")));
        }
        _ => {}
    }
    let wording = Wording {
        message,
        label: format!("the innermost layer of {}", path(stack)),
        help: match stack.declared {
            Some(_) => format!(
                "Retry in one layer and give the others one attempt; or allow it with max-attempts of the stack {}.",
                stack.name
            ),
            None => "Retry in one layer and give the others one attempt; or allow it with attempt-product under [limits] \
                     in retrylint.toml."
                .into(),
        },
    };
    Some(Subject::stack(project, stack)?.finding(&RULE, wording, evidence.weighed()))
}

/// "3 × 3 × 3", outermost first.
fn factors(stack: &Stack) -> String {
    let factor = |layer: &StackLayer| match layer.starts {
        Bound::At(starts) => starts.to_string(),
        Bound::Unlimited => "endless".to_string(),
        Bound::Unknown => "unknown".to_string(),
    };
    stack.layers.iter().map(factor).collect::<Vec<_>>().join(" × ")
}

fn path(stack: &Stack) -> String {
    let names: Vec<_> = stack.layers.iter().map(|layer| layer.name.as_str()).collect();
    names.join(" → ")
}

/// Each endless layer has a finding of its own.
fn all_told(project: &Project, stack: &Stack) -> bool {
    let mut endless = stack.layers.iter().filter(|layer| layer.starts == Bound::Unlimited);
    endless.all(|layer| match project.found(layer.source) {
        // of a queue that redelivers for ever missing-dead-letter tells
        Some(Found::Policy(_, policy, _)) => is_endless(policy) || policy.layer == Layer::Queue,
        Some(Found::Queue(..)) | None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Origin, Policy, Setting};
    use crate::rule::samples::{check_project, secs};
    use crate::stack::samples::{file, line, policy};
    use crate::stack::{DeclaredLayer, DeclaredStack, Selector, build};

    fn findings(max_attempts: Option<u64>, policies: Vec<Policy>) -> Vec<Finding> {
        let layers = policies.iter().enumerate().map(|(n, policy)| {
            let file = format!("{n}.toml");
            DeclaredLayer::Policy(Selector { file, policy: Some(policy.pointer.clone()), place: line(9) })
        });
        let declared = DeclaredStack {
            name: "shop".into(),
            place: line(7),
            deadline: None,
            max_attempts,
            layers: layers.collect(),
        };
        let files = policies
            .into_iter()
            .enumerate()
            .map(|(n, policy)| file(&format!("{n}.toml"), vec![policy], vec![]));
        let mut project = build(files.collect(), &[declared]);
        project.config_path = "retrylint.toml".into();
        check_project(&RULE, &project)
    }

    fn three(name: &str) -> Policy {
        Policy {
            attempts: Setting::written(3, line(4)),
            attempt_timeout: Setting::written(secs(1), line(5)),
            ..policy(name, &format!("/{name}"))
        }
    }

    #[test]
    fn three_layers_of_three_are_more_than_ten_calls_and_told_of_at_the_innermost() {
        let findings = findings(None, vec![three("web"), three("mesh"), three("db")]);
        assert_eq!(findings[0].message, "3 × 3 × 3 = 27 calls, more than 10");
        assert_eq!((findings[0].file.as_str(), findings[0].pointer.as_str()), ("2.toml", "/db"));
        assert_eq!(findings[0].severity, Severity::Error);
        let counts: Vec<_> =
            findings[0].related.iter().filter(|label| label.message.starts_with("attempts of")).collect();
        let files: Vec<_> = counts.iter().map(|label| label.file.as_str()).collect();
        assert_eq!(files, ["0.toml", "1.toml", "2.toml"]);
        assert!(
            findings[0].related.iter().any(|label| label.file == "retrylint.toml" && label.place == line(7))
        );
    }

    #[test]
    fn the_limit_is_that_of_the_stack_where_it_has_one() {
        assert!(findings(Some(27), vec![three("web"), three("mesh"), three("db")]).is_empty());
        assert!(findings(None, vec![three("web"), three("db")]).is_empty(), "9 calls");
        assert_eq!(
            findings(Some(8), vec![three("web"), three("db")])[0].message,
            "3 × 3 = 9 calls, more than 8"
        );
    }

    #[test]
    fn an_endless_layer_is_told_of_unless_it_has_a_finding_of_its_own() {
        let endless = |origin| Policy { attempts: Setting::new(Bound::Unlimited, origin), ..three("ship") };
        assert!(findings(None, vec![three("web"), endless(Origin::Written(line(4)))]).is_empty());
        let shipper = Policy { ships: true, ..endless(Origin::Default("Vector's default".into())) };
        assert_eq!(
            findings(None, vec![three("web"), shipper])[0].message,
            "3 × endless calls, and no limit of them"
        );
    }
}
