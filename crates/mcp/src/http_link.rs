//! What a message to a remote server goes through: its token, its headers, its redirects, and what the head of the answer means.
//!
//! Nothing is sent twice by itself. A redirect within the server's own origin moves the message on; one that leads elsewhere ends it.

use std::{
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{text::shortened, visible_line};
use abide_http::{Client, Error as HttpError, Request, RequestLimits, Response, Secret};
use http::{
    HeaderName, Method, StatusCode,
    header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    access_tokens::{AccessTokenError, AccessTokens, LoginNeed},
    http_headers::{
        LAST_EVENT_ID, PROTOCOL_VERSION, ParamHeaders, SESSION_ID, message_headers, version_of,
    },
    limits::{
        ANSWER_LIFE_MAX, ERROR_BODY_BYTES_MAX, ERROR_CHARS_MAX, GOODBYE_LIMIT, LISTEN_IDLE_LIMIT,
        OUTGOING_BYTES_MAX, REDIRECTS_MAX, SESSION_ID_BYTES_MAX,
    },
    reach::shown_address,
    sse_messages::StreamPosition,
};

/// Both forms of an answer.
const ANSWER_TYPES: &str = "application/json, text/event-stream";
/// Codes with which servers answer a message of a session that they do not know.
const SESSION_ERRORS: [i64; 3] = [-32_000, -32_001, -32_600];
/// The form of a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// What everything that goes to one remote server shares.
#[derive(Clone, Debug)]
pub(crate) struct RemoteAccess {
    pub(crate) http: Client,
    pub(crate) tokens: Arc<dyn AccessTokens>,
    /// Headers of the configuration.
    pub(crate) headers: Vec<(HeaderName, Secret)>,
    /// Whether somebody has to log in first.
    pub(crate) login: Arc<LoginNeed>,
}

/// One session with a remote server.
pub(crate) struct HttpLink {
    access: RemoteAccess,
    /// Where messages go, after redirects.
    address: Mutex<Url>,
    session: Mutex<HttpSession>,
    pub(crate) params: ParamHeaders,
    /// Cancelled where the server no longer knows the session.
    pub(crate) closed: CancellationToken,
}

impl fmt::Debug for HttpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpLink")
            .field("address", &shown_address(self.address().as_str()))
            .finish_non_exhaustive()
    }
}

/// What the server said at the handshake.
#[derive(Clone, Debug, Default)]
struct HttpSession {
    /// Whoever knows it can speak as this client.
    id: Option<Secret>,
    version: Option<String>,
}

/// Says what is known about a message without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswerError {
    /// It was not sent, or certainly not taken.
    #[error("{0}")]
    NotSent(String),
    /// It was sent.
    #[error("{0}")]
    Lost(String),
    /// The server refused it.
    #[error("HTTP {status}: {words}")]
    Refused {
        /// The status.
        status: u16,
        /// What else it says.
        words: String,
    },
    /// The server answered, and the answer cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// What comes back for a message.
#[derive(Debug)]
pub(crate) enum Posted {
    /// An answer whose body is still to be read.
    Answer(Response),
    /// An error of the protocol.
    Error(Value),
}

/// What comes of the wish to read a stream.
#[derive(Debug)]
pub(crate) enum OpenedStream {
    /// It is open.
    Open(Box<Response>),
    /// The server has none, or none any more.
    NotOffered {
        /// Whether that can mean that it does not know the session. Some answer so to everything but a POST.
        may_have_forgotten: bool,
    },
    /// It could not be opened now.
    Failed,
}

impl HttpLink {
    pub(crate) fn new(access: RemoteAccess, address: Url, closed: CancellationToken) -> Self {
        Self {
            access,
            address: Mutex::new(address),
            session: Mutex::default(),
            params: ParamHeaders::default(),
            closed,
        }
    }

    fn session(&self) -> MutexGuard<'_, HttpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(&self) -> Url {
        self.address.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes which version both sides speak from now on.
    pub(crate) fn note_version(&self, version: &str) {
        self.session().version = Some(version.to_owned());
    }

    /// Whether a login is waited for.
    pub(crate) fn needs_login(&self) -> bool {
        self.access.login.reason().is_some()
    }

    /// Waits until there may be another token.
    pub(crate) async fn token_changed(&self) {
        self.access.tokens.changed().await;
    }

    /// Looks whether there is a token again after one was refused: one that ran out may have been renewed.
    pub(crate) async fn look_for_token(&self) {
        if let Ok(Some(token)) = self.access.tokens.token().await {
            self.access.login.note_token(&token);
        }
    }

    /// Sends a message, once, and reads the head of the answer.
    pub(crate) async fn post(
        &self,
        message: &Value,
        limit: Duration,
    ) -> Result<Posted, NoAnswerError> {
        let body = message.to_string();
        if body.len() > OUTGOING_BYTES_MAX {
            return Err(NoAnswerError::NotSent(format!(
                "a message of {} bytes is longer than {OUTGOING_BYTES_MAX}",
                body.len()
            )));
        }
        let is_initialize = message.get("method").and_then(Value::as_str) == Some("initialize");
        if let Some(version) = version_of(message) {
            self.note_version(version);
        }
        for _ in 0..=REDIRECTS_MAX {
            let token = self.token().await?;
            let address = self.address();
            let mut request = Request::post_json(String::from(address.clone()), body.clone());
            let version = self.session().version.clone();
            if let Some(version) = version {
                for (name, value) in message_headers(message, &version, &self.params) {
                    // They were made of characters that may stand there.
                    request = request.header(name, value.to_str().unwrap_or_default());
                }
            }
            let request = self.with_access(request.accept(ANSWER_TYPES), token.as_ref());
            let answer = self.access.http.send(request.limits(limits(limit, limit))).await;
            let response = answer.map_err(|error| no_answer(&error))?;
            if let Some(next) = own_redirect(&response, &address)? {
                *self.address.lock().unwrap_or_else(PoisonError::into_inner) = next;
                continue;
            }
            if is_initialize && response.status().is_success() {
                self.note_session(&response)?;
            }
            return self.judge(response, token.as_ref(), !is_initialize).await;
        }
        Err(NoAnswerError::Refused {
            status: StatusCode::TEMPORARY_REDIRECT.as_u16(),
            words: format!("the server redirects more than {REDIRECTS_MAX} times"),
        })
    }

    async fn token(&self) -> Result<Option<Secret>, NoAnswerError> {
        self.access.tokens.token().await.map_err(|error| {
            if matches!(error, AccessTokenError::LoginNeeded { .. }) {
                self.access.login.note(&error.to_string(), None);
            }
            NoAnswerError::NotSent(format!("nothing was sent: {error}"))
        })
    }

    fn with_access(&self, mut request: Request, token: Option<&Secret>) -> Request {
        for (name, value) in &self.access.headers {
            request = request.secret_header(name.clone(), "", value);
        }
        if let Some(token) = token {
            request = request.secret_header(AUTHORIZATION, "Bearer ", token);
        }
        match self.session().id.as_ref() {
            Some(id) => request.secret_header(SESSION_ID, "", id),
            None => request,
        }
    }

    fn note_session(&self, response: &Response) -> Result<(), NoAnswerError> {
        let Some(id) = response.headers().get(SESSION_ID) else { return Ok(()) };
        let id = id.to_str().ok().filter(|id| {
            id.len() <= SESSION_ID_BYTES_MAX && id.bytes().all(|b| (0x21..=0x7e).contains(&b))
        });
        let Some(id) = id else {
            let reason = "the server gives its session a name that cannot be sent back";
            return Err(NoAnswerError::Unreadable(reason.to_owned()));
        };
        self.session().id = Some(Secret::verbatim(id));
        Ok(())
    }

    async fn judge(
        &self,
        response: Response,
        token: Option<&Secret>,
        is_in_session: bool,
    ) -> Result<Posted, NoAnswerError> {
        let status = response.status();
        if status.is_success() {
            return Ok(Posted::Answer(response));
        }
        if let Some(reason) = self.login_reason(&response, token) {
            self.access.login.note(&reason, token);
            return Err(NoAnswerError::NotSent(format!("{reason}; the request was not run")));
        }
        let body = self.redacted(&response.excerpt(ERROR_BODY_BYTES_MAX).await, token);
        if is_in_session && self.is_session_lost(status, &body) {
            self.closed.cancel();
            let reason = "the server no longer knows the session; a new one begins";
            return Err(NoAnswerError::Lost(reason.to_owned()));
        }
        let error = serde_json::from_str::<Value>(&body).ok();
        if let Some(error) = error.filter(|error| error.get("error").is_some_and(Value::is_object))
        {
            return Ok(Posted::Error(error));
        }
        let words = shortened(&visible_line(body.trim()), ERROR_CHARS_MAX);
        if status.is_server_error() {
            return Err(NoAnswerError::Lost(format!("the server answered with HTTP {status}")));
        }
        Err(NoAnswerError::Refused { status: status.as_u16(), words })
    }

    /// A text of the server, which may repeat what it was shown.
    fn redacted(&self, text: &str, token: Option<&Secret>) -> String {
        let session = self.session().id.clone();
        let secrets = self.access.headers.iter().map(|(_, secret)| secret);
        let secrets = secrets.chain(token).chain(session.as_ref());
        secrets.fold(text.to_owned(), |text, secret| secret.redact(&text))
    }

    /// Why a person has to log in, where that is what the server says.
    fn login_reason(&self, response: &Response, token: Option<&Secret>) -> Option<String> {
        if response.status() == StatusCode::UNAUTHORIZED {
            self.access.tokens.refused(token);
            let what = if token.is_some() { "did not accept the token" } else { "wants a token" };
            return Some(format!("a login is needed: the server {what} (HTTP 401)"));
        }
        let challenge = response.headers().get(WWW_AUTHENTICATE)?.to_str().ok()?;
        let lacks_scope =
            response.status() == StatusCode::FORBIDDEN && challenge.contains("insufficient_scope");
        lacks_scope.then(|| {
            "a login is needed: the server wants more rights than this login has (HTTP 403)"
                .to_owned()
        })
    }

    /// Whether the server says that it does not know the session. Some say so with 400 instead of 404.
    fn is_session_lost(&self, status: StatusCode, body: &str) -> bool {
        self.session().id.is_some()
            && (status == StatusCode::NOT_FOUND
                || status == StatusCode::BAD_REQUEST && names_session(body))
    }

    /// Opens the stream on which the server speaks unasked, or reads one on that was cut.
    pub(crate) async fn open_stream(&self, after: &StreamPosition) -> OpenedStream {
        let Ok(token) = self.token().await else { return OpenedStream::Failed };
        let mut request = Request::get(String::from(self.address())).accept(EVENT_STREAM);
        let version = self.session().version.clone();
        if let Some(version) = version {
            request = request.header(PROTOCOL_VERSION, &version);
        }
        if let Some(id) = &after.event_id {
            request = request.header(LAST_EVENT_ID, id);
        }
        let request = self.with_access(request, token.as_ref());
        let request = request.limits(limits(ANSWER_LIFE_MAX, LISTEN_IDLE_LIMIT));
        let Ok(response) = self.access.http.send(request).await else {
            return OpenedStream::Failed;
        };
        let status = response.status();
        if status.is_success() {
            if response.is_of_type(EVENT_STREAM) {
                return OpenedStream::Open(Box::new(response));
            }
            return OpenedStream::NotOffered { may_have_forgotten: false };
        }
        if let Some(reason) = self.login_reason(&response, token.as_ref()) {
            self.access.login.note(&reason, token.as_ref());
            return OpenedStream::Failed;
        }
        if status.is_server_error() {
            return OpenedStream::Failed;
        }
        let body = response.excerpt(ERROR_BODY_BYTES_MAX).await;
        OpenedStream::NotOffered { may_have_forgotten: self.is_session_lost(status, &body) }
    }

    /// Tells the server that the session is over, where it has one; says how that went.
    pub(crate) async fn say_goodbye(&self) -> String {
        let session = mem::take(&mut *self.session());
        let Some(id) = session.id else { return "its session is over".to_owned() };
        let Ok(token) = self.access.tokens.token().await else {
            return "its session is left to it".to_owned();
        };
        let request = Request::new(Method::DELETE, String::from(self.address()));
        let request = self.with_access(request, token.as_ref()).secret_header(SESSION_ID, "", &id);
        let request = match &session.version {
            Some(version) => request.header(PROTOCOL_VERSION, version),
            None => request,
        };
        let request = request.limits(limits(GOODBYE_LIMIT, GOODBYE_LIMIT));
        match self.access.http.send(request).await {
            Ok(response) if response.status().is_success() => "its session is over".to_owned(),
            _ => "its session is left to it".to_owned(),
        }
    }
}

/// Where a redirect leads within the origin of the server.
fn own_redirect(response: &Response, address: &Url) -> Result<Option<Url>, NoAnswerError> {
    let status = response.status();
    if !status.is_redirection() {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let next = location.and_then(|location| address.join(location).ok());
    let keeps_method =
        matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    match next {
        Some(next) if keeps_method && next.origin() == address.origin() => Ok(Some(next)),
        next => {
            let to = next.map_or_else(
                || "nowhere".to_owned(),
                |next| format!("to {}", shown_address(next.as_str())),
            );
            let words =
                format!("the server redirects {to}, which is not followed; use its own address");
            Err(NoAnswerError::Refused { status: status.as_u16(), words })
        }
    }
}

/// Whether an error is about the session, not about what was asked in it.
fn names_session(body: &str) -> bool {
    let said = serde_json::from_str::<Value>(body).unwrap_or_default();
    let words = match said.get("error") {
        None => Some(body),
        Some(error) => {
            let code = error.get("code").and_then(Value::as_i64);
            let is_of_transport = code.is_some_and(|code| SESSION_ERRORS.contains(&code));
            error.get("message").and_then(Value::as_str).filter(|_| is_of_transport)
        }
    };
    words.is_some_and(|words| words.to_ascii_lowercase().contains("session"))
}

/// The bounds of one answer. Its size is bounded where it is read.
fn limits(total: Duration, idle: Duration) -> RequestLimits {
    RequestLimits { total, first_byte: total, idle, body_bytes_max: u64::MAX, redirects_max: 0 }
}

/// What is known after a request without an answer.
fn no_answer(error: &HttpError) -> NoAnswerError {
    let was_kept = error.is_connect_failure()
        || matches!(
            error,
            HttpError::InvalidRequest { .. }
                | HttpError::AddressRefused { .. }
                | HttpError::Setup { .. }
        );
    if was_kept {
        return NoAnswerError::NotSent(format!("nothing was sent: {}", error.chain()));
    }
    NoAnswerError::Lost(format!("the connection broke before the answer: {}", error.chain()))
}

#[cfg(test)]
mod tests {
    use super::names_session;

    #[test]
    fn an_error_about_the_session_differs_from_one_about_an_argument() {
        let error = |code: i32, message: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}},"id":null}}"#
            )
        };
        assert!(names_session(&error(-32000, "Bad Request: No valid session ID provided")));
        assert!(names_session(&error(-32001, "Session not found")));
        assert!(names_session("Invalid or expired session"));
        assert!(!names_session(&error(-32602, "the argument session_id is missing")));
        assert!(!names_session(&error(-32000, "Bad Request: Invalid JSON")));
        assert!(!names_session("Bad Request"));
    }
}
