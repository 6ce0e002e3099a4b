//! The ledger: a segmented append-only log of events, the only truth of what happened.
//!
//! One event is one line of JSON, readable with `jq`; a batch of lines is whole or absent; what was acknowledged is on
//! the disk. Everything else in a home folder can be deleted and rebuilt from it.
//!
//! ```
//! # use std::{error::Error, sync::Arc, time::Duration};
//! use abide_domain::{Clock, Timestamp, event::KeeperStopped};
//! use abide_ledger::{Draft, FileStorage, Ledger, LedgerOptions};
//!
//! # #[derive(Debug)]
//! # struct FixedClock;
//! # impl Clock for FixedClock {
//! #     fn now(&self) -> Timestamp { Timestamp::from_micros(1_795_817_403_000_000) }
//! #     fn monotonic(&self) -> Duration { Duration::ZERO }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn Error>> {
//! # let folder = tempfile::tempdir()?;
//! let storage = Arc::new(FileStorage::create(folder.path())?);
//! let (ledger, committer) = Ledger::open(storage, LedgerOptions::new(Arc::new(FixedClock)))?;
//! let thread = committer.spawn()?;
//! let draft = Draft::of_keeper(KeeperStopped { reason: "maintenance".into() });
//! let receipt = ledger.append(vec![draft]).await?;
//! // Seq 1 is the line that opens the first segment.
//! assert_eq!((receipt.first_seq, ledger.records(1).count()), (2, 2));
//! ledger.close().await;
//! # thread.join().map_err(|_| "the committer panicked")?;
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: [`Draft`] (what callers hand in) and the `write_queue`, the stamping of a `batch`, the [`Committer`]
//! with its `writer` and the `active` file; then the form of a `line`, its `chain`, and how a start finds out where the
//! log stands (`survey`, `scan`, `tail`); then the readers: [`Feed`], [`Records`], [`Query`] over `segments` and
//! `index`, [`text`] over raw bytes; last [`folder`], which works without a keeper, and [`erase`], which removes words.

use std::sync::{Mutex, MutexGuard, PoisonError};

mod append;
mod draft;
mod write_queue;

mod batch;
mod chain;
mod line;
mod mark;

mod active;
mod commit;
mod ledger;
mod ledger_clock;
mod shared;
mod writer;

mod damage;
mod names;
mod scan;
mod side_file;
mod survey;
mod tail;

mod feed;
mod index;
mod page;
mod position;
mod query;
mod read;
mod record;
mod segments;

mod docs;
pub mod erase;
mod erasure_record;
pub mod folder;
mod home_lock;
pub mod storage;
pub mod text;

pub use append::{AppendError, AppendReceipt};
pub use commit::Committer;
pub use damage::{DamageError, OpenError, ReadError};
pub use docs::docs;
pub use draft::Draft;
pub use erasure_record::write_down_erasure;
pub use feed::{Feed, FeedError};
pub use home_lock::{HomeLock, LockError};
pub use ledger::{Ledger, LedgerOptions};
pub use ledger_clock::{CLOCK_CONFIRM, CLOCK_START_STEP_MAX, CLOCK_STEP_MAX, ClockStatus};
pub use line::{LINE_BYTES_MAX, LedgerLineError};
pub use mark::TickRule;
pub use query::{Matches, Query, QueryOrder};
pub use read::Records;
pub use record::{Entry, EntryDecodeError, EntryError, Record};
pub use shared::{Head, LedgerStatus};
pub use storage::{FileStorage, Storage};
pub use write_queue::PendingAppend;

/// Locks a mutex whose content is never half changed while it is held: a panic of another holder does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
