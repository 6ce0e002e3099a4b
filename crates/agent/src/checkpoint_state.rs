//! What the built-in agent keeps: the state of a checkpoint in the specification's shape, changed by operations alone.
//!
//! It is a record of the agent's own doing. The truth about its conversations is the keeper's ledger, from which every turn
//! comes with all that it needs, so that nothing here changes what the agent says. Each operation follows from the state
//! and its parameters alone: a replay comes to the same state.

use abide_sdk::{Entry, State, StateError, unpack};
use abide_wire::{
    AgentState, AgentStatus, ConversationEntry, Extra, MemoryBlock, Raw, RegisteredTool, Role,
    Snapshot, ToolRegistry, Totals,
};
use serde_json::Value;

use crate::{
    limits::{CONVERSATION_BYTES_MAX, CONVERSATION_ENTRIES_MAX, MEMORY_BLOCKS_MAX, TOOLS_MAX},
    operation::{Answered, Forgotten, Memory, Operation, Said, Status, Tool},
};

/// The field of a conversation entry and of a memory that names its epoch.
const EPOCH: &str = "epoch";

/// The state.
#[derive(Clone, Debug, PartialEq)]
pub struct Notebook {
    snapshot: Snapshot,
    said_bytes: usize,
}

impl Notebook {
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
        Self { snapshot, said_bytes: 0 }
    }

    /// The state as a checkpoint holds it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The tool of that name.
    pub(crate) fn tool(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools().iter().find(|tool| tool.name == name)
    }

    /// How many tools are registered.
    pub(crate) fn tools(&self) -> &[RegisteredTool] {
        self.snapshot.tool_registry.as_ref().map_or(&[], |registry| &registry.tools)
    }

    /// Whether exactly these words of an epoch are written down.
    pub(crate) fn has_said(&self, epoch: &str, role: Role, content: &str) -> bool {
        self.said(epoch, role).is_some_and(|entry| entry.content == content)
    }

    /// Whether a call's memory is written down.
    pub(crate) fn has_memory(&self, source: &str) -> bool {
        self.snapshot.memory_blocks.iter().any(|block| is_of(block, "source", source))
    }

    /// Whether a fact is written down.
    pub(crate) fn has_fact(&self, fact_id: &str) -> bool {
        self.snapshot.memory_blocks.iter().any(|block| is_of(block, "fact_id", fact_id))
    }

    fn said(&self, epoch: &str, role: Role) -> Option<&ConversationEntry> {
        let history = self.snapshot.conversation_history.iter();
        history.rev().find(|entry| entry.role == role && is_in(entry, epoch))
    }

    fn remember(&mut self, memory: Memory, sequence: u64) {
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

    fn register(&mut self, tool: Tool) {
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

    /// Adds a part of what was said. The first part replaces what an earlier attempt left of the same words.
    fn say(&mut self, said: Said) {
        let history = &mut self.snapshot.conversation_history;
        let place = history
            .iter()
            .rposition(|entry| entry.role == said.role() && is_in(entry, &said.epoch));
        self.said_bytes += said.content.len();
        if said.part > 0 {
            if let Some(entry) = place.and_then(|place| history.get_mut(place)) {
                entry.content.push_str(&said.content);
            }
        } else {
            if let Some(place) = place {
                self.said_bytes -= history.remove(place).content.len();
            }
            history.push(ConversationEntry {
                role: said.role(),
                timestamp: said.timestamp,
                extra: Extra(vec![(EPOCH.to_owned(), Raw::from_json(&said.epoch.into()))]),
                content: said.content,
            });
        }
        self.shorten();
    }

    fn shorten(&mut self) {
        let history = &mut self.snapshot.conversation_history;
        while history.len() > 1
            && (history.len() > CONVERSATION_ENTRIES_MAX
                || self.said_bytes > CONVERSATION_BYTES_MAX)
        {
            self.said_bytes -= history.remove(0).content.len();
        }
    }

    fn update(&mut self, status: &Status) {
        if let Some(state) = &mut self.snapshot.agent_state {
            state.status =
                AgentStatus::ALL.iter().copied().find(|known| known.as_str() == status.status);
        }
        if let Some(answered) = status.context.answered {
            self.count(answered);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean over less than 2^53 requests")]
    fn count(&mut self, answered: Answered) {
        let Some(totals) = &mut self.snapshot.metrics else { return };
        let requests = totals.total_requests.unwrap_or(0) + 1;
        let before = totals.avg_latency.unwrap_or(0.0);
        let mean = before + (answered.latency_ms as f64 - before) / requests as f64;
        totals.total_requests = Some(requests);
        totals.avg_latency = Some(mean);
        totals.error_count = Some(totals.error_count.unwrap_or(0) + u64::from(!answered.ok));
    }

    fn forget(&mut self, forgotten: &Forgotten) {
        self.snapshot.memory_blocks.retain(|block| !is_of(block, "fact_id", &forgotten.fact_id));
    }
}

impl State for Notebook {
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        match Operation::read(entry)? {
            Operation::MemoryAdd(memory) => self.remember(memory, entry.sequence),
            Operation::MemoryRemove(forgotten) => self.forget(&forgotten),
            Operation::ToolRegister(tool) => self.register(tool),
            Operation::StateUpdate(status) => self.update(&status),
            Operation::ConversationAdd(said) => self.say(said),
        }
        Ok(())
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        Ok(self.snapshot.to_raw())
    }

    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
        self.snapshot = Snapshot::from_raw(snapshot)?;
        self.said_bytes =
            self.snapshot.conversation_history.iter().map(|entry| entry.content.len()).sum();
        Ok(())
    }
}

fn is_in(entry: &ConversationEntry, epoch: &str) -> bool {
    entry.extra.get(EPOCH).and_then(Raw::as_text) == Some(epoch)
}

fn is_of(block: &MemoryBlock, field: &str, value: &str) -> bool {
    let metadata = block.metadata.as_ref();
    metadata
        .and_then(|metadata| metadata.get(&[field]))
        .is_some_and(|raw| raw.as_text() == Some(value))
}

/// Reads parameters of an operation.
pub(crate) fn params<T: serde::de::DeserializeOwned>(entry: &Entry) -> Result<T, StateError> {
    unpack(&entry.params)
}
