//! What reaches a running epoch from outside: an interruption, decisions of people, pages.

use abide_domain::{
    ApprovalId, EntityName,
    event::{AbortCode, Decision},
};
use tokio::sync::{mpsc, oneshot, watch};

use super::error::EpochError;

/// What reaches a running epoch from outside.
#[derive(Debug)]
pub struct Controls {
    /// Says when the epoch is to end.
    pub interrupt: InterruptSignal,
    /// Decisions on approvals.
    pub decisions: mpsc::Receiver<DecisionOrder>,
    /// Pages that give up the attempt under way; each says why.
    pub pages: mpsc::Receiver<String>,
}

/// Says to a running epoch, once, that it is to end.
#[derive(Debug)]
pub struct InterruptSignal(pub watch::Receiver<Option<Interrupt>>);

/// An order to end a running epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Why, for programs.
    pub code: AbortCode,
    /// Why, for people.
    pub message: String,
}

/// A person's decision, on its way to the epoch that waits for it.
#[derive(Debug)]
pub struct DecisionOrder {
    /// What is decided.
    pub approval_id: ApprovalId,
    /// Yes or no.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// Who decided.
    pub by: EntityName,
    /// Told once the decision is durable, or why it is none.
    pub reply: oneshot::Sender<Result<(), DecideError>>,
}

/// Why a decision does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecideError {
    /// No approval has this id.
    #[error("no approval has this id")]
    NotFound,
    /// Somebody, or the deadline, decided before.
    #[error("this approval is already decided")]
    AlreadyDecided,
    /// The keeper stops or cannot write.
    #[error("the decision could not be recorded")]
    Unavailable,
}

impl InterruptSignal {
    /// Waits until the epoch is told to end; for ever, if nobody does.
    pub(super) async fn stopped(&mut self) -> EpochError {
        let interrupt = self.0.wait_for(Option::is_some).await;
        match interrupt.ok().and_then(|interrupt| interrupt.clone()) {
            Some(Interrupt { code, message }) => EpochError::Abort { code, message },
            // Nobody is left who could interrupt.
            None => std::future::pending().await,
        }
    }
}
