//! The ledger: a segmented append-only log of events, the only truth of what happened.
//!
//! One event is one line of JSON, readable with `jq`; a batch of lines is whole or absent; what was acknowledged is on
//! the disk. Everything else in a home can be deleted and rebuilt from it.
//!
//! Reading order: [`Draft`] (what callers hand in) and its way through the swap buffer (`intake`), the stamping of a
//! `batch`, the [`Committer`] with its `writer` and the `active` file; then the form of a `line`, its `chain`, and how
//! a start finds out where the log stands (`survey`, `scan`, `tail`); then the readers: [`Feed`], [`Records`],
//! [`Query`] over `segments` and `index`, [`text`] over raw bytes; last [`folder`], which works without a keeper.

use std::sync::{Mutex, MutexGuard, PoisonError};

mod append;
mod draft;
mod intake;

mod batch;
mod chain;
mod line;
mod mark;

mod active;
mod commit;
mod ledger;
mod shared;
mod writer;

mod damage;
mod names;
mod scan;
mod side;
mod survey;
mod tail;

mod feed;
mod index;
mod page;
mod query;
mod read;
mod record;
mod segments;

pub mod bench;
mod docs;
pub mod folder;
mod lock;
pub mod storage;
pub mod text;

pub use append::{AppendError, Appended};
pub use commit::Committer;
pub use damage::{DamageError, OpenError, ReadError};
pub use docs::docs;
pub use draft::Draft;
pub use feed::{Feed, FeedError};
pub use intake::Pending;
pub use ledger::{Ledger, LedgerOptions};
pub use line::{LINE_BYTES_MAX, LineDefect};
pub use lock::{HomeLock, LockError};
pub use mark::TickRule;
pub use query::{Matches, Query, QueryOrder};
pub use read::Records;
pub use record::{Entry, EntryError, EntryProblem, Record};
pub use shared::{Head, LedgerStatus};
pub use storage::{FileStorage, Storage};

/// Locks a mutex whose holders never leave its content half changed, so that a panic elsewhere does not matter here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
