//! `/memory/query`, `/memory/search`: the eight queries, and search by words in what was said and is known.

use std::future::Future;

use abide_domain::{AgentId, EntityName, Sharing, Timestamp, envelope::Channel};
use abide_engine::MemoryAccess;
use abide_memory::{GraphQuery, Listener, Lookup, Origin, QueryResult, RecalledPassage};
use abide_tools::{MemoryLookup as _, MemoryQuestion};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{knowledge::FactView, memory_of};
use crate::{
    api::{app_state::AppState, error::ApiError, input::Body},
    auth::Caller,
};

/// Longest text that is searched for, in Unicode scalar values.
const WORDS_CHARS_MAX: usize = 10_000;
/// Items of a search where the caller does not say.
const LIMIT_DEFAULT: u64 = 10;
/// Items of a search at most.
const LIMIT_MAX: u64 = 50;

/// One of the eight queries.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// `query_partnerships`, `query_conversations`, `query_technical_context`, `query_emotional_state`,
    /// `query_strategy_patterns`, `query_related_code`, `query_failed_attempts` or `query_active_constraints`.
    query: String,
    /// Its parameters.
    #[serde(default)]
    params: Map<String, Value>,
}

/// What is searched for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// Words or a question.
    query: String,
    /// Who asks: "I" and "my" are theirs.
    sender: Option<String>,
    /// At most so many of each, 10 by default.
    limit: Option<u64>,
}

/// What a search found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchView {
    /// What was said.
    #[schema(value_type = FoundView<PassageView>)]
    conversations: FoundView<RecalledPassage>,
    /// What is known.
    facts: FoundView<FactView>,
}

/// A passage of an exchange.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "passages are written in `memory`; this says how they look")]
struct PassageView {
    /// By what it is named.
    #[schema(rename = "ref")]
    reference: String,
    /// The exchange.
    epoch: String,
    session_id: String,
    /// Who spoke to the agent.
    sender: String,
    channel: String,
    /// Who said this: the sender, or the agent's name.
    speaker: String,
    at: String,
    text: String,
    /// 0 to 1: how much of the question is really there.
    strength: f64,
}

/// What one of the eight queries gave.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "results are written in `memory`; this says how they look")]
struct QueryView {
    /// `found`, `empty` or `failed`.
    status: String,
    /// Whether something was found.
    found: bool,
    /// The best first: `type`, `id`, the fields of that type, `valid_from`, `valid_to`, `sources`, `strength` and `ref`.
    data: Vec<Map<String, Value>>,
    /// 0 to 1: of what was found, or of that nothing is there; 0 of a failure.
    confidence: f64,
    query_time_ms: f64,
    /// What is to be said about it; of a failure, why. May be empty.
    message: String,
}

/// The result of one search: "nothing found" and "search failed" stay apart.
#[derive(Debug, Serialize, ToSchema)]
struct FoundView<T> {
    /// `found`, `empty` or `failed`.
    status: &'static str,
    /// The best first.
    items: Vec<T>,
    /// Why the search failed; empty otherwise.
    message: String,
}

impl<T> FoundView<T> {
    fn of<F>(found: Lookup<F>, view: impl Fn(F) -> T) -> Self {
        let status = found.status();
        let (items, message) = match found {
            Lookup::Items(items) => (items.into_iter().map(view).collect(), String::new()),
            Lookup::Empty => (Vec::new(), String::new()),
            Lookup::Failed(message) => (Vec::new(), message),
        };
        Self { status, items, message }
    }
}

/// Asks one of the eight queries. What cannot be asked or answered is `failed` with its reason, never `empty`.
#[utoipa::path(post, path = "/memory/query", tag = "memory", request_body = QueryBody,
    responses((status = 200, body = QueryView), (status = 422)))]
pub(crate) async fn ask(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<QueryResult>, ApiError> {
    let QueryBody { citizen, query, params } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let question =
        OwnedQuestion::new(&app, &citizen, String::new(), (&caller, caller.name().to_owned()))?;
    match GraphQuery::parse(&query, &Value::Object(params)) {
        Err(problem) => Ok(Json(QueryResult::failed(problem.to_string()))),
        Ok(query) => {
            let look = async move { question.memory.ask(&query, question.borrowed()).await };
            Ok(Json(off_thread(look).await?))
        }
    }
}

/// Searches what was said and what is known, by words and, where an embedder is there, by meaning.
#[utoipa::path(post, path = "/memory/search", tag = "memory", request_body = SearchBody,
    responses((status = 200, body = SearchView), (status = 422)))]
pub(crate) async fn search(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<SearchView>, ApiError> {
    let SearchBody { citizen, query, sender, limit } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let limit = match limit.unwrap_or(LIMIT_DEFAULT) {
        limit @ 1..=LIMIT_MAX => usize::try_from(limit).unwrap_or(1),
        _ => return Err(ApiError::invalid(format!("limit: must be 1 to {LIMIT_MAX}"))),
    };
    let chars = query.chars().count();
    if abide_domain::is_blank(&query) || chars > WORDS_CHARS_MAX {
        return Err(ApiError::invalid(format!(
            "query: must have 1 to {WORDS_CHARS_MAX} characters"
        )));
    }
    let asker = match sender {
        None => caller.author(),
        Some(sender) if !caller.may_be(&sender) => {
            return Err(super::super::stimulus::foreign_sender(&caller, &sender));
        }
        Some(sender) => EntityName::sender(&sender)
            .map_err(|error| ApiError::invalid(format!("sender: {error}")))?,
    };
    let question = OwnedQuestion::new(&app, &citizen, query, (&caller, asker.bare().to_owned()))?;
    let look = async move {
        let said = question.memory.recall(question.borrowed(), limit).await;
        (said, question.memory.facts(question.borrowed(), limit).await)
    };
    let (said, known) = off_thread(look).await?;
    Ok(Json(SearchView {
        conversations: FoundView::of(said, |passage| passage),
        facts: FoundView::of(known, FactView::from),
    }))
}

/// A question with all that it needs, to be moved to another thread.
struct OwnedQuestion {
    memory: MemoryAccess,
    words: String,
    asker: String,
    session: String,
    /// How far what is remembered goes; none: the caller may see everything.
    sharing: Option<Sharing>,
    now: Timestamp,
}

impl OwnedQuestion {
    fn new(
        app: &AppState,
        citizen: &AgentId,
        words: String,
        (caller, asker): (&Caller, String),
    ) -> Result<Self, ApiError> {
        let (memory, session) = (memory_of(app, citizen)?, format!("{}:{asker}", Channel::Api));
        let sharing = app.keeper()?.services().settings.sharing;
        // The keeper's owner sees all; whoever else may read is told what they would be told by the agent.
        let sharing = (!caller.scopes().is_admin()).then_some(sharing);
        Ok(Self { memory, words, asker, session, sharing, now: app.now() })
    }

    fn borrowed(&self) -> MemoryQuestion<'_> {
        let Self { words, asker, session, now, .. } = self;
        let origin = Origin { channel: Channel::Api, session, sender: asker };
        let listener =
            self.sharing.map_or(Listener::OWNER, |sharing| Listener::of(sharing, origin));
        MemoryQuestion { words, asker, listener, now: *now }
    }
}

/// Searches off the threads that answer requests: the first search after a start loads the indexes.
async fn off_thread<T: Send + 'static>(
    look: impl Future<Output = T> + Send + 'static,
) -> Result<T, ApiError> {
    let runtime = tokio::runtime::Handle::current();
    let looked = tokio::task::spawn_blocking(move || runtime.block_on(look)).await;
    looked.map_err(|error| ApiError::internal(&error))
}
