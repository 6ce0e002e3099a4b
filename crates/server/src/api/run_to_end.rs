//! A request that changes something runs to its end, even when its caller has left.
//!
//! The server drops a handler whose connection closes. One that has submitted an event and waits for the disk would then
//! free the key and the queue place of a stimulus that is on its way, and the caller who asks again with the same key would
//! get a second epoch. So each such handler is a task of its own; only its answer belongs to the connection. For the same reason
//! nobody has to wait while the disk hangs: the answer is then that nothing is known, and the handler goes on.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    app_state::{AppState, CHANGES_MAX},
    error::ApiError,
};
use crate::self_watch::sentences;

/// Between two looks at whether the keeper stands still.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Runs a handler that changes something as a task; beyond [`CHANGES_MAX`] of them it answers 503.
pub(crate) async fn run_to_end(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let Some(permit) = app.change_permit() else {
        return ApiError::unavailable(
            "busy",
            format!("{CHANGES_MAX} requests are being worked on; try again in a moment"),
        )
        .into_response();
    };
    let work = async move {
        let response = next.run(request).await;
        drop(permit);
        response
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "it ends by itself, and what it has submitted is synced when the ledger closes"
    )]
    let handler = tokio::spawn(work);
    tokio::select! {
        biased;
        ended = handler => match ended {
            Ok(response) => response,
            // It panicked; nothing ends it but the end of the program.
            Err(error) => ApiError::internal(&error).into_response(),
        },
        why = standstill(&app) => {
            let message = format!(
                "{why}: whether this request takes effect is unknown; ask again with the same Idempotency-Key once \
                 /health is ok"
            );
            ApiError::unavailable("standstill", message).into_response()
        }
    }
}

/// Waits until a part of the keeper stands still, and says which.
async fn standstill(app: &AppState) -> String {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let standing = app.standing_own_parts();
        if !standing.is_empty() {
            return sentences(&standing);
        }
    }
}
