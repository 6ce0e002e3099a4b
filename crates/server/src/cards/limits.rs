//! Every bound of the cards on disk.

use std::time::Duration;

/// How long cards stay in memory after somebody asked for one: a table takes about a hundred megabytes.
pub(super) const IDLE_MAX: Duration = Duration::from_mins(10);
/// Longest `cards.json`, in bytes.
pub(super) const MANIFEST_BYTES_MAX: u64 = 64 << 10;
/// Longest file of tags that is kept, unpacked, in bytes.
pub(super) const TAGS_BYTES_MAX: u64 = 16 << 20;
