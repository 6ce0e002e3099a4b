//! A session with a server that runs elsewhere: its start, within the limits of a start, and its end, of which the server hears.
//! The counterpart of `session`, which is for processes. It must never send a call again that an earlier session sent.

use std::sync::Arc;

use rmcp::model::{DiscoverRequest, JsonRpcMessage, NumberOrString};
use rmcp::transport::Transport as _;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    handshake::{
        ProbeAnswer, ProbedTransport, Running, StartError, StartParts, question_message,
        read_versions, shake_hands,
    },
    http_link::HttpLink,
    http_transport::HttpTransport,
    reach::McpEndpoint,
    status::{Counts, McpLifecycle},
};

/// The id of the question which lifecycle a server speaks. Requests of the session count up from 0.
const PROBE_ID: i64 = -1;

/// What is left of a remote server's session beside the library's.
#[derive(Debug)]
pub(crate) struct RemoteSession {
    link: Arc<HttpLink>,
}

impl RemoteSession {
    /// Shakes hands with the server at that address.
    pub(crate) async fn start(
        parts: &StartParts<'_>,
        endpoint: &McpEndpoint,
        known: Option<McpLifecycle>,
    ) -> Result<(Self, Running, McpLifecycle), StartError> {
        let failed = |message: String| StartError::Handshake { message };
        let address = endpoint.address().map_err(failed)?;
        let access = parts.remote.ok_or_else(|| failed("it is not a remote server".to_owned()))?;
        access.login.clear();
        Counts::add(&parts.counts.starts);
        let link = Arc::new(HttpLink::new(access.clone(), address, CancellationToken::new()));
        let (counts, changed) = (Arc::clone(parts.counts), Arc::clone(parts.list_changed));
        let transport = HttpTransport::new(Arc::clone(&link), counts, changed);
        let limit = parts.settings.start_limit;
        let shaken = tokio::select! {
            biased;
            () = parts.stop.cancelled() => Err(StartError::Stopped),
            shaken = timeout(limit, shake_hands(parts, transport, known)) => {
                shaken.unwrap_or(Err(StartError::Silent { limit }))
            }
        };
        match shaken {
            Ok((service, lifecycle)) => Ok((Self { link }, service, lifecycle)),
            Err(StartError::Stopped) => Err(StartError::Stopped),
            Err(error) => Err(match access.login.reason() {
                Some(reason) => StartError::LoginNeeded { reason },
                None => error,
            }),
        }
    }

    /// Cancelled where the server no longer knows the session.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.link.closed
    }

    /// Takes leave; says how that went.
    pub(crate) async fn end(&self) -> String {
        self.link.say_goodbye().await
    }
}

impl ProbedTransport for HttpTransport {
    async fn probe(&mut self, question: DiscoverRequest, _: &Counts) -> ProbeAnswer {
        let message = question_message(question, NumberOrString::Number(PROBE_ID));
        if self.send(message).await.is_err() {
            return ProbeAnswer::Older;
        }
        loop {
            match self.receive().await {
                None => return ProbeAnswer::Left,
                Some(JsonRpcMessage::Response(response)) => {
                    let result = serde_json::to_value(&response.result).unwrap_or_default();
                    return read_versions(&result).unwrap_or(ProbeAnswer::Older);
                }
                Some(JsonRpcMessage::Error(_)) => return ProbeAnswer::Older,
                Some(_) => {}
            }
        }
    }
}
