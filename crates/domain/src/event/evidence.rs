//! `evidence.*` and `par.*`: explicit evidence of agents and people, in their own words.
//!
//! Most evidence is no event of its own: [`crate::evidence::entry_from_line`] reads it out of what agents do. These are the rest.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{
    EpisodeId,
    evidence::{ClaimType, EvidenceId, EvidenceType, Subject},
};

event_group! {
    /// Explicit evidence.
    EvidenceEvent {
        /// An agent or a person made an entry. The line's author is its author, the line's time its time.
        Recorded(EvidenceRecorded) = "evidence.recorded" v 1,
        /// What was tried against a problem, what worked, what did not, and what to change.
        ParWritten(ParWritten) = "par.written" v 1,
    }
}

/// An explicit entry of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRecorded {
    /// Its id.
    pub evidence_id: EvidenceId,
    /// What it is about.
    pub subject: Subject,
    /// What kind of evidence it is.
    #[serde(rename = "type")]
    pub kind: EvidenceType,
    /// What kind of claim it makes.
    pub claim_type: ClaimType,
    /// When it is said to have been so, where that is not the line's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<crate::Timestamp>,
    /// What it says; data, not instruction.
    pub body: Value,
    /// Keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The pattern that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_id: Option<String>,
    /// The session that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The entry that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<EvidenceId>,
    /// The entry that it departs from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_of: Option<EvidenceId>,
    /// Whether it is a guess.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conjecture: bool,
    /// Whether it is shown only to those who ask for such entries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ephemeral: bool,
}

/// What was tried. The line's entity is the agent that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParWritten {
    /// The episode of the watchdog that it closes or escalates, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
    /// What was wrong.
    pub problem: String,
    /// What was tried, in order.
    pub tried: Vec<String>,
    /// What worked.
    pub worked: Vec<String>,
    /// What did not.
    pub failed: Vec<String>,
    /// How long it took, from the beginning of the problem.
    pub took_ms: u64,
    /// What to change.
    pub suggestions: Vec<String>,
}
