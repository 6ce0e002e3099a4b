//! The projector: the one task that reads the ledger as it grows and keeps every view up to it.
//!
//! In order: the state, the agents' facts and identity files, then whoever waits. What is published as applied is
//! applied everywhere, so that a caller who waited reads its own writes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use abide_domain::{
    AgentId, PartClock,
    event::{AgentEvent, EpochEvent, Event, StdoutEvent, TurnEvent},
};
use abide_ledger::{Entry, Feed, Record};
use abide_memory::{DurableEvent, IdentityFile, IdentityFileOutcome, stdout::StdoutEntry};
use tokio_util::sync::CancellationToken;

use crate::{dream_folders, services::Services, waiters::Waiters};

/// Events that are applied under one lock.
const BATCH_MAX: usize = 512;

/// Keeps all views up to the ledger. One task; when it ends with an error the keeper must stop.
#[derive(Debug)]
pub struct Projector {
    services: Arc<Services>,
    feed: Feed,
    waiters: Arc<Waiters>,
    clock: Arc<PartClock>,
}

/// The identity documents by agent; none in a simulation.
pub type IdentityFiles = BTreeMap<AgentId, IdentityFile>;

impl Projector {
    /// Follows a feed that begins where the state stands.
    pub(crate) fn new(services: Arc<Services>, waiters: Arc<Waiters>) -> Self {
        let feed = services.ledger.feed(services.view.read().seq);
        Self { services, feed, waiters, clock: Arc::default() }
    }

    /// Since when it is at one batch of events.
    pub fn clock(&self) -> Arc<PartClock> {
        Arc::clone(&self.clock)
    }

    /// Works until it is told to stop, or until the ledger cannot be read on, which is an error for the caller.
    pub async fn run(mut self, stop: CancellationToken) -> Result<(), ProjectorError> {
        loop {
            let records = tokio::select! { biased; () = stop.cancelled() => return Ok(()), records = self.feed.next_batch(BATCH_MAX) => records?, };
            self.clock.begin(self.services.clock.monotonic());
            self.apply(&records)?;
            self.clock.done(self.services.clock.monotonic());
        }
    }

    fn apply(&self, records: &[Record]) -> Result<(), ProjectorError> {
        let entries = records.iter().map(Record::entry).collect::<Result<Vec<_>, _>>()?;
        let Some(last) = entries.last() else { return Ok(()) };
        self.services.view.apply(&entries)?;
        self.project(&entries);
        self.services.view.publish(last.seq);
        for entry in &entries {
            self.notify(entry);
        }
        Ok(())
    }

    /// Moves the projections on disk. They are caches: a failure is logged and the next start repairs it.
    fn project(&self, entries: &[Entry]) {
        let _held = self.services.agents.hold();
        for agent in self.services.agents.all() {
            let (id, entity) = (&agent.id, agent.id.entity());
            let own: Vec<DurableEvent<'_>> =
                entries.iter().filter(|e| e.entity == entity).map(applied).collect();
            if !own.iter().any(|applied| concerns_memory(applied.event)) {
                continue;
            }
            if let Err(error) = agent.facts.apply(&own) {
                tracing::error!(agent = %id, event = "memory_not_projected", %error, "memory could not be projected; the next start repairs it");
            }
        }
        self.write_logs(entries);
        let changed = entries.iter().filter(|e| concerns_identity(&e.event));
        let changed: BTreeSet<&str> = changed.map(|e| e.entity.bare()).collect();
        for name in changed {
            write_identity(&self.services, name);
        }
        dream_folders::follow(&self.services.agents, &self.services.view.read(), entries);
    }

    fn write_logs(&self, entries: &[Entry]) {
        let written: Vec<StdoutEntry> = entries.iter().filter_map(log_entry).collect();
        if let Err(error) = self.services.logs.append_all(&written) {
            tracing::error!(event = "stdout_log_not_written", %error, "a log of \\stdout could not be written; it is made again from the ledger once it can be");
        }
    }

    fn notify(&self, entry: &Entry) {
        let ends =
            matches!(entry.event, Event::Epoch(EpochEvent::Committed(_) | EpochEvent::Aborted(_)));
        if let (true, Some(epoch)) = (ends, entry.epoch) {
            self.waiters.notify(epoch);
        }
        if wakes_lane(&entry.event)
            && let Some(lane) = self.services.agents.lane(entry.entity.bare())
        {
            lane.wake();
        }
    }
}

/// Brings an agent's identity file in line with its identity.
pub(crate) fn write_identity(services: &Services, name: &str) {
    let Some(file) = services.agents.files(name).and_then(|files| files.identity) else { return };
    let state = services.view.read();
    let Some(agent_state) = state.agents.get(name) else { return };
    match file.reconcile(&agent_state.identity) {
        Ok(IdentityFileOutcome::HandEdit { .. }) => {
            tracing::warn!(
                agent = name,
                event = "identity_file_edited",
                "identity.md was edited while the keeper ran; the next start takes the edit up"
            );
        }
        Ok(IdentityFileOutcome::SetAside { path, reason }) => {
            tracing::warn!(agent = name, event = "identity_file_set_aside", path = %path.display(), %reason, "identity.md was set aside");
        }
        Ok(IdentityFileOutcome::Unchanged | IdentityFileOutcome::Written) => {}
        Err(error) => {
            tracing::error!(agent = name, event = "identity_file_not_written", %error, "identity.md could not be written");
        }
    }
}

/// Why the projector stopped.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// The ledger could not be read on.
    #[error("the ledger could not be read on")]
    Feed(#[from] abide_ledger::FeedError),
    /// A line has no known form.
    #[error("an event of the ledger has a form that this version of abide does not know")]
    Entry(#[from] abide_ledger::EntryError),
    /// An event does not fit the ones before it.
    #[error(transparent)]
    Fold(#[from] crate::state::FoldError),
}

/// An entry as the memory's projections take it.
pub(crate) fn applied(entry: &Entry) -> DurableEvent<'_> {
    DurableEvent {
        seq: entry.seq,
        at: entry.timestamp,
        entity: &entry.entity,
        author: &entry.author,
        epoch: entry.epoch,
        event: &entry.event,
    }
}

/// An entry of a log as its file takes it.
pub(crate) fn log_entry(entry: &Entry) -> Option<StdoutEntry> {
    let Event::Stdout(StdoutEvent::Written(written)) = &entry.event else { return None };
    Some(StdoutEntry {
        tick: entry.tick,
        entity: entry.entity.clone(),
        content: written.content.clone(),
        timestamp: entry.timestamp,
    })
}

/// Whether an event can change what is remembered: by itself, as part of what an epoch will have said, or as an epoch's
/// end, which puts both in force.
fn concerns_memory(event: &Event) -> bool {
    matches!(event, Event::Stimulus(_) | Event::Turn(TurnEvent::Completed(_)))
        || concerns_identity(event)
}

/// Whether an event can change an identity. An epoch's end counts, because it puts staged ones in force.
fn concerns_identity(event: &Event) -> bool {
    matches!(
        event,
        Event::Memory(_) | Event::Epoch(EpochEvent::Committed(_) | EpochEvent::Aborted(_))
    )
}

fn wakes_lane(event: &Event) -> bool {
    use AgentEvent::{Paused, Registered, Resumed};
    matches!(
        event,
        Event::Stimulus(_) | Event::Sleep(_) | Event::Agent(Paused(_) | Registered(_) | Resumed(_))
    )
}

/// The folder of an agent's projections.
pub fn agent_folder(home: &std::path::Path, agent: &AgentId) -> PathBuf {
    home.join("agents").join(agent.as_str())
}
