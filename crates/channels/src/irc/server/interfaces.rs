//! What the server is given: who may connect, who gets what is said, and what was said before.
//!
//! The server knows no engine, no ledger and no token. It hands what it hears to a [`ChannelSink`] and believes a [`Admission`].

use std::fmt;

use abide_domain::{AgentId, Timestamp};
use abide_http::Secret;
use futures_util::future::BoxFuture;

use crate::irc::spoken::{Speaker, SpokenKind, SpokenLine, Target};

/// Decides who may connect.
pub trait Admission: Send + Sync + fmt::Debug {
    /// The account that a name and a password prove, in its own spelling; `None` where they prove nothing.
    ///
    /// Compares secrets in constant time. `account` is untrusted and may be empty.
    fn admit<'a>(&'a self, account: &'a str, password: &'a Secret)
    -> BoxFuture<'a, Option<String>>;
}

/// Says why a line was refused. The speaker reads it in a notice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Gets what is said on the server, and answers for its history.
pub trait ChannelSink: Send + Sync + fmt::Debug {
    /// Somebody said something where agents can hear it, or an agent did. Must not block: the line is queued or
    /// refused.
    fn on_line(&self, line: SpokenLine) -> Result<(), SinkError>;

    /// What was said before, oldest first, at most `query.limit` lines.
    fn history(&self, query: HistoryQuery)
    -> BoxFuture<'_, Result<Vec<HistoryLine>, HistoryError>>;

    /// Where something was said that the asker may see, the oldest first by its last line.
    fn targets(
        &self,
        _query: TargetsQuery,
    ) -> BoxFuture<'_, Result<Vec<HistoryTarget>, HistoryError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// A person set a channel's topic. Whoever wants it there after a restart remembers.
    fn on_topic(&self, _topic: TopicChange) {}

    /// A person has read up to a moment. Whoever wants that known after a restart remembers.
    fn on_read(&self, _marker: ReadMarker) {}

    /// A person invited an agent to a channel, and it is there now. Whoever wants it there after a restart remembers.
    fn on_invite(&self, _agent: &AgentId, _channel: &str) {}

    /// A person sent an agent out of a channel, and it is gone.
    fn on_dismiss(&self, _agent: &AgentId, _channel: &str) {}
}

/// A point in what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryPoint {
    /// The line with this id.
    Msgid(String),
    /// A time. Clients name it to the millisecond.
    At(Timestamp),
}

/// Which lines are asked for. But for `Around`, the points themselves are no part of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryRange {
    /// The newest ones, where given only those after a point.
    Latest(Option<HistoryPoint>),
    /// The newest ones before a point.
    Before(HistoryPoint),
    /// The oldest ones after a point.
    After(HistoryPoint),
    /// Half of them before a point, half of them from the point itself on.
    Around(HistoryPoint),
    /// Those between two points, counted from the first one.
    Between(HistoryPoint, HistoryPoint),
}

/// A question about what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Who asks. What was said to an agent alone is shown to the account that said it.
    pub account: Option<String>,
    /// Where it was said.
    pub target: Target,
    /// Which lines.
    pub window: HistoryRange,
    /// How many at most.
    pub limit: usize,
}

/// A question about where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetsQuery {
    /// Who asks; agents are listed that were alone with this account.
    pub account: Option<String>,
    /// The channels that the asker is in.
    pub channels: Vec<String>,
    /// Only places whose last line is after this.
    pub after: Timestamp,
    /// Only places whose last line is before this.
    pub before: Timestamp,
    /// How many at most.
    pub limit: usize,
}

/// A place where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryTarget {
    /// Where.
    pub target: Target,
    /// When its last line was said.
    pub at: Timestamp,
}

/// A topic that a person set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicChange {
    /// The channel.
    pub channel: String,
    /// The topic; empty where there is none any more.
    pub topic: String,
    /// By which nick.
    pub nick: String,
    /// By whom.
    pub account: String,
}

/// How far somebody has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMarker {
    /// Who.
    pub account: String,
    /// The channel, or the nick of the other side, in small letters.
    pub target: String,
    /// Up to when.
    pub at: Timestamp,
}

/// One earlier line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    /// Who said it.
    pub speaker: Speaker,
    /// The nick it was said under.
    pub nick: String,
    /// The text.
    pub text: String,
    /// In which form.
    pub kind: SpokenKind,
    /// Its id.
    pub msgid: String,
    /// When.
    pub at: Timestamp,
}

/// Says why no history could be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The line that the question names is not known.
    #[error("no message has this id")]
    UnknownPoint,
    /// The history could not be read.
    #[error("the history could not be read: {0}")]
    Unavailable(String),
}
