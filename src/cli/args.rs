//! The command line, as types.

use crate::config::{FailOn, nearest};
use crate::rule;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

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
    /// Show the call paths whose layers multiply
    Stacks(StacksOptions),
    /// Show what a change does to policies, queues and stacks
    Diff(DiffOptions),
    /// Calculate one policy: its waits, what fits a deadline or a window, what jitter does
    Schedule(Box<ScheduleOptions>),
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

/// More threads than this are of use to nobody, and to start them takes longer than the work.
const MOST_THREADS: i64 = 256;

/// How to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// For programs
    Json,
}

/// How to show what a check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// Code Quality of GitLab
    Gitlab,
    /// One test case for each file, for Jenkins and others
    Junit,
    /// A table, for the summary of a job or the comment of a review
    Markdown,
}

/// The same result once more, in a file: `FORMAT=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Also {
    /// How it is shown there.
    pub format: CheckFormat,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for Also {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) =
            text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("write FORMAT=FILE")?;
        let format = CheckFormat::from_str(format, false).map_err(|_| {
            let known: Vec<_> =
                CheckFormat::value_variants().iter().filter_map(CheckFormat::to_possible_value).collect();
            let known: Vec<_> = known.iter().map(|value| value.get_name()).collect();
            nearest::unknown("format", format, &known)
        })?;
        Ok(Self { format, path: path.into() })
    }
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
#[derive(Clone, Debug, Args)]
pub struct FileOptions {
    /// Files, folders or globs; `-` reads standard input [default: .]
    pub paths: Vec<PathBuf>,
    /// The name that decides how standard input is read
    #[arg(long, value_name = "NAME")]
    pub stdin_filename: Option<PathBuf>,
    /// How to read them.
    #[command(flatten)]
    pub reading: ReadOptions,
}

/// How to read files.
#[derive(Clone, Debug, Args)]
pub struct ReadOptions {
    /// Use this retrylint.toml and look for no other
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Use no retrylint.toml
    #[arg(long)]
    pub no_config: bool,
    /// Skip files with more bytes than this
    #[arg(long, value_name = "BYTES", default_value_t = 8 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=u64::from(u32::MAX)))]
    pub max_file_size: u64,
    /// Threads to use; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=MOST_THREADS))]
    pub threads: u16,
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
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub format: CheckFormat,
    /// Write the same findings to a file as well, in any format; may be given several times
    #[arg(long, value_name = "FORMAT=FILE")]
    pub also: Vec<Also>,
    /// Show what comments silence and the baseline knows in SARIF as well, marked as suppressed
    #[arg(long)]
    pub show_suppressed: bool,
    /// Fail with status 2 where no policy and no queue is found at all, as with a wrong path
    #[arg(long)]
    pub expect_policies: bool,
    /// The least severity that makes the check fail [default: error]
    #[arg(long, value_enum)]
    pub fail_on: Option<FailOn>,
    /// Report only these rules, even those that retrylint.toml switches off
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule_name)]
    pub select: Vec<String>,
    /// Do not report these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule_name)]
    pub ignore: Vec<String>,
    /// Show every finding with its lines, also of a rule that finds more than 20
    #[arg(long)]
    pub all: bool,
    /// Report pedantic rules as well
    #[arg(long)]
    pub pedantic: bool,
    /// Keep the findings quiet that this baseline knows by rule, file and pointer, whatever has become of their numbers
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to a baseline; with --baseline only those that it knows already
    #[arg(long, value_name = "FILE", conflicts_with = "changed")]
    pub write_baseline: Option<PathBuf>,
    /// Report only what has changed since this git revision forked off, or its causes [default: HEAD]
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "HEAD")]
    pub changed: Option<String>,
    /// Whether to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Put right what has one answer, and report what remains; of standard input the text goes to standard output
    #[arg(long, conflicts_with = "changed")]
    pub fix: bool,
    /// Show what --fix would change as a unified diff, and write nothing
    #[arg(long, conflicts_with_all = ["fix", "format", "changed"])]
    pub diff: bool,
}

fn rule_name(text: &str) -> Result<String, String> {
    let known: Vec<_> = rule::all().iter().map(|rule| rule.id).collect();
    let name = text.trim();
    if known.contains(&name) { Ok(name.to_string()) } else { Err(nearest::unknown("rule", name, &known)) }
}

/// How to show what a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people
    #[value(alias = "text")]
    Human,
    /// For the comment of a review
    Markdown,
    /// For programs
    Json,
}

/// Options of `diff`.
#[derive(Debug, Args)]
pub struct DiffOptions {
    /// The git revision before; `BASE..HEAD` for both; `BASE...` or `BASE...HEAD` for where HEAD forked off it
    pub base: String,
    /// The git revision after [default: the files as they are]
    pub head: Option<String>,
    /// Files, folders or globs [default: .]
    #[arg(last = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How to read them.
    #[command(flatten)]
    pub reading: ReadOptions,
    /// How to show it
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
}

/// How to show what `inspect` finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// For programs that read YAML
    Yaml,
}

/// Options of `inspect`.
#[derive(Debug, Args)]
pub struct InspectOptions {
    /// Files.
    #[command(flatten)]
    pub files: FileOptions,
    /// How to show what is found
    #[arg(long, value_enum, default_value_t = InspectFormat::Human)]
    pub format: InspectFormat,
}

/// How to show call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StacksFormat {
    /// Trees with numbers
    Human,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
    /// For a page that draws Mermaid
    Mermaid,
}

/// Options of `stacks`.
#[derive(Debug, Args)]
pub struct StacksOptions {
    /// Files.
    #[command(flatten)]
    pub files: FileOptions,
    /// How to show them
    #[arg(long, value_enum, default_value_t = StacksFormat::Human)]
    pub format: StacksFormat,
    /// Show what may be layers of one path, by names that are alike, and is not joined
    #[arg(long)]
    pub candidates: bool,
}

/// How to show what the calculator says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleFormat {
    /// Rows and sentences
    Table,
    /// For programs
    Json,
    /// Rows for a spreadsheet
    Csv,
    /// For a page or a comment
    Markdown,
    /// A picture
    Svg,
}

/// Options of `schedule`. Times are durations with a unit (250ms, 1m30s, PT1.5S), or all plain numbers.
#[derive(Debug, Args)]
pub struct ScheduleOptions {
    /// A policy from a file: FILE, FILE#name or FILE#/pointer
    pub policy: Option<String>,
    /// The first wait, of waits that grow by the multiplier
    #[arg(long, alias = "initial", value_name = "TIME", allow_hyphen_values = true)]
    pub base: Option<String>,
    /// Growth per retry [default: 2]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub multiplier: Option<String>,
    /// The longest single wait
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max: Option<String>,
    /// How often it is tried again
    #[arg(long, value_name = "N", conflicts_with = "attempts", allow_hyphen_values = true)]
    pub retries: Option<String>,
    /// How often it is tried, the first try included
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub attempts: Option<String>,
    /// The same wait each time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub fixed: Option<String>,
    /// A wait that grows by itself: 1, 2, 3, … times
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub linear: Option<String>,
    /// Waits of 1, 1, 2, 3, 5, … times this
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub fibonacci: Option<String>,
    /// The waits themselves; the last one repeats
    #[arg(long, value_name = "TIME,TIME,…", allow_hyphen_values = true)]
    pub waits: Option<String>,
    /// How waits are scattered: none, full, equal, decorrelated, or a part as ±20%
    #[arg(long, value_name = "KIND", allow_hyphen_values = true)]
    pub jitter: Option<String>,
    /// What plain numbers count, as a label
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,
    /// What bounds one attempt
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub attempt_timeout: Option<String>,
    /// What bounds all of them
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub deadline: Option<String>,
    /// How long a queue hides the message
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// How long one attempt takes
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub work: Option<String>,
    /// Layers, outermost first: 3,3,3 or 3x2s,3x500ms
    #[arg(long, value_name = "LAYERS")]
    pub stack: Option<String>,
    /// Another policy beside it: FILE#name, or "base=100ms multiplier=3 max=10s retries=5"
    #[arg(long, value_name = "POLICY")]
    pub vs: Vec<String>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = ScheduleFormat::Table)]
    pub format: ScheduleFormat,
    /// Draw it below the table
    #[arg(long)]
    pub plot: bool,
}

impl ScheduleOptions {
    /// The options about the policy that are given, by their names.
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("base", &self.base),
            ("multiplier", &self.multiplier),
            ("max", &self.max),
            ("retries", &self.retries),
            ("attempts", &self.attempts),
            ("fixed", &self.fixed),
            ("linear", &self.linear),
            ("fibonacci", &self.fibonacci),
            ("waits", &self.waits),
            ("jitter", &self.jitter),
            ("unit", &self.unit),
            ("attempt-timeout", &self.attempt_timeout),
            ("deadline", &self.deadline),
            ("window", &self.window),
            ("work", &self.work),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
    }
}
