//! A generated tree of 10,000 files, 4 % of them with retry settings, with sizes as in public repositories
//! (median 0.8 KB, 99 % under 108 KB): discovery with the pre-filter, parsing, and the whole check.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use retrylint::document::{self, Format};
use retrylint::source::SourceText;
use retrylint::source::discover::{Patterns, Search, discover};
use retrylint::source::prefilter::Prefilter;
use retrylint::source::read::{self, Content};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FILES: usize = 10_000;
/// One file in so many holds retry settings.
const RETRYING: usize = 25;
/// Sizes in bytes, from the smallest to the largest, each for the same part of the files.
const SIZES: &[usize] = &[120, 250, 380, 500, 640, 800, 1_000, 1_500, 2_500, 4_000, 9_000];
/// One file in so many is of this size.
const LARGE: (usize, usize) = (100, 108_000);

fn retrying(n: usize) -> String {
    format!(
        "clients:\n  c{n}:\n    url: http://c{n}:8080\n    request_timeout: 2s\n    retry:\n      max_attempts: {}\n      initial_delay: 100ms\n      max_delay: 2s\n      jitter: full\n",
        3 + n % 3
    )
}

/// A file of about a size, without a word of retrying unless it is one of those that have it.
fn text(n: usize) -> String {
    let size = if n % LARGE.0 == 7 { LARGE.1 } else { SIZES[n * 7 % SIZES.len()] };
    let mut text = if n.is_multiple_of(RETRYING) { retrying(n) } else { String::new() };
    let mut line = 0;
    while text.len() < size {
        let _ = writeln!(
            text,
            "service_{line}:\n  image: registry.example/app:{n}\n  ports: [{line}, 80]\n  labels:\n    tier: web"
        );
        line += 1;
    }
    text
}

fn tree() -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut bytes = 0;
    for n in 0..FILES {
        let path = folder.path().join(format!("d{}/f{n}.yaml", n % 100));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let text = text(n);
        bytes += text.len() as u64;
        std::fs::write(path, text).expect("a written file");
    }
    (folder, bytes)
}

fn found(root: &Path, filter: &Prefilter) -> Vec<String> {
    let paths = [root.to_path_buf()];
    let wanted = |path: &Path| Format::is_config(&path.to_string_lossy());
    let search = Search { paths: &paths, wanted: &wanted, patterns: &Patterns::default(), threads: 0 };
    let texts = discover(&search).found.into_iter().filter_map(|file| {
        match read::file(&file.path, u64::MAX, filter) {
            Ok(Content::Text(text)) => Some(text),
            _ => None,
        }
    });
    texts.collect()
}

fn bench(criterion: &mut Criterion) {
    let (folder, bytes) = tree();
    let markers = || retrylint::dialect::all().flat_map(|dialect| dialect.markers.iter().copied());
    let mut group = criterion.benchmark_group("10,000 files");
    group.sample_size(10).measurement_time(Duration::from_secs(8));

    for (unit, throughput) in
        [("files", Throughput::Elements(FILES as u64)), ("bytes", Throughput::Bytes(bytes))]
    {
        group.throughput(throughput);
        group.bench_function(format!("discovery and pre-filter, {unit}"), |bencher| {
            bencher.iter(|| found(folder.path(), &Prefilter::new(markers())).len());
        });
        group.bench_function(format!("whole check, {unit}"), |bencher| {
            bencher.iter(|| {
                let mut check = Command::new(env!("CARGO_BIN_EXE_retrylint"));
                let done =
                    check.args(["check", "--no-config"]).arg(folder.path()).stdout(Stdio::null()).status();
                assert!(done.expect("a run").code().is_some());
            });
        });
    }

    let everything = found(folder.path(), &Prefilter::new([]));
    assert_eq!(everything.len(), FILES);
    let sources: Vec<_> = everything.into_iter().map(SourceText::new).collect();
    for (unit, throughput) in
        [("files", Throughput::Elements(FILES as u64)), ("bytes", Throughput::Bytes(bytes))]
    {
        group.throughput(throughput);
        group.bench_function(format!("parse of every file on one thread, {unit}"), |bencher| {
            bencher.iter(|| {
                sources
                    .iter()
                    .map(|source| document::parse(source, Format::Yaml).documents.len())
                    .sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
