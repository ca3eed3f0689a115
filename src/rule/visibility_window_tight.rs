//! visibility-window-tight

use super::words::{Evidence, Subject, Wording, wider_window};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Handler, Queue};
use crate::stack::{Project, ProjectFile};

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "visibility-window-tight",
    severity: Severity::Warning,
    pedantic: false,
    group: Group::Queue,
    summary: "The window holds one run, but is under what the system advises for throttles and retries.",
    why: "A throttled run waits for its turn on the window's time; a window of hardly more than one run is over before the second try has begun, and the message is handled twice.",
    bad: Example {
        file: "template.yaml",
        text: r#"AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 60
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
    fix: "Set the window that the system advises.",
    needs: "The queue's window, the longest time that one run of its handler takes, and an advice of the system for the two.",
    check,
};

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        for queue in &file.facts.queues {
            findings.extend(queue.handlers.iter().filter_map(|handler| of_handler(file, queue, handler)));
        }
    }
}

fn of_handler(file: &ProjectFile, queue: &Queue, handler: &Handler) -> Option<Finding> {
    let advice = handler.advice.as_ref()?;
    let (window, run, gathering) = (queue.window.at()?, handler.run.at()?, handler.gathering.at()?);
    let advised = run.times(advice.runs.into()).plus(gathering);
    // a window that one run outlasts is another finding
    if window >= advised || window < run.plus(gathering) {
        return None;
    }
    let mut evidence = Evidence::of(&file.path);
    evidence.number(queue.window_key, &queue.window);
    evidence.number(&format!("one run of {}", handler.name), &handler.run);
    if !gathering.is_zero() {
        evidence.number("the time for gathering a batch", &handler.gathering);
    }
    let gathered = if gathering.is_zero() { "" } else { " and the gathering" };
    let wording = Wording {
        message: format!(
            "{window} hold one run of {run}, but {advised} are advised: {} runs{gathered}",
            advice.runs
        ),
        label: format!("{} under what is advised", advised.minus(window)),
        help: format!(
            "Set {} to at least {advised} ({}), or let a run take less.",
            queue.window_key, advice.source
        ),
    };
    let place = queue.window.origin.place();
    let finding = Subject::queue(file, queue).at(place).finding(&RULE, wording, evidence.weighed());
    Some(Finding { fix: wider_window(file, queue), ..finding })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{check_project, secs};
    use super::*;
    use crate::model::{Advice, Setting};
    use crate::stack::samples::{file, line, queue};

    fn findings(window: u64, run: Setting<crate::model::Duration>) -> Vec<Finding> {
        let handler = Handler {
            name: "Handle".into(),
            place: line(9),
            run,
            attempts: 1,
            gathering: Setting::written(secs(10), line(8)),
            advice: Some(Advice { runs: 6, receives: 5, throttled: None, source: "AWS's guide".into() }),
        };
        let queue = Queue {
            window: Setting::written(secs(window), line(3)),
            handlers: vec![handler],
            ..queue("Orders", "/Orders")
        };
        check_project(
            &RULE,
            &Project { files: vec![file("a.yaml", vec![], vec![queue])], ..Project::default() },
        )
    }

    fn run() -> Setting<crate::model::Duration> {
        Setting::written(secs(30), line(7))
    }

    #[test]
    fn between_one_run_and_the_advice_it_is_reported_at_the_window() {
        let found = findings(100, run());
        assert_eq!(
            found[0].message,
            "100 s hold one run of 30 s, but 3 min 10 s are advised: 6 runs and the gathering"
        );
        assert_eq!(found[0].place.line, 3);
    }

    #[test]
    fn at_the_advice_and_under_one_run_it_is_not() {
        assert_eq!(findings(190, run()), []);
        assert_eq!(findings(39, run()), []);
        assert_eq!(findings(100, Setting::unknown("a parameter", None)), []);
    }
}
