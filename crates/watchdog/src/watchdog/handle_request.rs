//! Requests of people, as lines in their name.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp,
    event::watchdog::{
        Acknowledged, Paused, Resumed, Scanned, Silenced, Unsilenced, WatchdogEvent,
    },
};
use abide_ledger::Draft;

use super::{
    Watchdog,
    deliver::TestRun,
    request::{EpisodeChoice, Request, RequestKind, WatchdogError},
};
use crate::{
    interfaces::RecorderError,
    page::{Notice, NoticeKind, Page},
    services::truncated,
    settings::SILENCE_MAX,
    state::{ScanContext, Trigger, new_page_id},
};

impl Watchdog {
    /// Does what was requested. Whoever asked may be gone: that is no reason not to do it.
    pub(super) async fn handle_request(&mut self, request: Request) {
        let Request { by, kind } = request;
        match kind {
            RequestKind::Scan(reply) => {
                let _gone = reply.send(self.scan_now().await);
            }
            RequestKind::Look(reply) => {
                let is_written = self.look_and_act(Trigger::Timer).await;
                let looked = if is_written { Ok(()) } else { Err(self.write_error()) };
                let _gone = reply.send(looked);
            }
            RequestKind::Pause { duration, reason, reply } => {
                let _gone = reply.send(self.pause(by, duration, reason).await);
            }
            RequestKind::Resume(reply) => {
                let _gone = reply.send(self.resume(by).await);
            }
            RequestKind::Silence { agent, duration, reason, reply } => {
                let until = self.until(duration);
                let event = Silenced { until, reason: reason.map(|words| truncated(&words)) };
                let draft = request_draft(agent.as_ref(), by, WatchdogEvent::Silenced(event));
                let _gone = reply.send(self.write_order(vec![draft]).await.map(|()| until));
            }
            RequestKind::Unsilence { agent, reply } => {
                let event = WatchdogEvent::Unsilenced(Unsilenced {});
                let draft = request_draft(agent.as_ref(), by, event);
                let _gone = reply.send(self.write_order(vec![draft]).await);
            }
            RequestKind::Acknowledge { which, duration, reason, reply } => {
                let reason = reason.map(|words| truncated(&words));
                let _gone = reply.send(self.acknowledge(by, &which, duration, reason).await);
            }
            RequestKind::TestPage(reply) => {
                let context = self.scan_context();
                let page = Page { id: new_page_id(context, 4), lines: Vec::new() };
                let ScanContext { now, ids, .. } = context;
                let id = NoticeId::new(ids, now);
                let notice = Notice::new(id, NoticeKind::Test, now);
                let test = TestRun { page, notice, by, reply };
                self.in_flight.push(self.parts.send_test(test, Arc::clone(&self.clock)));
            }
        }
    }

    async fn scan_now(&mut self) -> Result<Scanned, WatchdogError> {
        let is_written = self.look_and_act(Trigger::Scan { is_asked: true }).await;
        let scan = self.state.last_scan().filter(|_| is_written);
        scan.map(|scan| scan.scanned.clone()).ok_or_else(|| self.write_error())
    }

    async fn pause(
        &mut self,
        by: EntityName,
        duration: Option<Duration>,
        reason: Option<String>,
    ) -> Result<(), WatchdogError> {
        if self.state.maintenance().is_some() {
            return Err(WatchdogError::Conflict("maintenance is already in progress"));
        }
        let until = duration.map(|duration| self.until(duration));
        let event = Paused { until, reason: reason.map(|words| truncated(&words)) };
        self.write_order(vec![request_draft(None, by, WatchdogEvent::Paused(event))]).await
    }

    async fn resume(&mut self, by: EntityName) -> Result<(), WatchdogError> {
        if self.state.maintenance().is_none() {
            return Err(WatchdogError::Conflict("no maintenance is in progress"));
        }
        self.write_order(vec![request_draft(None, by, WatchdogEvent::Resumed(Resumed {}))]).await
    }

    async fn acknowledge(
        &mut self,
        by: EntityName,
        which: &EpisodeChoice,
        duration: Duration,
        reason: Option<String>,
    ) -> Result<Vec<EpisodeId>, WatchdogError> {
        let until = self.until(duration);
        let acknowledged = self.state.episodes().filter(|episode| match which {
            EpisodeChoice::Agent(agent) => episode.agent == *agent,
            EpisodeChoice::Episode(id) => episode.id == *id,
            EpisodeChoice::Page(page) => episode.page.as_ref().is_some_and(|open| open.id == *page),
            EpisodeChoice::All => true,
        });
        let (ids, drafts): (Vec<_>, Vec<_>) = acknowledged
            .map(|episode| {
                let ack = Acknowledged { episode: episode.id, until, reason: reason.clone() };
                let event = WatchdogEvent::Acknowledged(ack);
                (episode.id, request_draft(Some(&episode.agent), by.clone(), event))
            })
            .unzip();
        if ids.is_empty() {
            return Err(WatchdogError::NotFound);
        }
        self.write_order(drafts).await?;
        let now = self.now();
        for mut notice in self.state.acknowledged(&ids, (&by, until), now, self.ids.as_ref()) {
            self.tasks.add_to(&mut notice);
            self.close(notice);
        }
        Ok(ids)
    }

    async fn write_order(&mut self, drafts: Vec<Draft>) -> Result<(), WatchdogError> {
        if !self.write(drafts).await {
            return Err(self.write_error());
        }
        self.publish_status(None);
        Ok(())
    }

    fn write_error(&self) -> WatchdogError {
        let why = self
            .write_failure
            .as_ref()
            .map_or("nothing could be written", |failure| failure.why.as_str());
        RecorderError(why.to_owned()).into()
    }

    fn until(&self, duration: Duration) -> Timestamp {
        self.now().plus(duration.min(SILENCE_MAX))
    }
}

fn request_draft(agent: Option<&AgentId>, by: EntityName, event: WatchdogEvent) -> Draft {
    let entity = agent.map_or_else(EntityName::keeper, AgentId::entity);
    Draft { entity, author: by, epoch: None, event: event.into() }
}
