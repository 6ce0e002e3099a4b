//! Step 4, drain: nothing new is accepted, what runs may finish, and every task ends in the order of [`Task`].

use std::time::Duration;

use abide_engine::Keeper;

use super::tasks::{Task, Tasks};
use crate::{agents::Processes, api::AppState};

/// How long a stopping keeper lets running epochs finish; what does not finish is resumed at the next start.
pub(super) const DRAIN: Duration = Duration::from_secs(5);
/// How long a task may take to end, once it is told to.
pub(super) const DRAIN_SLACK: Duration = Duration::from_secs(5);

/// Stops in order: nothing new, what runs may finish, the last event, streams and connections, the reader of the ledger.
pub(super) async fn drain(
    (keeper, processes): (&Keeper, &Processes),
    app: &AppState,
    tasks: &mut Tasks,
    reason: &str,
) {
    app.stop();
    keeper.stop_accepting();
    tasks.end(Task::Watchdog, DRAIN_SLACK).await;
    tasks.end(Task::Spawner, DRAIN_SLACK).await;
    tasks.end(Task::Lane, DRAIN + DRAIN_SLACK).await;
    tasks.end(Task::Telegram, DRAIN_SLACK).await;
    tasks.end(Task::Irc, DRAIN_SLACK).await;
    tasks.end(Task::Waker, DRAIN_SLACK).await;
    tasks.end(Task::Sleeper, DRAIN_SLACK).await;
    tasks.end(Task::Embedding, DRAIN_SLACK).await;
    processes.shutdown().await;
    tasks.end(Task::Supervisor, DRAIN_SLACK).await;
    tasks.end(Task::Announcer, DRAIN_SLACK).await;
    tasks.end(Task::PartialAnswers, DRAIN_SLACK).await;
    if let Err(error) = keeper.write_stopped(reason).await {
        tracing::warn!(%error, event = "stop_not_recorded", "the stop of the keeper cannot be recorded");
    }
    keeper.services().view.applied(keeper.ledger().head().seq).await;
    app.close();
    tasks.end(Task::Listener, DRAIN_SLACK).await;
    tasks.end(Task::Projector, DRAIN_SLACK).await;
}
