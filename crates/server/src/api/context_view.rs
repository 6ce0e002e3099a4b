//! What a mind was shown in an epoch, all of it and part by part, rendered again from the ledger and compared with the
//! recorded digests. The parts are in `parts`.
//!
//! Reads the ledger from its beginning, so it is for people who look into one epoch, one at a time.

use std::cmp::Ordering;

use abide_domain::{
    EpochId, Sharing, Zone,
    event::{ContextAssembled, ContextEvent, Event, OfferedTools},
    tool::ToolSpec,
    turn::Exchange,
};
use abide_engine::{
    Keeper, MemoryReferences,
    context::{Context, ContextInput, ContextScope, History, RENDERER, offered_tools},
    state::{AgentState, EpochRecord, State},
};
use abide_ledger::Ledger;
use serde::Serialize;
use utoipa::ToSchema;

use self::parts::ContextPart;
use super::{app_state::AppState, error::ApiError};

mod parts;

/// What a mind was shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ContextView {
    /// Whether the text has the recorded digest, byte for byte.
    verified: bool,
    /// Why not, if not: the text below is then what would be shown under today's configuration.
    reason: Option<String>,
    /// The recorded digest.
    sha256: String,
    /// The renderer that made it.
    renderer: u32,
    /// What the Dreamer found, by reference; none in contexts of programs before it.
    exploration: Option<serde_json::Value>,
    /// Estimated tokens of the parts below, as they were recorded.
    tokens: TokensView,
    /// The zone in which times were shown.
    time_zone: String,
    /// All that the mind was shown, in its order, with the size of each part.
    parts: Vec<ContextPart>,
    /// The tools that are offered today, in their order.
    tools: Vec<ToolView>,
    /// Whether these are the tools that were offered then; null where that was not recorded.
    tools_verified: Option<bool>,
    /// All texts around the history: what stays from message to message, an empty line, and the context object.
    system: String,
    /// What held at that moment: the context object alone.
    object: String,
    /// The exchanges, the oldest first.
    history: Vec<ExchangeView>,
    /// The stimulus.
    stimulus: String,
}

/// Estimated tokens by part.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct TokensView {
    tools: u64,
    system: u64,
    object: u64,
    history: u64,
    stimulus: u64,
}

/// A tool as a mind is offered it.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ToolView {
    name: String,
    description: String,
    /// The JSON schema of its arguments.
    parameters: serde_json::Value,
}

/// One exchange of the history.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ExchangeView {
    epoch_id: String,
    sender: String,
    channel: &'static str,
    sent_at: String,
    stimulus: String,
    reply: String,
}

/// The context of an epoch; none where it was never assembled.
pub(crate) async fn render_context(
    app: &AppState,
    record: &EpochRecord,
) -> Result<Option<ContextView>, ApiError> {
    if record.context.is_none() {
        return Ok(None);
    }
    let _permit = app.fold_permit().await;
    let keeper = app.keeper()?.clone();
    let id = record.id;
    let rendered = tokio::task::spawn_blocking(move || render(&keeper, id)).await;
    rendered.map_err(|error| ApiError::internal(&error))?
}

/// Whether the agent may use the same tools now as then. How much of them a prompt shows is another matter.
fn is_same_list(then: &OfferedTools, tools: &[ToolSpec]) -> bool {
    let now = offered_tools(tools);
    (now.count, &now.sha256) == (then.count, &then.sha256)
}

fn render(keeper: &Keeper, id: EpochId) -> Result<Option<ContextView>, ApiError> {
    let Some(before) = fold(keeper.ledger(), id)? else {
        return Ok(None);
    };
    let settings = &keeper.services().settings;
    let FoldedContext { state, record, assembled, earlier } = &before;
    let tokens_max = state.tokens_cap.unwrap_or(u64::MAX).min(settings.context_tokens_max);
    let exploration = assembled.exploration.clone().unwrap_or_default();
    let agent = keeper.agent(record.agent.as_str());
    let tools = agent
        .as_ref()
        .map_or_else(|| [].into(), |agent| agent.tools.current().offered(&keeper.policy_of(agent)));
    let references = MemoryReferences(agent.map(|agent| agent.facts.clone()));
    let zone = assembled.time_zone.as_deref().and_then(|name| Zone::named(name).ok());
    let rendered_with = |(tokens_max, history)| {
        // Contexts of before told everybody all.
        let sharing = assembled.sharing.unwrap_or(Sharing::Agent);
        let scope = ContextScope {
            tokens_max,
            history,
            sharing,
            own: assembled.own,
            deck_notes: assembled.deck_notes,
            time_zone: zone.clone().unwrap_or_default(),
            tools: assembled.tools.clone(),
        };
        ContextInput::of(state, record, scope).render(&exploration, &references)
    }; // An earlier context of the epoch may have been too long for the mind, or a crash came after it; and the setting of the
    // history may have been another one then. The digest shows which.
    let caps = [Some(earlier.unwrap_or(tokens_max).min(tokens_max)), earlier.map(|_| tokens_max)];
    let histories = [settings.history, History::Agent, History::Session];
    let candidates =
        caps.into_iter().flatten().flat_map(|cap| histories.map(|history| (cap, history)));
    let fitting = candidates.map(rendered_with).find(|c| c.assembled.sha256 == assembled.sha256);
    let is_verified = fitting.is_some();
    let context = fitting.unwrap_or_else(|| rendered_with((tokens_max, settings.history)));
    Ok(Some(ContextView::new(&context, &before, &tools, is_verified)))
}

/// The state just before a context was assembled.
struct FoldedContext {
    state: AgentState,
    record: EpochRecord,
    assembled: ContextAssembled,
    /// The cap that an earlier context of the same epoch leaves, if it was rejected as too long.
    earlier: Option<u64>,
}

/// Folds the ledger up to the newest context of an epoch.
fn fold(ledger: &Ledger, id: EpochId) -> Result<Option<FoldedContext>, ApiError> {
    let kinds = vec!["context.assembled".to_owned()];
    let query = abide_ledger::Query { kinds, epoch: Some(id), ..abide_ledger::Query::default() };
    let mut contexts = Vec::new();
    for found in ledger.query(query) {
        let record = found.map_err(|error| ApiError::internal(&error))?;
        let entry = record.entry().map_err(|error| ApiError::internal(&error))?;
        if let Event::Context(ContextEvent::Assembled(assembled)) = entry.event {
            contexts.push((entry.seq, assembled));
        }
    }
    let Some((seq, assembled)) = contexts.pop() else {
        return Ok(None);
    };
    let half = |(_, context): (u64, ContextAssembled)| context.tokens.all() / 2;
    let earlier = contexts.pop().map(half);
    let mut folded = State::default();
    for record in ledger.records(1) {
        let record = record.map_err(|error| ApiError::internal(&error))?;
        if record.seq() >= seq {
            break;
        }
        let entry = record.entry().map_err(|error| ApiError::internal(&error))?;
        folded.apply(&entry).map_err(|error| ApiError::internal(&error))?;
    }
    let Some(record) = folded.running.remove(&id) else {
        return Ok(None);
    };
    let state = folded.agents.remove(&record.agent);
    let state = state.unwrap_or_else(|| AgentState::new(&record.agent));
    Ok(Some(FoldedContext { state, record, assembled, earlier }))
}

impl ToolView {
    fn of(spec: &ToolSpec) -> Self {
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            parameters: spec.parameters.clone(),
        }
    }
}

impl ContextView {
    fn new(
        context: &Context,
        folded: &FoldedContext,
        tools: &[ToolSpec],
        is_verified: bool,
    ) -> Self {
        let FoldedContext { record, assembled, .. } = folded;
        let reason = match assembled.renderer.cmp(&RENDERER) {
            Ordering::Greater => {
                "a newer version of abide made this text; this one cannot render it"
            }
            Ordering::Less => {
                "an older version of abide made this text; what is shown is what this version would make of the same findings"
            }
            Ordering::Equal => {
                "the text cannot be rendered again: the configuration, the memory or the renderer has changed since"
            }
        };
        let tokens = assembled.tokens;
        let exchange = |exchange: &Exchange| ExchangeView {
            epoch_id: exchange.epoch.to_string(),
            sender: exchange.sender.clone(),
            channel: exchange.channel.as_str(),
            sent_at: exchange.sent_at.to_string(),
            stimulus: exchange.stimulus.to_string(),
            reply: exchange.reply.to_string(),
        };
        Self {
            verified: is_verified,
            reason: (!is_verified).then(|| reason.to_owned()),
            sha256: assembled.sha256.clone(),
            renderer: assembled.renderer,
            exploration: assembled
                .exploration
                .as_ref()
                .and_then(|exploration| serde_json::to_value(exploration).ok()),
            tokens: TokensView {
                tools: assembled.tools.as_ref().map_or(0, |tools| tools.tokens),
                system: tokens.system,
                object: tokens.object,
                history: tokens.history,
                stimulus: tokens.stimulus,
            },
            time_zone: context.time_zone.name().to_owned(),
            parts: parts::of(context, &record.stimulus, tools),
            tools: tools.iter().map(ToolView::of).collect(),
            tools_verified: assembled.tools.as_ref().map(|then| is_same_list(then, tools)),
            system: format!("{}\n\n{}", context.system, context.object),
            object: context.object.to_string(),
            history: context.history.iter().map(exchange).collect(),
            stimulus: record.stimulus.content.to_string(),
        }
    }
}
