//! What a running call says, as `/events` sends it: `tool.progress`. It is in no ledger; the result of the call is.

use abide_engine::ToolProgress;
use abide_tools::{CallStep, CallUpdate, OutputPiece, OutputStream};
use serde::Serialize;
use utoipa::ToSchema;

/// What a running call said since its last update, at most four times a second. Not durable: a client that connects later or reads
/// slowly does not get it, and a gap in `sequence` shows it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolProgressView {
    /// The epoch of the call.
    epoch_id: String,
    /// The call, as in `tool.requested`.
    call_id: String,
    /// The number of this among the updates of the call, from 0.
    sequence: u64,
    /// What a command wrote: a piece of each stream at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    output: Vec<OutputPieceView>,
    /// How far the call has come, where its tool said it anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<CallStepView>,
}

/// A piece of what a command wrote.
#[derive(Debug, Serialize, ToSchema)]
struct OutputPieceView {
    stream: OutputStreamView,
    /// Bytes of the stream between the last piece and this one that are not shown: it wrote more than is sent.
    left_out_bytes: u64,
    /// The text as the command wrote it, at most 4 KiB before bytes that are no UTF-8 are replaced; may hold hidden characters.
    text: String,
}

/// Where a command writes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OutputStreamView {
    Stdout,
    Stderr,
}

/// How far a call has come, in the words of its tool.
#[derive(Debug, Serialize, ToSchema)]
struct CallStepView {
    /// Steps that are done; never fewer than before.
    done: f64,
    /// How many there are, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    /// One line without hidden characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl ToolProgressView {
    pub(super) fn of(said: ToolProgress) -> Self {
        let ToolProgress { epoch, call_id, update, .. } = said;
        let CallUpdate { sequence, output, step } = update;
        Self {
            epoch_id: epoch.to_string(),
            call_id: call_id.to_string(),
            sequence,
            output: output.into_iter().map(OutputPieceView::of).collect(),
            step: step.map(|CallStep { done, total, message }| CallStepView {
                done,
                total,
                message,
            }),
        }
    }

    /// As one line. None cannot happen: there is nothing in it that JSON does not have.
    pub(super) fn to_json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

impl OutputPieceView {
    fn of(OutputPiece { stream, left_out_bytes, text }: OutputPiece) -> Self {
        let stream = match stream {
            OutputStream::Stdout => OutputStreamView::Stdout,
            OutputStream::Stderr => OutputStreamView::Stderr,
        };
        Self { stream, left_out_bytes, text }
    }
}
