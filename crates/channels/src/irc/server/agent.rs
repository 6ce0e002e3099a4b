//! An agent on the server: how it is shown, what it says, and what becomes of that.

use abide_domain::AgentId;

use crate::irc::spoken::SpokenKind;

/// An agent as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPresence {
    /// The agent.
    pub id: AgentId,
    /// Its nick; `nick_for_agent` makes one of an id.
    pub nick: String,
    /// Its real name, such as its role.
    pub description: String,
    /// Why it does not answer now, where it does not.
    pub away: Option<String>,
}

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// The nick of the agent that speaks.
    pub from: String,
    /// A channel that it is in, the nick of a person, or `@account`: every connection of that account, whatever its nick.
    pub target: String,
    /// The text. Line ends and lengths are seen to.
    pub text: String,
    /// In which form.
    pub kind: SpokenKind,
}

/// What became of what an agent said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakOutcome {
    /// Ids of the lines.
    pub msgids: Vec<String>,
    /// Connections that it was queued for. Zero: nobody was there to hear it.
    pub people: usize,
}

/// Says why an agent could not speak or move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpeakError {
    /// No agent has this nick.
    #[error("no agent has the nick `{0}` on IRC")]
    NoSuchAgent(String),
    /// Nobody has this nick, or the agent is not in this channel.
    #[error("`{0}` is neither a channel that the agent is in nor the nick of a person")]
    NoSuchTarget(String),
    /// Nothing to say.
    #[error("the text is empty")]
    Empty,
    /// More lines than one call may speak.
    #[error("the text has too many lines")]
    TooLong,
    /// The server ended.
    #[error("the IRC server has ended")]
    Closed,
}
