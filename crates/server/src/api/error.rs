//! Errors as responses: one shape, one place that chooses the status.
//!
//! `{"error": {"code", "message", "details"?, "epoch_id"?}}`. A message says what could not be done and why, in words
//! that may be shown to every caller; causes that name files go to the log.

use std::time::Duration;

use abide_domain::{
    envelope::{EnvelopeError, Violation},
    evidence::EvidenceError,
};
use abide_engine::{
    keeper::{AcceptError, GraphError, OrderError},
    run_epoch::DecideError,
    sleep::SleepError,
};
use abide_memory::GraphLineError;
use abide_supervisor::ProcessCommandError;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::decks::view::DeckConflictView;

/// A refusal or failure, ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    body: ErrorView,
    retry_after_s: Option<u64>,
}

/// The body of every answer that is no success.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    error: ErrorView,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ErrorView {
    /// For programs.
    code: &'static str,
    /// For people.
    message: String,
    /// Each broken rule, where several may be broken at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
    /// The epoch that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch_id: Option<String>,
    /// What else a program can go by.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Box<ErrorDetailView>>,
}

/// What a program can go by.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ErrorDetailView {
    /// Lines of a deck's proposal or edit that do not fit any more.
    conflicts: Vec<DeckConflictView>,
}

/// One broken rule.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Detail {
    /// Where in the body.
    path: String,
    /// Which kind.
    code: String,
    /// What is wrong and what would be right.
    message: String,
}

/// Seconds after which a caller may try again when a queue is full.
const QUEUE_RETRY_S: u64 = 5;
/// Seconds after which a caller may try again when the keeper is not ready.
const READY_RETRY_S: u64 = 1;

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let (message, details) = (message.into(), Vec::new());
        let body = ErrorView { code, message, details, epoch_id: None, detail: None };
        Self { status, body, retry_after_s: None }
    }

    /// 400: the request cannot be read.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", message)
    }

    /// 400: a part of the body cannot be what it is.
    pub(crate) fn malformed_at(path: &str, code: &str, message: &str) -> Self {
        Self::at(Self::malformed, (path, code, message))
    }

    /// 422: a part of the body breaks a rule.
    pub(crate) fn invalid_at(path: &str, code: &str, message: &str) -> Self {
        Self::at(Self::invalid, (path, code, message))
    }

    fn at(make: fn(String) -> Self, (path, code, message): (&str, &str, &str)) -> Self {
        let path = if path.is_empty() { "(body)" } else { path };
        let mut error = make(format!("{path}: {message}"));
        let (path, code, message) = (path.into(), code.into(), message.into());
        error.body.details.push(Detail { path, code, message });
        error
    }

    /// 429: too many tokens or codes of this caller were wrong.
    pub(crate) fn too_many_failures(wait: Duration) -> Self {
        let message = "too many wrong tokens or codes came from this address; the right one is taken at any time";
        let mut error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_failures", message);
        error.retry_after_s = Some(wait.as_secs().max(1));
        error
    }

    /// 401: no token, or a wrong one.
    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// 403: not allowed.
    pub(crate) fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// 404: there is no such thing.
    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        let id: String = id.chars().take(64).collect();
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no {what} `{id}`"))
    }

    /// 404, with another message.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// 404: there is no such route.
    pub(crate) fn no_route() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_route",
            "there is no such route; /openapi.json lists all routes",
        )
    }

    /// 405: the route has other methods.
    pub(crate) fn no_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "no_method",
            "this route does not support this method; /openapi.json lists all routes",
        )
    }

    /// 429: it is done too often.
    pub(crate) fn too_often(message: impl Into<String>, retry_after_s: u64) -> Self {
        let retry_after_s = Some(retry_after_s);
        Self { retry_after_s, ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_often", message) }
    }

    /// 409: it conflicts with the present state.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// 409: lines of a deck do not fit any more.
    pub(crate) fn deck_conflict(
        code: &'static str,
        message: impl Into<String>,
        conflicts: Vec<DeckConflictView>,
    ) -> Self {
        let mut error = Self::conflict(code, message);
        let detail = |conflict: &DeckConflictView| Detail {
            path: format!("ops[{}]", conflict.id),
            code: "stale".to_owned(),
            message: conflict.cause.clone(),
        };
        error.body.details = conflicts.iter().map(detail).collect();
        error.body.detail = Some(Box::new(ErrorDetailView { conflicts }));
        error
    }

    /// 413: the body is too long.
    pub(crate) fn too_large(bytes_max: usize) -> Self {
        let message = format!("the body is longer than {bytes_max} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// 415: a body that is no JSON. Forms are what another page could send.
    pub(crate) fn not_json_type() -> Self {
        let message = "the body must be sent as application/json; forms and plain text are refused";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    /// 421: meant for another host.
    pub(crate) fn misdirected() -> Self {
        let message = "the Host header names another host; use localhost or the address on which the keeper listens";
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", message)
    }

    /// 422: it can be read and breaks a rule.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    /// 422: lines of a graph break rules; none of them was recorded.
    pub(crate) fn invalid_graph(problems: &[GraphLineError]) -> Self {
        let detail = |problem: &GraphLineError| Detail {
            path: format!("line {}{}", problem.line, problem.path),
            code: "graph".to_owned(),
            message: problem.message.clone(),
        };
        let details: Vec<_> = problems.iter().map(detail).collect();
        let problems: Vec<_> =
            details.iter().map(|d| format!("{}: {}", d.path, d.message)).collect();
        let mut error = Self::invalid(format!(
            "the graph is invalid, nothing of it was recorded: {}",
            problems.join("; ")
        ));
        error.body.details = details;
        error
    }

    /// 503: not now.
    pub(crate) fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        let retry_after_s = Some(READY_RETRY_S);
        Self { retry_after_s, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message) }
    }

    /// 503: not now, and not before some time has passed.
    pub(crate) fn unavailable_for(
        code: &'static str,
        message: impl Into<String>,
        wait: Duration,
    ) -> Self {
        let retry_after_s = Some(wait.as_secs().max(READY_RETRY_S));
        Self { retry_after_s, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message) }
    }

    /// 500: a defect, or a disk that cannot be read. The causes are logged, once, here.
    pub(crate) fn internal(error: &dyn std::error::Error) -> Self {
        let mut causes = String::new();
        let mut cause = error.source();
        while let Some(source) = cause {
            causes.push_str(": ");
            causes.push_str(&source.to_string());
            cause = source.source();
        }
        tracing::error!(event = "request_failed", error = %error, causes, "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    }

    fn about(mut self, epoch: String) -> Self {
        self.body.epoch_id = Some(epoch);
        self
    }

    /// The body, for answers that have more to say.
    pub(crate) fn view(&self) -> &ErrorView {
        &self.body
    }

    /// 503: the keeper stops while the caller waits; the epoch is durable and goes on at the next start.
    pub(crate) fn stopping(epoch: &str) -> Self {
        let message =
            "the keeper is stopping; the stimulus is recorded and is answered after the next start";
        Self::unavailable("stopping", message).about(epoch.to_owned())
    }

    /// 504: the epoch goes on, the caller waited long enough.
    pub(crate) fn still_open(epoch: &str) -> Self {
        let message =
            "the epoch has not ended yet and goes on; read its result later from /epochs/{id}";
        Self::new(StatusCode::GATEWAY_TIMEOUT, "still_open", message).about(epoch.to_owned())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response =
            (self.status, axum::Json(ErrorBody { error: self.body })).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<EnvelopeError> for ApiError {
    fn from(invalid: EnvelopeError) -> Self {
        let message = invalid.to_string();
        let detail =
            |v: Violation| Detail { path: v.path, code: v.code.into(), message: v.message };
        let details = invalid.violations.into_iter().map(detail).collect();
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_envelope", message);
        error.body.details = details;
        error
    }
}

impl From<EvidenceError> for ApiError {
    fn from(invalid: EvidenceError) -> Self {
        let mut error =
            Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_evidence", invalid.to_string());
        let detail =
            |v: Violation| Detail { path: v.path, code: v.code.into(), message: v.message };
        error.body.details = invalid.violations.into_iter().map(detail).collect();
        error
    }
}

impl From<AcceptError> for ApiError {
    fn from(error: AcceptError) -> Self {
        let message = error.to_string();
        match &error {
            AcceptError::QueueFull { .. } => Self {
                retry_after_s: Some(QUEUE_RETRY_S),
                ..Self::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", message)
            },
            AcceptError::Busy(_) => Self::new(StatusCode::LOCKED, "busy", message),
            AcceptError::KeyReused { epoch } => {
                Self::conflict("key_reused", message).about(epoch.to_string())
            }
            AcceptError::Stopping => Self::unavailable("stopping", message),
            AcceptError::Ledger(source) => ledger_unavailable(&message, source),
            AcceptError::Failpoint(_) => Self::internal(&error),
        }
    }
}

impl From<OrderError> for ApiError {
    fn from(error: OrderError) -> Self {
        let message = error.to_string();
        match &error {
            OrderError::NotFound { .. } => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            OrderError::Ended(epoch) => Self::conflict("ended", message).about(epoch.to_string()),
            OrderError::NothingWaits(epoch) => {
                Self::conflict("nothing_waits", message).about(epoch.to_string())
            }
            OrderError::Invalid(_) => Self::invalid(message),
            OrderError::Unreadable(_) => Self::internal(&error),
            OrderError::Ledger(source) => ledger_unavailable(&message, source),
            OrderError::Stopping => Self::unavailable("stopping", message),
        }
    }
}

impl From<abide_engine::ConsoleError> for ApiError {
    fn from(error: abide_engine::ConsoleError) -> Self {
        let message = error.to_string();
        match &error {
            // The text alone, as the specification has it.
            abide_engine::ConsoleError::Refused(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "command", message)
            }
            abide_engine::ConsoleError::TooOften { retry_after_s, .. } => {
                Self::too_often(message, *retry_after_s)
            }
            abide_engine::ConsoleError::Ledger(source) => ledger_unavailable(&message, source),
            abide_engine::ConsoleError::Unreadable(_) => Self::internal(&error),
        }
    }
}

impl From<GraphError> for ApiError {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Invalid { problems } => Self::invalid_graph(&problems),
            GraphError::Order(error) => error.into(),
        }
    }
}

impl From<DecideError> for ApiError {
    fn from(error: DecideError) -> Self {
        let message = error.to_string();
        match error {
            DecideError::NotFound => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            DecideError::AlreadyDecided => Self::conflict("already_decided", message),
            DecideError::Unavailable => Self::unavailable("unavailable", message),
        }
    }
}

impl From<SleepError> for ApiError {
    fn from(refused: SleepError) -> Self {
        let message = refused.to_string();
        match &refused {
            SleepError::NoAgent(agent) => Self::not_found("agent", agent.as_str()),
            SleepError::Nothing | SleepError::Asleep | SleepError::Begun(_) => {
                Self::conflict("asleep", message)
            }
            SleepError::Unavailable => Self::unavailable("unavailable", message),
        }
    }
}

fn ledger_unavailable(message: &str, source: &dyn std::error::Error) -> ApiError {
    tracing::error!(event = "ledger_write_failed", error = %source, "{message}");
    ApiError::unavailable("ledger", format!("{message}: {source}"))
}

impl From<ProcessCommandError> for ApiError {
    fn from(error: ProcessCommandError) -> Self {
        let message = error.to_string();
        match error {
            ProcessCommandError::UnknownAgent { agent } => Self::not_found("agent", &agent),
            ProcessCommandError::UnknownCheckpoint { id } => {
                Self::not_found("checkpoint", &id.to_string())
            }
            ProcessCommandError::Conflict { .. } => Self::conflict("process", message),
            ProcessCommandError::TimedOut { .. } => {
                Self::new(StatusCode::GATEWAY_TIMEOUT, "timed_out", message)
            }
            ProcessCommandError::Failed { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
            }
            ProcessCommandError::Stopping => Self::unavailable("stopping", message),
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_engine::ConsoleError;
    use abide_ledger::AppendError;
    use http::StatusCode;

    use super::ApiError;

    #[test]
    fn a_mistake_in_commands_is_sent_unchanged_and_a_failing_ledger_is_503() {
        let text = r"ERROR: No content to write. Usage: \stdout write: message ---";
        let mistake = ApiError::from(ConsoleError::Refused(text.into()));
        assert_eq!(mistake.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!((mistake.body.code, mistake.body.message.as_str()), ("command", text));
        let ledger = ApiError::from(ConsoleError::Ledger(AppendError::Closed));
        assert_eq!((ledger.status, ledger.body.code), (StatusCode::SERVICE_UNAVAILABLE, "ledger"));
        let blind = ApiError::from(ConsoleError::Unreadable("no such disk".into()));
        assert_eq!(blind.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
