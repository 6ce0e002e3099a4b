//! `stdout.*`: what an entity writes down for itself, and who else may read it. The line's entity is whose log it is.
//!
//! What was written stands at once and survives the end of its epoch, however that comes (decision 18): a broken epoch is
//! recovered from it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{CallId, EntityName};

event_group! {
    /// What entities write down for themselves.
    StdoutEvent {
        /// An entry of an entity's log. Counts at once, also when its epoch is aborted.
        Written(StdoutWritten) = "stdout.written" v 1,
        /// An entity may read the log of the line's entity from here on.
        Granted(StdoutGranted) = "stdout.granted" v 1,
        /// An entity may not read the log of the line's entity any more.
        Revoked(StdoutRevoked) = "stdout.revoked" v 1,
    }
}

/// An entry of a log. Its tick and time are the line's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StdoutWritten {
    /// The words, as they were typed.
    pub content: Arc<str>,
    /// The call of the epoch that wrote it; with `nth` and the epoch, what it is known by, so that a call that runs again
    /// after a crash writes nothing twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// Which entry of its call, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nth: u32,
}

/// A grant (decision 47).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StdoutGranted {
    /// Who may read.
    pub to: EntityName,
}

/// The end of a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StdoutRevoked {
    /// Who may not read any more.
    pub to: EntityName,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
