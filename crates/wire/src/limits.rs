//! Every limit of the wire, by name.
//!
//! Sizes are those of a frame's body, without the four bytes of its length. MB means 1,048,576 bytes.

use std::time::Duration;

/// Bytes in a MB.
const MB: usize = 1024 * 1024;

/// Bytes of a frame's length, which stand before its body.
pub const LENGTH_BYTES: usize = 4;
/// Longest body of all: a `restore`. A greater length is taken for a lost boundary before anything is read.
pub const FRAME_BYTES_MAX: usize = 104 * MB;
/// Longest heartbeat.
pub const HEARTBEAT_BYTES_MAX: usize = 100;
/// Longest `wal_entry` and `metrics`.
pub const SMALL_BYTES_MAX: usize = 10 * 1024;
/// Longest message without a limit of its own, `evolution_intent` among them.
pub const MESSAGE_BYTES_MAX: usize = MB;
/// Longest `hot_reload`: the code of an intent and its envelope.
pub const HOT_RELOAD_BYTES_MAX: usize = MB + 64 * 1024;
/// Longest `wal_batch`.
pub const WAL_BATCH_BYTES_MAX: usize = 2 * MB;
/// Longest `process_request` and `process_response`.
pub const PROCESS_BYTES_MAX: usize = 16 * MB;
/// Longest `checkpoint`, and longest payload once decompressed.
pub const CHECKPOINT_BYTES_MAX: usize = 100 * MB;
/// A payload above this is compressed where the peer's version knows compression.
pub const COMPRESS_BYTES_MIN: usize = MB;
/// Nesting of maps and lists, the message itself counted.
pub const DEPTH_MAX: usize = 64;
/// Fields of a message and of each of its own structures.
pub const FIELDS_MAX: usize = 64;
/// Longest name of a field of a message, in bytes.
pub const FIELD_NAME_BYTES_MAX: usize = 128;
/// Values in a part that is turned into a JSON tree (voices, schemas, evidence): a tree takes many times its bytes.
pub const NODES_MAX: usize = 250_000;
/// Longest id, code, operation or module name, in bytes.
pub const LABEL_BYTES_MAX: usize = 128;
/// Errors that are reported about one message.
pub const PROBLEMS_MAX: usize = 16;
/// First bytes of noise that an error shows.
pub const NOISE_BYTES_MAX: usize = 64;
/// Bytes that are read at once from a pipe or socket: what a pipe holds.
pub const CHUNK_BYTES: usize = 64 * 1024;
/// Largest window, as a power of two, that a compressed payload may ask of its reader.
pub const WINDOW_LOG_MAX: u32 = 27;
/// Level of compression: checkpoints must be durable quickly.
pub const ZSTD_LEVEL: i32 = 1;

/// How often an agent sends a heartbeat.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// Entries after which an agent sends its WAL buffer.
pub const WAL_FLUSH_ENTRIES: usize = 100;
/// Age of the oldest buffered entry after which an agent sends its WAL buffer.
pub const WAL_FLUSH_AFTER: Duration = Duration::from_secs(1);
