//! What people and routes hold of the watchdog: its state, its orders, its report.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EntityName, EpisodeId, Timestamp,
    event::watchdog::{PageId, Scanned},
};
use tokio::sync::{mpsc, oneshot};

use super::TestResult;
use crate::{
    WatchdogTimings,
    report::{Reporter, WatchdogReport},
    roles::{Recorder, RecorderError},
    status::WatchdogStatus,
};

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct WatchdogHandle {
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) status: Arc<Mutex<WatchdogStatus>>,
    pub(super) record: Arc<dyn Recorder>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) settings: WatchdogTimings,
}

/// What is asked of the loop, by whom, and where the answer goes.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) by: EntityName,
    pub(super) what: What,
}

type Reply<T> = oneshot::Sender<Result<T, WatchdogError>>;

#[derive(Debug)]
pub(super) enum What {
    Scan(Reply<Scanned>),
    Pause {
        hush: Option<Duration>,
        reason: Option<String>,
        reply: Reply<()>,
    },
    Resume(Reply<()>),
    Silence {
        agent: Option<AgentId>,
        hush: Duration,
        reason: Option<String>,
        reply: Reply<Timestamp>,
    },
    Unsilence {
        agent: Option<AgentId>,
        reply: Reply<()>,
    },
    Acknowledge {
        which: EpisodeChoice,
        hush: Duration,
        reason: Option<String>,
        reply: Reply<Vec<EpisodeId>>,
    },
    TestPage(Reply<TestResult>),
}

/// Which episodes a person means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpisodeChoice {
    /// The open one of an agent.
    Agent(AgentId),
    /// This one.
    Episode(EpisodeId),
    /// All that share a page.
    Page(PageId),
    /// All.
    All,
}

/// Why the watchdog did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchdogError {
    /// It does not run.
    #[error("the watchdog does not run")]
    NotRunning,
    /// Nothing can be written down at present.
    #[error(transparent)]
    Record(#[from] RecorderError),
    /// Nothing of that name is open.
    #[error("there is no such episode, or it is over")]
    NotFound,
    /// It is so already.
    #[error("{0}")]
    Conflict(&'static str),
}

impl WatchdogHandle {
    /// Its state at the newest look.
    pub fn status(&self) -> WatchdogStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks now, and says what the scan found.
    pub async fn scan(&self, by: EntityName) -> Result<Scanned, WatchdogError> {
        self.ask(by, What::Scan).await
    }

    /// Begins maintenance: scans go on, nobody is disturbed. It ends by itself after `hush`, if that is given.
    pub async fn pause(
        &self,
        by: EntityName,
        hush: Option<Duration>,
        reason: Option<String>,
    ) -> Result<(), WatchdogError> {
        self.ask(by, |reply| What::Pause { hush, reason, reply }).await
    }

    /// Ends maintenance.
    pub async fn resume(&self, by: EntityName) -> Result<(), WatchdogError> {
        self.ask(by, What::Resume).await
    }

    /// Nobody is rung or paged about an agent, or about any, for a while. Returns until when.
    pub async fn silence(
        &self,
        by: EntityName,
        agent: Option<AgentId>,
        hush: Duration,
        reason: Option<String>,
    ) -> Result<Timestamp, WatchdogError> {
        self.ask(by, |reply| What::Silence { agent, hush, reason, reply }).await
    }

    /// Ends a silence before its time.
    pub async fn unsilence(
        &self,
        by: EntityName,
        agent: Option<AgentId>,
    ) -> Result<(), WatchdogError> {
        self.ask(by, |reply| What::Unsilence { agent, reply }).await
    }

    /// Takes episodes in hand: they climb no further for a while. Returns which.
    pub async fn acknowledge(
        &self,
        by: EntityName,
        which: EpisodeChoice,
        hush: Duration,
        reason: Option<String>,
    ) -> Result<Vec<EpisodeId>, WatchdogError> {
        self.ask(by, |reply| What::Acknowledge { which, hush, reason, reply }).await
    }

    /// Sends a test page to the channel and a test notice to people.
    pub async fn test_page(&self, by: EntityName) -> Result<TestResult, WatchdogError> {
        self.ask(by, What::TestPage).await
    }

    /// What happened since a moment.
    pub async fn report(&self, since: Timestamp) -> Result<WatchdogReport, WatchdogError> {
        let mut reporter = Reporter::new(since);
        self.record.read(since, &mut |entry| reporter.apply(entry)).await?;
        Ok(reporter.finish(self.clock.now(), &self.settings))
    }

    async fn ask<T>(
        &self,
        by: EntityName,
        what: impl FnOnce(Reply<T>) -> What,
    ) -> Result<T, WatchdogError> {
        let (reply, answer) = oneshot::channel();
        let order = Order { by, what: what(reply) };
        self.orders.send(order).await.map_err(|_| WatchdogError::NotRunning)?;
        answer.await.unwrap_or(Err(WatchdogError::NotRunning))
    }
}
