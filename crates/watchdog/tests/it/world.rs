//! A world for the watchdog: agents as others see them, the parts that it talks to, and a ledger, all under paused time.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EntityName, EpisodeId, EpochId, IdSource, Timestamp,
    envelope::Channel,
    event::{
        AbortCode, EpochAborted, EpochCommitted, Event,
        watchdog::{AttentionMatter, BlindCause, Proof, WatchdogEvent},
    },
};
use abide_ledger::{Draft, Entry};
use abide_watchdog::{
    AgentCondition, AttentionRules, Bell, BellOutcome, DeadManPing, Delivery, EscalationPolicies,
    EvidenceMark, Notice, Notifier, NotifyServices, Observation, ObserveError, ObservedAgent,
    ObservedMatter, Observer, Outage, Page, Pager, Pulse, Recorder, RecorderError, TaskOrigin,
    UnansweredTask, Watchdog, WatchdogConfig, WatchdogHandle, WatchdogParts, WatchdogState,
    WatchdogTimings,
};
use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::{sync::Notify, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;
use uuid::{Builder, Uuid};

/// 2026-11-28T00:00:00Z.
pub(crate) const START: i64 = 1_795_824_000_000_000;

/// The rounds of a test that has `full` of them in `make soak`: a tenth, unless `ABIDE_TEST_ROUNDS` says another
/// percentage.
pub(crate) fn rounds(full: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "the one switch that tests read from outside")]
    let percent = std::env::var("ABIDE_TEST_ROUNDS").ok();
    let percent: u64 = percent.and_then(|text| text.parse().ok()).unwrap_or(10);
    u32::try_from(u64::from(full) * percent / 100).unwrap_or(u32::MAX).max(1)
}

pub(crate) fn id(name: &str) -> AgentId {
    name.parse().unwrap()
}

pub(crate) fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// How a role behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    #[default]
    Works,
    Fails,
    Hangs,
    /// The bell only: nobody answers.
    Silent,
    /// A service only: it works, and takes five seconds.
    Slow,
}

/// An agent as others see it.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) registered_at: Timestamp,
    pub(crate) last_evidence: Option<EvidenceMark>,
    pub(crate) work_since: Option<Timestamp>,
    pub(crate) excused_at: Option<Timestamp>,
    pub(crate) threshold: Option<Duration>,
    pub(crate) always_active: bool,
    pub(crate) task: Option<TaskOrigin>,
    pub(crate) unanswered: Option<UnansweredTask>,
    pub(crate) condition: AgentCondition,
    pub(crate) has_process: bool,
    pub(crate) fatigue: Option<f64>,
    pub(crate) confidence: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) agents: BTreeMap<AgentId, Agent>,
    pub(crate) ledger: Vec<Entry>,
    /// How far the wall clock is ahead of even time, in microseconds.
    pub(crate) shift: i64,
    pub(crate) observer: Mode,
    pub(crate) outage: Option<BlindCause>,
    /// What waits for a person beside silence.
    pub(crate) attention: Vec<ObservedMatter>,
    pub(crate) attention_rules: AttentionRules,
    pub(crate) bell: Mode,
    pub(crate) pager: Mode,
    pub(crate) notifier: Mode,
    /// Services that behave otherwise than the rest.
    pub(crate) services: BTreeMap<String, Mode>,
    pub(crate) dead_man: Mode,
    pub(crate) record: Mode,
    /// How long an append takes until it has its time.
    pub(crate) record_takes: Duration,
    /// The keeper dies behind the next append, before anything else.
    pub(crate) dies_behind_append: bool,
    pub(crate) looks: u64,
    pub(crate) rings: u64,
    pub(crate) pulses: Vec<Pulse>,
    pub(crate) pages: Vec<(Timestamp, Page)>,
    pub(crate) notices: Vec<(Timestamp, Notice)>,
    /// The same with the service that was asked to tell it.
    pub(crate) told: Vec<(Timestamp, String, Notice)>,
    made: u64,
}

#[derive(Clone)]
pub(crate) struct World {
    state: Arc<Mutex<State>>,
    origin: Instant,
    died: Arc<Notify>,
    seed: u64,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

/// A keeper in which the watchdog runs.
pub(crate) struct Keeper {
    pub(crate) handle: WatchdogHandle,
    tasks: JoinSet<()>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        Self { state, origin: Instant::now(), died: Arc::new(Notify::new()), seed }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn now(&self) -> Timestamp {
        let even = i64::try_from(self.origin.elapsed().as_micros()).unwrap();
        Timestamp::from_micros(START + even + self.state().shift)
    }

    /// Starts a keeper over this ledger in which one service tells people.
    pub(crate) fn start(&self, settings: WatchdogTimings) -> Keeper {
        self.start_with(settings, EscalationPolicies::default(), &["phone"])
    }

    /// Starts a keeper over this ledger, with these services and these policies.
    pub(crate) fn start_with(
        &self,
        settings: WatchdogTimings,
        policies: EscalationPolicies,
        services: &[&str],
    ) -> Keeper {
        let mut past = WatchdogState::default();
        self.state().ledger.iter().for_each(|entry| past.apply_entry(entry));
        let world = Arc::new(self.clone());
        let service = |name: &&str| {
            let phone = Phone { name: (*name).to_owned(), world: self.clone() };
            ((*name).to_owned(), Arc::new(phone) as Arc<dyn Notifier>)
        };
        let parts = WatchdogParts {
            observer: Arc::clone(&world) as _,
            bell: Arc::clone(&world) as _,
            pager: Arc::clone(&world) as _,
            services: NotifyServices::new(services.iter().map(service).collect()),
            recorder: Arc::clone(&world) as _,
            dead_man: Some(Arc::clone(&world) as _),
        };
        let (clock, ids) = (Arc::clone(&world) as _, world as _);
        let attention = self.state().attention_rules.clone();
        let config = WatchdogConfig { settings, policies, attention, clock, ids, parts, past };
        let (watchdog, handle) = Watchdog::new(config);
        let mut tasks = JoinSet::new();
        tasks.spawn(watchdog.run(CancellationToken::new()));
        Keeper { handle, tasks }
    }

    /// Whether the keeper has died behind an append.
    pub(crate) async fn died(&self) {
        self.died.notified().await;
    }

    /// An agent that was registered long ago and has nothing to do.
    pub(crate) fn add(&self, name: &str) {
        let registered_at = Timestamp::from_micros(START - 86_400_000_000);
        self.add_registered(name, registered_at);
    }

    pub(crate) fn add_registered(&self, name: &str, registered_at: Timestamp) {
        let agent = Agent {
            registered_at,
            last_evidence: None,
            work_since: None,
            excused_at: None,
            threshold: None,
            always_active: false,
            task: None,
            unanswered: None,
            condition: AgentCondition::Awake,
            has_process: true,
            fatigue: None,
            confidence: None,
        };
        self.state().agents.insert(id(name), agent);
    }

    pub(crate) fn agent(&self, name: &str, change: impl FnOnce(&mut Agent)) {
        change(self.state().agents.get_mut(name).unwrap());
    }

    /// Something waits for a person from now on.
    pub(crate) fn matter(&self, id: &str, kind: &str, agent: Option<&str>) {
        let matter = AttentionMatter {
            id: id.to_owned(),
            kind: kind.to_owned(),
            agent: agent.map(self::id),
            summary: format!("{id} waits"),
        };
        let since = self.now();
        self.state().attention.push(ObservedMatter { matter, since });
    }

    /// The agent has something to do from now on.
    pub(crate) fn work(&self, name: &str) {
        let now = self.now();
        self.agent(name, |agent| agent.work_since = Some(now));
    }

    /// The agent has a message of ann to answer from now on.
    pub(crate) fn ask(&self, name: &str) {
        self.work(name);
        let (sender, at) = (Some("ann".to_owned()), self.now());
        let task = TaskOrigin { sender, channel: Channel::Telegram, at };
        self.agent(name, |agent| agent.task = Some(task));
    }

    /// The agent shows evidence. A ledger that takes nothing has none.
    pub(crate) fn evidence(&self, name: &str) {
        let now = self.now();
        let mut state = self.state();
        if state.record != Mode::Works {
            return;
        }
        let entity = id(name).entity();
        let event = Event::from(EpochCommitted { turn: 1 });
        let entry = state.write(now, Draft { author: entity.clone(), entity, epoch: None, event });
        let sign = EvidenceMark { seq: entry.seq, at: entry.timestamp };
        state.agents.get_mut(name).unwrap().last_evidence = Some(sign);
    }

    /// The agent's task ends without an answer, and nothing else is there for it to do.
    pub(crate) fn give_up(&self, name: &str, why: &str) {
        self.give_up_for_the_next(name, why);
        self.agent(name, |agent| agent.work_since = None);
    }

    /// The agent's task ends without an answer, and the next one waits for it.
    pub(crate) fn give_up_for_the_next(&self, name: &str, why: &str) {
        let now = self.now();
        let epoch = EpochId::new(self, now);
        let mut state = self.state();
        let entity = id(name).entity();
        let (code, message) = (AbortCode::Deadline, why.to_owned());
        let event = Event::from(EpochAborted { code, message });
        let draft = Draft { entity, author: EntityName::keeper(), epoch: Some(epoch), event };
        let at = state.write(now, draft).timestamp;
        let agent = state.agents.get_mut(name).unwrap();
        let (task, why) = (agent.task.take(), why.to_owned());
        agent.unanswered = Some(UnansweredTask { epoch, at, task, why });
    }

    /// The kinds of the watchdog's lines about stalls, in order; scans, rebases and records of what was tried left out.
    pub(crate) fn story(&self) -> Vec<String> {
        let left_out = ["scanned", "rebased"];
        let state = self.state();
        let kinds = state.ledger.iter().map(|entry| entry.event.kind().name);
        let own = kinds.filter_map(|kind| kind.strip_prefix("watchdog."));
        own.filter(|kind| !left_out.contains(kind)).map(str::to_owned).collect()
    }

    /// The watchdog's lines with their times.
    pub(crate) fn lines(&self) -> Vec<(Timestamp, EntityName, WatchdogEvent)> {
        let state = self.state();
        let lines = state.ledger.iter().filter_map(|entry| match &entry.event {
            Event::Watchdog(event) => Some((entry.timestamp, entry.entity.clone(), event.clone())),
            _ => None,
        });
        lines.collect()
    }

    /// How often the dead man's switch heard of a good scan.
    pub(crate) fn good_pulses(&self) -> usize {
        self.state().pulses.iter().filter(|pulse| **pulse == Pulse::Good).count()
    }

    /// When a kind of line was first written, from the start of the world.
    pub(crate) fn first(&self, kind: &str) -> Option<u64> {
        self.all(kind).first().copied()
    }

    /// When a kind of line was written, in seconds from the start of the world.
    pub(crate) fn all(&self, kind: &str) -> Vec<u64> {
        let state = self.state();
        let found = state.ledger.iter().filter(|entry| entry.event.kind().name == kind);
        let second = |at: Timestamp| u64::try_from((at.as_micros() - START) / 1_000_000).unwrap();
        found.map(|entry| second(entry.timestamp)).collect()
    }
}

fn deliver(mode: Mode) -> BoxFuture<'static, Delivery> {
    match mode {
        Mode::Works | Mode::Silent => {
            let (proof, by) = (Proof::Sent, "fake".to_owned());
            async move { Delivery::Delivered { proof, by } }.boxed()
        }
        Mode::Slow => async {
            tokio::time::sleep(seconds(5)).await;
            Delivery::Delivered { proof: Proof::Sent, by: "fake".to_owned() }
        }
        .boxed(),
        Mode::Fails => async { Delivery::Failed("refused".into()) }.boxed(),
        Mode::Hangs => std::future::pending().boxed(),
    }
}

impl Keeper {
    /// The keeper dies at once, without a word.
    pub(crate) async fn kill(mut self) {
        self.tasks.shutdown().await;
    }
}

impl State {
    fn write(&mut self, now: Timestamp, draft: Draft) -> Entry {
        let last = self.ledger.last();
        let seq = last.map_or(1, |entry| entry.seq + 1);
        let timestamp = last.map_or(now, |entry| entry.timestamp.max(now));
        let Draft { entity, author, epoch, event } = draft;
        let entry = Entry { seq, tick: seq, timestamp, entity, author, epoch, event };
        self.ledger.push(entry.clone());
        entry
    }
}

impl Clock for World {
    fn now(&self) -> Timestamp {
        World::now(self)
    }

    fn monotonic(&self) -> Duration {
        self.origin.elapsed()
    }
}

impl IdSource for World {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut state = self.state();
        state.made += 1;
        // The counter stands before the noise, so that no two are the same.
        let noise = (self.seed ^ state.made).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let noise = noise.wrapping_mul(0xbf58_476d_1ce4_e5b9).to_be_bytes();
        let mut tail = [0; 10];
        tail[..4].copy_from_slice(&u32::try_from(state.made).unwrap().to_be_bytes());
        tail[4..].copy_from_slice(&noise[..6]);
        tail[0] &= 0x3f;
        let millis = u64::try_from(now.as_micros() / 1000).unwrap();
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

impl Observer for World {
    fn observe(&self) -> BoxFuture<'_, Result<Observation, ObserveError>> {
        let mut state = self.state();
        state.looks += 1;
        match state.observer {
            Mode::Works | Mode::Silent | Mode::Slow => {}
            Mode::Fails => return async { Err(ObserveError("no store".into())) }.boxed(),
            Mode::Hangs => return std::future::pending().boxed(),
        }
        let agents = state.agents.iter().map(|(id, agent)| ObservedAgent {
            agent: id.clone(),
            nick: format!("{id}_"),
            registered_at: agent.registered_at,
            last_evidence: agent.last_evidence,
            work_since: agent.work_since,
            excused_at: agent.excused_at,
            threshold: agent.threshold,
            always_active: agent.always_active,
            task: agent.task.clone(),
            unanswered: agent.unanswered.clone(),
            condition: agent.condition,
            has_process: agent.has_process,
            fatigue: agent.fatigue,
            confidence: agent.confidence,
        });
        let outage = state.outage.map(|cause| Outage { cause, message: "down".into() });
        let attention = state.attention.clone();
        let observation = Observation { agents: agents.collect(), outage, attention };
        async move { Ok(observation) }.boxed()
    }
}

impl Bell for World {
    fn ring(&self, _agent: AgentId, _episode: EpisodeId) -> BoxFuture<'_, BellOutcome> {
        let mut state = self.state();
        state.rings += 1;
        match state.bell {
            Mode::Works => async { BellOutcome::Pong }.boxed(),
            Mode::Fails => async { BellOutcome::NotDelivered("no link".into()) }.boxed(),
            Mode::Hangs => std::future::pending().boxed(),
            Mode::Silent | Mode::Slow => async { BellOutcome::Silent }.boxed(),
        }
    }
}

impl Pager for World {
    fn page(&self, page: Page) -> BoxFuture<'_, Delivery> {
        let now = World::now(self);
        let mut state = self.state();
        let mode = state.pager;
        state.pages.push((now, page));
        deliver(mode)
    }
}

/// A service that tells people.
#[derive(Debug)]
struct Phone {
    name: String,
    world: World,
}

impl Notifier for Phone {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        let now = self.world.now();
        let mut state = self.world.state();
        let mode = state.services.get(&self.name).copied().unwrap_or(state.notifier);
        state.notices.push((now, notice.clone()));
        state.told.push((now, self.name.clone(), notice));
        deliver(mode)
    }
}

impl Recorder for World {
    fn append(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Timestamp, RecorderError>> {
        let takes = self.state().record_takes;
        async move {
            tokio::time::sleep(takes).await;
            self.append_now(drafts).await
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        from: Timestamp,
        each: &'a mut (dyn FnMut(&Entry) + Send),
    ) -> BoxFuture<'a, Result<(), RecorderError>> {
        let entries = self.state().ledger.clone();
        entries.iter().filter(|entry| entry.timestamp >= from).for_each(each);
        async { Ok(()) }.boxed()
    }
}

impl World {
    fn append_now(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Timestamp, RecorderError>> {
        let now = World::now(self);
        let mut state = self.state();
        if state.record != Mode::Works {
            return async { Err(RecorderError("no space left".into())) }.boxed();
        }
        let mut at = now;
        for draft in drafts {
            at = state.write(now, draft).timestamp;
        }
        if std::mem::take(&mut state.dies_behind_append) {
            self.died.notify_one();
            return std::future::pending().boxed();
        }
        async move { Ok(at) }.boxed()
    }
}

impl DeadManPing for World {
    fn ping(&self, pulse: Pulse) -> BoxFuture<'_, Delivery> {
        let mut state = self.state();
        state.pulses.push(pulse);
        deliver(state.dead_man)
    }
}

/// Time passes. Time is paused: nobody waits for it.
pub(crate) async fn pass(n: u64) {
    tokio::time::sleep(seconds(n)).await;
}

/// A small seeded generator (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound.max(1)
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::try_from(self.below(items.len() as u64)).unwrap()]
    }
}
