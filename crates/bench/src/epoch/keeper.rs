//! A keeper in this process, put together like the binary's: files on the disk, a model over HTTP, one lane an agent.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EpochId, Sharing, Zone,
    envelope::{Channel, StimulusEnvelope},
    event::{ContextEvent, Event},
    limits::Limits,
};
use abide_engine::{
    AgentSetup, Blobs, DreamerSetup, EpochSettings, IdentityFiles, Keeper, KnownPeople,
    agent_folder,
    context::History,
    failpoint::Failpoints,
    keeper::{AcceptOptions, KeeperParts, KeeperTasks, replay},
    mind::ReasonerMind,
    state::EpochEnd,
};
use abide_http::{AddressPolicy, Client, ClientSettings};
use abide_ledger::{FileStorage, Ledger, LedgerOptions, Query};
use abide_memory::{
    IdentityFile, IdentityFileWriters, Knowledge, KnowledgeHandle, RuleDistiller,
    stdout::StdoutFolder,
};
use abide_models::{Dialect, Model, ModelSettings, Reasoner};
use abide_tools::{AgentTools, Registry, SharedRegistry, Tool, ToolPolicy};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    canned::Canned,
    counted::{CountingStorage, SyncCount},
    note::CountingTool,
};
use crate::{
    error::BenchError,
    ledger::events,
    spread::float,
    system::{Stopwatch, SystemClock, SystemIds},
};

/// Which agents a keeper has.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeeperPlan {
    /// Agents, each with one conversation.
    pub(super) agents: usize,
    /// `context.tokens_max`.
    pub(super) tokens_max: u64,
}

/// A running keeper.
#[derive(Debug)]
pub(super) struct BenchKeeper {
    keeper: Keeper,
    agents: Vec<AgentId>,
    syncs: SyncCount,
    tool_runs: Arc<AtomicU64>,
    tasks: JoinSet<()>,
    stop: CancellationToken,
    committer: JoinHandle<()>,
}

impl BenchKeeper {
    /// Builds a keeper in a folder of its own and starts it.
    pub(super) async fn open(
        folder: &Path,
        design: KeeperPlan,
        canned: &Canned,
    ) -> Result<Self, BenchError> {
        Self::open_with(folder, design, canned, &[]).await
    }

    /// The same, with tools of other programs beside its own.
    pub(super) async fn open_with(
        folder: &Path,
        design: KeeperPlan,
        canned: &Canned,
        foreign: &[Arc<dyn Tool>],
    ) -> Result<Self, BenchError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let files = FileStorage::create(&folder.join("ledger"));
        let files = files.map_err(BenchError::io("make a ledger"))?;
        let syncs = SyncCount::default();
        let storage = Arc::new(CountingStorage::new(files, syncs.clone()));
        let (ledger, committer) = Ledger::open(storage, LedgerOptions::new(Arc::clone(&clock)))
            .map_err(BenchError::of("open a ledger"))?;
        let committer = committer.spawn().map_err(BenchError::io("start the ledger's writer"))?;
        let tool_runs = Arc::new(AtomicU64::new(0));
        let crew = BenchAgents { folder, clock: &clock, canned, tool_runs: &tool_runs, foreign };
        let parts = crew.parts(design, ledger)?;
        let agents: Vec<AgentId> = parts.agents.iter().map(|agent| agent.id.clone()).collect();
        let logs = StdoutFolder::open(folder.join("stdout"), None);
        let replayed = replay(&parts.ledger, &parts.agents, logs, None)
            .map_err(BenchError::of("fold a ledger"))?;
        let (keeper, running) =
            Keeper::start(parts, replayed).await.map_err(BenchError::of("start a keeper"))?;
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let KeeperTasks { projector, lanes, .. } = running;
        let token = stop.clone();
        tasks.spawn(async move {
            // A projector that ends early leaves epochs unanswered, which fails the measurement.
            drop(projector.run(token).await);
        });
        for lane in lanes {
            tasks.spawn(lane.run(stop.clone()));
        }
        keeper.services().view.applied(keeper.ledger().head().seq).await;
        Ok(Self { keeper, agents, syncs, tool_runs, tasks, stop, committer })
    }

    /// One epoch of the agent of that number, from its stimulus to its durable reply, in milliseconds.
    pub(super) async fn epoch(&self, number: usize) -> Result<f64, BenchError> {
        epoch(&self.keeper, self.agent(number)?).await
    }

    /// So many epochs of each agent, all agents at once: the times of all, in milliseconds.
    pub(super) async fn epochs_of_all(&self, each: usize) -> Result<Vec<f64>, BenchError> {
        let mut conversations = JoinSet::new();
        for agent in &self.agents {
            let (keeper, agent) = (self.keeper.clone(), agent.clone());
            conversations.spawn(async move {
                let mut times = Vec::with_capacity(each);
                for _ in 0..each {
                    times.push(epoch(&keeper, &agent).await?);
                }
                Ok::<_, BenchError>(times)
            });
        }
        let mut times = Vec::new();
        while let Some(ended) = conversations.join_next().await {
            times.extend(ended.map_err(BenchError::of("hold a conversation"))??);
        }
        Ok(times)
    }

    fn agent(&self, number: usize) -> Result<&AgentId, BenchError> {
        let agent = self.agents.get(number);
        agent.ok_or_else(|| BenchError::Wrong(format!("there is no agent {number}")))
    }

    /// Syncs so far.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs.count()
    }

    /// Runs of the tool so far.
    pub(super) fn tool_runs(&self) -> u64 {
        self.tool_runs.load(Ordering::Relaxed)
    }

    /// The newest event.
    pub(super) fn seq(&self) -> u64 {
        self.keeper.ledger().head().seq
    }

    /// Bytes of the lines after an event.
    pub(super) fn bytes_after(&self, seq: u64) -> Result<u64, BenchError> {
        let mut bytes = 0;
        for record in self.keeper.ledger().records(seq + 1) {
            bytes += record.map_err(BenchError::of("read a ledger"))?.line().len() as u64 + 1;
        }
        Ok(bytes)
    }

    /// Tokens of history in each prompt that was assembled after an event.
    pub(super) fn history_after(&self, seq: u64) -> Result<Vec<f64>, BenchError> {
        let kinds = vec!["context.assembled".to_owned()];
        let query = Query { kinds, after: seq, ..Query::default() };
        let mut tokens = Vec::new();
        for record in self.keeper.ledger().query(query) {
            let record = record.map_err(BenchError::of("read a ledger"))?;
            let entry = record.entry().map_err(BenchError::of("decode a line"))?;
            if let Event::Context(ContextEvent::Assembled(context)) = entry.event {
                tokens.push(float(context.tokens.history));
            }
        }
        Ok(tokens)
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

/// One epoch, in milliseconds. One that is not committed is an error: its time would say nothing.
async fn epoch(keeper: &Keeper, agent: &AgentId) -> Result<f64, BenchError> {
    let envelope = StimulusEnvelope {
        content: events::QUESTION.into(),
        sender: "nicolas".into(),
        channel: Channel::Api,
        timestamp: keeper.services().now(),
        sender_zone: None,
        last_driver_output: None,
        citizen: agent.clone(),
        session_id: Some("release".into()),
    };
    let watch = Stopwatch::start();
    let accepted = keeper.accept(envelope, AcceptOptions::default()).await;
    let id: EpochId = accepted.map_err(BenchError::of("give a stimulus"))?.epoch;
    keeper.ended(id).await;
    let time = watch.millis();
    let end = keeper.state().epochs.get(&id).and_then(|span| span.end);
    match end {
        Some(EpochEnd::Committed) => Ok(time),
        other => Err(BenchError::Wrong(format!("epoch {id} was not committed: {other:?}"))),
    }
}

/// What agents are made of.
struct BenchAgents<'a> {
    folder: &'a Path,
    clock: &'a Arc<dyn Clock>,
    canned: &'a Canned,
    tool_runs: &'a Arc<AtomicU64>,
    foreign: &'a [Arc<dyn Tool>],
}

impl BenchAgents<'_> {
    fn parts(&self, design: KeeperPlan, ledger: Ledger) -> Result<KeeperParts, BenchError> {
        let note: Arc<dyn Tool> = Arc::new(CountingTool::new(Arc::clone(self.tool_runs)));
        let mut tools = Registry::builtin(None).map_err(BenchError::of("list tools"))?;
        for tool in std::iter::once(&note).chain(self.foreign) {
            tools.add(Arc::clone(tool)).map_err(BenchError::of("list tools"))?;
        }
        let tools = AgentTools::from(SharedRegistry::new(tools));
        let client = ClientSettings::new(AddressPolicy::Any, Arc::clone(self.clock));
        let client = Client::new(client);
        let mut agents = Vec::with_capacity(design.agents);
        let mut files = BTreeMap::new();
        for number in 0..design.agents {
            let agent = self.agent(number, &client, &tools)?;
            let folder: PathBuf = agent_folder(self.folder, &agent.id);
            files.insert(agent.id.clone(), IdentityFile::new(&folder, IdentityFileWriters::People));
            agents.push(agent);
        }
        Ok(self.assemble(design, ledger, agents, files))
    }

    fn assemble(
        &self,
        design: KeeperPlan,
        ledger: Ledger,
        agents: Vec<AgentSetup>,
        files: IdentityFiles,
    ) -> KeeperParts {
        KeeperParts {
            ledger,
            clock: Arc::clone(self.clock),
            ids: Arc::new(SystemIds),
            blobs: Blobs::folder(self.folder.join("blobs")),
            failpoints: Failpoints::default(),
            settings: EpochSettings {
                limits: Limits::default(),
                context_tokens_max: design.tokens_max,
                history: History::Agent,
                sharing: Sharing::default(),
                time_zone: Zone::utc(),
                budget_microusd_day: None,
                drain: Duration::ZERO,
                sleep: None,
                people: KnownPeople::default(),
            },
            agents,
            files,
            dreams: BTreeMap::new(),
            schedules: Vec::new(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    fn agent(
        &self,
        number: usize,
        client: &Client,
        tools: &AgentTools,
    ) -> Result<AgentSetup, BenchError> {
        let name = format!("agent-{number}");
        let id: AgentId = name.parse().map_err(BenchError::of("name an agent"))?;
        let folder = agent_folder(self.folder, &id);
        std::fs::create_dir_all(&folder).map_err(BenchError::io("make a folder"))?;
        let facts = Knowledge::open(&folder.join("knowledge.db"), &id.entity(), 0);
        let facts = facts.map_err(BenchError::of("open facts"))?.knowledge;
        let mut model = ModelSettings::new(Dialect::OpenAiChat, "canned");
        model.base_url = self.canned.base_url();
        Ok(AgentSetup {
            id,
            name,
            role: "assistant".into(),
            partners: Vec::new(),
            mind: Arc::new(ReasonerMind::new(Reasoner::Model(Box::new(Model::new(
                model,
                client.clone(),
            ))))),
            tools: tools.clone(),
            policy: ToolPolicy::new(&["memory.*", "clock.*", "bench.*", "mcp.*"], &[], &[])
                .map_err(BenchError::of("make a policy"))?,
            facts: KnowledgeHandle::new(facts).map_err(BenchError::of("open facts"))?,
            dreamer: DreamerSetup::default(),
            distiller: Arc::new(RuleDistiller),
        })
    }
}
