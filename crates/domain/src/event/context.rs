//! `context.*`: what a mind was shown, by reference. The text is rendered again from these, never stored twice.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::EpochId;

event_group! {
    /// What a mind was shown.
    ContextEvent {
        /// The context object and history of an epoch, as references, token counts and a digest.
        Assembled(ContextAssembled) = "context.assembled" v 1,
    }
}

/// References that give an epoch's context again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextAssembled {
    /// Version of the renderer that made the text.
    pub renderer: u32,
    /// The version of the identity that was shown; 0 where there is none.
    pub identity: u64,
    /// The exchanges that were shown.
    pub history: HistoryWindow,
    /// Estimated tokens by part.
    pub tokens: ContextTokens,
    /// SHA-256 over the rendered system text, history and stimulus, hex.
    pub sha256: String,
}

/// A run of committed epochs, from the oldest shown to the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryWindow {
    /// The oldest exchange shown; none where the history is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<EpochId>,
    /// How many are shown.
    pub epochs: u64,
    /// How many since the last reset did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Estimated tokens by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextTokens {
    /// Of the context object.
    pub system: u64,
    /// Of the history.
    pub history: u64,
    /// Of the stimulus.
    pub stimulus: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
