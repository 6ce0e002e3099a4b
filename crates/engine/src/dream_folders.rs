//! The dreams' files, kept in line with the ledger: written with each dream, written again at start where one is missing.
//!
//! They are a projection: a failure is told and mended at the next start, and never keeps a keeper from serving.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId,
    event::{Event, MemoryEvent},
};
use abide_ledger::{Entry, Ledger};
use abide_memory::{Dream, DreamFiles};

use crate::{roster::Roster, state::State};

/// Where the dreams lie; nowhere in a simulation.
pub type DreamFolders = BTreeMap<AgentId, DreamFiles>;

/// Brings an agent's folder in line with its list. Reads only the dreams whose file is missing.
pub(crate) fn restore(agent: &AgentId, files: &DreamFiles, house: &State, ledger: &Ledger) {
    let Some(state) = house.agents.get(agent) else { return };
    for dream in files.missing(&state.dreams) {
        match text(ledger, dream) {
            Ok(content) => write(files, agent, dream, &content),
            Err(error) => {
                tracing::error!(%agent, dream = dream.filename, error, "a dream could not be read");
            }
        }
    }
    for dream in
        state.dreams.gone().iter().filter(|dream| state.dreams.get(&dream.filename).is_none())
    {
        remove(files, agent, dream);
    }
}

/// Writes and takes away what a batch of events, already in the house, brought about.
pub(crate) fn follow(agents: &Roster, house: &State, entries: &[Entry]) {
    for entry in entries {
        let Event::Memory(event) = &entry.event else { continue };
        let found = house.agents.get_key_value(entry.entity.bare());
        let Some((agent, state)) = found else { continue };
        let files = agents.belongings(agent.as_str()).and_then(|own| own.dreams);
        let Some(files) = &files else { continue };
        match event {
            MemoryEvent::DreamWritten(written) => {
                // It may have been forgotten in the same batch.
                if let Some(dream) = state.dreams.get(&written.filename) {
                    write(files, agent, dream, &written.content);
                }
            }
            MemoryEvent::DreamForgotten(forgotten)
                if state.dreams.get(&forgotten.filename).is_none() =>
            {
                let gone = state.dreams.gone().iter().rev();
                if let Some(dream) =
                    gone.into_iter().find(|dream| dream.filename == forgotten.filename)
                {
                    remove(files, agent, dream);
                }
            }
            _ => {}
        }
    }
}

fn write(files: &DreamFiles, agent: &AgentId, dream: &Dream, content: &str) {
    if let Err(error) = files.write(dream, content) {
        tracing::error!(%agent, %error, "a dream's file could not be written; the next start tries again");
    }
}

fn remove(files: &DreamFiles, agent: &AgentId, dream: &Dream) {
    if let Err(error) = files.remove(dream) {
        tracing::error!(%agent, %error, "a dream's file could not be removed; the next start tries again");
    }
}

/// The text that a dream's line holds.
fn text(ledger: &Ledger, dream: &Dream) -> Result<String, String> {
    let record = ledger.records(dream.seq).next().ok_or("its line is not there")?;
    let entry =
        record.map_err(|error| error.to_string())?.entry().map_err(|error| error.to_string())?;
    match entry.event {
        Event::Memory(MemoryEvent::DreamWritten(written)) => Ok(written.content),
        _ => Err("its line holds no dream".to_owned()),
    }
}
