//! One run of a server: a process, its pipes and the session over them, from the start to the end of the last process of its tree.
//!
//! Which lifecycle a server speaks is asked first (`server/discover`), by a line of its own with an id that no request of the session has:
//! whatever comes back, and however late, the older handshake can follow on the same process. So a server that is still being installed is
//! never killed for its silence; only one that leaves at the question is started again.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient,
    model::{
        ClientRequest, DiscoverRequest, DiscoverRequestParams, JsonRpcMessage, NumberOrString,
        ProtocolVersion, RequestMetaObject, ServerPeerInfo,
    },
    service::{RunningService, TxJsonRpcMessage},
};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    elicitation::ElicitationHandler,
    handler::{ProgressSigns, ServerRequests, client_config},
    launch::{LaunchError, LaunchRequest, LaunchedServer, ServerLauncher, ServerProcess},
    limits::STOP_GRACE,
    lines::Line,
    settings::McpServerSettings,
    status::{Counts, McpLifecycle},
    stderr_tail::StderrTail,
    transport::{PipeTransport, write_lines},
};

/// The id of the question which lifecycle a server speaks. A word: ids of requests are numbers.
const PROBE_ID: &str = "lifecycle";
/// How often is looked whether a process that was asked to leave has left.
const LEAVE_POLL: Duration = Duration::from_millis(20);
/// How often is looked whether a process has left unasked. The end of its stdout says so at once, most often.
const LEAVE_WATCH: Duration = Duration::from_millis(250);
/// How long the pipes of a process that has left are still read, where others hold them open.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// How long the end of a killed process is waited for: one that hangs in the kernel must not hold the client up.
const REAP_LIMIT: Duration = Duration::from_secs(5);
/// How long the session has to let go of the pipes.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// What a start needs.
#[derive(Debug)]
pub(crate) struct StartParts<'a> {
    pub(crate) settings: &'a McpServerSettings,
    pub(crate) launcher: &'a dyn ServerLauncher,
    pub(crate) elicitations: &'a Arc<dyn ElicitationHandler>,
    pub(crate) counts: &'a Arc<Counts>,
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
    /// The connection was stopped meanwhile.
    #[error("the connection was stopped")]
    Stopped,
}

/// What calls need of a session; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) peer: Peer<RoleClient>,
    /// Cancelled where the server's stdout has ended: nothing more comes.
    pub(crate) closed: CancellationToken,
    pub(crate) signs: ProgressSigns,
}

/// A session with a running process.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) link: Link,
    pub(crate) lifecycle: McpLifecycle,
    service: RunningService<RoleClient, ServerRequests>,
    processes: Processes,
}

/// The processes of a session and the tasks at their pipes.
#[derive(Debug)]
struct Processes {
    process: Box<dyn ServerProcess>,
    pipes: JoinSet<()>,
}

/// What a server says to the question which lifecycle it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeAnswer {
    Newer,
    Older,
    Left,
}

impl Session {
    /// Starts a process and shakes hands; a lifecycle that is known is not asked for. A server that leaves at the question, or says
    /// nothing after it, is started once more with the older handshake alone.
    pub(crate) async fn start(
        parts: &StartParts<'_>,
        known: Option<McpLifecycle>,
    ) -> Result<Self, StartError> {
        match Self::start_once(parts, known).await {
            Err(StartError::Left { .. } | StartError::Silent { .. }) if known.is_none() => {
                Self::start_once(parts, Some(McpLifecycle::Initialize)).await
            }
            started => started,
        }
    }

    async fn start_once(
        parts: &StartParts<'_>,
        known: Option<McpLifecycle>,
    ) -> Result<Self, StartError> {
        let settings = parts.settings;
        let request = LaunchRequest {
            server: settings.name.clone(),
            command: settings.command.clone(),
            args: settings.args.clone(),
            environment: settings.environment.clone(),
        };
        let launched = parts.launcher.launch(&request).await?;
        Counts::add(&parts.counts.starts);
        let closed = CancellationToken::new();
        let (mut processes, transport) = Processes::hold(launched, parts, &closed);
        let limit = settings.start_limit;
        let shaken = tokio::select! {
            biased;
            () = parts.stop.cancelled() => Err(StartError::Stopped),
            () = processes.left() => Err(StartError::Left { end: String::new() }),
            shaken = timeout(limit, shake_hands(parts, transport, known)) => {
                shaken.unwrap_or(Err(StartError::Silent { limit }))
            }
        };
        match shaken {
            Ok((service, lifecycle)) => {
                let peer = service.peer().clone();
                let signs = service.service().signs.clone();
                Ok(Self { link: Link { peer, closed, signs }, lifecycle, service, processes })
            }
            Err(error) => {
                let is_stopped = matches!(error, StartError::Stopped);
                let has_left = closed.is_cancelled() || matches!(error, StartError::Left { .. });
                let end = processes.end(if has_left { STOP_GRACE } else { Duration::ZERO }).await;
                Err(if has_left && !is_stopped { StartError::Left { end } } else { error })
            }
        }
    }

    /// Waits until the leader has left by itself. Its pipes may stay open, where what it started holds them.
    pub(crate) async fn left(&self) {
        self.processes.left().await;
    }

    /// The number of the leader of its processes.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.processes.process.pid()
    }

    /// What the server said about itself.
    pub(crate) fn peer_info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.link.peer.peer_info()
    }

    /// Closes the pipes, gives the server a moment to leave, and ends every process of its tree. Says how it ended.
    pub(crate) async fn end(mut self) -> String {
        self.link.closed.cancel();
        // Its errors say that the session had ended already.
        drop(self.service.close_with_timeout(CLOSE_LIMIT).await);
        self.processes.end(STOP_GRACE).await
    }
}

impl Processes {
    fn hold(
        launched: LaunchedServer,
        parts: &StartParts<'_>,
        closed: &CancellationToken,
    ) -> (Self, PipeTransport) {
        let (outgoing, writing): (mpsc::Sender<Vec<u8>>, _) = write_lines(launched.stdin);
        let mut pipes = JoinSet::new();
        pipes.spawn(writing);
        pipes.spawn(parts.stderr.clone().drain(launched.stderr));
        let counts = Arc::clone(parts.counts);
        let transport = PipeTransport::new(launched.stdout, outgoing, counts, closed.clone());
        (Self { process: launched.process, pipes }, transport)
    }

    async fn left(&self) {
        while !self.process.has_left() {
            tokio::time::sleep(LEAVE_WATCH).await;
        }
        // What it wrote last is still read.
        tokio::time::sleep(LAST_WORDS).await;
    }

    async fn end(&mut self, grace: Duration) -> String {
        let leaving = async {
            while !self.process.has_left() {
                tokio::time::sleep(LEAVE_POLL).await;
            }
        };
        // Whether it left or not, what is left of its tree goes now, before its number can mean another.
        let _ = timeout(grace, leaving).await;
        self.process.kill();
        let end = timeout(REAP_LIMIT, self.process.wait()).await;
        let pipes_end = async { while self.pipes.join_next().await.is_some() {} };
        // They end with the processes, unless one that got away holds them open.
        let _ = timeout(LAST_WORDS, pipes_end).await;
        self.pipes.shutdown().await;
        end.unwrap_or_else(|_| "its process does not end".to_owned())
    }
}

type Running = RunningService<RoleClient, ServerRequests>;

async fn shake_hands(
    parts: &StartParts<'_>,
    mut transport: PipeTransport,
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
        list_changed: Arc::clone(parts.list_changed),
        counts: Arc::clone(parts.counts),
    };
    let service = handler
        .serve_with_lifecycle(transport, mode)
        .await
        .map_err(|error| StartError::Handshake { message: error.to_string() })?;
    Ok((service, lifecycle))
}

/// Asks which lifecycle the server speaks. Silence is no answer to wait for: the older handshake follows on the same process.
async fn probe(parts: &StartParts<'_>, transport: &mut PipeTransport) -> ProbeAnswer {
    let config = client_config(parts.elicitations.is_available());
    let mut request = DiscoverRequest::new(DiscoverRequestParams {});
    request.extensions.insert(RequestMetaObject::with_client_context(
        ProtocolVersion::LATEST,
        config.client_info,
        config.capabilities,
    ));
    let message: TxJsonRpcMessage<RoleClient> = JsonRpcMessage::request(
        ClientRequest::DiscoverRequest(request),
        NumberOrString::String(PROBE_ID.into()),
    );
    let Ok(line) = serde_json::to_vec(&message) else { return ProbeAnswer::Older };
    if transport.send_line(line).await.is_err() {
        return ProbeAnswer::Left;
    }
    let answer = async {
        loop {
            match transport.next_line().await {
                None => return ProbeAnswer::Left,
                Some(Line::Whole(line)) => {
                    if let Some(answer) = read_probe_answer(&line, parts.counts) {
                        return answer;
                    }
                }
                Some(Line::Long(_)) => Counts::add(&parts.counts.too_long),
            }
        }
    };
    timeout(parts.settings.probe_limit, answer).await.unwrap_or(ProbeAnswer::Older)
}

/// What a line says to the question; none where it says nothing to it.
fn read_probe_answer(line: &[u8], counts: &Counts) -> Option<ProbeAnswer> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return None;
    }
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        Counts::add(&counts.not_json);
        return None;
    };
    let id = message.get("id");
    if let Some(versions) = message.pointer("/result/supportedVersions").and_then(Value::as_array)
        && id.and_then(Value::as_str) == Some(PROBE_ID)
    {
        let is_newer = versions.iter().any(|version| *version == ProtocolVersion::LATEST.as_str());
        return Some(if is_newer { ProbeAnswer::Newer } else { ProbeAnswer::Older });
    }
    // An error may come without an id, where the server could not read the question.
    let is_to_the_question =
        id.is_none_or(Value::is_null) || id.and_then(Value::as_str) == Some(PROBE_ID);
    if is_to_the_question && (message.get("error").is_some() || message.get("result").is_some()) {
        return Some(ProbeAnswer::Older);
    }
    if message.get("method").is_none() {
        Counts::add(&counts.not_a_message);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{ProbeAnswer, read_probe_answer};
    use crate::status::Counts;

    #[test]
    fn the_lifecycle_is_read_from_the_answer_to_the_question_alone() {
        let read = |line: &str| read_probe_answer(line.as_bytes(), &Counts::default());
        let newer = r#"{"id":"lifecycle","result":{"supportedVersions":["2026-07-28"]}}"#;
        assert_eq!(read(newer), Some(ProbeAnswer::Newer));
        assert_eq!(read(&newer.replace("2026", "2031")), Some(ProbeAnswer::Older));
        let older = r#"{"id":"lifecycle","error":{"code":-32601,"message":"no"}}"#;
        assert_eq!(read(older), Some(ProbeAnswer::Older));
        let unread = r#"{"id":null,"error":{"code":-32600,"message":"no"}}"#;
        assert_eq!(read(unread), Some(ProbeAnswer::Older));
        let notice = r#"{"method":"notifications/message","params":{}}"#;
        for other in [notice, "banner", "", "[1]", r#"{"id":3,"result":{}}"#] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
