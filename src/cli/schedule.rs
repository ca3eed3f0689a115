//! `retrylint schedule`

use super::args::{ScheduleFormat, ScheduleOptions};
use super::run;
use super::{CLEAN, FAILED, complain};
use crate::calculator::{Question, Scale, Spec, SpecError, amount};
use crate::config;
use crate::model::{Bound, Duration, Policy};
use crate::report::printable;
use crate::report::schedule::{self as report, Sheet};
use crate::source::{Place, why};
use crate::stack::{self, DeclaredLayer, DeclaredStack, Stack};
use std::io::{self, Write};
use std::path::Path;

/// Answers about one policy, about several side by side, or about a stack.
pub(super) fn schedule(options: &ScheduleOptions, out: &mut dyn Write) -> io::Result<u8> {
    if options.plot && options.format != ScheduleFormat::Table {
        complain("--plot draws below a table only; leave it out, or write --format svg for a picture");
        return Ok(FAILED);
    }
    let asked = match &options.stack {
        Some(text) => layers(text, options).map(|stack| Asked::Stack(Box::new(stack))),
        None => sheets(options).map(Asked::Policies),
    };
    match asked {
        Err(error) => {
            complain(error);
            return Ok(FAILED);
        }
        Ok(Asked::Stack(stack)) if options.format == ScheduleFormat::Json => report::stack_json(&stack, out)?,
        Ok(Asked::Stack(stack)) if options.format == ScheduleFormat::Table && !options.plot => {
            tell(&stack, out)?
        }
        Ok(Asked::Stack(_)) => {
            complain("--stack is shown by --format table and --format json only, without --plot");
            return Ok(FAILED);
        }
        Ok(Asked::Policies(sheets)) => {
            match options.format {
                ScheduleFormat::Table => {
                    report::table(&sheets, out)?;
                    if options.plot {
                        writeln!(out)?;
                        report::plot(&sheets, out)?;
                    }
                }
                ScheduleFormat::Json => report::json(&sheets, out)?,
                ScheduleFormat::Csv => report::csv(&sheets, out)?,
                ScheduleFormat::Markdown => report::markdown(&sheets, out)?,
                ScheduleFormat::Svg => report::svg(&sheets, out)?,
            };
        }
    }
    Ok(CLEAN)
}

enum Asked {
    Policies(Vec<Sheet>),
    Stack(Box<Stack>),
}

fn sheets(options: &ScheduleOptions) -> Result<Vec<Sheet>, String> {
    let given = options.given();
    let questions = ["attempt-timeout", "deadline", "window", "work", "jitter"];
    let first = match &options.policy {
        Some(selector) => {
            if let Some((name, _)) = given.iter().find(|(name, _)| !questions.contains(name)) {
                return Err(format!(
                    "--{name} is for a policy in words, and {selector} is one from a file; leave one of them out"
                ));
            }
            from_file(selector, &given)?
        }
        None => from_spec("as given", &spec(&given).map_err(|error| error.to_string())?),
    };
    let mut sheets = vec![first];
    for other in &options.vs {
        sheets.push(if other.contains('=') && !other.contains('#') {
            let spec: Spec = other.parse().map_err(|error: SpecError| error.to_string())?;
            from_spec(other, &spec)
        } else {
            from_file(other, &[])?
        });
    }
    Ok(sheets)
}

fn spec(given: &[(&'static str, &str)]) -> Result<Spec, SpecError> {
    let mut spec = Spec::default();
    for (name, value) in given {
        spec.set(name, value)?;
    }
    spec.checked()
}

fn from_spec(name: &str, spec: &Spec) -> Sheet {
    let question = Question { policy: spec.policy(), window: spec.window(), work: spec.work() };
    let answer = question.answer();
    Sheet { name: printable(name), scale: spec.scale(), question, answer }
}

/// The policy of a file, with what is asked of it beside its own times.
fn from_file(selector: &str, given: &[(&'static str, &str)]) -> Result<Sheet, String> {
    let mut question = Question::new(find(selector)?);
    for (name, value) in given {
        let option = format!("--{name}");
        if *name == "jitter" {
            let jitter = crate::calculator::jitter(value).map_err(|error| error.to_string())?;
            question.policy.backoff.jitter = crate::model::Setting::default(jitter, "as given");
            continue;
        }
        let time = amount(&option, value).map_err(|error| error.to_string())?;
        let Some(time) = time.duration() else {
            return Err(format!(
                "{option} is {value}, but a duration with a unit is expected, as 250ms or 2s"
            ));
        };
        match *name {
            "attempt-timeout" => {
                question.policy.attempt_timeout = crate::model::Setting::default(time, "as given")
            }
            "deadline" => question.policy.deadline = crate::model::Setting::default(time, "as given"),
            "window" => question.window = Some(time),
            _ => question.work = Some(time),
        }
    }
    let answer = question.answer();
    Ok(Sheet { name: printable(selector), scale: Scale::Time, question, answer })
}

/// The policy that `FILE`, `FILE#name` or `FILE#/pointer` names.
fn find(selector: &str) -> Result<Policy, String> {
    let (file, wanted) =
        selector.split_once('#').map_or((selector, None), |(file, wanted)| (file, Some(wanted)));
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {}", why(&error)))?;
    let config = config::of(Path::new(file)).map_err(|error| error.to_string())?;
    let facts = run::facts(file, text, &config.dialects_of(file))
        .ok_or_else(|| format!("{file} is a template, and holds no values; render it first"))?;
    let candidates: Vec<_> = facts
        .policies
        .iter()
        .map(|policy| format!("  {file}#{}  (line {}, {})", policy.name, policy.place.line, policy.pointer))
        .collect();
    let matching: Vec<_> = facts
        .policies
        .into_iter()
        .filter(|policy| wanted.is_none_or(|wanted| wanted == policy.name || wanted == policy.pointer))
        .collect();
    match <[Policy; 1]>::try_from(matching) {
        Ok([policy]) => Ok(policy),
        Err(_) if candidates.is_empty() => Err(format!(
            "no policy is found in {file}; [[dialect]] of retrylint.toml says where one is whose keys are not known"
        )),
        Err(none) if none.is_empty() => Err(format!(
            "{file} has no policy {}; it has\n{}",
            wanted.unwrap_or_default(),
            candidates.join("\n")
        )),
        Err(_) => Err(format!("{file} has several policies; name one of them:\n{}", candidates.join("\n"))),
    }
}

/// `3,3,3` or `3x2s,3x500ms`, outermost first.
fn layers(text: &str, options: &ScheduleOptions) -> Result<Stack, String> {
    let mut layers = Vec::new();
    for (n, part) in text.split(',').enumerate() {
        let (count, timeout) = part
            .trim()
            .split_once(['x', '×'])
            .map_or((part.trim(), None), |(count, timeout)| (count, Some(timeout)));
        let attempts = count.parse::<u64>().ok().filter(|count| (1..=1_000_000).contains(count));
        let attempts = attempts.ok_or_else(|| {
            format!(
                "--stack has {part}, but attempts from 1 to 1000000 are expected, as in 3,3,3 or 3x2s,3x500ms"
            )
        })?;
        let timeout = match timeout {
            Some(timeout) => {
                let time = amount("--stack", timeout).ok().and_then(|time| time.duration());
                Some(time.ok_or_else(|| {
                    format!(
                        "--stack has {part}, but a timeout with a unit is expected after the x, as in 3x2s"
                    )
                })?)
            }
            None => None,
        };
        layers.push(DeclaredLayer::Foreign {
            name: format!("layer {}", n + 1),
            attempts,
            attempt_timeout: timeout,
            deadline: None,
        });
    }
    let deadline = match &options.deadline {
        Some(text) => amount("--deadline", text).map_err(|error| error.to_string())?.duration(),
        None => None,
    };
    let declared = DeclaredStack {
        name: text.to_string(),
        place: Place::default(),
        deadline,
        max_attempts: None,
        layers,
    };
    stack::build(Vec::new(), &[declared]).stacks.pop().ok_or_else(|| "the stack has no layers".to_string())
}

fn tell(stack: &Stack, out: &mut dyn Write) -> io::Result<()> {
    let counts: Vec<_> =
        stack.layers.iter().map(|layer| layer.attempts.at().unwrap_or_default().to_string()).collect();
    let calls = |bound: Bound<u64>| bound.at().map_or("not known".to_string(), |count| count.to_string());
    writeln!(
        out,
        "{} = {} calls if every attempt fails at once.",
        counts.join(" × "),
        calls(stack.fail_fast_calls)
    )?;
    let time = |bound: Bound<Duration>| bound.at().map_or("not known".to_string(), |time| time.to_string());
    if stack.layers.iter().any(|layer| layer.attempt.at().is_some()) {
        writeln!(out, "{} calls if every attempt takes its full timeout.", calls(stack.slow_fail_calls))?;
        writeln!(
            out,
            "The outermost operation asks for {}, and takes {} at the worst.",
            time(stack.demand),
            time(stack.worst_case)
        )?;
    }
    Ok(())
}
