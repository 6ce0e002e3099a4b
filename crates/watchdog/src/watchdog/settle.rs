//! What follows when something that went out has come to its end, and the closing words that nobody waits for.

use std::sync::{Arc, PoisonError};

use abide_domain::NoticeId;

use super::{
    Watchdog,
    deliver::{Outcome, TestResult},
};
use crate::{
    page::{Notice, NoticeItem, NoticeKind},
    roles::{Delivery, Pulse},
    services::takers,
};

impl Watchdog {
    /// Takes in what something brought.
    pub(super) async fn take(&mut self, outcome: Outcome) {
        let is_stale = matches!(&outcome, Outcome::Rung { agent, episode, .. }
            if self.watch.episode(agent).is_none_or(|open| open.id != *episode));
        let drafts = outcome.drafts();
        if !is_stale && !drafts.is_empty() && !self.write(drafts).await {
            tracing::warn!(?outcome, "what a delivery brought could not be written down");
        }
        match outcome {
            Outcome::Notified { notice, attempts } => {
                self.telling.remove(&notice.id);
                self.overtaken(&notice, takers(&attempts).collect());
            }
            Outcome::Cried { notice, delivery } => self.cried(notice, &delivery),
            Outcome::Tested { tested, reply, .. } => {
                let _gone = reply.send(Ok(TestResult::from(&tested)));
            }
            Outcome::Pinged(delivery) => self.pinged(delivery),
            Outcome::Rung { .. } | Outcome::Paged { .. } | Outcome::Closed { .. } => {}
        }
    }

    pub(super) fn close(&mut self, notice: Notice) {
        self.under_way.push(self.roles.close(notice, Arc::clone(&self.clock)));
    }

    /// What ended while somebody was being told of it was ended for nobody: those who heard hear that it is over.
    fn overtaken(&mut self, notice: &Notice, by: Vec<String>) {
        if by.is_empty() {
            return;
        }
        let is_over = |item: &&NoticeItem| {
            self.watch.episode(&item.agent).is_none_or(|open| open.id != item.episode)
        };
        let over = notice.items.iter().filter(is_over).cloned();
        let items: Vec<_> = over.map(|item| NoticeItem { cause: None, ..item }).collect();
        let alarm = self.watch.trouble().and_then(|trouble| trouble.alarm.as_ref());
        let kind = match notice.kind {
            NoticeKind::Stalled if !items.is_empty() => NoticeKind::Resolved,
            NoticeKind::Blind(_) if alarm.is_none_or(|alarm| alarm.notice != notice.id) => {
                NoticeKind::Sighted
            }
            _ => return,
        };
        let now = self.pace.now();
        let id = NoticeId::new(self.ids.as_ref(), now);
        self.close(Notice { to: by, items, ..Notice::new(id, kind, now) });
    }

    fn cried(&mut self, notice: NoticeId, delivery: &Delivery) {
        let now = self.pace.now();
        self.telling.remove(&notice);
        let cry = self.mute.as_mut().filter(|mute| mute.notice.notice == notice);
        match (cry, delivery) {
            (Some(mute), Delivery::Delivered { .. }) => mute.notice.told(now),
            (Some(mute), Delivery::Failed(_)) => mute.notice.not_told(now),
            (None, _) => {}
        }
    }

    /// Tells the dead man's switch of a good scan, or of blindness that has lasted so long that a person is to be told.
    pub(super) fn ping(&mut self, is_good: bool) {
        let trouble = self.watch.trouble().filter(|trouble| trouble.alarm.is_some());
        let pulse = match trouble {
            _ if is_good => Pulse::Good,
            Some(trouble) => Pulse::Blind(trouble.message.clone()),
            None => return,
        };
        if self.is_pinging {
            return;
        }
        let ping = self.roles.ping(pulse);
        self.is_pinging = ping.is_some();
        self.under_way.extend(ping);
    }

    /// What is said of the dead man's switch is said once, not with every ping.
    fn pinged(&mut self, delivery: Delivery) {
        self.is_pinging = false;
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(dead_man) = &mut status.dead_man else { return };
        match delivery {
            Delivery::Delivered { .. } => {
                dead_man.reached_at = Some(self.pace.now());
                if dead_man.failed.take().is_some() {
                    tracing::info!("the dead man's switch is reached again");
                }
            }
            Delivery::Failed(why) => {
                if dead_man.failed.is_none() {
                    tracing::warn!(why, "the dead man's switch was not reached");
                }
                dead_man.failed = Some(why);
            }
        }
    }
}
