//! One request to a server, once: its limits, its end where the server ends, and what is known where it has no answer.
//!
//! Nothing here is ever sent again. A request whose caller stops waiting tells the server so, and the session lives on.

use std::time::Duration;

use abide_domain::{text::shortened, visible};
use abide_tools::CallProgress;
use futures_util::FutureExt as _;
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientRequest, CustomResult,
        ProgressToken, RequestId, ServerResult,
    },
    service::PeerRequestOptions,
};
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use crate::{
    handler::ProgressSigns,
    incoming::{LOST_ANSWER, NOT_SENT, UNREADABLE_ANSWER},
    limits::ERROR_CHARS_MAX,
    session::Link,
};

/// How long a request may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLimits {
    /// Without a sign of progress.
    pub(crate) idle: Duration,
    /// In all.
    pub(crate) total: Duration,
}

/// Says what became of a request that has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    /// It was never sent.
    #[error("{0}")]
    NotSent(String),
    /// It was never sent: what it calls is not what it was.
    #[error(
        "it is no longer what was offered: the server changed or removed it, and a person has to look at it; nothing was sent"
    )]
    Changed,
    /// The server refused it or failed, and said so.
    #[error("the server answered with the error {code}: {message}")]
    Refused {
        /// The code.
        code: i32,
        /// Its words.
        message: String,
    },
    /// It was sent, and what became of it is not known.
    #[error("{0}")]
    Unknown(String),
    /// The server answered, and the answer cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Tells the server, when it is dropped, that nobody waits any more.
struct Abandonment<'a> {
    peer: &'a Peer<RoleClient>,
    signs: &'a ProgressSigns,
    token: ProgressToken,
    /// None: the request has ended.
    id: Option<RequestId>,
}

impl Drop for Abandonment<'_> {
    fn drop(&mut self) {
        self.signs.forget(&self.token);
        let Some(id) = self.id.take() else { return };
        let reason = Some("nobody waits for the answer any more".to_owned());
        let params = CancelledNotificationParam::new(Some(id), reason);
        let notification = CancelledNotification::new(params);
        // Queued at the first poll, where the queue has room; its sending need not be waited for.
        drop(self.peer.send_notification(notification.into()).now_or_never());
    }
}

/// Sends a request and waits for its result. How far it has come, as the server says, is said on the way.
pub(crate) async fn request(
    link: &Link,
    request: ClientRequest,
    (limits, progress): (RequestLimits, &CallProgress),
) -> Result<Value, RequestError> {
    if link.closed.is_cancelled() {
        return Err(RequestError::NotSent("the server has ended; nothing was sent".to_owned()));
    }
    let sent = link.peer.send_request_with_option(request, PeerRequestOptions::no_options());
    let mut handle = sent.await.map_err(|error| {
        RequestError::NotSent(format!("the request could not be sent: {error}"))
    })?;
    let token = handle.progress_token.clone();
    let sign = link.signs.watch(token.clone(), progress.clone());
    let mut abandonment =
        Abandonment { peer: &link.peer, signs: &link.signs, token, id: Some(handle.id.clone()) };
    let total = Instant::now() + limits.total;
    let mut idle = Instant::now() + limits.idle;
    loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                abandonment.id = None;
                return match answer {
                    Ok(answer) => read_answer(answer),
                    Err(_) => Err(ended()),
                };
            }
            () = link.closed.cancelled() => {
                abandonment.id = None;
                return Err(ended());
            }
            () = sign.notified() => idle = Instant::now() + limits.idle,
            () = sleep_until(total) => return Err(timed_out("no answer", limits.total)),
            () = sleep_until(idle) => {
                if !link.signs.is_asking() {
                    return Err(timed_out("neither an answer nor progress", limits.idle));
                }
                idle = Instant::now() + limits.idle;
            }
        }
    }
}

fn ended() -> RequestError {
    RequestError::Unknown(
        "the server ended after the request was sent and before it answered".into(),
    )
}

fn timed_out(what: &str, limit: Duration) -> RequestError {
    RequestError::Unknown(format!(
        "the server gave {what} within {} s; it was told that nobody waits any more",
        limit.as_secs_f32()
    ))
}

fn read_answer(answer: Result<ServerResult, ServiceError>) -> Result<Value, RequestError> {
    match answer {
        Ok(ServerResult::CustomResult(CustomResult(value))) => Ok(value),
        Ok(other) => serde_json::to_value(other).map_err(|error| {
            RequestError::Unreadable(format!("the answer cannot be read: {error}"))
        }),
        Err(ServiceError::McpError(error)) => {
            // What cannot be read is described with words of the server in it.
            let message = shortened(&visible(&error.message), ERROR_CHARS_MAX);
            Err(match error.code.0 {
                UNREADABLE_ANSWER => RequestError::Unreadable(message),
                LOST_ANSWER => RequestError::Unknown(message),
                NOT_SENT => RequestError::NotSent(message),
                code => RequestError::Refused { code, message },
            })
        }
        // The outbox refused it, and takes whole messages alone.
        Err(ServiceError::TransportSend(error)) => {
            Err(RequestError::NotSent(format!("nothing was sent: {}", error.error)))
        }
        Err(error) => Err(RequestError::Unknown(format!(
            "the link to the server broke after the request was given to it: {error}"
        ))),
    }
}
