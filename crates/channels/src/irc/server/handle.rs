//! The handle of the server: every call answers when the server has done it.

use std::net::SocketAddr;

use abide_domain::Timestamp;
use tokio::sync::{mpsc, oneshot};

use super::{
    agent::{AgentPresence, SpeakError, SpeakOutcome, Speech},
    interfaces::ReadMarker,
    state::{Census, Effect, ServerState},
};
use crate::irc::clock_reading::ClockReading;

/// Where an answer goes. Whoever asked may have gone, and then nobody is to be told.
type Reply<T> = oneshot::Sender<T>;

/// A call of the handle.
#[derive(Debug)]
pub(super) enum ServerRequest {
    SetAgents { agents: Vec<AgentPresence>, answer: Reply<()> },
    Say { speech: Speech, answer: Reply<Result<SpeakOutcome, SpeakError>> },
    Join { nick: String, channel: String, answer: Reply<Result<(), SpeakError>> },
    Part { nick: String, channel: String, answer: Reply<Result<(), SpeakError>> },
    Topic { channel: String, text: String, answer: Reply<Result<(), SpeakError>> },
    Hearers { from: String, target: String, answer: Reply<usize> },
    RestoreReadMarkers { markers: Vec<ReadMarker>, answer: Reply<()> },
    RestoreTopic { channel: String, text: String, by: String, at: Timestamp, answer: Reply<()> },
    Census { answer: Reply<Census> },
    DropAccount { account: String, reason: String, answer: Reply<()> },
}

impl ServerRequest {
    pub(super) fn carry_out(self, state: &mut ServerState, now: ClockReading) -> Vec<Effect> {
        match self {
            Self::SetAgents { agents, answer } => {
                let effects = state.set_agents(now, agents);
                let _ = answer.send(());
                effects
            }
            Self::Say { speech, answer } => done(state.say(now, &speech), answer),
            Self::Join { nick, channel, answer } => {
                done(state.agent_joins(now, &nick, &channel), answer)
            }
            Self::Part { nick, channel, answer } => {
                done(state.agent_parts(now, &nick, &channel), answer)
            }
            Self::Topic { channel, text, answer } => {
                done(state.topic(now, &channel, &text), answer)
            }
            Self::Hearers { from, target, answer } => {
                let _ = answer.send(state.hearers(&from, &target));
                Vec::new()
            }
            Self::RestoreTopic { channel, text, by, at, answer } => {
                state.restore_topic(&channel, text, by, at);
                let _ = answer.send(());
                Vec::new()
            }
            Self::RestoreReadMarkers { markers, answer } => {
                state.restore_read_markers(&markers);
                let _ = answer.send(());
                Vec::new()
            }
            Self::Census { answer } => {
                drop(answer.send(state.census()));
                Vec::new()
            }
            Self::DropAccount { account, reason, answer } => {
                done(((), state.drop_account(now, &account, &reason)), answer)
            }
        }
    }
}

fn done<T>((outcome, effects): (T, Vec<Effect>), answer: Reply<T>) -> Vec<Effect> {
    drop(answer.send(outcome));
    effects
}

/// Sets agents, lets them speak and move, and counts. A cheap clone.
#[derive(Clone, Debug)]
pub struct ServerHandle {
    requests: mpsc::Sender<ServerRequest>,
    address: Option<SocketAddr>,
}

impl ServerHandle {
    pub(super) const fn new(
        requests: mpsc::Sender<ServerRequest>,
        address: Option<SocketAddr>,
    ) -> Self {
        Self { requests, address }
    }

    /// Where the server listens.
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Makes the agents that are shown those of the list; all of them are in the home channel.
    pub async fn set_agents(&self, agents: Vec<AgentPresence>) -> Result<(), SpeakError> {
        self.ask(|answer| ServerRequest::SetAgents { agents, answer }).await
    }

    /// Lets an agent speak in a channel that it is in, or to a person.
    pub async fn say(&self, speech: Speech) -> Result<SpeakOutcome, SpeakError> {
        self.ask(|answer| ServerRequest::Say { speech, answer }).await?
    }

    /// Puts an agent into a channel.
    pub async fn join(&self, nick: &str, channel: &str) -> Result<(), SpeakError> {
        let (nick, channel) = (nick.to_owned(), channel.to_owned());
        self.ask(|answer| ServerRequest::Join { nick, channel, answer }).await?
    }

    /// Takes an agent out of a channel; the home channel is left by nobody.
    pub async fn part(&self, nick: &str, channel: &str) -> Result<(), SpeakError> {
        let (nick, channel) = (nick.to_owned(), channel.to_owned());
        self.ask(|answer| ServerRequest::Part { nick, channel, answer }).await?
    }

    /// Sets a channel's topic.
    pub async fn topic(&self, channel: &str, text: &str) -> Result<(), SpeakError> {
        let (channel, text) = (channel.to_owned(), text.to_owned());
        self.ask(|answer| ServerRequest::Topic { channel, text, answer }).await?
    }

    /// How many connections would hear this agent there, in the form of [`Speech::target`].
    pub async fn hearers(&self, from: &str, target: &str) -> Result<usize, SpeakError> {
        let (from, target) = (from.to_owned(), target.to_owned());
        self.ask(|answer| ServerRequest::Hearers { from, target, answer }).await
    }

    /// Gives a channel the topic that it had before a restart, also where nobody is in it yet.
    pub async fn restore_topic(
        &self,
        channel: &str,
        (text, by, at): (&str, &str, Timestamp),
    ) -> Result<(), SpeakError> {
        let (channel, text, by) = (channel.to_owned(), text.to_owned(), by.to_owned());
        self.ask(|answer| ServerRequest::RestoreTopic { channel, text, by, at, answer }).await
    }

    /// Takes read markers that were set before a restart.
    pub async fn restore_read_markers(&self, markers: Vec<ReadMarker>) -> Result<(), SpeakError> {
        self.ask(|answer| ServerRequest::RestoreReadMarkers { markers, answer }).await
    }

    /// Counts who is here.
    pub async fn census(&self) -> Result<Census, SpeakError> {
        self.ask(|answer| ServerRequest::Census { answer }).await
    }

    /// Ends every connection of an account: it may not be here any more.
    pub async fn drop_account(&self, account: &str, reason: &str) -> Result<(), SpeakError> {
        let (account, reason) = (account.to_owned(), reason.to_owned());
        self.ask(|answer| ServerRequest::DropAccount { account, reason, answer }).await
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> ServerRequest,
    ) -> Result<T, SpeakError> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(request(answer)).await.map_err(|_| SpeakError::Closed)?;
        answered.await.map_err(|_| SpeakError::Closed)
    }
}
