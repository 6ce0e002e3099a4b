//! What of a proposal can be checked without a trial: whether it may be tried, whether its code loads, what a comparison of minds would
//! cost. Nothing is written here.

use abide_domain::{event::EvolutionProposed, evolution::EvolutionTarget};
use abide_engine::{format_dollars, state::EvolutionRecord};
use abide_modules::{ModuleCallError, ModuleKind};

use super::{
    mind_change::MindChange,
    ranker::LOAD_LIMIT,
    work::{EvolutionWork, MoveError, Refused},
};
use crate::{agents::TrialMind, config::AgentSection};

impl EvolutionWork {
    /// Whether a module's code can be loaded.
    pub(super) async fn check_module(
        &self,
        record: &EvolutionRecord,
        proposed: &EvolutionProposed,
    ) -> Result<Vec<String>, Refused> {
        let started = self.ranker.launcher().start(&record.agent).await;
        let mut process = started.map_err(|error| Refused::CannotTry(error.to_string()))?;
        let loaded = process.client.load(ModuleKind::Memory, &proposed.code, LOAD_LIMIT).await;
        match loaded {
            Ok(_) => Ok(Vec::new()),
            Err(ModuleCallError::Ended(error)) => {
                let how = process.how_it_ended().await.map_err(Refused::CannotTry)?;
                Err(Refused::Rejected(format!("it cannot be loaded: {error} ({how})")))
            }
            Err(error) => Err(Refused::Rejected(format!("it cannot be loaded: {error}"))),
        }
    }

    /// Whether a mind can be compared, and what that will cost at about.
    pub(super) fn check_mind(
        &self,
        record: &EvolutionRecord,
        proposed: &EvolutionProposed,
    ) -> Result<Vec<String>, Refused> {
        if !record.only_compares() {
            let why = "a mind is only compared: look at the report, and change [model] or the identity yourself";
            return Err(Refused::Rejected(why.to_owned()));
        }
        let change = MindChange::read(&proposed.change).map_err(Refused::Rejected)?;
        let (main, candidate) = self.minds_of(record, &change).map_err(Refused::Rejected)?;
        if let Some(mind) = [&main, &candidate].into_iter().find(|mind| mind.has_unknown_price) {
            return Err(Refused::Rejected(format!(
                "what {} costs is not known, so no budget can hold: name a price_file with it in [model], or try a model of this machine",
                mind.label
            )));
        }
        let cost = self.estimate(record, [&main, &candidate]);
        let budget = record.trial.as_ref().and_then(|trial| trial.budget_microusd).unwrap_or(0);
        if cost > budget {
            return Err(Refused::Rejected(format!(
                "it would cost about {}, and its budget is {}: propose it again with a larger budget, or with fewer requests",
                format_dollars(cost),
                format_dollars(budget)
            )));
        }
        Ok(vec![
            format!("{} against {}", candidate.label, main.label),
            format!("estimated cost: {}", format_dollars(cost)),
        ])
    }

    /// What a trial of minds costs at about: both are asked what the record says that was asked.
    fn estimate(&self, record: &EvolutionRecord, minds: [&TrialMind; 2]) -> u64 {
        let count = u64::try_from(self.requests(record).len()).unwrap_or(u64::MAX);
        let state = self.keeper.state();
        let total = state.agents.get(&record.agent).map(|agent| &agent.total);
        let epochs = state.epochs.values().filter(|span| span.agent == record.agent).count();
        let epochs = u64::try_from(epochs).unwrap_or(u64::MAX).max(1);
        let of = |tokens: u64| tokens.saturating_mul(count) / epochs;
        let (input, output) =
            total.map_or((0, 0), |total| (total.input_tokens, total.output_tokens));
        let price = |mind: &TrialMind| {
            mind.mind.price(of(input), of(output)).and_then(|usage| usage.cost_microusd)
        };
        minds.into_iter().filter_map(price).sum()
    }

    /// The mind that the agent has, and the one that is proposed; both asked in the keeper.
    pub(super) fn minds_of(
        &self,
        record: &EvolutionRecord,
        change: &MindChange,
    ) -> Result<(TrialMind, TrialMind), MoveError> {
        let section = self.minds.configured(record.agent.as_str()).ok_or(
            "the agent was made by another agent: propose it for the one of the configuration that made it",
        )?;
        let mind = |section: &AgentSection| {
            self.minds.for_trial(section).map_err(|error| error.to_string())
        };
        let mut changed = section.clone();
        changed.model = change.apply(&section.model);
        Ok((mind(section)?, mind(&changed)?))
    }

    /// Why a proposal is rejected without a look at its code; none where it is not.
    pub(super) fn cannot_try(&self, record: &EvolutionRecord) -> Option<String> {
        if !self.settings.evolution.enabled {
            return Some(
                "changes of agents are off: evolution.enabled = true lets them be tried".into(),
            );
        }
        let section = self.minds.configured(record.agent.as_str());
        let is_own_program = section.is_some_and(AgentSection::is_own_program);
        match record.target() {
            None => Some(format!("there is no target {:?}", record.target)),
            Some(EvolutionTarget::Mind) => is_own_program.then(|| {
                "the agent's mind is a program of its own, which cannot be asked beside itself".into()
            }),
            Some(EvolutionTarget::MemorySystem) => (is_own_program && record.run.is_some()).then(|| {
                "the agent's process runs its own code, which this keeper does not try yet; the old code stays".into()
            }),
            Some(other) => Some(format!(
                "this keeper does not try changes of {} yet; the old code stays",
                other.as_str()
            )),
        }
    }
}
