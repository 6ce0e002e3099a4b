//! One life of a keeper in the simulation: it opens what the last one left, works under load, and dies or finishes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock as _, EntityName, EpochId, Sharing,
    envelope::{Channel, StimulusEnvelope},
    event::{Decision, Idempotency},
    limits::Limits,
};
use abide_engine::{
    AgentSetup, DreamerSetup, EpochSettings, Keeper, KnownPeople,
    context::History,
    failpoint::Failpoints,
    keeper::{AcceptError, AcceptOptions, KeeperParts, replay},
    mind::ScriptedMind,
    sleep::SleepSettings,
    snapshot::Snapshots,
};
use abide_ledger::Ledger;
use abide_memory::{Knowledge, KnowledgeHandle, RuleDistiller, stdout::StdoutFolder};
use abide_tools::{Registry, SharedRegistry, Tool, ToolPolicy};
use tokio::{task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    environment::{SimEnvironment, SimPlan},
    law_error::LawError,
    script,
    tools::{LargeReadTool, SlowWorldTool},
};
use crate::{
    SplitMix64,
    rig::{self, keeper::chain},
};

/// The agents: one that may do everything, one that must ask a person before it pushes.
pub(crate) const AGENTS: [&str; 2] = ["ada", "felix"];
/// The longest that the last keeper may need for what is left, in simulated time.
const FINISH_MAX: Duration = Duration::from_hours(24);

/// So many syncs that none of them is reached.
const NEVER: u64 = 1 << 60;

/// A running keeper.
pub(crate) struct SimulatedKeeper {
    keeper: Keeper,
    tasks: JoinSet<Option<SubmitResult>>,
    stop: CancellationToken,
}

/// What became of one sending.
struct SubmitResult {
    number: u64,
    epoch: Option<EpochId>,
}

impl SimulatedKeeper {
    /// Lives under load until it is killed.
    pub(crate) async fn disturbed(
        stage: &mut SimEnvironment,
        plan: SimPlan,
    ) -> Result<(), LawError> {
        let life_max = u64::try_from(plan.life_max.as_millis()).unwrap_or(u64::MAX);
        let lifetime = Duration::from_millis(stage.rng.below(life_max));
        let mut life = Self::begin(stage).await?;
        life.send(stage, plan.stimuli, lifetime);
        life.add_person(stage.rng.next_u64());
        life.add_faults(stage);
        life.add_snapshots(stage);
        let died = sleep(lifetime);
        let mut died = std::pin::pin!(died);
        loop {
            tokio::select! {
                biased;
                () = &mut died => break,
                Some(ended) = life.tasks.join_next() => note(stage, ended)?,
            }
        }
        life.die(stage).await
    }

    /// Lives until nothing is left to do, and gives the keeper as it is then.
    pub(crate) async fn undisturbed(stage: &mut SimEnvironment) -> Result<Keeper, LawError> {
        let mut life = Self::begin(stage).await?;
        life.send(stage, 0, Duration::from_secs(10));
        life.add_person(stage.rng.next_u64());
        let waited = stage.clock.monotonic();
        loop {
            tokio::select! {
                biased;
                () = sleep(Duration::from_secs(1)) => {}
                Some(ended) = life.tasks.join_next() => note(stage, ended)?,
            }
            let is_quiet = {
                let state = life.keeper.state();
                let is_awake = state.agents.values().all(|agent| agent.sleep.running().is_none());
                state.running.is_empty() && is_awake
            };
            if is_quiet && stage.outside.unanswered.is_empty() {
                break;
            }
            if stage.clock.monotonic().saturating_sub(waited) > FINISH_MAX {
                return Err(LawError::NeverQuiet(life.keeper.state().running.len()));
            }
        }
        let keeper = life.keeper.clone();
        life.stop.cancel();
        // The committer ends with the ledger's last handle; only the lanes and the projector are waited for.
        life.tasks.abort_all();
        while life.tasks.join_next().await.is_some() {}
        Ok(keeper)
    }

    async fn begin(stage: &SimEnvironment) -> Result<Self, LawError> {
        let mut tasks = JoinSet::new();
        let parts = |ledger| Ok(parts(stage, ledger)?);
        let (storage, logs) = (stage.storage.clone(), stage.logs.path());
        let rest = (logs, &stage.snapshots, parts);
        let started = rig::keeper::start(storage, stage.clock, &mut tasks, rest).await;
        let (keeper, stop) = started.map_err(|error| LawError::Refused(chain(&*error)))?;
        Ok(Self { keeper, tasks, stop })
    }

    /// Sends new stimuli, and again those that were never answered, at random moments.
    fn send(&mut self, stage: &mut SimEnvironment, count: u64, within: Duration) {
        let first = stage.outside.sent;
        stage.outside.sent += count;
        stage.outside.unanswered.extend(first..first + count);
        let within = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        for &number in &stage.outside.unanswered {
            let delay = Duration::from_millis(stage.rng.below(within));
            let keeper = self.keeper.clone();
            self.tasks.spawn(async move {
                sleep(delay).await;
                Some(send(&keeper, number).await)
            });
        }
    }

    /// A person who looks from time to time and decides by a coin, or not at all.
    fn add_person(&mut self, seed: u64) {
        let keeper = self.keeper.clone();
        self.tasks.spawn(async move {
            let mut rng = SplitMix64::new(seed);
            loop {
                sleep(Duration::from_millis(1 + rng.below(200_000))).await;
                decide_once(&keeper, &mut rng).await;
            }
        });
    }

    /// A disk that now and then is full for a while, or fails a sync for good.
    fn add_faults(&mut self, stage: &mut SimEnvironment) {
        let (storage, seed) = (stage.storage.clone(), stage.rng.next_u64());
        self.tasks.spawn(async move {
            let mut rng = SplitMix64::new(seed);
            loop {
                sleep(Duration::from_millis(1 + rng.below(120_000))).await;
                match rng.below(10) {
                    0 => storage.fail_sync_at(1),
                    1..4 => {
                        storage.set_capacity(Some(storage.used_bytes() + rng.below(2_000)));
                        sleep(Duration::from_millis(rng.below(20_000))).await;
                        storage.set_capacity(None);
                    }
                    _ => {}
                }
            }
        });
    }

    /// Snapshots at random moments, some of which the disk does not take.
    fn add_snapshots(&mut self, stage: &mut SimEnvironment) {
        let (keeper, snapshots) = (self.keeper.clone(), stage.snapshots.clone());
        let disk = stage.snapshot_disk.clone();
        let seed = stage.rng.next_u64();
        self.tasks.spawn(async move {
            let mut rng = SplitMix64::new(seed);
            loop {
                sleep(Duration::from_millis(1 + rng.below(100_000))).await;
                if rng.per_mille(100) {
                    disk.fail_sync_at(1);
                }
                drop(snapshots.advance(keeper.ledger()));
            }
        });
    }

    /// Dies at once: no task runs on, and the disk keeps only what it promised.
    async fn die(mut self, stage: &mut SimEnvironment) -> Result<(), LawError> {
        self.tasks.abort_all();
        while let Some(ended) = self.tasks.join_next().await {
            match ended {
                Err(error) if error.is_cancelled() => {}
                ended => note(stage, ended)?,
            }
        }
        // Half of the deaths are the machine's, half only the process's.
        if stage.rng.per_mille(500) {
            stage.storage.power_cycle();
            stage.snapshot_disk.power_cycle();
        } else {
            stage.storage.kill();
            stage.snapshot_disk.kill();
        }
        stage.storage.set_capacity(None);
        stage.storage.fail_sync_at(NEVER);
        Ok(())
    }
}

/// Takes in what became of a sending.
fn note(
    stage: &mut SimEnvironment,
    ended: Result<Option<SubmitResult>, tokio::task::JoinError>,
) -> Result<(), LawError> {
    let sent = match ended {
        Ok(Some(sent)) => sent,
        Ok(None) => return Ok(()),
        Err(error) => return Err(LawError::Panicked(error.to_string())),
    };
    let Some(epoch) = sent.epoch else { return Ok(()) };
    stage.outside.unanswered.retain(|number| *number != sent.number);
    match stage.outside.acknowledged.insert(sent.number, epoch) {
        Some(earlier) if earlier != epoch => Err(LawError::TwoEpochs(earlier, epoch)),
        _ => Ok(()),
    }
}

async fn send(keeper: &Keeper, number: u64) -> SubmitResult {
    let agent = if number.is_multiple_of(3) { "ada" } else { "felix" };
    let Ok(citizen) = agent.parse::<AgentId>() else { return SubmitResult { number, epoch: None } };
    let envelope = StimulusEnvelope {
        // Some of it is worth remembering.
        content: format!(
            "stimulus {number}. The deadline for launch {} is day {number}.",
            number % 3
        )
        .into(),
        sender: "nicolas".into(),
        channel: Channel::Api,
        timestamp: keeper.services().now(),
        sender_zone: None,
        last_driver_output: None,
        citizen,
        session_id: Some(format!("session {}", number % 4)),
    };
    let body_sha256 = format!("{number:064x}");
    let how = AcceptOptions {
        interactive: number.is_multiple_of(2),
        administrator: false,
        idempotency: Some(Idempotency { key: format!("key {number}"), body_sha256 }),
        if_idle: false,
        beside: None,
        older_key: None,
        author: None,
    };
    let epoch = loop {
        match keeper.accept(envelope.clone(), how.clone()).await {
            Ok(accepted) => break Some(accepted.epoch),
            // A full disk or queue is told and passes; a client tries again.
            Err(AcceptError::Ledger(_) | AcceptError::QueueFull { .. }) => {
                sleep(Duration::from_secs(7)).await;
            }
            Err(_) => break None,
        }
    };
    SubmitResult { number, epoch }
}

async fn decide_once(keeper: &Keeper, rng: &mut SplitMix64) {
    let pending = {
        let state = keeper.state();
        let mut pending: Vec<_> = state
            .running
            .values()
            .filter_map(|record| Some(record.pending_approval()?.requested.approval_id))
            .collect();
        pending.sort();
        pending.first().copied()
    };
    let decision = if rng.per_mille(700) { Decision::Approve } else { Decision::Deny };
    if let (Some(id), Ok(by)) = (pending, EntityName::sender("nicolas")) {
        // Somebody else, the deadline or the end of the epoch may have been faster.
        _ = keeper.decide(id, decision, None, by).await;
    }
}

fn parts(stage: &SimEnvironment, ledger: Ledger) -> Result<KeeperParts, LawError> {
    let agents = AGENTS.iter().map(|name| agent(stage, name)).collect::<Result<_, _>>()?;
    let settings = EpochSettings {
        limits: Limits { queue: 20, ..Limits::default() },
        context_tokens_max: 2_000,
        history: History::Agent,
        sharing: Sharing::default(),
        budget_microusd_day: None,
        drain: Duration::ZERO,
        sleep: Some(sleep_settings()),
        time_zone: abide_domain::Zone::utc(),
        people: KnownPeople::default(),
    };
    Ok(KeeperParts {
        ledger,
        clock: Arc::new(stage.clock),
        ids: stage.ids.clone(),
        blobs: stage.blobs.clone(),
        failpoints: Failpoints::default(),
        settings,
        agents,
        files: BTreeMap::new(),
        dreams: BTreeMap::new(),
        schedules: Vec::new(),
        version: "simulated".into(),
    })
}

/// Agents sleep often, so that deaths fall into it.
fn sleep_settings() -> SleepSettings {
    SleepSettings { idle: Duration::from_secs(20), epochs_min: 2, at: None, tokens_max: 2_000 }
}

fn agent(stage: &SimEnvironment, name: &str) -> Result<AgentSetup, LawError> {
    let broken = |error: &dyn std::error::Error| LawError::Refused(chain(error));
    let id: AgentId = name.parse().map_err(|error| broken(&error))?;
    let knowledge = Knowledge::in_memory(&id.entity()).map_err(|error| broken(&error))?;
    let facts = KnowledgeHandle::new(knowledge).map_err(|error| broken(&error))?;
    let mut tools = Registry::builtin(None).map_err(|error| broken(&error))?;
    for tool in [
        Arc::new(SlowWorldTool::new(stage.world.clone())) as Arc<dyn Tool>,
        Arc::new(LargeReadTool::default()),
    ] {
        tools.add(tool).map_err(|error| broken(&error))?;
    }
    let ask: &[&str] = if name == "felix" { &["world.push"] } else { &[] };
    let policy = ToolPolicy::new(&["memory.*", "stdout", "world.*", "no.*"], ask, &[]);
    let seed = stage.seed;
    Ok(AgentSetup {
        id,
        name: name.to_owned(),
        role: "simulated agent".into(),
        partners: Vec::new(),
        mind: Arc::new(ScriptedMind::new(move |request| script::answer(seed, request))),
        tools: SharedRegistry::new(tools).into(),
        policy: policy.map_err(|error| broken(&error))?,
        facts,
        dreamer: DreamerSetup::default(),
        distiller: Arc::new(RuleDistiller),
    })
}

/// The digest of a state that is folded anew from the ledger alone.
pub(crate) fn fold_anew(stage: &SimEnvironment, ledger: &Ledger) -> Result<String, LawError> {
    fold_with(stage, ledger, None)
}

/// The digest of a state that is made from the newest snapshot and the events after it.
pub(crate) fn fold_on(stage: &SimEnvironment, ledger: &Ledger) -> Result<String, LawError> {
    fold_with(stage, ledger, Some(&stage.snapshots))
}

fn fold_with(
    stage: &SimEnvironment,
    ledger: &Ledger,
    snapshots: Option<&Snapshots>,
) -> Result<String, LawError> {
    let refused = |error: &dyn std::error::Error| LawError::Refused(chain(error));
    let agents = AGENTS.iter().map(|name| agent(stage, name)).collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir().map_err(|error| refused(&error))?;
    let logs = StdoutFolder::open(folder.path(), None);
    let replayed = replay(ledger, &agents, logs, snapshots).map_err(|error| refused(&error))?;
    Ok(replayed.digest(&agents))
}
