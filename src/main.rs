//! The `retrylint` command: arguments in, exit status out.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(retrylint::cli::main(retrylint::cli::args::Arguments::parse()))
}
