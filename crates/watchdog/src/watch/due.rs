//! What is to be told to people now, and when to look again before the next scan is due.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{NoticeId, Timestamp};

use super::Watch;
use crate::{
    Settings,
    episode::{Episode, Escalation},
    ladder::window,
    page::{Notice, NoticeItem, NoticeKind},
};

impl Watch {
    /// The notices to send now; those under way are left alone. A notice tells of all agents that were escalated with it and
    /// still wait to be told of. An outage that a person is told of goes out in its own midst.
    pub fn due(&self, now: Timestamp, under_way: &BTreeSet<NoticeId>) -> Vec<Notice> {
        if self.maintenance.is_some() {
            return Vec::new();
        }
        let is_due = |told: &Escalation| told.due_at() <= now && !under_way.contains(&told.notice);
        let mut notices: BTreeMap<NoticeId, Notice> = BTreeMap::new();
        for (episode, escalation) in self.untold(now) {
            if !is_due(escalation) {
                continue;
            }
            let notice = notices.entry(escalation.notice).or_insert_with(|| Notice {
                id: escalation.notice,
                kind: NoticeKind::Stalled,
                at: escalation.at,
                attempt: escalation.failed.saturating_add(1),
                items: Vec::new(),
            });
            notice.items.push(self.item(episode, now));
        }
        let trouble = self.trouble.as_ref();
        let alarm =
            trouble.and_then(|trouble| trouble.alarm.as_ref().map(|alarm| (trouble, alarm)));
        let alarm = alarm.filter(|(_, alarm)| alarm.told_at.is_none() && is_due(alarm));
        let alarm = alarm.map(|(trouble, alarm)| Notice {
            id: alarm.notice,
            kind: NoticeKind::Blind(trouble.message.clone()),
            at: alarm.at,
            attempt: alarm.failed.saturating_add(1),
            items: Vec::new(),
        });
        notices.into_values().chain(alarm).collect()
    }

    /// Escalated episodes that a person may be told of now and has not been.
    fn untold(&self, now: Timestamp) -> impl Iterator<Item = (&Episode, &Escalation)> {
        let open = self.episodes.values().filter(move |_| !self.is_hidden());
        open.filter_map(move |episode| {
            let escalation = episode.escalation.as_ref()?;
            let is_held = episode.is_told(now)
                || episode.is_acknowledged(now)
                || self.is_silenced(&episode.agent, now);
            (!is_held).then_some((episode, escalation))
        })
    }

    pub(super) fn item(&self, episode: &Episode, now: Timestamp) -> NoticeItem {
        NoticeItem {
            agent: episode.agent.clone(),
            episode: episode.id,
            silent: episode.silent_before + self.awake.between(episode.opened_at, now),
            page: episode.page.as_ref().map(|page| page.id.clone()),
            cause: episode.cause,
            is_alive: episode.is_alive(),
            is_never_active: episode.is_never_active(),
        }
    }

    /// When something is due next, scans apart. What is overdue was just seen to, or waits for the next scan.
    pub fn next_due(&self, now: Timestamp, settings: &Settings) -> Option<Timestamp> {
        let mut due: Vec<Timestamp> = Vec::new();
        for episode in self.episodes.values() {
            if let Some(window) = window(episode, settings) {
                let passed = self.awake.between(episode.rung_since, now);
                due.push(now.plus(window.saturating_sub(passed)));
            }
            due.extend(episode.ack.as_ref().map(|ack| ack.until));
            due.extend(episode.escalation.as_ref().map(Escalation::due_at));
        }
        due.extend(self.silences.values());
        due.extend(self.maintenance.as_ref().and_then(|maintenance| maintenance.until));
        due.extend(self.trouble.as_ref().and_then(|t| t.alarm.as_ref()).map(Escalation::due_at));
        due.into_iter().filter(|due| *due > now).min()
    }
}
