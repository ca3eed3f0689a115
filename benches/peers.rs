//! The whole check beside its peers on the same generated trees, in turns, with the ratios of the medians:
//! ripgrep for the bare words (the limit), a parse of every file, yamllint and cfn-lint where they are installed.
//!
//! `cargo bench --bench peers -- 1000 10000 100000` takes these sizes; without one it takes 1,000 and 10,000.

mod tree;

use rayon::prelude::*;
use retrylint::document::{self, Format};
use retrylint::source::SourceText;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;
/// Peers that take minutes where the others take a second see a part of the tree.
const PART: &str = "d0";
const WORDS: &str = "retr(y|ies)|back.?off|attempt";

/// What one run took.
#[derive(Clone, Copy)]
struct Took {
    seconds: f64,
    cpu: f64,
    megabytes: f64,
}

struct Peer {
    name: &'static str,
    command: Vec<String>,
    /// It sees a part only.
    part: bool,
}

fn peers(tree: &Path) -> Vec<Peer> {
    let part = tree.join(PART).display().to_string();
    let whole = tree.display().to_string();
    let own = std::env::current_exe().expect("this program").display().to_string();
    let all = [
        ("retrylint", vec![env!("CARGO_BIN_EXE_retrylint"), "check", "--no-config", &whole], false),
        ("ripgrep", vec!["rg", "-il", WORDS, &whole], false),
        ("parse of all", vec![&own, "--parse", &whole], false),
        ("retrylint, part", vec![env!("CARGO_BIN_EXE_retrylint"), "check", "--no-config", &part], true),
        ("yamllint, part", vec!["yamllint", "-d", "relaxed", &part], true),
        ("cfn-lint, part", vec!["cfn-lint", &part], true),
    ];
    let there = |command: &str| Command::new(command).arg("--version").output().is_ok();
    let (known, missing): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, command, _)| there(command[0]));
    missing.iter().for_each(|(name, ..)| println!("{name}: not installed, left out"));
    let peer = |(name, command, part): (_, Vec<&str>, _)| Peer {
        name,
        command: command.into_iter().map(str::to_string).collect(),
        part,
    };
    known.into_iter().map(peer).collect()
}

/// Runs a command under GNU time, which knows its processor time and its peak of memory.
fn run(command: &[String]) -> Took {
    let started = Instant::now();
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "retrylint-bench %U %S %M", "--"]).args(command).stdout(Stdio::null());
    let said = timed.output().expect("GNU time at /usr/bin/time").stderr;
    let seconds = started.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rev().find_map(|line| line.strip_prefix("retrylint-bench ")).unwrap_or_default();
    let numbers: Vec<f64> = last.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [user, system, kilobytes] = numbers[..] else { panic!("no times in: {said}") };
    Took { seconds, cpu: user + system, megabytes: kilobytes / 1024.0 }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(files: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = tree::write(folder.path(), files).expect("a tree");
    println!("{files} files, {} MB", bytes / 1_000_000);
    let peers = peers(folder.path());
    let mut all: Vec<Vec<Took>> = peers.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (peer, took) in peers.iter().zip(&mut all) {
            took.push(run(&peer.command));
        }
    }
    let of = |took: &[Took], what: fn(&Took) -> f64| median(took.iter().map(what).collect());
    let own = |part: bool| {
        let at = peers.iter().position(|peer| peer.name.starts_with("retrylint") && peer.part == part);
        at.map_or(f64::NAN, |at| of(&all[at], |took| took.seconds))
    };
    for (peer, took) in peers.iter().zip(&all) {
        let seconds = of(took, |took| took.seconds);
        let mut line = format!("  {:16} {seconds:8.3} s", peer.name);
        let _ = write!(line, " {:8.3} s of CPU", of(took, |took| took.cpu));
        let _ = write!(line, " {:8.1} MB", of(took, |took| took.megabytes));
        let _ = write!(line, "   retrylint takes {:.3} of it", own(peer.part) / seconds);
        println!("{line}");
    }
}

/// Parses every file of a tree and does nothing else.
fn parse_all(tree: &Path) {
    let mut folders = vec![tree.to_path_buf()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let list = if entry.path().is_dir() { &mut folders } else { &mut files };
            list.push(entry.path());
        }
    }
    let documents: usize = files
        .par_iter()
        .map(|file| {
            let source = SourceText::new(std::fs::read_to_string(file).expect("a text"));
            document::parse(&source, Format::of(&file.to_string_lossy(), source.as_str())).documents.len()
        })
        .sum();
    println!("{documents}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, tree] = &arguments[..]
        && flag == "--parse"
    {
        return parse_all(Path::new(tree));
    }
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000] } else { sizes };
    sizes.into_iter().for_each(compare);
}
