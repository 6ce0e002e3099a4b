//! `stimulus.*`: what came in. The line's `epoch` is the epoch that will answer it, its `author` the sender.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{
    MessageId, SpaceName, Timestamp, WakeId,
    envelope::{Channel, TELEGRAM_SESSION},
};

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
    /// Where its sender is, as far as that was said: an offset such as `+02:00`, or a zone's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_zone: Option<String>,
    /// The conversation.
    pub session_id: String,
    /// Whether the caller can answer approvals (decision 21).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// Whether an administrator speaks in their own name: who may have forgotten and corrected what others told (decision 54).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub administrator: bool,
    /// The caller's key and what it was sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
    /// The caller's `last_driver_output`, where it differs from the ledger's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_output: Option<AcceptedOutput>,
    /// What inside Abide caused it, where nobody outside sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<StimulusCause>,
}

/// What inside Abide caused a stimulus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StimulusCause {
    /// Another entity said it.
    Message {
        /// The message.
        message_id: MessageId,
        /// Where it was said.
        space: SpaceName,
        /// How many messages between agents led to it, itself included.
        hop: u32,
    },
    /// A wake fired.
    Wake {
        /// The wake.
        wake_id: WakeId,
        /// How many steps from agent to agent led to what its owner heard; 0 where the clock alone woke it.
        #[serde(default, skip_serializing_if = "is_zero")]
        hop: u32,
    },
    /// A schedule of the configuration.
    Schedule {
        /// Its name.
        name: String,
    },
}

impl StimulusAccepted {
    /// The conversation on Telegram that hears its answer: the one that it came from, or in which its wake was set.
    pub fn telegram_session(&self) -> Option<&str> {
        let is_by_clock =
            matches!(self.cause, Some(StimulusCause::Wake { .. } | StimulusCause::Schedule { .. }));
        let may_be = match self.channel {
            Channel::Telegram => true,
            Channel::System => is_by_clock,
            Channel::Direct | Channel::Api | Channel::Manual | Channel::Irc => false,
        };
        Some(self.session_id.as_str()).filter(|id| may_be && id.starts_with(TELEGRAM_SESSION))
    }

    /// How many steps from agent to agent led to it; 0 where a person or the clock gave it.
    pub fn hop(&self) -> u32 {
        match &self.cause {
            Some(StimulusCause::Message { hop, .. } | StimulusCause::Wake { hop, .. }) => *hop,
            Some(StimulusCause::Schedule { .. }) | None => 0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(hop: &u32) -> bool {
    *hop == 0
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
    /// The text of the output.
    pub content: Arc<str>,
    /// Its time.
    pub timestamp: Timestamp,
}
