//! The calculator's answers, one format a file.

mod csv;
mod json;
mod plot;
mod svg;
mod table;

pub use csv::csv;
pub use json::{json, stack as stack_json};
pub use plot::plot;
pub use svg::svg;
pub use table::{markdown, table};

use crate::calculator::{Answer, Fit, Method, Question, Scale};
use crate::model::{Bound, Duration};

/// A policy and what the calculator says of it.
#[derive(Debug)]
pub struct Sheet {
    /// What it is called.
    pub name: String,
    /// How its numbers are written.
    pub scale: Scale,
    /// What was asked.
    pub question: Question,
    /// What came of it.
    pub answer: Answer,
}

impl Sheet {
    fn say(&self, time: Duration) -> String {
        self.scale.labelled(time)
    }

    /// A time that is worked out approximately, to four digits.
    fn about(&self, time: Duration) -> String {
        let mut unit = 1u128;
        while time.nanos() / unit >= 10_000 {
            unit *= 10;
        }
        self.say(Duration::from_nanos((time.nanos() + unit / 2) / unit * unit))
    }

    fn bound(&self, bound: Bound<Duration>) -> String {
        match bound {
            Bound::At(time) => self.say(time),
            Bound::Unlimited => "without end".into(),
            Bound::Unknown => "not known".into(),
        }
    }

    /// The answers, a sentence each.
    fn sentences(&self) -> Vec<String> {
        let Answer {
            total,
            distribution,
            attempt,
            demand,
            worst_case,
            deadline,
            window,
            jittered,
            attempts,
            ..
        } = &self.answer;
        let simulated = matches!(distribution, Some(found) if found.method != Method::Convolution);
        let mean = |time| if simulated { self.about(time) } else { self.say(time) };
        let mut said = Vec::new();
        let attempts = match attempts {
            Bound::At(1) => "1 attempt".to_string(),
            Bound::At(count) => format!("{count} attempts"),
            Bound::Unlimited => "attempts without end".to_string(),
            Bound::Unknown => "an unknown number of attempts".to_string(),
        };
        match (total, jittered) {
            (Some(total), true) => said.push(format!(
                "{attempts}; the waits add up to {} at the least, {} on average, {} at the most.",
                self.say(total.min),
                mean(total.mean),
                self.say(total.max)
            )),
            (Some(total), false) => {
                said.push(format!("{attempts}; the waits add up to {}.", self.say(total.max)))
            }
            (None, _) => said.push(format!("{attempts}; the waits have no known sum.")),
        }
        if let Some(found) = distribution {
            let how = match found.method {
                Method::Convolution => "by convolution".to_string(),
                Method::Simulation(runs) => format!("in {runs} simulated runs"),
            };
            let (half, most, nearly) = (self.about(found.p50), self.about(found.p95), self.about(found.p99));
            said.push(format!("The sum of the waits is no longer than {half} in half of all cases, {most} in 95 %, {nearly} in 99 % ({how})."));
        }
        if attempt.is_some() {
            said.push(format!(
                "If every attempt takes its time, they need {} in all; at the worst it takes {}.",
                self.bound(*demand),
                self.bound(*worst_case)
            ));
        }
        for (what, fit) in [("the deadline", deadline), ("the window", window)] {
            if let Some(fit) = fit {
                said.extend(self.fit_sentences(what, fit));
            }
        }
        said
    }

    fn fit_sentences(&self, what: &str, fit: &Fit) -> Vec<String> {
        let count = |bound: Bound<u64>| match bound {
            Bound::At(1) => "1 attempt".to_string(),
            Bound::At(count) => format!("{count} attempts"),
            Bound::Unlimited => "attempts without end".to_string(),
            Bound::Unknown => "an unknown number of attempts".to_string(),
        };
        let limit = self.say(fit.limit);
        let mut said = vec![format!(
            "Before {what} of {limit}, {} can start and {} are sure to be over.",
            count(fit.can_start),
            count(fit.can_finish)
        )];
        // without a length of theirs, attempts that start at the very limit do not fit
        let strict = self.answer.attempt.is_none();
        let (more, least_is) = if strict { ("more than ", "more than") } else { ("", "at least") };
        let most = fit.most_retries.map_or("not known".to_string(), |most| match most {
            most if most >= crate::calculator::MOST_RETRIES => format!("{most} or more"),
            most => most.to_string(),
        });
        said.push(match (fit.fits, fit.least_limit) {
            (true, Bound::At(least)) => format!("Everything fits: {}{} would be enough. The largest number of retries that fits is {most}.", more, self.say(least)),
            (_, least) => format!("Not everything fits: {what} would have to be {least_is} {}. The largest number of retries that fits is {most}.", self.bound(least)),
        });
        if let Some(base) = fit.most_base {
            said.push(format!("The largest first wait that fits is {}.", self.say(base)));
        }
        if let Some(miss) = fit.miss {
            said.push(format!("If all attempts fail, the last one is over too late in {}.", cases(miss)));
        }
        said
    }
}

/// A part of all cases, which does not say none or all where it is not.
fn cases(part: f64) -> String {
    match part {
        0.0 => "no case".to_string(),
        1.0 => "all cases".to_string(),
        part if part < 0.0001 => "less than 0.01 % of all cases".to_string(),
        part if part > 0.9999 => "more than 99.99 % of all cases".to_string(),
        part => format!("{:.2} % of all cases", part * 100.0),
    }
}
