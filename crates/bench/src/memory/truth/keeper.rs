//! A keeper of one agent, whose clock is that of a made life. It is put together like the binary's, on files in a folder of
//! its own.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EntityName, Sharing, Timestamp, Zone, envelope::StimulusEnvelope,
    event::Partner, limits::Limits, turn::TurnRequest,
};
use abide_engine::{
    AgentSetup, Blobs, DreamerSetup, EpochSettings, Keeper, KnownPeople, agent_folder,
    context::History,
    failpoint::Failpoints,
    keeper::{AcceptOptions, KeeperParts, KeeperTasks, replay},
};
use abide_ledger::{FileStorage, Ledger, LedgerOptions};
use abide_memory::{
    IdentityFile, IdentityFileWriters, Knowledge, KnowledgeHandle, RuleDistiller,
    stdout::StdoutFolder,
};
use abide_tools::{Registry, SharedRegistry, ToolPolicy};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    life::{Said, Step, TruthLife, TruthQuestion},
    mind::TruthMind,
};
use crate::{
    error::BenchError,
    system::{SystemClock, SystemIds},
};

const AGENT: &str = "felix";
/// Tokens of a prompt.
const TOKENS_MAX: u64 = 32_000;
/// How long a sleep may take. A guard: it takes milliseconds.
const SLEEP_PATIENCE: Duration = Duration::from_mins(1);

/// The clock of a life, which stands still between two steps.
#[derive(Debug)]
struct LifeClock {
    begun: i64,
    now: AtomicI64,
    machine: SystemClock,
}

impl Clock for LifeClock {
    fn now(&self) -> Timestamp {
        // Each reading a moment later, so that no two events are of the same time.
        Timestamp::from_micros(self.now.fetch_add(1, Ordering::Relaxed))
    }

    /// The time of the life passes here, too: a wall clock alone that goes hours ahead would be taken for wrong.
    fn monotonic(&self) -> Duration {
        let lived = self.now.load(Ordering::Relaxed).saturating_sub(self.begun);
        self.machine.monotonic() + Duration::from_micros(lived.unsigned_abs())
    }
}

/// A running keeper.
#[derive(Debug)]
pub(super) struct TruthKeeper {
    keeper: Keeper,
    agent: AgentId,
    clock: Arc<LifeClock>,
    mind: TruthMind,
    tasks: JoinSet<()>,
    stop: CancellationToken,
    committer: JoinHandle<()>,
}

impl TruthKeeper {
    /// Starts a keeper in an empty folder.
    pub(super) async fn open(folder: &Path, life: &TruthLife) -> Result<Self, BenchError> {
        let begun = life.steps.first().map_or(0, |step| step.at().as_micros());
        let clock =
            Arc::new(LifeClock { begun, now: AtomicI64::new(begun), machine: SystemClock::new() });
        let wall: Arc<dyn Clock> = clock.clone();
        let files = FileStorage::create(&folder.join("ledger"));
        let storage = Arc::new(files.map_err(BenchError::io("make a ledger"))?);
        let (ledger, committer) = Ledger::open(storage, LedgerOptions::new(Arc::clone(&wall)))
            .map_err(BenchError::of("open a ledger"))?;
        let committer = committer.spawn().map_err(BenchError::io("start the ledger's writer"))?;
        let mind = TruthMind::default();
        let parts = parts(folder, ledger, wall, &mind, life.zone.clone())?;
        let agent: AgentId = AGENT.parse().map_err(BenchError::of("name an agent"))?;
        let logs = StdoutFolder::open(folder.join("stdout"), None);
        let replayed = replay(&parts.ledger, &parts.agents, logs, None)
            .map_err(BenchError::of("fold a ledger"))?;
        let (keeper, running) =
            Keeper::start(parts, replayed).await.map_err(BenchError::of("start a keeper"))?;
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let KeeperTasks { projector, lanes, sleeper, .. } = running;
        let token = stop.clone();
        tasks.spawn(async move {
            // A projector that ends early leaves epochs unanswered, which fails the measurement.
            drop(projector.run(token).await);
        });
        for lane in lanes {
            tasks.spawn(lane.run(stop.clone()));
        }
        tasks.spawn(sleeper.run(stop.clone()));
        keeper.services().view.applied(keeper.ledger().head().seq).await;
        Ok(Self { keeper, agent, clock, mind, tasks, stop, committer })
    }

    /// Lives through a life; gives each question with what the mind was shown.
    pub(super) async fn live(
        &self,
        life: &TruthLife,
    ) -> Result<Vec<(TruthQuestion, TurnRequest)>, BenchError> {
        let mut asked = Vec::new();
        for step in &life.steps {
            self.clock.now.fetch_max(step.at().as_micros(), Ordering::Relaxed);
            match step {
                Step::Say(said) => self.say(said).await?,
                Step::Ask(question) => {
                    self.mind.expect_question(true);
                    self.say(&question.said).await?;
                    self.mind.expect_question(false);
                    let shown = self.mind.take();
                    let nothing = || BenchError::Wrong("a question reached no mind".into());
                    asked.push((question.clone(), shown.ok_or_else(nothing)?));
                }
                Step::Reset(_) => {
                    let reset = self.keeper.reset(&self.agent, false, EntityName::keeper()).await;
                    reset.map_err(BenchError::of("reset an agent"))?;
                }
                Step::Sleep(_) => self.sleep().await?,
            }
        }
        Ok(asked)
    }

    async fn say(&self, said: &Said) -> Result<(), BenchError> {
        let envelope = StimulusEnvelope {
            content: said.text.as_str().into(),
            sender: said.sender.clone(),
            channel: said.channel,
            timestamp: said.at,
            sender_zone: None,
            last_driver_output: None,
            citizen: self.agent.clone(),
            session_id: Some(said.session.clone()),
        };
        let accepted = self.keeper.accept(envelope, AcceptOptions::default()).await;
        let epoch = accepted.map_err(BenchError::of("give a stimulus"))?.epoch;
        self.keeper.ended(epoch).await;
        self.keeper.services().view.applied(self.keeper.ledger().head().seq).await;
        Ok(())
    }

    fn is_awake(&self) -> bool {
        let state = self.keeper.state();
        state.agents.get(&self.agent).is_some_and(|agent| agent.sleep.running().is_none())
    }

    async fn sleep(&self) -> Result<(), BenchError> {
        let by = EntityName::keeper();
        self.keeper.sleep(&self.agent, true, by).await.map_err(BenchError::of("begin a sleep"))?;
        let ended = async {
            loop {
                if self.is_awake() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let ended = tokio::time::timeout(SLEEP_PATIENCE, ended).await;
        ended.map_err(|_| BenchError::Wrong("a sleep did not end".into()))
    }

    /// Stops it in good order.
    pub(super) async fn close(self) -> Result<(), BenchError> {
        let Self { keeper, mut tasks, stop, committer, .. } = self;
        stop.cancel();
        while tasks.join_next().await.is_some() {}
        let ledger = keeper.ledger().clone();
        drop(keeper);
        ledger.close().await;
        let joined = tokio::task::spawn_blocking(move || committer.join().is_ok()).await;
        match joined {
            Ok(true) => Ok(()),
            _ => Err(BenchError::Wrong("the ledger's writer panicked".into())),
        }
    }
}

fn parts(
    folder: &Path,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    mind: &TruthMind,
    time_zone: Zone,
) -> Result<KeeperParts, BenchError> {
    let id: AgentId = AGENT.parse().map_err(BenchError::of("name an agent"))?;
    let files = agent_folder(folder, &id);
    std::fs::create_dir_all(&files).map_err(BenchError::io("make a folder"))?;
    let facts = Knowledge::open(&files.join("knowledge.db"), &id.entity(), 0);
    let facts = facts.map_err(BenchError::of("open facts"))?.knowledge;
    let tools = Registry::builtin(None).map_err(BenchError::of("list tools"))?;
    let identity = IdentityFile::new(&files, IdentityFileWriters::People);
    let agent = AgentSetup {
        id: id.clone(),
        name: "Felix".into(),
        role: "assistant".into(),
        partners: Vec::<Partner>::new(),
        mind: Arc::new(mind.clone()),
        tools: SharedRegistry::new(tools).into(),
        policy: ToolPolicy::new(&["memory.*", "clock.*", "stdout"], &[], &[])
            .map_err(BenchError::of("make a policy"))?,
        facts: KnowledgeHandle::new(facts).map_err(BenchError::of("open facts"))?,
        dreamer: DreamerSetup::default(),
        distiller: Arc::new(RuleDistiller),
    };
    Ok(KeeperParts {
        ledger,
        clock,
        ids: Arc::new(SystemIds),
        blobs: Blobs::folder(folder.join("blobs")),
        failpoints: Failpoints::default(),
        settings: EpochSettings {
            limits: Limits::default(),
            context_tokens_max: TOKENS_MAX,
            history: History::Agent,
            sharing: Sharing::default(),
            time_zone,
            budget_microusd_day: None,
            drain: Duration::ZERO,
            sleep: None,
            people: KnownPeople::default(),
        },
        agents: vec![agent],
        files: BTreeMap::from([(id, identity)]),
        dreams: BTreeMap::new(),
        schedules: Vec::new(),
        version: env!("CARGO_PKG_VERSION").into(),
    })
}
