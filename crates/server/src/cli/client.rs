//! The command line's calls to the running keeper of the same home folder, over `api.sock` in it: a token is never sent to a
//! port, which anybody may hold once a keeper has died. Requests to other machines go through `abide-http`.

use std::{io::ErrorKind, time::Duration};

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{
    context::Context,
    error::{CliError, Exit},
};
use crate::{auth::Token, local_socket, presence::Presence};

/// The variable that holds a token other than the home's own.
const TOKEN_VARIABLE: &str = "ABIDE_TOKEN";
/// Longest wait for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Longest wait for an answer that is due at once.
pub(crate) const ANSWER_MAX: Duration = Duration::from_mins(1);
/// Longest answer.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Calls the running keeper.
#[derive(Debug)]
pub(crate) struct Client {
    presence: Presence,
    token: Option<Token>,
    home: std::path::PathBuf,
}

#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    method: Method,
    path: &'a str,
    body: Option<&'a Value>,
    key: Option<&'a str>,
    timeout: Duration,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Its JSON; a text where it is none, null where it is empty.
    pub(crate) body: Value,
}

/// A body of events that is still arriving. Dropping it ends the connection.
#[derive(Debug)]
pub(crate) struct EventBody {
    pub(crate) body: Incoming,
    _connection: JoinSet<()>,
}

impl<'a> Call<'a> {
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, body: None, key: None, timeout: ANSWER_MAX }
    }

    pub(crate) fn post(path: &'a str, body: &'a Value) -> Self {
        Self { method: Method::POST, body: Some(body), ..Self::get(path) }
    }

    pub(crate) fn put(path: &'a str, body: &'a Value) -> Self {
        Self { method: Method::PUT, ..Self::post(path, body) }
    }

    pub(crate) fn delete(path: &'a str) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    #[must_use]
    pub(crate) fn with_body(self, body: &'a Value) -> Self {
        Self { body: Some(body), ..self }
    }

    #[must_use]
    pub(crate) fn with_idempotency_key(self, key: &'a str) -> Self {
        Self { key: Some(key), ..self }
    }

    #[must_use]
    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

impl Client {
    /// The keeper of the context's home folder; the first call shows whether it is running.
    pub(crate) fn find(context: &Context) -> Result<Self, CliError> {
        let home = context.home.root().to_owned();
        let presence = Presence::of(&context.home).ok_or_else(|| CliError::not_running(&home))?;
        let token = match context.environment.get(TOKEN_VARIABLE) {
            None => Token::load(&context.home)?,
            Some(text) => Some(Token::from_text(text).ok_or_else(|| {
                CliError::usage(format!("the variable {TOKEN_VARIABLE} does not hold a token"))
            })?),
        };
        Ok(Self { presence, token, home })
    }

    /// What the keeper's presence file says.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Sends a request and reads the answer, whatever its status.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Answer, CliError> {
        let timeout = call.timeout;
        match tokio::time::timeout(timeout, self.call_untimed(call)).await {
            Ok(answer) => answer,
            Err(_) => Err(CliError::new(format!(
                "the keeper did not answer within {} s",
                timeout.as_secs()
            ))
            .hint("`abide doctor` says what is wrong with it")
            .with_exit(Exit::Degraded)),
        }
    }

    /// Sends a request; any status but success is an error.
    pub(crate) async fn fetch(&self, call: Call<'_>) -> Result<Value, CliError> {
        let answer = self.call(call).await?;
        if answer.status.is_success() { Ok(answer.body) } else { Err(answer.into_error()) }
    }

    /// Opens a stream of events after a sequence.
    pub(crate) async fn stream(
        &self,
        path: &str,
        after: Option<&str>,
    ) -> Result<EventBody, CliError> {
        let mut request = self.request(&Call::get(path))?;
        request
            .headers_mut()
            .insert(header::ACCEPT, header::HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after.and_then(|after| after.parse().ok()) {
            request.headers_mut().insert("last-event-id", after);
        }
        let (response, connection) = self.send(request).await?;
        if response.status().is_success() {
            return Ok(EventBody { body: response.into_body(), _connection: connection });
        }
        Err(read(response).await?.into_error())
    }

    async fn call_untimed(&self, call: Call<'_>) -> Result<Answer, CliError> {
        let (response, _connection) = self.send(self.request(&call)?).await?;
        read(response).await
    }

    fn request(&self, call: &Call<'_>) -> Result<Request<Full<Bytes>>, CliError> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(call.path)
            .header(header::HOST, self.presence.address.to_string())
            .header(header::ACCEPT, "application/json");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", token.expose()));
        }
        if let Some(key) = call.key {
            request = request.header("idempotency-key", key);
        }
        let body = call.body.map(ToString::to_string);
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        request.body(Full::new(Bytes::from(body.unwrap_or_default()))).map_err(|error| {
            CliError::usage(format!("{} is not a valid path", call.path)).caused_by(&error)
        })
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(http::Response<Incoming>, JoinSet<()>), CliError> {
        let connect = local_socket::connect(&self.home);
        let stream = match tokio::time::timeout(CONNECT_MAX, connect).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(CliError::new("the keeper of this home folder cannot be called")
                    .caused_by(&error)
                    .with_exit(Exit::NotRunning));
            }
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound && self.presence.is_running() => {
                return Err(CliError::new(
                    "the keeper of this home folder has no api.sock, by which commands reach it",
                )
                .hint("restart the keeper; its log says why where it cannot make one")
                .with_exit(Exit::NotRunning));
            }
            Ok(Err(_)) | Err(_) => return Err(CliError::not_running(&self.home)),
        };
        let lost = |error: hyper::Error| {
            CliError::new("the connection to the keeper was lost")
                .caused_by(&error)
                .with_exit(Exit::NotRunning)
        };
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
        let mut connections = JoinSet::new();
        connections.spawn(async move {
            // An error of the connection reaches the request or the body that waits for it.
            drop(connection.await);
        });
        let response = sender.send_request(request).await.map_err(lost)?;
        Ok((response, connections))
    }
}

async fn read(response: http::Response<Incoming>) -> Result<Answer, CliError> {
    let status = response.status();
    let body =
        Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await.map_err(|error| {
            CliError::new("the connection to the keeper was lost during its answer")
                .caused_by(&*error)
                .with_exit(Exit::NotRunning)
        })?;
    let bytes = body.to_bytes();
    let as_text = || match std::str::from_utf8(&bytes) {
        Ok(text) if !text.is_empty() => Value::String(text.to_owned()),
        _ => Value::Null,
    };
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| as_text());
    Ok(Answer { status, body })
}

impl Answer {
    /// The answer as the error that it reports.
    pub(crate) fn into_error(self) -> CliError {
        let message = self.body.pointer("/error/message").and_then(Value::as_str);
        let message =
            message.map_or_else(|| format!("the keeper answered {}", self.status), str::to_owned);
        let error = CliError::new(message);
        match self.status {
            StatusCode::UNAUTHORIZED => error.hint(
                "the token in this home folder, or in ABIDE_TOKEN, is not one that the keeper knows; if the file was changed while the keeper was running, restart the keeper",
            ),
            // What was asked for cannot be meant, such as a limit of 0 or no agent among several.
            StatusCode::BAD_REQUEST => error.with_exit(Exit::Usage),
            StatusCode::SERVICE_UNAVAILABLE => error.with_exit(Exit::Degraded),
            _ => error,
        }
    }
}
