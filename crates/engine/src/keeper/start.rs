//! How a keeper starts: it records what a crash left open and which agents there are, then gives the tasks to run.
//!
//! Recovery writes nothing that a second recovery would write again, so a crash in it changes nothing: cut epochs are
//! not touched here, they go on in their lanes.

use std::sync::Arc;

use abide_domain::limits::QUERIES_AT_ONCE;
use tokio::sync::Semaphore;

use super::{
    Inner, Keeper, KeeperParts, KeeperTasks,
    announce::{NewIds, announce, announcements},
    replay::{ReplayedState, StartError},
};
use crate::{
    activity::Activities,
    agent_setup::AgentSetup,
    attached_clients::AttachedClients,
    dream_folders,
    entity_quotas::EntityQuotas,
    failpoint::Failpoint,
    intake::StimulusIntake,
    lane::Lane,
    memory_backlog::MemoryBacklogs,
    projector::Projector,
    roster::{AgentFiles, Roster, RosterEntry},
    services::Services,
    sleep::Sleeper,
    state_view::StateView,
    waiters::Waiters,
    waker::{Waker, reconcile},
};

impl Keeper {
    /// Starts from a replayed state. The caller starts the tasks; nothing is answered before the projector runs.
    pub async fn start(
        parts: KeeperParts,
        replayed: ReplayedState,
    ) -> Result<(Self, KeeperTasks), StartError> {
        let ReplayedState { state, logs } = replayed;
        parts.blobs.keep_only(|epoch| state.running.contains_key(&epoch))?;
        parts.failpoints.pass(Failpoint::RecoverBeforeLanes).await?;
        let (mut files, mut dreams) = (parts.files, parts.dreams);
        for (agent, dreams) in &dreams {
            dream_folders::restore(agent, dreams, &state, &parts.ledger);
        }
        let ids = NewIds { source: &*parts.ids, now: parts.clock.now() };
        let mut drafts = announcements(&parts.agents, &state, &files, (&parts.version, ids))?;
        drafts.extend(reconcile(&state, &parts.schedules));
        let announcer = announce(&parts.ledger, drafts).await?;
        let services = Arc::new(Services {
            activities: Activities::new(parts.ledger.clone()),
            ledger: parts.ledger,
            quotas: EntityQuotas::new(Arc::clone(&parts.clock)),
            clock: parts.clock,
            ids: parts.ids,
            blobs: parts.blobs,
            failpoints: parts.failpoints,
            settings: parts.settings,
            attached: AttachedClients::default(),
            deltas: Services::delta_channel(),
            tool_progress: Services::tool_progress_channel(),
            begun_after: state.seq,
            view: StateView::new(state),
            logs: Arc::new(logs),
            searches: Arc::new(Semaphore::new(QUERIES_AT_ONCE)),
            agents: Roster::default(),
            backlogs: MemoryBacklogs::default(),
            edits: Semaphore::new(1),
        });
        let (lanes, entries): (Vec<_>, Vec<_>) = parts
            .agents
            .into_iter()
            .map(|agent| {
                let (file, dreams) = (files.remove(&agent.id), dreams.remove(&agent.id));
                make_lane(&services, agent, AgentFiles { identity: file, dreams })
            })
            .unzip();
        // They were brought up to the ledger by the replay.
        services.agents.join(entries, || Ok::<_, StartError>(()))?;
        let waiters = Arc::new(Waiters::default());
        let projector = Projector::new(services.clone(), waiters.clone());
        let intake = Arc::new(StimulusIntake::new(services.clone()));
        let waker = Waker::new(intake.clone(), parts.schedules);
        let (sleeper, sleep) = Sleeper::new(services.clone());
        let keeper = Self { inner: Arc::new(Inner { services, waiters, intake, sleep }) };
        Ok((keeper, KeeperTasks { projector, lanes, announcer, sleeper, waker }))
    }
}

/// An agent's lane, and its entry in the roster.
pub(super) fn make_lane(
    services: &Arc<Services>,
    agent: AgentSetup,
    files: AgentFiles,
) -> (Lane, RosterEntry) {
    let (lane, handle) = Lane::new(Arc::clone(services), agent.clone());
    (lane, RosterEntry { agent: Arc::new(agent), lane: handle, files })
}
