//! Any text behind the word that speaks to retrylint.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let line = text.lines().next().unwrap_or_default();
    let file = format!("# retrylint: {line}\nretry: {{max_attempts: 3, initial_delay: 1s}} # retrylint:{line}\n");
    retrylint::check_bytes("a.yaml", file.as_bytes());
});
