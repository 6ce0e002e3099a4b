//! What passes between the mind, its actor and an open prompt of one ACP agent.

use std::path::PathBuf;

use abide_domain::{
    event::EvidenceReported,
    turn::{MindError, Thought, TurnRequest},
};
use abide_engine::mind::{MindDelta, PermissionRequest};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::spec::{AcpSettings, AcpSpec};

/// What the parts of one agent share.
#[derive(Debug)]
pub(super) struct AcpShared {
    pub(super) home: PathBuf,
    pub(super) spec: AcpSpec,
    pub(super) settings: AcpSettings,
    /// Cancelled when the keeper stops.
    pub(super) stop: CancellationToken,
}

/// Where the answer to a turn goes; closed when nobody waits for it any more.
pub(super) type AnswerSender = oneshot::Sender<Result<Thought, MindError>>;

/// A turn for the actor.
#[derive(Debug)]
pub(super) struct AskedPrompt {
    pub(super) request: TurnRequest,
    pub(super) updates: mpsc::Sender<HostUpdate>,
    pub(super) answering: AnswerSender,
}

/// Something for the host of the mind while a turn is open.
#[derive(Debug)]
pub(super) enum HostUpdate {
    /// A piece of the answer.
    Delta(MindDelta),
    /// Evidence of the agent's work.
    Report(EvidenceReported),
    /// A question to a person, and where the yes or no goes.
    Ask(PermissionRequest, oneshot::Sender<bool>),
}

/// The answer to a turn that nobody waits for any more.
pub(super) fn withdrawn() -> MindError {
    MindError::Unavailable { message: "the turn was withdrawn, or the keeper is stopping".into() }
}
