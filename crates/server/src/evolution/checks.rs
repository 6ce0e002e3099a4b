//! What of a proposal can be checked without a trial: whether it may be tried, and whether its code loads. Nothing is written here.

use abide_domain::{event::EvolutionProposed, evolution::EvolutionTarget};
use abide_engine::state::EvolutionRecord;
use abide_modules::{ModuleCallError, ModuleDeclarations, ModuleKind};

use super::{
    module_pool::LOAD_LIMIT,
    own_checks,
    own_trial::OwnSide,
    work::{CheckedProposal, EvolutionWork, Refused},
};
use crate::{agents::ModuleProcess, config::AgentSection};

impl EvolutionWork {
    /// Whether a module's code can be loaded, and what else must hold of it. Says what is worth knowing of it.
    pub(super) async fn check_module(
        &self,
        record: &EvolutionRecord,
        (kind, proposed): (ModuleKind, &EvolutionProposed),
    ) -> Result<CheckedProposal, Refused> {
        let (process, declared) = self.load_checked(record, (kind, &proposed.code)).await?;
        if kind == ModuleKind::Memory {
            return Ok(CheckedProposal::default());
        }
        let given = self.keeper.agent(record.agent.as_str()).map(|agent| agent.tools.given());
        let given = given.ok_or_else(|| Refused::CannotTry("the agent is not here".to_owned()))?;
        own_checks::check_declared(&declared, &given).map_err(Refused::Rejected)?;
        let cases = own_checks::read_cases(&proposed.change).map_err(Refused::Rejected)?;
        let old = self.code_in_force(record).await.map_err(Refused::CannotTry)?;
        let before = self.modules.pool.load(&record.agent, (kind, &old)).await;
        let (_, before) = before.map_err(Refused::CannotTry)?;
        let (adds, mut notes) =
            (own_checks::added(&declared, &before), own_checks::notes(&declared, &before));
        if notes.is_empty() && declared == ModuleDeclarations::default() {
            return Err(Refused::Rejected("it declares nothing".to_owned()));
        }
        notes.extend(own_checks::look_alikes(&declared, &given));
        let mut side = OwnSide::new((process, declared));
        own_checks::run_cases(&mut side, &cases).await.map_err(Refused::Rejected)?;
        Ok(CheckedProposal { adds, notes })
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

    /// Why a proposal is rejected without a look at its code; none where it is not.
    pub(super) fn cannot_try(&self, record: &EvolutionRecord) -> Option<String> {
        if !self.settings.evolution.enabled {
            return Some(
                "changes of agents are off: evolution.enabled = true lets them be tried".into(),
            );
        }
        if self.is_of_program(record) {
            return None;
        }
        let section = self.minds.configured(record.agent.as_str());
        let is_own_program = section.is_some_and(AgentSection::is_own_program);
        match record.target() {
            None => Some(format!("there is no target {:?}", record.target)),
            Some(EvolutionTarget::Mind) => is_own_program.then(|| {
                "the agent's mind is a program of its own, which cannot be asked beside itself"
                    .into()
            }),
            Some(_) => None,
        }
    }
}
