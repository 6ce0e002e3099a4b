//! How a link opens, for both ends: pure state machines over messages, without a socket.
//!
//! `hello` first makes a link of version 3; anything else first makes one of version 1 or 2, which is kept alive,
//! checkpointed and restored, but cannot be asked. Nothing is asked before the agent is ready, and nothing that changes
//! its stored state is taken before the state was given back.

use abide_domain::AgentId;

use crate::{
    field_error::{FieldError, FieldErrorCode, RefusalCode, RefusalError},
    from_agent::{FromAgent, Hello, RestoreAck},
    message::{Body as _, Message},
    message_type::{MessageType, Version},
    to_agent::{KeeperError, Restore, ToAgent, Welcome},
};

/// What the keeper expects on a link before the agent's first message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedAgent {
    /// The agent that the link belongs to.
    pub agent: AgentId,
    /// The run that is in force: an older one is refused.
    pub run: String,
    /// Whether a hello without a run is accepted: from a process that the keeper did not start.
    pub accepts_unnamed: bool,
    /// Whether there is a checkpoint or an operation to be given back.
    pub has_state: bool,
}

/// What the keeper must do after a message.
#[derive(Clone, Debug, PartialEq)]
pub enum KeeperStep {
    /// Send a welcome, then the restore if there is a state.
    Welcome(Hello),
    /// Send the restore if there is a state; then treat this first message like any other.
    Older(Version),
    /// The state was taken over.
    Restored(RestoreAck),
    /// The agent could not take its state: it must not run on without it.
    RestoreFailed(RestoreAck),
    /// The agent may be asked.
    Ready,
    /// Nothing about the link: handle the message.
    Pass,
}

/// The state of a link's handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// No message came yet.
    Opening,
    /// The state was sent; its acknowledgement is awaited.
    Restoring,
    /// Ready is awaited.
    Starting,
    /// The agent may be asked.
    Ready,
    /// Version 1 or 2: may not be asked.
    Older,
    /// Refused, or its state could not be taken over: to be closed.
    Closed,
}

/// The keeper's end of a handshake; each link has one.
#[derive(Clone, Debug)]
pub struct KeeperHandshake {
    expected: ExpectedAgent,
    state: LinkState,
    version: Version,
}

impl KeeperHandshake {
    /// Waits for the agent's first message.
    pub fn new(expected: ExpectedAgent) -> Self {
        Self { expected, state: LinkState::Opening, version: Version::V1 }
    }

    /// Where the link stands.
    pub fn state(&self) -> LinkState {
        self.state
    }

    /// The version to write in.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether the agent may be asked.
    pub fn is_ready(&self) -> bool {
        self.state == LinkState::Ready
    }

    /// Takes the next message. After a refusal with `STALE_RUN`, or before a hello was accepted, the link must be
    /// closed ([`LinkState::Closed`]); after another one it goes on.
    pub fn receive(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        match self.state {
            LinkState::Opening => self.open(message),
            LinkState::Older => self.older(message),
            LinkState::Closed => Err(order_refusal("", "the link is closed")),
            LinkState::Restoring | LinkState::Starting | LinkState::Ready => self.proceed(message),
        }
    }

    fn open(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        let version = message.envelope.version;
        self.version = version;
        let FromAgent::Hello(hello) = &message.body else {
            if version >= Version::V3 {
                self.state = LinkState::Closed;
                return Err(order_refusal("type", "the first message of version 3 must be hello"));
            }
            self.state = LinkState::Older;
            return Ok(KeeperStep::Older(version));
        };
        if let Err(refusal) = self.check(hello) {
            self.state = LinkState::Closed;
            return Err(refusal);
        }
        let has_state = self.expected.has_state;
        self.state = if has_state { LinkState::Restoring } else { LinkState::Starting };
        Ok(KeeperStep::Welcome(hello.clone()))
    }

    fn check(&self, hello: &Hello) -> Result<(), RefusalError> {
        let ExpectedAgent { agent, run, accepts_unnamed, .. } = &self.expected;
        if hello.agent != *agent {
            let message = format!("this link belongs to `{agent}`, not to `{}`", hello.agent);
            let problem = FieldError::new("agent", FieldErrorCode::Value, message);
            return Err(RefusalError::new(RefusalCode::InvalidMessage, problem));
        }
        if hello.run == *run || (hello.run.is_empty() && *accepts_unnamed) {
            return Ok(());
        }
        let message = format!("the run `{}` is not in force; `{run}` is", hello.run);
        let problem = FieldError::new("run", FieldErrorCode::Run, message);
        Err(RefusalError::new(RefusalCode::StaleRun, problem))
    }

    /// Versions 1 and 2 may be mixed, for only some messages need the second.
    fn older(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        let version = message.envelope.version;
        if version >= Version::V3 {
            let problem = "version 3 must begin with hello as the first message of a link";
            return Err(order_refusal("version", problem));
        }
        self.version = self.version.max(version);
        Ok(KeeperStep::Pass)
    }

    fn proceed(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        if message.envelope.version < Version::V3 {
            return Err(order_refusal(
                "version",
                "every message after hello must have `version: 3`",
            ));
        }
        match (&message.body, self.state) {
            (FromAgent::Hello(_), _) => Err(order_refusal("type", "hello was already sent")),
            (FromAgent::RestoreAck(ack), LinkState::Restoring) if ack.ok => {
                self.state = LinkState::Starting;
                Ok(KeeperStep::Restored(ack.clone()))
            }
            (FromAgent::RestoreAck(ack), LinkState::Restoring) => {
                self.state = LinkState::Closed;
                Ok(KeeperStep::RestoreFailed(ack.clone()))
            }
            (FromAgent::RestoreAck(_), _) => {
                Err(order_refusal("type", "no restore waits for an acknowledgement"))
            }
            (FromAgent::Ready(_), LinkState::Starting) => {
                self.state = LinkState::Ready;
                Ok(KeeperStep::Ready)
            }
            (FromAgent::Ready(_), LinkState::Restoring) => {
                Err(not_ready_refusal("the restore must be acknowledged first"))
            }
            (FromAgent::Ready(_), _) => Err(order_refusal("type", "ready was already sent")),
            (body, state) => match too_early(body.message_type(), state) {
                Some(why) => Err(not_ready_refusal(why)),
                None => Ok(KeeperStep::Pass),
            },
        }
    }
}

/// Why a message must wait.
fn too_early(kind: MessageType, state: LinkState) -> Option<&'static str> {
    use MessageType::{Checkpoint, ProcessDelta, ProcessResponse, WalBatch, WalEntry};
    match (kind, state) {
        (ProcessDelta | ProcessResponse, LinkState::Restoring | LinkState::Starting) => {
            Some("nothing was asked yet: send ready first")
        }
        (WalEntry | WalBatch | Checkpoint, LinkState::Restoring) => {
            Some("the restore must be acknowledged first: the state is not restored yet")
        }
        _ => None,
    }
}

/// What an agent must do after a message.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentStep {
    /// Welcome; there is no state to restore. Send ready.
    Welcomed(Welcome),
    /// Welcome; a restore comes next.
    AwaitRestore(Welcome),
    /// Restore this state, acknowledge it, then send ready.
    Restore(Box<Restore>),
    /// The keeper refuses this process: end.
    Refused(KeeperError),
    /// Nothing about the link: handle the message.
    Pass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentState {
    AwaitWelcome,
    AwaitRestore,
    Open,
}

/// An agent's end of a handshake, in version 3: send hello, then pass each message in.
#[derive(Clone, Debug)]
pub struct AgentHandshake {
    state: AgentState,
}

impl Default for AgentHandshake {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentHandshake {
    /// A handshake whose hello was sent.
    pub fn new() -> Self {
        Self { state: AgentState::AwaitWelcome }
    }

    /// Takes the next message.
    pub fn receive(&mut self, message: Message<ToAgent>) -> Result<AgentStep, RefusalError> {
        match (self.state, message.body) {
            (AgentState::AwaitWelcome, ToAgent::Welcome(welcome)) => {
                if welcome.restore == Some(true) {
                    self.state = AgentState::AwaitRestore;
                    return Ok(AgentStep::AwaitRestore(welcome));
                }
                self.state = AgentState::Open;
                Ok(AgentStep::Welcomed(welcome))
            }
            (AgentState::AwaitWelcome, ToAgent::Error(error)) => Ok(AgentStep::Refused(error)),
            (AgentState::AwaitRestore, ToAgent::Restore(restore)) => {
                self.state = AgentState::Open;
                Ok(AgentStep::Restore(Box::new(restore)))
            }
            (AgentState::AwaitWelcome, ToAgent::Ping(_) | ToAgent::Shutdown(_))
            | (
                AgentState::AwaitRestore,
                ToAgent::Ping(_) | ToAgent::Shutdown(_) | ToAgent::Error(_),
            ) => Ok(AgentStep::Pass),
            (AgentState::AwaitWelcome, _) => Err(order_refusal("type", "welcome must come first")),
            (AgentState::AwaitRestore, _) => Err(not_ready_refusal("the restore must come first")),
            (AgentState::Open, ToAgent::Welcome(_)) => {
                Err(order_refusal("type", "welcome was already received"))
            }
            (AgentState::Open, _) => Ok(AgentStep::Pass),
        }
    }
}

fn order_refusal(path: &str, message: &str) -> RefusalError {
    RefusalError::new(
        RefusalCode::InvalidMessage,
        FieldError::new(path, FieldErrorCode::Order, message),
    )
}

fn not_ready_refusal(message: &str) -> RefusalError {
    RefusalError::new(
        RefusalCode::NotReady,
        FieldError::new("type", FieldErrorCode::Order, message),
    )
}
