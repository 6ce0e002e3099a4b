//! The command line's calls to the running keeper of the same home. Loopback only: what goes out to the world goes
//! through `abide-http`.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpStream, task::JoinSet};

use super::{
    Context,
    failure::{Exit, Failure},
};
use crate::{auth::Token, presence::Presence};

/// Longest wait for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Longest wait for an answer that is due at once.
pub(crate) const ANSWER_MAX: Duration = Duration::from_mins(1);
/// Longest answer.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A caller of the running keeper.
#[derive(Debug)]
pub(crate) struct Client {
    presence: Presence,
    token: Option<Token>,
    home: std::path::PathBuf,
}

/// One question.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    method: Method,
    path: &'a str,
    body: Option<&'a Value>,
    key: Option<&'a str>,
    patience: Duration,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its status.
    pub(crate) status: StatusCode,
    /// Its JSON; null where it has none.
    pub(crate) body: Value,
}

/// A body that still arrives. Dropping it ends the connection.
#[derive(Debug)]
pub(crate) struct Flow {
    /// The body.
    pub(crate) body: Incoming,
    _connection: JoinSet<()>,
}

impl<'a> Call<'a> {
    /// Reads.
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, body: None, key: None, patience: ANSWER_MAX }
    }

    /// Writes.
    pub(crate) fn post(path: &'a str, body: &'a Value) -> Self {
        Self { method: Method::POST, body: Some(body), ..Self::get(path) }
    }

    /// Takes something away.
    pub(crate) fn delete(path: &'a str) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// Brings a body.
    #[must_use]
    pub(crate) fn with(self, body: &'a Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// Sends an idempotency key.
    #[must_use]
    pub(crate) fn keyed(self, key: &'a str) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Waits so long for the answer.
    #[must_use]
    pub(crate) fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl Client {
    /// The keeper of the context's home; whether it runs shows with the first call.
    pub(crate) fn find(context: &Context) -> Result<Self, Failure> {
        let home = context.home.root().to_owned();
        let presence = Presence::of(&context.home).ok_or_else(|| Failure::not_running(&home))?;
        let token = Token::load(&context.home).map_err(|error| Failure::from_error(&error))?;
        Ok(Self { presence, token, home })
    }

    /// What the keeper said about itself.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Asks and reads the answer, whatever its status.
    pub(crate) async fn ask(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let patience = call.patience;
        match tokio::time::timeout(patience, self.ask_at_length(call)).await {
            Ok(answer) => answer,
            Err(_) => {
                Err(Failure::new(format!("the keeper gave no answer for {} s", patience.as_secs())))
            }
        }
    }

    /// Asks, and takes any status but success as a failure.
    pub(crate) async fn fetch(&self, call: Call<'_>) -> Result<Value, Failure> {
        let answer = self.ask(call).await?;
        if answer.status.is_success() { Ok(answer.body) } else { Err(answer.into_failure()) }
    }

    /// Opens a stream of events after a sequence.
    pub(crate) async fn stream(&self, path: &str, after: Option<&str>) -> Result<Flow, Failure> {
        let mut request = self.request(&Call::get(path))?;
        request
            .headers_mut()
            .insert(header::ACCEPT, header::HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after.and_then(|after| after.parse().ok()) {
            request.headers_mut().insert("last-event-id", after);
        }
        let (response, connection) = self.send(request).await?;
        if response.status().is_success() {
            return Ok(Flow { body: response.into_body(), _connection: connection });
        }
        Err(read(response).await?.into_failure())
    }

    async fn ask_at_length(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let (response, _connection) = self.send(self.request(&call)?).await?;
        read(response).await
    }

    fn request(&self, call: &Call<'_>) -> Result<Request<Full<Bytes>>, Failure> {
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
        request
            .body(Full::new(Bytes::from(body.unwrap_or_default())))
            .map_err(|error| Failure::usage(format!("{} is no path", call.path)).because(&error))
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(http::Response<Incoming>, JoinSet<()>), Failure> {
        let connect = TcpStream::connect(self.presence.address);
        let Ok(Ok(stream)) = tokio::time::timeout(CONNECT_MAX, connect).await else {
            return Err(Failure::not_running(&self.home));
        };
        let lost = |error: hyper::Error| {
            Failure::new("the connection to the keeper broke off")
                .because(&error)
                .exiting(Exit::NotRunning)
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

async fn read(response: http::Response<Incoming>) -> Result<Answer, Failure> {
    let status = response.status();
    let body =
        Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await.map_err(|error| {
            Failure::new("the keeper's answer broke off").because(&*error).exiting(Exit::NotRunning)
        })?;
    let body = serde_json::from_slice(&body.to_bytes()).unwrap_or(Value::Null);
    Ok(Answer { status, body })
}

impl Answer {
    /// The answer as the failure that it reports.
    pub(crate) fn into_failure(self) -> Failure {
        let message = self.body.pointer("/error/message").and_then(Value::as_str);
        let message =
            message.map_or_else(|| format!("the keeper answered {}", self.status), str::to_owned);
        let failure = Failure::new(message);
        match self.status {
            StatusCode::UNAUTHORIZED => failure.hint(
                "the token in this home is not the keeper's; was it changed while the keeper ran? Restart the keeper",
            ),
            StatusCode::SERVICE_UNAVAILABLE => failure.exiting(Exit::Degraded),
            _ => failure,
        }
    }
}
