//! What people order, as lines in their name.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp,
    event::watchdog::{
        Acknowledged, Paused, Resumed, Scanned, Silenced, Unsilenced, WatchdogEvent,
    },
};
use abide_ledger::Draft;

use super::{
    EpisodeChoice, Watchdog, WatchdogError,
    deliver::Test,
    handle::{Order, What},
};
use crate::{
    page::{Notice, NoticeKind, Page},
    roles::RecorderError,
    services::short,
    settings::HUSH_MAX,
    watch::{ScanContext, Trigger, page_name},
};

impl Watchdog {
    /// Does what was ordered. Whoever asked may be gone: that is no reason not to do it.
    pub(super) async fn obey(&mut self, order: Order) {
        let Order { by, what } = order;
        match what {
            What::Scan(reply) => {
                let _gone = reply.send(self.scan_now().await);
            }
            What::Pause { hush, reason, reply } => {
                let _gone = reply.send(self.pause(by, hush, reason).await);
            }
            What::Resume(reply) => {
                let _gone = reply.send(self.resume(by).await);
            }
            What::Silence { agent, hush, reason, reply } => {
                let until = self.until(hush);
                let event = Silenced { until, reason: reason.map(|words| short(&words)) };
                let draft = order_draft(agent.as_ref(), by, WatchdogEvent::Silenced(event));
                let _gone = reply.send(self.write_order(vec![draft]).await.map(|()| until));
            }
            What::Unsilence { agent, reply } => {
                let event = WatchdogEvent::Unsilenced(Unsilenced {});
                let draft = order_draft(agent.as_ref(), by, event);
                let _gone = reply.send(self.write_order(vec![draft]).await);
            }
            What::Acknowledge { which, hush, reason, reply } => {
                let reason = reason.map(|words| short(&words));
                let _gone = reply.send(self.acknowledge(by, &which, hush, reason).await);
            }
            What::TestPage(reply) => {
                let present = self.present();
                let page = Page { id: page_name(present, 4), lines: Vec::new() };
                let ScanContext { now, ids, .. } = present;
                let id = NoticeId::new(ids, now);
                let notice = Notice::new(id, NoticeKind::Test, now);
                let test = Test { page, notice, by, reply };
                self.under_way.push(self.roles.try_out(test, Arc::clone(&self.clock)));
            }
        }
    }

    async fn scan_now(&mut self) -> Result<Scanned, WatchdogError> {
        let is_written = self.round(Trigger::Scan { is_asked: true }).await;
        let scan = self.watch.last_scan().filter(|_| is_written);
        scan.map(|scan| scan.scanned.clone()).ok_or_else(|| self.mute_error())
    }

    async fn pause(
        &mut self,
        by: EntityName,
        hush: Option<Duration>,
        reason: Option<String>,
    ) -> Result<(), WatchdogError> {
        if self.watch.maintenance().is_some() {
            return Err(WatchdogError::Conflict("maintenance is under way already"));
        }
        let until = hush.map(|hush| self.until(hush));
        let event = Paused { until, reason: reason.map(|words| short(&words)) };
        self.write_order(vec![order_draft(None, by, WatchdogEvent::Paused(event))]).await
    }

    async fn resume(&mut self, by: EntityName) -> Result<(), WatchdogError> {
        if self.watch.maintenance().is_none() {
            return Err(WatchdogError::Conflict("no maintenance is under way"));
        }
        self.write_order(vec![order_draft(None, by, WatchdogEvent::Resumed(Resumed {}))]).await
    }

    async fn acknowledge(
        &mut self,
        by: EntityName,
        which: &EpisodeChoice,
        hush: Duration,
        reason: Option<String>,
    ) -> Result<Vec<EpisodeId>, WatchdogError> {
        let until = self.until(hush);
        let meant = self.watch.episodes().filter(|episode| match which {
            EpisodeChoice::Agent(agent) => episode.agent == *agent,
            EpisodeChoice::Episode(id) => episode.id == *id,
            EpisodeChoice::Page(page) => episode.page.as_ref().is_some_and(|open| open.id == *page),
            EpisodeChoice::All => true,
        });
        let (ids, drafts): (Vec<_>, Vec<_>) = meant
            .map(|episode| {
                let ack = Acknowledged { episode: episode.id, until, reason: reason.clone() };
                let event = WatchdogEvent::Acknowledged(ack);
                (episode.id, order_draft(Some(&episode.agent), by.clone(), event))
            })
            .unzip();
        if ids.is_empty() {
            return Err(WatchdogError::NotFound);
        }
        self.write_order(drafts).await?;
        let now = self.pace_now();
        for notice in self.watch.acknowledged(&ids, until, now, self.ids.as_ref()) {
            self.close(notice);
        }
        Ok(ids)
    }

    async fn write_order(&mut self, drafts: Vec<Draft>) -> Result<(), WatchdogError> {
        if !self.write(drafts).await {
            return Err(self.mute_error());
        }
        self.show(None);
        Ok(())
    }

    fn mute_error(&self) -> WatchdogError {
        let why = self.mute.as_ref().map_or("nothing could be written", |mute| mute.why.as_str());
        RecorderError(why.to_owned()).into()
    }

    fn until(&self, hush: Duration) -> Timestamp {
        self.pace_now().plus(hush.min(HUSH_MAX))
    }
}

fn order_draft(agent: Option<&AgentId>, by: EntityName, event: WatchdogEvent) -> Draft {
    let entity = agent.map_or_else(EntityName::keeper, AgentId::entity);
    Draft { entity, author: by, epoch: None, event: event.into() }
}
