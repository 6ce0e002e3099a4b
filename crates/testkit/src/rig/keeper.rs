//! A keeper in one thread: opens the ledger on a disk in memory, folds it and lets all tasks run in a set of the caller.
//!
//! Shared by the simulator and the rig. It must never outlive its set: whoever drops the tasks has killed the keeper.

use std::{error::Error, path::Path, sync::Arc};

use abide_engine::{
    Keeper,
    keeper::{KeeperParts, KeeperTasks, replay},
    snapshot::Snapshots,
};
use abide_ledger::{Ledger, LedgerOptions, storage::fault::FaultStorage};
use abide_memory::stdout::StdoutFolder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::TokioClock;

/// Segments are small, so that tests cross their borders.
const SEGMENT_BYTES: u64 = 64 * 1024;

/// Whatever kept a keeper from starting.
pub(crate) type RigStartError = Box<dyn Error + Send + Sync>;

/// The options of a ledger under test.
pub(crate) fn options(clock: TokioClock) -> LedgerOptions {
    let mut options = LedgerOptions::new(Arc::new(clock));
    options.segment_bytes_max = SEGMENT_BYTES;
    options
}

/// Starts a keeper on what the disk holds; its tasks run in `tasks` until the token is cancelled or they are dropped.
pub(crate) async fn start<T, P>(
    storage: Arc<FaultStorage>,
    clock: TokioClock,
    tasks: &mut JoinSet<T>,
    (logs, snapshots, parts): (&Path, &Snapshots, P),
) -> Result<(Keeper, CancellationToken), RigStartError>
where
    T: Default + Send + 'static,
    P: FnOnce(Ledger) -> Result<KeeperParts, RigStartError>,
{
    let (ledger, committer) = Ledger::open(storage, options(clock))?;
    tasks.spawn(async move {
        committer.run().await;
        T::default()
    });
    let parts = parts(ledger)?;
    let logs = StdoutFolder::open(logs, parts.ledger.head().timestamp);
    let replayed = replay(&parts.ledger, &parts.agents, logs, Some(snapshots))?;
    let (keeper, started) = Keeper::start(parts, replayed).await?;
    let KeeperTasks { projector, lanes, announcer, sleeper, waker } = started;
    let stop = CancellationToken::new();
    if let Some(announcer) = announcer {
        let token = stop.clone();
        tasks.spawn(async move {
            announcer.run(token).await;
            T::default()
        });
    }
    let token = stop.clone();
    tasks.spawn(async move {
        // A feed that ends with an error shows by itself: nothing is answered any more.
        drop(projector.run(token).await);
        T::default()
    });
    let token = stop.clone();
    tasks.spawn(async move {
        sleeper.run(token).await;
        T::default()
    });
    let token = stop.clone();
    tasks.spawn(async move {
        waker.run(token).await;
        T::default()
    });
    for lane in lanes {
        let token = stop.clone();
        tasks.spawn(async move {
            lane.run(token).await;
            T::default()
        });
    }
    Ok((keeper, stop))
}

/// An error with its causes, in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
