//! The projector: the one task that reads the ledger as it grows and keeps every view up to it.
//!
//! In order: the state, the agents' facts and identity files, then whoever waits. What is published as applied is
//! applied everywhere, so that a caller who waited reads its own writes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    AgentId, PartClock,
    event::{AgentEvent, EpochEvent, Event, StdoutEvent},
};
use abide_ledger::{Entry, Feed, Record};
use abide_memory::{DurableEvent, IdentityFile, IdentityFileOutcome, stdout::StdoutEntry};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    agent_setup::AgentSetup,
    dream_folders,
    services::Services,
    state::{concerns_identity, concerns_memory},
    waiters::Waiters,
};

/// Events that are applied under one lock.
const BATCH_MAX: usize = 512;
/// How long after a memory could not be written it is tried again.
pub(crate) const MEMORY_RETRY: Duration = Duration::from_secs(10);
/// Batches that a memory gets again at a time, before new events come first.
const CATCH_UP_BATCHES_MAX: usize = 20;

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
        let mut catch_up_at = Instant::now();
        loop {
            let is_behind = self.services.backlogs.is_any_retried();
            let records = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(()),
                () = tokio::time::sleep_until(catch_up_at), if is_behind => Vec::new(),
                records = self.feed.next_batch(BATCH_MAX) => records?,
            };
            self.clock.begin(self.services.clock.monotonic());
            let is_catching_up = records.is_empty();
            if is_catching_up {
                self.catch_up();
            }
            self.apply(&records)?;
            if is_catching_up || !is_behind {
                catch_up_at = Instant::now() + MEMORY_RETRY;
            }
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

    /// Moves the projections on disk. They are caches: what fails is logged, and done again from the ledger.
    fn project(&self, entries: &[Entry]) {
        let _held = self.services.agents.hold();
        for agent in self.services.agents.all() {
            let own = own(entries, &agent);
            let concerns_it = own.iter().any(|applied| concerns_memory(applied.event));
            // What comes while it lacks earlier events is handed in behind those.
            if concerns_it && !self.services.backlogs.is_behind(&agent.id) {
                self.remember(&agent, &own);
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

    /// Hands an agent's events to its memory. Whether it took them; else they are noted as missing.
    fn remember(&self, agent: &AgentSetup, own: &[DurableEvent<'_>]) -> bool {
        let Some(first) = own.first() else { return true };
        let Err(error) = agent.facts.apply(own) else { return true };
        let (id, reason) = (&agent.id, error.with_cause());
        if self.services.backlogs.note(id, first.seq, self.services.now(), &error) {
            tracing::error!(agent = %id, event = "memory_not_projected", reason, is_damaged = error.is_corrupt(),
                "a memory could not be written; it is tried again, and built again with the next start if it is damaged");
        }
        false
    }

    /// Hands the events that they lack to the memories that are behind.
    fn catch_up(&self) {
        let _held = self.services.agents.hold();
        for (id, backlog) in self.services.backlogs.all() {
            match self.services.agents.get(id.as_str()) {
                None => self.services.backlogs.end(&id),
                Some(_) if backlog.is_damaged => {}
                Some(agent) => {
                    if let Err(error) = self.catch_up_with(&agent, backlog.from) {
                        tracing::warn!(agent = %id, event = "memory_not_projected", %error, "the events that a memory lacks could not be read");
                    }
                }
            }
        }
    }

    /// Hands the events from `from` on to a memory, as far as the state stands.
    fn catch_up_with(&self, agent: &AgentSetup, mut from: u64) -> Result<(), ProjectorError> {
        let last = self.services.view.read().seq;
        for _ in 0..CATCH_UP_BATCHES_MAX {
            if from > last {
                self.services.backlogs.end(&agent.id);
                tracing::info!(agent = %agent.id, event = "memory_caught_up", "a memory has what it lacked");
                return Ok(());
            }
            let records = self.services.ledger.records(from).take(BATCH_MAX);
            let read: Result<Vec<_>, ProjectorError> =
                records.map(|record| Ok(record?.entry()?)).collect();
            // What is not in the state yet comes with the feed.
            let entries: Vec<_> = read?.into_iter().filter(|entry| entry.seq <= last).collect();
            if !self.remember(agent, &own(&entries, agent)) {
                return Ok(());
            }
            from = entries.last().map_or(last, |entry| entry.seq) + 1;
            self.services.backlogs.advance(&agent.id, from);
        }
        Ok(())
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
    /// The ledger could not be read again, for a memory that lacks events.
    #[error("the ledger could not be read again")]
    Read(#[from] abide_ledger::ReadError),
    /// A line has no known form.
    #[error("an event of the ledger has a form that this version of abide does not know")]
    Entry(#[from] abide_ledger::EntryError),
    /// An event does not fit the ones before it.
    #[error(transparent)]
    Fold(#[from] crate::state::FoldError),
}

/// The events of one agent.
fn own<'a>(entries: &'a [Entry], agent: &AgentSetup) -> Vec<DurableEvent<'a>> {
    let entity = agent.id.entity();
    entries.iter().filter(|entry| entry.entity == entity).map(applied).collect()
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
