//! The handle of the watchdog: its status, requests to it, its report.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, Clock, EntityName, EpisodeId, Timestamp, event::watchdog::Scanned};
use tokio::sync::{mpsc, oneshot};

use super::request::{EpisodeChoice, Reply, Request, RequestKind, TestResult, WatchdogError};
use crate::{
    WatchdogTimings,
    interfaces::Recorder,
    report::{Reporter, WatchdogReport},
    status::WatchdogStatus,
};

/// The status, the requests and the report of a running watchdog. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WatchdogHandle {
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) status: Arc<Mutex<WatchdogStatus>>,
    pub(super) recorder: Arc<dyn Recorder>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) settings: WatchdogTimings,
}

impl WatchdogHandle {
    /// Its state at the newest look.
    pub fn status(&self) -> WatchdogStatus {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks now, and says what the scan found.
    pub async fn scan(&self, by: EntityName) -> Result<Scanned, WatchdogError> {
        self.ask(by, RequestKind::Scan).await
    }

    /// Looks now at the stalls that are open, so that what has ended ends. That is no scan: it opens none.
    pub async fn look(&self) -> Result<(), WatchdogError> {
        self.ask(EntityName::keeper(), RequestKind::Look).await
    }

    /// Begins maintenance: scans go on, nobody is disturbed. It ends by itself after `duration`, if that is given.
    pub async fn pause(
        &self,
        by: EntityName,
        duration: Option<Duration>,
        reason: Option<String>,
    ) -> Result<(), WatchdogError> {
        self.ask(by, |reply| RequestKind::Pause { duration, reason, reply }).await
    }

    /// Ends maintenance.
    pub async fn resume(&self, by: EntityName) -> Result<(), WatchdogError> {
        self.ask(by, RequestKind::Resume).await
    }

    /// Nobody is rung or paged about an agent, or about any, for a while. Returns until when.
    pub async fn silence(
        &self,
        by: EntityName,
        agent: Option<AgentId>,
        duration: Duration,
        reason: Option<String>,
    ) -> Result<Timestamp, WatchdogError> {
        self.ask(by, |reply| RequestKind::Silence { agent, duration, reason, reply }).await
    }

    /// Ends a silence before its time.
    pub async fn unsilence(
        &self,
        by: EntityName,
        agent: Option<AgentId>,
    ) -> Result<(), WatchdogError> {
        self.ask(by, |reply| RequestKind::Unsilence { agent, reply }).await
    }

    /// Takes episodes in hand: they climb no further for a while. Returns which.
    pub async fn acknowledge(
        &self,
        by: EntityName,
        which: EpisodeChoice,
        duration: Duration,
        reason: Option<String>,
    ) -> Result<Vec<EpisodeId>, WatchdogError> {
        self.ask(by, |reply| RequestKind::Acknowledge { which, duration, reason, reply }).await
    }

    /// Sends a test page to the channel and a test notice to people.
    pub async fn test_page(&self, by: EntityName) -> Result<TestResult, WatchdogError> {
        self.ask(by, RequestKind::TestPage).await
    }

    /// What happened since a moment.
    pub async fn report(&self, since: Timestamp) -> Result<WatchdogReport, WatchdogError> {
        let mut reporter = Reporter::new(since);
        self.recorder.read(since, &mut |entry| reporter.apply(entry)).await?;
        Ok(reporter.finish(self.clock.now(), &self.settings))
    }

    async fn ask<T>(
        &self,
        by: EntityName,
        kind: impl FnOnce(Reply<T>) -> RequestKind,
    ) -> Result<T, WatchdogError> {
        let (reply, answer) = oneshot::channel();
        let request = Request { by, kind: kind(reply) };
        self.requests.send(request).await.map_err(|_| WatchdogError::NotRunning)?;
        answer.await.unwrap_or(Err(WatchdogError::NotRunning))
    }
}
