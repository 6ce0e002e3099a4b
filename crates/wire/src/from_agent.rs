//! Messages from an agent to its keeper.

use abide_domain::{AgentId, Secret};
use serde_json::Value;

use crate::{
    field::{MapReader, ReadContext, WireFields, an_object, in_v3, label, short, wire_map},
    field_error::{RefusalError, format_errors},
    message::bodies,
    message_type::Version,
    payload::Payload,
    turn_context::WireUsage,
    wal::WalEntry,
    writer::Writer,
};

bodies! {
    /// A message from an agent.
    FromAgent FromAgent {
        /// Opens a link of version 3.
        Hello(Hello),
        /// Says whether the state was taken over.
        RestoreAck(RestoreAck),
        /// The agent may be asked from now on.
        Ready(Ready),
        /// The process lives; its progress counter.
        Heartbeat(Heartbeat),
        /// The agent's state, to be stored.
        Checkpoint(Checkpoint),
        /// Logs one operation.
        WalEntry(WalEntry) in "data",
        /// Logs several operations.
        WalBatch(Vec<WalEntry>) in "data",
        /// The agent proposes a change of its code.
        EvolutionIntent(Hypothesis) in "hypothesis",
        /// Measurements.
        Metrics(Metrics) in "data",
        /// A piece of a growing answer.
        ProcessDelta(ProcessDelta),
        /// An answer.
        ProcessResponse(ProcessResponse),
        /// Answers a ping.
        Pong(Pong),
        /// Says whether new code was loaded.
        HotReloadAck(HotReloadAck),
        /// Evidence for the agent's peers.
        Evidence(Evidence),
        /// Something went wrong.
        Error(AgentError),
    }
}

wire_map! {
    /// Opens a link of version 3; the agent speaks first.
    Hello {
        /// The agent's id.
        agent: AgentId,
        /// `ABIDE_RUN` as the process got it; empty for a process that the keeper did not start.
        run: String [short],
        /// What it can do: `stream`, `restore`, `hot_reload` and others of its own.
        capabilities: Vec<String>,
        /// Name and version of its SDK.
        sdk: Option<String>,
        /// Proves on a socket that it may speak for the agent.
        token: Option<Secret>,
    }

    /// Answers a restore.
    RestoreAck {
        /// Whether the state was taken over.
        ok: bool,
        /// The last WAL sequence that the state holds now.
        sequence: u64,
        /// Why not.
        error: Option<Failure>,
    }

    /// The agent may be asked.
    Ready {}

    /// The process lives.
    Heartbeat {
        /// Moved by the work loop alone: the second clock (decision 32).
        progress as "p" (since V3): Option<u64> [in_v3],
    }

    /// The agent wants to change itself.
    Hypothesis {
        /// Why.
        reason: String,
        /// What is to be changed: `memory_system`, `tool_framework`, `dsl` or another.
        target: String [label],
        /// The new code.
        new_code: String,
        /// What it is to bring, as relative changes.
        expected_improvement: Option<Improvement>,
    }

    /// Relative changes; negative is less.
    Improvement {
        /// Of latency.
        latency: Option<f64>,
        /// Of memory.
        memory: Option<f64>,
        /// Of accuracy.
        accuracy: Option<f64>,
        ..extra
    }

    /// Measurements. What an agent does not measure, it leaves out.
    Metrics {
        /// Milliseconds.
        avg_latency: Option<f64>,
        /// Milliseconds.
        p50_latency: Option<f64>,
        /// Milliseconds.
        p95_latency: Option<f64>,
        /// Milliseconds.
        p99_latency: Option<f64>,
        /// Share of failed requests, 0 to 1.
        error_rate: Option<f64>,
        /// Bytes.
        memory_usage: Option<u64>,
        /// Requests per second.
        throughput: Option<f64>,
        /// Tools that can be called.
        active_tools: Option<u64>,
        /// Memories held.
        memory_blocks: Option<u64>,
        ..extra
    }

    /// A piece of a growing answer; not durable.
    ProcessDelta {
        /// The request that it belongs to.
        request_id: String [label],
        /// The new text.
        text: String,
        /// Whether it is reasoning.
        thought: Option<bool>,
    }

    /// The answer to a request.
    ProcessResponse {
        /// The request that it answers.
        request_id: String [label],
        /// The voice, not yet checked: what does not fit is repaired in another turn, not refused here.
        voice: Value,
        /// What it cost.
        usage: Option<WireUsage>,
        /// What the model's provider wants back with the results of the calls: kept while the epoch is open, unread, and given
        /// back with the step. With `needed: true` in it, it is kept over a restart of the keeper too.
        provider_state: Option<Value>,
    }

    /// Answers a ping, from the I/O thread: life, not progress.
    Pong {
        /// The ping's.
        nonce: u64,
    }

    /// Answers a hot reload.
    HotReloadAck {
        /// The module.
        module: String [label],
        /// Whether it was loaded.
        ok: bool,
        /// Why not.
        error: Option<Failure>,
    }

    /// Something for the agent's peers to see.
    Evidence {
        /// What it is: a map of the agent's own.
        body: Value [an_object],
        /// Such as `observation`.
        claim_type: Option<String>,
        /// Words to find it by.
        tags: Vec<String>,
    }

    /// Something went wrong.
    AgentError {
        /// The error.
        error: AgentErrorBody,
        /// The open request that ends by it.
        request_id (since V3): Option<String>,
        /// Whether it ends the turn even without naming a request.
        fatal (since V3): Option<bool>,
        /// What the failed attempt cost.
        usage (since V3): Option<WireUsage>,
    }

    /// What went wrong.
    AgentErrorBody {
        /// Such as `MEMORY_FULL`, `TOOL_FAILED`, `EVAL_ERROR`, or one of [`crate::turn::error_code`].
        code: String [label],
        /// For people.
        message: String,
        /// Where.
        stack_trace: Option<String>,
        /// A map of the agent's own.
        context: Option<Value>,
        /// With `MODEL_RATE_LIMITED`: how long to wait.
        retry_after_ms (since V3): Option<u64>,
    }

    /// Why an agent could not restore its state or load code.
    Failure {
        /// For programs.
        code: Option<String>,
        /// For people.
        message: String,
    }
}

/// The agent's private state.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The state; opaque to the keeper.
    pub state: Payload,
    /// The last WAL sequence that the state holds, 0 for none; version 3 always says it.
    pub wal_sequence: Option<u64>,
}

impl WireFields for Checkpoint {
    fn read_fields(map: &mut MapReader<'_>, reading: &mut ReadContext) -> Option<Self> {
        let state = Payload::read(map, "data", reading);
        let wal_sequence = map.field_since("wal_sequence", Version::V3, reading)?;
        in_v3(&wal_sequence, &map.path.key("wal_sequence"), reading);
        Some(Self { state: state?, wal_sequence })
    }

    fn count(&self, version: Version) -> usize {
        let is_named = self.wal_sequence.is_some() && version >= Version::V3;
        self.state.count() + usize::from(is_named)
    }

    fn write_fields(&self, out: &mut Writer<'_>) {
        if let Some(sequence) = self.wal_sequence.filter(|_| out.version >= Version::V3) {
            out.text("wal_sequence");
            out.unsigned(sequence);
        }
        self.state.write("data", out);
    }
}

impl RefusalError {
    /// The error frame that an agent answers with; `context` holds the first path and all problems.
    pub fn to_agent_error(&self) -> FromAgent {
        FromAgent::Error(AgentError {
            error: AgentErrorBody {
                code: self.code.as_str().into(),
                message: format_errors(&self.problems),
                stack_trace: None,
                context: Some(self.details()),
                retry_after_ms: None,
            },
            request_id: self.request_id.clone(),
            fatal: None,
            usage: None,
        })
    }
}
