//! `evolution.*`: an agent wants to change its own code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{EvolutionId, RunId};

event_group! {
    /// An agent wants to change its own code.
    EvolutionEvent {
        /// An agent proposed new code.
        Proposed(EvolutionProposed) = "evolution.proposed" v 1,
        /// What became of a proposal.
        Decided(EvolutionDecided) = "evolution.decided" v 1,
    }
}

/// New code that an agent proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionProposed {
    /// Names the proposal.
    pub evolution_id: EvolutionId,
    /// The run that made it.
    pub run: RunId,
    /// Why, in the agent's words.
    pub reason: String,
    /// What it would replace.
    pub target: String,
    /// The code; data until it has passed every check.
    pub code: String,
    /// Relative changes that the agent expects; negative is less.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, f64>,
}

/// What became of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionDecided {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// The decision.
    pub decision: EvolutionDecision,
    /// Why it was decided so.
    pub reason: String,
}

/// What can become of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvolutionDecision {
    /// The new code is in use.
    Promoted,
    /// The old code stays.
    Rejected,
}
