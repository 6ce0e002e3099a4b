//! The queue: what is to be played, in which order, and what is playing. Pure: commands and what a player says in, events out;
//! events in, state out.

mod decide;
mod event;
mod state;

pub use decide::{AddPlace, QueueCommand, QueueError};
pub use event::{QueueEntry, QueueEvent, RepeatMode, StopReason};
pub use state::QueueState;
