//! The calculator's JSON, version 1: keys without an ending for plain numbers, with `_ms` for durations.

use super::Sheet;
use crate::calculator::{Fit, Method, Row, Scale, Spread};
use crate::model::{Bound, Duration};
use crate::report::write_json;
use crate::stack::Stack;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes one policy as an object, several as `{"version": 1, "policies": [...]}`.
pub fn json(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let mut all: Vec<_> = sheets.iter().map(sheet).collect();
    let value = match all.as_mut_slice() {
        [one] => one.take(),
        _ => json!({ "version": 1, "policies": all }),
    };
    write_json(&value, out)
}

/// Writes the numbers of a stack.
pub fn stack(stack: &Stack, out: &mut dyn Write) -> io::Result<()> {
    let keys = Keys(&Scale::Time);
    let mut value = object([
        ("version", json!(1)),
        ("fail_fast_calls", count(stack.fail_fast_calls)),
        ("slow_fail_calls", count(stack.slow_fail_calls)),
    ]);
    keys.put(&mut value, "demand", keys.bound(stack.demand));
    keys.put(&mut value, "worst_case", keys.bound(stack.worst_case));
    write_json(&Value::Object(value), out)
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn count(bound: Bound<u64>) -> Value {
    bound.at().map_or(Value::Null, Value::from)
}

/// How times are keyed and written.
struct Keys<'s>(&'s Scale);

impl Keys<'_> {
    fn time(&self, time: Duration) -> Value {
        match self.0 {
            Scale::Time => json!(time.millis()),
            Scale::Plain(_) => {
                let text = self.0.number(time);
                let whole = text.parse::<u64>().map(Value::from);
                whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or(Value::Null)
            }
        }
    }

    fn bound(&self, bound: Bound<Duration>) -> Value {
        bound.at().map_or(Value::Null, |time| self.time(time))
    }

    fn put(&self, object: &mut Map<String, Value>, key: &str, value: Value) {
        let ending = if *self.0 == Scale::Time { "_ms" } else { "" };
        object.insert(format!("{key}{ending}"), value);
    }

    fn spread(&self, object: &mut Map<String, Value>, before: &str, spread: Spread) {
        for (key, time) in [("min", spread.min), ("mean", spread.mean), ("max", spread.max)] {
            self.put(object, &format!("{before}{key}"), self.time(time));
        }
    }
}

fn sheet(sheet: &Sheet) -> Value {
    let keys = Keys(&sheet.scale);
    let answer = &sheet.answer;
    let unit = match &sheet.scale {
        Scale::Plain(Some(unit)) => json!(unit),
        Scale::Plain(None) => Value::Null,
        Scale::Time => json!("ms"),
    };
    let mut object = object([
        ("version", json!(1)),
        ("policy", json!(sheet.name)),
        ("unit", unit),
        ("attempts", count(answer.attempts)),
        ("rows", answer.rows.iter().map(|row| self::row(&keys, row, answer.jittered)).collect()),
        ("truncated", json!(answer.truncated)),
    ]);
    if let Some(total) = answer.total {
        let mut value = Map::new();
        keys.spread(&mut value, "", total);
        object.insert("total_wait".into(), Value::Object(value));
    }
    if let Some(found) = &answer.distribution {
        let (method, runs) = match found.method {
            Method::Convolution => ("convolution", Value::Null),
            Method::Simulation(runs) => ("simulation", json!(runs)),
        };
        let mut value = self::object([("method", json!(method)), ("runs", runs)]);
        for (key, time) in [("p50", found.p50), ("p95", found.p95), ("p99", found.p99)] {
            keys.put(&mut value, key, keys.time(time));
        }
        object.insert("distribution".into(), Value::Object(value));
    }
    let mut answers = Map::new();
    keys.put(&mut answers, "demand", keys.bound(answer.demand));
    keys.put(&mut answers, "worst_case", keys.bound(answer.worst_case));
    for (name, found) in [("deadline", &answer.deadline), ("window", &answer.window)] {
        if let Some(found) = found {
            answers.insert(name.into(), fit(&keys, found));
        }
    }
    object.insert("answers".into(), Value::Object(answers));
    Value::Object(object)
}

fn row(keys: &Keys<'_>, row: &Row, jittered: bool) -> Value {
    let mut value = object([("retry", json!(row.retry))]);
    keys.put(&mut value, "wait", keys.time(row.wait));
    keys.put(&mut value, "total", keys.time(row.total));
    value.insert("capped".into(), json!(row.capped));
    if jittered {
        keys.spread(&mut value, "", row.spread);
        keys.spread(&mut value, "total_", row.total_spread);
    }
    Value::Object(value)
}

fn fit(keys: &Keys<'_>, fit: &Fit) -> Value {
    let mut value = object([
        ("can_start", count(fit.can_start)),
        ("can_finish", count(fit.can_finish)),
        ("most_retries", json!(fit.most_retries)),
        ("miss_probability", json!(fit.miss)),
    ]);
    keys.put(&mut value, "limit", keys.time(fit.limit));
    keys.put(&mut value, "least_limit", keys.bound(fit.least_limit));
    keys.put(&mut value, "most_base", fit.most_base.map_or(Value::Null, |base| keys.time(base)));
    Value::Object(value)
}
