//! A home with a ledger, a supervisor over trial agents, and ways to wait for what is to happen.
//!
//! Nothing sleeps: tests wait for events of the ledger and for states, with a patience that only a failure uses up.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EpochId, RunId,
    envelope::Channel,
    event::{AgentEvent, Event, EvidenceReported, ProcessExited},
    turn::{MindError, TurnRequest},
};
use abide_engine::mind::{Mind, MindDelta, MindHost, PermissionRequest};
use abide_ledger::{FileStorage, Ledger};
use abide_supervisor::{
    AgentSpec, Launch, ProcessLimits, ProcessState, ProcessStatus, ShimCommand, StartMode,
    Supervisor, SupervisorError, SupervisorParts, SupervisorSettings,
};
use abide_testkit::{SeededIds, TokioClock};
use futures_util::future::BoxFuture;
use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinSet;
use uuid::Uuid;

/// What only a failing test waits for.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How long a turn may take where a test does not say otherwise.
pub(super) const DEADLINE: Duration = Duration::from_secs(20);

/// A test's own source of seeds: ids of two keepers of one home must differ.
static SEEDS: AtomicU64 = AtomicU64::new(1);

/// The trial agent, beside the tests in the target folder.
pub(super) fn trial_agent() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples/trial-agent");
    assert!(program.exists(), "build it: cargo build -p abide-supervisor --examples");
    program
}

pub(super) fn felix() -> AgentId {
    "felix".parse().unwrap()
}

/// Settings for tests: everything that takes seconds takes a tenth of it.
pub(super) fn quick() -> SupervisorSettings {
    SupervisorSettings {
        heartbeat_timeout: Duration::from_millis(500),
        kill_after: Duration::from_secs(3),
        ready_timeout: Duration::from_secs(10),
        shutdown_grace: Duration::from_secs(5),
        yield_grace: Duration::from_millis(500),
        ..SupervisorSettings::default()
    }
}

/// An agent that is started with these words.
pub(super) fn agent(words: &[&str]) -> AgentSpec {
    let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    AgentSpec {
        id: felix(),
        launch: Launch::Stdio {
            program: trial_agent(),
            args: words.iter().map(OsString::from).collect(),
            folder: "/".into(),
            environment,
        },
        start: StartMode::Lazy,
        limits: ProcessLimits::default(),
        sandbox: None,
    }
}

/// A folder that outlives keepers.
pub(super) struct Home(pub(super) tempfile::TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join("agents/felix").join(name)
    }

    /// Starts a keeper of one agent.
    pub(super) fn keeper(&self, spec: AgentSpec, settings: SupervisorSettings) -> Keeper {
        self.try_keeper(spec, settings).unwrap()
    }

    pub(super) fn try_keeper(
        &self,
        spec: AgentSpec,
        settings: SupervisorSettings,
    ) -> Result<Keeper, SupervisorError> {
        self.try_keeper_of(vec![spec], settings)
    }

    /// The same with several agents.
    pub(super) fn try_keeper_of(
        &self,
        agents: Vec<AgentSpec>,
        settings: SupervisorSettings,
    ) -> Result<Keeper, SupervisorError> {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::default());
        let storage = Arc::new(FileStorage::create(&self.0.path().join("ledger")).unwrap());
        let options = abide_ledger::LedgerOptions::new(Arc::clone(&clock));
        let (ledger, committer) = Ledger::open(storage, options).unwrap();
        committer.spawn().unwrap();
        let parts = SupervisorParts {
            home: self.0.path().into(),
            ledger: ledger.clone(),
            clock,
            ids: Arc::new(SeededIds::new(SEEDS.fetch_add(1, Ordering::Relaxed) + seed())),
            shim: ShimCommand { program: trial_agent(), args: vec!["shim".into()] },
            settings,
            agents,
        };
        let began = ledger.head().seq;
        let (supervisor, made) = Supervisor::new(parts)?;
        let mut tasks = JoinSet::new();
        for task in made {
            tasks.spawn(task.future);
        }
        Ok(Keeper { supervisor, ledger, tasks, began })
    }
}

/// Runs of tests at the same moment name their processes apart.
fn seed() -> u64 {
    u64::from(std::process::id()) << 20
}

/// A supervisor of one trial agent.
pub(super) struct Keeper {
    pub(super) supervisor: Supervisor,
    pub(super) ledger: Ledger,
    pub(super) tasks: JoinSet<()>,
    began: u64,
}

/// Whoever looks on while a turn is answered.
#[derive(Default)]
pub(super) struct RecordingHost(pub(super) Mutex<Vec<MindDelta>>);

impl MindHost for RecordingHost {
    fn delta(&self, delta: MindDelta) {
        self.0.lock().unwrap().push(delta);
    }

    fn report(&self, _: EvidenceReported) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn ask(&self, _: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Err("nobody is there".into()) })
    }
}

pub(super) fn request(message: &str, deadline: Duration) -> TurnRequest {
    TurnRequest {
        agent: felix(),
        epoch: EpochId::from_uuid(Uuid::from_u128(1)),
        turn: 1,
        attempt: 1,
        repair: None,
        system: "".into(),
        context: "".into(),
        time_zone: abide_domain::Zone::utc(),
        history: [].into(),
        message: message.into(),
        sender: "ada".into(),
        channel: Channel::Api,
        session_id: "s".into(),
        sent_at: TokioClock::default().now(),
        last_driver_output: None,
        tools: [].into(),
        steps: Vec::new(),
        deadline,
        deadline_streaming: deadline,
    }
}

impl Keeper {
    pub(super) fn mind(&self) -> Arc<dyn Mind> {
        self.supervisor.mind(&felix(), "agent felix").unwrap()
    }

    /// Asks as the engine does: for so long and no longer.
    pub(super) async fn ask_within(
        &self,
        message: &str,
        deadline: Duration,
    ) -> Result<String, MindError> {
        let (mind, host) = (self.mind(), RecordingHost::default());
        let request = request(message, deadline);
        let message = "deadline".into();
        let thought = tokio::time::timeout(deadline, mind.think(&request, &host))
            .await
            .unwrap_or(Err(MindError::Unavailable { message }))?;
        Ok(thought.voice.final_response.unwrap_or_default())
    }

    pub(super) async fn ask(&self, message: &str) -> Result<String, MindError> {
        self.ask_within(message, DEADLINE).await
    }

    /// The agent's notes, by its own account.
    pub(super) async fn notes(&self) -> Vec<String> {
        serde_json::from_str(&self.ask("list").await.unwrap()).unwrap()
    }

    pub(super) fn status(&self) -> ProcessStatus {
        self.supervisor.status(&felix()).unwrap()
    }

    /// Waits for a status.
    pub(super) async fn until_status(
        &self,
        what: &str,
        is_it: impl Fn(&ProcessStatus) -> bool,
    ) -> ProcessStatus {
        let mut changes = self.supervisor.status_changes(&felix()).unwrap();
        let found = tokio::time::timeout(PATIENCE, changes.wait_for(|status| is_it(status))).await;
        match found {
            Ok(found) => found.unwrap().clone(),
            Err(elapsed) => panic!("never {what} ({elapsed}): {:?}", self.status()),
        }
    }

    pub(super) async fn until_state(&self, state: ProcessState) -> ProcessStatus {
        self.until_status(&format!("{state:?}"), |status| status.state == state).await
    }

    /// Waits for an event since this keeper began and takes what is wanted of it.
    pub(super) async fn until<T>(&self, what: &str, pick: impl Fn(&Event) -> Option<T>) -> T {
        self.until_nth(what, 1, pick).await
    }

    /// Waits for the nth such event.
    pub(super) async fn until_nth<T>(
        &self,
        what: &str,
        nth: usize,
        pick: impl Fn(&Event) -> Option<T>,
    ) -> T {
        let mut feed = self.ledger.feed(self.began);
        let search = async {
            let mut found = 0;
            loop {
                let entry = feed.next().await.unwrap().entry().unwrap();
                let picked = pick(&entry.event);
                found += usize::from(picked.is_some());
                if found == nth
                    && let Some(picked) = picked
                {
                    return picked;
                }
            }
        };
        match tokio::time::timeout(PATIENCE, search).await {
            Ok(picked) => picked,
            Err(elapsed) => panic!("never {what} ({elapsed}): {:#?}", self.events()),
        }
    }

    pub(super) async fn exit(&self) -> ProcessExited {
        self.until("an exit", exited).await
    }

    /// All events since this keeper began.
    pub(super) fn events(&self) -> Vec<Event> {
        let records = self.ledger.records(self.began + 1);
        records.map(|record| record.unwrap().entry().unwrap().event).collect()
    }

    /// How often each kind of event about agents came.
    pub(super) fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        for event in self.events() {
            let name = event.kind().name;
            if !name.starts_with("keeper.") {
                *kinds.entry(name).or_insert(0) += 1;
            }
        }
        kinds
    }

    /// Ends everything and waits until all is written.
    pub(super) async fn stop(mut self) -> Vec<Event> {
        let supervisor = self.supervisor.clone();
        tokio::time::timeout(PATIENCE, supervisor.shutdown()).await.unwrap();
        while let Some(ended) =
            tokio::time::timeout(PATIENCE, self.tasks.join_next()).await.unwrap()
        {
            ended.unwrap();
        }
        let events = self.events();
        self.ledger.close().await;
        events
    }

    /// Drops everything at once, as a keeper that is killed does.
    pub(super) async fn vanish(mut self) {
        self.tasks.shutdown().await;
        self.ledger.close().await;
    }
}

pub(super) fn exited(event: &Event) -> Option<ProcessExited> {
    match event {
        Event::Agent(AgentEvent::Exited(exited)) => Some(exited.clone()),
        _ => None,
    }
}

pub(super) fn ready(event: &Event) -> Option<RunId> {
    match event {
        Event::Agent(AgentEvent::Ready(ready)) => Some(ready.run),
        _ => None,
    }
}

pub(super) fn signal(pid: u32, signal: Signal) {
    try_signal(pid, signal).unwrap();
}

pub(super) fn try_signal(pid: u32, signal: Signal) -> rustix::io::Result<()> {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal)
}

/// Whether a process is there.
pub(super) fn is_there(pid: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty()
}
