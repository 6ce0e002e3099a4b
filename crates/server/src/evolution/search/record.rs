//! A search as it is kept between generations, and what people see of it.

use std::time::Duration;

use abide_domain::{AgentId, EntityName, EvolutionId, Timestamp};
use abide_evolution::{
    limits::SEARCH_CASES_MIN,
    search::{SearchBudget, SearchKind, SearchReport, SearchRun},
};
use serde::{Deserialize, Serialize};

/// A search, whole but for its cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchRecord {
    pub(super) agent: AgentId,
    /// Who started it; the proposal is theirs.
    pub(super) by: EntityName,
    /// When. Together with the agent it names the search.
    pub(super) started_at: Timestamp,
    pub(super) budget: SearchBudget,
    /// The record up to here is what it is scored by.
    pub(super) record_seq: u64,
    /// Its cases, once they were read.
    pub(super) cases: Option<CasesSummary>,
    /// Where it is; none before its cases were read, and after its end.
    pub(super) run: Option<SearchRun>,
    /// How long it was at work, over all starts of the keeper.
    pub(super) worked_ms: u64,
    /// What it says, once all was measured.
    pub(super) report: Option<SearchReport>,
    /// How it ended.
    pub(super) outcome: Option<SearchEnd>,
}

/// The cases of a search, without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CasesSummary {
    /// Those that expressions are chosen by.
    pub(super) tuned: usize,
    /// Those that are held out.
    pub(super) held_out: usize,
    /// The score of today's order on the former.
    pub(super) today: f64,
    /// SHA-256 of the file that holds them, hex.
    pub(super) sha256: String,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SearchEnd {
    /// What it found was proposed.
    Proposed(EvolutionId),
    /// Nothing that it found was better than today's order on what was held out by more than what chance gives often.
    NotBetter,
    /// The record tells of too few questions what was needed.
    TooFew {
        /// Of how many it does.
        usable: usize,
    },
    /// Somebody stopped it.
    Stopped,
    /// It could not go on: why, in words for people.
    Failed(String),
}

/// What a search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchPhase {
    /// It reads the record.
    Reading,
    /// It waits for another agent's search.
    Waiting,
    /// It measures.
    Searching,
    /// It has ended.
    Ended,
}

/// What people see of a search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchStatus {
    pub(crate) agent: AgentId,
    pub(crate) by: EntityName,
    pub(crate) started_at: Timestamp,
    pub(crate) budget: SearchBudget,
    pub(crate) phase: SearchPhase,
    /// The part that is at work.
    pub(crate) part: SearchKind,
    /// Generations that were measured, of all parts together.
    pub(crate) generation: u32,
    /// Expressions that were measured, of all parts together.
    pub(crate) evaluations: u64,
    /// The best score of the part, on the cases that it is chosen by.
    pub(crate) best: Option<f64>,
    /// The score of today's order on the same.
    pub(crate) today: Option<f64>,
    /// Cases that it is chosen by, and those held out.
    pub(crate) cases: Option<(usize, usize)>,
    pub(crate) worked: Duration,
    pub(crate) report: Option<SearchReport>,
    pub(crate) outcome: Option<SearchEnd>,
}

impl SearchRecord {
    /// What people see of it.
    pub(super) fn status(&self, phase: SearchPhase) -> SearchStatus {
        let progress = self.run.as_ref().map(SearchRun::progress);
        let measured = match (&self.run, &self.report) {
            (Some(run), _) => run.measured(),
            (None, Some(report)) => {
                let evaluations = report.candidates.iter().map(|found| found.evaluations).sum();
                (report.generations, evaluations)
            }
            (None, None) => (0, 0),
        };
        SearchStatus {
            agent: self.agent.clone(),
            by: self.by.clone(),
            started_at: self.started_at,
            budget: self.budget,
            phase,
            part: progress.map_or(self.budget.kind, |(part, _)| part),
            generation: measured.0,
            evaluations: measured.1,
            best: progress.and_then(|(_, progress)| progress.best_fitness),
            today: self.cases.as_ref().map(|cases| cases.today),
            cases: self.cases.as_ref().map(|cases| (cases.tuned, cases.held_out)),
            worked: Duration::from_millis(self.worked_ms),
            report: self.report.clone(),
            outcome: self.outcome.clone(),
        }
    }
}

impl SearchEnd {
    /// A word for programs.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Proposed(_) => "proposed",
            Self::NotBetter => "not_better",
            Self::TooFew { .. } => "too_few",
            Self::Stopped => "stopped",
            Self::Failed(_) => "failed",
        }
    }

    /// A sentence for people.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Proposed(id) => format!("the best is proposed: change `{id}`"),
            Self::NotBetter => {
                "nothing that was found is better than today's order on the questions held out by more than chance gives".to_owned()
            }
            Self::TooFew { usable } => too_few(*usable),
            Self::Stopped => "it was stopped".to_owned(),
            Self::Failed(why) => why.clone(),
        }
    }
}

/// Says how many questions a search lacks.
pub(super) fn too_few(usable: usize) -> String {
    format!(
        "{usable} questions of the record can be used, and a search needs {SEARCH_CASES_MIN}: those that found memories and whose \
         reply shows by its words which of them it rests on. Talk to the agent for longer, then search again"
    )
}
