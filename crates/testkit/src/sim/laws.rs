//! The laws that hold after every death and at the end, whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    CallId, EpochId,
    event::{EpochEvent, Event, MemoryEvent, SleepEvent, SleepStatus, ToolEvent, TurnEvent},
    tool::{EffectClass, Outcome as CallOutcome},
};
use abide_engine::{
    Keeper,
    state::{AgentState, EpochEnd},
};
use abide_ledger::{
    Entry,
    folder::{self, Folder},
};

use super::{
    environment::{SimEnvironment, SimOutcome},
    law_error::LawError,
    spawned::LedgerView,
};
use crate::rig::keeper::chain;

/// Holds after every death: what was promised is on the disk, and the disk is whole.
pub(crate) fn after_death(stage: &SimEnvironment) -> Result<(), LawError> {
    let entries = read(stage)?;
    let known: BTreeSet<_> = entries.iter().filter_map(|entry| entry.epoch).collect();
    for (number, epoch) in &stage.outside.acknowledged {
        if !known.contains(epoch) {
            return Err(LawError::Forgotten(*number, *epoch));
        }
    }
    slept_once(&entries)?;
    LedgerView::read(&entries)?;
    effects(stage, &entries)
}

/// Sleep: each committed epoch is named by at most one run that did not fail, no other is named, and nothing is learnt
/// twice by it.
fn slept_once(entries: &[Entry]) -> Result<(), LawError> {
    let mut failed = BTreeSet::new();
    for entry in entries {
        if let Event::Sleep(SleepEvent::Ended(ended)) = &entry.event
            && ended.status == SleepStatus::Failed
        {
            failed.insert(ended.sleep_id);
        }
    }
    let (mut committed, mut named) = (BTreeSet::new(), BTreeSet::new());
    let mut learnt = BTreeSet::new();
    for entry in entries {
        match &entry.event {
            Event::Epoch(EpochEvent::Committed(_)) => committed.extend(entry.epoch),
            Event::Sleep(SleepEvent::Started(started)) if !failed.contains(&started.sleep_id) => {
                for epoch in &started.epochs {
                    if !committed.contains(epoch) {
                        return Err(LawError::SleptOver(*epoch));
                    }
                    if !named.insert(*epoch) {
                        return Err(LawError::SleptTwice(*epoch));
                    }
                }
            }
            Event::Memory(MemoryEvent::FactRemembered(fact)) if entry.epoch.is_none() => {
                let is_new = learnt.insert((entry.entity.clone(), fact.content.clone()));
                if !is_new {
                    return Err(LawError::LearntTwice(fact.content.clone()));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Holds when nothing is left to do.
pub(crate) fn at_the_end(stage: &SimEnvironment, keeper: &Keeper) -> Result<SimOutcome, LawError> {
    after_death(stage)?;
    let entries = read(stage)?;
    let state = keeper.state();
    if let Some((open, _)) = state.epochs.all().find(|(_, span)| span.end.is_none()) {
        return Err(LawError::Open(open));
    }
    drop(state);
    let is_asleep = |state: &AgentState| state.sleep.running().is_some();
    if let Some((agent, _)) = keeper.state().agents.iter().find(|(_, state)| is_asleep(state)) {
        return Err(LawError::Asleep(agent.clone()));
    }
    if !stage.blobs.is_empty() {
        return Err(LawError::Blobs(stage.blobs.len()));
    }
    rebuilt(stage, keeper)?;
    let book = LedgerView::read(&entries)?;
    book.fits(keeper)?;
    let state = keeper.state();
    Ok(SimOutcome {
        seed: stage.seed,
        events: entries.len() as u64,
        acknowledged: stage.outside.acknowledged.len(),
        committed: state
            .epochs
            .all()
            .filter(|(_, span)| span.end == Some(EpochEnd::Committed))
            .count(),
        sleeps: entries
            .iter()
            .filter(|entry| matches!(entry.event, Event::Sleep(SleepEvent::Ended(_))))
            .count(),
        notes: book.notes(),
        said: book.delivered(),
        woken: book.fired(),
        unknown: entries
            .iter()
            .filter(|entry| outcome(entry) == Some(CallOutcome::Unknown))
            .count(),
        chain: keeper.ledger().head().chain,
    })
}

/// Tools: intent before effect, at most once unless idempotent, no success without an effect, no unpaired call.
fn effects(stage: &SimEnvironment, entries: &[Entry]) -> Result<(), LawError> {
    let mut intents: BTreeMap<(EpochId, CallId), EffectClass> = BTreeMap::new();
    let mut succeeded: BTreeSet<(EpochId, CallId)> = BTreeSet::new();
    for entry in entries {
        let Some(epoch) = entry.epoch else { continue };
        match &entry.event {
            Event::Tool(ToolEvent::Requested(requested)) => {
                intents.insert((epoch, requested.call_id.clone()), requested.effect);
            }
            Event::Tool(ToolEvent::Finished(finished)) if finished.outcome == CallOutcome::Ok => {
                succeeded.insert((epoch, finished.call_id.clone()));
            }
            Event::Turn(TurnEvent::Completed(completed))
                if completed.voice.final_response.as_deref() == Some("UNPAIRED") =>
            {
                return Err(LawError::Unpaired(epoch));
            }
            _ => {}
        }
    }
    let runs = stage.world.runs();
    for ((epoch, call), runs) in &runs {
        if !intents.contains_key(&(*epoch, call.clone())) {
            return Err(LawError::NoIntent(*epoch, call.clone()));
        }
        if runs.count > 1 && !runs.is_idempotent {
            return Err(LawError::RanTwice(*epoch, call.clone(), runs.count));
        }
    }
    for id in succeeded {
        if intents.get(&id) == Some(&EffectClass::World) && !runs.contains_key(&id) {
            return Err(LawError::NeverRan(id.0, id.1));
        }
    }
    Ok(())
}

/// A state folded anew from the ledger alone, or made from a snapshot and the events after it, is the state of the keeper that wrote it.
fn rebuilt(stage: &SimEnvironment, keeper: &Keeper) -> Result<(), LawError> {
    let lived = keeper.state_digest();
    let folded = super::keeper::fold_anew(stage, keeper.ledger())?;
    if lived != folded {
        return Err(LawError::OtherState(lived, folded));
    }
    let from_snapshot = super::keeper::fold_on(stage, keeper.ledger())?;
    if lived == from_snapshot { Ok(()) } else { Err(LawError::OtherState(lived, from_snapshot)) }
}

fn read(stage: &SimEnvironment) -> Result<Vec<Entry>, LawError> {
    let unverified = |error: &dyn std::error::Error| LawError::Unverified(chain(error));
    folder::verify(stage.storage.clone()).map_err(|error| unverified(&error))?;
    let folder = Folder::open(stage.storage.clone()).map_err(|error| unverified(&error))?;
    let mut entries = Vec::new();
    for record in folder.records(1) {
        let record = record.map_err(|error| unverified(&error))?;
        entries.push(record.entry().map_err(|error| unverified(&error))?);
    }
    Ok(entries)
}

fn outcome(entry: &Entry) -> Option<CallOutcome> {
    match &entry.event {
        Event::Tool(ToolEvent::Finished(finished)) => Some(finished.outcome),
        _ => None,
    }
}
