//! `evolution.*`: a change of an agent, from the proposal to what became of it (decisions 35 to 37). The entity is the agent; the
//! author is who did it: the agent or a person who proposes, a person who answers, the keeper for all else.
//!
//! Each event is a move of the machine in [`crate::evolution`]. Which code an agent runs follows from these lines alone. Code and
//! words of a proposal are data until every check has passed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{CheckpointId, EvolutionId, RunId};

event_group! {
    /// A change of an agent: proposed, tried on its own record, and put in force or not.
    EvolutionEvent {
        /// An agent or a person proposed a change.
        Proposed(EvolutionProposed) = "evolution.proposed" v 1,
        /// The proposal passed all checks that need no trial.
        Validated(EvolutionValidated) = "evolution.validated" v 1,
        /// It is known from which state the trial begins.
        Checkpointed(EvolutionCheckpointed) = "evolution.checkpointed" v 1,
        /// The trial begins: requests of the record are given to the code in force and to the candidate.
        ShadowStarted(EvolutionShadowStarted) = "evolution.shadow_started" v 1,
        /// What both did with some of the requests.
        Compared(EvolutionCompared) = "evolution.compared" v 1,
        /// What came of a proposal by its measurements.
        Decided(EvolutionDecided) = "evolution.decided" v 1,
        /// A person answered a proposal that waited for one.
        Answered(EvolutionAnswered) = "evolution.answered" v 1,
        /// What a rollback restores is safe.
        BackedUp(EvolutionBackedUp) = "evolution.backed_up" v 1,
        /// The candidate is loaded and answers its share of the requests.
        Reloaded(EvolutionReloaded) = "evolution.reloaded" v 1,
        /// The candidate answers a larger share, the rest is still answered by the code before it.
        StageBegun(EvolutionStageBegun) = "evolution.stage_begun" v 1,
        /// The candidate passed the watch; it is the code in force.
        Kept(EvolutionKept) = "evolution.kept" v 1,
        /// The code from before is in force again.
        RolledBack(EvolutionRolledBack) = "evolution.rolled_back" v 1,
        /// The proposal ended without a decision; nothing changed.
        Aborted(EvolutionAborted) = "evolution.aborted" v 1,
    }
}

/// A change that an agent or a person proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionProposed {
    /// Names the proposal.
    pub evolution_id: EvolutionId,
    /// The run of the agent's process that made it; none where a person or a tool did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Why, in the proposer's words.
    pub reason: String,
    /// What it would replace: `memory_system`, `tool_framework`, `dsl` or `mind`.
    pub target: String,
    /// The code; data until it has passed every check. Empty for `mind`.
    pub code: String,
    /// For `mind`: what would change, by `model`, `identity` and keys of the configuration. For `tool_framework` and `dsl`: their own
    /// `cases`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub change: BTreeMap<String, Value>,
    /// Relative changes that the proposer expects; negative is less.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, f64>,
    /// How it is tried; none: as the configuration says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<EvolutionTrial>,
}

/// How a proposal is tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionTrial {
    /// On how many of the newest requests at most.
    pub last: u32,
    /// Whether it ends with the comparison: nothing is put in force.
    #[serde(default)]
    pub only_compare: bool,
    /// What the trial may cost, in millionths of a US dollar; none: nothing that costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_microusd: Option<u64>,
    /// How often each of two minds is asked each request; none: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// A model that says which of two replies is better. It decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<TrialJudge>,
}

/// A model that is asked which of two replies is better.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialJudge {
    /// Its name.
    pub model: String,
    /// Its provider; none: that of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A proposal that passed all checks that need no trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionValidated {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Of tools and commands: those that the agent did not have before. The record cannot say whether they are any good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adds: Vec<String>,
    /// SHA-256 of the code, hex.
    pub code_sha256: String,
    /// What was found out about it: names that it defines, say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// From which state a trial begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionCheckpointed {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// The record up to here is what it is tried on.
    pub record_seq: u64,
    /// The checkpoint of the process; none where the code has no state of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_id: Option<CheckpointId>,
}

/// A trial that begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionShadowStarted {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Where chance comes from: which of the two is asked first, and the intervals that people see.
    pub seed: u64,
    /// How many requests there are.
    pub requests: u32,
    /// The how-manieth proposal for this target since the last one that was kept, from 1: later ones must be surer.
    pub attempt: u32,
}

/// What the code in force and the candidate did with some requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionCompared {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// The pairs, in the order in which they were made.
    pub pairs: Vec<ComparedPair>,
}

/// One request, answered by both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedPair {
    /// The request: the id of the epoch that it belongs to.
    pub request: String,
    /// Whether the candidate was asked before the code in force.
    #[serde(default)]
    pub candidate_first: bool,
    /// What the code in force did.
    pub main: ComparedLeg,
    /// What the candidate did.
    pub candidate: ComparedLeg,
    /// Whether the answers agree; none where that cannot be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// The first thing in which they differ, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<String>,
    /// What asking a judge about both took; none where none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<AskedJudge>,
}

impl ComparedPair {
    /// What all of it cost, both minds and the judge, in millionths of a US dollar, as far as prices are known.
    pub fn spent_in_all(&self) -> u64 {
        let judge = self.judge.and_then(|judge| judge.cost_microusd);
        let known = [self.main.spent_in_all(), self.candidate.spent_in_all(), judge];
        known.into_iter().flatten().fold(0, u64::saturating_add)
    }
}

/// What asking a judge about a pair took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedJudge {
    /// What it cost, in millionths of a US dollar; none where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// Whether it gave no answer that can be read.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_unread: bool,
}

/// What one of the two did with a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedLeg {
    /// Why there is no answer, or none that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Of an error: whether it came again when the request was asked twice more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<bool>,
    /// Wall time in microseconds.
    pub wall_us: u64,
    /// Processor time in microseconds.
    pub cpu_us: u64,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Tokens in and out; of a model alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in millionths of a US dollar; of a model alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// Names of the tools that were called, in their order; of a mind alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// What it replied, shortened; of a mind alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How often it was asked, where that was more than once: the measurements are the medians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Of the code in force, where it was asked once more to see how much it differs from itself: whether its answers agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_agrees: Option<bool>,
    /// What a judge said of its answer beside the other's; of the candidate alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedAnswer>,
    /// What all that was asked for it cost, in millionths of a US dollar, where that was more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_microusd: Option<u64>,
}

/// What a judge says of an answer beside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedAnswer {
    /// It is better, whichever of the two was shown first.
    Better,
    /// It is worse, whichever of the two was shown first.
    Worse,
    /// Neither, or it depends on which of the two was shown first.
    Tie,
}

impl ComparedLeg {
    /// What it cost in all, in millionths of a US dollar; none where nobody counts that.
    pub fn spent_in_all(&self) -> Option<u64> {
        self.spent_microusd.or(self.cost_microusd)
    }
}

/// What came of a proposal by its measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionDecided {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// The decision.
    pub decision: EvolutionDecision,
    /// Why it was decided so.
    pub reason: String,
    /// Relative changes that were measured; negative is less.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<String, f64>,
    /// Whether a person must say yes before it is put in force.
    #[serde(default, skip_serializing_if = "is_false")]
    pub needs_person: bool,
}

/// What can come of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvolutionDecision {
    /// The new code is better; it is put in force.
    Promoted,
    /// The old code stays.
    Rejected,
    /// It may be better, and too little was measured to say so: a person decides.
    Marginal,
    /// Only a comparison was asked for.
    Reported,
}

/// A person's answer to a proposal that waited for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionAnswered {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Whether it is put in force.
    pub approved: bool,
    /// Why, in the person's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What a rollback restores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionBackedUp {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// The proposal whose code is in force now; none: the base module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<EvolutionId>,
    /// The checkpoint of the process's private state; none where the code has no state of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_id: Option<CheckpointId>,
}

/// The candidate is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionReloaded {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// SHA-256 of what was loaded, hex: that of the proposal.
    pub code_sha256: String,
    /// Of a hundred requests, how many it answers.
    pub percent: u8,
}

/// The candidate answers a larger share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionStageBegun {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Of a hundred requests, how many it answers.
    pub percent: u8,
}

/// The candidate passed the watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionKept {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Why.
    pub reason: String,
}

/// The code from before is in force again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionRolledBack {
    /// The proposal that is taken back.
    pub evolution_id: EvolutionId,
    /// The proposal whose code is in force again; none: the base module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<EvolutionId>,
    /// Why.
    pub reason: String,
}

/// A proposal that ended without a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionAborted {
    /// The proposal.
    pub evolution_id: EvolutionId,
    /// Why.
    pub reason: String,
}

/// For serde: leaves out what is false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl EvolutionEvent {
    /// The proposal that it is about.
    pub const fn evolution_id(&self) -> EvolutionId {
        match self {
            Self::Proposed(event) => event.evolution_id,
            Self::Validated(event) => event.evolution_id,
            Self::Checkpointed(event) => event.evolution_id,
            Self::ShadowStarted(event) => event.evolution_id,
            Self::Compared(event) => event.evolution_id,
            Self::Decided(event) => event.evolution_id,
            Self::Answered(event) => event.evolution_id,
            Self::BackedUp(event) => event.evolution_id,
            Self::Reloaded(event) => event.evolution_id,
            Self::StageBegun(event) => event.evolution_id,
            Self::Kept(event) => event.evolution_id,
            Self::RolledBack(event) => event.evolution_id,
            Self::Aborted(event) => event.evolution_id,
        }
    }
}
