//! What the session is told, what it wants done, and what whoever holds the client sees of it.

use crate::irc::{
    line::IrcMessage,
    spoken::{SpokenKind, SpokenLine},
};

/// What happened: the input of the session.
#[derive(Debug)]
pub(in crate::irc::client) enum SessionEvent {
    /// The connection is up.
    Connected,
    /// It is gone, or never came up.
    Lost { reason: String },
    /// The server sent a line.
    Line(IrcMessage),
    /// The time that was asked for has come.
    Wake,
    /// The agent wants to say something.
    Say { ticket: u64, target: String, text: String, kind: SpokenKind },
    /// The client is shut down.
    Stop,
}

/// What is to be done: the output of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::irc::client) enum SessionAction {
    /// Connect.
    Dial,
    /// Write a line.
    Send(String),
    /// Drop the connection.
    HangUp,
    /// Hand a message to the listener.
    Deliver(Box<SpokenLine>),
    /// Tell whoever asked for something to be said.
    Settle { ticket: u64, outcome: Result<SendCertainty, SayError> },
    /// The state is another.
    StateChanged,
}

/// How a client stands, for status pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClientState {
    /// It did not run yet.
    #[default]
    New,
    /// It waits before it tries again.
    Waiting {
        /// Why.
        reason: String,
    },
    /// It connects or registers.
    Connecting,
    /// It is on the network.
    Online {
        /// Under this nick.
        nick: String,
        /// In these channels.
        channels: Vec<String>,
    },
    /// It ended.
    Stopped,
}

/// How sure it is that something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendCertainty {
    /// The server echoed it; the id of its last line, where it has one.
    Confirmed(Option<String>),
    /// It was written to a connection that was up. The server does not confirm.
    Written,
}

/// Says why nothing was said, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SayError {
    /// The network is not there.
    #[error("not connected to the network")]
    NotConnected,
    /// The agent is not in that channel.
    #[error("not in channel {0}")]
    NotJoined(String),
    /// Nothing to say, or not to be said to that target.
    #[error("the text is empty")]
    Empty,
    /// Too much waits to be said already.
    #[error("too many lines are waiting to be sent; try again later")]
    Full,
    /// The server refused it.
    #[error("the server refused it: {0}")]
    Refused(String),
    /// The connection broke before it was known to have been said.
    #[error("the connection broke before the server confirmed the message")]
    Broken,
    /// The client ended.
    #[error("the IRC client has ended")]
    Closed,
}
