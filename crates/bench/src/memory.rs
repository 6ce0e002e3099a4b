//! `abide bench memory`: what memory finds, how fast, and what it takes; without a model that writes or judges.
//!
//! Three sets of questions with known answers: kinds of talk that are made here from seeds; conversations that a person has
//! on the disk (LoCoMo; nothing of it is in this program), as they are and inflated; and a life of an agent that is made
//! here too. Search was never tuned on the last.
//!
//! Reading order: [`MemoryPlan`], [`MemoryReport`]; `conversation`, `kinds`, `locomo`, `inflated` (what is talked about);
//! `metrics`, `baseline`, `systems`, `recall` (turns that hold the answer are found); `own` (the generated life: facts,
//! updates, retractions, what was never said); `rng`,
//! `embedding`; `corpus` (any number of turns), `speed`, `nearest` and `rebuild` (what it costs). Benches of their own are `truth`,
//! whether what an agent is shown is true, and `ranking_search`, whether a better order can be found by itself.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    error::BenchError,
    machine::Machine,
    report::{BenchReport, Row},
    scratch::Scratch,
    system::runtime,
};

mod baseline;
mod conversation;
mod corpus;
mod embedding;
mod inflated;
mod kinds;
mod locomo;
mod metrics;
mod nearest;
mod own;
mod ranking_search;
mod rebuild;
mod recall;
pub(crate) mod rng;
mod speed;
mod systems;
mod truth;

pub use self::{
    metrics::Measures,
    own::{Absence, OwnScores},
    ranking_search::{
        FoundOrder, FoundOrders, RankingSearchPlan, RankingSearchReport, ranking_search,
    },
    recall::{Locomo, RecallScore},
    truth::{
        AblatedScores, PromptPart, TRUTH_LIVES, TruthCount, TruthCounts, TruthHalf, TruthKind,
        TruthMeasure, TruthPlan, TruthReport, TruthScores, truth,
    },
};

/// How `abide bench memory` is run.
#[derive(Clone, Debug)]
pub struct MemoryPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// Lives that are made and asked about.
    pub seeds: u64,
    /// Talks of each kind that are made in each half.
    pub talks: u64,
    /// Turns among which questions are timed: 10,000, and 100,000 where this is not less.
    pub turns: usize,
    /// Vectors that are compared: 10,000, 100,000, 1,000,000, each where this is not less.
    pub vectors: usize,
    /// Epochs in the ledger that a memory is built from.
    pub epochs: usize,
    /// Conversations with questions, if the person has them.
    pub locomo: Option<Locomo>,
    /// Where weights of embedders lie, a folder a model; without them words alone are measured.
    pub models: Option<PathBuf>,
}

impl MemoryPlan {
    /// The usual plan, on the disk of a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            rounds: 5,
            seeds: 5,
            talks: kinds::SEEDS,
            turns: 100_000,
            vectors: 1_000_000,
            epochs: 5_000,
            locomo: None,
            models: None,
        }
    }
}

/// All that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryReport {
    /// The figures with their bars.
    #[serde(flatten)]
    pub report: BenchReport,
    /// Recall of each system on each half, with the evidence as given and as corrected.
    pub recall: Vec<RecallScore>,
    /// The generated lives, by words alone and with each embedder.
    pub own: Vec<OwnScores>,
    /// What could not be measured, and why.
    pub absent: Vec<String>,
}

/// Runs all measurements of memory; `tell` hears which is next. Blocks for minutes.
pub fn memory(plan: &MemoryPlan, tell: &dyn Fn(&str)) -> Result<MemoryReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let (embedders, mut absent) = embedding::found(&runtime, plan.models.as_deref().map(Path::new));
    let mut rows: Vec<Row> = Vec::new();
    tell("a life that is made here");
    let own = own::measure(plan.seeds, &embedders)?;
    rows.extend(own.first().map(own::rows).unwrap_or_default());
    let found = recall::measure((plan.locomo.as_ref(), plan.talks), &embedders, tell)?;
    rows.extend(found.rows);
    if plan.locomo.is_none() {
        absent.push("no recall on LoCoMo: no file was named".into());
    }
    rows.extend(speed::measure(plan.rounds, plan.turns, &embedders, tell)?);
    rows.extend(nearest::measure(plan.rounds, plan.vectors, tell));
    tell("a memory that is built again");
    rows.extend(rebuild::measure(plan.rounds, plan.epochs, &scratch, &runtime)?);
    let report = BenchReport {
        bench: "memory",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    };
    Ok(MemoryReport { report, recall: found.tables, own, absent })
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        let mut table = None;
        for recall in &self.recall {
            if table != Some((recall.kind, recall.half, recall.evidence)) {
                table = Some((recall.kind, recall.half, recall.evidence));
                let (half, evidence) = (recall.half.replace('_', " "), recall.evidence);
                let (kind, questions) = (recall.kind, recall.measures.questions);
                writeln!(
                    f,
                    "\nrecall, {kind}, {half}, evidence as {evidence}, {questions} questions"
                )?;
                writeln!(f, "{}", recall::heading())?;
            }
            writeln!(f, "{recall}")?;
        }
        writeln!(f, "\nlives that are made here")?;
        for own in &self.own {
            writeln!(f, "{own}")?;
        }
        for absent in &self.absent {
            writeln!(f, "\n{absent}")?;
        }
        Ok(())
    }
}
