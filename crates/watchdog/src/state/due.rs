//! What is to be told to people now, and when to look again before the next scan is due.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{EntityName, EpisodeId, IdSource, NoticeId, Timestamp};

use super::WatchdogState;
use crate::{
    WatchdogTimings,
    episode::{Episode, PendingNotice},
    ladder::waiting_window,
    page::{Notice, NoticeItem, NoticeKind},
    policy::EscalationPolicies,
    status::NextEscalation,
};

impl WatchdogState {
    /// The notices to send now; those under way are left alone. A notice tells of all agents that were escalated with it and
    /// still wait to be told of. An outage that a person is told of goes out in its own midst.
    pub fn due(&self, now: Timestamp, in_flight: &BTreeSet<NoticeId>) -> Vec<Notice> {
        if self.maintenance.is_some() {
            return Vec::new();
        }
        let is_due = |pending: &PendingNotice| {
            pending.due_at() <= now && !in_flight.contains(&pending.notice)
        };
        let mut notices: BTreeMap<NoticeId, Notice> = BTreeMap::new();
        for (episode, step, pending) in
            self.undelivered(now).filter(|(_, _, pending)| is_due(pending))
        {
            let is_rest = pending.is_rest() && !episode.is_repeated(pending, now);
            let notice = notices
                .entry(pending.notice)
                .or_insert_with(|| pending.to_notice(NoticeKind::Stalled, step, is_rest));
            notice.items.push(self.item(episode, now));
        }
        let blind = self.blind.as_ref();
        let alarm = blind.and_then(|blind| blind.alarm.as_ref().map(|alarm| (blind, alarm)));
        let is_open = |alarm: &PendingNotice| alarm.delivered_at.is_none() || alarm.is_rest();
        let alarm =
            alarm.filter(|(_, alarm)| is_open(alarm) && is_due(alarm)).map(|(blind, alarm)| {
                let kind = NoticeKind::Blind(blind.message.clone());
                alarm.to_notice(kind, 1, alarm.is_rest())
            });
        notices.into_values().chain(alarm).chain(self.raised.due(is_due)).collect()
    }

    /// What tells those who were told of these episodes that somebody has them in hand.
    pub(crate) fn acknowledged(
        &self,
        episodes: &[EpisodeId],
        (by_person, until): (&EntityName, Timestamp),
        now: Timestamp,
        ids: &dyn IdSource,
    ) -> Vec<Notice> {
        let mut items_by_services: BTreeMap<BTreeSet<String>, Vec<NoticeItem>> = BTreeMap::new();
        for episode in self.episodes.values().filter(|open| episodes.contains(&open.id)) {
            if let Some(by) = episode.delivered_by() {
                items_by_services.entry(by).or_default().push(self.item(episode, now));
            }
        }
        let notice = |(by, items): (BTreeSet<String>, _)| {
            let (id, kind) = (
                NoticeId::new(ids, now),
                NoticeKind::Acknowledged { by: by_person.clone(), until },
            );
            Notice { to: by.into_iter().collect(), items, ..Notice::new(id, kind, now) }
        };
        items_by_services.into_iter().map(notice).collect()
    }

    /// Steps of escalations that people may be told of now and have not been.
    fn undelivered(&self, now: Timestamp) -> impl Iterator<Item = (&Episode, u32, &PendingNotice)> {
        let open = self.episodes.values().filter(move |episode| {
            !self.is_hidden()
                && !episode.is_acknowledged(now)
                && !self.is_silenced(&episode.agent, now)
        });
        open.flat_map(move |episode| {
            let unreported = episode.undelivered(now);
            unreported.map(move |pending| (episode, episode.step_of(pending.notice), pending))
        })
    }

    pub(super) fn item(&self, episode: &Episode, now: Timestamp) -> NoticeItem {
        NoticeItem {
            agent: episode.agent.clone(),
            episode: episode.id,
            silent: episode.silent_before + self.watched_time.between(episode.opened_at, now),
            page: episode.page.as_ref().map(|page| page.id.clone()),
            cause: episode.cause,
            is_alive: episode.is_alive(),
            is_never_active: episode.is_never_active(),
            task: None,
            end: None,
        }
    }

    /// Who is told next of which stall.
    pub(crate) fn next_steps(
        &self,
        now: Timestamp,
        settings: &WatchdogTimings,
        policies: &EscalationPolicies,
    ) -> Vec<NextEscalation> {
        let escalated = self.episodes.values().filter(|episode| episode.is_escalated());
        let next = escalated.filter_map(|episode| {
            let policy = policies.of(&episode.agent);
            let (_, to) = policy?.later_step(episode.notices.len())?;
            Some(NextEscalation {
                agent: episode.agent.clone(),
                episode: episode.id,
                at: self.window_over(episode, now, (settings, policies))?,
                to: to.to_vec(),
            })
        });
        next.collect()
    }

    /// When what an episode waits for is over, if it waits for something; now, where it is overdue.
    fn window_over(
        &self,
        episode: &Episode,
        now: Timestamp,
        (settings, policies): (&WatchdogTimings, &EscalationPolicies),
    ) -> Option<Timestamp> {
        let (since, waiting_window) =
            waiting_window(episode, settings, policies.of(&episode.agent))?;
        let passed = self.watched_time.between(since, now);
        Some(since.max(now).plus(waiting_window.saturating_sub(passed)))
    }

    /// When something is due next, scans apart. What is overdue was just seen to, or waits for the next scan.
    pub fn next_due(
        &self,
        now: Timestamp,
        settings: &WatchdogTimings,
        policies: &EscalationPolicies,
    ) -> Option<Timestamp> {
        let mut due: Vec<Timestamp> = Vec::new();
        for episode in self.episodes.values() {
            due.extend(self.window_over(episode, now, (settings, policies)));
            due.extend(episode.ack.as_ref().map(|ack| ack.until));
            due.extend(episode.notices.iter().map(PendingNotice::due_at));
        }
        due.extend(self.raised.next_due());
        due.extend(self.silences.values());
        due.extend(self.maintenance.as_ref().and_then(|maintenance| maintenance.until));
        due.extend(self.blind.as_ref().and_then(|t| t.alarm.as_ref()).map(PendingNotice::due_at));
        due.into_iter().filter(|due| *due > now).min()
    }
}
