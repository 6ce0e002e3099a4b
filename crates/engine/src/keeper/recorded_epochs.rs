//! Epochs of the record as they were asked: what the mind was shown then, rendered again, and what it did. For trials of another mind
//! on the agent's own life.
//!
//! One pass over the ledger for all of them. Nothing here asks a mind or runs a tool.

use std::{collections::HashMap, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EpochId, Sharing, Zone,
    event::{ContextAssembled, ContextEvent, Event},
    turn::TurnRequest,
};
use abide_ledger::Ledger;

use super::{Keeper, OrderError};
use crate::{
    agent_setup::AgentSetup,
    context::{Context, ContextInput, ContextScope, History},
    exploration::MemoryReferences,
    run_epoch::{ShownTools, ToolOffer},
    services::Services,
    state::{AgentState, EpochRecord, State, TurnRecord},
};

/// An epoch of the record, to be asked again.
#[derive(Clone, Debug)]
pub struct RecordedEpoch {
    /// Its id.
    pub id: EpochId,
    /// What its mind was asked first. The tools are those of today, and so are the limits.
    pub request: TurnRequest,
    /// What it did then: each turn with its calls and what they gave.
    pub turns: Vec<TurnRecord>,
}

/// What a trial shows in place of what was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownInstead {
    /// The identity document.
    pub identity: Option<Arc<str>>,
    /// Estimated tokens of a prompt at most.
    pub context_tokens_max: Option<u64>,
    /// Which conversations the prompt shows.
    pub history: Option<History>,
    /// Thinking time before an answer begins to come, and between two pieces of it.
    pub turn: Option<Duration>,
    /// Thinking time in all while pieces of an answer come.
    pub turn_streaming: Option<Duration>,
}

impl Keeper {
    /// Epochs of an agent that ended with a reply, in the order of the record. One whose context was never assembled is left out.
    pub async fn recorded_epochs(
        &self,
        agent: &AgentId,
        ids: &[EpochId],
        instead: ShownInstead,
    ) -> Result<Vec<RecordedEpoch>, OrderError> {
        let setup = self.agent_or_error(agent)?;
        let services = Arc::clone(self.services());
        let ids = ids.to_vec();
        let work = move || read(&services, &setup, (&ids, &instead));
        let worked = tokio::task::spawn_blocking(work).await;
        let unreadable = |why: String| OrderError::Unreadable(why);
        worked.map_err(|_| unreadable("the reading ended".into()))?.map_err(unreadable)
    }
}

fn read(
    services: &Services,
    agent: &AgentSetup,
    (ids, instead): (&[EpochId], &ShownInstead),
) -> Result<Vec<RecordedEpoch>, String> {
    let mut requests = requests(services, agent, (ids, instead))?;
    let mut epochs = Vec::with_capacity(ids.len());
    for id in ids {
        let span = services.view.read().epochs.get(id);
        let (Some(request), Some(span)) = (requests.remove(id), span) else { continue };
        let record = crate::ledger_reads::read_epoch(&services.ledger, *id, &span);
        let Some(record) = record.map_err(|error| error.to_string())? else { continue };
        epochs.push(RecordedEpoch { id: *id, request, turns: record.turns });
    }
    epochs.sort_by_key(|epoch| epoch.id);
    Ok(epochs)
}

/// What each was asked first, by its first context: a later one of the same epoch only repeats or shortens it.
fn requests(
    services: &Services,
    agent: &AgentSetup,
    (ids, instead): (&[EpochId], &ShownInstead),
) -> Result<HashMap<EpochId, TurnRequest>, String> {
    let mut requests = HashMap::new();
    let mut folded = State::default();
    let ledger: &Ledger = &services.ledger;
    for line in ledger.records(1) {
        if requests.len() == ids.len() {
            break;
        }
        let entry = line.map_err(|error| error.to_string())?;
        let entry = entry.entry().map_err(|error| error.to_string())?;
        if let (Event::Context(ContextEvent::Assembled(assembled)), Some(id)) =
            (&entry.event, entry.epoch)
            && ids.contains(&id)
            && !requests.contains_key(&id)
            && let Some(record) = folded.running.get(&id)
        {
            let known = folded.agents.get(&agent.id);
            requests.insert(id, request(services, agent, (known, record, assembled), instead));
        }
        folded.apply(&entry).map_err(|error| error.to_string())?;
    }
    Ok(requests)
}

fn request(
    services: &Services,
    agent: &AgentSetup,
    (known, record, assembled): (Option<&AgentState>, &EpochRecord, &ContextAssembled),
    instead: &ShownInstead,
) -> TurnRequest {
    let limits = &services.settings.limits;
    let fresh = AgentState::new(&agent.id);
    let known = known.unwrap_or(&fresh);
    let context = render(services, agent, (known, record, assembled), instead);
    let all = agent.tools.current().offered(&services.policy_of(agent));
    let offer = ToolOffer::new(all, || known.tool_use.newest());
    let recent = context.history.last().map(|exchange| &*exchange.stimulus).unwrap_or_default();
    let ShownTools { tools, names } = offer.of_next_turn(record, recent);
    let system = match names {
        Some(names) => format!("{}\n\n{names}", context.system).into(),
        None => context.system.clone(),
    };
    let stimulus = &record.stimulus;
    let deadline = instead.turn.unwrap_or(limits.turn);
    let last = crate::context::last_output(
        Some(known),
        (stimulus, assembled.sharing.unwrap_or(Sharing::Agent)),
    );
    TurnRequest {
        agent: agent.id.clone(),
        epoch: record.id,
        turn: 1,
        attempt: 1,
        repair: None,
        system,
        context: context.object,
        time_zone: context.time_zone,
        history: context.history,
        message: stimulus.content.clone(),
        sender: stimulus.sender.clone(),
        channel: stimulus.channel,
        session_id: stimulus.session_id.clone(),
        sent_at: stimulus.sent_at,
        last_driver_output: last.map(|(_, output)| output),
        tools,
        steps: Vec::new(),
        deadline,
        deadline_streaming: instead.turn_streaming.unwrap_or(limits.turn_streaming).max(deadline),
    }
}

fn render(
    services: &Services,
    agent: &AgentSetup,
    (known, record, assembled): (&AgentState, &EpochRecord, &ContextAssembled),
    instead: &ShownInstead,
) -> Context {
    let settings = &services.settings;
    let tokens_max = instead.context_tokens_max.unwrap_or(settings.context_tokens_max);
    let tokens_max = known.tokens_cap.unwrap_or(u64::MAX).min(tokens_max);
    let zone = assembled.time_zone.as_deref().and_then(|name| Zone::named(name).ok());
    let scope = ContextScope {
        tokens_max,
        history: instead.history.unwrap_or(settings.history),
        sharing: assembled.sharing.unwrap_or(Sharing::Agent),
        own: assembled.own,
        deck_notes: assembled.deck_notes,
        time_zone: zone.unwrap_or_default(),
        tools: assembled.tools.clone(),
    };
    let input = match &instead.identity {
        Some(identity) => ContextInput::with_identity(known, record, scope, identity),
        None => ContextInput::of(known, record, scope),
    };
    let exploration = assembled.exploration.clone().unwrap_or_default();
    input.render(&exploration, &MemoryReferences(Some(agent.facts.clone())))
}
