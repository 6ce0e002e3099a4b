//! How a link opens, for both ends: pure machines over messages, without a socket.
//!
//! `hello` first makes a link of version 3; anything else first makes one of version 1 or 2, which is kept alive,
//! checkpointed and restored, but cannot be asked. Nothing is asked before the agent is ready, and nothing that changes
//! its stored state is taken before the state was given back.

use abide_domain::AgentId;

use crate::{
    from_agent::{FromAgent, Hello, RestoreAck},
    message::{Body as _, Message},
    message_type::{MessageType, Version},
    problem::{Problem, ProblemCode, RefusalCode, RefusalError},
    to_agent::{KeeperError, Restore, ToAgent, Welcome},
};

/// What the keeper knows of a link before the agent speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Whom it belongs to.
    pub agent: AgentId,
    /// The run that is in force: an older one is refused.
    pub run: String,
    /// Whether a hello without a run is taken: a process that the keeper did not start.
    pub accepts_unnamed: bool,
    /// Whether there is a checkpoint or an operation to be given back.
    pub has_state: bool,
}

/// What the keeper has to do after a message.
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
    /// Nothing about the link: treat the message.
    Pass,
}

/// Where a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Nobody has spoken.
    Opening,
    /// The state was sent, its taking over is awaited.
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

/// The keeper's end.
#[derive(Clone, Debug)]
pub struct KeeperHandshake {
    expected: Expected,
    state: LinkState,
    version: Version,
}

impl KeeperHandshake {
    /// Waits for the agent to speak.
    pub fn new(expected: Expected) -> Self {
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

    /// Takes a message in its turn. After a refusal with `STALE_RUN`, or before any hello was taken, the link is to be
    /// closed ([`LinkState::Closed`]); after another one it goes on.
    pub fn receive(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        match self.state {
            LinkState::Opening => self.open(message),
            LinkState::Older => self.older(message),
            LinkState::Closed => Err(order("", "the link is closed")),
            LinkState::Restoring | LinkState::Starting | LinkState::Ready => self.proceed(message),
        }
    }

    fn open(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        let version = message.envelope.version;
        self.version = version;
        let FromAgent::Hello(hello) = &message.body else {
            if version >= Version::V3 {
                self.state = LinkState::Closed;
                return Err(order("type", "the first message of version 3 is hello"));
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
        let Expected { agent, run, accepts_unnamed, .. } = &self.expected;
        if hello.agent != *agent {
            let message = format!("this link belongs to `{agent}`, not to `{}`", hello.agent);
            let problem = Problem::new("agent", ProblemCode::Value, message);
            return Err(RefusalError::new(RefusalCode::InvalidMessage, problem));
        }
        if hello.run == *run || (hello.run.is_empty() && *accepts_unnamed) {
            return Ok(());
        }
        let message = format!("the run `{}` is over or was never; `{run}` is in force", hello.run);
        let problem = Problem::new("run", ProblemCode::Run, message);
        Err(RefusalError::new(RefusalCode::StaleRun, problem))
    }

    /// Versions 1 and 2 may be mixed, for only some messages need the second.
    fn older(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        let version = message.envelope.version;
        if version >= Version::V3 {
            let problem = "version 3 begins with hello, as the first message of a link";
            return Err(order("version", problem));
        }
        self.version = self.version.max(version);
        Ok(KeeperStep::Pass)
    }

    fn proceed(&mut self, message: &Message<FromAgent>) -> Result<KeeperStep, RefusalError> {
        if message.envelope.version < Version::V3 {
            return Err(order("version", "every message after hello says `version: 3`"));
        }
        match (&message.body, self.state) {
            (FromAgent::Hello(_), _) => Err(order("type", "hello was said already")),
            (FromAgent::RestoreAck(ack), LinkState::Restoring) if ack.ok => {
                self.state = LinkState::Starting;
                Ok(KeeperStep::Restored(ack.clone()))
            }
            (FromAgent::RestoreAck(ack), LinkState::Restoring) => {
                self.state = LinkState::Closed;
                Ok(KeeperStep::RestoreFailed(ack.clone()))
            }
            (FromAgent::RestoreAck(_), _) => Err(order("type", "no restore is open")),
            (FromAgent::Ready(_), LinkState::Starting) => {
                self.state = LinkState::Ready;
                Ok(KeeperStep::Ready)
            }
            (FromAgent::Ready(_), LinkState::Restoring) => {
                Err(not_ready("the restore is to be acknowledged first"))
            }
            (FromAgent::Ready(_), _) => Err(order("type", "ready was said already")),
            (body, state) => match too_early(body.message_type(), state) {
                Some(why) => Err(not_ready(why)),
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
            Some("nothing was asked yet: say ready first")
        }
        (WalEntry | WalBatch | Checkpoint, LinkState::Restoring) => Some(
            "the restore is to be acknowledged first: this would stand on a state that is not yours yet",
        ),
        _ => None,
    }
}

/// What an agent has to do after a message.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentStep {
    /// Welcome; there is no state to take over. Say ready.
    Welcomed(Welcome),
    /// Welcome; a restore comes next.
    AwaitRestore(Welcome),
    /// Take over this state, acknowledge it, then say ready.
    Restore(Box<Restore>),
    /// The keeper does not take this process: end.
    Refused(KeeperError),
    /// Nothing about the link: treat the message.
    Pass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentState {
    AwaitWelcome,
    AwaitRestore,
    Open,
}

/// An agent's end, in version 3: say hello, then hand each message in.
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
    /// Hello was said.
    pub fn new() -> Self {
        Self { state: AgentState::AwaitWelcome }
    }

    /// Takes a message in its turn.
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
            (AgentState::AwaitWelcome, _) => Err(order("type", "welcome comes first")),
            (AgentState::AwaitRestore, _) => Err(not_ready("the restore comes first")),
            (AgentState::Open, ToAgent::Welcome(_)) => Err(order("type", "welcome came already")),
            (AgentState::Open, _) => Ok(AgentStep::Pass),
        }
    }
}

fn order(path: &str, message: &str) -> RefusalError {
    RefusalError::new(RefusalCode::InvalidMessage, Problem::new(path, ProblemCode::Order, message))
}

fn not_ready(message: &str) -> RefusalError {
    RefusalError::new(RefusalCode::NotReady, Problem::new("type", ProblemCode::Order, message))
}
