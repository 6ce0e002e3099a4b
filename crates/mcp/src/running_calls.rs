//! Which calls of a session run right now: what a server asks of people belongs to them and ends with them.
//!
//! Over the pipes of a process nothing says in which call it asks. Where one runs, it is that one; where several do, it may be any.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, CallId, EpochId};
use abide_tools::Call;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Whose call it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrigin {
    /// The agent whose mind calls.
    pub agent: AgentId,
    /// Its epoch.
    pub epoch: EpochId,
    /// The call, unique in its epoch.
    pub call_id: CallId,
}

impl CallOrigin {
    pub(crate) fn of(call: &Call<'_>) -> Self {
        Self { agent: call.agent.clone(), epoch: call.epoch, call_id: call.call_id.clone() }
    }
}

/// The calls of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningCalls(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    calls: BTreeMap<u64, RunningCall>,
}

#[derive(Clone, Debug)]
struct RunningCall {
    origin: CallOrigin,
    /// When it ends at the latest.
    until: Instant,
    /// Cancelled where it has ended.
    ended: CancellationToken,
}

/// A call that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct RunningTurn {
    calls: RunningCalls,
    key: u64,
}

/// The calls that ran at one moment.
#[derive(Debug)]
pub(crate) struct CallsThen(Vec<RunningCall>);

impl RunningCalls {
    /// Begins one, which takes so long at most.
    pub(crate) fn begin(&self, origin: CallOrigin, limit: Duration) -> RunningTurn {
        let call =
            RunningCall { origin, until: Instant::now() + limit, ended: CancellationToken::new() };
        let mut running = self.lock();
        let key = running.next;
        running.next += 1;
        running.calls.insert(key, call);
        RunningTurn { calls: self.clone(), key }
    }

    /// Those that run now.
    pub(crate) fn now(&self) -> CallsThen {
        CallsThen(self.lock().calls.values().cloned().collect())
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        if let Some(call) = self.calls.lock().calls.remove(&self.key) {
            call.ended.cancel();
        }
    }
}

impl CallsThen {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn origins(&self) -> Vec<CallOrigin> {
        self.0.iter().map(|call| call.origin.clone()).collect()
    }

    /// How long the one that may take longest still has.
    pub(crate) fn left(&self) -> Duration {
        let now = Instant::now();
        let left = self.0.iter().map(|call| call.until.saturating_duration_since(now));
        left.max().unwrap_or_default()
    }

    /// Waits until all of them have ended.
    pub(crate) async fn ended(&self) {
        for call in &self.0 {
            call.ended.cancelled().await;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use abide_domain::{CallId, EpochId};
    use futures_util::FutureExt as _;
    use uuid::Uuid;

    use super::{CallOrigin, RunningCalls};

    pub(crate) fn origin(turn: u32) -> CallOrigin {
        CallOrigin {
            agent: "felix".parse().unwrap(),
            epoch: EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1)),
            call_id: CallId::new(turn, 1),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_ran_at_a_moment_ends_with_the_last_of_it() {
        let calls = RunningCalls::default();
        assert!(calls.now().is_empty());
        let first = calls.begin(origin(1), Duration::from_mins(1));
        let second = calls.begin(origin(2), Duration::from_secs(90));
        let then = calls.now();
        let later = calls.begin(origin(3), Duration::from_mins(10));
        assert_eq!(then.origins(), [origin(1), origin(2)]);
        assert_eq!(then.left(), Duration::from_secs(90));
        drop(first);
        assert!(then.ended().now_or_never().is_none());
        drop(second);
        assert!(then.ended().now_or_never().is_some());
        assert_eq!(calls.now().origins(), [origin(3)]);
        drop(later);
        assert!(calls.now().is_empty());
    }
}
