//! The loop: looks, writes, and then does. All decisions are made elsewhere, by pure functions; here is only what waits.
//!
//! Nothing goes out that is not durable first; what cannot be written down is not done. The one exception is the message
//! that nothing can be written down.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{
    Clock, EntityName, IdSource, NoticeId, Timestamp,
    event::{
        Event,
        watchdog::{RebaseCause, Rebased, Resumed, WatchdogEvent},
    },
};
use abide_ledger::Draft;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    AgentVerdict, FirstSeenTimes, WatchdogTimings,
    attention::{AttentionRules, UNREACHABLE},
    episode::PendingNotice,
    interfaces::ObserveError,
    observation::Observation,
    page::{Notice, NoticeKind},
    policy::EscalationPolicies,
    settings::{DELIVERY_MAX, REQUESTS_MAX, REWRITE_AFTER},
    state::{ScanContext, ScanPlan, Trigger, WatchdogState, watchdog_author},
    status::{DeadManStatus, JudgedAgent, WatchdogStatus},
    time::{UnwatchedSpan, WatchdogTime},
};

mod deliver;
mod handle;
mod handle_request;
mod outcomes;
mod parts;
mod request;
mod tasks;

pub use handle::WatchdogHandle;
pub use parts::{WatchdogConfig, WatchdogParts};
pub use request::{EpisodeChoice, TestResult, WatchdogError};

use deliver::{DeliveryOutcome, PendingDelivery};
use request::Request;
use tasks::SeenTasks;

/// The watchdog.
#[derive(Debug)]
pub struct Watchdog {
    settings: WatchdogTimings,
    policies: EscalationPolicies,
    attention: AttentionRules,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    parts: WatchdogParts,
    state: WatchdogState,
    first_seen: FirstSeenTimes,
    time: WatchdogTime,
    /// Time that was lost and is not written down yet.
    unwatched: Option<UnwatchedSpan>,
    has_started: bool,
    next_scan: Timestamp,
    /// When a matter that waits for a person is to be told of, as the last look saw it.
    next_matter: Option<Timestamp>,
    requests: mpsc::Receiver<Request>,
    in_flight: FuturesUnordered<PendingDelivery>,
    /// Notices under way.
    notices_in_flight: BTreeSet<NoticeId>,
    /// Whether a ping is under way: one at a time, however slow the other side is.
    is_pinging: bool,
    write_failure: Option<WriteFailure>,
    tasks: SeenTasks,
    status: Arc<Mutex<WatchdogStatus>>,
}

/// Nothing can be written down.
#[derive(Debug)]
struct WriteFailure {
    why: String,
    since: Timestamp,
    notice: PendingNotice,
}

impl Watchdog {
    /// Makes it and what others hold of it. It does nothing before [`Watchdog::run`].
    pub fn new(config: WatchdogConfig) -> (Self, WatchdogHandle) {
        let WatchdogConfig { settings, policies, attention, clock, ids, parts, past } = config;
        let (sender, requests) = mpsc::channel(REQUESTS_MAX);
        let mut status = WatchdogStatus::new(settings, &policies, &past);
        status.dead_man = parts.dead_man.is_some().then(DeadManStatus::default);
        let status = Arc::new(Mutex::new(status));
        let time = WatchdogTime::new(clock.as_ref(), past.written_at());
        let handle = WatchdogHandle {
            requests: sender,
            status: Arc::clone(&status),
            recorder: Arc::clone(&parts.recorder),
            clock: Arc::clone(&clock),
            settings,
        };
        let watchdog = Self {
            settings,
            policies,
            attention,
            clock,
            ids,
            parts,
            state: past,
            first_seen: FirstSeenTimes::default(),
            time,
            unwatched: None,
            has_started: false,
            next_scan: time.now(),
            next_matter: None,
            requests,
            in_flight: FuturesUnordered::new(),
            notices_in_flight: BTreeSet::new(),
            is_pinging: false,
            write_failure: None,
            tasks: SeenTasks::default(),
            status,
        };
        (watchdog, handle)
    }

    /// Runs until it is told to stop. It may be cut at any point, as a dying keeper cuts it: what was written stands, and
    /// the next one goes on from there.
    pub async fn run(mut self, shutdown: CancellationToken) {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {}
            () = self.run_loop() => {}
        }
    }

    async fn run_loop(&mut self) {
        self.time = WatchdogTime::new(self.clock.as_ref(), self.state.written_at());
        self.next_scan = self.time.now();
        self.on_wake(None).await;
        loop {
            let wait = self.wait();
            self.time.expect(self.clock.as_ref(), wait);
            tokio::select! {
                biased;
                Some(outcome) = self.in_flight.next(), if !self.in_flight.is_empty() => {
                    self.on_wake(Some(outcome)).await;
                }
                Some(request) = self.requests.recv() => {
                    self.advance_time().await;
                    self.handle_request(request).await;
                }
                () = tokio::time::sleep(wait) => self.on_wake(None).await,
            }
        }
    }

    /// How long nothing is due.
    fn wait(&self) -> Duration {
        let now = self.time.now();
        if self.write_failure.is_some() || self.unwatched.is_some() || !self.has_started {
            return REWRITE_AFTER;
        }
        let matter = self.next_matter.filter(|due| *due > now);
        let due = self.state.next_due(now, &self.settings, &self.policies);
        let due = due.into_iter().chain(matter).min();
        due.map_or(self.next_scan, |due| due.min(self.next_scan)).since(now)
    }

    /// Something is due, or something that went out has come to its end.
    async fn on_wake(&mut self, outcome: Option<DeliveryOutcome>) {
        let is_ready = self.advance_time().await;
        if let Some(outcome) = outcome {
            self.handle_outcome(outcome).await;
        }
        if !is_ready {
            self.notify_write_failure();
            return;
        }
        let now = self.time.now();
        if now < self.next_scan {
            self.look_and_act(Trigger::Timer).await;
            return;
        }
        let on_time = self.next_scan.plus(self.settings.interval);
        self.next_scan = if on_time > now { on_time } else { now.plus(self.settings.interval) };
        self.look_and_act(Trigger::Scan { is_asked: false }).await;
    }

    /// Moves time on, and writes down what that means. Nothing else may follow before that is written.
    async fn advance_time(&mut self) -> bool {
        self.read_clock();
        // What could not be written down, agents could not write either: that is nobody's silence.
        let failure = self
            .write_failure
            .as_ref()
            .map(|failure| UnwatchedSpan { from: failure.since, cause: RebaseCause::Late });
        let unwatched = self.unwatched.take().or(failure);
        if !self.has_started {
            self.has_started = self.record_start().await;
            return self.has_started;
        }
        if let Some(UnwatchedSpan { from, cause }) = unwatched {
            let event = Rebased { cause, from, fresh: false };
            if !self.write(vec![watchdog_draft(WatchdogEvent::Rebased(event))]).await {
                self.unwatched = unwatched;
                return false;
            }
        }
        let until = self.state.maintenance().and_then(|maintenance| maintenance.until);
        if until.is_some_and(|until| until <= self.time.now()) {
            return self.write(vec![watchdog_draft(WatchdogEvent::Resumed(Resumed {}))]).await;
        }
        true
    }

    /// Moves time on; what was lost on the way is kept until it is written down.
    fn read_clock(&mut self) {
        let unwatched = self.time.advance(self.clock.as_ref());
        self.unwatched = self.unwatched.or(unwatched);
    }

    /// The keeper has just started: what it missed is nobody's silence. A keeper that starts
    /// over and over gives no agent a fresh beginning each time, or none would ever be found stalled.
    async fn record_start(&mut self) -> bool {
        let now = self.time.now();
        let written = self.state.written_at();
        let is_first = written == Timestamp::default();
        let long_ago = self.settings.threshold.saturating_mul(2);
        let watched_time = self.state.watched_time();
        let watched = |at: Timestamp| watched_time.between(at, written) > long_ago;
        let was_long_down = now.since(written) > self.settings.threshold;
        let fresh = was_long_down || watched_time.restarted_at().is_none_or(watched);
        let from = if is_first { now } else { written };
        let event = Rebased { cause: RebaseCause::Started, from, fresh };
        self.write(vec![watchdog_draft(WatchdogEvent::Rebased(event))]).await
    }

    /// One look at all agents, and all that follows from it. Returns whether that could be written down.
    async fn look_and_act(&mut self, trigger: Trigger) -> bool {
        self.time.expect(self.clock.as_ref(), DELIVERY_MAX);
        let late = || ObserveError(format!("no answer for {} s", DELIVERY_MAX.as_secs()));
        let result = timeout(DELIVERY_MAX, self.parts.observer.observe()).await;
        let mut result: Result<Observation, ObserveError> = result.unwrap_or_else(|_| Err(late()));
        if !self.advance_time().await {
            self.notify_write_failure();
            return false;
        }
        if let Ok(observation) = &mut result {
            self.first_seen.correct(self.time.now(), observation);
            self.tasks.see(observation);
        }
        let mut plan = self.state.plan(trigger, result.as_ref(), self.scan_context());
        let drafts = std::mem::take(&mut plan.drafts);
        let verdicts = std::mem::take(&mut plan.verdicts);
        if !drafts.is_empty() && !self.write(drafts).await {
            self.notify_write_failure();
            return false;
        }
        if let Ok(observation) = &result {
            self.next_matter = self.state.next_matter(&self.attention, observation);
        }
        self.tasks.end(std::mem::take(&mut plan.ended));
        self.carry_out(plan);
        let is_good = result.as_ref().is_ok_and(|observation| observation.outage.is_none());
        if trigger != Trigger::Timer {
            self.ping(is_good);
        }
        self.publish_status(is_good.then_some(verdicts));
        if let Ok(observation) = result {
            self.publish_unreachable(observation);
        }
        true
    }

    /// Does what follows from a look, now that it is written down.
    fn carry_out(&mut self, plan: ScanPlan) {
        let window = self.settings.bell_window;
        for ring in plan.rings {
            self.in_flight.push(self.parts.ring(ring, Arc::clone(&self.clock), window));
        }
        for page in plan.pages {
            self.in_flight.push(self.parts.page(page));
        }
        for notice in plan.closing {
            self.close(notice);
        }
        // What was written just now is due by the time that the ledger gave it, which is later than the look.
        let now = self.time.now().max(self.state.written_at());
        for mut notice in self.state.due(now, &self.notices_in_flight) {
            self.tasks.add_to(&mut notice);
            if self.parts.services.can_take(&notice) {
                self.notices_in_flight.insert(notice.id);
                self.in_flight.push(self.parts.notify(notice, Arc::clone(&self.clock)));
            }
        }
    }

    /// Writes lines as one batch and takes them in, at the time that the ledger gave them: the fold after a restart sees the
    /// same. A ledger whose clock stands still, because the wall clock was set back, does not hold ours.
    async fn write(&mut self, drafts: Vec<Draft>) -> bool {
        let now = self.time.now();
        self.time.expect(self.clock.as_ref(), Duration::ZERO);
        let appended = self.parts.recorder.append(drafts.clone()).await;
        self.read_clock();
        match appended {
            Ok(at) => {
                let at = at.max(now);
                for Draft { entity, author, event, .. } in &drafts {
                    if let Event::Watchdog(event) = event {
                        self.state.apply(at, entity, author, event);
                    }
                }
                self.write_failure = None;
                self.publish_status(None);
                true
            }
            Err(error) => {
                let id = NoticeId::new(self.ids.as_ref(), now);
                let notice = PendingNotice::new(now, id, &[]);
                let failure = self.write_failure.get_or_insert(WriteFailure {
                    why: String::new(),
                    since: now,
                    notice,
                });
                failure.why = error.0;
                false
            }
        }
    }

    /// Nothing can be written down, so nobody is paged: once that has lasted, a person is told all the same.
    fn notify_write_failure(&mut self) {
        self.publish_status(None);
        let now = self.time.now();
        let Some(failure) = &self.write_failure else { return };
        let PendingNotice { notice: id, delivered_at, failed, .. } = failure.notice;
        let is_due = now.since(failure.since) > self.settings.threshold
            && delivered_at.is_none()
            && failure.notice.due_at() <= now;
        if !is_due || !self.notices_in_flight.insert(id) {
            return;
        }
        let (kind, attempt) = (NoticeKind::Blind(failure.why.clone()), failed.saturating_add(1));
        let notice = Notice { attempt, ..Notice::new(id, kind, now) };
        self.in_flight.push(self.parts.notify_write_failure(notice, Arc::clone(&self.clock)));
    }

    fn publish_status(&self, verdicts: Option<Vec<(abide_domain::AgentId, AgentVerdict)>>) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.update(&self.state, &self.policies, self.time.now());
        status.write_error = self.write_failure.as_ref().map(|failure| failure.why.clone());
        if let Some(verdicts) = verdicts {
            let judged = |(agent, verdict)| JudgedAgent { agent, verdict };
            status.verdicts = verdicts.into_iter().map(judged).collect();
        }
    }

    fn publish_unreachable(&self, observation: Observation) {
        let mut matters = observation.attention;
        matters.retain(|observed| observed.matter.kind == UNREACHABLE);
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.unreachable = matters;
    }

    fn scan_context(&self) -> ScanContext<'_> {
        ScanContext {
            now: self.time.now(),
            settings: &self.settings,
            policies: &self.policies,
            attention: self.parts.services.names().next().map(|_| &self.attention),
            ids: self.ids.as_ref(),
        }
    }

    fn now(&self) -> Timestamp {
        self.time.now()
    }
}

fn watchdog_draft(event: WatchdogEvent) -> Draft {
    let (entity, author) = (EntityName::keeper(), watchdog_author());
    Draft { entity, author, epoch: None, event: event.into() }
}
