//! Every limit of the SDK, by name; those of the protocol are re-exported.

use std::time::Duration;

pub use abide_wire::limits::{
    CHECKPOINT_BYTES_MAX, COMPRESS_BYTES_MIN, HEARTBEAT_INTERVAL, NODES_MAX, PROCESS_BYTES_MAX,
    SMALL_BYTES_MAX, WAL_FLUSH_AFTER, WAL_FLUSH_ENTRIES,
};

/// Messages of the keeper that wait for the session. Beyond them the link is not read.
pub const INBOX_MESSAGES_MAX: usize = 64;
/// Frames that wait for the link, beyond which senders wait.
pub const OUTBOX_FRAMES_CROWDED: usize = 256;
/// Bytes that wait for the link, beyond which senders wait.
pub const OUTBOX_BYTES_CROWDED: usize = 1024 * 1024;
/// Bytes that wait for the link, beyond which offered pieces of an answer are dropped.
pub const OUTBOX_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Pongs that wait for the link; the oldest is dropped for a newer one.
pub const PONGS_MAX: usize = 16;
/// Entries that wait to be sent, beyond which another is refused.
pub const WAL_WAITING_ENTRIES_MAX: usize = 10_000;
/// Keys of operations that are logged once, of which the oldest are forgotten first. A turn is asked again within minutes.
pub const ONCE_KEYS_MAX: usize = 1_024;
/// Bytes of such a key.
pub const ONCE_KEY_BYTES_MAX: usize = 128;
/// Restores, reloads and results that wait for the end of the open turn.
pub const JOBS_MAX: usize = 64;
/// Callers that wait for a checkpoint.
pub const CHECKPOINT_WAITERS_MAX: usize = 64;

/// Longest wait for a socket.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for `welcome`.
pub const WELCOME_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest wait for `restore` after `welcome` announced it.
pub const RESTORE_TIMEOUT: Duration = Duration::from_mins(2);
/// Longest wait for the acknowledgement of a checkpoint.
pub const CHECKPOINT_ACK_TIMEOUT: Duration = Duration::from_mins(2);
/// How long the last frames may take to be sent.
pub const LAST_FRAMES_TIMEOUT: Duration = Duration::from_secs(2);

/// First wait before a lost socket is connected again. It doubles.
pub const RECONNECT_FIRST: Duration = Duration::from_millis(100);
/// Longest wait before a lost socket is connected again.
pub const RECONNECT_MAX: Duration = Duration::from_secs(30);
/// After a link that lasted so long, the waits start from the first again.
pub const RECONNECT_RESET_AFTER: Duration = Duration::from_mins(1);

/// How often an agent reports its metrics.
pub const METRICS_INTERVAL: Duration = Duration::from_secs(10);
/// Finished turns that the metrics are computed from.
pub const METRICS_TURNS_MAX: usize = 1000;
/// Characters of a failure's causes that go to the keeper.
pub const STACK_TRACE_CHARS_MAX: usize = 16_000;
