//! `/knowledge`: the facts that an agent knows.

use abide_domain::{AgentId, FactId};
use abide_engine::keeper::{ForgetMode, NewFact};
use abide_memory::{Fact, FactsPage, ForgetAuthority, ForgetTarget, KnowledgeError};
use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{off_thread, store};
use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params, bounded_reason},
        list::List,
    },
    auth::Caller,
};

/// What a fact may be about.
const CATEGORIES: [&str; 3] = ["user", "project", "world"];

/// Something an agent knows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactView {
    fact_id: String,
    content: String,
    /// `user`, `project` or `world`.
    category: String,
    tags: Vec<String>,
    /// 0 to 1.
    confidence: f64,
    valid_from: String,
    /// Null while it holds.
    valid_to: Option<String>,
    /// The epochs that it was learnt in.
    sources: Vec<String>,
    /// Who said it first, where that is known.
    told_by: Option<String>,
    /// Whether it stems only from people, not from fetched or generated text.
    trusted: bool,
}

impl From<Fact> for FactView {
    fn from(fact: Fact) -> Self {
        Self {
            fact_id: fact.fact_id.to_string(),
            content: fact.content,
            category: fact.category,
            tags: fact.tags,
            confidence: fact.confidence,
            valid_from: fact.valid_from.to_string(),
            valid_to: fact.valid_to.map(|at| at.to_string()),
            sources: fact.sources.iter().map(ToString::to_string).collect(),
            told_by: fact.told_by.map(|by| by.to_string()),
            trusted: fact.trusted,
        }
    }
}

/// A fact to be known.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactBody {
    /// One statement, at most 2,000 characters.
    content: String,
    /// `user`, `project` or `world`, the default.
    category: Option<String>,
    /// At most 16, each of at most 64 characters.
    #[serde(default)]
    tags: Vec<String>,
    /// The fact that it takes the place of.
    supersedes: Option<String>,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// Facts in force, the newest first; with `?q=` those that match, with `?history=1` those that hold no longer too.
#[utoipa::path(get, path = "/knowledge", tag = "memory",
    params(("citizen" = Option<String>, Query), ("q" = Option<String>, Query), ("history" = Option<String>, Query),
        ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<FactView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<FactView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let (limit, before) = (params.limit()?, params.cursor()?);
    let words = params.get("q").map(str::to_owned);
    let with_history = params.is_set("history")?;
    if with_history && words.is_some() {
        return Err(ApiError::malformed("q and history cannot be combined; send one of them"));
    }
    let facts = store(&app, &citizen)?;
    let read = move || -> Result<FactsPage, KnowledgeError> {
        if with_history {
            facts.fact_history(before, limit)
        } else {
            facts.list(before, limit, words.as_deref())
        }
    };
    let page = off_thread(read).await?;
    let items = page.items.into_iter().map(FactView::from).collect();
    Ok(Json(List { items, next: page.next.map(|next| next.to_string()) }))
}

/// Remembers a fact that the caller vouches for.
#[utoipa::path(post, path = "/knowledge", tag = "memory", request_body = FactBody,
    responses((status = 200, body = FactView), (status = 404), (status = 422)))]
pub(crate) async fn remember(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<FactView>, ApiError> {
    let FactBody { content, category, tags, supersedes, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let unknown = |id: &str| ApiError::not_found("fact", id);
    let older = supersedes.as_deref().map(|id| id.parse::<FactId>().map_err(|_| unknown(id)));
    let older = older.transpose()?;
    // What takes the place of a fact is of its kind, unless somebody says otherwise.
    let category = match (category, older) {
        (None, Some(older)) => category_of(&app, &citizen, older)?,
        (category, _) => category,
    };
    let fact = NewFact {
        content,
        category: known_category(category)?,
        tags: bounded_tags(tags)?,
        supersedes: older,
    };
    let id = app.keeper()?.remember_fact(&citizen, fact, caller.author()).await?;
    let known = store(&app, &citizen)?.get(id).map_err(|error| ApiError::internal(&error))?;
    known.map(|fact| Json(FactView::from(fact))).ok_or_else(|| unknown(&id.to_string()))
}

/// The category of a fact that is known; none where it is not, which is told later.
fn category_of(app: &AppState, citizen: &AgentId, id: FactId) -> Result<Option<String>, ApiError> {
    let known = store(app, citizen)?.get(id).map_err(|error| ApiError::internal(&error))?;
    Ok(known.map(|fact| fact.category))
}

fn known_category(category: Option<String>) -> Result<String, ApiError> {
    let category = category.unwrap_or_else(|| "world".to_owned());
    if CATEGORIES.contains(&category.as_str()) {
        return Ok(category);
    }
    Err(ApiError::invalid(format!("category: must be one of {}", CATEGORIES.join(", "))))
}

fn bounded_tags(tags: Vec<String>) -> Result<Vec<String>, ApiError> {
    use abide_tools::{FACT_TAG_CHARS_MAX, FACT_TAGS_MAX};
    let fits = |tag: &String| (1..=FACT_TAG_CHARS_MAX).contains(&tag.trim().chars().count());
    if tags.len() > FACT_TAGS_MAX || !tags.iter().all(fits) {
        return Err(ApiError::invalid(format!(
            "tags: at most {FACT_TAGS_MAX} are allowed, each of 1 to {FACT_TAG_CHARS_MAX} characters"
        )));
    }
    Ok(tags.into_iter().map(|tag| tag.trim().to_owned()).collect())
}

/// Takes a fact back, with what it took the place of and what was said of it. The lines stay in the ledger.
#[utoipa::path(delete, path = "/knowledge/{fact_id}", tag = "memory",
    params(("fact_id" = String, Path), ("citizen" = Option<String>, Query), ("reason" = Option<String>, Query)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn forget(
    State(app): State<AppState>,
    caller: Caller,
    Path(fact_id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let id: FactId = fact_id.parse().map_err(|_| ApiError::not_found("fact", &fact_id))?;
    let reason = bounded_reason(params.get("reason").map(str::to_owned))?;
    let what = (ForgetTarget::Fact(id), ForgetAuthority::Administrator);
    let how = (ForgetMode::Write, reason.as_deref());
    app.keeper()?.forget(&citizen, what, how, caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
