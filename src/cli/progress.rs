//! A line on standard error that tells how far a long run is.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Shows itself after a second, on a terminal only, and wipes itself away at the end.
pub(super) struct Progress {
    total: usize,
    done: AtomicUsize,
    start: Instant,
    /// When it was shown last, in milliseconds after the start; 0 for never.
    shown: AtomicU64,
    terminal: bool,
}

const FIRST_MS: u64 = 1000;
const EVERY_MS: u64 = 100;

impl Progress {
    pub(super) fn new(total: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { total, done: AtomicUsize::new(0), start: Instant::now(), shown: AtomicU64::new(0), terminal }
    }

    /// One more file is done.
    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.terminal {
            return;
        }
        let now = self.start.elapsed().as_millis() as u64;
        let shown = self.shown.load(Ordering::Relaxed);
        let due = now >= FIRST_MS && now >= shown + EVERY_MS;
        if due && self.shown.compare_exchange(shown, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // a terminal that has gone away is nothing to stop for
            let _ = write!(io::stderr(), "\r{done} of {} files", self.total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.load(Ordering::Relaxed) > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
