//! A generated tree of 10,000 files: discovery with the pre-filter, parsing, and the whole check.

mod tree;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use retrylint::document::{self, Format};
use retrylint::source::SourceText;
use retrylint::source::discover::{Patterns, Search, discover};
use retrylint::source::prefilter::Prefilter;
use retrylint::source::read::{self, Content};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FILES: usize = 10_000;

fn tree() -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = tree::write(folder.path(), FILES).expect("a tree");
    (folder, bytes)
}

fn found(root: &Path, filter: &Prefilter) -> Vec<(Format, String)> {
    let paths = [root.to_path_buf()];
    let wanted = |path: &Path| Format::is_config(&path.to_string_lossy());
    let search = Search { paths: &paths, wanted: &wanted, patterns: &Patterns::default(), threads: 0 };
    let texts = discover(&search).found.into_iter().filter_map(|file| {
        match read::file(&file.path, u64::MAX, filter) {
            Ok(Content::Text(text)) => Some((Format::of(&file.shown, &text), text)),
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
    let sources: Vec<_> =
        everything.into_iter().map(|(format, text)| (format, SourceText::new(text))).collect();
    for (unit, throughput) in
        [("files", Throughput::Elements(FILES as u64)), ("bytes", Throughput::Bytes(bytes))]
    {
        group.throughput(throughput);
        group.bench_function(format!("parse of every file on one thread, {unit}"), |bencher| {
            bencher.iter(|| {
                sources
                    .iter()
                    .map(|(format, source)| document::parse(source, *format).documents.len())
                    .sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
