//! The dreams' files, kept in line with the ledger: written with each dream, written again at start where one is missing.
//!
//! They are a projection: a failure is logged, the next start repairs it, and it never stops a keeper.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId,
    event::{Event, MemoryEvent},
};
use abide_ledger::{Entry, Ledger};
use abide_memory::{Dream, DreamFiles};

use crate::{
    ledger_reads::read_event,
    roster::Roster,
    state::{AgentState, State},
};

/// The folders of dreams by agent; none in a simulation.
pub type DreamFolders = BTreeMap<AgentId, DreamFiles>;

/// Brings an agent's folder in line with its list. Reads only the dreams whose file is missing.
pub(crate) fn restore(agent: &AgentId, files: &DreamFiles, state: &State, ledger: &Ledger) {
    let Some(agent_state) = state.agents.get(agent) else { return };
    for dream in files.missing(&agent_state.dreams) {
        match text(ledger, dream) {
            Ok(content) => write(files, agent, dream, &content),
            Err(error) => {
                tracing::error!(%agent, event = "dream_not_read", dream = dream.filename, error,
                    "a dream could not be read from the ledger");
            }
        }
    }
    remove_gone(files, agent, agent_state);
}

/// Takes away the files of all dreams that left the list.
fn remove_gone(files: &DreamFiles, agent: &AgentId, agent_state: &AgentState) {
    let dreams = &agent_state.dreams;
    for dream in dreams.gone().iter().filter(|dream| dreams.get(&dream.filename).is_none()) {
        remove(files, agent, dream);
    }
}

/// Writes and takes away what a batch of events, already in the state, brought about.
pub(crate) fn follow(agents: &Roster, state: &State, entries: &[Entry]) {
    for entry in entries {
        let found = state.agents.get_key_value(entry.entity.bare());
        let Some((agent, agent_state)) = found else { continue };
        let has_forgotten = agent_state.dreams.has_forgotten_at(entry.seq);
        if !has_forgotten && !matches!(entry.event, Event::Memory(_)) {
            continue;
        }
        let files = agents.files(agent.as_str()).and_then(|files| files.dreams);
        let Some(files) = &files else { continue };
        if has_forgotten {
            remove_gone(files, agent, agent_state);
        }
        let Event::Memory(event) = &entry.event else { continue };
        match event {
            MemoryEvent::DreamWritten(written) => {
                // It may have been forgotten in the same batch.
                if let Some(dream) = agent_state.dreams.get(&written.filename) {
                    write(files, agent, dream, &written.content);
                }
            }
            MemoryEvent::DreamForgotten(forgotten)
                if agent_state.dreams.get(&forgotten.filename).is_none() =>
            {
                let gone = agent_state.dreams.gone().iter().rev();
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
        tracing::error!(%agent, event = "dream_not_written", dream = dream.filename, %error,
            "the file of a dream could not be written; the next start tries again");
    }
}

fn remove(files: &DreamFiles, agent: &AgentId, dream: &Dream) {
    if let Err(error) = files.remove(dream) {
        tracing::error!(%agent, event = "dream_not_removed", dream = dream.filename, %error,
            "the file of a dream could not be removed; the next start tries again");
    }
}

/// The text of a dream, from the ledger.
fn text(ledger: &Ledger, dream: &Dream) -> Result<String, String> {
    match read_event(ledger, dream.seq).map_err(|error| error.to_string())? {
        Some(Event::Memory(MemoryEvent::DreamWritten(written))) => Ok(written.content),
        _ => Err(format!("event {} of the ledger holds no dream", dream.seq)),
    }
}
