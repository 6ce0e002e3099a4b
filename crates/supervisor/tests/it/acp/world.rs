//! A home, a small agent that does what it is told, and a host that remembers.
//!
//! The agent (`examples/acp-agent.rs`) keeps its sessions and its `world.log` in the folder `work` of the home; both outlive
//! minds and processes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    Clock, EpochId, Timestamp,
    envelope::Channel,
    event::{AgentEvent, Event, EvidenceReported, ExitReason},
    turn::{MindError, TurnRequest},
};
use abide_engine::mind::{Mind as _, MindDelta, MindHost, PermissionRequest};
use abide_ledger::{FileStorage, Ledger};
use abide_supervisor::{
    AcpMind, AcpParts, AcpSettings, AcpSpec, ProcessLimits, ProcessState, ShimCommand,
};
use abide_testkit::{SeededIds, TokioClock};
use futures_util::future::BoxFuture;
use rustix::process::{Pid, Signal, kill_process};
use tokio::{sync::watch, task::JoinHandle, time::timeout};
use uuid::Uuid;

/// What only a failing test waits for.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

static SEEDS: AtomicU64 = AtomicU64::new(1);

pub(super) struct World(tempfile::TempDir);

/// A clock whose monotonic time a test can move ahead.
#[derive(Debug, Default)]
struct LeapingClock {
    time: TokioClock,
    seconds_ahead: AtomicU64,
}

impl Clock for LeapingClock {
    fn now(&self) -> Timestamp {
        self.time.now()
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic() + Duration::from_secs(self.seconds_ahead.load(Ordering::Relaxed))
    }
}

/// A mind over the world's agent.
pub(super) struct RunningAgent {
    pub(super) mind: AcpMind,
    pub(super) ledger: Ledger,
    clock: Arc<LeapingClock>,
    task: JoinHandle<()>,
}

/// What came to the host. `says_yes` is what the person there answers; `None` never answers.
pub(super) struct RecordingHost {
    pub(super) deltas: watch::Sender<Vec<MindDelta>>,
    pub(super) reports: Mutex<Vec<EvidenceReported>>,
    pub(super) asked: watch::Sender<Vec<PermissionRequest>>,
    says_yes: Option<bool>,
}

fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "build it: cargo build -p abide-supervisor --examples");
    program
}

pub(super) fn quick() -> AcpSettings {
    AcpSettings { yield_grace: PATIENCE, ..AcpSettings::default() }
}

impl World {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("work")).unwrap();
        Self(home)
    }

    pub(super) fn spec(&self, flags: &[&str]) -> AcpSpec {
        AcpSpec {
            agent: "felix".parse().unwrap(),
            label: "acp trial".into(),
            program: example("acp-agent"),
            args: flags.iter().map(Into::into).collect(),
            folder: self.0.path().join("work"),
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            limits: ProcessLimits::default(),
            sandbox: None,
        }
    }

    pub(super) fn keep(&self, flags: &[&str]) -> RunningAgent {
        self.keep_with(self.spec(flags), quick())
    }

    pub(super) fn keep_with(&self, spec: AcpSpec, settings: AcpSettings) -> RunningAgent {
        let leaping = Arc::new(LeapingClock::default());
        let clock: Arc<dyn Clock> = leaping.clone();
        let storage = Arc::new(FileStorage::create(&self.0.path().join("ledger")).unwrap());
        let options = abide_ledger::LedgerOptions::new(Arc::clone(&clock));
        let (ledger, committer) = Ledger::open(storage, options).unwrap();
        committer.spawn().unwrap();
        let seed = SEEDS.fetch_add(1, Ordering::Relaxed) + (u64::from(std::process::id()) << 20);
        let (mind, task) = AcpMind::new(AcpParts {
            home: self.0.path().into(),
            ledger: ledger.clone(),
            clock,
            ids: Arc::new(SeededIds::new(seed)),
            shim: ShimCommand {
                program: env!("CARGO_BIN_EXE_supervised").into(),
                args: vec!["shim".into()],
            },
            settings,
            spec,
        });
        #[expect(clippy::disallowed_methods, reason = "the test is the composition root")]
        let task = tokio::spawn(task.future);
        RunningAgent { mind, ledger, clock: leaping, task }
    }

    /// What was done to the world, in order.
    pub(super) fn done(&self) -> Vec<String> {
        self.lines("work/world.log")
    }

    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.path().join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(super) fn note(&self) -> PathBuf {
        self.0.path().join("agents/felix/acp.json")
    }
}

pub(super) fn request(epoch: u128, message: &str) -> TurnRequest {
    TurnRequest {
        agent: "felix".parse().unwrap(),
        epoch: EpochId::from_uuid(Uuid::from_u128(epoch)),
        turn: 1,
        attempt: 1,
        repair: None,
        system: "You are Felix.".into(),
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
        deadline: PATIENCE,
        deadline_streaming: PATIENCE,
    }
}

/// The same turn once more.
pub(super) fn again(request: &TurnRequest) -> TurnRequest {
    TurnRequest { attempt: request.attempt + 1, ..request.clone() }
}

impl RunningAgent {
    pub(super) async fn ask(
        &self,
        request: &TurnRequest,
        host: &RecordingHost,
    ) -> Result<String, MindError> {
        let thought = timeout(PATIENCE, self.mind.think(request, host)).await.unwrap()?;
        assert_eq!(thought.voice.check(0), Ok(()));
        Ok(thought.voice.final_response.unwrap())
    }

    pub(super) async fn say(&self, epoch: u128, message: &str) -> Result<String, MindError> {
        self.ask(&request(epoch, message), &RecordingHost::new()).await
    }

    /// The keeper dies: nobody ends or notes anything.
    pub(super) async fn die(self) {
        self.task.abort();
        self.task.await.unwrap_err();
    }

    pub(super) async fn stop(self) {
        timeout(PATIENCE, self.mind.shutdown()).await.unwrap();
        timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }

    pub(super) fn pid(&self) -> Pid {
        let pid = self.mind.status().pid.unwrap();
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }

    /// Lets the run count as one that has held, so that its end earns no pause.
    pub(super) fn let_run_hold(&self) {
        self.clock.seconds_ahead.fetch_add(60, Ordering::Relaxed);
    }

    pub(super) fn kill(&self) {
        kill_process(self.pid(), Signal::KILL).unwrap();
    }

    pub(super) async fn until_state(&self, state: ProcessState) {
        let mut changes = self.mind.status_changes();
        timeout(PATIENCE, changes.wait_for(|status| status.state == state)).await.unwrap().unwrap();
    }

    /// Waits for the end of a run and gives the reason and the text.
    pub(super) async fn until_exit(&self) -> (ExitReason, String) {
        let mut feed = self.ledger.feed(0);
        let search = async {
            loop {
                let entry = feed.next().await.unwrap().entry().unwrap();
                if let Event::Agent(AgentEvent::Exited(exited)) = entry.event {
                    return (exited.reason, exited.message);
                }
            }
        };
        timeout(PATIENCE, search).await.unwrap()
    }
}

impl RecordingHost {
    pub(super) fn new() -> Self {
        Self::of_person(None)
    }

    pub(super) fn of_person(says_yes: Option<bool>) -> Self {
        Self {
            deltas: watch::Sender::default(),
            reports: Mutex::default(),
            asked: watch::Sender::default(),
            says_yes,
        }
    }

    /// What was said, and what was thought.
    pub(super) fn heard(&self) -> (String, String) {
        let of = |thought| {
            let deltas = self.deltas.borrow();
            let texts = deltas.iter().filter(|delta| delta.thought == thought);
            texts.map(|delta| delta.text.as_str()).collect()
        };
        (of(false), of(true))
    }

    pub(super) async fn until_said(&self, words: &str) {
        let mut heard = self.deltas.subscribe();
        let is_said =
            |deltas: &Vec<MindDelta>| deltas.iter().any(|delta| delta.text.contains(words));
        timeout(PATIENCE, heard.wait_for(is_said)).await.unwrap().unwrap();
    }

    /// Claims and their tags.
    pub(super) fn claims(&self) -> Vec<(String, String)> {
        let reports = self.reports.lock().unwrap();
        reports.iter().map(|report| (report.claim_type.clone(), report.tags.join(" "))).collect()
    }
}

impl MindHost for RecordingHost {
    fn delta(&self, delta: MindDelta) {
        self.deltas.send_modify(|deltas| deltas.push(delta));
    }

    fn report(&self, evidence: EvidenceReported) -> BoxFuture<'_, ()> {
        self.reports.lock().unwrap().push(evidence);
        Box::pin(async {})
    }

    fn ask(&self, asked: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        self.asked.send_modify(|all| all.push(asked));
        Box::pin(async {
            match self.says_yes {
                Some(true) => Ok(()),
                Some(false) => Err("no".into()),
                None => std::future::pending().await,
            }
        })
    }
}
