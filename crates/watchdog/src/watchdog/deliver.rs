//! Deliveries: each bell, page and notice as one future that ends in time, and its outcome as lines of the ledger.

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

use super::{
    parts::WatchdogParts,
    request::{TestResult, WatchdogError},
};
use crate::{
    interfaces::{BellOutcome, Delivery, Pulse},
    page::{Notice, Page},
    services::{combined_delivery, truncated, with_timeout},
    state::{Ring, watchdog_author},
};

/// What something that went out brought.
#[derive(Debug)]
pub(super) enum DeliveryOutcome {
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
    WriteFailureNotified {
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

pub(super) type PendingDelivery = BoxFuture<'static, DeliveryOutcome>;

impl WatchdogParts {
    pub(super) fn ring(
        &self,
        ring: Ring,
        clock: Arc<dyn Clock>,
        window: Duration,
    ) -> PendingDelivery {
        let bell = Arc::clone(&self.bell);
        async move {
            let Ring { agent, episode } = ring;
            let began = clock.monotonic();
            let answer = timeout(window, bell.ring(agent.clone(), episode)).await;
            let after = clock.monotonic().saturating_sub(began);
            DeliveryOutcome::Rung {
                agent,
                episode,
                answer: answer.unwrap_or(BellOutcome::Silent),
                after,
            }
        }
        .boxed()
    }

    pub(super) fn page(&self, page: Page) -> PendingDelivery {
        let pager = Arc::clone(&self.pager);
        async move {
            let id = page.id.clone();
            DeliveryOutcome::Paged { page: id, delivery: with_timeout(pager.page(page)).await }
        }
        .boxed()
    }

    pub(super) fn notify(&self, notice: Notice, clock: Arc<dyn Clock>) -> PendingDelivery {
        let services = self.services.clone();
        async move {
            let attempts = services.notify(notice.clone(), clock.as_ref()).await;
            DeliveryOutcome::Notified { notice, attempts }
        }
        .boxed()
    }

    pub(super) fn close(&self, notice: Notice, clock: Arc<dyn Clock>) -> PendingDelivery {
        let services = self.services.clone();
        async move {
            let attempts = services.notify_closing(notice.clone(), clock.as_ref()).await;
            DeliveryOutcome::Closed { notice, attempts }
        }
        .boxed()
    }

    pub(super) fn notify_write_failure(
        &self,
        notice: Notice,
        clock: Arc<dyn Clock>,
    ) -> PendingDelivery {
        let services = self.services.clone();
        async move {
            let id = notice.id;
            let delivery = combined_delivery(&services.notify(notice, clock.as_ref()).await);
            DeliveryOutcome::WriteFailureNotified { notice: id, delivery }
        }
        .boxed()
    }

    pub(super) fn send_test(&self, test: TestRun, clock: Arc<dyn Clock>) -> PendingDelivery {
        let (pager, services) = (Arc::clone(&self.pager), self.services.clone());
        async move {
            let TestRun { page, notice, by, reply } = test;
            let (page_id, notice_id) = (page.id.clone(), notice.id);
            let page_failed = failure(with_timeout(pager.page(page)).await);
            let attempts = services.notify(notice, clock.as_ref()).await;
            let notify_failed = failure(combined_delivery(&attempts));
            let (page, notice) = (page_id, notice_id);
            let tested = Tested { page, notice, page_failed, notify_failed, attempts };
            DeliveryOutcome::Tested { by, tested, reply }
        }
        .boxed()
    }

    pub(super) fn ping(&self, pulse: Pulse) -> Option<PendingDelivery> {
        let dead_man = Arc::clone(self.dead_man.as_ref()?);
        Some(
            async move { DeliveryOutcome::Pinged(with_timeout(dead_man.ping(pulse)).await) }
                .boxed(),
        )
    }
}

/// The ladder is to be tried out: what goes out, who asked, and where the answer goes.
#[derive(Debug)]
pub(super) struct TestRun {
    pub(super) page: Page,
    pub(super) notice: Notice,
    pub(super) by: EntityName,
    pub(super) reply: oneshot::Sender<Result<TestResult, WatchdogError>>,
}

impl DeliveryOutcome {
    /// The name for logs.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Rung { .. } => "bell",
            Self::Paged { .. } => "page",
            Self::Notified { .. } => "notice",
            Self::Closed { .. } => "closing_notice",
            Self::WriteFailureNotified { .. } => "write_failure_notice",
            Self::Tested { .. } => "test",
            Self::Pinged(_) => "dead_man_ping",
        }
    }

    /// The lines that tell of it.
    pub(super) fn drafts(&self) -> Vec<Draft> {
        let draft = |entity: EntityName, author: EntityName, event: WatchdogEvent| {
            vec![Draft { entity, author, epoch: None, event: event.into() }]
        };
        let keeper = |event| draft(EntityName::keeper(), watchdog_author(), event);
        match self {
            Self::Rung { agent, episode, answer, after } => {
                let episode = *episode;
                let failed = |code, message: &str| {
                    WatchdogEvent::BellFailed(BellFailed {
                        episode,
                        code,
                        message: truncated(message),
                    })
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
                draft(agent.entity(), watchdog_author(), event)
            }
            Self::Paged { page, delivery } => keeper(match delivery {
                Delivery::Delivered { proof, by } => WatchdogEvent::PageDelivered(PageDelivered {
                    page: page.clone(),
                    proof: *proof,
                    by: truncated(by),
                }),
                Delivery::Failed(why) => WatchdogEvent::PageFailed(PageFailed {
                    page: page.clone(),
                    message: truncated(why),
                }),
            }),
            Self::Notified { notice, attempts } => keeper(notified(notice, attempts)),
            Self::Closed { notice, attempts } => keeper(WatchdogEvent::Closed(Closed {
                notice: notice.id,
                kind: notice.kind.as_str().to_owned(),
                episodes: notice.items.iter().map(|item| item.episode).collect(),
                attempts: attempts.clone(),
            })),
            Self::Tested { by, tested, .. } => {
                draft(EntityName::keeper(), by.clone(), WatchdogEvent::Tested(tested.clone()))
            }
            Self::WriteFailureNotified { .. } | Self::Pinged(_) => Vec::new(),
        }
    }
}

fn notified(notice: &Notice, attempts: &[ServiceAttempt]) -> WatchdogEvent {
    let (notice, attempt, attempts) = (notice.id, notice.attempt, attempts.to_vec());
    match combined_delivery(&attempts) {
        Delivery::Delivered { by, .. } => {
            WatchdogEvent::Notified(Notified { notice, attempt, by: truncated(&by), attempts })
        }
        Delivery::Failed(why) => {
            let message = truncated(&why);
            WatchdogEvent::NotifyFailed(NotifyFailed { notice, attempt, message, attempts })
        }
    }
}

fn failure(delivery: Delivery) -> Option<String> {
    match delivery {
        Delivery::Delivered { .. } => None,
        Delivery::Failed(why) => Some(truncated(&why)),
    }
}
