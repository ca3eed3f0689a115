//! retention-exceeded

use super::words::{Evidence, Subject, Wording};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Queue;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "retention-exceeded",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Queue,
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
    needs: "The receives, the window and the retention of the queue; all three, or there is no finding. Of its dead letters: how long they are kept, where their age counts from when they were sent.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        let queues = file.facts.queues.iter();
        findings.extend(
            queues.filter_map(|queue| of_queue(file, queue).or_else(|| of_dead_letters(file, queue))),
        );
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

/// The age of a message goes on counting among the dead letters.
fn of_dead_letters(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    let (receives, window, retention) = (queue.receives.at()?, queue.window.at()?, queue.retention.at()?);
    let kept = queue.dead_letter_retention.as_ref()?;
    let dead = kept.at().filter(|dead| *dead < retention)?;
    let needed = window.times(receives);
    let lost = needed >= dead;
    let mut evidence = Evidence::of(&file.path);
    if lost {
        evidence.number("receives", &queue.receives);
        evidence.number(queue.window_key, &queue.window);
    } else {
        evidence.soften();
    }
    evidence.number("the retention", &queue.retention);
    evidence.number("the retention of its dead letters", kept);
    let wording = Wording {
        message: if lost {
            format!(
                "dead letters are kept for {dead} from when they were first sent, and {receives} receives of {window} \
                 take {needed}: they are dropped as they arrive"
            )
        } else {
            format!(
                "dead letters are kept for {dead} from when they were first sent, less than the {retention} that the queue \
                 keeps a message: one that waited longer is dropped as it arrives"
            )
        },
        label: "its dead letters are kept for less".into(),
        help: format!("Keep dead letters for longer than the queue keeps a message, {retention}."),
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
    fn dead_letters_that_are_kept_for_less_than_messages_may_be_gone_as_they_arrive() {
        let kept = |seconds| {
            let dead = Some(Setting::written(secs(seconds), line(9)));
            check_queue(Queue { dead_letter_retention: dead, ..queue("Orders", "/Orders") })
        };
        let findings = kept(86_400);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(
            findings[0].message,
            "dead letters are kept for 1 d from when they were first sent, less than the 4 d that the queue keeps a \
             message: one that waited longer is dropped as it arrives"
        );
        assert_eq!(kept(345_600), [], "what is as old has expired before");
        let findings = kept(150);
        assert_eq!(findings[0].severity, Severity::Error);
        assert_eq!(
            findings[0].message,
            "dead letters are kept for 2 min 30 s from when they were first sent, and 5 receives of 30 s take 2 min \
             30 s: they are dropped as they arrive"
        );
        let unknown = Some(Setting::unknown("a parameter", None));
        assert_eq!(check_queue(Queue { dead_letter_retention: unknown, ..queue("Orders", "/Orders") }), []);
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
