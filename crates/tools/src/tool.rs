//! The trait of a tool, its input and its output.
//!
//! Everything a tool may use is in its [`Call`]; it must not use another clock, other ids or another agent's memory. A failure is data for the mind's next turn.

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, CallId, EpochId, IdSource, Timestamp, Zone, event::Event, tool::ToolSpec,
};
use abide_memory::Listener;
use futures_util::future::BoxFuture;
use jsonschema::Validator;
use serde_json::Value;

use crate::{
    AgentDecks, CallProgress, Commands, InnerCalls, KeptValues, MemoryLookup, MemoryQuestion,
    Permission, ToolError,
};

/// Something that a mind can call.
pub trait Tool: Send + Sync + fmt::Debug {
    /// Its name, description, parameters and effect.
    fn spec(&self) -> &ToolSpec;

    /// Whether this call may run again when it is unknown whether it ran.
    fn idempotent(&self, arguments: &Value) -> bool {
        let _ = arguments;
        self.spec().idempotent
    }

    /// The parts of this call that a person is asked about even where the policy allows the tool.
    fn delicate_parts(&self, arguments: &Value) -> Vec<DelicatePart> {
        let _ = arguments;
        Vec::new()
    }

    /// What the tool itself says about a call, beside the policy of `[tools]`, which it cannot widen: refused, or a person is asked
    /// even where the policy allows the tool, or nobody is asked where the policy says `ask`. None: the policy decides alone.
    fn judge(&self, agent: &AgentId, arguments: &Value) -> Option<Permission> {
        let _ = (agent, arguments);
        None
    }

    /// How long a call may take, where `limits.tool` is not what fits it.
    fn time_limit(&self, arguments: &Value) -> Option<Duration> {
        let _ = arguments;
        None
    }

    /// What a call would change, for the person who is asked about it: a diff, most often. Changes nothing. None: the arguments
    /// say it all. An error: the call would fail with it as things stand.
    fn preview<'a>(
        &'a self,
        agent: &'a AgentId,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        let _ = (agent, arguments);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The tool that lets an agent see what this one's preview looks at: where that one needs a person's yes, so does the news that
    /// this call would fail. None: the preview looks at nothing but the arguments and what is the agent's own.
    fn preview_reads_as(&self) -> Option<&'static str> {
        None
    }

    /// Whether it is refused where the epoch holds text that no person vouches for.
    fn needs_trusted_text(&self) -> bool {
        false
    }

    /// Whether what it does is in the ledger before it returns, so that all that led to it has to be there first.
    fn writes_at_once(&self) -> bool {
        false
    }

    /// The schema of its arguments, compiled; none where that is left to the registry.
    fn compiled_schema(&self) -> Option<Arc<Validator>> {
        None
    }

    /// Runs it. The engine has checked the arguments against the schema and sets the deadline by dropping the future.
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>>;
}

/// A part of a call that a person is asked about, unless the policy names it and says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelicatePart {
    /// Its name, as lists of the policy have it: the tool's, a dot, and what it does.
    pub name: &'static str,
    /// Whoever gains by it, without the `@`: nobody is asked where the keeper knows that agent or person. None: a person is
    /// always asked.
    pub to: Option<String>,
}

/// What the ledger holds for the tools of an agent, with what the open epoch has staged.
#[derive(Clone, Debug, Default)]
pub struct ToolState {
    /// What tools keep for the agent.
    pub kept: KeptValues,
    /// All decks, and the one that the agent works with.
    pub decks: AgentDecks,
}

/// One call, with all that it may use.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "ledger and wire call it `call_id`")]
pub struct Call<'a> {
    /// The agent whose mind calls.
    pub agent: &'a AgentId,
    /// The open epoch.
    pub epoch: EpochId,
    /// The call, unique in its epoch.
    pub call_id: &'a CallId,
    /// Its arguments, an object.
    pub arguments: &'a Value,
    /// The present.
    pub now: Timestamp,
    /// Where new ids come from.
    pub ids: &'a dyn IdSource,
    /// Who sent the stimulus that the epoch answers.
    pub sender: &'a str,
    /// The words of that stimulus.
    pub said: &'a str,
    /// Who hears what the epoch answers.
    pub listener: Listener<'a>,
    /// Whether the sender is an administrator, who may have forgotten and replaced what others told.
    pub administrator: bool,
    /// Where the sender is, as far as that is known, else where the keeper's people are.
    pub zone: &'a Zone,
    /// Whether the epoch contains text that no person vouches for: the keeper's own stimulus, or something fetched.
    pub untrusted: bool,
    /// What the agent remembers.
    pub memory: &'a dyn MemoryLookup,
    /// What the ledger holds for the agent's tools.
    pub state: &'a ToolState,
    /// Runs the command language for it.
    pub commands: &'a dyn Commands,
    /// Runs other tools for a tool that the agent made.
    pub inner: &'a dyn InnerCalls,
    /// The tools that the agent may use.
    pub offered: &'a [ToolSpec],
    /// The names of those that its prompt shows with their schemas; empty where it shows all, or where that is not known.
    pub shown: &'a [String],
    /// Where it says how it goes to the people who watch; the result has nothing to do with it.
    pub progress: &'a CallProgress,
}

impl<'a> Call<'a> {
    /// A question of the sender to the agent's memory, now.
    pub(crate) fn question(&self, words: &'a str) -> MemoryQuestion<'a> {
        MemoryQuestion { words, asker: self.sender, listener: self.listener, now: self.now }
    }
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The result for the mind, most often JSON.
    pub content: String,
    /// Set where the result is not to be kept: the note that replaces it after the epoch.
    pub ethereal: Option<String>,
    /// Events that take effect when the epoch commits. Only tools of class `state` have any.
    pub staged: Vec<Event>,
    /// Whether an error ended it half-way: the content says which, and what it staged before stays.
    pub is_cut: bool,
}

impl Output {
    /// A result that is kept and changes nothing.
    pub fn json(content: &Value) -> Self {
        Self { content: content.to_string(), ..Self::default() }
    }
}
