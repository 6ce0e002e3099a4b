//! `abide bench memory --truth`: whether what an agent is shown is true. Lives that are made from seeds are lived through by a
//! real keeper, and the prompt of each question is judged by its words, without a model that writes or judges.
//!
//! Half of the lives may be looked at while something is improved; the other half, which uses other words and values, is
//! held out and only counted. It must never hold a sentence of anybody else's data.
//!
//! Reading order: [`TruthPlan`], [`TruthReport`], [`truth`]; `slots` (what can be said), `life` (a life from a seed), `mind`
//! and `keeper` (how it is lived through), `prompt` (what was shown), `score`.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use abide_domain::turn::TurnRequest;
use serde::Serialize;

use self::{
    keeper::TruthKeeper,
    life::{TruthLife, TruthQuestion},
    score::{KindCounts, count, judge},
};
use crate::{error::BenchError, scratch::Scratch, system::runtime};

mod keeper;
mod life;
mod mind;
mod prompt;
mod score;
mod slots;

pub use self::{
    life::TruthKind,
    prompt::PromptPart,
    score::{TruthCount, TruthCounts, TruthMeasure},
    slots::TruthHalf,
};

/// Lives that are made, unless it is said otherwise: half of them held out.
pub const TRUTH_LIVES: u64 = 20;

/// How `abide bench memory --truth` is run.
#[derive(Clone, Debug)]
pub struct TruthPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// The seeds of the lives: odd ones are of the half that may be looked at, even ones are held out.
    pub seeds: Vec<u64>,
    /// Whether each part of the prompt is left out in turn.
    pub ablate: bool,
    /// Whether questions of lives that may be looked at are shown where they fail.
    pub show_failures: bool,
}

impl TruthPlan {
    /// The usual plan, on the disk of a folder.
    pub fn new(folder: PathBuf) -> Self {
        let seeds = (1..=TRUTH_LIVES).collect();
        Self { folder, seeds, ablate: false, show_failures: false }
    }
}

/// What one half of the lives gave.
#[derive(Clone, Debug, Serialize)]
pub struct TruthScores {
    /// Which half.
    pub half: TruthHalf,
    /// Lives.
    pub lives: u32,
    /// Questions.
    pub questions: u32,
    /// Over all questions.
    pub all: TruthCounts,
    /// By kind of question.
    pub kinds: BTreeMap<TruthKind, TruthCounts>,
    /// What is left where a part of the prompt is left out; empty unless that was asked for.
    pub without: Vec<AblatedScores>,
}

/// What is left where one part is left out.
#[derive(Clone, Debug, Serialize)]
pub struct AblatedScores {
    /// The part.
    pub part: &'static str,
    /// Over all questions.
    pub all: TruthCounts,
}

/// All that was judged.
#[derive(Clone, Debug, Serialize)]
pub struct TruthReport {
    /// `truth`.
    pub bench: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// The halves that were lived.
    pub halves: Vec<TruthScores>,
    /// Questions of lives that may be looked at and whose demands were not kept.
    pub failures: Vec<String>,
}

impl TruthReport {
    /// Whether every aim is reached on the lives that are held out.
    pub fn is_met(&self) -> bool {
        let held = self.halves.iter().filter(|half| half.half == TruthHalf::HeldOut);
        held.flat_map(|half| &half.all).all(|(measure, count)| count.share() >= measure.aim())
    }
}

/// Lives through the lives of a plan; `tell` hears which is next.
pub fn truth(plan: &TruthPlan, tell: &dyn Fn(&str)) -> Result<TruthReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let runtime = runtime()?;
    let mut halves: BTreeMap<TruthHalf, HalfScores> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in &plan.seeds {
        tell(&format!("life {seed}"));
        let life = TruthLife::new(*seed)?;
        let folder = scratch.join(format!("life-{seed}"));
        std::fs::create_dir_all(&folder).map_err(BenchError::io("make a folder"))?;
        let asked = runtime.block_on(async {
            let keeper = TruthKeeper::open(&folder, &life).await?;
            let asked = keeper.live(&life).await;
            keeper.close().await?;
            asked
        })?;
        let scores = halves.entry(life.half).or_default();
        scores.lives += 1;
        for (question, shown) in &asked {
            let failed = scores.add(question, shown, plan.ablate);
            if plan.show_failures && life.half == TruthHalf::Tuned && !failed.is_empty() {
                failures.push(describe(*seed, question, shown, &failed));
            }
        }
        // What was lived through is not needed any more, and a disk is small.
        std::fs::remove_dir_all(&folder).map_err(BenchError::io("remove a folder"))?;
    }
    let halves = halves.into_iter().map(|(half, scores)| scores.of(half)).collect();
    Ok(TruthReport { bench: "truth", version: env!("CARGO_PKG_VERSION"), halves, failures })
}

/// The counts of a half while they are made.
#[derive(Debug, Default)]
struct HalfScores {
    lives: u32,
    questions: u32,
    all: TruthCounts,
    kinds: KindCounts,
    without: Vec<(PromptPart, TruthCounts)>,
}

impl HalfScores {
    /// Judges a question; gives the demands that were not kept.
    fn add(
        &mut self,
        question: &TruthQuestion,
        shown: &TurnRequest,
        ablate: bool,
    ) -> Vec<TruthMeasure> {
        let lines = prompt::lines(shown);
        let judged = judge(question, &lines, &shown.time_zone);
        self.questions += 1;
        count(&mut self.all, &judged);
        count(self.kinds.entry(question.kind).or_default(), &judged);
        if ablate {
            if self.without.is_empty() {
                self.without = PromptPart::all().map(|part| (part, TruthCounts::new())).collect();
            }
            for (part, counts) in &mut self.without {
                let left = lines.iter().filter(|line| line.part != *part).cloned();
                count(counts, &judge(question, &left.collect::<Vec<_>>(), &shown.time_zone));
            }
        }
        judged.into_iter().filter(|(_, is_kept)| !is_kept).map(|(measure, _)| measure).collect()
    }

    fn of(self, half: TruthHalf) -> TruthScores {
        let without = self.without.into_iter();
        TruthScores {
            half,
            lives: self.lives,
            questions: self.questions,
            all: self.all,
            kinds: self.kinds,
            without: without.map(|(part, all)| AblatedScores { part: part.name(), all }).collect(),
        }
    }
}

fn describe(
    seed: u64,
    question: &TruthQuestion,
    shown: &TurnRequest,
    failed: &[TruthMeasure],
) -> String {
    let failed: Vec<&str> = failed.iter().map(|measure| measure.name()).collect();
    let (kind, said, expected) = (question.kind, &question.said, &question.expected);
    format!(
        "life {seed}, {kind:?}, {} asks: {}\nnot kept: {}\nexpected: {expected:?}\n{}\n",
        said.sender,
        said.text,
        failed.join(", "),
        shown.context
    )
}

impl fmt::Display for TruthReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        for half in &self.halves {
            let name = match half.half {
                TruthHalf::Tuned => "lives that may be looked at",
                TruthHalf::HeldOut => "lives that are held out",
            };
            writeln!(f, "\n{name}: {} lives, {} questions", half.lives, half.questions)?;
            write!(f, "{:<22}", "kind")?;
            for measure in TruthMeasure::ALL {
                write!(f, " {:>13}", measure.name())?;
            }
            writeln!(f)?;
            for (kind, counts) in &half.kinds {
                row(f, &format!("{kind:?}"), counts)?;
            }
            row(f, "all", &half.all)?;
            write!(f, "{:<22}", "aim")?;
            for measure in TruthMeasure::ALL {
                write!(f, " {:>13.2}", measure.aim())?;
            }
            writeln!(f)?;
            if !half.without.is_empty() {
                writeln!(f, "without")?;
            }
            for ablated in &half.without {
                row(f, ablated.part, &ablated.all)?;
            }
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, counts: &TruthCounts) -> fmt::Result {
    write!(f, "{name:<22}")?;
    for measure in TruthMeasure::ALL {
        match counts.get(&measure) {
            Some(count) => write!(f, " {:>6.2} of {:>3}", count.share(), count.of)?,
            None => write!(f, " {:>13}", "")?,
        }
    }
    writeln!(f)
}
