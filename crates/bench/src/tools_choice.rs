//! `abide bench tools`: whether the tool that a step needs stands in the first prompt with its schema, or one `tools.find` away,
//! and what that costs in tokens, beside all schemas and beside plain BM25.
//!
//! No model is asked: a step is a person's sentence and the one tool that does it. Sets that were written after the choice was
//! tuned, with other servers and other words, are only counted: nothing of theirs may be looked at to improve it.
//!
//! Reading order: [`ToolChoicePlan`], [`ToolChoiceReport`]; `set` (tools and tasks from the files beside it), `systems` (who
//! chooses), `baseline` (plain BM25), `score`.

mod baseline;
mod score;
mod set;
mod systems;
mod vectors;

use std::{fmt, path::PathBuf};

use serde::Serialize;

pub use self::{score::ToolChoiceScore, set::ToolTaskSet, systems::ToolSystem};
use crate::error::BenchError;
use vectors::Vectors;

/// What is aimed at: the share of tasks whose tool stands in the first prompt.
const FIRST_AIM: f64 = 0.85;
/// And the share of those whose tool is at most one `tools.find` away.
const FOUND_AIM: f64 = 0.98;

/// How `abide bench tools` is run.
#[derive(Clone, Debug, Default)]
pub struct ToolChoicePlan {
    /// Whether tasks whose tool is not in the first prompt are shown, of the set that may be looked at.
    pub show_misses: bool,
    /// The folder of weights; without a table of vectors in it, what needs one is left out.
    pub models: Option<PathBuf>,
}

/// All that was counted.
#[derive(Clone, Debug, Serialize)]
pub struct ToolChoiceReport {
    /// `tools`.
    pub bench: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// A row for each system on each set.
    pub scores: Vec<ToolChoiceScore>,
    /// Tasks whose tool was not in the first prompt, of the set that may be looked at.
    pub misses: Vec<String>,
    /// Why there are no rows with vectors; none where there are.
    pub absent: Option<String>,
}

/// Counts every system on every set; `tell` hears which is next. Takes seconds.
pub fn tool_choice(
    plan: &ToolChoicePlan,
    tell: &dyn Fn(&str),
) -> Result<ToolChoiceReport, BenchError> {
    let (mut scores, mut misses) = (Vec::new(), Vec::new());
    let (vectors, absent) = match Vectors::find(plan.models.as_deref()) {
        Ok(vectors) => (Some(vectors), None),
        Err(why) => (None, Some(why)),
    };
    for set in ToolTaskSet::ALL {
        tell(set.name());
        let tasks = set::load(set)?;
        for system in ToolSystem::ALL {
            if system.needs_vectors() && vectors.is_none() {
                continue;
            }
            let its_vectors = vectors.as_ref().filter(|_| system.needs_vectors());
            let (score, missed) = score::measure(&tasks, system, its_vectors);
            let best = match &vectors {
                Some(_) => ToolSystem::ChosenByMeaning,
                None => ToolSystem::Chosen,
            };
            let is_seen = set == ToolTaskSet::Tuned && system == best;
            if plan.show_misses && is_seen {
                misses.extend(missed);
            }
            scores.push(score);
        }
    }
    Ok(ToolChoiceReport {
        bench: "tools",
        version: env!("CARGO_PKG_VERSION"),
        scores,
        misses,
        absent,
    })
}

impl ToolChoiceReport {
    /// Whether both aims are reached on the set of other servers and other words.
    pub fn is_met(&self) -> bool {
        let best = match self.absent {
            Some(_) => ToolSystem::Chosen,
            None => ToolSystem::ChosenByMeaning,
        };
        let held = self
            .scores
            .iter()
            .filter(|score| score.set == ToolTaskSet::HeldOut && score.system == best);
        held.into_iter().all(|score| score.first >= FIRST_AIM && score.found_by_keys >= FOUND_AIM)
    }
}

impl fmt::Display for ToolChoiceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "abide bench tools, version {}", self.version)?;
        writeln!(
            f,
            "aims, on the held-out set: {FIRST_AIM:.2} in the first prompt, {FOUND_AIM:.2} one tools.find by key words away"
        )?;
        let mut set = None;
        for score in &self.scores {
            if set != Some(score.set) {
                set = Some(score.set);
                let (tools, tasks) = (score.tools, score.tasks);
                writeln!(f, "\n{}: {tools} tools, {tasks} tasks", score.set.name())?;
                writeln!(
                    f,
                    "  {:<28} {:>6} {:>11} {:>10} {:>8} {:>8} {:>7}",
                    "", "first", "find: words", "find: keys", "by name", "bytes", "tokens"
                )?;
            }
            writeln!(f, "  {score}")?;
        }
        if let Some(why) = &self.absent {
            writeln!(f, "\nno rows with vectors: {why}")?;
        }
        for miss in &self.misses {
            writeln!(f, "\nnot in the first prompt: {miss}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ToolChoicePlan, ToolSystem, ToolTaskSet, tool_choice};

    #[test]
    fn the_set_that_may_be_looked_at_is_no_worse_than_it_was() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
        let plan = ToolChoicePlan { show_misses: true, models: Some(models) };
        let report = tool_choice(&plan, &|_| {}).unwrap();
        println!("{report}");
        let has_vectors = report.absent.is_none();
        let systems =
            ToolSystem::ALL.iter().filter(|system| has_vectors || !system.needs_vectors());
        assert_eq!(report.scores.len(), ToolTaskSet::ALL.len() * systems.count());
        let score = |set, system| {
            let fits = |score: &&super::ToolChoiceScore| score.set == set && score.system == system;
            report.scores.iter().find(fits).unwrap()
        };
        let (all, chosen) = (
            score(ToolTaskSet::Tuned, ToolSystem::All),
            score(ToolTaskSet::Tuned, ToolSystem::Chosen),
        );
        assert!(chosen.first >= 0.85 && chosen.found_by_keys >= 0.95, "{report}");
        assert!(chosen.by_name >= 1.0 && chosen.tokens * 2.0 < all.tokens, "{report}");
        assert!(!report.misses.is_empty());
    }
}
