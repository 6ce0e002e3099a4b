//! One run of an ACP agent's process: started and greeted, asked, ended.
//!
//! It offers the agent neither files nor terminals of ours: the agent has its own, under the limits of its tree. It must
//! never leave anything of the tree behind.

use std::time::Duration;

use abide_domain::{
    RunId,
    event::{ExitReason, ProcessReady, StartCause},
    turn::MindError,
};
use agent_client_protocol::{
    Error as AcpError, JsonRpcRequest, JsonRpcResponse as _,
    schema::ProtocolVersion,
    v1::schema::{
        AgentCapabilities, ClientCapabilities, Implementation, InitializeRequest,
        InitializeResponse,
    },
};
use tokio::{
    process::{ChildStdin, ChildStdout},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    error_text::{format_agent_error, format_last_words},
    evidence::short,
    link::{AcpLink, Incoming, LinkError, misshapen},
    shared::AcpShared,
};
use crate::{
    disk_limit::{DiskExcess, DiskWatch},
    format::millis,
    lifecycle::{KillSequence, Lifecycle, RunExit, format_end, is_requested},
    process::{Process, ProcessEnd, Spawn},
    stderr::LastWords,
};

/// How long a process may take after the end of its input.
const EOF_GRACE: Duration = Duration::from_secs(2);

/// One run.
#[derive(Debug)]
pub(super) struct Run {
    id: RunId,
    /// On the monotonic clock.
    pub(super) began_at: Duration,
    process: Process,
    link: AcpLink<ChildStdout, ChildStdin>,
    process_end: Option<ProcessEnd>,
    disk: DiskWatch<DiskExcess>,
    last_words: LastWords,
    /// The session that is open in this process.
    pub(super) session: Option<String>,
    capabilities: AgentCapabilities,
    stop: CancellationToken,
}

/// How a process is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By the end of its input, then SIGTERM, then SIGKILL.
    Graceful,
    /// By SIGKILL.
    Kill,
}

/// Says why an agent is not ready.
#[derive(Debug, thiserror::Error)]
enum GreetingError {
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("{}", format_agent_error(.0))]
    Refused(AcpError),
    #[error("it speaks version {0} of the Agent Client Protocol, and the keeper speaks version 1")]
    Version(u16),
    #[error("it was not ready within {} s", .0.as_secs())]
    Late(Duration),
}

impl Run {
    /// Starts a process and greets it.
    ///
    /// Errors: `Rejected` where another try would end as this one, else `Unavailable`. Nothing is left running.
    pub(super) async fn start(
        shared: &AcpShared,
        lifecycle: &mut Lifecycle,
        cause: StartCause,
    ) -> Result<Self, MindError> {
        let spec = &shared.spec;
        let launched = lifecycle.launch(|run| Spawn {
            program: spec.program.clone(),
            args: spec.args.clone(),
            folder: spec.folder.clone(),
            environment: spec.environment.clone(),
            limits: spec.limits,
            confinement: spec.sandbox.as_ref().and_then(|sandbox| sandbox.confinement.clone()),
            agent: spec.agent.clone(),
            run,
        });
        let launched = launched.map_err(|message| MindError::Unavailable { message })?;
        let mut run = Self {
            id: launched.run,
            began_at: lifecycle.monotonic(),
            process: launched.process,
            link: AcpLink::new(spec.agent.as_str(), launched.stdout, launched.stdin),
            process_end: None,
            disk: lifecycle.watch_disk(),
            last_words: launched.last_words,
            session: None,
            capabilities: AgentCapabilities::default(),
            stop: shared.stop.clone(),
        };
        let mut event = lifecycle.start_event(run.id, cause);
        event.pid = run.process.started().await;
        event.sandbox = spec.sandbox.as_ref().map(|sandbox| sandbox.recorded.clone());
        let pid = event.pid;
        let level = event.sandbox.as_ref().map(|sandbox| sandbox.level);
        lifecycle.record(event);
        lifecycle.update_status(|status| (status.pid, status.sandbox) = (pid, level));
        if pid.is_none() {
            let end = run.end(lifecycle, ExitReason::NotStarted, Ending::Kill, None).await;
            let message = format!("the agent's process {}", format_end(&end));
            return Err(MindError::Rejected { message });
        }
        run.greet(shared, lifecycle).await
    }

    async fn greet(
        mut self,
        shared: &AcpShared,
        lifecycle: &mut Lifecycle,
    ) -> Result<Self, MindError> {
        let limit = shared.settings.ready_timeout;
        let hello = timeout(limit, self.initialize()).await;
        let error = match hello.unwrap_or(Err(GreetingError::Late(limit))) {
            Ok(answer) => {
                self.capabilities = answer.agent_capabilities;
                self.record_ready(lifecycle, answer.agent_info.as_ref());
                return Ok(self);
            }
            Err(GreetingError::Link(error @ LinkError::OverDiskLimit(_))) => {
                return Err(Box::pin(self.end_broken(lifecycle, error)).await);
            }
            Err(error) => error,
        };
        let reason = match &error {
            GreetingError::Late(_) => ExitReason::NotReady,
            GreetingError::Link(LinkError::Closed) => ExitReason::Exited,
            GreetingError::Link(LinkError::Stopping) => ExitReason::Shutdown,
            _ => ExitReason::Protocol,
        };
        let words = self.last_words.clone();
        let is_closed = reason == ExitReason::Exited;
        let ending = if is_closed { Ending::Graceful } else { Ending::Kill };
        let why = (!is_closed).then(|| error.to_string());
        let end = format_end(&self.end(lifecycle, reason, ending, why).await);
        let words = format_last_words(&words);
        let unusable = format!("the agent cannot be used: {error}{words}");
        Err(match error {
            GreetingError::Link(LinkError::Closed) => MindError::Unavailable {
                message: format!("the agent's process {end} before it was ready{words}"),
            },
            GreetingError::Late(_) | GreetingError::Link(LinkError::Stopping) => {
                MindError::Unavailable { message: unusable }
            }
            _ => MindError::Rejected { message: unusable },
        })
    }

    async fn initialize(&mut self) -> Result<InitializeResponse, GreetingError> {
        let client = Implementation::new("abide", env!("CARGO_PKG_VERSION"));
        // The defaults of the capabilities are none: no files, no terminals.
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::default())
            .client_info(client);
        let answer = self.call(hello, |_, _| {}).await?.map_err(GreetingError::Refused)?;
        if answer.protocol_version == ProtocolVersion::V1 {
            Ok(answer)
        } else {
            Err(GreetingError::Version(answer.protocol_version.as_u16()))
        }
    }

    fn record_ready(&self, lifecycle: &Lifecycle, agent: Option<&Implementation>) {
        let sdk = agent.map(|agent| short(&format!("{} {}", agent.name, agent.version)));
        let protocol = u32::from(ProtocolVersion::V1.as_u16());
        lifecycle.record(ProcessReady {
            run: self.id,
            protocol,
            sdk: sdk.clone().unwrap_or_default(),
            checkpoint_id: None,
            wal_entries: 0,
            took_ms: millis(lifecycle.monotonic().saturating_sub(self.began_at)),
        });
        lifecycle.update_status(|status| {
            status.protocol = Some(protocol);
            status.sdk = sdk;
        });
    }

    /// Whether the agent can load a session, which replays it.
    pub(super) const fn can_load(&self) -> bool {
        self.capabilities.load_session
    }

    /// Whether the agent can resume a session without a replay.
    pub(super) const fn can_resume(&self) -> bool {
        self.capabilities.session_capabilities.resume.is_some()
    }

    /// The connection, to send messages over.
    pub(super) const fn link(&mut self) -> &mut AcpLink<ChildStdout, ChildStdin> {
        &mut self.link
    }

    /// Waits for the next message. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Incoming, LinkError> {
        if self.process_end.is_none() {
            tokio::select! {
                biased;
                excess = self.disk.seen() => return Err(LinkError::OverDiskLimit(excess)),
                incoming = self.link.next() => return incoming,
                ended = self.process.ended() => self.process_end = Some(ended),
            }
        }
        // What it wrote before its end is still in the pipe, and the pipe has an end now.
        self.link.next().await
    }

    /// Asks something and waits for the answer, or for the keeper to stop. Notifications go to `on_notification`; requests are refused.
    pub(super) async fn call<M: JsonRpcRequest>(
        &mut self,
        message: M,
        mut on_notification: impl FnMut(&str, serde_json::Value),
    ) -> Result<Result<M::Response, AcpError>, LinkError> {
        let ours = self.link.request(&message)?;
        loop {
            let stop = self.stop.clone();
            let incoming = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(LinkError::Stopping),
                incoming = self.next() => incoming?,
            };
            match incoming {
                Incoming::Response { id, result } if id == ours => {
                    let read = |value| M::Response::from_json(message.method(), value);
                    return match result.map(read) {
                        Ok(Ok(answer)) => Ok(Ok(answer)),
                        Ok(Err(error)) => Err(misshapen(message.method(), &error)),
                        Err(error) => Ok(Err(error)),
                    };
                }
                // To something that is not waited for any more.
                Incoming::Response { .. } => {}
                Incoming::Request { id, .. } => self.refuse(id)?,
                Incoming::Notification { method, params } => on_notification(&method, params),
            }
        }
    }

    /// Refuses a request of the agent: what it asks for is not offered.
    pub(super) fn refuse(
        &mut self,
        id: agent_client_protocol::RawJsonRpcId,
    ) -> Result<(), LinkError> {
        self.link.respond(id, Err(AcpError::method_not_found()))
    }

    /// Ends it, waits until nothing of its tree is left, and records why. `reason` is the keeper's; where the process ended by
    /// itself, [`ExitReason::Exited`] becomes what is known. `why` is added to how it ended.
    pub(super) async fn end(
        mut self,
        lifecycle: &mut Lifecycle,
        reason: ExitReason,
        ending: Ending,
        why: Option<String>,
    ) -> ProcessEnd {
        self.link.close();
        let steps = match ending {
            Ending::Graceful => KillSequence::Asked { until: lifecycle.monotonic() + EOF_GRACE },
            Ending::Kill => KillSequence::Killed,
        };
        let end = lifecycle.stop(&mut self.process, steps).await;
        let mut exit = RunExit::from(&end);
        if reason != ExitReason::Exited && exit.reason != ExitReason::NotStarted {
            exit.reason = reason;
        }
        if let Some(why) = why {
            exit.message = format!("{why}; {}", exit.message);
        }
        let words = &self.last_words;
        let uptime = lifecycle.finish_run(self.id, self.began_at, &exit, words).await;
        lifecycle.update_status(|status| (status.pid, status.run) = (None, None));
        if !is_requested(exit.reason) {
            lifecycle.count_failure(uptime, &exit.message);
        }
        end
    }

    /// Ends it after its connection broke, and says what that means to whoever waits for its answer.
    pub(super) async fn end_broken(self, lifecycle: &mut Lifecycle, error: LinkError) -> MindError {
        let words = self.last_words.clone();
        let reason = match error {
            LinkError::Closed => ExitReason::Exited,
            LinkError::Stopping => ExitReason::Shutdown,
            LinkError::OverDiskLimit(_) => ExitReason::DiskLimit,
            _ => ExitReason::Protocol,
        };
        if reason == ExitReason::Exited {
            let end = self.end(lifecycle, reason, Ending::Graceful, None).await;
            let (end, words) = (format_end(&end), format_last_words(&words));
            return MindError::Crashed { message: format!("the agent's process {end}{words}") };
        }
        let message = error.to_string();
        self.end(lifecycle, reason, Ending::Kill, Some(message.clone())).await;
        if let LinkError::OverDiskLimit(excess) = error {
            lifecycle.hold_for_room(excess);
        }
        MindError::Unavailable { message }
    }
}
