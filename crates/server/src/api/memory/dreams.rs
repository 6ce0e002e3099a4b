//! `/dreams`: what an agent wrote down while it slept.

use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Params, bounded_reason},
        list::List,
    },
    auth::Caller,
};

/// A dream in the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DreamView {
    filename: String,
    created_at: String,
    title: String,
}

/// A dream, whole.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DreamText {
    filename: String,
    /// Markdown.
    content: String,
}

/// Dreams, the newest first.
#[utoipa::path(get, path = "/dreams", tag = "memory",
    params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<DreamView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<DreamView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let state = app.keeper()?.state();
    let dreams = state.agents.get(&citizen).map(|agent| agent.dreams.list());
    let views = dreams.into_iter().flatten().map(|dream| DreamView {
        filename: dream.filename.clone(),
        created_at: dream.created_at.to_string(),
        title: dream.title.clone(),
    });
    Ok(Json(List::page(views.collect(), params.cursor()?, params.limit()?)))
}

/// One dream, by its name in the list.
#[utoipa::path(get, path = "/dreams/{filename}", tag = "memory",
    params(("filename" = String, Path), ("citizen" = Option<String>, Query)),
    responses((status = 200, body = DreamText), (status = 404)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(filename): Path<String>,
    params: Params,
) -> Result<Json<DreamText>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let content = app.keeper()?.dream_text(&citizen, &filename).await?;
    Ok(Json(DreamText { filename, content }))
}

/// Takes a dream out of the list. Its line stays in the ledger.
#[utoipa::path(delete, path = "/dreams/{filename}", tag = "memory",
    params(("filename" = String, Path), ("citizen" = Option<String>, Query), ("reason" = Option<String>, Query)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn forget(
    State(app): State<AppState>,
    caller: Caller,
    Path(filename): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let reason = bounded_reason(params.get("reason").map(str::to_owned))?;
    app.keeper()?.forget_dream(&citizen, &filename, reason, caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
