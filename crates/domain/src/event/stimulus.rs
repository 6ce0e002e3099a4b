//! `stimulus.*`: what came in. The line's `epoch` is the epoch that will answer it, its `author` the sender.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{Timestamp, envelope::Channel};

event_group! {
    /// What came in.
    StimulusEvent {
        /// A stimulus is durable and will be answered or aborted; its caller has been told.
        Accepted(StimulusAccepted) = "stimulus.accepted" v 1,
    }
}

/// A validated envelope. The citizen is the line's entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StimulusAccepted {
    /// The message, byte for byte.
    pub content: Arc<str>,
    /// The sender's id.
    pub sender: String,
    /// Where it came from.
    pub channel: Channel,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// The conversation.
    pub session_id: String,
    /// Whether the caller can answer approvals (decision 21).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// The caller's key and what it was sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
    /// The caller's `last_driver_output`, where it differs from the ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_output: Option<AcceptedOutput>,
}

/// An idempotency key and the digest of the request that first used it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idempotency {
    /// The caller's key.
    pub key: String,
    /// SHA-256 of the request's body, hex.
    pub body_sha256: String,
}

/// A last output as a caller claims it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedOutput {
    /// Its words.
    pub content: Arc<str>,
    /// When.
    pub timestamp: Timestamp,
}
