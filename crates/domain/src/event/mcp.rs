//! `mcp.*`: what was accepted of the tools of other programs, and what these asked of people in mid-call. The entity is the keeper;
//! of a question, the agent that called, where that is known. The author is who accepted or answered: the keeper itself for the first
//! list of a server and for what nobody answered, a person for all else. What a tool's text would have a model do is data here, as it
//! was sent. What people fill in is in no event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{AgentId, CallId, EpochId, QuestionId, Timestamp};

event_group! {
    /// What is accepted of servers of the Model Context Protocol, and what they ask.
    McpEvent {
        /// A tool may be offered to agents as it describes itself here, until it describes itself in another way.
        ToolAccepted(McpToolAccepted) = "mcp.tool_accepted" v 1,
        /// A server asks something of a person in mid-call.
        QuestionAsked(McpQuestionAsked) = "mcp.question_asked" v 1,
        /// The question is over: a person answered, or nobody will.
        QuestionAnswered(McpQuestionAnswered) = "mcp.question_answered" v 1,
    }
}

/// A tool of a server, with all that a model reads of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpToolAccepted {
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool, by the server's own name.
    pub tool: String,
    /// Its description, as the server sent it.
    pub description: String,
    /// The schema of its arguments, as the server sent it.
    pub schema: Value,
    /// Its hints (`annotations`), as the server sent them; null where it sent none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub hints: Value,
}

/// What a server asks: the values of a form, or that somebody visits an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpQuestionAsked {
    /// Its id.
    pub question_id: QuestionId,
    /// The server, by its name in the configuration.
    pub server: String,
    /// The agent that called; none where several calls of the server ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The epoch of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<EpochId>,
    /// The call in which it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// Its words, with everything hidden in them made visible.
    pub message: String,
    /// The schema of the form; null where it asks for a visit.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// The address to visit, whole; none where it asks for a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When nobody is waited for any more.
    pub until: Timestamp,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpQuestionAnswered {
    /// The question.
    pub question_id: QuestionId,
    /// How.
    pub answer: McpAnswer,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpAnswer {
    /// A person filled in the form, or has been at the address. The values went to the server and nowhere else.
    Accepted,
    /// A person said no.
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The call ended first, or the keeper did.
    Withdrawn,
}

impl McpAnswer {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}
