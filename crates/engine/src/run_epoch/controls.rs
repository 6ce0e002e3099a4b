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
    /// Pages that give up the attempt under way.
    pub pages: mpsc::Receiver<PageOrder>,
}

/// A page, on its way to the attempt that is to be given up. One that is dropped has reached nothing.
#[derive(Debug)]
pub struct PageOrder {
    /// Why, for people.
    pub reason: String,
    /// Gets whether an attempt was given up for it.
    pub reply: oneshot::Sender<bool>,
}

impl PageOrder {
    /// It has reached the agent; gives the reason.
    pub(super) fn take(self) -> String {
        // Whoever paged may be gone.
        _ = self.reply.send(true);
        self.reason
    }
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
    /// The approval that it decides.
    pub approval_id: ApprovalId,
    /// Yes or no.
    pub decision: Decision,
    /// The reason that the person gave.
    pub reason: Option<String>,
    /// The person.
    pub by: EntityName,
    /// Gets the reply once the decision is durable, or why it does not count.
    pub reply: oneshot::Sender<Result<(), DecideError>>,
}

/// Why a decision does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecideError {
    /// No approval has this id.
    #[error("there is no approval with this id")]
    NotFound,
    /// A person, or the deadline, has decided already.
    #[error("this approval has already been decided")]
    AlreadyDecided,
    /// The keeper stops or cannot write.
    #[error("the decision could not be recorded: the keeper is stopping or cannot write")]
    Unavailable,
}

impl InterruptSignal {
    /// Waits until the epoch is told to end; for ever where it never is.
    pub(super) async fn stopped(&mut self) -> EpochError {
        let interrupt = self.0.wait_for(Option::is_some).await;
        match interrupt.ok().and_then(|interrupt| interrupt.clone()) {
            Some(Interrupt { code, message }) => EpochError::Abort { code, message },
            // The sender is gone: it will never be interrupted.
            None => std::future::pending().await,
        }
    }
}
