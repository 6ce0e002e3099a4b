//! Every long task of a keeper, from one closed list: its name, what its end means, and when it is stopped.

use std::{collections::HashMap, fmt::Display, future::Future, time::Duration};

use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// A long task. The order is the order in which they are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Task {
    /// Notices agents that stall. First: what stops is not stalled. Its state is in the ledger.
    Watchdog,
    /// Takes agents in that others brought into being. What it has not done it does at the next start.
    Nursery,
    /// An agent's lane. Told first of those that work: what it has under way, the others must still serve.
    Lane,
    /// Hears and answers on Telegram. After the lanes, so that what they finish last is still said. What it has not done it
    /// does at the next start.
    Telegram,
    /// The IRC server and the bridge. After the lanes, so that what they still answer is said.
    Irc,
    /// Wakes agents when what they wait for has come. What is due is so after the next start as well.
    Waker,
    /// Distils the days of agents that sleep. What it has under way goes on at the next start.
    Sleeper,
    /// Gives texts their vectors. What it has not done it does at the next start.
    Embedding,
    /// Agents' processes. Lanes ask them, so they end after those.
    Supervisor,
    /// Writes down a start that the disk would not take. Ends when it is done.
    Announcer,
    /// Growing answers for `/snapshot`.
    Partials,
    /// Connections.
    Listener,
    /// The reader that keeps all views up to the ledger. Last: everybody waits for it.
    Projector,
}

/// What it means when a task ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The keeper cannot do its work any more; it stops, and a service manager starts it again.
    Fatal,
    /// Something is missing that nobody depends on; it is logged.
    Tolerable,
}

impl Task {
    /// The name in logs.
    const fn name(self) -> &'static str {
        match self {
            Self::Watchdog => "watchdog",
            Self::Nursery => "nursery",
            Self::Lane => "lane",
            Self::Irc => "irc",
            Self::Telegram => "telegram",
            Self::Waker => "waker",
            Self::Sleeper => "sleeper",
            Self::Embedding => "embedding",
            Self::Supervisor => "supervisor",
            Self::Announcer => "announcer",
            Self::Partials => "partials",
            Self::Listener => "listener",
            Self::Projector => "projector",
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
            // Agents work without it; `/health` shows that nobody looks.
            Self::Watchdog
            | Self::Nursery
            | Self::Irc
            | Self::Telegram
            | Self::Announcer
            | Self::Embedding
            | Self::Partials => Meaning::Tolerable,
        }
    }
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
            let ended = format!("the {} ended: {how}", task.name());
            match task.meaning() {
                Meaning::Fatal => return ended,
                Meaning::Tolerable => tracing::error!("{ended}"),
            }
        }
    }

    /// Tells all tasks of a kind to stop and waits for them, so long at most.
    pub(super) async fn end(&mut self, task: Task, patience: Duration) {
        self.stop_of(task).cancel();
        let ended = async {
            while self.names.values().any(|running| *running == task) {
                if self.next().await.is_none() {
                    break;
                }
            }
        };
        if tokio::time::timeout(patience, ended).await.is_err() {
            tracing::warn!(task = task.name(), "did not stop in time");
        }
    }

    async fn next(&mut self) -> Option<(Task, String)> {
        let ended = self.running.join_next_with_id().await?;
        let (id, how) = match ended {
            Ok((id, Ok(()))) => (id, "as if it had been told to".to_owned()),
            Ok((id, Err(error))) => (id, error),
            Err(error) => (
                JoinError::id(&error),
                if error.is_panic() { "by a defect".to_owned() } else { error.to_string() },
            ),
        };
        let task = self.names.remove(&id)?;
        Some((task, how))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Task, Tasks};

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_task_that_must_not_end_is_told_with_its_name() {
        let mut tasks = Tasks::default();
        let stop = tasks.stop_of(Task::Listener);
        tasks.start(Task::Listener, async move {
            stop.cancelled().await;
            Ok::<_, String>(())
        });
        tasks.start(Task::Partials, async { Err("tolerable") });
        tasks.start(Task::Projector, async { Err("no disk") });
        assert_eq!(tasks.fatal().await, "the projector ended: no disk");
        tasks.end(Task::Listener, Duration::from_secs(1)).await;
        assert!(tasks.names.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_does_not_stop_is_waited_for_only_so_long() {
        let mut tasks = Tasks::default();
        tasks.start(Task::Lane, std::future::pending::<Result<(), String>>());
        tasks.end(Task::Lane, Duration::from_secs(10)).await;
        assert_eq!(tasks.names.len(), 1);
    }
}
