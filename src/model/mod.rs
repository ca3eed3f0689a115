//! What retry settings mean, whichever system they are of: policies, queues, and where each of their
//! numbers comes from. Values only; the arithmetic is in [`crate::schedule`].

pub mod annotation;
pub mod backoff;
mod decimal;
pub mod duration;
pub mod facts;
mod likeness;
pub mod link;
pub mod notation;
pub mod policy;
pub mod queue;
pub mod ratio;
pub mod secret;
pub mod value;

pub use backoff::{Backoff, CapApplies, Growth, Jitter, Rounding, Switch};
pub use duration::Duration;
pub use facts::{Annotation, Facts, Says, Suppression, Unreadable};
pub use likeness::{kindred, nearest};
pub use link::{Links, Name, Reference, Workload};
pub use policy::{
    BareNumber, DeadlineEffect, Doubt, Fault, Idle, Layer, Methods, Pacing, Policy, Remark, Repeated,
    Tightest, is_unsafe,
};
pub use queue::{Advice, Handler, Queue};
pub use ratio::Ratio;
pub use value::{Bound, Branch, Origin, Setting};
