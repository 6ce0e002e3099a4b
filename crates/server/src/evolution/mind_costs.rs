//! What a comparison of minds will cost, conversation by conversation: what the record says that each took, as often as each mind is asked,
//! at today's prices. It is said before anything is asked, and nothing is asked that would pass the budget by it.

use std::collections::HashMap;

use abide_domain::{EpochId, event::ComparedPair};
use abide_engine::{
    format_dollars,
    keeper::{RecordedEpoch, ShownInstead},
    state::EvolutionRecord,
};

use super::{
    mind_change::MindChange,
    mind_checks::{AskedMinds, repeat_of},
    mind_judge::{ANSWER_TOKENS, ORDERS, QUESTION_TOKENS},
    mind_trial::FLOOR_REQUESTS,
    recorded,
    work::{EvolutionWork, MoveError},
};
use crate::agents::TrialMind;

/// Microdollars of each conversation that is to be asked again, and how many there may be in all.
#[derive(Debug, Default)]
pub(super) struct ExpectedCosts {
    of: HashMap<EpochId, u64>,
    budget: u64,
}

impl ExpectedCosts {
    pub(super) fn total(&self) -> u64 {
        self.of.values().fold(0, |sum, cost| sum.saturating_add(*cost))
    }

    pub(super) const fn budget(&self) -> u64 {
        self.budget
    }

    /// Why a trial ends before this conversation is asked, where it has to: it, or one like the dearest so far, would pass the budget.
    pub(super) fn ends_before(&self, epoch: EpochId, pairs: &[ComparedPair]) -> Option<String> {
        let costs = || pairs.iter().map(ComparedPair::spent_in_all);
        let spent = costs().fold(0, u64::saturating_add);
        let dearest = costs().max().unwrap_or(0);
        let next = self.of.get(&epoch).copied().unwrap_or(0).max(dearest);
        (next > 0 && spent.saturating_add(next) > self.budget).then(|| {
            format!(
                "it ended after {} of {} conversations, because the next could have passed its budget of {}",
                pairs.len(),
                self.of.len(),
                format_dollars(self.budget)
            )
        })
    }
}

impl EvolutionWork {
    /// Of a change that was proposed.
    pub(super) async fn costs_of(
        &self,
        record: &EvolutionRecord,
    ) -> Result<ExpectedCosts, MoveError> {
        let proposed = recorded::proposal(self.keeper.ledger(), record).await?;
        let change = MindChange::read(&proposed.change)?;
        self.expected_costs(record, &self.minds_of(record, &change)?).await
    }

    /// Of these minds, on the newest conversations of the record.
    pub(super) async fn expected_costs(
        &self,
        record: &EvolutionRecord,
        minds: &AskedMinds,
    ) -> Result<ExpectedCosts, MoveError> {
        let requests = self.newest_epochs(record);
        let read = self.keeper.recorded_epochs(&record.agent, &requests, ShownInstead::default());
        let epochs = read.await.map_err(|error| error.to_string())?;
        let repeat = u64::from(repeat_of(record));
        let cost = |epoch: &RecordedEpoch| {
            let usages = epoch.turns.iter().map(|turn| &turn.usage);
            let (input, output) = usages.fold((0_u64, 0_u64), |(input, output), usage| {
                let output = output.saturating_add(usage.output_tokens);
                (input.saturating_add(usage.input_tokens), output)
            });
            let place = requests.iter().position(|request| *request == epoch.id);
            let floor = u64::from(place.is_some_and(|place| place < FLOOR_REQUESTS));
            let asked = |times: u64| (input.saturating_mul(times), output.saturating_mul(times));
            let judged = minds.judge.as_ref().map_or(0, |judge| {
                // It is shown both replies, each of them at most as long as all that was answered.
                let shown = output.saturating_mul(2).saturating_add(QUESTION_TOKENS);
                let tokens = (shown.saturating_mul(ORDERS), ANSWER_TOKENS.saturating_mul(ORDERS));
                price(&judge.mind, tokens)
            });
            price(&minds.main.mind, asked(repeat + floor))
                .saturating_add(price(&minds.candidate.mind, asked(repeat)))
                .saturating_add(judged)
        };
        let of = epochs.iter().map(|epoch| (epoch.id, cost(epoch))).collect();
        let budget = record.trial.as_ref().and_then(|trial| trial.budget_microusd).unwrap_or(0);
        Ok(ExpectedCosts { of, budget })
    }
}

fn price(mind: &TrialMind, (input, output): (u64, u64)) -> u64 {
    let usage = mind.mind.price(input, output);
    usage.and_then(|usage| usage.cost_microusd).unwrap_or(0)
}
