//! What a caller sees of a change. No type here is stored, and none of the ledger is sent.

use std::collections::BTreeMap;

use abide_domain::{
    EvolutionId,
    event::{
        ComparedLeg, ComparedPair, EvolutionDecision, EvolutionProposed, EvolutionTrial,
        JudgedAnswer,
    },
    evolution::EvolutionState,
};
use abide_engine::state::EvolutionRecord;
use abide_ledger::Entry;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// All words for where a change is.
pub(super) const STATE_WORDS: [&str; 13] = [
    "proposed",
    "validated",
    "checkpointed",
    "shadowing",
    "awaits_approval",
    "accepted",
    "backed_up",
    "watching",
    "kept",
    "rejected",
    "reported",
    "rolled_back",
    "aborted",
];

/// A change of an agent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EvolutionView {
    /// Its id.
    id: String,
    /// The agent.
    citizen: String,
    /// What it would replace: `memory_system`, `tool_framework`, `dsl` or `mind`.
    target: String,
    /// `proposed`, `validated`, `checkpointed`, `shadowing`, `awaits_approval`, `accepted`, `backed_up`, `watching`, `kept`, `rejected`,
    /// `reported`, `rolled_back` or `aborted`.
    state: &'static str,
    /// The agent's earlier change that it waits for; none where it is worked at, or has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<String>,
    /// Why, in the proposer's words.
    reason: String,
    /// Who proposed it.
    by: String,
    /// When.
    at: String,
    /// When its state last changed.
    moved_at: String,
    /// Relative changes that the proposer expects; negative is less.
    predicted: BTreeMap<String, f64>,
    /// Relative changes, and other figures, that were measured.
    measured: BTreeMap<String, f64>,
    /// Pairs of its trial so far.
    pairs: u32,
    /// Requests of its trial; null before it begins.
    requests: Option<u32>,
    /// The how-manieth attempt at this target since the last change that was kept; null before its trial.
    attempt: Option<u32>,
    /// What the measurements said: `promoted`, `rejected`, `marginal` or `reported`; null before they did.
    #[schema(value_type = Option<String>)]
    verdict: Option<EvolutionDecision>,
    /// Why it is where it is; null where nobody said so yet.
    why: Option<String>,
    /// Of a hundred requests, how many it answers; null where it is not watched.
    stage_percent: Option<u8>,
    /// Pairs of that stage so far.
    stage_pairs: Option<u32>,
    /// Whether it answers requests, all or some.
    in_force: bool,
    /// The change whose code a rollback restores; null: the base module, or not known yet.
    previous: Option<String>,
    /// SHA-256 of the code, hex; null before it was checked.
    code_sha256: Option<String>,
    /// What the checks found.
    notes: Vec<String>,
    /// Its lines in the ledger, in order.
    events: Vec<u64>,
}

/// A change with its code and all that was measured of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EvolutionDetailView {
    #[serde(flatten)]
    item: EvolutionView,
    /// The code; empty for a mind.
    code: String,
    /// The code that stands before it; null: that of the base module, or of a mind.
    code_before: Option<String>,
    /// What would change of a mind, by keys.
    #[schema(value_type = Object)]
    change: BTreeMap<String, Value>,
    /// How it is tried; null: as the configuration says.
    trial: Option<EvolutionTrialView>,
    /// What happened, in order; comparisons that follow each other are one line.
    story: Vec<StoryLineView>,
    /// The newest 500 pairs, in the order in which they were made.
    compared: Vec<ComparedPairView>,
}

/// How a change is tried.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EvolutionTrialView {
    /// On how many of the newest requests at most.
    last: u32,
    /// Whether it ends with the comparison.
    only_compare: bool,
    /// What it may cost, in US dollars; null: nothing that costs.
    budget_usd: Option<f64>,
    /// How often each of two minds is asked each request; null: once.
    repeat: Option<u32>,
    /// The model that is asked which of two replies is better; null: none.
    judge: Option<String>,
}

/// An event of a change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StoryLineView {
    /// Where it stands in the ledger; of several comparisons the last.
    seq: u64,
    /// When.
    at: String,
    /// Who did it.
    by: String,
    /// Its kind, such as `evolution.decided`.
    kind: String,
    /// In a sentence.
    text: String,
}

/// A request that the code in force and the candidate both answered.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ComparedPairView {
    /// The line of the ledger that holds it.
    seq: u64,
    /// Of a hundred requests, how many the candidate answered then; null during its trial.
    stage_percent: Option<u8>,
    /// The epoch that the request belongs to.
    request: String,
    /// Whether the candidate was asked before the code in force.
    candidate_first: bool,
    /// What the code in force did.
    main: ComparedLegView,
    /// What the candidate did.
    candidate: ComparedLegView,
    /// Whether the answers agree; null where that cannot be said.
    agrees: Option<bool>,
    /// The first thing in which they differ.
    divergence: Option<String>,
}

/// What one of the two did.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ComparedLegView {
    /// Why there is no answer, or none that counts.
    error: Option<String>,
    /// Of an error: whether it came again when the request was asked twice more.
    repeats: Option<bool>,
    /// Wall time in microseconds.
    wall_us: u64,
    /// Processor time in microseconds.
    cpu_us: u64,
    /// Memory in bytes.
    memory_bytes: u64,
    /// Tokens in and out; of a model alone.
    tokens: Option<u64>,
    /// Cost in millionths of a US dollar; of a model alone.
    cost_microusd: Option<u64>,
    /// Tools that were called, in their order.
    calls: Vec<String>,
    /// What it replied, shortened; of a mind alone.
    answer: Option<String>,
    /// How often it was asked; null: once. Measurements are medians.
    runs: Option<u32>,
    /// Of the code in force, asked once more: whether its answers agree; null where it was not.
    again_agrees: Option<bool>,
    /// What a judge said of the candidate's answer beside the other: `better`, `worse` or `tie`; null where none was asked.
    #[schema(value_type = Option<String>)]
    judged: Option<JudgedAnswer>,
    /// What all that was asked for it cost, in millionths of a US dollar; null where that is `cost_microusd`.
    spent_microusd: Option<u64>,
}

impl EvolutionView {
    /// A change as the state has it.
    pub(super) fn new(
        record: &EvolutionRecord,
        (is_in_force, waits_for): (bool, Option<EvolutionId>),
    ) -> Self {
        let (stage_percent, stage_pairs) = match record.state {
            EvolutionState::Watching { percent, pairs } => (Some(percent), Some(pairs)),
            _ => (None, None),
        };
        Self {
            id: record.id.to_string(),
            citizen: record.agent.to_string(),
            target: record.target.clone(),
            state: record.state.as_str(),
            waits_for: waits_for.map(|id| id.to_string()),
            reason: record.reason.clone(),
            by: record.by.to_string(),
            at: record.at.to_string(),
            moved_at: record.moved_at.to_string(),
            predicted: record.expected.clone(),
            measured: record.measured.clone(),
            pairs: record.trial_pairs,
            requests: record.requests,
            attempt: record.seed.map(|(_, attempt)| attempt),
            verdict: record.decision,
            why: record.why.clone(),
            stage_percent,
            stage_pairs,
            in_force: is_in_force,
            previous: record.previous.map(|id| id.to_string()),
            code_sha256: record.code_sha256.clone(),
            notes: record.notes.clone(),
            events: record.events.clone(),
        }
    }
}

impl EvolutionDetailView {
    /// A change with what its proposal says, if that can still be read, and with what happened since.
    pub(super) fn new(
        item: EvolutionView,
        (proposed, code_before): (Option<EvolutionProposed>, Option<String>),
        (story, compared): (Vec<StoryLineView>, Vec<ComparedPairView>),
    ) -> Self {
        let (code, change, trial) = proposed.map_or_else(Default::default, |proposed| {
            (proposed.code, proposed.change, proposed.trial.map(EvolutionTrialView::from))
        });
        Self { item, code, code_before, change, trial, story, compared }
    }
}

impl From<EvolutionTrial> for EvolutionTrialView {
    fn from(trial: EvolutionTrial) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "no budget has 16 digits")]
        let usd = |microusd: u64| microusd as f64 / 1e6;
        let EvolutionTrial { last, only_compare, budget_microusd, repeat, judge } = trial;
        let (budget_usd, judge) = (budget_microusd.map(usd), judge.map(|judge| judge.model));
        Self { last, only_compare, budget_usd, repeat, judge }
    }
}

impl StoryLineView {
    /// A line of a story with its sentence.
    pub(super) fn new(entry: &Entry, text: String) -> Self {
        Self {
            seq: entry.seq,
            at: entry.timestamp.to_string(),
            by: entry.author.to_string(),
            kind: entry.event.kind().name.to_owned(),
            text,
        }
    }
}

impl ComparedPairView {
    /// A pair with where it stands and the stage that it belongs to.
    pub(super) fn new(pair: &ComparedPair, seq: u64, stage_percent: Option<u8>) -> Self {
        Self {
            seq,
            stage_percent,
            request: pair.request.clone(),
            candidate_first: pair.candidate_first,
            main: (&pair.main).into(),
            candidate: (&pair.candidate).into(),
            agrees: pair.agrees,
            divergence: pair.divergence.clone(),
        }
    }
}

impl From<&ComparedLeg> for ComparedLegView {
    fn from(leg: &ComparedLeg) -> Self {
        let ComparedLeg {
            error,
            repeats,
            wall_us,
            cpu_us,
            memory_bytes,
            tokens,
            cost_microusd,
            calls,
            answer,
            runs,
            again_agrees,
            judged,
            spent_microusd,
        } = leg.clone();
        Self {
            error,
            repeats,
            wall_us,
            cpu_us,
            memory_bytes,
            tokens,
            cost_microusd,
            calls,
            answer,
            runs,
            again_agrees,
            judged,
            spent_microusd,
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::evolution::EvolutionState as S;

    use super::STATE_WORDS;

    #[test]
    fn every_state_has_its_word() {
        let states = [
            S::Proposed,
            S::Validated,
            S::Checkpointed,
            S::Shadowing { pairs: 0 },
            S::AwaitsPerson,
            S::Accepted,
            S::BackedUp,
            S::Watching { percent: 10, pairs: 0 },
            S::Kept,
            S::Rejected,
            S::Reported,
            S::RolledBack,
            S::Aborted,
        ];
        assert_eq!(states.map(S::as_str), STATE_WORDS);
    }
}
