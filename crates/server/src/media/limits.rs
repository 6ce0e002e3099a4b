//! What is bounded, and by how much.

use std::time::Duration;

/// Tracks that one request may name.
pub(super) const TRACKS_MAX: usize = 1_000;
/// Entries of the queue that a status shows.
pub(super) const QUEUE_SHOWN: usize = 500;
/// Files with a problem that are shown.
pub(crate) const PROBLEMS_SHOWN: usize = 100;
/// How long a file may be missing before the library forgets it.
pub(super) const MISSING_MAX: Duration = Duration::from_hours(90 * 24);
/// How long what other programs' players said is taken for the present.
pub(super) const PLAYERS_AGE_MAX: Duration = Duration::from_secs(1);
/// After a session bus could not be reached, before it is tried again.
pub(super) const BUS_PAUSE: Duration = Duration::from_secs(30);
/// How long a track without a known length takes with the player that makes no sound.
pub(super) const UNKNOWN_LENGTH: Duration = Duration::from_mins(3);
/// Seeds of shuffled orders are below: what every program can hold as a number.
pub(super) const SEED_MAX: u64 = 1 << 53;
/// Tracks that an agent's search gives at most.
pub(super) const AGENT_FOUND_MAX: usize = 50;
/// Entries of the queue that an agent is shown.
pub(super) const AGENT_QUEUE_SHOWN: usize = 20;
