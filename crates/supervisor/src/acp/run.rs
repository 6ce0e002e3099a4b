//! One run of an ACP agent's process: started and greeted, asked, ended.
//!
//! It offers the agent neither files nor terminals of ours: the agent has its own, under the limits of its tree. It must
//! never leave anything of the tree behind.

use std::{mem, time::Duration};

use abide_domain::{
    RunId,
    event::{ExitReason, ProcessExited, ProcessReady, ProcessStarted, StartCause},
    turn::MindError,
};
use agent_client_protocol::{
    Error as AcpError, ErrorCode, JsonRpcRequest, JsonRpcResponse as _,
    schema::ProtocolVersion,
    v1::schema::{
        AgentCapabilities, ClientCapabilities, Implementation, InitializeRequest,
        InitializeResponse,
    },
};
use tokio::{
    process::{ChildStdin, ChildStdout},
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    House,
    evidence::short,
    link::{Incoming, Link, LinkError, misshapen},
};
use crate::{
    process::{Process, ProcessEnd, Spawn},
    stderr::{LastWords, StderrLog},
};

/// How long a process may take after the end of its input, and again after TERM.
const END_GRACE: Duration = Duration::from_secs(2);
/// How long the rest of its words may take once it is gone.
const WORDS_GRACE: Duration = Duration::from_millis(500);
/// Lines of its last words that are told to whoever asked.
const WORDS_TOLD: usize = 3;
/// Longest message of an agent's error that is passed on, in characters.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// One run.
#[derive(Debug)]
pub(super) struct Run {
    id: RunId,
    /// On the monotonic clock.
    began_at: Duration,
    process: Process,
    link: Link<ChildStdout, ChildStdin>,
    exit: Option<ProcessEnd>,
    words: LastWords,
    /// Reads its standard error.
    listener: JoinSet<()>,
    /// The session that lives in this process.
    pub(super) session: Option<String>,
    abilities: AgentCapabilities,
    stop: CancellationToken,
}

/// How a process is parted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parting {
    /// The end of its input, TERM, KILL.
    Kind,
    /// KILL.
    Kill,
}

/// Says why an agent is not ready.
#[derive(Debug, thiserror::Error)]
enum Unready {
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("{}", told(.0))]
    Refused(AcpError),
    #[error("it speaks version {0} of the Agent Client Protocol, and version 1 is spoken here")]
    Version(u16),
    #[error("it was not ready within {} s", .0.as_secs())]
    Late(Duration),
}

impl Run {
    /// Starts a process and greets it.
    ///
    /// Errors: `Rejected` where another try would end as this one, else `Unavailable`. Nothing is left running.
    pub(super) async fn start(
        house: &House,
        cause: StartCause,
        failures: u32,
    ) -> Result<Self, MindError> {
        let spec = &house.spec;
        let id = RunId::new(&*house.ids, house.clock.now());
        let spawn = Spawn {
            program: spec.program.clone(),
            args: spec.args.clone(),
            folder: spec.folder.clone(),
            environment: spec.environment.clone(),
            limits: spec.limits,
            agent: spec.agent.clone(),
            run: id,
        };
        let (process, pipes) = Process::start(&house.shim, &spawn)
            .map_err(|error| MindError::Unavailable { message: chain(&error) })?;
        let log = StderrLog::new(spec.agent.clone(), id);
        let mut run = Self {
            id,
            began_at: house.clock.monotonic(),
            process,
            link: Link::new(pipes.stdout, pipes.stdin),
            exit: None,
            words: log.last_words(),
            listener: JoinSet::new(),
            session: None,
            abilities: AgentCapabilities::default(),
            stop: house.stop.clone(),
        };
        run.listener.spawn(log.pump(pipes.stderr));
        let pid = run.process.started().await;
        house.record(ProcessStarted { run: id, pid, cause, failures });
        house.tell(|status| {
            status.pid = pid;
            status.run = Some(id);
            status.started_at = Some(house.clock.now());
        });
        if pid.is_none() {
            let ended = run.end(house, ExitReason::NotStarted, Parting::Kill, None).await;
            return Err(MindError::Rejected { message: format!("the agent {}", how(&ended)) });
        }
        run.greet(house).await
    }

    async fn greet(mut self, house: &House) -> Result<Self, MindError> {
        let patience = house.settings.ready_timeout;
        let hello = timeout(patience, self.initialize()).await;
        let unready = match hello.unwrap_or(Err(Unready::Late(patience))) {
            Ok(answer) => {
                self.abilities = answer.agent_capabilities;
                self.ready(house, answer.agent_info.as_ref());
                return Ok(self);
            }
            Err(unready) => unready,
        };
        let reason = match &unready {
            Unready::Late(_) => ExitReason::NotReady,
            Unready::Link(LinkError::Closed) => ExitReason::Exited,
            Unready::Link(LinkError::Stopping) => ExitReason::Shutdown,
            _ => ExitReason::Protocol,
        };
        let words = self.words.clone();
        let is_closed = reason == ExitReason::Exited;
        let parting = if is_closed { Parting::Kind } else { Parting::Kill };
        let why = (!is_closed).then(|| unready.to_string());
        let ended = self.end(house, reason, parting, why).await;
        Err(match unready {
            Unready::Link(LinkError::Closed) => MindError::Unavailable {
                message: format!("the agent {} before it was ready{}", how(&ended), said(&words)),
            },
            Unready::Late(_) | Unready::Link(LinkError::Stopping) => MindError::Unavailable {
                message: format!("the agent cannot be used: {unready}{}", said(&words)),
            },
            _ => MindError::Rejected {
                message: format!("the agent cannot be used: {unready}{}", said(&words)),
            },
        })
    }

    async fn initialize(&mut self) -> Result<InitializeResponse, Unready> {
        let us = Implementation::new("abide", env!("CARGO_PKG_VERSION"));
        // The defaults of the capabilities are none: no files, no terminals.
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::default())
            .client_info(us);
        let answer = self.call(hello, |_, _| {}).await?.map_err(Unready::Refused)?;
        if answer.protocol_version == ProtocolVersion::V1 {
            Ok(answer)
        } else {
            Err(Unready::Version(answer.protocol_version.as_u16()))
        }
    }

    fn ready(&self, house: &House, who: Option<&Implementation>) {
        let sdk = who.map(|who| short(&format!("{} {}", who.name, who.version)));
        let took = house.clock.monotonic().saturating_sub(self.began_at);
        house.record(ProcessReady {
            run: self.id,
            protocol: u32::from(ProtocolVersion::V1.as_u16()),
            sdk: sdk.clone().unwrap_or_default(),
            checkpoint_id: None,
            wal_entries: 0,
            took_ms: milliseconds(took),
        });
        house.tell(|status| {
            status.protocol = Some(u32::from(ProtocolVersion::V1.as_u16()));
            status.sdk = sdk;
        });
    }

    /// Whether the agent can bring a session back and replays it.
    pub(super) const fn can_load(&self) -> bool {
        self.abilities.load_session
    }

    /// Whether the agent can bring a session back without a replay.
    pub(super) const fn can_resume(&self) -> bool {
        self.abilities.session_capabilities.resume.is_some()
    }

    /// The connection, to leave messages on.
    pub(super) const fn link(&mut self) -> &mut Link<ChildStdout, ChildStdin> {
        &mut self.link
    }

    /// Waits for the next message. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Incoming, LinkError> {
        if self.exit.is_none() {
            tokio::select! {
                biased;
                incoming = self.link.next() => return incoming,
                ended = self.process.ended() => self.exit = Some(ended),
            }
        }
        // What it wrote before its end is still in the pipe, and the pipe has an end now.
        self.link.next().await
    }

    /// Asks something and waits for the answer, or for the keeper to stop. Notifications go to `heard`; requests are refused.
    pub(super) async fn call<M: JsonRpcRequest>(
        &mut self,
        message: M,
        mut heard: impl FnMut(&str, serde_json::Value),
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
                Incoming::Notification { method, params } => heard(&method, params),
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

    /// Ends it, waits until nothing of its tree is left, and records why. `reason` is the house's; where the process ended by
    /// itself, [`ExitReason::Exited`] becomes what is known. `why` is told beside how it ended.
    pub(super) async fn end(
        mut self,
        house: &House,
        reason: ExitReason,
        parting: Parting,
        why: Option<String>,
    ) -> ProcessEnd {
        self.link.close();
        if parting == Parting::Kind && timeout(END_GRACE, self.process.ended()).await.is_err() {
            self.process.terminate();
            timeout(END_GRACE, self.process.ended()).await.ok();
        }
        self.process.kill();
        let ended = self.process.ended().await;
        let mut listener = mem::take(&mut self.listener);
        timeout(WORDS_GRACE, listener.join_next()).await.ok();
        let reason = match (&ended, reason) {
            (ProcessEnd::NotStarted(_), _) => ExitReason::NotStarted,
            (ProcessEnd::Signal(_), ExitReason::Exited) => ExitReason::Signalled,
            (_, reason) => reason,
        };
        let uptime = house.clock.monotonic().saturating_sub(self.began_at);
        house.record(ProcessExited {
            run: self.id,
            reason,
            message: why.map_or_else(
                || format!("it {}", how(&ended)),
                |why| format!("{why}; it {}", how(&ended)),
            ),
            uptime_ms: milliseconds(uptime),
            last_words: self.words.lines(),
        });
        house.tell(|status| {
            status.pid = None;
            status.run = None;
        });
        ended
    }

    /// Ends it after its connection broke, and says what that means to whoever waits for its answer.
    pub(super) async fn broken(self, house: &House, error: LinkError) -> MindError {
        let words = self.words.clone();
        let reason = match error {
            LinkError::Closed => ExitReason::Exited,
            LinkError::Stopping => ExitReason::Shutdown,
            _ => ExitReason::Protocol,
        };
        if reason == ExitReason::Exited {
            let ended = self.end(house, reason, Parting::Kind, None).await;
            let message = format!("it {}{}", how(&ended), said(&words));
            return MindError::Crashed { message };
        }
        self.end(house, reason, Parting::Kill, Some(error.to_string())).await;
        MindError::Unavailable { message: error.to_string() }
    }
}

/// An agent's own error, for people.
pub(super) fn told(error: &AcpError) -> String {
    let text = match &error.data {
        Some(serde_json::Value::String(more)) => format!("{}: {more}", error.message),
        Some(more) => format!("{} {more}", error.message),
        None => error.message.clone(),
    };
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    if error.code == ErrorCode::AUTH_REQUIRED {
        format!("the agent must be logged in first, by its own means ({text})")
    } else {
        format!("the agent answered with an error ({}: {text})", i32::from(error.code))
    }
}

fn how(ended: &ProcessEnd) -> String {
    match ended {
        ProcessEnd::Code(code) => format!("ended with exit code {code}"),
        ProcessEnd::Signal(signal) => format!("was ended by signal {signal}"),
        ProcessEnd::NotStarted(why) => format!("could not be started: {why}"),
        ProcessEnd::Lost => "ended, and nobody could see how".into(),
    }
}

fn said(words: &LastWords) -> String {
    let lines = words.lines();
    let last = lines.get(lines.len().saturating_sub(WORDS_TOLD)..).unwrap_or_default();
    if last.is_empty() { String::new() } else { format!("; it wrote last: {}", last.join(" / ")) }
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
