//! Every bound that the SDK keeps beside those of the wire, by name.
//!
//! Nothing else in the crate writes such a number down. What the protocol itself says is re-exported, so that one place
//! tells all.

use std::time::Duration;

pub use abide_wire::limits::{
    CHECKPOINT_BYTES_MAX, COMPRESS_BYTES_MIN, HEARTBEAT_INTERVAL, NODES_MAX, PROCESS_BYTES_MAX,
    SMALL_BYTES_MAX, WAL_FLUSH_AFTER, WAL_FLUSH_ENTRIES,
};

/// Messages of the keeper that wait for the work loop. Beyond them the link is not read on.
pub const INBOX_MESSAGES_MAX: usize = 64;
/// Frames that wait for the link, beyond which senders wait.
pub const OUTBOX_FRAMES_CROWDED: usize = 256;
/// Bytes that wait for the link, beyond which senders wait.
pub const OUTBOX_BYTES_CROWDED: usize = 1024 * 1024;
/// Bytes that wait for the link, beyond which pieces of an answer that nobody waits for are dropped.
pub const OUTBOX_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Pongs that wait for the link; the oldest is dropped for a newer one.
pub const PONGS_MAX: usize = 16;
/// Entries that wait to be sent, beyond which another is refused.
pub const WAL_WAITING_ENTRIES_MAX: usize = 10_000;
/// Restores, reloads and results that wait for the end of the turn in hand.
pub const JOBS_MAX: usize = 64;
/// Callers that wait for a checkpoint.
pub const CHECKPOINT_WAITERS_MAX: usize = 64;

/// Longest wait for a socket.
pub const CONNECT: Duration = Duration::from_secs(10);
/// Longest wait for `welcome`.
pub const WELCOME: Duration = Duration::from_secs(30);
/// Longest wait for `restore` after `welcome` announced it.
pub const RESTORE: Duration = Duration::from_mins(2);
/// Longest wait for the word about a checkpoint.
pub const CHECKPOINT_ACK: Duration = Duration::from_mins(2);
/// How long the last frames may take to go out.
pub const LAST_FRAMES: Duration = Duration::from_secs(2);

/// First wait before a lost socket is sought again. It doubles.
pub const RECONNECT_FIRST: Duration = Duration::from_millis(100);
/// Longest such wait.
pub const RECONNECT_MAX: Duration = Duration::from_secs(30);
/// A link that held so long starts the waits anew.
pub const RECONNECT_CALM: Duration = Duration::from_mins(1);

/// How often an agent reports its measurements.
pub const METRICS_INTERVAL: Duration = Duration::from_secs(10);
/// Finished turns that the measurements look at.
pub const METRICS_TURNS_MAX: usize = 1000;
/// Characters of a failure's causes that go to the keeper.
pub const STACK_TRACE_CHARS_MAX: usize = 16_000;
