//! Broken inputs: whatever the bytes are, the answer is clean and quick.

mod common;

use common::{cases, retrylint};
use std::process::Stdio;

/// Small and repeatable; the quality of the numbers does not matter.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Facts of bytes as a file with this name; it is the whole way from bytes to schedules.
fn survives(name: &str, bytes: &[u8]) {
    let findings = ::retrylint::check_bytes(name, bytes);
    let size = bytes.len() as u32;
    for finding in findings {
        assert!(finding.place.start <= finding.place.end && finding.place.end <= size, "{name}: {finding:?}");
    }
}

#[test]
fn every_case_cut_off_at_every_byte_gives_a_clean_result() {
    for case in cases() {
        for input in &case.inputs {
            let bytes = case.text(input).into_bytes();
            for end in 0..bytes.len() {
                survives(input, &bytes[..end]);
            }
        }
    }
}

#[test]
fn every_case_with_random_bytes_changed_gives_a_clean_result() {
    let mut dice = Dice(0x5eed);
    for case in cases() {
        for input in &case.inputs {
            let original = case.text(input).into_bytes();
            for _ in 0..200 {
                let mut bytes = original.clone();
                for _ in 0..=dice.roll(4) {
                    let at = dice.roll(bytes.len());
                    bytes[at] = match dice.roll(3) {
                        0 => dice.roll(256) as u8,
                        1 => b"{}[]:,-#&*!|>'\"%@`\n\t 0"[dice.roll(22)],
                        _ => bytes[dice.roll(bytes.len())],
                    };
                }
                survives(input, &bytes);
            }
        }
    }
}

#[test]
fn inputs_made_to_hurt_end_quickly() {
    let policy = "\nretry:\n  max_attempts: 3\n  delay: 1s\n";
    let inputs: Vec<(&str, String)> = vec![
        ("deep-flow.yaml", format!("a: {}{policy}", "[".repeat(100_000))),
        ("deep-block.yaml", (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect()),
        ("deep.json", format!("{}\"retry\":1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000))),
        ("deep.toml", format!("a = {}{}", "[".repeat(50_000), "]".repeat(50_000))),
        ("bomb.yaml", bomb()),
        ("self.yaml", format!("a: &a\n  <<: *a\n  b: *a{policy}")),
        ("keys.yaml", (0..200_000).map(|n| format!("retries{n}: 1\n")).collect()),
        (
            "prefixes.yaml",
            format!("- id: x\n{}", (0..4_000).map(|n| format!("  k{n}_retries: 3\n")).collect::<String>()),
        ),
        ("same-keys.yaml", "retries: 1\n".repeat(50_000)),
        ("line.yaml", format!("retries: {}", "9".repeat(10_000_000 / 2))),
        (
            "digits.toml",
            format!("[retry]\nmax_attempts = {}\ndelay_ms = 1e{}", "9".repeat(100_000), "9".repeat(100_000)),
        ),
        (
            "huge.yaml",
            "retry: {max_retries: 99999999999999999999, initial_delay: 1ns, multiplier: 1.000000001}".into(),
        ),
        ("waits.yaml", "retry: {max_retries: 99999999999, delay: 106751991167300d}".into()),
        ("nul.yaml", format!("retries: 3\0{policy}")),
        ("empty.yaml", String::new()),
        ("open-placeholders.json", format!("{{\"retry\": {}", "${".repeat(500_000))),
        ("placeholders.json", format!("{{\"retry\": [{}1]}}", "${retries}, ".repeat(50_000))),
        ("dashes.yaml", "---\n".repeat(20_000)),
        ("comments.json", format!("[{}{{\"retries\": 3}}]", "/**/ ".repeat(100_000))),
        ("stream.json", format!("// retries\n{}", "--- 1\n".repeat(20_000))),
        ("broken-stream.yaml", "retries: [\n---\n".repeat(20_000)),
        ("tables.toml", (0..19_000).map(|n| format!("[t{n}.retry]\nmax_attempts = 3\n")).collect()),
        ("keys-on-a-line.json", {
            let keys: Vec<_> = (0..200_000).map(|n| format!("\"retries{n}\": 1")).collect();
            format!("{{{}}}", keys.join(","))
        }),
        ("same-keys-on-a-line.json", format!("{{{}\"a\": 1}}", "\"retries\": 1,".repeat(200_000))),
        (
            "objects-on-a-line.json",
            format!("{{\"x\": [{}0], \"retries\": 1}}", "{\"kind\": \"a\"},".repeat(200_000)),
        ),
        ("deep-list.yaml", format!("retries:\n{}x\n", "- ".repeat(100_000))),
        ("deep-key.toml", format!("retries{} = 1\n", ".a".repeat(100_000))),
        ("anchors.yaml", (0..50_000).map(|n| format!("retry{n}: &a {n}\nx{n}: *a\n")).collect()),
        ("escapes.yaml", format!("retries: \"{}\"\n", "\\u0041".repeat(1_000_000))),
        ("tabs.yaml", format!("retries:\n{}x: 1\n", "\t".repeat(1_000_000))),
        ("colons.yaml", format!("retries{}\n", ":".repeat(3_000_000))),
        ("tags.yaml", format!("retries: {}x\n", "!a ".repeat(500_000))),
        ("comments.yaml", "# retries\n".repeat(200_000)),
        ("cr.yaml", "retry:\r  max_attempts: 3\r".repeat(20_000)),
        ("more-tables.toml", (0..200_000).map(|n| format!("[t.t{n}.retry]\n")).collect()),
    ];
    for (name, text) in inputs {
        let start = std::time::Instant::now();
        survives(name, text.as_bytes());
        let limit = if cfg!(debug_assertions) { 30 } else { 3 };
        assert!(start.elapsed().as_secs() < limit, "{name} took {:?}", start.elapsed());
    }
}

fn bomb() -> String {
    let mut text = "a0: &a0 [retry, retry]\n".to_string();
    for level in 1..12 {
        let before = level - 1;
        text += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 9].join(", "));
    }
    text
}

#[test]
fn one_broken_file_does_not_hide_the_others() {
    let workspace = common::Workspace::new();
    workspace.write("broken.yaml", "retries: [1, 2\nbackoff: }\n");
    workspace.write("latin.yaml", b"retries: 3 # caf\xe9\n");
    workspace.write(
        "good.toml",
        "[client.retry]\nmax_attempts = 5\ndelay_ms = 100\n[client]\ntimeout_ms = 900\ndeadline_ms = 1000\n",
    );
    let done = retrylint()
        .current_dir(workspace.path())
        .args(["check", "--no-config", "--format", "json", "."])
        .stderr(Stdio::piped())
        .output()
        .expect("a run");
    let out: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let found: Vec<_> = out["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| (f["file"].as_str(), f["rule"].as_str()))
        .collect();
    assert!(found.contains(&(Some("broken.yaml"), Some("unreadable-config"))), "{found:?}");
    assert!(found.contains(&(Some("latin.yaml"), Some("unreadable-config"))), "{found:?}");
    assert!(found.contains(&(Some("good.toml"), Some("deadline-exceeded"))), "{found:?}");
}
