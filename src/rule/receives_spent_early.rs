//! receives-spent-early

use super::words::{Evidence, Subject, Wording, counted};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::Queue;
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "receives-spent-early",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Queue,
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
    needs: "The number of receives, and that something in the file handles the queue. Of more than one receive: how many the system advises, and how many runs there can be at one time.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.queues.iter().filter_map(|queue| of_queue(file, queue)));
    }
}

fn of_queue(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    let receives = queue.receives.at()?;
    let advice = || queue.handlers.iter().filter_map(|handler| Some((handler, handler.advice.as_ref()?)));
    let throttled = advice().find_map(|(handler, advice)| Some((handler, advice.throttled.as_ref()?)));
    let least = advice().map(|(_, advice)| advice.receives).max().unwrap_or(2);
    if receives >= least || queue.handlers.is_empty() {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.number("receives", &queue.receives);
    let mut severity = Severity::Warning;
    let saw = "messages to the dead letters that no handler saw";
    let message = match throttled {
        _ if receives == 1 => format!("a single receive: a throttle or a deployment sends {saw}"),
        Some((handler, runs)) => {
            let most = counted(runs.at()?, "run");
            evidence.value(&format!("the most runs of {} at one time", handler.name), runs);
            format!(
                "{receives} receives, and what would make more than {most} at one time is throttled: that sends {saw}"
            )
        }
        None => {
            severity = Severity::Note;
            format!("{receives} receives: a few throttles or a deployment send {saw}")
        }
    };
    if let Some((_, advice)) = advice().next() {
        evidence.note(format!("at least {} receives are advised ({})", advice.receives, advice.source));
    }
    let wording = Wording {
        message,
        label: if receives == 1 { "one receive".into() } else { "few receives".into() },
        help: match throttled {
            Some(_) => "Allow at least 5 receives, and let the queue start no more runs than there can be at one time.".into(),
            None => "Allow at least 5 receives.".into(),
        },
    };
    let place = queue.receives.origin.place();
    let finding = Subject::queue(file, queue).at(place).finding(&RULE, wording, evidence.weighed());
    Some(Finding { severity: finding.severity.min(severity), ..finding })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_project, secs};
    use super::*;
    use crate::model::{Advice, Handler, Setting};
    use crate::stack::samples::{file, line, queue};

    fn findings(receives: Setting<u64>, handled: bool, advice: Option<Advice>) -> Vec<Finding> {
        let handler = Handler {
            name: "Handle".into(),
            place: line(9),
            run: Setting::written(secs(3), line(8)),
            attempts: 1,
            gathering: Setting::default(secs(0), "Lambda's default"),
            advice,
        };
        let handlers = if handled { vec![handler] } else { Vec::new() };
        let queue = Queue { receives, handlers, ..queue("Orders", "/Orders") };
        check_project(
            &RULE,
            &Project { files: vec![file("a.yaml", vec![], vec![queue])], ..Project::default() },
        )
    }

    fn advised(throttled: Option<Setting<u64>>) -> Option<Advice> {
        Some(Advice { runs: 6, receives: 5, throttled, source: "AWS's guide".into() })
    }

    #[test]
    fn one_receive_of_a_handled_queue_is_reported_at_the_count() {
        let found = findings(Setting::written(1, line(4)), true, None);
        assert_eq!((found[0].place.line, found[0].severity), (4, Severity::Warning));
    }

    #[test]
    fn fewer_receives_than_advised_are_a_note_and_a_warning_beside_a_limit_of_runs() {
        let found = findings(Setting::written(4, line(4)), true, advised(None));
        assert_eq!(found[0].severity, Severity::Note);
        assert_eq!(found[0].notes, ["at least 5 receives are advised (AWS's guide)"]);
        let found = findings(Setting::written(4, line(4)), true, advised(Some(Setting::written(2, line(8)))));
        assert_eq!(found[0].severity, Severity::Warning);
        assert_eq!(
            found[0].message,
            "4 receives, and what would make more than 2 runs at one time is throttled: that sends messages to the \
             dead letters that no handler saw"
        );
        let enough = Setting::written(5, line(4));
        assert_eq!(findings(enough, true, advised(Some(Setting::written(2, line(8))))), []);
    }

    #[test]
    fn more_receives_unknown_ones_and_queues_without_a_handler_are_not() {
        assert_eq!(findings(Setting::written(2, line(4)), true, None), []);
        assert_eq!(findings(Setting::unknown("a parameter", None), true, advised(None)), []);
        assert_eq!(findings(Setting::written(1, line(4)), false, advised(None)), []);
    }
}
