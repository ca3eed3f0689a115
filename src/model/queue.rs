//! A queue and what handles its messages.

use super::{Duration, Setting};
use crate::source::Place;
use std::borrow::Cow;

/// A queue that hides a message while it is handled, and delivers it again if nobody says it is done.
#[derive(Clone, Debug)]
pub struct Queue {
    /// What people call it.
    pub name: String,
    /// Id of the dialect that read it.
    pub dialect: &'static str,
    /// Its own key.
    pub place: Place,
    /// RFC 6901 pointer of that.
    pub pointer: String,
    /// What the system calls the window ("VisibilityTimeout").
    pub window_key: &'static str,
    /// How long a received message stays hidden.
    pub window: Setting<Duration>,
    /// Deliveries before dead-lettering.
    pub receives: Setting<u64>,
    /// How long a message is kept at all.
    pub retention: Setting<Duration>,
    /// Messages that keep failing go somewhere.
    pub dead_letters: bool,
    /// How long its dead letters are kept; None where that is not in the file, or where they are kept from their
    /// arrival on and not from when they were sent first.
    pub dead_letter_retention: Option<Setting<Duration>>,
    /// This queue takes the dead letters of another.
    pub is_dead_letter_queue: bool,
    /// What handles its messages, as far as the file says.
    pub handlers: Vec<Handler>,
    /// Values that the system refuses or replaces.
    pub faults: Vec<super::Fault>,
}

/// What handles the messages of a queue.
#[derive(Clone, Debug)]
pub struct Handler {
    /// What people call it.
    pub name: String,
    /// Its own key.
    pub place: Place,
    /// The longest time that one run takes, its own retries included.
    pub run: Setting<Duration>,
    /// Attempts within one run; 1 unless the handler retries by itself.
    pub attempts: u64,
    /// How long messages are gathered before a run, on the window's time.
    pub gathering: Setting<Duration>,
    /// What the system advises for the window: so many runs and the gathering, with the source of the advice.
    pub advice: Option<Advice>,
}

/// What a system advises for a queue by what handles its messages: a window of `runs` × the longest run + the
/// gathering, and enough receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// How many runs the window should hold.
    pub runs: u32,
    /// The least receives.
    pub receives: u64,
    /// So many messages or batches are handled at one time, where the queue may give more of them: the rest is
    /// throttled, and has used up a receive.
    pub throttled: Option<Setting<u64>>,
    /// Who says so.
    pub source: Cow<'static, str>,
}
