//! `/stdout`: the command language for people: commands carried out as an entity, and who may read whose log.
//!
//! Who may do everything may act as anybody (decision 47), others as themselves; the ledger keeps the person as author
//! beside the entity. A mistake in the commands is 422, its message the text of the specification alone.

use abide_domain::{EntityName, OWNER, is_reserved_name};
use abide_engine::Keeper;
use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    guard::missing_scope,
    input::{Body, Params},
    list::List,
};
use crate::auth::{Caller, Right};

/// The error where no entity is named, in the words of the specification.
const NO_EXECUTOR: &str = "ERROR: Stdout requires executor context";

/// Commands.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandBody {
    /// As whom: an agent or a person, with or without `@`.
    #[serde(rename = "as")]
    entity: Option<String>,
    /// One or several, each ended by `---`; the last end may be left out, and a first `\stdout` too.
    command: String,
}

/// What commands gave.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OutputView {
    /// As a person reads it.
    output: String,
}

/// A grant.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grant {
    /// Who may read.
    reader: String,
    /// Whose log.
    owner: String,
}

/// Something that an agent waits for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct WakeView {
    /// Its id.
    id: String,
    /// What has to hold.
    condition: String,
    /// The text of the stimulus that it gets then.
    prompt: String,
    /// Since when.
    set_at: String,
    /// How many messages the agent got since.
    heard: u64,
}

/// Runs commands. What they write or change is durable when this answers; what came before a mistake stays.
#[utoipa::path(post, path = "/stdout", tag = "stdout", request_body = CommandBody, responses((status = 200, body = OutputView), (status = 422), (status = 503)))]
pub(crate) async fn carry_out(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<OutputView>, ApiError> {
    let keeper = app.keeper()?;
    let CommandBody { entity, command } = body.parse()?;
    let entity = entity.filter(|entity| !entity.trim().is_empty());
    let entity = entity.ok_or_else(|| ApiError::invalid(NO_EXECUTOR))?;
    let mut entity = name("as", &entity)?;
    if entity.bare() == OWNER {
        // As with the sender of a message: whoever calls.
        entity = caller.author();
    }
    if !caller.may_be(entity.bare()) {
        return Err(missing_scope(Right::Admin));
    }
    let output = keeper.command(entity, caller.author(), &command).await?;
    Ok(Json(OutputView { output }))
}

/// Who may read whose log, besides everybody its own.
#[utoipa::path(get, path = "/stdout/grants", tag = "stdout", params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<Grant>)))]
pub(crate) async fn grants(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<Grant>>, ApiError> {
    let all = {
        let state = app.keeper()?.state();
        let view = |(reader, owner): (&EntityName, &EntityName)| Grant::new(reader, owner);
        state.entities.logs.grants().map(view).collect()
    };
    Ok(Json(List::page(all, params.cursor()?, params.limit()?)))
}

/// Lets one read another's log.
#[utoipa::path(post, path = "/stdout/grants", tag = "stdout", request_body = Grant, responses((status = 200, body = Grant), (status = 422)))]
pub(crate) async fn grant(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<Grant>, ApiError> {
    let keeper = app.keeper()?;
    let (reader, owner) = body.parse::<Grant>()?.names()?;
    change(keeper, ("grant", caller.author()), (&reader, &owner)).await?;
    Ok(Json(Grant::new(&reader, &owner)))
}

/// Lets one read another's log no more.
#[utoipa::path(delete, path = "/stdout/grants", tag = "stdout", request_body = Grant, responses((status = 204), (status = 404), (status = 422)))]
pub(crate) async fn revoke(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let keeper = app.keeper()?;
    let (reader, owner) = body.parse::<Grant>()?.names()?;
    let is_granted = keeper.state().entities.logs.may_read(&reader, &owner);
    if !is_granted || reader == owner {
        return Err(ApiError::not_found("grant", &format!("{reader} of {owner}")));
    }
    change(keeper, ("revoke", caller.author()), (&reader, &owner)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What an agent waits for, the oldest first.
#[utoipa::path(get, path = "/agents/{id}/wakes", tag = "stdout", params(("id" = String, Path), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<WakeView>), (status = 404)))]
pub(crate) async fn wakes(
    State(app): State<AppState>,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<List<WakeView>>, ApiError> {
    let agent = app.citizen(Some(&id))?;
    let all = {
        let state = app.keeper()?.state();
        let wakes = state.entities.wakes.of(&agent.entity()).iter();
        let view = |wake: &abide_engine::state::Wake| WakeView {
            id: wake.id.to_string(),
            condition: wake.condition.clone(),
            prompt: wake.prompt.to_string(),
            set_at: wake.set_at.to_string(),
            heard: wake.recent_inputs().1,
        };
        wakes.map(view).collect()
    };
    Ok(Json(List::page(all, params.cursor()?, params.limit()?)))
}

impl Grant {
    fn new(reader: &EntityName, owner: &EntityName) -> Self {
        Self { reader: reader.to_string(), owner: owner.to_string() }
    }

    fn names(&self) -> Result<(EntityName, EntityName), ApiError> {
        Ok((name("reader", &self.reader)?, name("owner", &self.owner)?))
    }
}

/// The grant and its end are commands of the log's owner, so that one place decides what they mean.
async fn change(
    keeper: &Keeper,
    (command, by): (&str, EntityName),
    (reader, owner): (&EntityName, &EntityName),
) -> Result<(), ApiError> {
    keeper.command(owner.clone(), by, &format!("\\{command} {reader} ---")).await?;
    Ok(())
}

/// A name with or without its `@`. Nobody acts as Abide itself, and Abide itself reads no log.
fn name(field: &str, text: &str) -> Result<EntityName, ApiError> {
    let text = text.trim();
    let entity = EntityName::sender(text.strip_prefix('@').unwrap_or(text))
        .map_err(|error| ApiError::invalid(format!("{field} {error}")))?;
    if is_reserved_name(entity.bare()) {
        return Err(ApiError::invalid(format!(
            "{field} is {entity}, as which nobody can act; name an agent or a person"
        )));
    }
    Ok(entity)
}
