//! Messages from the keeper to an agent.

use serde_json::Value;

use crate::{
    field::{MapReader, ReadContext, WireFields, in_v3, label, short, wire_map, wire_words},
    field_error::{RefusalError, format_errors},
    message::bodies,
    message_type::Version,
    payload::Payload,
    turn_context::TurnContext,
    wal::WalEntry,
    writer::Writer,
};

bodies! {
    /// A message from the keeper.
    ToAgent ToAgent {
        /// Answers hello.
        Welcome(Welcome),
        /// A checkpoint is durable.
        CheckpointAck(CheckpointAck),
        /// Gives the agent its state back.
        Restore(Restore),
        /// Code to load.
        HotReload(HotReload),
        /// What became of an intent.
        EvolutionResult(EvolutionResult),
        /// One turn to answer.
        ProcessRequest(ProcessRequest),
        /// A turn that need not be answered.
        ProcessCancel(ProcessCancel),
        /// The agent is to end.
        Shutdown(Shutdown),
        /// Operations are durable.
        WalAck(WalAck),
        /// Asks whether the process lives.
        Ping(Ping),
        /// Asks for a checkpoint.
        CheckpointRequest(CheckpointRequest),
        /// Asks for measurements.
        MetricsRequest(MetricsRequest),
        /// Something went wrong.
        Error(KeeperError),
    }
}

wire_words! {
    /// What became of an intent.
    Decision {
        /// The new code is in use.
        Promoted "promoted",
        /// The old code stays.
        Rejected "rejected",
    }

    /// Why a turn need not be answered.
    CancelReason {
        /// Its time is over.
        Deadline "deadline",
        /// The epoch was aborted.
        Abort "abort",
        /// The watchdog paged: the turn is asked again.
        Page "page",
    }

    /// Why a checkpoint is asked for.
    CheckpointReason {
        /// A person asked.
        Manual "manual",
        /// Something risky comes.
        Risk "risk",
        /// The agent is to end.
        Shutdown "shutdown",
        /// The WAL has grown long.
        Wal "wal",
        /// The last one is old.
        Interval "interval",
    }
}

wire_map! {
    /// Answers hello.
    Welcome {
        /// Name and version of the keeper.
        keeper: String,
        /// The run that this link belongs to.
        run: String [short],
        /// What the keeper takes.
        limits: LinkLimits,
        /// The sequence that the next WAL entry must have.
        next_sequence: u64,
        /// Whether a restore follows; the agent says ready after it, else at once.
        restore: Option<bool>,
    }

    /// What the keeper takes.
    LinkLimits {
        /// Longest frame of all, in bytes.
        frame_bytes_max: u64,
        ..extra
    }

    /// A checkpoint is durable.
    CheckpointAck {
        /// Its id.
        checkpoint_id: String [label],
        /// Bytes on disk.
        size: u64,
    }

    /// Code to load into the running agent.
    HotReload {
        /// The code.
        code: String,
        /// The module: `memory`, `tools`, `dsl` or another.
        module: String [label],
        /// What to go back to.
        backup_checkpoint_id: String [short],
    }

    /// What became of an intent.
    EvolutionResult {
        /// Whether the change was made.
        success: bool,
        /// What was decided.
        decision: Decision,
        /// What was measured.
        metrics: Option<EvolutionMetrics>,
        /// Why.
        reason: String,
    }

    /// Relative changes that were measured; negative is less.
    EvolutionMetrics {
        /// Of latency.
        latency_improvement: Option<f64>,
        /// Of the error rate.
        error_rate_change: Option<f64>,
        /// Of memory.
        memory_increase: Option<f64>,
        ..extra
    }

    /// One turn to answer.
    ProcessRequest {
        /// Names the attempt: an answer to an older one is dropped.
        request_id: String [label],
        /// The turn.
        input as "data": ProcessInput,
    }

    /// What is asked.
    ProcessInput {
        /// The stimulus, verbatim.
        message: std::sync::Arc<str>,
        /// Everything else that the turn needs.
        context: Option<TurnContext>,
        /// Who sent it.
        user_id: String,
    }

    /// A turn that need not be answered; an answer or an error still ends it.
    ProcessCancel {
        /// The attempt.
        request_id: String [label],
        /// Why.
        reason: CancelReason,
    }

    /// The agent is to end.
    Shutdown {
        /// Why.
        reason: String,
        /// Whether to send a checkpoint first.
        create_checkpoint: bool,
    }

    /// All operations up to this one are durable.
    WalAck {
        /// Cumulative.
        sequence: u64,
    }

    /// Asks whether the process lives.
    Ping {
        /// Comes back in the pong.
        nonce: u64,
    }

    /// Asks for a checkpoint now.
    CheckpointRequest {
        /// Why.
        reason: CheckpointReason,
    }

    /// Asks for measurements now.
    MetricsRequest {}

    /// Something went wrong.
    KeeperError {
        /// The error.
        error: KeeperErrorBody,
        /// The request that it is about.
        request_id (since V3): Option<String>,
    }

    /// What went wrong.
    KeeperErrorBody {
        /// One of [`crate::turn::error_code`].
        code: String [label],
        /// For people.
        message: String,
        /// Such as `path` and `problems` with `INVALID_MESSAGE`.
        details: Option<Value>,
    }
}

/// Gives an agent its state back.
#[derive(Clone, Debug, PartialEq)]
pub struct Restore {
    /// The checkpoint; empty where there is none yet and only operations follow.
    pub checkpoint_id: String,
    /// Its state, as the agent gave it; an empty map where there is none.
    pub state: Payload,
    /// The operations after it, in order.
    pub wal_entries: Vec<WalEntry>,
    /// The sequence that the next WAL entry must have; version 3 always says it.
    pub next_sequence: Option<u64>,
}

impl WireFields for Restore {
    fn read_fields(map: &mut MapReader<'_>, reading: &mut ReadContext) -> Option<Self> {
        let checkpoint_id: Option<String> = map.field("checkpoint_id", reading);
        if let Some(id) = &checkpoint_id {
            short(id, &map.path.key("checkpoint_id"), reading);
        }
        let wal_entries = map.field("wal_entries", reading);
        let next_sequence = map.field_since("next_sequence", Version::V3, reading)?;
        in_v3(&next_sequence, &map.path.key("next_sequence"), reading);
        let state = Payload::read(map, "snapshot", reading)?;
        Some(Self {
            checkpoint_id: checkpoint_id?,
            state,
            wal_entries: wal_entries?,
            next_sequence,
        })
    }

    fn count(&self, version: Version) -> usize {
        let is_named = self.next_sequence.is_some() && version >= Version::V3;
        2 + self.state.count() + usize::from(is_named)
    }

    fn write_fields(&self, out: &mut Writer<'_>) {
        out.text("checkpoint_id");
        out.text(&self.checkpoint_id);
        if let Some(sequence) = self.next_sequence.filter(|_| out.version >= Version::V3) {
            out.text("next_sequence");
            out.unsigned(sequence);
        }
        self.state.write("snapshot", out);
        out.text("wal_entries");
        crate::field::WireValue::write(&self.wal_entries, out);
    }
}

impl RefusalError {
    /// The error frame that the keeper answers with; `details` holds the first path and all problems.
    pub fn to_keeper_error(&self) -> ToAgent {
        ToAgent::Error(KeeperError {
            error: KeeperErrorBody {
                code: self.code.as_str().into(),
                message: format_errors(&self.problems),
                details: Some(self.details()),
            },
            request_id: self.request_id.clone(),
        })
    }
}
