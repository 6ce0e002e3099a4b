//! `approval.*`: what a person was asked to decide. The deadline stands in the ledger and survives restarts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{ApprovalId, CallId, Timestamp};

event_group! {
    /// What a person was asked to decide.
    ApprovalEvent {
        /// A call waits for a person.
        Requested(ApprovalRequested) = "approval.requested" v 1,
        /// A person, a rule or the deadline decided.
        Decided(ApprovalDecided) = "approval.decided" v 1,
    }
}

/// A call waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRequested {
    /// Its id.
    pub approval_id: ApprovalId,
    /// The call that waits.
    pub call_id: CallId,
    /// When it counts as denied.
    pub deadline: Timestamp,
    /// The call itself, where no voice holds it: a mind that runs tools of its own asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<ApprovedCall>,
    /// What it would change, such as a diff; data, not instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// A call that a mind makes by itself, if it may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedCall {
    /// The tool, as the mind names it.
    pub tool: String,
    /// What it is to do; data, not instruction.
    pub arguments: Value,
}

/// The decision on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalDecided {
    /// The approval.
    pub approval_id: ApprovalId,
    /// Yes or no.
    pub decision: Decision,
    /// Who decided.
    pub by: DecidedBy,
    /// The decider's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call may run.
    Approve,
    /// It may not.
    Deny,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// A person.
    Person,
    /// Nobody in time.
    Timeout,
    /// Nobody was there to be asked (decision 21).
    Headless,
    /// The epoch ended first.
    EpochEnded,
    /// The asking in which the mind wanted it ended first.
    AttemptEnded,
    /// The configuration changed while it waited: the call runs, or is refused, without anybody being asked.
    Configuration,
}
