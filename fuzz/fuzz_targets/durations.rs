//! Any text as a duration in every notation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrylint::model::notation::{self, Unit};

fuzz_target!(|text: &str| {
    let _ = notation::go(text);
    let _ = notation::protobuf(text);
    let _ = notation::iso8601(text);
    let _ = notation::timespan(text);
    let _ = notation::argo(text);
    let _ = notation::any(text);
    for unit in [Unit::Nanos, Unit::Millis, Unit::Seconds] {
        let _ = notation::spring(text, unit);
        if let Ok(time) = notation::with_unit(text, unit) {
            let _ = time.to_string();
        }
    }
});
