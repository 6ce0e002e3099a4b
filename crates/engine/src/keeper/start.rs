//! How a keeper comes up: fold the ledger, mend what a crash left, write who is there, hand the tasks over.
//!
//! Recovery writes nothing that a second recovery would write again, so a crash in it changes nothing: cut epochs are
//! not touched here, they go on in their lanes.

use std::{io, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, ApprovalId, EntityName, EpochId,
    event::{
        AgentRegistered, ApprovalDecided, ApprovalEvent, DecidedBy, Decision, Event,
        IdentityChanged, IdentitySource, KeeperStarted, StimulusEvent,
    },
};
use abide_ledger::{AppendError, Draft, Entry, Ledger, Query, ReadError, Record};
use abide_memory::{
    Identity, IdentityFile, IdentityFileError, IdentityFileOutcome, KnowledgeHandle,
    profile_identity,
    stdout::{StdoutError, StdoutFolder},
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Inner, Keeper, KeeperParts, KeeperTasks, accept::Gate};
use crate::{
    dream_folders,
    failpoint::Failpoint,
    lane::Lane,
    projector::{IdentityFiles, Projector, applied, log_entry},
    roster::{AgentFiles, Roster, RosterEntry},
    services::{AgentSetup, Attached, Services, StateView},
    sleep::{self, Sleeper},
    state::{EpochRecord, EpochSpan, FoldError, State, UndecidedApproval},
    waiters::Waiters,
    waker::{self, Waker},
};

/// How long to wait before a start is announced again on a disk that took nothing.
const ANNOUNCE_AGAIN: Duration = Duration::from_secs(5);
/// Events that go to the projections in one piece.
pub(super) const BATCH: usize = 1024;

/// Why a keeper cannot start. Nothing is lost; the message says what to look at.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A line could not be read.
    #[error("the ledger could not be read")]
    Read(#[from] ReadError),
    /// A line is no event of ours.
    #[error("line {seq} of the ledger could not be understood")]
    Entry {
        /// Which.
        seq: u64,
        /// Why.
        source: abide_ledger::EntryError,
    },
    /// An event does not fit the ones before it.
    #[error(transparent)]
    Misfit(#[from] FoldError),
    /// Facts could not be projected.
    #[error("the facts of `{agent}` could not be projected")]
    Facts {
        /// Whose.
        agent: String,
        /// Why.
        source: abide_memory::KnowledgeError,
    },
    /// A log of `\stdout` could not be brought in line.
    #[error("a log of \\stdout could not be projected")]
    Logs(#[from] StdoutError),
    /// An identity file could not be brought in line.
    #[error(transparent)]
    Identity(#[from] IdentityFileError),
    /// A folder of the home could not be used.
    #[error("the home could not be used")]
    Home(#[from] io::Error),
    /// The ledger takes nothing.
    #[error("the ledger took no event")]
    Append(#[from] AppendError),
    /// A test said so.
    #[error(transparent)]
    Failpoint(#[from] crate::failpoint::InjectedError),
}

/// The house and the logs as they were when the ledger was last written.
#[derive(Debug)]
pub struct Replayed {
    house: State,
    logs: StdoutFolder,
}

impl Replayed {
    /// The digest of the state that was folded.
    pub fn digest(&self, agents: &[AgentSetup]) -> String {
        let facts = |id: &str| {
            let agent = agents.iter().find(|agent| agent.id.as_str() == id);
            agent.map(|agent| agent.facts.clone())
        };
        state_digest(&self.house, facts)
    }
}

/// The digest of a house and the facts of its agents.
pub(super) fn state_digest(
    house: &State,
    facts: impl Fn(&str) -> Option<KnowledgeHandle>,
) -> String {
    house.digest(|id| {
        facts(id).map_or(serde_json::Value::Null, |facts| {
            // Facts that cannot be read are not the same as none.
            facts.state_parts().unwrap_or_else(|error| error.to_string().into())
        })
    })
}

/// Folds the whole ledger into a house and brings the agents' facts and the logs of `\stdout` up to it. Blocking; reads at disk speed.
pub fn replay(
    ledger: &Ledger,
    agents: &[AgentSetup],
    logs: StdoutFolder,
) -> Result<Replayed, StartError> {
    let stores: Vec<_> =
        agents.iter().map(|agent| (agent.id.clone(), agent.facts.clone())).collect();
    let house = fold(ledger.records(1), &stores, Some(&logs), |_| ())?;
    logs.replay_done()?;
    for notice in logs.notices() {
        tracing::warn!(%notice, "a log of \\stdout was not as it was left");
    }
    Ok(Replayed { house, logs })
}

/// Folds all lines into a house and brings the stores and logs up to it; tells how far it is, by sequence. Blocking.
pub fn fold(
    records: impl Iterator<Item = Result<Record, ReadError>>,
    stores: &[(AgentId, KnowledgeHandle)],
    logs: Option<&StdoutFolder>,
    mut watch: impl FnMut(u64),
) -> Result<State, StartError> {
    let mut house = State::default();
    let mut batch = Vec::with_capacity(BATCH);
    for record in records {
        let record = record?;
        let seq = record.seq();
        let entry = record.entry().map_err(|source| StartError::Entry { seq, source })?;
        house.apply(&entry)?;
        if let (Some(logs), Some(written)) = (logs, log_entry(&entry)) {
            logs.replayed(&written)?;
        }
        batch.push(entry);
        if batch.len() == BATCH {
            project(stores, &mut batch)?;
            watch(seq);
        }
    }
    project(stores, &mut batch)?;
    watch(house.seq);
    Ok(house)
}

pub(super) fn project(
    stores: &[(AgentId, KnowledgeHandle)],
    batch: &mut Vec<Entry>,
) -> Result<(), StartError> {
    for (agent, store) in stores {
        let entity = agent.entity();
        let own: Vec<_> =
            batch.iter().filter(|entry| entry.entity == entity).map(applied).collect();
        store
            .apply(&own)
            .map_err(|source| StartError::Facts { agent: agent.to_string(), source })?;
    }
    batch.clear();
    Ok(())
}

impl Keeper {
    /// Takes the house up. The caller starts the tasks; nothing is answered before the projector runs.
    pub async fn start(
        parts: KeeperParts,
        replayed: Replayed,
    ) -> Result<(Self, KeeperTasks), StartError> {
        let Replayed { house, logs } = replayed;
        parts.blobs.keep_only(|epoch| house.running.contains_key(&epoch))?;
        parts.failpoints.pass(Failpoint::RecoverBeforeLanes).await?;
        let (mut files, mut dreams) = (parts.files, parts.dreams);
        for (agent, dreams) in &dreams {
            dream_folders::restore(agent, dreams, &house, &parts.ledger);
        }
        let mut drafts = announcements(&parts.agents, &house, &files, &parts.version)?;
        drafts.extend(waker::reconcile(&house, &parts.schedules));
        let announcer = announce(&parts.ledger, drafts).await?;
        let services = Arc::new(Services {
            ledger: parts.ledger,
            clock: parts.clock,
            ids: parts.ids,
            blobs: parts.blobs,
            failpoints: parts.failpoints,
            settings: parts.settings,
            attached: Attached::default(),
            deltas: Services::delta_channel(),
            begun_after: house.seq,
            view: StateView::new(house),
            logs,
            agents: Roster::default(),
        });
        let (lanes, residents): (Vec<_>, Vec<_>) = parts
            .agents
            .into_iter()
            .map(|agent| {
                let (file, dreams) = (files.remove(&agent.id), dreams.remove(&agent.id));
                move_in(&services, agent, AgentFiles { file, dreams })
            })
            .unzip();
        // They were brought up to the ledger by the replay.
        services.agents.join(residents, || Ok::<_, StartError>(()))?;
        let waiters = Arc::new(Waiters::default());
        let projector = Projector::new(services.clone(), waiters.clone());
        let (gate, stopping) = (Gate::default(), CancellationToken::new());
        let edits = Semaphore::new(1);
        let (sleep, orders) = sleep::channel();
        let inner = Inner { services, waiters, gate, sleep, edits, stopping };
        let keeper = Self { inner: Arc::new(inner) };
        let sleeper = Sleeper::new(keeper.clone(), orders);
        let waker = Waker::new(keeper.clone(), parts.schedules);
        Ok((keeper, KeeperTasks { projector, lanes, announcer, sleeper, waker }))
    }
}

/// An agent's lane, and what others hold of it.
pub(super) fn move_in(
    services: &Arc<Services>,
    agent: AgentSetup,
    belongings: AgentFiles,
) -> (Lane, RosterEntry) {
    let (lane, handle) = Lane::new(Arc::clone(services), agent.clone());
    (lane, RosterEntry { agent: Arc::new(agent), lane: handle, belongings })
}

/// Writes what a start writes; where the disk takes nothing at present, hands it on to be tried again.
async fn announce(ledger: &Ledger, drafts: Vec<Draft>) -> Result<Option<Announcer>, AppendError> {
    match ledger.append(drafts.clone()).await {
        Ok(_) => Ok(None),
        Err(error @ AppendError::Degraded { .. }) => {
            tracing::warn!(%error, "the keeper starts all the same, to be read");
            Ok(Some(Announcer { ledger: ledger.clone(), drafts }))
        }
        Err(error) => Err(error),
    }
}

/// Writes what a start could not write, as soon as the disk takes it.
#[derive(Debug)]
pub struct Announcer {
    ledger: Ledger,
    drafts: Vec<Draft>,
}

impl Announcer {
    /// Works until it is done, the ledger is closed to writes, or it is told to stop.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = tokio::time::sleep(ANNOUNCE_AGAIN) => {}
            }
            let result = self.ledger.append(self.drafts.clone()).await;
            if !matches!(result, Err(AppendError::Degraded { .. })) {
                return;
            }
        }
    }
}

/// What a start writes: that it happened, and whatever the ledger does not know of the agents yet.
fn announcements(
    agents: &[AgentSetup],
    house: &State,
    files: &IdentityFiles,
    version: &str,
) -> Result<Vec<Draft>, StartError> {
    let keeper = EntityName::keeper();
    let started = KeeperStarted { version: version.into() }.into();
    let mut drafts =
        vec![Draft { entity: keeper.clone(), author: keeper.clone(), epoch: None, event: started }];
    drafts.extend(house.undecided.iter().map(end_approval));
    for agent in agents {
        drafts.extend(introduction(agent, house, files.get(&agent.id))?);
    }
    Ok(drafts)
}

/// What the ledger does not know of an agent yet: its profile, its identity.
pub(super) fn introduction(
    agent: &AgentSetup,
    house: &State,
    file: Option<&IdentityFile>,
) -> Result<Vec<Draft>, IdentityFileError> {
    let draft = |event: Event| Draft {
        entity: agent.id.entity(),
        author: EntityName::keeper(),
        epoch: None,
        event,
    };
    let state = house.agents.get(&agent.id);
    let profile = agent.profile();
    let is_known = state.and_then(|state| state.profile.as_ref()) == Some(&profile);
    let changed = identity_due(&profile, state.map(|state| &state.identity), file)?;
    let profile = (!is_known).then(|| draft(profile.into()));
    Ok(profile.into_iter().chain(changed.map(|changed| draft(changed.into()))).collect())
}

/// The decision on an approval whose epoch ended without one.
fn end_approval(undecided: &UndecidedApproval) -> Draft {
    let (decision, by) = (Decision::Deny, DecidedBy::EpochEnded);
    let decided =
        ApprovalDecided { approval_id: undecided.approval_id, decision, by, reason: None };
    let (entity, author) = (undecided.agent.entity(), EntityName::keeper());
    Draft { entity, author, epoch: Some(undecided.epoch), event: decided.into() }
}

/// The identity's next version, where it has none yet or a person edited the file.
fn identity_due(
    profile: &AgentRegistered,
    identity: Option<&Identity>,
    file: Option<&IdentityFile>,
) -> Result<Option<IdentityChanged>, IdentityFileError> {
    let Some(known) = identity.filter(|identity| identity.current().is_some()) else {
        let content = profile_identity(&profile.name, &profile.role, &profile.partners);
        return Ok(Some(IdentityChanged {
            version: 1,
            content,
            source: IdentitySource::Profile,
            restores: None,
        }));
    };
    let Some(file) = file else { return Ok(None) };
    let IdentityFileOutcome::HandEdit { content } = file.reconcile(known)? else { return Ok(None) };
    let version = known.next_version();
    Ok(Some(IdentityChanged { version, content, source: IdentitySource::File, restores: None }))
}

/// Reads an ended epoch back from the ledger.
pub(crate) fn read_epoch(
    ledger: &Ledger,
    id: EpochId,
    span: &EpochSpan,
) -> Result<Option<EpochRecord>, ReadError> {
    let query = Query {
        epoch: Some(id),
        after: span.first_seq.saturating_sub(1),
        before: Some(span.last_seq + 1),
        ..Query::default()
    };
    let mut record: Option<EpochRecord> = None;
    for line in ledger.query(query) {
        let Ok(entry) = line?.entry() else { continue };
        match (&entry.event, record.as_mut()) {
            (Event::Stimulus(StimulusEvent::Accepted(stimulus)), _) => {
                let (at, seq) = (entry.timestamp, entry.seq);
                let agent = span.agent.clone();
                record = Some(EpochRecord::accepted(id, agent, stimulus.clone(), at, seq));
            }
            (event, Some(record)) => {
                // The house has folded these same events without a misfit.
                drop(record.apply(event, entry.timestamp));
                record.last_seq = entry.seq;
            }
            _ => {}
        }
    }
    Ok(record)
}

/// Whether an approval of this id was ever asked for.
pub(super) fn was_approval(ledger: &Ledger, id: ApprovalId) -> Result<bool, ReadError> {
    let kinds = vec!["approval.requested".to_owned()];
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        if matches!(&entry.event, Event::Approval(ApprovalEvent::Requested(r)) if r.approval_id == id)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
