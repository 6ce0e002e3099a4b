//! The state of a start: the ledger folded from its first line, and the memories and logs brought up to it.

use std::{io, sync::Arc};

use abide_domain::{AgentId, EntityName, evolution::EvolutionTarget};
use abide_ledger::{AppendError, Entry, Ledger, Query, ReadError, Record};
use abide_memory::{
    IdentityFileError, KnowledgeHandle,
    stdout::{EntrySource, StdoutEntry, StdoutError, StdoutFolder},
};

use crate::{
    agent_setup::AgentSetup,
    failpoint::InjectedError,
    projector::{applied, log_entry},
    snapshot::{SNAPSHOT_EVENTS, SnapshotPlace, Snapshots, unlike_itself},
    state::{CodeInForce, FoldError, State},
};

/// Events that go to the projections in one piece.
pub(super) const BATCH: usize = 1024;

/// Why a keeper cannot start. Nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A line could not be read.
    #[error("the ledger could not be read; `abide ledger verify` says which line is damaged")]
    Read(#[from] ReadError),
    /// A line has no known form.
    #[error("event {seq} of the ledger has a form that this version of abide does not know")]
    Entry {
        /// Its sequence number.
        seq: u64,
        /// The cause.
        source: abide_ledger::EntryError,
    },
    /// An event does not fit the ones before it.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The memory of an agent could not be projected.
    #[error("the memory of `{agent}` could not be brought up to the ledger")]
    Facts {
        /// The agent.
        agent: String,
        /// The cause.
        source: abide_memory::KnowledgeError,
    },
    /// An identity file could not be brought in line.
    #[error(transparent)]
    Identity(#[from] IdentityFileError),
    /// A folder in the home folder could not be used.
    #[error("a folder of the home folder could not be used")]
    Home(#[from] io::Error),
    /// The ledger could not be written.
    #[error("the ledger could not be written")]
    Append(#[from] AppendError),
    /// A test set a failpoint.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
}

/// The state and the logs at the last event of the ledger. Made by [`replay`], used up by the start.
#[derive(Debug)]
pub struct ReplayedState {
    pub(super) state: State,
    pub(super) logs: StdoutFolder,
}

impl ReplayedState {
    /// Whether an agent has tools or commands of its own in force.
    pub fn has_own_parts(&self) -> bool {
        let targets = [EvolutionTarget::ToolFramework, EvolutionTarget::Dsl];
        let evolutions = &self.state.evolutions;
        evolutions.agents().any(|(_, of)| {
            targets.iter().any(|target| of.in_force(*target) != CodeInForce::default())
        })
    }

    /// The digest of the state that was folded.
    pub fn digest(&self, agents: &[AgentSetup]) -> String {
        let facts = |id: &str| {
            let agent = agents.iter().find(|agent| agent.id.as_str() == id);
            agent.map(|agent| agent.facts.clone())
        };
        state_digest(&self.state, facts)
    }
}

/// The digest of a state and the facts of its agents.
pub(super) fn state_digest(
    state: &State,
    facts: impl Fn(&str) -> Option<KnowledgeHandle>,
) -> String {
    state.digest(|id| {
        facts(id).map_or(serde_json::Value::Null, |facts| {
            // Facts that cannot be read are not the same as none.
            facts.state_parts().unwrap_or_else(|error| error.to_string().into())
        })
    })
}

/// The state at the end of the ledger, from the newest snapshot that fits or from the first event, with the agents' memories and the
/// logs of `\stdout` brought up to it. Where many events had to be read, the next start gets a snapshot. Blocking.
pub fn replay(
    ledger: &Ledger,
    agents: &[AgentSetup],
    logs: StdoutFolder,
    snapshots: Option<&Snapshots>,
) -> Result<ReplayedState, StartError> {
    let stores: Vec<_> =
        agents.iter().map(|agent| (agent.id.clone(), agent.facts.clone())).collect();
    let logs = logs.with_source(Arc::new(LedgerEntries(ledger.clone())));
    let snapshot = snapshots.and_then(|snapshots| snapshots.newest(ledger));
    let known = snapshot.as_ref().map_or(0, |state| state.seq);
    if let Some(state) = &snapshot {
        catch_up(ledger, &stores, state)?;
        // The logs are caches: one that cannot be written now is made again with its next use.
        if let Err(error) = logs.resume(state.entities.logs.newest()) {
            log_not_written(&error);
        }
    }
    let mut place = None;
    let records = ledger.records(known + 1).inspect(|record| {
        let ended = record.as_ref().ok().and_then(|record| Some((record.seq(), record.chain()?)));
        if let Some((seq, chain)) = ended {
            place = Some(SnapshotPlace { seq, chain: chain.to_owned() });
        }
    });
    let state = fold(snapshot.unwrap_or_default(), records, &stores, Some(&logs), |_| ())?;
    if let Err(error) = logs.replay_done() {
        log_not_written(&error);
    }
    for notice in logs.notices() {
        tracing::warn!(event = "stdout_log_repaired", %notice,
            "a log of \\stdout differed from the ledger and was repaired");
    }
    debug_assert_eq!(unlike_itself(&state), None, "a snapshot of this state cannot be used");
    let is_long = state.seq - known >= SNAPSHOT_EVENTS;
    if let Some((snapshots, place)) = snapshots.zip(place).filter(|_| is_long)
        && let Err(error) = snapshots.write(&state, &place)
    {
        tracing::warn!(event = "snapshot_not_written", %error, "a snapshot could not be written; the next start takes as long as this one");
    }
    Ok(ReplayedState { state, logs })
}

/// Hands memories what they lack of the events that a snapshot's state holds.
fn catch_up(
    ledger: &Ledger,
    stores: &[(AgentId, KnowledgeHandle)],
    state: &State,
) -> Result<(), StartError> {
    for (agent, store) in stores {
        let from = store.replay_from();
        let newest = state.agents.get(agent).map_or(0, |state| state.memory_seq);
        if newest < from {
            continue;
        }
        let query = Query {
            entity: Some(agent.entity()),
            after: from - 1,
            before: Some(state.seq + 1),
            ..Query::default()
        };
        let own = [(agent.clone(), store.clone())];
        let mut batch = Vec::with_capacity(BATCH);
        for record in ledger.query(query) {
            batch.push(entry_of(&record?)?);
            if batch.len() == BATCH {
                project(&own, &mut batch)?;
            }
        }
        project(&own, &mut batch)?;
    }
    Ok(())
}

/// Folds lines into a state and brings the stores and logs up to it; calls `progress` with each sequence reached. Blocking.
pub fn fold(
    mut state: State,
    records: impl Iterator<Item = Result<Record, ReadError>>,
    stores: &[(AgentId, KnowledgeHandle)],
    logs: Option<&StdoutFolder>,
    mut progress: impl FnMut(u64),
) -> Result<State, StartError> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut failed_logs = FailedLogs::default();
    for record in records {
        let entry = entry_of(&record?)?;
        let seq = entry.seq;
        state.apply(&entry)?;
        if let (Some(logs), Some(written)) = (logs, log_entry(&entry)) {
            failed_logs.note(logs.replayed(&written));
        }
        batch.push(entry);
        if batch.len() == BATCH {
            project(stores, &mut batch)?;
            progress(seq);
        }
    }
    project(stores, &mut batch)?;
    progress(state.seq);
    Ok(state)
}

fn entry_of(record: &Record) -> Result<Entry, StartError> {
    record.entry().map_err(|source| StartError::Entry { seq: record.seq(), source })
}

/// Logs that could not be written in one replay: the first is told, so that a full disk is not told a million times.
#[derive(Debug, Default)]
struct FailedLogs {
    is_told: bool,
}

impl FailedLogs {
    fn note(&mut self, written: Result<(), StdoutError>) {
        if let Err(error) = written
            && !std::mem::replace(&mut self.is_told, true)
        {
            log_not_written(&error);
        }
    }
}

fn log_not_written(error: &StdoutError) {
    tracing::warn!(event = "stdout_log_not_written", %error,
        "a log of \\stdout could not be written; it is made again from the ledger once it can be");
}

/// The entries of logs as the ledger has them.
#[derive(Debug)]
struct LedgerEntries(Ledger);

impl EntrySource for LedgerEntries {
    fn each(
        &self,
        entity: &EntityName,
        visit: &mut dyn FnMut(StdoutEntry) -> Result<(), StdoutError>,
    ) -> Result<(), StdoutError> {
        let failed = |error: &dyn std::error::Error| StdoutError::Source {
            entity: entity.clone(),
            problem: error.to_string(),
        };
        let kinds = vec!["stdout.written".to_owned()];
        let query = Query { entity: Some(entity.clone()), kinds, ..Query::default() };
        for record in self.0.query(query) {
            let entry = record.map_err(|error| failed(&error))?.entry();
            let entry = entry.map_err(|error| failed(&error))?;
            log_entry(&entry).map_or(Ok(()), &mut *visit)?;
        }
        Ok(())
    }
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
