//! `epoch.*`: the life of an epoch.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::EpochId;

event_group! {
    /// The life of an epoch.
    EpochEvent {
        /// The lane took the stimulus up.
        Opened(EpochOpened) = "epoch.opened" v 1,
        /// Nothing could happen for so long while it was open; that time is not the epoch's.
        StoodStill(EpochStoodStill) = "epoch.stood_still" v 1,
        /// The reply stands, staged state is in force, the exchange is memory.
        Committed(EpochCommitted) = "epoch.committed" v 1,
        /// The epoch ended without a reply and changed no memory.
        Aborted(EpochAborted) = "epoch.aborted" v 1,
        /// A person has seen that it ended without a reply, and wants none any more.
        Dismissed(EpochDismissed) = "epoch.dismissed" v 1,
    }
}

/// An epoch begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochOpened {
    /// The epoch whose reply is the last driver output of this session, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_output: Option<EpochId>,
}

/// The machine slept or the keeper's process stood still. While a person is waited for nothing of it counts: that time is
/// not the epoch's anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochStoodStill {
    /// For how long.
    pub duration_ms: u64,
}

/// An epoch ends well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochCommitted {
    /// The turn whose `final_response` is the reply.
    pub turn: u32,
}

/// An epoch ends without a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochAborted {
    /// Why, for programs.
    pub code: AbortCode,
    /// Why, for people.
    pub message: String,
}

/// An epoch that ended without a reply waits for nobody any more. Who said so is the author; nothing else changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochDismissed {}

/// Why an epoch was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbortCode {
    /// A person or client asked for it.
    Cancelled,
    /// A reset with force ended it.
    Reset,
    /// The epoch's time ran out, here or while the keeper was down.
    Deadline,
    /// The voice did not fit, and the repair neither.
    BadVoice,
    /// All attempts at a turn failed.
    TurnFailed,
    /// The agent's process died with it too often.
    Poison,
    /// The same call gave the same result too often.
    Breaker,
    /// The epoch used all its turns.
    TurnsSpent,
    /// A mind that acts on the world by itself was cut off: what it did is unknown.
    OutcomeUnknown,
    /// The mind is not there any more.
    MindGone,
    /// The model refused to answer.
    Refused,
    /// The model rejected the request: key, name or parameters are wrong.
    ModelRejected,
    /// The prompt does not fit the model even when shortened.
    ContextTooLong,
    /// The agent's daily budget is spent, or the provider's account is empty.
    Budget,
}

impl AbortCode {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Reset => "reset",
            Self::Deadline => "deadline",
            Self::BadVoice => "bad_voice",
            Self::TurnFailed => "turn_failed",
            Self::Poison => "poison",
            Self::Breaker => "breaker",
            Self::TurnsSpent => "turns_spent",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::MindGone => "mind_gone",
            Self::Refused => "refused",
            Self::ModelRejected => "model_rejected",
            Self::ContextTooLong => "context_too_long",
            Self::Budget => "budget",
        }
    }
}
