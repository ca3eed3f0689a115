//! The commands. Arguments in [`args`], the way through in [`run`], one file for each command.

pub mod args;
mod changed;
mod check;
mod dialects;
pub mod diff;
mod explain;
mod fix;
mod inspect;
mod progress;
mod rules;
pub mod run;
mod schedule;
mod stacks;
mod suppress;

use crate::report::printable;
use args::{Arguments, Command};
use std::fmt::Display;
use std::io::{self, Write};

/// Exit status: nothing at or above the failing severity.
pub const CLEAN: u8 = 0;
/// Exit status: findings.
pub const FINDINGS: u8 = 1;
/// Exit status: it could not do its work.
pub const FAILED: u8 = 2;

/// Does what the arguments say and gives the exit status. A reader that goes away early is no error.
pub fn main(arguments: Arguments) -> u8 {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = match arguments.command {
        Command::Check(options) => check::check(&options, &mut out),
        Command::Inspect(options) => inspect::inspect(&options, &mut out),
        Command::Stacks(options) => stacks::stacks(&options, &mut out),
        Command::Diff(options) => diff::diff(&options, &mut out),
        Command::Schedule(options) => schedule::schedule(&options, &mut out),
        Command::Rules { format } => rules::rules(format, &mut out),
        Command::Dialects { format } => dialects::dialects(format, &mut out),
        Command::Explain { rule, format } => explain::explain(&rule, format, &mut out),
    };
    let written = done.and_then(|status| out.flush().map(|()| status));
    match written {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => CLEAN,
        Err(error) => {
            complain(error);
            FAILED
        }
    }
}

/// What was done; what went wrong instead is said.
fn told<T>(done: Result<T, impl Display>) -> Option<T> {
    done.map_err(complain).ok()
}

/// Says on standard error what is wrong; where nobody reads it, it is not said. Lines after the first one stand
/// deeper, so that none that a name holds looks like another complaint.
fn complain(what: impl Display) {
    let what = what.to_string();
    let lines: Vec<_> = what.lines().map(|line| printable(line.trim_start())).collect();
    let _ = writeln!(io::stderr(), "retrylint: {}", lines.join("\n  "));
}
