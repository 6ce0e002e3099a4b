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
    AgentVerdict, Observations, WatchdogTimings,
    episode::PendingNotice,
    pace::{Lost, Pace},
    page::{Notice, NoticeKind},
    policy::EscalationPolicies,
    roles::{Bell, DeadManPing, ObserveError, Observer, Pager, Recorder},
    services::NotifyServices,
    settings::{AGAIN_AFTER, COMMANDS_MAX, DELIVERY_MAX},
    standing::Observation,
    status::{DeadManStatus, Judged, WatchdogStatus},
    watch::{ScanContext, Trigger, WatchdogState, tickle},
};

mod deliver;
mod handle;
mod orders;
mod settle;

pub use deliver::TestResult;
pub use handle::{EpisodeChoice, WatchdogError, WatchdogHandle};

use deliver::{Outcome, Under};
use handle::Order;

/// What the watchdog is made of.
#[derive(Debug)]
pub struct WatchdogConfig {
    /// The settings.
    pub settings: WatchdogTimings,
    /// Who is told of whom, and when.
    pub policies: EscalationPolicies,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where new ids come from.
    pub ids: Arc<dyn IdSource>,
    /// What it asks of the world.
    pub roles: Roles,
    /// The past: all `watchdog.*` lines of the ledger, folded.
    pub past: WatchdogState,
}

/// What it asks of the world.
#[derive(Clone, Debug)]
pub struct Roles {
    /// Public evidence.
    pub eyes: Arc<dyn Observer>,
    /// The first rung.
    pub bell: Arc<dyn Bell>,
    /// The second rung.
    pub pager: Arc<dyn Pager>,
    /// The third rung.
    pub services: NotifyServices,
    /// The ledger.
    pub record: Arc<dyn Recorder>,
    /// Whoever watches the watchdog, if anybody does.
    pub dead_man: Option<Arc<dyn DeadManPing>>,
}

/// The watchdog.
#[derive(Debug)]
pub struct Watchdog {
    settings: WatchdogTimings,
    policies: EscalationPolicies,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    roles: Roles,
    watch: WatchdogState,
    sightings: Observations,
    pace: Pace,
    /// Time that was lost and is not written down yet.
    lost: Option<Lost>,
    has_begun: bool,
    next_scan: Timestamp,
    orders: mpsc::Receiver<Order>,
    under_way: FuturesUnordered<Under>,
    /// Notices under way.
    telling: BTreeSet<NoticeId>,
    /// Whether a ping is under way: one at a time, however slow the other side is.
    is_pinging: bool,
    mute: Option<Mute>,
    status: Arc<Mutex<WatchdogStatus>>,
}

/// Nothing can be written down.
#[derive(Debug)]
struct Mute {
    why: String,
    since: Timestamp,
    notice: PendingNotice,
}

impl Watchdog {
    /// Makes it and what others hold of it. It does nothing before [`Watchdog::run`].
    pub fn new(config: WatchdogConfig) -> (Self, WatchdogHandle) {
        let WatchdogConfig { settings, policies, clock, ids, roles, past } = config;
        let (sender, orders) = mpsc::channel(COMMANDS_MAX);
        let mut status = WatchdogStatus::new(settings, &policies, &past);
        status.dead_man = roles.dead_man.is_some().then(DeadManStatus::default);
        let status = Arc::new(Mutex::new(status));
        let pace = Pace::new(clock.as_ref(), past.written_at());
        let handle = WatchdogHandle {
            orders: sender,
            status: Arc::clone(&status),
            record: Arc::clone(&roles.record),
            clock: Arc::clone(&clock),
            settings,
        };
        let watchdog = Self {
            settings,
            policies,
            clock,
            ids,
            roles,
            watch: past,
            sightings: Observations::default(),
            pace,
            lost: None,
            has_begun: false,
            next_scan: pace.now(),
            orders,
            under_way: FuturesUnordered::new(),
            telling: BTreeSet::new(),
            is_pinging: false,
            mute: None,
            status,
        };
        (watchdog, handle)
    }

    /// Runs until it is told to stop. It may be cut at any point, as a dying house cuts it: what it had written stands, and
    /// the next one goes on from there.
    pub async fn run(mut self, shutdown: CancellationToken) {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {}
            () = self.live() => {}
        }
    }

    async fn live(&mut self) {
        self.pace = Pace::new(self.clock.as_ref(), self.watch.written_at());
        self.next_scan = self.pace.now();
        self.wake(None).await;
        loop {
            let wait = self.wait();
            self.pace.expect(self.clock.as_ref(), wait);
            tokio::select! {
                biased;
                Some(outcome) = self.under_way.next(), if !self.under_way.is_empty() => {
                    self.wake(Some(outcome)).await;
                }
                Some(order) = self.orders.recv() => {
                    self.tick().await;
                    self.obey(order).await;
                }
                () = tokio::time::sleep(wait) => self.wake(None).await,
            }
        }
    }

    /// How long nothing is due.
    fn wait(&self) -> Duration {
        let now = self.pace.now();
        if self.mute.is_some() || self.lost.is_some() || !self.has_begun {
            return AGAIN_AFTER;
        }
        let due = self.watch.next_due(now, &self.settings, &self.policies);
        due.map_or(self.next_scan, |due| due.min(self.next_scan)).since(now)
    }

    /// Something is due, or something that went out has come to its end.
    async fn wake(&mut self, outcome: Option<Outcome>) {
        let is_ready = self.tick().await;
        if let Some(outcome) = outcome {
            self.take(outcome).await;
        }
        if !is_ready {
            self.cry();
            return;
        }
        let now = self.pace.now();
        if now < self.next_scan {
            self.round(Trigger::Timer).await;
            return;
        }
        let on_time = self.next_scan.plus(self.settings.interval);
        self.next_scan = if on_time > now { on_time } else { now.plus(self.settings.interval) };
        self.round(Trigger::Scan { is_asked: false }).await;
    }

    /// Moves time on, and writes down what that means. Nothing else may follow before that is written.
    async fn tick(&mut self) -> bool {
        self.note_time();
        // What could not be written down, agents could not write either: that is nobody's silence.
        let mute =
            self.mute.as_ref().map(|mute| Lost { from: mute.since, cause: RebaseCause::Late });
        let lost = self.lost.take().or(mute);
        if !self.has_begun {
            self.has_begun = self.begin().await;
            return self.has_begun;
        }
        if let Some(Lost { from, cause }) = lost {
            let event = Rebased { cause, from, fresh: false };
            if !self.write(vec![by_tickle(WatchdogEvent::Rebased(event))]).await {
                self.lost = lost;
                return false;
            }
        }
        let until = self.watch.maintenance().and_then(|maintenance| maintenance.until);
        if until.is_some_and(|until| until <= self.pace.now()) {
            return self.write(vec![by_tickle(WatchdogEvent::Resumed(Resumed {}))]).await;
        }
        true
    }

    /// Moves time on; what was lost on the way is kept until it is written down.
    fn note_time(&mut self) {
        let lost = self.pace.tick(self.clock.as_ref());
        self.lost = self.lost.or(lost);
    }

    /// The house has just started: what it missed is nobody's silence, and cut work is asked for again. A house that starts
    /// over and over gives no agent a fresh beginning each time, or none would ever be found stalled.
    async fn begin(&mut self) -> bool {
        let now = self.pace.now();
        let written = self.watch.written_at();
        let is_first = written == Timestamp::default();
        let long_ago = self.settings.threshold.saturating_mul(2);
        let awake = self.watch.awake();
        let watched = |at: Timestamp| awake.between(at, written) > long_ago;
        let was_long_down = now.since(written) > self.settings.threshold;
        let fresh = was_long_down || awake.fresh_at().is_none_or(watched);
        let from = if is_first { now } else { written };
        let event = Rebased { cause: RebaseCause::Started, from, fresh };
        self.write(vec![by_tickle(WatchdogEvent::Rebased(event))]).await
    }

    /// One look, and all that follows from it. Whether that could be written down.
    async fn round(&mut self, trigger: Trigger) -> bool {
        self.pace.expect(self.clock.as_ref(), DELIVERY_MAX);
        let late = || ObserveError(format!("no answer for {} s", DELIVERY_MAX.as_secs()));
        let looked = timeout(DELIVERY_MAX, self.roles.eyes.look()).await;
        let mut looked: Result<Observation, ObserveError> = looked.unwrap_or_else(|_| Err(late()));
        if !self.tick().await {
            self.cry();
            return false;
        }
        let now = self.pace.now();
        if let Ok(sight) = &mut looked {
            self.sightings.date(now, sight);
        }
        let mut plan = self.watch.plan(trigger, looked.as_ref(), self.present());
        let drafts = std::mem::take(&mut plan.drafts);
        if !drafts.is_empty() && !self.write(drafts).await {
            self.cry();
            return false;
        }
        let window = self.settings.bell_window;
        for ring in plan.rings {
            self.under_way.push(self.roles.ring(ring, Arc::clone(&self.clock), window));
        }
        for page in plan.pages {
            self.under_way.push(self.roles.page(page));
        }
        for notice in plan.closing {
            self.close(notice);
        }
        for notice in self.watch.due(now, &self.telling) {
            self.telling.insert(notice.id);
            self.under_way.push(self.roles.notify(notice, Arc::clone(&self.clock)));
        }
        let is_good = looked.is_ok_and(|sight| sight.outage.is_none());
        if trigger != Trigger::Timer {
            self.ping(is_good);
        }
        self.show(is_good.then_some(plan.verdicts));
        true
    }

    /// Writes lines as one batch and takes them in, at the time that the ledger gave them: the fold after a restart sees the
    /// same. A ledger whose clock stands still, because the wall clock was set back, does not hold ours.
    async fn write(&mut self, drafts: Vec<Draft>) -> bool {
        let now = self.pace.now();
        self.pace.expect(self.clock.as_ref(), Duration::ZERO);
        let appended = self.roles.record.append(drafts.clone()).await;
        self.note_time();
        match appended {
            Ok(at) => {
                let at = at.max(now);
                for Draft { entity, author, event, .. } in &drafts {
                    if let Event::Watchdog(event) = event {
                        self.watch.apply(at, entity, author, event);
                    }
                }
                self.mute = None;
                self.show(None);
                true
            }
            Err(error) => {
                let id = NoticeId::new(self.ids.as_ref(), now);
                let notice = PendingNotice::new(now, id, &[]);
                let mute = self.mute.get_or_insert(Mute { why: String::new(), since: now, notice });
                mute.why = error.0;
                false
            }
        }
    }

    /// Nothing can be written down, so nobody is paged: once that has lasted, a person is told all the same.
    fn cry(&mut self) {
        self.show(None);
        let now = self.pace.now();
        let Some(mute) = &self.mute else { return };
        let PendingNotice { notice: id, told_at, failed, .. } = mute.notice;
        let is_due = now.since(mute.since) > self.settings.threshold
            && told_at.is_none()
            && mute.notice.due_at() <= now;
        if !is_due || !self.telling.insert(id) {
            return;
        }
        let (kind, attempt) = (NoticeKind::Blind(mute.why.clone()), failed.saturating_add(1));
        let notice = Notice { attempt, ..Notice::new(id, kind, now) };
        self.under_way.push(self.roles.cry(notice, Arc::clone(&self.clock)));
    }

    fn show(&self, verdicts: Option<Vec<(abide_domain::AgentId, AgentVerdict)>>) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.take(&self.watch, &self.policies, self.pace.now());
        status.mute = self.mute.as_ref().map(|mute| mute.why.clone());
        if let Some(verdicts) = verdicts {
            let judged = |(agent, verdict)| Judged { agent, verdict };
            status.verdicts = verdicts.into_iter().map(judged).collect();
        }
    }

    fn present(&self) -> ScanContext<'_> {
        ScanContext {
            now: self.pace.now(),
            settings: &self.settings,
            policies: &self.policies,
            ids: self.ids.as_ref(),
        }
    }

    fn pace_now(&self) -> Timestamp {
        self.pace.now()
    }
}

fn by_tickle(event: WatchdogEvent) -> Draft {
    let (entity, author) = (EntityName::keeper(), tickle());
    Draft { entity, author, epoch: None, event: event.into() }
}
