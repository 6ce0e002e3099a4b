//! `/management/reset`: ends an agent's short-term memory. Nothing is deleted.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    error::ApiError,
    front::{Front, person},
    input::Body,
};

/// Whose window ends, and how.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// Ends the open epoch instead of waiting for its end.
    #[serde(default)]
    force: bool,
}

/// A reset that is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResetView {
    /// Where it stands in the ledger.
    seq: u64,
    /// The segment that was sealed.
    sealed_segment: u64,
    /// How many epochs left the window.
    epochs: u64,
}

/// Ends the short-term window and seals the segment; after the open epoch, or at once with `force`.
#[utoipa::path(post, path = "/management/reset", tag = "memory", request_body = ResetBody,
    responses((status = 200, body = ResetView)))]
pub(crate) async fn reset(
    State(front): State<Front>,
    body: Body,
) -> Result<Json<ResetView>, ApiError> {
    let ResetBody { citizen, force } = body.parse()?;
    let citizen = front.citizen(citizen.as_deref())?;
    let done = front.keeper()?.reset(&citizen, force, person()).await?;
    Ok(Json(ResetView { seq: done.seq, sealed_segment: done.sealed_segment, epochs: done.epochs }))
}
