//! What follows from the outcome of a delivery, and closing notices that nobody waits for.

use std::sync::{Arc, PoisonError};

use abide_domain::{NoticeId, event::watchdog::AttentionMatter};

use super::{Watchdog, deliver::DeliveryOutcome, request::TestResult};
use crate::{
    interfaces::{Delivery, Pulse},
    page::{Notice, NoticeItem, NoticeKind},
    services::delivered_services,
};

impl Watchdog {
    /// Takes in what something brought.
    pub(super) async fn handle_outcome(&mut self, outcome: DeliveryOutcome) {
        let is_stale = matches!(&outcome, DeliveryOutcome::Rung { agent, episode, .. }
            if self.state.episode(agent).is_none_or(|open| open.id != *episode));
        let drafts = outcome.drafts();
        if !is_stale && !drafts.is_empty() && !self.write(drafts).await {
            tracing::warn!(
                event = "delivery_record_failed",
                kind = outcome.name(),
                "outcome of a delivery could not be recorded"
            );
        }
        match outcome {
            DeliveryOutcome::Notified { notice, attempts } => {
                self.notices_in_flight.remove(&notice.id);
                self.close_overtaken(&notice, delivered_services(&attempts).collect());
            }
            DeliveryOutcome::WriteFailureNotified { notice, delivery } => {
                self.record_write_failure_notice(notice, &delivery);
            }
            DeliveryOutcome::Tested { tested, reply, .. } => {
                let _gone = reply.send(Ok(TestResult::from(&tested)));
            }
            DeliveryOutcome::Pinged(delivery) => self.pinged(delivery),
            DeliveryOutcome::Rung { .. }
            | DeliveryOutcome::Paged { .. }
            | DeliveryOutcome::Closed { .. } => {}
        }
    }

    pub(super) fn close(&mut self, notice: Notice) {
        self.in_flight.push(self.parts.close(notice, Arc::clone(&self.clock)));
    }

    /// What ended while somebody was being told of it was ended for nobody: those who heard hear that it is over.
    fn close_overtaken(&mut self, notice: &Notice, by: Vec<String>) {
        if by.is_empty() {
            return;
        }
        let is_over = |item: &&NoticeItem| {
            self.state.episode(&item.agent).is_none_or(|open| open.id != item.episode)
        };
        let over = notice.items.iter().filter(is_over).cloned();
        let items: Vec<_> = over.map(|item| self.tasks.ended(item)).collect();
        let is_closed = |matter: &&AttentionMatter| !self.state.is_matter_open(matter);
        let matters: Vec<_> = notice.matters.iter().filter(is_closed).cloned().collect();
        let alarm = self.state.blind_span().and_then(|blind| blind.alarm.as_ref());
        let kind = match notice.kind {
            NoticeKind::Stalled if !items.is_empty() => NoticeKind::Resolved,
            NoticeKind::Blind(_) if alarm.is_none_or(|alarm| alarm.notice != notice.id) => {
                NoticeKind::Sighted
            }
            NoticeKind::Attention if !matters.is_empty() => NoticeKind::AttentionOver,
            _ => return,
        };
        let now = self.time.now();
        let id = NoticeId::new(self.ids.as_ref(), now);
        self.close(Notice { to: by, items, matters, ..Notice::new(id, kind, now) });
    }

    fn record_write_failure_notice(&mut self, notice: NoticeId, delivery: &Delivery) {
        let now = self.time.now();
        self.notices_in_flight.remove(&notice);
        let cry = self.write_failure.as_mut().filter(|failure| failure.notice.notice == notice);
        match (cry, delivery) {
            (Some(failure), Delivery::Delivered { .. }) => failure.notice.record_delivered(now),
            (Some(failure), Delivery::Failed(_)) => failure.notice.record_failed(now),
            (None, _) => {}
        }
    }

    /// Tells the dead man's switch of a good scan, or of blindness that has lasted so long that a person is to be told.
    pub(super) fn ping(&mut self, is_good: bool) {
        let blind = self.state.blind_span().filter(|blind| blind.alarm.is_some());
        let pulse = match blind {
            _ if is_good => Pulse::Good,
            Some(blind) => Pulse::Blind(blind.message.clone()),
            None => return,
        };
        if self.is_pinging {
            return;
        }
        let ping = self.parts.ping(pulse);
        self.is_pinging = ping.is_some();
        self.in_flight.extend(ping);
    }

    /// What is said of the dead man's switch is said once, not with every ping.
    fn pinged(&mut self, delivery: Delivery) {
        self.is_pinging = false;
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(dead_man) = &mut status.dead_man else { return };
        match delivery {
            Delivery::Delivered { .. } => {
                dead_man.reached_at = Some(self.time.now());
                if dead_man.failed.take().is_some() {
                    tracing::info!(
                        event = "dead_man_ping_recovered",
                        "dead man's switch is reached again"
                    );
                }
            }
            Delivery::Failed(why) => {
                if dead_man.failed.is_none() {
                    tracing::warn!(
                        event = "dead_man_ping_failed",
                        reason = why,
                        "dead man's switch was not reached"
                    );
                }
                dead_man.failed = Some(why);
            }
        }
    }
}
