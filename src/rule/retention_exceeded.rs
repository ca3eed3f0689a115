//! retention-exceeded

use super::words::{Evidence, Subject, Wording};
use super::{Example, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Queue;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "retention-exceeded",
    severity: Severity::Error,
    pedantic: false,
    summary: "The queue drops a message before its receives are used up.",
    why: "A message that keeps failing is meant to end among the dead letters, where somebody finds it; if it expires first, it is gone without a trace.",
    bad: Example {
        file: "template.yaml",
        text: r#"AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 180
      MessageRetentionPeriod: 600
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt OrdersFailed.Arn
        maxReceiveCount: 4
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
      MessageRetentionPeriod: 3600
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
    fix: "Keep messages for longer than receives times the window, or receive them less often.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.queues.iter().filter_map(|queue| of_queue(file, queue)));
    }
}

fn of_queue(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    let (receives, window, retention) = (queue.receives.at()?, queue.window.at()?, queue.retention.at()?);
    let needed = window.times(receives);
    if needed <= retention {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.number("receives", &queue.receives);
    evidence.number(queue.window_key, &queue.window);
    evidence.number("the retention", &queue.retention);
    let wording = Wording {
        message: format!(
            "{receives} receives of {window} take {needed}, but a message is kept for {retention}"
        ),
        label: format!("drops a message {} too early", needed.minus(retention)),
        help: match fitting(queue)? {
            0 => format!("Keep messages for more than {needed}, or hide them for less than {retention}."),
            1 => format!("Keep messages for more than {needed}, or receive them only once."),
            most => format!("Keep messages for more than {needed}, or receive them at most {most} times."),
        },
    };
    Some(Subject::queue(file, queue).finding(&RULE, wording, evidence.weighed()))
}

/// The receives that fit into the retention.
fn fitting(queue: &Queue) -> Option<u128> {
    queue.retention.at()?.nanos().checked_div(queue.window.at()?.nanos())
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_project, secs};
    use super::*;
    use crate::model::Setting;
    use crate::stack::samples::{file, line, queue};

    fn check_queue(queue: Queue) -> Vec<Finding> {
        check_project(
            &RULE,
            &Project { files: vec![file("a.yaml", vec![], vec![queue])], ..Project::default() },
        )
    }

    #[test]
    fn receives_that_outlast_the_retention_are_reported() {
        let short = Queue { retention: Setting::written(secs(120), line(5)), ..queue("Orders", "/Orders") };
        let findings = check_queue(short);
        assert_eq!(
            findings[0].message,
            "5 receives of 30 s take 2 min 30 s, but a message is kept for 2 min"
        );
        assert!(findings[0].help.ends_with("at most 4 times."));
    }

    #[test]
    fn what_fits_or_is_not_known_is_not() {
        let exact = Queue { retention: Setting::written(secs(150), line(5)), ..queue("Orders", "/Orders") };
        let endless = Queue { receives: Setting::unlimited("SQS's default"), ..queue("Orders", "/Orders") };
        let unknown =
            Queue { retention: Setting::unknown("a parameter", None), ..queue("Orders", "/Orders") };
        for quiet in [exact, endless, unknown] {
            assert_eq!(check_queue(quiet), []);
        }
    }
}
