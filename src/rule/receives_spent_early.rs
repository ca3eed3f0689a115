//! receives-spent-early

use super::words::{Evidence, Subject, Wording};
use super::{Example, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Queue;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "receives-spent-early",
    severity: Severity::Warning,
    pedantic: false,
    summary: "So few receives that a throttle or a deployment uses them up.",
    why: "A receive is used up by a throttled or interrupted delivery as well: messages end among the dead letters that no handler ever saw.",
    bad: Example {
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
        maxReceiveCount: 1
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
    fix: "Allow at least 5 receives.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.queues.iter().filter_map(|queue| of_queue(file, queue)));
    }
}

fn of_queue(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    if queue.receives.at() != Some(1) || queue.handlers.is_empty() {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.number("receives", &queue.receives);
    let wording = Wording {
        message: "a single receive: a throttle or a deployment sends messages to the dead letters that no handler saw".into(),
        label: "one receive".into(),
        help: "Allow at least 5 receives.".into(),
    };
    let place = queue.receives.origin.place();
    Some(Subject::queue(file, queue).at(place).finding(&RULE, wording, evidence.weighed()))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_project, secs};
    use super::*;
    use crate::model::{Handler, Setting};
    use crate::stack::samples::{file, line, queue};

    fn findings(receives: Setting<u64>, handled: bool) -> Vec<Finding> {
        let handler = Handler {
            name: "Handle".into(),
            place: line(9),
            run: Setting::written(secs(3), line(8)),
            attempts: 1,
            gathering: Setting::default(secs(0), "Lambda's default"),
            advice: None,
        };
        let handlers = if handled { vec![handler] } else { Vec::new() };
        let queue = Queue { receives, handlers, ..queue("Orders", "/Orders") };
        check_project(
            &RULE,
            &Project { files: vec![file("a.yaml", vec![], vec![queue])], ..Project::default() },
        )
    }

    #[test]
    fn one_receive_of_a_handled_queue_is_reported_at_the_count() {
        assert_eq!(findings(Setting::written(1, line(4)), true)[0].place.line, 4);
    }

    #[test]
    fn more_receives_unknown_ones_and_queues_without_a_handler_are_not() {
        assert_eq!(findings(Setting::written(2, line(4)), true), []);
        assert_eq!(findings(Setting::unknown("a parameter", None), true), []);
        assert_eq!(findings(Setting::written(1, line(4)), false), []);
    }
}
