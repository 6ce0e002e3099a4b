//! The station of the context: what the mind is shown, assembled once and rendered again where it must be shorter or hold
//! more.

use abide_domain::{
    Zone,
    epoch::EpochState,
    event::{ContextAssembled, DeckNotesShown, Exploration, OwnEntries, StimulusCause},
};

use super::{error::EpochError, walk::Walk};
use crate::{
    context::{Context, ContextInput, ContextScope, envelope_of, last_output},
    exploration::{MemoryReferences, explore_memory},
    state::AgentState,
};

/// What stands behind the context object.
#[derive(Clone, Copy, Default)]
struct Shown {
    own: Option<OwnEntries>,
    deck_notes: Option<DeckNotesShown>,
}

impl Shown {
    /// What is to be shown now.
    fn new(walk: &Walk<'_>) -> Self {
        let own = own_entries(walk);
        let state = walk.services.view.read();
        let agent_state = state.agents.get(&walk.agent.id);
        Self { own, deck_notes: agent_state.and_then(|agent| agent.deck_notes.newest()) }
    }

    /// What a context showed.
    const fn of(assembled: &ContextAssembled) -> Self {
        Self { own: assembled.own, deck_notes: assembled.deck_notes }
    }
}

/// Explores memory and assembles the context; a resumed epoch only renders again what was found then.
pub(super) async fn assemble(walk: &mut Walk<'_>) -> Result<Context, EpochError> {
    let (exploration, shown) = match &walk.record.context {
        Some(known) => (known.exploration.clone().unwrap_or_default(), Shown::of(known)),
        None => (explore(walk).await, Shown::new(walk)),
    };
    let context = render(walk, None, shown, &exploration);
    if walk.record.state == EpochState::Open {
        walk.record_keeper(context.assembled.clone())?;
    }
    Ok(context)
}

async fn explore(walk: &Walk<'_>) -> Exploration {
    let last = {
        let state = walk.services.view.read();
        let shown = (&*walk.record.stimulus, walk.services.settings.sharing);
        last_output(state.agents.get(&walk.agent.id), shown)
    };
    let envelope = envelope_of(&walk.record, last.map(|(_, output)| output));
    let sharing = walk.services.settings.sharing;
    let explored = (walk.record.id, &envelope, sharing);
    explore_memory(walk.agent, explored, &*walk.services.clock).await
}

/// Halves what the mind rejected as too long: the results of this epoch's calls as well as the history.
pub(super) fn shorten_context(
    walk: &mut Walk<'_>,
    rejected_tokens: u64,
) -> Result<Context, EpochError> {
    walk.tokens_cap = Some(rejected_tokens / 2);
    let known = walk.record.context.as_ref();
    let exploration = known.map(without_usage).unwrap_or_default();
    let shown = known.map(Shown::of).unwrap_or_default();
    let shorter = render(walk, walk.tokens_cap, shown, &exploration);
    if walk.record.context.as_ref() != Some(&shorter.assembled) {
        walk.record_keeper(shorter.assembled.clone())?;
    }
    Ok(shorter)
}

/// The agent's own newest entries, if this is its first epoch after a wake, a start or a reset (decision 10).
fn own_entries(walk: &Walk<'_>) -> Option<OwnEntries> {
    let state = walk.services.view.read();
    let agent_state = state.agents.get(&walk.agent.id)?;
    let is_woken = matches!(walk.record.stimulus.cause, Some(StimulusCause::Wake { .. }));
    let is_first = agent_state.is_fresh(walk.services.begun_after);
    agent_state.own_log.newest().filter(|_| is_woken || is_first)
}

/// Shows a mind that goes on after a crash what it wrote to its log up to there.
pub(super) fn add_own_entries(
    walk: &mut Walk<'_>,
    context: &mut Context,
) -> Result<(), EpochError> {
    if !std::mem::take(&mut walk.was_cut) {
        return Ok(());
    }
    let newest = {
        let state = walk.services.view.read();
        state.agents.get(&walk.agent.id).and_then(|agent_state| agent_state.own_log.newest())
    };
    if newest.is_none() || newest == context.assembled.own {
        return Ok(());
    }
    let exploration = without_usage(&context.assembled);
    let also = Shown { own: newest, ..Shown::of(&context.assembled) };
    let shown = render(walk, walk.tokens_cap, also, &exploration);
    if shown.assembled.sha256 == context.assembled.sha256 {
        return Ok(());
    }
    *context = shown;
    walk.record_keeper(context.assembled.clone())
}

fn render(
    walk: &Walk<'_>,
    tokens_cap: Option<u64>,
    Shown { own, deck_notes }: Shown,
    exploration: &Exploration,
) -> Context {
    let settings = &walk.services.settings;
    let shown = walk.record.context.as_ref();
    let shown_zone = shown.and_then(|shown| Zone::named(shown.time_zone.as_deref()?).ok());
    // An epoch that was cut is shown the same again, whatever the configuration says since.
    let time_zone = shown_zone.unwrap_or_else(|| settings.time_zone.clone());
    let tools = Some(walk.offer.summary(&walk.record.stimulus.content));
    let input = {
        let state = walk.services.view.read();
        let known = state.agents.get(&walk.agent.id);
        let learnt_cap = known.and_then(|agent_state| agent_state.tokens_cap);
        let caps = [Some(settings.context_tokens_max), learnt_cap, tokens_cap];
        let tokens_max = caps.into_iter().flatten().min().unwrap_or(settings.context_tokens_max);
        let (history, sharing) = (settings.history, settings.sharing);
        let scope =
            ContextScope { tokens_max, history, sharing, own, deck_notes, time_zone, tools };
        match known {
            Some(agent_state) => ContextInput::of(agent_state, &walk.record, scope),
            None => ContextInput::of(&AgentState::new(&walk.agent.id), &walk.record, scope),
        }
    };
    input.render(exploration, &MemoryReferences(Some(walk.agent.facts.clone())))
}

/// What was found; what it cost is recorded once, in the first context of an epoch.
fn without_usage(assembled: &ContextAssembled) -> Exploration {
    let found = assembled.exploration.clone().unwrap_or_default();
    Exploration { usage: None, ..found }
}
