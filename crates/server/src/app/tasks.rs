//! Every long task of a keeper, from one closed list: its name, what its end means, and when it is stopped.

use std::{collections::HashMap, convert::Infallible, fmt::Display, future::Future};

use tokio::{
    task::{Id, JoinError, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// A long task. The order is the order in which they are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Task {
    /// Notices agents that stall. First: an agent that stops is not stalled. Its state is in the ledger.
    Watchdog,
    /// Adds agents that agents made. What it has not done it does at the next start.
    Spawner,
    /// An agent's lane. Before all that it uses: an epoch that is open still needs the others.
    Lane,
    /// Polls and answers on Telegram. After the lanes, so that what they finish last is still sent. What it has not done it
    /// does at the next start.
    Telegram,
    /// The IRC server and its bridges. After the lanes, so that what they finish last is still sent.
    Irc,
    /// Starts the epochs of wakes and schedules. What is due is so after the next start as well.
    Waker,
    /// Runs the sleep of agents. What it has under way goes on at the next start.
    Sleeper,
    /// Tries changes of agents. What it has under way goes on at the next start.
    Evolution,
    /// Makes vectors for memories. What it has not done it does at the next start.
    Embedding,
    /// Servers whose tools agents use. After the lanes, which call them.
    McpServers,
    /// Agents' processes. Lanes ask them, so they end after the lanes.
    Supervisor,
    /// Records a start that could not be recorded on a full disk. Ends when it is done.
    Announcer,
    /// Growing answers for `/snapshot`.
    PartialAnswers,
    /// What processes showed lately, for `/agents`. Held in memory alone.
    ProcessHistory,
    /// Lets the cards of decks go that nobody asks for. Held in memory alone.
    Cards,
    /// Scans the music library, plays the queue, and holds mpv. After the lanes, whose tools ask it. What it plays goes on at the next start.
    Media,
    /// HTTP connections.
    Listener,
    /// Makes snapshots of the state, the last one when it is told to stop. After all that writes to the ledger.
    Snapshots,
    /// Folds the ledger into the state and the projections. All before it wait for it.
    Projector,
    /// Looks for parts of the keeper that stand still, and says so. Last: it watches all others.
    SelfWatch,
}

/// What it means when a task ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The keeper cannot work without it; it stops, and a service manager starts it again.
    Fatal,
    /// Nothing else depends on it; its end is logged.
    Tolerable,
}

impl Task {
    /// The name in logs.
    const fn name(self) -> &'static str {
        match self {
            Self::Watchdog => "watchdog",
            Self::Spawner => "spawner",
            Self::Lane => "lane",
            Self::Irc => "irc",
            Self::Telegram => "telegram",
            Self::Waker => "waker",
            Self::Sleeper => "sleeper",
            Self::McpServers => "tool servers",
            Self::Evolution => "evolution",
            Self::Embedding => "embedding",
            Self::Supervisor => "supervisor",
            Self::Announcer => "announcer",
            Self::PartialAnswers => "partial answers",
            Self::ProcessHistory => "process history",
            Self::Cards => "cards",
            Self::Media => "media",
            Self::Listener => "listener",
            Self::Snapshots => "snapshots",
            Self::Projector => "projector",
            Self::SelfWatch => "self-watch",
        }
    }

    const fn meaning(self) -> Meaning {
        match self {
            Self::Lane
            | Self::Waker
            | Self::Sleeper
            | Self::Supervisor
            | Self::Listener
            | Self::Projector => Meaning::Fatal,
            // Agents work without it; `/health` shows that it is missing.
            Self::Watchdog
            | Self::Spawner
            | Self::Irc
            | Self::Telegram
            | Self::Announcer
            | Self::McpServers
            | Self::Evolution
            | Self::Embedding
            | Self::PartialAnswers
            | Self::ProcessHistory
            | Self::Cards
            | Self::Snapshots
            | Self::Media
            | Self::SelfWatch => Meaning::Tolerable,
        }
    }
}

/// A task that has no error of its own: it ends when it is told to.
pub(super) async fn infallible(work: impl Future<Output = ()>) -> Result<(), Infallible> {
    work.await;
    Ok(())
}

/// The running tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: JoinSet<Result<(), String>>,
    names: HashMap<Id, Task>,
    stops: HashMap<Task, CancellationToken>,
}

impl Tasks {
    /// The signal that stops all tasks of a kind.
    pub(super) fn stop_of(&mut self, task: Task) -> CancellationToken {
        self.stops.entry(task).or_default().clone()
    }

    /// Starts one.
    pub(super) fn start<E: Display>(
        &mut self,
        task: Task,
        work: impl Future<Output = Result<(), E>> + Send + 'static,
    ) {
        let work = async move { work.await.map_err(|error| error.to_string()) };
        let id = self.running.spawn(work).id();
        self.names.insert(id, task);
    }

    /// Waits until a task ends that must not, and says which and how.
    pub(super) async fn fatal(&mut self) -> String {
        loop {
            let Some((task, how)) = self.next().await else {
                return std::future::pending().await;
            };
            let ended = format!("the {} task ended unexpectedly: {how}", task.name());
            match task.meaning() {
                Meaning::Fatal => return ended,
                Meaning::Tolerable => {
                    tracing::error!(
                        event = "task_ended",
                        task = task.name(),
                        how,
                        "a task ended that the keeper can do without until its next start"
                    );
                }
            }
        }
    }

    /// Tells all tasks of a kind to stop and waits for them, until then at most.
    pub(super) async fn end(&mut self, task: Task, deadline: Instant) {
        self.stop_of(task).cancel();
        let ended = async {
            while self.names.values().any(|running| *running == task) {
                if self.next().await.is_none() {
                    break;
                }
            }
        };
        if tokio::time::timeout_at(deadline, ended).await.is_err() {
            tracing::warn!(
                event = "task_stop_timed_out",
                task = task.name(),
                "a task did not stop in time"
            );
        }
    }

    async fn next(&mut self) -> Option<(Task, String)> {
        let ended = self.running.join_next_with_id().await?;
        let (id, how) = match ended {
            Ok((id, Ok(()))) => (id, "it returned before it was told to stop".to_owned()),
            Ok((id, Err(error))) => (id, error),
            Err(error) => (
                JoinError::id(&error),
                if error.is_panic() { "it panicked".to_owned() } else { error.to_string() },
            ),
        };
        let task = self.names.remove(&id)?;
        Some((task, how))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Task, Tasks};

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_fatal_task_is_reported_with_its_name() {
        let mut tasks = Tasks::default();
        let stop = tasks.stop_of(Task::Listener);
        tasks.start(Task::Listener, async move {
            stop.cancelled().await;
            Ok::<_, String>(())
        });
        tasks.start(Task::PartialAnswers, async { Err("tolerable") });
        tasks.start(Task::Projector, async { Err("no disk") });
        assert_eq!(tasks.fatal().await, "the projector task ended unexpectedly: no disk");
        tasks.end(Task::Listener, Instant::now() + Duration::from_secs(1)).await;
        assert!(tasks.names.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_does_not_stop_is_waited_for_only_so_long() {
        let mut tasks = Tasks::default();
        tasks.start(Task::Lane, std::future::pending::<Result<(), String>>());
        tasks.end(Task::Lane, Instant::now() + Duration::from_secs(10)).await;
        assert_eq!(tasks.names.len(), 1);
    }
}
