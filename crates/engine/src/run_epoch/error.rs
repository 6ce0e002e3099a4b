//! Why a walk ends without a commit.

use abide_domain::event::AbortCode;
use abide_ledger::AppendError;

use crate::failpoint::InjectedError;

/// Why a walk ends without a commit.
#[derive(Debug, thiserror::Error)]
pub enum EpochError {
    /// The epoch is to be aborted.
    #[error("{message}")]
    Abort {
        /// Why, for programs.
        code: AbortCode,
        /// Why, for people.
        message: String,
    },
    /// The ledger cannot be written: the epoch stays as it is until a keeper can write again.
    #[error("the ledger could not be written")]
    Ledger(#[from] AppendError),
    /// A test set a failpoint; the epoch is aborted.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
    /// The machine refused a move: a defect of the engine, never written.
    #[error(transparent)]
    Illegal(#[from] abide_domain::epoch::IllegalMoveError),
}

impl EpochError {
    pub(super) fn abort(code: AbortCode, message: impl Into<String>) -> Self {
        Self::Abort { code, message: message.into() }
    }
}
