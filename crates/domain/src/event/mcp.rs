//! `mcp.*`: what was accepted of the tools of other programs. The entity is the keeper; the author is who accepted it: the keeper
//! itself of the first list of a server, a person of all that is new or changed later. What a tool's text would have a model do is
//! data here, as it was sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;

event_group! {
    /// What is accepted of servers of the Model Context Protocol.
    McpEvent {
        /// A tool may be offered to agents as it describes itself here, until it describes itself in another way.
        ToolAccepted(McpToolAccepted) = "mcp.tool_accepted" v 1,
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
