//! The laws of notes, words and wakes, read from the ledger without the engine's fold.
//!
//! A note stands whatever became of its epoch, and once for its key; words are stimuli if and only if their epoch
//! committed, in that commit's batch; a wake fires at most once, after it was set, right behind its stimulus.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    CallId, EntityName, EpochId, MessageId, WakeId,
    event::{
        EpochEvent, Event, SpaceEvent, SpaceSaid, StdoutEvent, StimulusCause, StimulusEvent,
        ToolEvent, WakeEvent,
    },
    tool::Outcome,
};
use abide_engine::Keeper;
use abide_ledger::Entry;

/// The newest notes of a log that are compared with its file.
const NOTES_COMPARED: usize = 1_000;

/// A law of this file that did not hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnedLawError {
    #[error("note {2} of call {1} of epoch {0} stands twice")]
    NotedTwice(EpochId, CallId, u32),
    #[error("call {1} of epoch {0} was told of a note that does not stand")]
    NoteLost(EpochId, CallId),
    #[error("the log of {0} is not what the ledger says")]
    OtherLog(EntityName),
    #[error("message {0} has stimuli at {1:?}, not at {2:?}")]
    Delivery(MessageId, Vec<u64>, Vec<u64>),
    #[error("a stimulus gives message {0}, which was never said")]
    NeverSaid(MessageId),
    #[error("wake {0} was set twice")]
    SetTwice(WakeId),
    #[error("wake {0} fired and does not wait")]
    NotWaiting(WakeId),
    #[error("wake {0} fired without its stimulus right before it, or the other way round")]
    NoStimulus(WakeId),
    #[error("the state holds {0} wakes, the ledger for {1}")]
    OtherWakes(usize, usize),
}

/// The ledger as these laws read it.
pub(crate) struct LedgerView<'a> {
    /// By epoch, the event of its commit.
    committed: BTreeMap<EpochId, u64>,
    notes: BTreeMap<&'a EntityName, Vec<&'a str>>,
    /// By message, where its stimuli stand.
    given: BTreeMap<MessageId, Vec<u64>>,
    waiting: BTreeSet<WakeId>,
    fired: usize,
}

impl<'a> LedgerView<'a> {
    /// Reads the ledger and checks what holds after every death.
    pub(crate) fn read(entries: &'a [Entry]) -> Result<Self, SpawnedLawError> {
        let commits = entries
            .iter()
            .filter(|entry| matches!(entry.event, Event::Epoch(EpochEvent::Committed(_))));
        let committed = commits.filter_map(|entry| Some((entry.epoch?, entry.seq))).collect();
        let (notes, given, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut book = Self { committed, notes, given, waiting, fired: 0 };
        book.note_all(entries)?;
        book.deliver_all(entries)?;
        book.wake_all(entries)?;
        Ok(book)
    }

    fn note_all(&mut self, entries: &'a [Entry]) -> Result<(), SpawnedLawError> {
        let mut keys = BTreeSet::new();
        for entry in entries {
            match (&entry.event, entry.epoch) {
                (Event::Stdout(StdoutEvent::Written(written)), epoch) => {
                    self.notes.entry(&entry.entity).or_default().push(&written.content);
                    let (Some(epoch), Some(call)) = (epoch, &written.call_id) else { continue };
                    if !keys.insert((epoch, call.clone(), written.nth)) {
                        return Err(SpawnedLawError::NotedTwice(epoch, call.clone(), written.nth));
                    }
                }
                (Event::Tool(ToolEvent::Finished(finished)), Some(epoch)) => {
                    let call = &finished.call_id;
                    let is_told = finished.outcome == Outcome::Ok
                        && finished.content.starts_with("Written at tick ");
                    if is_told && !keys.contains(&(epoch, call.clone(), 0)) {
                        return Err(SpawnedLawError::NoteLost(epoch, call.clone()));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn deliver_all(&mut self, entries: &'a [Entry]) -> Result<(), SpawnedLawError> {
        let mut said: Vec<(&SpaceSaid, Option<u64>)> = Vec::new();
        for entry in entries {
            match &entry.event {
                Event::Space(SpaceEvent::Said(message)) => {
                    let commit = entry.epoch.map(|epoch| self.committed.get(&epoch).copied());
                    said.push((message, commit.unwrap_or(Some(entry.seq))));
                }
                Event::Stimulus(StimulusEvent::Accepted(stimulus)) => {
                    if let Some(StimulusCause::Message { message_id, .. }) = &stimulus.cause {
                        self.given.entry(*message_id).or_default().push(entry.seq);
                    }
                }
                _ => {}
            }
        }
        let known: BTreeSet<_> = said.iter().map(|(message, _)| message.message_id).collect();
        if let Some(stray) = self.given.keys().find(|id| !known.contains(id)) {
            return Err(SpawnedLawError::NeverSaid(*stray));
        }
        // The stimuli of a commit stand right behind it, in the order of what was said.
        let mut next: BTreeMap<u64, u64> = BTreeMap::new();
        for (message, commit) in said {
            let due: Vec<u64> = match commit {
                None => Vec::new(),
                Some(commit) => {
                    let next = next.entry(commit).or_insert(commit + 1);
                    let first = *next;
                    *next += message.to.len() as u64;
                    (first..*next).collect()
                }
            };
            let given = self.given.get(&message.message_id).cloned().unwrap_or_default();
            if given != due {
                return Err(SpawnedLawError::Delivery(message.message_id, given, due));
            }
        }
        Ok(())
    }

    fn wake_all(&mut self, entries: &'a [Entry]) -> Result<(), SpawnedLawError> {
        let mut before: Option<&Entry> = None;
        let mut in_force: BTreeMap<u64, Vec<WakeId>> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for entry in entries {
            if let Event::Wake(WakeEvent::Set(set)) = &entry.event {
                if !known.insert(set.wake_id) {
                    return Err(SpawnedLawError::SetTwice(set.wake_id));
                }
                let commit = entry.epoch.map(|epoch| self.committed.get(&epoch).copied());
                if let Some(seq) = commit.unwrap_or(Some(entry.seq)) {
                    in_force.entry(seq).or_default().push(set.wake_id);
                }
            }
            self.waiting.extend(in_force.remove(&entry.seq).into_iter().flatten());
            let given = before.and_then(|before| Some((woken(before)?, before.epoch)));
            let fired = match &entry.event {
                Event::Wake(WakeEvent::Fired(fired)) => Some((fired.wake_id, entry.epoch)),
                _ => None,
            };
            if let (true, Some((id, _))) = (fired != given, fired.or(given)) {
                return Err(SpawnedLawError::NoStimulus(id));
            }
            let lapsed = match &entry.event {
                Event::Wake(WakeEvent::Cancelled(gone)) if gone.reason.is_some() => {
                    Some(gone.wake_id)
                }
                _ => None,
            };
            self.fired += usize::from(fired.is_some());
            if let Some(id) = fired.map(|(id, _)| id).or(lapsed)
                && !self.waiting.remove(&id)
            {
                return Err(SpawnedLawError::NotWaiting(id));
            }
            before = Some(entry);
        }
        Ok(())
    }

    /// Checks that a keeper with nothing left to do believes what the ledger says.
    pub(crate) fn fits(&self, keeper: &Keeper) -> Result<(), SpawnedLawError> {
        for (entity, notes) in &self.notes {
            let newest = notes.iter().skip(notes.len().saturating_sub(NOTES_COMPARED));
            let found = keeper.services().logs.tail(entity, NOTES_COMPARED);
            let is_same = found.is_ok_and(|found| {
                found.entries.iter().map(|entry| &*entry.content).eq(newest.copied())
            });
            if !is_same {
                return Err(SpawnedLawError::OtherLog((*entity).clone()));
            }
        }
        let state = keeper.state();
        let owners = state.entities.wakes.owners();
        let waiting: usize = owners.map(|(owner, _)| state.entities.wakes.of(owner).len()).sum();
        if waiting == self.waiting.len() {
            Ok(())
        } else {
            Err(SpawnedLawError::OtherWakes(waiting, self.waiting.len()))
        }
    }

    pub(crate) fn notes(&self) -> usize {
        self.notes.values().map(Vec::len).sum()
    }

    pub(crate) fn delivered(&self) -> usize {
        self.given.values().map(Vec::len).sum()
    }

    pub(crate) fn fired(&self) -> usize {
        self.fired
    }
}

/// The wake that an event is the stimulus of.
fn woken(entry: &Entry) -> Option<WakeId> {
    let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event else { return None };
    match stimulus.cause {
        Some(StimulusCause::Wake { wake_id, .. }) => Some(wake_id),
        _ => None,
    }
}
