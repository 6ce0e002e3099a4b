//! A change that is in force for a share of the requests: live requests are given to it and to the code before it, and it is kept or
//! taken back by what they say.

use std::collections::HashSet;

use abide_domain::{
    event::{ComparedPair, EvolutionDecision, EvolutionEvent, EvolutionKept, EvolutionStageBegun},
    evolution::EvolutionTarget,
};
use abide_engine::state::EvolutionRecord;
use abide_evolution::CanaryDecision;

use super::{
    judging::judge_stage,
    recorded::{self, RecordedPairs},
    report,
    trial::Trial,
    work::{EvolutionWork, MoveError, Progress},
};

impl EvolutionWork {
    /// Gives live requests to both, and looks whether the stage is over.
    pub(super) async fn watch(
        &self,
        record: &EvolutionRecord,
        percent: u8,
    ) -> Result<Progress, MoveError> {
        let mut pairs = recorded::pairs(self.keeper.ledger(), record).await?;
        let known: HashSet<String> = pairs.watch.iter().map(|pair| pair.request.clone()).collect();
        let mut trial = Trial::of(record);
        let mut new = Vec::new();
        for epoch in self.ended_live(record) {
            if known.contains(&epoch.to_string()) {
                continue;
            }
            self.until_quiet(&record.agent).await;
            if let Some(pair) = trial.compare(self, record, (epoch, &[epoch])).await? {
                pairs.watch.push(pair.clone());
                new.push(pair);
            }
        }
        trial.keep(self, record);
        self.write_pairs(record, &mut new).await?;
        self.judge_watch(record, percent, &pairs).await
    }

    async fn judge_watch(
        &self,
        record: &EvolutionRecord,
        percent: u8,
        pairs: &RecordedPairs,
    ) -> Result<Progress, MoveError> {
        if record.target() != Some(EvolutionTarget::MemorySystem) {
            return self.judge_own_watch(record, pairs).await;
        }
        let evolution = &self.settings.evolution;
        let age = self.keeper.services().ledger.now().since(record.moved_at);
        let needed = (percent, evolution.canary_pairs);
        let evolution_id = record.id;
        match judge_stage(pairs, needed, (age, evolution.stage_limit.0)) {
            CanaryDecision::Continue { .. } => Ok(Progress::Waits),
            CanaryDecision::Advance { stage } => {
                let event = EvolutionStageBegun { evolution_id, percent: stage.percent };
                self.write(EvolutionEvent::StageBegun(event)).await
            }
            CanaryDecision::Keep => {
                let reason = format!(
                    "{} live requests were answered as well as by the code from before, or better",
                    pairs.watch.len()
                );
                let report = report::kept(record, &reason, self.keeper.services().now());
                let event = EvolutionKept { evolution_id, reason };
                self.write_with(EvolutionEvent::Kept(event), report).await
            }
            CanaryDecision::RollBack { because } => {
                self.roll_back(record, because.to_string()).await
            }
            CanaryDecision::Expire { pairs } => {
                let why = format!(
                    "only {pairs} of {} requests came within {}: the code from before stays",
                    evolution.canary_pairs, evolution.stage_limit
                );
                self.roll_back(record, why).await
            }
        }
    }

    /// The same for tools and commands, which are there for all requests: they are taken back at the first request that the code from
    /// before answers and they do not, or otherwise.
    async fn judge_own_watch(
        &self,
        record: &EvolutionRecord,
        pairs: &RecordedPairs,
    ) -> Result<Progress, MoveError> {
        let evolution = &self.settings.evolution;
        let (seen, needed) = (pairs.watch.len(), evolution.canary_pairs);
        let is_worse = |pair: &&ComparedPair| pair.agrees == Some(false);
        if let Some(worse) = pairs.watch.iter().find(is_worse) {
            let difference = worse.divergence.as_deref().unwrap_or("it gives something else");
            return self.roll_back(record, difference.to_owned()).await;
        }
        let age = self.keeper.services().ledger.now().since(record.moved_at);
        let is_over = age >= evolution.stage_limit.0;
        let was_approved =
            record.decision == Some(EvolutionDecision::Marginal) || self.needs_person(record);
        let reason = if seen >= usize::try_from(needed).unwrap_or(usize::MAX) {
            format!("it was used in {seen} conversations, and nothing spoke against it")
        } else if is_over && was_approved {
            format!("a person wanted it, and in {} nothing spoke against it", evolution.stage_limit)
        } else if is_over {
            let why = format!(
                "it was used in only {seen} of {needed} conversations within {}: the code from before stays",
                evolution.stage_limit
            );
            return self.roll_back(record, why).await;
        } else {
            return Ok(Progress::Waits);
        };
        let report = report::kept(record, &reason, self.keeper.services().now());
        let event = EvolutionKept { evolution_id: record.id, reason };
        self.write_with(EvolutionEvent::Kept(event), report).await
    }
}
