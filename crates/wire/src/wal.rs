//! Operations that an agent writes ahead: kept verbatim, so that a restore gives back what was sent.

use crate::{
    field::{ReadContext, WireValue, a_map, label, read_part, wire_map, write_part},
    field_error::{FieldErrorCode, Path, RefusalError},
    message_type::Version,
    raw::{Extra, Raw},
    snapshot::AgentStatus,
};

wire_map! {
    /// One operation, logged before it is done. Operations that are not known here are kept and returned as they are.
    WalEntry {
        /// `memory_add`, `tool_register`, `state_update`, or any other of the agent's own.
        operation: String [label],
        /// Its parameters: a map.
        params: Raw [a_map],
        /// Rising by one; from 1 in version 3.
        sequence: u64 [from_one],
        ..extra
    }

    /// Parameters of `memory_add`.
    MemoryAdd {
        /// The text.
        content: String,
        /// A map of the agent's own.
        metadata: Option<Raw>,
        /// 0 to 1.
        importance: Option<f64>,
    }

    /// Parameters of `tool_register`.
    ToolRegister {
        /// The tool.
        name: String [label],
        /// Names of its parameters.
        params: Vec<String>,
        /// What it does.
        doc: Option<String>,
    }

    /// Parameters of `state_update`.
    StateUpdate {
        /// What the agent is doing.
        status: Option<AgentStatus>,
        /// A map of the agent's own.
        context: Option<Raw>,
    }
}

/// Rule: version 3 counts from 1.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "rules get a reference to the field")]
fn from_one(sequence: &u64, path: &Path<'_>, reading: &mut ReadContext) {
    if *sequence == 0 && reading.version >= Version::V3 {
        reading.problems.add(
            path,
            FieldErrorCode::Value,
            "must be at least 1: sequences begin at 1",
        );
    }
}

/// The operations of the specification, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Something to remember.
    MemoryAdd(MemoryAdd),
    /// A tool that is new.
    ToolRegister(ToolRegister),
    /// A change of the agent's state.
    StateUpdate(StateUpdate),
}

impl Operation {
    /// The operation on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MemoryAdd(_) => "memory_add",
            Self::ToolRegister(_) => "tool_register",
            Self::StateUpdate(_) => "state_update",
        }
    }

    fn params(&self) -> Raw {
        match self {
            Self::MemoryAdd(params) => write_part(params),
            Self::ToolRegister(params) => write_part(params),
            Self::StateUpdate(params) => write_part(params),
        }
    }
}

impl WalEntry {
    /// An entry with parameters of the agent's own.
    pub fn new(sequence: u64, operation: impl Into<String>, params: Raw) -> Self {
        Self { operation: operation.into(), params, sequence, extra: Extra::default() }
    }

    /// An entry of the specification.
    pub fn of(sequence: u64, operation: &Operation) -> Self {
        Self::new(sequence, operation.name(), operation.params())
    }

    /// Reads the operation; `None` for one that is the agent's own.
    pub fn operation(&self) -> Result<Option<Operation>, RefusalError> {
        fn read<T: WireValue>(
            params: &Raw,
            wrap: impl Fn(T) -> Operation,
        ) -> Result<Option<Operation>, RefusalError> {
            read_part(params).map(|params| Some(wrap(params)))
        }
        match self.operation.as_str() {
            "memory_add" => read(&self.params, Operation::MemoryAdd),
            "tool_register" => read(&self.params, Operation::ToolRegister),
            "state_update" => read(&self.params, Operation::StateUpdate),
            _ => Ok(None),
        }
    }

    /// Reads an entry that was stored by itself.
    pub fn from_raw(raw: &Raw) -> Result<Self, RefusalError> {
        read_part(raw)
    }

    /// The entry as one value, to be stored.
    pub fn to_raw(&self) -> Raw {
        write_part(self)
    }
}
