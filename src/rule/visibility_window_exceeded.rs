//! visibility-window-exceeded

use super::words::{Evidence, Subject, Wording, counted, wider_window};
use super::{Example, Group, Limits, Rule};
use crate::finding::{Finding, Severity};
use crate::model::{Duration, Handler, Queue, Setting};
use crate::source::Place;
use crate::stack::{Project, ProjectFile};
use std::collections::BTreeSet;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "visibility-window-exceeded",
    severity: Severity::Error,
    pedantic: false,
    group: Group::Queue,
    summary: "Handling a message can take longer than the queue hides it.",
    why: "The queue delivers the message again while the first delivery is still being worked on. The work is \
          done twice at the same time, and each time counts towards the dead letters.",
    bad: Example {
        file: "template.yaml",
        text: "AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 30
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt OrdersDead.Arn
        maxReceiveCount: 5
  OrdersDead:
    Type: AWS::SQS::Queue
    Properties:
      MessageRetentionPeriod: 1209600
  Handle:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: python3.12
      Handler: orders.handle
      CodeUri: src/
      Timeout: 60
      Events:
        Order:
          Type: SQS
          Properties:
            Queue: !GetAtt Orders.Arn
",
        config: "",
    },
    good: Example {
        file: "template.yaml",
        text: "AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 360
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt OrdersDead.Arn
        maxReceiveCount: 5
  OrdersDead:
    Type: AWS::SQS::Queue
    Properties:
      MessageRetentionPeriod: 1209600
  Handle:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: python3.12
      Handler: orders.handle
      CodeUri: src/
      Timeout: 60
      Events:
        Order:
          Type: SQS
          Properties:
            Queue: !GetAtt Orders.Arn
",
        config: "",
    },
    fix: "Hide messages for longer than one run can take, its own retries and the time for gathering a batch \
          included; or let a run take less.",
    needs: "The queue's window, what handles its messages, and the longest time that one run takes. Under conditions that the file leaves open, the window has to be too short in every case.",
    check,
};

/// More conditions than this on one queue are not gone through.
const CONDITIONS: usize = 6;

fn check(project: &Project, _: &Limits, findings: &mut Vec<Finding>) {
    for file in &project.files {
        findings.extend(file.facts.queues.iter().filter_map(|queue| of_queue(file, queue)));
    }
}

/// A window that is too short for a handler, in the case where it is shortest of time.
struct Case<'q> {
    handler: &'q Handler,
    window: Setting<Duration>,
    run: Setting<Duration>,
    gathering: Setting<Duration>,
    /// The conditions of it; empty where the values do not hang on any.
    when: Vec<(String, bool)>,
    hidden: Duration,
    need: Duration,
}

impl Case<'_> {
    fn short(&self) -> Duration {
        self.need.minus(self.hidden)
    }
}

fn of_queue(file: &ProjectFile, queue: &Queue) -> Option<Finding> {
    let cases = queue.handlers.iter().filter_map(|handler| worst_case(queue, handler));
    let case = cases.reduce(|worst, case| if case.short() > worst.short() { case } else { worst })?;
    let mut evidence = Evidence::of(&file.path);
    evidence.number(&format!("one run of {}", case.handler.name), &case.run);
    if !case.gathering.at()?.is_zero() {
        evidence.number("the time for gathering a batch", &case.gathering);
    }
    evidence.number(key(queue), &case.window);
    evidence.label(case.handler.place, format!("{} handles its messages", case.handler.name));
    let place = case.window.origin.place().or_else(|| window_place(queue));
    let wording = Wording {
        message: message(&case)?,
        label: format!("hidden for {}, {} too short", case.hidden, case.short()),
        help: help(queue, &case)?,
    };
    let finding = Subject::queue(file, queue).at(place).finding(&RULE, wording, evidence.weighed());
    Some(Finding { fix: wider_window(file, queue), ..finding })
}

/// The case with the least time, provided that there is too little in every case.
fn worst_case<'q>(queue: &Queue, handler: &'q Handler) -> Option<Case<'q>> {
    let mut worst: Option<Case<'q>> = None;
    for when in assignments([&queue.window, &handler.run, &handler.gathering])? {
        let [window, run, gathering] = [&queue.window, &handler.run, &handler.gathering].map(|setting| {
            let (bound, origin) = setting.under(&when);
            Setting::new(bound, origin.clone())
        });
        let (hidden, need) = (window.at()?, run.at()?.plus(gathering.at()?));
        let case = Case { handler, window, run, gathering, when, hidden, need };
        if case.need <= case.hidden {
            return None;
        }
        if worst.as_ref().is_none_or(|worst| case.short() > worst.short()) {
            worst = Some(case);
        }
    }
    worst
}

/// Every way in which the conditions of these settings can be met or not; None where there are too many.
fn assignments(settings: [&Setting<Duration>; 3]) -> Option<Vec<Vec<(String, bool)>>> {
    let branches = settings.into_iter().flat_map(|setting| &setting.branches);
    let names: BTreeSet<&String> =
        branches.flat_map(|branch| branch.when.iter().map(|(name, _)| name)).collect();
    if names.len() > CONDITIONS {
        return None;
    }
    let assignment = |number: u32| {
        names.iter().enumerate().map(|(bit, name)| ((*name).clone(), number & (1 << bit) == 0)).collect()
    };
    Some((0..1 << names.len()).map(assignment).collect())
}

/// Where the window is written under some condition.
fn window_place(queue: &Queue) -> Option<Place> {
    let branches = queue.window.branches.iter().map(|branch| &branch.origin);
    std::iter::once(&queue.window.origin).chain(branches).find_map(|origin| origin.place())
}

fn key(queue: &Queue) -> &str {
    if queue.window_key.is_empty() { "the window" } else { queue.window_key }
}

fn message(case: &Case<'_>) -> Option<String> {
    let (run, gathering) = (case.run.at()?, case.gathering.at()?);
    let what = match (gathering.is_zero(), case.handler.attempts) {
        (true, 0 | 1) => format!("one run takes up to {run}"),
        (true, attempts) => format!("a run with its {} takes up to {run}", counted(attempts, "attempt")),
        (false, _) => format!("gathering for {gathering} and a run of {run} take {}", case.need),
    };
    let hidden = format!("{what}, but the message is hidden for {}", case.hidden);
    let conditions: Vec<_> = case.when.iter().map(|(name, met)| format!("{name} is {met}")).collect();
    if conditions.is_empty() {
        return Some(hidden);
    }
    Some(format!("{hidden} where {}, and too short in every other case", conditions.join(" and ")))
}

fn help(queue: &Queue, case: &Case<'_>) -> Option<String> {
    let (run, gathering) = (case.run.at()?, case.gathering.at()?);
    let advice = case.handler.advice.as_ref().map(|advice| {
        let advised = run.times(advice.runs.into()).plus(gathering);
        let beside = if gathering.is_zero() { String::new() } else { " and the gathering".into() };
        format!(" {} advises {} runs{beside}: {advised}.", advice.source, advice.runs)
    });
    Some(format!(
        "Set {} to at least {}, or let a run take less.{}",
        key(queue),
        case.need,
        advice.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bound;
    use crate::model::{Advice, Branch, Origin};
    use crate::rule::samples::{check_project, secs};
    use crate::stack::samples::{file, line, queue};

    fn handler(run: Setting<Duration>, gathering: u64) -> Handler {
        Handler {
            name: "Handle".into(),
            place: line(20),
            run,
            attempts: 1,
            gathering: Setting::default(secs(gathering), "Lambda's default"),
            advice: Some(Advice {
                runs: 6,
                receives: 5,
                throttled: None,
                source: "AWS's guide to Lambda with SQS".into(),
            }),
        }
    }

    fn check_queue(window: Setting<Duration>, handlers: Vec<Handler>) -> Option<Finding> {
        let queue = Queue { window, handlers, ..queue("Orders", "/Resources/Orders") };
        let project = Project { files: vec![file("t.yaml", vec![], vec![queue])], ..Project::default() };
        let mut findings = check_project(&RULE, &project);
        assert!(findings.len() <= 1);
        findings.pop()
    }

    fn written(time: u64, at: u32) -> Setting<Duration> {
        Setting::written(secs(time), line(at))
    }

    #[test]
    fn a_run_longer_than_the_window_is_told_of_at_the_window_with_what_would_hold() {
        let finding = check_queue(written(30, 3), vec![handler(written(90, 9), 0)]).unwrap();
        assert_eq!(finding.message, "one run takes up to 90 s, but the message is hidden for 30 s");
        assert_eq!(
            finding.help,
            "Set VisibilityTimeout to at least 90 s, or let a run take less. AWS's guide to Lambda with SQS advises 6 \
             runs: 9 min."
        );
        assert_eq!((finding.place, finding.severity), (line(3), Severity::Error));
        assert_eq!(finding.related[0].message, "one run of Handle: 90 s");
    }

    #[test]
    fn a_default_window_is_told_of_at_the_queue() {
        let window = Setting::default(secs(30), "SQS's default");
        let finding = check_queue(window, vec![handler(written(60, 9), 0)]).unwrap();
        assert_eq!((finding.place, finding.severity), (line(1), Severity::Error));
        assert_eq!(finding.notes, ["VisibilityTimeout: 30 s (SQS's default)"]);
    }

    #[test]
    fn a_run_as_long_as_the_window_fits_unless_messages_are_gathered_before() {
        assert_eq!(check_queue(written(60, 3), vec![handler(written(60, 9), 0)]), None);
        let finding = check_queue(written(300, 3), vec![handler(written(60, 9), 270)]).unwrap();
        assert_eq!(
            finding.message,
            "gathering for 4 min 30 s and a run of 60 s take 5 min 30 s, but the message is hidden for 5 min"
        );
        assert!(finding.help.ends_with("advises 6 runs and the gathering: 10 min 30 s."), "{}", finding.help);
    }

    #[test]
    fn a_handler_that_retries_by_itself_says_so() {
        let worker = Handler { attempts: 3, advice: None, ..handler(written(95, 9), 0) };
        let finding = check_queue(written(30, 3), vec![worker]).unwrap();
        assert_eq!(
            finding.message,
            "a run with its 3 attempts takes up to 95 s, but the message is hidden for 30 s"
        );
    }

    #[test]
    fn several_handlers_are_one_finding_about_the_slowest() {
        let handlers =
            vec![handler(written(40, 9), 0), handler(written(70, 10), 0), handler(written(50, 11), 0)];
        assert!(
            check_queue(written(30, 3), handlers).unwrap().message.starts_with("one run takes up to 70 s")
        );
    }

    #[test]
    fn what_is_not_known_is_silent() {
        let unknown = || Setting::unknown("the parameter Wait has no default", None);
        assert_eq!(check_queue(unknown(), vec![handler(written(60, 9), 0)]), None);
        assert_eq!(check_queue(written(30, 3), vec![handler(unknown(), 0)]), None);
        assert_eq!(check_queue(written(30, 3), vec![]), None);
    }

    fn branches(name: &str, met: Bound<Duration>, not_met: Bound<Duration>, at: u32) -> Setting<Duration> {
        let branch = |value, bound| Branch {
            when: vec![(name.to_string(), value)],
            bound,
            origin: Origin::Written(line(at)),
        };
        Setting {
            branches: vec![branch(true, met), branch(false, not_met)],
            ..Setting::unknown("it hangs on a condition", None)
        }
    }

    #[test]
    fn a_condition_has_to_be_wrong_both_ways() {
        let at = |time| Bound::At(secs(time));
        let run = || branches("IsProd", at(60), at(50), 9);
        let finding = check_queue(branches("IsProd", at(45), at(30), 3), vec![handler(run(), 0)]).unwrap();
        assert_eq!(
            finding.message,
            "one run takes up to 50 s, but the message is hidden for 30 s where IsProd is false, and too short in every \
             other case"
        );
        assert_eq!(finding.place, line(3));
        assert_eq!(check_queue(branches("IsProd", at(45), at(50), 3), vec![handler(run(), 0)]), None);
        assert_eq!(check_queue(branches("IsProd", at(45), Bound::Unknown, 3), vec![handler(run(), 0)]), None);
    }

    #[test]
    fn values_of_different_conditions_are_held_against_each_other() {
        let at = |time| Bound::At(secs(time));
        let run = || branches("Slow", at(60), at(40), 9);
        assert!(check_queue(branches("IsProd", at(35), at(30), 3), vec![handler(run(), 0)]).is_some());
        assert_eq!(check_queue(branches("IsProd", at(45), at(30), 3), vec![handler(run(), 0)]), None);
    }
}
