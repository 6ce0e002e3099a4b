//! What the built-in agent keeps: the state of a checkpoint in the specification's shape, changed by operations alone.
//!
//! It is a record of the agent's own doing. The truth about its conversations is the keeper's ledger, from which every turn
//! comes with all that it needs, so that nothing here changes what the agent says. Each operation follows from the state
//! and its parameters alone: a replay comes to the same state.

use abide_sdk::{Entry, State, StateError};
use abide_wire::{
    AgentState, AgentStatus, ConversationEntry, Extra, MemoryBlock, Raw, RegisteredTool, Role,
    Snapshot, ToolRegistry, Totals,
};
use serde_json::Value;

use crate::{
    limits::{CONVERSATION_BYTES_MAX, CONVERSATION_ENTRIES_MAX, MEMORY_BLOCKS_MAX, TOOLS_MAX},
    operation::{
        ConversationPart, MemoryAddition, MemoryRemoval, Operation, StatusUpdate, ToolRegistration,
        TurnOutcome,
    },
};

/// The field of a conversation entry and of a memory that names its epoch.
const EPOCH: &str = "epoch";

/// The built-in agent's private state. The session holds it; only logged operations change it.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointState {
    snapshot: Snapshot,
    conversation_bytes: usize,
}

impl CheckpointState {
    /// The state of an agent that has done nothing yet.
    pub fn new(agent: &str) -> Self {
        let agent_state = AgentState {
            id: Some(agent.to_owned()),
            name: Some(agent.to_owned()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            status: Some(AgentStatus::Idle),
            extra: Extra::default(),
        };
        let snapshot = Snapshot {
            agent_state: Some(agent_state),
            memory_blocks: Vec::new(),
            tool_registry: Some(ToolRegistry { tools: Vec::new() }),
            conversation_history: Vec::new(),
            metrics: Some(Totals {
                total_requests: Some(0),
                avg_latency: Some(0.0),
                error_count: Some(0),
                extra: Extra::default(),
            }),
            extra: Extra::default(),
        };
        Self { snapshot, conversation_bytes: 0 }
    }

    /// The state as a checkpoint holds it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The registered tool of that name.
    pub(crate) fn tool(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools().iter().find(|tool| tool.name == name)
    }

    /// The registered tools.
    pub(crate) fn tools(&self) -> &[RegisteredTool] {
        self.snapshot.tool_registry.as_ref().map_or(&[], |registry| &registry.tools)
    }

    /// Whether exactly this text of an epoch is in the conversation.
    pub(crate) fn has_text(&self, epoch: &str, role: Role, content: &str) -> bool {
        self.entry(epoch, role).is_some_and(|entry| entry.content == content)
    }

    /// Whether the memory of a call is stored.
    pub(crate) fn has_memory(&self, source: &str) -> bool {
        self.snapshot.memory_blocks.iter().any(|block| has_metadata(block, "source", source))
    }

    /// Whether a fact is stored.
    pub(crate) fn has_fact(&self, fact_id: &str) -> bool {
        self.snapshot.memory_blocks.iter().any(|block| has_metadata(block, "fact_id", fact_id))
    }

    fn entry(&self, epoch: &str, role: Role) -> Option<&ConversationEntry> {
        let history = self.snapshot.conversation_history.iter();
        history.rev().find(|entry| entry.role == role && is_of_epoch(entry, epoch))
    }

    fn add_memory(&mut self, memory: MemoryAddition, sequence: u64) {
        let blocks = &mut self.snapshot.memory_blocks;
        blocks.push(MemoryBlock {
            id: format!("m{sequence}"),
            text: memory.content,
            // Recall is the keeper's; a vector is for agents that search by themselves.
            embedding: Vec::new(),
            created: memory.metadata.get("created").and_then(Value::as_i64),
            metadata: Some(Raw::from_json(&memory.metadata)),
            importance: Some(memory.importance),
            access_count: Some(0),
            extra: Extra::default(),
        });
        if blocks.len() > MEMORY_BLOCKS_MAX {
            blocks.remove(0);
        }
    }

    fn register_tool(&mut self, tool: ToolRegistration) {
        let registry = &mut self.snapshot.tool_registry;
        let tools = &mut registry.get_or_insert_with(|| ToolRegistry { tools: Vec::new() }).tools;
        let registered = RegisteredTool {
            name: tool.name,
            params: tool.params,
            doc: Some(tool.doc),
            is_unsafe: Some(tool.is_unsafe),
        };
        match tools.iter_mut().find(|known| known.name == registered.name) {
            Some(known) => *known = registered,
            None => tools.push(registered),
        }
        if tools.len() > TOOLS_MAX {
            tools.remove(0);
        }
    }

    /// Adds a part of a text. The first part replaces what an earlier attempt left of the same text.
    fn add_part(&mut self, part: ConversationPart) {
        let history = &mut self.snapshot.conversation_history;
        let index = history
            .iter()
            .rposition(|entry| entry.role == part.role() && is_of_epoch(entry, &part.epoch));
        self.conversation_bytes += part.content.len();
        if part.part > 0 {
            if let Some(entry) = index.and_then(|index| history.get_mut(index)) {
                entry.content.push_str(&part.content);
            }
        } else {
            if let Some(index) = index {
                self.conversation_bytes -= history.remove(index).content.len();
            }
            history.push(ConversationEntry {
                role: part.role(),
                timestamp: part.timestamp,
                extra: Extra(vec![(EPOCH.to_owned(), Raw::from_json(&part.epoch.into()))]),
                content: part.content,
            });
        }
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let history = &mut self.snapshot.conversation_history;
        while history.len() > 1
            && (history.len() > CONVERSATION_ENTRIES_MAX
                || self.conversation_bytes > CONVERSATION_BYTES_MAX)
        {
            self.conversation_bytes -= history.remove(0).content.len();
        }
    }

    fn update_status(&mut self, status: &StatusUpdate) {
        if let Some(state) = &mut self.snapshot.agent_state {
            state.status =
                AgentStatus::ALL.iter().copied().find(|known| known.as_str() == status.status);
        }
        if let Some(outcome) = status.context.answered {
            self.count(outcome);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean over less than 2^53 requests")]
    fn count(&mut self, outcome: TurnOutcome) {
        let Some(totals) = &mut self.snapshot.metrics else { return };
        let requests = totals.total_requests.unwrap_or(0) + 1;
        let before = totals.avg_latency.unwrap_or(0.0);
        let mean = before + (outcome.latency_ms as f64 - before) / requests as f64;
        totals.total_requests = Some(requests);
        totals.avg_latency = Some(mean);
        totals.error_count = Some(totals.error_count.unwrap_or(0) + u64::from(!outcome.ok));
    }

    fn remove_memory(&mut self, removal: &MemoryRemoval) {
        self.snapshot
            .memory_blocks
            .retain(|block| !has_metadata(block, "fact_id", &removal.fact_id));
    }
}

impl State for CheckpointState {
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        match Operation::read(entry)? {
            Operation::MemoryAdd(memory) => self.add_memory(memory, entry.sequence),
            Operation::MemoryRemove(removal) => self.remove_memory(&removal),
            Operation::ToolRegister(tool) => self.register_tool(tool),
            Operation::StateUpdate(status) => self.update_status(&status),
            Operation::ConversationAdd(part) => self.add_part(part),
        }
        Ok(())
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        Ok(self.snapshot.to_raw())
    }

    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
        self.snapshot = Snapshot::from_raw(snapshot)?;
        self.conversation_bytes =
            self.snapshot.conversation_history.iter().map(|entry| entry.content.len()).sum();
        Ok(())
    }
}

fn is_of_epoch(entry: &ConversationEntry, epoch: &str) -> bool {
    entry.extra.get(EPOCH).and_then(Raw::as_text) == Some(epoch)
}

fn has_metadata(block: &MemoryBlock, field: &str, value: &str) -> bool {
    let metadata = block.metadata.as_ref();
    metadata
        .and_then(|metadata| metadata.get(&[field]))
        .is_some_and(|raw| raw.as_text() == Some(value))
}
