//! The handshake with a server: which of the two lifecycles it speaks is asked first, then the library shakes hands.
//!
//! The question has an id that no request of the session has: whatever comes back, and however late, the older handshake can follow
//! over the same pipes.

use std::{sync::Arc, time::Duration};

use abide_domain::Clock;
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{
        ClientRequest, DiscoverRequest, DiscoverRequestParams, JsonRpcMessage, NumberOrString,
        ProtocolVersion, RequestMetaObject,
    },
    service::{RunningService, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    elicitation::ElicitationHandler,
    handler::{ProgressSigns, ServerRequests, client_config},
    http_link::RemoteAccess,
    launch::{LaunchError, ServerLauncher},
    running_calls::RunningCalls,
    settings::McpServerSettings,
    status::{Counts, McpLifecycle},
    stderr_tail::StderrTail,
};

/// What a start needs.
#[derive(Debug)]
pub(crate) struct StartParts<'a> {
    pub(crate) settings: &'a McpServerSettings,
    pub(crate) launcher: &'a dyn ServerLauncher,
    /// How a remote server is spoken to; none for a process.
    pub(crate) remote: Option<&'a RemoteAccess>,
    pub(crate) elicitations: &'a Arc<dyn ElicitationHandler>,
    pub(crate) counts: &'a Arc<Counts>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) list_changed: &'a Arc<tokio::sync::Notify>,
    pub(crate) stderr: &'a StderrTail,
    /// Cancelled where the connection is stopped.
    pub(crate) stop: &'a CancellationToken,
}

/// Says why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// There is no process.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It left, or closed its stdout, before the handshake.
    #[error("the server left before it answered ({end})")]
    Left {
        /// How it ended.
        end: String,
    },
    /// It did not answer in time.
    #[error("the server did not answer within {} s", limit.as_secs_f32())]
    Silent {
        /// The limit.
        limit: Duration,
    },
    /// Its answer ends the handshake.
    #[error("the handshake failed: {message}")]
    Handshake {
        /// Why.
        message: String,
    },
    /// A person has to log in first.
    #[error("{reason}")]
    LoginNeeded {
        /// Why.
        reason: String,
    },
    /// The connection was stopped meanwhile.
    #[error("the connection was stopped")]
    Stopped,
}

/// What a server says to the question which lifecycle it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeAnswer {
    Newer,
    Older,
    Left,
}

/// A session of the library.
pub(crate) type Running = RunningService<RoleClient, ServerRequests>;

/// A transport over which can be asked which lifecycle the server speaks, before the library has it.
pub(crate) trait ProbedTransport: Transport<RoleClient> + 'static {
    /// Asks. It may wait for ever.
    fn probe(
        &mut self,
        question: DiscoverRequest,
        counts: &Counts,
    ) -> impl Future<Output = ProbeAnswer> + Send;
}

pub(crate) async fn shake_hands<T: ProbedTransport>(
    parts: &StartParts<'_>,
    mut transport: T,
    known: Option<McpLifecycle>,
) -> Result<(Running, McpLifecycle), StartError> {
    let lifecycle = match known {
        Some(known) => known,
        None => match probe(parts, &mut transport).await {
            ProbeAnswer::Newer => McpLifecycle::Discover,
            ProbeAnswer::Older => McpLifecycle::Initialize,
            ProbeAnswer::Left => return Err(StartError::Left { end: String::new() }),
        },
    };
    let mode = match lifecycle {
        McpLifecycle::Initialize => ClientLifecycleMode::Initialize,
        McpLifecycle::Discover => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
        }
    };
    let handler = ServerRequests {
        server: parts.settings.name.clone(),
        elicitations: Arc::clone(parts.elicitations),
        signs: ProgressSigns::default(),
        calls: RunningCalls::default(),
        list_changed: Arc::clone(parts.list_changed),
        counts: Arc::clone(parts.counts),
        clock: Arc::clone(parts.clock),
    };
    let service = handler
        .serve_with_lifecycle(transport, mode)
        .await
        .map_err(|error| StartError::Handshake { message: error.to_string() })?;
    Ok((service, lifecycle))
}

/// Asks which lifecycle the server speaks. Silence is no answer to wait for: the older handshake follows.
async fn probe<T: ProbedTransport>(parts: &StartParts<'_>, transport: &mut T) -> ProbeAnswer {
    let config = client_config(parts.elicitations.is_available());
    let mut request = DiscoverRequest::new(DiscoverRequestParams {});
    request.extensions.insert(RequestMetaObject::with_client_context(
        ProtocolVersion::LATEST,
        config.client_info,
        config.capabilities,
    ));
    let answer = transport.probe(request, parts.counts);
    timeout(parts.settings.probe_limit, answer).await.unwrap_or(ProbeAnswer::Older)
}

/// The question as a message.
pub(crate) fn question_message(
    question: DiscoverRequest,
    id: NumberOrString,
) -> TxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::request(ClientRequest::DiscoverRequest(question), id)
}

/// What the versions that a server names mean; none where it names none.
pub(crate) fn read_versions(result: &Value) -> Option<ProbeAnswer> {
    let versions = result.get("supportedVersions")?.as_array()?;
    let is_newer = versions.iter().any(|version| *version == ProtocolVersion::LATEST.as_str());
    Some(if is_newer { ProbeAnswer::Newer } else { ProbeAnswer::Older })
}
