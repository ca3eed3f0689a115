//! The command line, as types.

use crate::config::FailOn;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds retry settings that do not fit.
#[derive(Debug, Parser)]
#[command(name = "retrylint", version, about, long_about = None)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report where retry settings do not fit
    Check(CheckOptions),
    /// Show every policy, queue and stack that is found, with its computed values
    Inspect(InspectOptions),
    /// List the rules
    Rules {
        /// How to show them
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// List the systems whose configuration is read
    Dialects {
        /// How to show them
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Explain a rule
    Explain {
        /// The rule's name
        rule: String,
        /// How to show it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
}

/// How to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// For programs
    Json,
}

/// Whether to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which files to look at, and how.
#[derive(Debug, Args)]
pub struct FileOptions {
    /// Files, folders or globs; `-` reads standard input [default: .]
    pub paths: Vec<String>,
    /// Use this retrylint.toml and look for no other
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Use no retrylint.toml
    #[arg(long)]
    pub no_config: bool,
    /// The name that decides how standard input is read
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<String>,
    /// Skip files with more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = 8 * 1024 * 1024)]
    pub max_file_size: u64,
    /// Threads to use; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Say which files are skipped, and why
    #[arg(long, short)]
    pub verbose: bool,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckOptions {
    /// Files.
    #[command(flatten)]
    pub files: FileOptions,
    /// How to show findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// The least severity that makes the check fail [default: error]
    #[arg(long, value_enum)]
    pub fail_on: Option<FailOn>,
    /// Whether to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Options of `inspect`.
#[derive(Debug, Args)]
pub struct InspectOptions {
    /// Files.
    #[command(flatten)]
    pub files: FileOptions,
    /// How to show what is found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}
