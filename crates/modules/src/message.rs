//! The messages between keeper and process: one JSON object a line. Never used for anything else: the ledger and HTTP have
//! types of their own. A message that is not exactly one of these ends the link.

use abide_domain::tool::EffectClass;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    failure::ScriptError, kind::ModuleKind, passage::RankRequest, passage_uses::PassageUses,
};

/// From the keeper: exactly one of the three beside the id.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(crate) load: Option<LoadRequest<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<CallRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_result: Option<ToolResult>,
}

/// Takes a module's code.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadRequest<'a> {
    pub(crate) module: ModuleKind,
    #[serde(borrow)]
    pub(crate) code: std::borrow::Cow<'a, str>,
    pub(crate) deadline_ms: u64,
}

/// Calls a module that was loaded.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallRequest {
    pub(crate) deadline_ms: u64,
    pub(crate) input: CallInput,
}

/// What is called, with what.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallInput {
    Rank(RankRequest),
    Tool { tool: String, arguments: Value },
    Command { command: String, text: String },
}

impl CallInput {
    /// The kind of module that this is for.
    pub(crate) fn kind(&self) -> ModuleKind {
        match self {
            Self::Rank(_) => ModuleKind::Memory,
            Self::Tool { .. } => ModuleKind::Tools,
            Self::Command { .. } => ModuleKind::Dsl,
        }
    }
}

/// What a tool of the keeper gave: exactly one of the two beside the number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolResult {
    pub(crate) n: u32,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(crate) ok: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// A value that is there, also where it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// From the process: exactly one of `ok`, `error` and `tool_call`; the first two end the call and say its cost.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ok: Option<AnswerBody>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ScriptError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call: Option<ToolCall>,
    #[serde(default)]
    pub(crate) wall_us: u64,
    #[serde(default)]
    pub(crate) cpu_us: u64,
    #[serde(default)]
    pub(crate) memory_bytes: u64,
}

/// What a call gave.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerBody {
    Loaded(ModuleDeclarations),
    Ids(Vec<u64>),
    Value(Value),
    Text(String),
}

/// A module's tool asks for a tool of the keeper.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolCall {
    /// Counts from 1 within a call.
    pub(crate) n: u32,
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// What a module declared while it was loaded; the memory module declares nothing, and its code says what it looks at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleDeclarations {
    /// Tools, in the order of their declarations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<DeclaredTool>,
    /// Commands, in the order of their declarations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<DeclaredCommand>,
    /// What a memory module may look at of a passage; no more is sent to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<PassageUses>,
}

/// A tool that a module declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredTool {
    /// `namespace.verb`, at most 64 bytes of `[a-z0-9_.]`.
    pub name: String,
    /// What a mind reads of it.
    pub description: String,
    /// The JSON schema (an object schema) of its arguments.
    pub schema: Value,
    /// What running it changes.
    pub effect: EffectClass,
}

/// A command that a module declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredCommand {
    /// Its name, without the backslash.
    pub name: String,
    /// What it does, for people and minds.
    pub help: String,
}
