//! What of a proposal can be checked without a trial: whether it may be tried, whether its code loads, what a comparison of minds would
//! cost. Nothing is written here.

use abide_domain::{event::EvolutionProposed, evolution::EvolutionTarget};
use abide_engine::{format_dollars, state::EvolutionRecord};
use abide_modules::{ModuleCallError, ModuleDeclarations, ModuleKind};

use super::{
    mind_change::MindChange,
    module_pool::LOAD_LIMIT,
    own_checks,
    own_trial::OwnSide,
    work::{EvolutionWork, MoveError, Refused},
};
use crate::{
    agents::{ModuleProcess, TrialMind},
    config::AgentSection,
};

impl EvolutionWork {
    /// Whether a module's code can be loaded, and what else must hold of it. Says what is worth knowing of it.
    pub(super) async fn check_module(
        &self,
        record: &EvolutionRecord,
        (kind, proposed): (ModuleKind, &EvolutionProposed),
    ) -> Result<Vec<String>, Refused> {
        let (process, declared) = self.load_checked(record, (kind, &proposed.code)).await?;
        if kind == ModuleKind::Memory {
            return Ok(Vec::new());
        }
        let given = self.keeper.agent(record.agent.as_str()).map(|agent| agent.tools.given());
        let given = given.ok_or_else(|| Refused::CannotTry("the agent is not here".to_owned()))?;
        own_checks::check_declared(&declared, &given).map_err(Refused::Rejected)?;
        let cases = own_checks::read_cases(&proposed.change).map_err(Refused::Rejected)?;
        let old = self.code_in_force(record).await.map_err(Refused::CannotTry)?;
        let before = self.modules.pool.load(&record.agent, (kind, &old)).await;
        let (_, before) = before.map_err(Refused::CannotTry)?;
        let notes = own_checks::notes(&declared, &before);
        if notes.is_empty() && declared == ModuleDeclarations::default() {
            return Err(Refused::Rejected("it declares nothing".to_owned()));
        }
        let mut side = OwnSide::new((process, declared));
        own_checks::run_cases(&mut side, &cases).await.map_err(Refused::Rejected)?;
        Ok(notes)
    }

    /// Loads a proposal's code; where that fails, by whose fault.
    async fn load_checked(
        &self,
        record: &EvolutionRecord,
        (kind, code): (ModuleKind, &str),
    ) -> Result<(ModuleProcess, ModuleDeclarations), Refused> {
        let started = self.modules.pool.launcher().start(&record.agent).await;
        let mut process = started.map_err(|error| Refused::CannotTry(error.to_string()))?;
        let loaded = process.client.load(kind, code, LOAD_LIMIT).await;
        match loaded {
            Ok(loaded) => Ok((process, loaded.value)),
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
        let (up_to, count) = self.newest(record);
        let count = self.keeper.committed_epochs(&record.agent, up_to, count).len();
        let count = u64::try_from(count).unwrap_or(u64::MAX);
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
            Some(_) => (is_own_program && record.run.is_some()).then(|| {
                "the agent's process runs its own code, which this keeper does not try yet; the old code stays".into()
            }),
        }
    }
}
