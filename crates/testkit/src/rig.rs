//! A keeper on a stage: a whole one in one thread, with a scripted mind, on a disk in memory, in paused time.
//!
//! For tests under `#[tokio::test(start_paused = true)]`. A test sets a keeper up, says something, lets time pass, kills
//! it or cuts the power, starts it again, and looks at the ledger, at what the mind was asked and at what the world saw.
//! The rig fails its test by panicking. It must never sleep to synchronise: [`Rig::until`] waits for what is in the
//! ledger, and where nothing happens any more paused time runs to the end of its patience at once.
//!
//! Reading order: [`Setup`], the answers [`say`], [`call`], [`calls`], [`fail`], [`silence`], [`trickle`], the tool [`TestTool`] and the
//! [`ToolRuns`] that it changes, then [`Rig`] here and what it shows (`look`).
#![expect(clippy::expect_used, clippy::panic, reason = "a harness fails its test by panicking")]

use std::{sync::Arc, time::Duration};

use abide_domain::{
    ApprovalId, Clock as _, EntityName, EpochId, Timestamp,
    envelope::{Channel, StimulusEnvelope},
    event::Decision,
};
use abide_engine::{
    AgentFiles, Blobs, ConsoleError, Keeper,
    keeper::{AcceptError, AcceptOptions, AcceptedStimulus, KeeperParts},
    run_epoch::DecideError,
    snapshot::Snapshots,
    state::{EpochRecord, State},
};
use abide_ledger::{Ledger, storage::fault::FaultStorage};
use tokio::{task::JoinSet, time};
use tokio_util::sync::CancellationToken;

pub(crate) mod keeper;
mod look;
mod mind;
mod setup;
mod tool;
mod tool_runs;

use self::{keeper::RigStartError, mind::Journal};
pub use self::{
    mind::{RigAnswer, ask_to_run, call, calls, command, fail, obey, say, silence, trickle},
    setup::Setup,
    tool::TestTool,
    tool_runs::{CallRuns, ToolRuns},
};
use crate::{SeededIds, TokioClock};

/// How long a test waits for something, in paused time.
const PATIENCE: Duration = Duration::from_hours(72);

/// A keeper under test and what outlives it.
#[derive(Debug)]
pub struct Rig {
    /// What the next keeper is made of.
    pub setup: Setup,
    /// The disk.
    pub storage: Arc<FaultStorage>,
    /// Time.
    pub clock: TokioClock,
    /// Where ethereal results lie.
    pub blobs: Blobs,
    /// What tools did.
    pub world: Arc<ToolRuns>,
    /// Snapshots of the state, on a disk of their own; none is made unless a test makes it.
    pub snapshots: Snapshots,
    /// That disk.
    pub snapshot_disk: Arc<FaultStorage>,
    ids: Arc<SeededIds>,
    journal: Journal,
    /// Where the logs of `\stdout` lie.
    logs: tempfile::TempDir,
    life: Option<RunningKeeper>,
}

/// A running keeper.
#[derive(Debug)]
struct RunningKeeper {
    keeper: Keeper,
    tasks: JoinSet<()>,
    /// Cancelled only by dying: tests kill their keepers.
    stop: CancellationToken,
}

impl Rig {
    /// Starts a keeper on an empty disk.
    pub(crate) async fn start(setup: Setup) -> Self {
        let snapshot_disk = Arc::new(FaultStorage::new(2));
        let mut rig = Self {
            setup,
            snapshots: Snapshots::new(snapshot_disk.clone()),
            snapshot_disk,
            storage: Arc::new(FaultStorage::new(1)),
            clock: TokioClock::default(),
            blobs: Blobs::memory(),
            world: Arc::default(),
            ids: Arc::default(),
            journal: Journal::default(),
            logs: tempfile::tempdir().expect("a folder for logs"),
            life: None,
        };
        rig.start_again().await;
        rig
    }

    /// Starts a keeper on what the last one left.
    pub async fn start_again(&mut self) {
        if let Err(refused) = self.try_start().await {
            panic!("the keeper did not start: {refused}");
        }
    }

    /// The same, where the start may fail: then nothing runs.
    pub async fn try_start(&mut self) -> Result<(), String> {
        assert!(self.life.is_none(), "the last keeper still lives");
        let mut tasks = JoinSet::new();
        let (storage, clock) = (self.storage.clone(), self.clock);
        let started = keeper::start(
            storage,
            clock,
            &mut tasks,
            (self.logs.path(), &self.snapshots, |ledger| self.parts(ledger)),
        )
        .await;
        match started {
            Ok((keeper, stop)) => {
                self.life = Some(RunningKeeper { keeper, tasks, stop });
                Ok(())
            }
            Err(refused) => {
                tasks.shutdown().await;
                self.storage.kill();
                Err(keeper::chain(&*refused))
            }
        }
    }

    fn parts(&self, ledger: Ledger) -> Result<KeeperParts, RigStartError> {
        Ok(KeeperParts {
            ledger,
            clock: Arc::new(self.clock),
            ids: self.ids.clone(),
            blobs: self.blobs.clone(),
            failpoints: self.setup.failpoints.parse()?,
            settings: self.setup.settings(),
            agents: self.setup.agents(&self.world, &self.journal),
            files: std::collections::BTreeMap::new(),
            dreams: std::collections::BTreeMap::new(),
            schedules: self.setup.schedules.clone(),
            version: "test".into(),
        })
    }

    /// The process dies: nothing of it runs on. What it wrote stays, synced or not.
    pub async fn kill(&mut self) {
        self.die().await;
        self.storage.kill();
    }

    /// The machine dies: what was not synced is lost or torn.
    pub async fn power_cut(&mut self) {
        self.die().await;
        self.storage.power_cycle();
    }

    /// The machine dies, or only the process.
    pub async fn end_by(&mut self, is_power: bool) {
        if is_power {
            self.power_cut().await;
        } else {
            self.kill().await;
        }
    }

    async fn die(&mut self) {
        let mut life = self.life.take().expect("a living keeper");
        life.tasks.abort_all();
        while let Some(ended) = life.tasks.join_next().await {
            if let Err(error) = ended {
                assert!(error.is_cancelled(), "a task of the keeper panicked");
            }
        }
    }

    /// Kills the keeper and starts another.
    pub async fn restart(&mut self) {
        self.kill().await;
        self.start_again().await;
    }

    /// Takes agents in that others brought into being, as a server does when one comes and at each start.
    pub async fn take_in(&mut self) {
        let stage = (&self.world, &self.journal);
        let life = self.life.as_mut().expect("a living keeper");
        life.keeper.services().view.applied(life.keeper.ledger().head().seq).await;
        let spawned = life.keeper.state().entities.spawned.clone();
        for spawned in spawned {
            let (id, role) = (spawned.agent.agent.as_str(), &spawned.agent.role);
            let agent = self.setup.agent(id, role, stage);
            let lane = life.keeper.add_agent(agent, AgentFiles::default()).await;
            let Some(lane) = lane.expect("an agent that can be taken in") else { continue };
            life.tasks.spawn(lane.run(life.stop.clone()));
        }
    }

    /// The running keeper.
    pub fn keeper(&self) -> &Keeper {
        &self.life.as_ref().expect("a living keeper").keeper
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lets time pass; everything that is due meanwhile happens.
    pub async fn pass(&self, time: Duration) {
        time::sleep(time).await;
    }

    /// A stimulus for the first agent, from its partner.
    pub fn stimulus(&self, content: &str) -> StimulusEnvelope {
        let agent = self.setup.agents.first().expect("an agent");
        StimulusEnvelope {
            content: content.into(),
            sender: "nicolas".into(),
            channel: Channel::Api,
            timestamp: self.now(),
            sender_zone: None,
            last_driver_output: None,
            citizen: agent.parse().expect("an agent's id"),
            session_id: None,
        }
    }

    /// Hands a stimulus in, whatever comes of it.
    pub async fn accept(
        &self,
        envelope: StimulusEnvelope,
        how: AcceptOptions,
    ) -> Result<AcceptedStimulus, AcceptError> {
        self.keeper().accept(envelope, how).await
    }

    /// The same for another agent.
    pub fn stimulus_for(&self, agent: &str, content: &str) -> StimulusEnvelope {
        let citizen = agent.parse().expect("an agent's id");
        StimulusEnvelope { citizen, ..self.stimulus(content) }
    }

    /// Says something to any agent and waits for the end of its epoch.
    pub async fn say_to(&self, agent: &str, content: &str) -> EpochRecord {
        let accepted =
            self.accept(self.stimulus_for(agent, content), AcceptOptions::default()).await;
        self.ended(accepted.expect("an accepted stimulus").epoch).await
    }

    /// Carries commands out as an entity, for the agents' partner.
    pub async fn tell(&self, entity: &str, input: &str) -> Result<String, ConsoleError> {
        let entity = EntityName::sender(entity).expect("an entity's name");
        let by = EntityName::sender("nicolas").expect("a sender's name");
        // What was written at start is to be seen, as it is before a server answers.
        self.keeper().services().view.applied(self.keeper().ledger().head().seq).await;
        self.keeper().command(entity, by, input).await
    }

    /// Lets the keeper go on by so many turns of the scheduler, in which no time passes.
    pub async fn turns(&self, count: u32) {
        for _ in 0..count {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until something is so in the state, as the keeper knows it.
    pub async fn until_state(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let mut applied = self.keeper().services().view.applications();
        let wait = async {
            loop {
                applied.borrow_and_update();
                if is_so(&self.keeper().state()) {
                    return;
                }
                applied.changed().await.expect("a keeper that lives");
            }
        };
        let waited = time::timeout(PATIENCE, wait).await;
        assert!(waited.is_ok(), "it never came to this: {what}");
    }

    /// Waits until nothing runs and nothing waits for its turn.
    pub async fn until_quiet(&self) {
        self.until_state("nothing runs", |state| state.running.is_empty()).await;
    }

    /// Hands a plain stimulus in; gives its epoch, which runs from here on.
    pub async fn begin(&self, content: &str) -> EpochId {
        let accepted = self.accept(self.stimulus(content), AcceptOptions::default()).await;
        accepted.expect("an accepted stimulus").epoch
    }

    /// The same from somebody who can answer approvals.
    pub async fn begin_interactive(&self, content: &str) -> EpochId {
        let how = AcceptOptions { interactive: true, ..AcceptOptions::default() };
        let accepted = self.accept(self.stimulus(content), how).await;
        accepted.expect("an accepted stimulus").epoch
    }

    /// Says something and waits for the end of its epoch.
    pub async fn say(&self, content: &str) -> EpochRecord {
        let epoch = self.begin(content).await;
        self.ended(epoch).await
    }

    /// Waits for the end of an epoch, and reads it back.
    pub async fn ended(&self, epoch: EpochId) -> EpochRecord {
        let ended = time::timeout(PATIENCE, self.keeper().ended(epoch)).await;
        assert!(ended.is_ok(), "the epoch does not end; so far: {:?}", self.kinds_of(epoch));
        let read = self.keeper().epoch(epoch).await.expect("a ledger that can be read");
        read.expect("an epoch that is known")
    }

    /// Waits until an epoch has an event of a kind.
    pub async fn until(&self, epoch: EpochId, kind: &str) {
        self.until_times(epoch, kind, 1).await;
    }

    /// Waits until an epoch has so many events of a kind, and the keeper knows of them.
    pub async fn until_times(&self, epoch: EpochId, kind: &str, times: usize) {
        let mut applied = self.keeper().services().view.applications();
        let wait = async {
            loop {
                let seq = *applied.borrow_and_update();
                let known = self.entries_of(epoch).into_iter().filter(|entry| entry.seq <= seq);
                if known.filter(|entry| entry.event.kind().name == kind).count() >= times {
                    return;
                }
                applied.changed().await.expect("a keeper that lives");
            }
        };
        let waited = time::timeout(PATIENCE, wait).await;
        assert!(waited.is_ok(), "no {times} times {kind}; so far: {:?}", self.kinds_of(epoch));
    }

    /// Decides on an approval, as the agent's partner.
    pub async fn decide(
        &self,
        approval: ApprovalId,
        decision: Decision,
        reason: Option<&str>,
    ) -> Result<(), DecideError> {
        let by = EntityName::sender("nicolas").expect("a sender's name");
        self.keeper().decide(approval, decision, reason.map(str::to_owned), by).await
    }
}
