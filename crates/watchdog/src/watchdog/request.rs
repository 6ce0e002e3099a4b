//! What people can ask of the watchdog's loop, and the answers.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpisodeId, Timestamp,
    event::watchdog::{PageId, Scanned, ServiceAttempt, Tested},
};
use tokio::sync::oneshot;

use crate::interfaces::RecorderError;

/// What is asked of the loop, by whom, and where the answer goes.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) by: EntityName,
    pub(super) kind: RequestKind,
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, WatchdogError>>;

#[derive(Debug)]
pub(super) enum RequestKind {
    Scan(Reply<Scanned>),
    Look(Reply<()>),
    Pause {
        duration: Option<Duration>,
        reason: Option<String>,
        reply: Reply<()>,
    },
    Resume(Reply<()>),
    Silence {
        agent: Option<AgentId>,
        duration: Duration,
        reason: Option<String>,
        reply: Reply<Timestamp>,
    },
    Unsilence {
        agent: Option<AgentId>,
        reply: Reply<()>,
    },
    Acknowledge {
        which: EpisodeChoice,
        duration: Duration,
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
    /// Its loop has ended, or never ran.
    #[error("the watchdog is not running")]
    NotRunning,
    /// The ledger cannot be written or read at present.
    #[error(transparent)]
    Record(#[from] RecorderError),
    /// Nothing of that name is open.
    #[error("there is no such episode, or it is over")]
    NotFound,
    /// It is already in that state.
    #[error("{0}")]
    Conflict(&'static str),
}

/// The outcome of a test of the ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// The page that went to the channel.
    pub page: PageId,
    /// Why the channel did not take it, if so.
    pub page_failed: Option<String>,
    /// Why nobody could be told, if so.
    pub notify_failed: Option<String>,
    /// What each service made of the notice.
    pub attempts: Vec<ServiceAttempt>,
}

impl From<&Tested> for TestResult {
    fn from(tested: &Tested) -> Self {
        let Tested { page, page_failed, notify_failed, attempts, .. } = tested.clone();
        Self { page, page_failed, notify_failed, attempts }
    }
}
