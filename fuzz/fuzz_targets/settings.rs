//! Any text as a retrylint.toml, beside a file that it can be about.

#![no_main]

use libfuzzer_sys::fuzz_target;

const FILE: &str = "a:\n  retry: {max_attempts: 3, initial_delay: 1s, max_delay: 9s}\n  timeout: 2s\n  deadline: 5s\n";

fuzz_target!(|text: &str| {
    if let Err(error) = retrylint::check_text("a.yaml", FILE, text) {
        let _ = error.to_string();
    }
});
