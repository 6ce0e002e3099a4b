//! Step 4, drain: nothing new is accepted, what runs may finish, and every task ends in the order of [`Task`]. Each step
//! has its share of the time; what does not end in it is left behind, and the ledger is synced last.

use std::time::Duration;

use abide_engine::Keeper;
use tokio::time::Instant;

use super::tasks::{Task, Tasks};
use crate::{agents::Processes, api::AppState};

/// How long a stopping keeper lets running epochs finish at most; what does not finish is resumed at the next start.
const EPOCHS_MAX: Duration = Duration::from_secs(5);
/// What a stop may take beyond `supervisor.shutdown_grace`, all of it together. Then the program ends in any case
/// ([`crate::self_watch`]).
pub(super) const STOP_SLACK: Duration = Duration::from_secs(5);
/// The part of it that is left for the end of streams and for the last sync.
const LAST_STEPS: Duration = Duration::from_secs(2);

/// How long running epochs may go on.
pub(super) fn epochs_time(shutdown_grace: Duration) -> Duration {
    EPOCHS_MAX.min(shutdown_grace / 2)
}

/// Until when each part of a stop may take.
struct Deadlines {
    /// Epochs and channels.
    work: Instant,
    /// Processes.
    processes: Instant,
    /// Everything else.
    rest: Instant,
}

impl Deadlines {
    fn new(shutdown_grace: Duration) -> Self {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        Self {
            work: now + epochs_time(shutdown_grace) + second,
            processes: now + shutdown_grace + second,
            rest: now + shutdown_grace + STOP_SLACK - LAST_STEPS,
        }
    }
}

/// Stops in order: nothing new, what runs may finish, the last event, streams and connections, the reader of the ledger.
pub(super) async fn drain(
    (keeper, processes): (&Keeper, &Processes),
    app: &AppState,
    tasks: &mut Tasks,
    (reason, shutdown_grace): (&str, Duration),
) {
    let Deadlines { work, processes: processes_end, rest } = Deadlines::new(shutdown_grace);
    app.stop();
    keeper.stop_accepting();
    for task in [
        Task::Watchdog,
        Task::Spawner,
        Task::Lane,
        Task::Telegram,
        Task::Irc,
        Task::Waker,
        Task::Sleeper,
        Task::Evolution,
        Task::Embedding,
    ] {
        tasks.end(task, work).await;
    }
    tasks.end(Task::McpServers, processes_end).await;
    if tokio::time::timeout_at(processes_end, processes.shutdown()).await.is_err() {
        tracing::warn!(
            event = "processes_left",
            "a process of an agent did not end in time; its shim ends it with the keeper"
        );
    }
    for task in [
        Task::Supervisor,
        Task::Announcer,
        Task::PartialAnswers,
        Task::ProcessHistory,
        Task::Cards,
        Task::Media,
    ] {
        tasks.end(task, rest).await;
    }
    let last = async {
        if let Err(error) = keeper.write_stopped(reason).await {
            tracing::warn!(%error, event = "stop_not_recorded", "the stop of the keeper cannot be recorded");
        }
        keeper.services().view.applied(keeper.ledger().head().seq).await;
    };
    if tokio::time::timeout_at(rest, last).await.is_err() {
        tracing::warn!(
            event = "stop_not_recorded",
            "the disk does not answer: the stop of the keeper is not recorded"
        );
    }
    app.close();
    for task in [Task::Listener, Task::Snapshots, Task::Projector, Task::SelfWatch] {
        tasks.end(task, rest).await;
    }
}
