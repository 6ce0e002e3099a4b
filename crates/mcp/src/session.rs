//! One run of a server: a process with its pipes, or a link to a remote one, and the session over it, from the start to the end.
//!
//! A server that is still being installed is never killed for its silence; only one that leaves at the question which lifecycle it
//! speaks is started again. When a process's session has ended, no process of its tree is left.

use std::{future::pending, sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleClient,
    model::{DiscoverRequest, NumberOrString, ServerPeerInfo},
};
use serde_json::Value;
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    handler::ProgressSigns,
    handshake::{
        ProbeAnswer, ProbedTransport, Running, StartError, StartParts, question_message,
        read_versions, shake_hands,
    },
    launch::{LaunchRequest, LaunchedServer, ServerProcess},
    limits::STOP_GRACE,
    lines::Line,
    outbox::write_lines,
    reach::{McpProgram, McpReach},
    remote_session::RemoteSession,
    running_calls::RunningCalls,
    status::{Counts, McpLifecycle},
    transport::PipeTransport,
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

/// What calls need of a session; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) peer: Peer<RoleClient>,
    /// Cancelled where the server's stdout has ended: nothing more comes.
    pub(crate) closed: CancellationToken,
    pub(crate) signs: ProgressSigns,
    pub(crate) calls: RunningCalls,
}

/// A session with a server.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) link: Link,
    pub(crate) lifecycle: McpLifecycle,
    service: Running,
    hold: Hold,
}

/// What a session holds of its server.
#[derive(Debug)]
enum Hold {
    Processes(Processes),
    Remote(RemoteSession),
}

/// The processes of a session and the tasks at their pipes.
#[derive(Debug)]
struct Processes {
    process: Box<dyn ServerProcess>,
    pipes: JoinSet<()>,
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
        match &parts.settings.reach {
            McpReach::Process(program) => Self::start_process(parts, program, known).await,
            McpReach::Http(endpoint) => {
                let (remote, service, lifecycle) =
                    RemoteSession::start(parts, endpoint, known).await?;
                let closed = remote.closed().clone();
                Ok(Self::new(service, lifecycle, closed, Hold::Remote(remote)))
            }
        }
    }

    fn new(
        service: Running,
        lifecycle: McpLifecycle,
        closed: CancellationToken,
        hold: Hold,
    ) -> Self {
        let peer = service.peer().clone();
        let (signs, calls) = (service.service().signs.clone(), service.service().calls.clone());
        Self { link: Link { peer, closed, signs, calls }, lifecycle, service, hold }
    }

    async fn start_process(
        parts: &StartParts<'_>,
        program: &McpProgram,
        known: Option<McpLifecycle>,
    ) -> Result<Self, StartError> {
        let settings = parts.settings;
        let request = LaunchRequest {
            server: settings.name.clone(),
            command: program.command.clone(),
            args: program.args.clone(),
            environment: program.environment.clone(),
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
                Ok(Self::new(service, lifecycle, closed, Hold::Processes(processes)))
            }
            Err(error) => {
                let is_stopped = matches!(error, StartError::Stopped);
                let has_left = closed.is_cancelled() || matches!(error, StartError::Left { .. });
                let end = processes.end(if has_left { STOP_GRACE } else { Duration::ZERO }).await;
                Err(if has_left && !is_stopped { StartError::Left { end } } else { error })
            }
        }
    }

    /// Waits until the leader of its processes has left by itself. Their pipes may stay open, where what it started holds them.
    pub(crate) async fn left(&self) {
        match &self.hold {
            Hold::Processes(processes) => processes.left().await,
            // It says so in an answer.
            Hold::Remote(_) => pending().await,
        }
    }

    /// The number of the leader of its processes.
    pub(crate) fn pid(&self) -> Option<u32> {
        match &self.hold {
            Hold::Processes(processes) => processes.process.pid(),
            Hold::Remote(_) => None,
        }
    }

    /// What the server said about itself.
    pub(crate) fn peer_info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.link.peer.peer_info()
    }

    /// Closes the pipes, gives the server a moment to leave, and ends every process of its tree; takes leave of a remote one. Says how
    /// it ended.
    pub(crate) async fn end(mut self) -> String {
        self.link.closed.cancel();
        // Its errors say that the session had ended already.
        drop(self.service.close_with_timeout(CLOSE_LIMIT).await);
        match &mut self.hold {
            Hold::Processes(processes) => processes.end(STOP_GRACE).await,
            Hold::Remote(remote) => remote.end().await,
        }
    }
}

impl Processes {
    fn hold(
        launched: LaunchedServer,
        parts: &StartParts<'_>,
        closed: &CancellationToken,
    ) -> (Self, PipeTransport) {
        let (outbox, writing) = write_lines(launched.stdin);
        let mut pipes = JoinSet::new();
        pipes.spawn(writing);
        pipes.spawn(parts.stderr.clone().drain(launched.stderr));
        let counts = Arc::clone(parts.counts);
        let transport = PipeTransport::new(launched.stdout, outbox, counts, closed.clone());
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

impl ProbedTransport for PipeTransport {
    async fn probe(&mut self, question: DiscoverRequest, counts: &Counts) -> ProbeAnswer {
        let message = question_message(question, NumberOrString::String(PROBE_ID.into()));
        let Ok(line) = serde_json::to_vec(&message) else { return ProbeAnswer::Older };
        if self.send_line(line).is_err() {
            return ProbeAnswer::Left;
        }
        loop {
            match self.next_line().await {
                None => return ProbeAnswer::Left,
                Some(Line::Whole(line)) => {
                    if let Some(answer) = read_probe_answer(&line, counts) {
                        return answer;
                    }
                }
                Some(Line::Long(_)) => Counts::add(&counts.too_long),
            }
        }
    }
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
    let is_named = id.and_then(Value::as_str) == Some(PROBE_ID);
    let answer = message.get("result").filter(|_| is_named).and_then(read_versions);
    if answer.is_some() {
        return answer;
    }
    // An error may come without an id, where the server could not read the question.
    let is_to_the_question = id.is_none_or(Value::is_null) || is_named;
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
    use super::read_probe_answer;
    use crate::{handshake::ProbeAnswer, status::Counts};

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
