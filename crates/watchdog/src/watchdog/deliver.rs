//! What goes out: each bell, page and notice as one future that ends in time, and what it brought as lines of the ledger.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock, EntityName, EpisodeId, NoticeId,
    event::watchdog::{
        BellAnswered, BellFailed, BellFailure, Closed, Notified, NotifyFailed, PageDelivered,
        PageFailed, PageId, ServiceAttempt, Tested, WatchdogEvent,
    },
};
use abide_ledger::Draft;
use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::{sync::oneshot, time::timeout};

use super::{Roles, WatchdogError};
use crate::{
    page::{Notice, Page},
    roles::{BellOutcome, Delivery, Pulse},
    services::{in_time, short, sum},
    watch::{Ring, tickle},
};

/// What something that went out brought.
#[derive(Debug)]
pub(super) enum Outcome {
    Rung {
        agent: AgentId,
        episode: EpisodeId,
        answer: BellOutcome,
        after: Duration,
    },
    Paged {
        page: PageId,
        delivery: Delivery,
    },
    Notified {
        notice: Notice,
        attempts: Vec<ServiceAttempt>,
    },
    /// Those who had been told were told that it is over.
    Closed {
        notice: Notice,
        attempts: Vec<ServiceAttempt>,
    },
    /// A notice that nothing can be written: no line tells of it.
    Cried {
        notice: NoticeId,
        delivery: Delivery,
    },
    Tested {
        by: EntityName,
        tested: Tested,
        reply: oneshot::Sender<Result<TestResult, WatchdogError>>,
    },
    Pinged(Delivery),
}

/// What trying out the ladder brought.
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

pub(super) type Under = BoxFuture<'static, Outcome>;

impl Roles {
    pub(super) fn ring(&self, ring: Ring, clock: Arc<dyn Clock>, window: Duration) -> Under {
        let bell = Arc::clone(&self.bell);
        async move {
            let Ring { agent, episode } = ring;
            let began = clock.monotonic();
            let answer = timeout(window, bell.ring(agent.clone(), episode)).await;
            let after = clock.monotonic().saturating_sub(began);
            Outcome::Rung { agent, episode, answer: answer.unwrap_or(BellOutcome::Silent), after }
        }
        .boxed()
    }

    pub(super) fn page(&self, page: Page) -> Under {
        let pager = Arc::clone(&self.pager);
        async move {
            let id = page.id.clone();
            Outcome::Paged { page: id, delivery: in_time(pager.page(page)).await }
        }
        .boxed()
    }

    pub(super) fn notify(&self, notice: Notice, clock: Arc<dyn Clock>) -> Under {
        let services = self.services.clone();
        async move {
            let attempts = services.tell(notice.clone(), clock.as_ref()).await;
            Outcome::Notified { notice, attempts }
        }
        .boxed()
    }

    pub(super) fn close(&self, notice: Notice, clock: Arc<dyn Clock>) -> Under {
        let services = self.services.clone();
        async move {
            let attempts = services.tell_the_end(notice.clone(), clock.as_ref()).await;
            Outcome::Closed { notice, attempts }
        }
        .boxed()
    }

    pub(super) fn cry(&self, notice: Notice, clock: Arc<dyn Clock>) -> Under {
        let services = self.services.clone();
        async move {
            let id = notice.id;
            let delivery = sum(&services.tell(notice, clock.as_ref()).await);
            Outcome::Cried { notice: id, delivery }
        }
        .boxed()
    }

    pub(super) fn try_out(&self, test: Test, clock: Arc<dyn Clock>) -> Under {
        let (pager, services) = (Arc::clone(&self.pager), self.services.clone());
        async move {
            let Test { page, notice, by, reply } = test;
            let (page_id, notice_id) = (page.id.clone(), notice.id);
            let page_failed = failure(in_time(pager.page(page)).await);
            let attempts = services.tell(notice, clock.as_ref()).await;
            let notify_failed = failure(sum(&attempts));
            let (page, notice) = (page_id, notice_id);
            let tested = Tested { page, notice, page_failed, notify_failed, attempts };
            Outcome::Tested { by, tested, reply }
        }
        .boxed()
    }

    pub(super) fn ping(&self, pulse: Pulse) -> Option<Under> {
        let dead_man = Arc::clone(self.dead_man.as_ref()?);
        Some(async move { Outcome::Pinged(in_time(dead_man.ping(pulse)).await) }.boxed())
    }
}

/// The ladder is to be tried out: what goes out, who asked, and where the answer goes.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) page: Page,
    pub(super) notice: Notice,
    pub(super) by: EntityName,
    pub(super) reply: oneshot::Sender<Result<TestResult, WatchdogError>>,
}

impl Outcome {
    /// The lines that tell of it.
    pub(super) fn drafts(&self) -> Vec<Draft> {
        let draft = |entity: EntityName, author: EntityName, event: WatchdogEvent| {
            vec![Draft { entity, author, epoch: None, event: event.into() }]
        };
        let house = |event| draft(EntityName::keeper(), tickle(), event);
        match self {
            Self::Rung { agent, episode, answer, after } => {
                let episode = *episode;
                let failed = |code, message: &str| {
                    WatchdogEvent::BellFailed(BellFailed { episode, code, message: short(message) })
                };
                let event = match answer {
                    BellOutcome::Pong => {
                        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                        WatchdogEvent::BellAnswered(BellAnswered { episode, after_ms })
                    }
                    BellOutcome::NoProcess => failed(BellFailure::NoProcess, ""),
                    BellOutcome::NotDelivered(why) => failed(BellFailure::NotDelivered, why),
                    BellOutcome::Silent => return Vec::new(),
                };
                draft(agent.entity(), tickle(), event)
            }
            Self::Paged { page, delivery } => house(match delivery {
                Delivery::Delivered { proof, .. } => WatchdogEvent::PageDelivered(PageDelivered {
                    page: page.clone(),
                    proof: *proof,
                }),
                Delivery::Failed(why) => WatchdogEvent::PageFailed(PageFailed {
                    page: page.clone(),
                    message: short(why),
                }),
            }),
            Self::Notified { notice, attempts } => house(notified(notice, attempts)),
            Self::Closed { notice, attempts } => house(WatchdogEvent::Closed(Closed {
                notice: notice.id,
                kind: notice.kind.as_str().to_owned(),
                episodes: notice.items.iter().map(|item| item.episode).collect(),
                attempts: attempts.clone(),
            })),
            Self::Tested { by, tested, .. } => {
                draft(EntityName::keeper(), by.clone(), WatchdogEvent::Tested(tested.clone()))
            }
            Self::Cried { .. } | Self::Pinged(_) => Vec::new(),
        }
    }
}

fn notified(notice: &Notice, attempts: &[ServiceAttempt]) -> WatchdogEvent {
    let (notice, attempt, attempts) = (notice.id, notice.attempt, attempts.to_vec());
    match sum(&attempts) {
        Delivery::Delivered { by, .. } => {
            WatchdogEvent::Notified(Notified { notice, attempt, by: short(&by), attempts })
        }
        Delivery::Failed(why) => {
            let message = short(&why);
            WatchdogEvent::NotifyFailed(NotifyFailed { notice, attempt, message, attempts })
        }
    }
}

impl From<&Tested> for TestResult {
    fn from(tested: &Tested) -> Self {
        let Tested { page, page_failed, notify_failed, attempts, .. } = tested.clone();
        Self { page, page_failed, notify_failed, attempts }
    }
}

fn failure(delivery: Delivery) -> Option<String> {
    match delivery {
        Delivery::Delivered { .. } => None,
        Delivery::Failed(why) => Some(short(&why)),
    }
}
