//! `/config`: the values in force, where each comes from, and how it is changed. Read only: a file is changed where the home is.
//!
//! The values that were read at the start are shown, for they are in force; a file that was changed since counts from the
//! next start. Servers of `[[mcp]]` are those that were taken in last.

use axum::{Json, extract::State};

use super::{app_state::AppState, config_view::ConfigView, error::ApiError};

/// The values in force since the start, each with its source and with how it is changed; never a secret.
#[utoipa::path(get, path = "/config", tag = "keeper", responses((status = 200, body = ConfigView), (status = 503)))]
pub(crate) async fn show(State(app): State<AppState>) -> Result<Json<ConfigView>, ApiError> {
    let loading =
        || ApiError::unavailable("loading", "the keeper is still starting; try again in a moment");
    app.config().map(|config| Json(ConfigView::clone(&config))).ok_or_else(loading)
}
