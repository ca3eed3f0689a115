//! missing-dead-letter

use super::unbounded_retries::is_endless;
use super::words::{Evidence, Subject, Wording, policies};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Policy, Queue};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "missing-dead-letter",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Queue,
    summary: "What keeps failing is redelivered for ever, or dropped without a trace.",
    why: "A message that no handler can deal with comes back again and again until it expires, takes the place of others each time, and is never seen by anybody who could put it right.",
    bad: Example {
        file: "template.yaml",
        text: r#"AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 180
  OrdersFailed:
    Type: AWS::SQS::Queue
    Properties: { MessageRetentionPeriod: 1209600 }
  Handle:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: src/
      Handler: app.handle
      Timeout: 30
      Events:
        Orders:
          Type: SQS
          Properties: { Queue: !GetAtt Orders.Arn }
"#,
        config: "",
    },
    good: Example {
        file: "template.yaml",
        text: r#"AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 180
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt OrdersFailed.Arn
        maxReceiveCount: 5
  OrdersFailed:
    Type: AWS::SQS::Queue
    Properties: { MessageRetentionPeriod: 1209600 }
  Handle:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: src/
      Handler: app.handle
      Timeout: 30
      Events:
        Orders:
          Type: SQS
          Properties: { Queue: !GetAtt Orders.Arn }
"#,
        config: "",
    },
    fix: "Name a queue for what cannot be handled.",
    needs: "Whether the queue, or what delivers, has a place for dead letters, and that something in the file handles the queue.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.queues.iter().filter_map(|queue| of_queue(file, queue)));
    }
    findings.extend(policies(project).filter_map(|(file, policy, _)| of_policy(file, policy)));
}

/// A queue that something of the file handles; the dead letters of another have arrived where they belong.
fn of_queue(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    if queue.dead_letters || queue.is_dead_letter_queue || queue.handlers.is_empty() {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.value("the retention", &queue.retention);
    let until =
        queue.retention.at().map_or("it expires".to_string(), |time| format!("it expires after {time}"));
    let wording = Wording {
        message: format!("a message that keeps failing comes back until {until}, and is then dropped"),
        label: "without a place for dead letters".into(),
        help: "Name a queue for messages that cannot be handled, and after how many receives they go there."
            .into(),
    };
    Some(Subject::queue(file, queue).finding(&RULE, wording, evidence))
}

fn of_policy(file: &ProjectFile, policy: &Policy) -> Option<Finding> {
    // what is never given up on needs no such place yet: unbounded-retries says so
    if policy.dead_letters != Some(false) || is_endless(policy) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.value("attempts", &policy.attempts);
    evidence.value("the deadline", &policy.deadline);
    let wording = Wording {
        message: "what cannot be delivered is dropped without a trace".into(),
        label: "without a place for dead letters".into(),
        help: "Name a queue for what cannot be delivered.".into(),
    };
    Some(Subject::policy(file, policy).finding(&RULE, wording, evidence))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_policy, check_project, secs};
    use super::*;
    use crate::model::{Handler, Setting};
    use crate::stack::samples::{file, line, policy, queue};

    fn handled(queue: Queue) -> Vec<Finding> {
        let handler = Handler {
            name: "Handle".into(),
            place: line(9),
            run: Setting::written(secs(3), line(8)),
            attempts: 1,
            gathering: Setting::default(secs(0), "Lambda's default"),
            advice: None,
        };
        let queue = Queue { handlers: vec![handler], ..queue };
        check_project(
            &RULE,
            &Project { files: vec![file("a.yaml", vec![], vec![queue])], ..Project::default() },
        )
    }

    #[test]
    fn a_handled_queue_without_dead_letters_is_reported() {
        let found = handled(Queue { dead_letters: false, ..queue("Orders", "/Orders") });
        assert_eq!(
            found[0].message,
            "a message that keeps failing comes back until it expires after 4 d, and is then dropped"
        );
    }

    #[test]
    fn queues_with_dead_letters_or_of_dead_letters_or_without_a_handler_are_not() {
        let without = Queue { dead_letters: false, ..queue("Orders", "/Orders") };
        assert_eq!(handled(queue("Orders", "/Orders")), []);
        assert_eq!(handled(Queue { is_dead_letter_queue: true, ..without.clone() }), []);
        let alone = Project { files: vec![file("a.yaml", vec![], vec![without])], ..Project::default() };
        assert_eq!(check_project(&RULE, &alone), []);
    }

    #[test]
    fn a_delivery_that_drops_is_reported_where_the_system_has_a_place_for_it() {
        assert!(
            check_policy(&RULE, Policy { dead_letters: Some(false), ..policy("rule", "/rule") }).is_some()
        );
        assert_eq!(check_policy(&RULE, Policy { dead_letters: Some(true), ..policy("rule", "/rule") }), None);
        assert_eq!(check_policy(&RULE, policy("rule", "/rule")), None);
    }
}
