//! What a checkpoint holds, in the specification's shape. The keeper never needs it: to it a checkpoint is opaque.
//! Agents that keep their state in this shape, and tools that show it, do.

use crate::{
    field::{read_part, wire_map, wire_words, write_part},
    field_error::RefusalError,
    raw::Raw,
};

wire_words! {
    /// What an agent says it is doing. Shown, and no evidence of anything (decision 32).
    AgentStatus {
        /// Waiting.
        Idle "idle",
        /// Asking its model.
        Thinking "thinking",
        /// Running a tool.
        Acting "acting",
        /// Changing itself.
        Evolving "evolving",
    }

    /// Who said something.
    Role {
        /// A person or program.
        User "user",
        /// The agent.
        Assistant "assistant",
    }
}

wire_map! {
    /// A checkpoint's `data`. Every part may be missing; parts that are not known here are kept.
    Snapshot {
        /// Who the agent is and what it is doing.
        agent_state: Option<AgentState>,
        /// What it remembers.
        memory_blocks: Vec<MemoryBlock>,
        /// The tools that it knows.
        tool_registry: Option<ToolRegistry>,
        /// What was said, oldest first.
        conversation_history: Vec<ConversationEntry>,
        /// What it counted.
        metrics: Option<Totals>,
        ..extra
    }

    /// Who the agent is and what it is doing.
    AgentState {
        /// Its id.
        id: Option<String>,
        /// Its name.
        name: Option<String>,
        /// The version of its code.
        version: Option<String>,
        /// What it is doing.
        status: Option<AgentStatus>,
        ..extra
    }

    /// One memory.
    MemoryBlock {
        /// Its id.
        id: String,
        /// The text.
        text: String,
        /// The text's vector; empty where there is none.
        embedding: Vec<f32>,
        /// A map of the agent's own.
        metadata: Option<Raw>,
        /// 0 to 1.
        importance: Option<f64>,
        /// How often it was used.
        access_count: Option<u64>,
        /// Seconds since 1970-01-01T00:00:00Z.
        created: Option<i64>,
        ..extra
    }

    /// The tools that an agent knows.
    ToolRegistry {
        /// In the order of their registration.
        tools: Vec<RegisteredTool>,
    }

    /// One tool.
    RegisteredTool {
        /// Its name.
        name: String,
        /// Names of its parameters.
        params: Vec<String>,
        /// What it does.
        doc: Option<String>,
        /// Whether it may do harm.
        is_unsafe as "unsafe": Option<bool>,
    }

    /// Something that was said.
    ConversationEntry {
        /// Who said it.
        role: Role,
        /// The words.
        content: String,
        /// Seconds since 1970-01-01T00:00:00Z.
        timestamp: i64,
        ..extra
    }

    /// What an agent counted since its beginning.
    Totals {
        /// Requests answered.
        total_requests: Option<u64>,
        /// Milliseconds.
        avg_latency: Option<f64>,
        /// Requests that failed.
        error_count: Option<u64>,
        ..extra
    }
}

impl Snapshot {
    /// Reads a state that has this shape.
    pub fn from_raw(state: &Raw) -> Result<Self, RefusalError> {
        read_part(state)
    }

    /// The state as one value.
    pub fn to_raw(&self) -> Raw {
        write_part(self)
    }

    /// What the agent of a state says it is doing, without reading the rest.
    pub fn status(state: &Raw) -> Option<AgentStatus> {
        read_part(&state.get(&["agent_state", "status"])?).ok()
    }
}
