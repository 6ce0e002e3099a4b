//! What goes out: each bell, page and notice as one future that ends in time, and what it brought as lines of the ledger.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock, EntityName, EpisodeId, NoticeId,
    event::watchdog::{
        BellAnswered, BellFailed, BellFailure, Notified, NotifyFailed, PageDelivered, PageFailed,
        PageId, Proof, Tested, WatchdogEvent,
    },
};
use abide_ledger::Draft;
use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::{sync::oneshot, time::timeout};

use super::{HandleError, Roles};
use crate::{
    page::{Notice, Page},
    roles::{Answer, Delivery},
    settings::{DELIVERY_MAX, WORDS_CHARS_MAX},
    watch::{Ring, tickle},
};

/// What something that went out brought.
#[derive(Debug)]
pub(super) enum Outcome {
    Rung {
        agent: AgentId,
        episode: EpisodeId,
        answer: Answer,
        after: Duration,
    },
    Paged {
        page: PageId,
        delivery: Delivery,
    },
    Notified {
        notice: NoticeId,
        attempt: u32,
        delivery: Delivery,
    },
    /// A notice that something is over, or that nothing can be written: no line tells of it.
    Said {
        kind: &'static str,
        notice: NoticeId,
        delivery: Delivery,
    },
    Tested {
        by: EntityName,
        tested: Tested,
        reply: oneshot::Sender<Result<TestResult, HandleError>>,
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
            Outcome::Rung { agent, episode, answer: answer.unwrap_or(Answer::Silent), after }
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

    pub(super) fn notify(&self, notice: Notice) -> Under {
        let notifier = Arc::clone(&self.notifier);
        async move {
            let (id, attempt) = (notice.id, notice.attempt);
            let delivery = in_time(notifier.notify(notice)).await;
            Outcome::Notified { notice: id, attempt, delivery }
        }
        .boxed()
    }

    pub(super) fn say(&self, notice: Notice) -> Under {
        let notifier = Arc::clone(&self.notifier);
        async move {
            let (kind, id) = (notice.kind.as_str(), notice.id);
            let delivery = in_time(notifier.notify(notice)).await;
            Outcome::Said { kind, notice: id, delivery }
        }
        .boxed()
    }

    pub(super) fn try_out(
        &self,
        page: Page,
        notice: Notice,
        by: EntityName,
        reply: oneshot::Sender<Result<TestResult, HandleError>>,
    ) -> Under {
        let (pager, notifier) = (Arc::clone(&self.pager), Arc::clone(&self.notifier));
        async move {
            let (page_id, notice_id) = (page.id.clone(), notice.id);
            let page_failed = failure(in_time(pager.page(page)).await);
            let notify_failed = failure(in_time(notifier.notify(notice)).await);
            let tested = Tested { page: page_id, notice: notice_id, page_failed, notify_failed };
            Outcome::Tested { by, tested, reply }
        }
        .boxed()
    }

    pub(super) fn ping(&self) -> Option<Under> {
        let dead_man = Arc::clone(self.dead_man.as_ref()?);
        Some(async move { Outcome::Pinged(in_time(dead_man.ping()).await) }.boxed())
    }
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
                    Answer::Pong => {
                        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
                        WatchdogEvent::BellAnswered(BellAnswered { episode, after_ms })
                    }
                    Answer::NoProcess => failed(BellFailure::NoProcess, ""),
                    Answer::NotDelivered(why) => failed(BellFailure::NotDelivered, why),
                    Answer::Silent => return Vec::new(),
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
            Self::Notified { notice, attempt, delivery } => {
                let (notice, attempt) = (*notice, *attempt);
                house(match delivery {
                    Delivery::Delivered { by, .. } => {
                        WatchdogEvent::Notified(Notified { notice, attempt, by: short(by) })
                    }
                    Delivery::Failed(why) => {
                        let message = short(why);
                        WatchdogEvent::NotifyFailed(NotifyFailed { notice, attempt, message })
                    }
                })
            }
            Self::Tested { by, tested, .. } => {
                draft(EntityName::keeper(), by.clone(), WatchdogEvent::Tested(tested.clone()))
            }
            Self::Said { .. } | Self::Pinged(_) => Vec::new(),
        }
    }
}

impl From<&Tested> for TestResult {
    fn from(tested: &Tested) -> Self {
        let Tested { page, page_failed, notify_failed, .. } = tested.clone();
        Self { page, page_failed, notify_failed }
    }
}

/// Whatever takes too long has failed.
async fn in_time(delivery: BoxFuture<'_, Delivery>) -> Delivery {
    let late = || Delivery::Failed(format!("took longer than {} s", DELIVERY_MAX.as_secs()));
    timeout(DELIVERY_MAX, delivery).await.unwrap_or_else(|_| late())
}

fn failure(delivery: Delivery) -> Option<String> {
    match delivery {
        Delivery::Delivered { proof: Proof::Sent | Proof::Confirmed, .. } => None,
        Delivery::Failed(why) => Some(short(&why)),
    }
}

pub(super) fn short(words: &str) -> String {
    words.chars().take(WORDS_CHARS_MAX).collect()
}
