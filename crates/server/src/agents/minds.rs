//! Which mind an agent gets, and where it runs: in a process of the agent's own (`auto`, `agent`, `acp`, a configured
//! command) or in the keeper. Each choice is announced in one line at start.

use std::{sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_engine::{
    ModelExplorer,
    mind::{Mind, ReasonerMind},
    sleep::ModelDistiller,
};
use abide_http::Client;
use abide_memory::{Distiller, Explorer, RuleDistiller};
use abide_models::{Model, PriceTable, Reasoner};

use super::{
    models::{FoundModel, MindError, ModelFinder},
    program::{Program, configured_program},
};
use crate::config::{AgentSection, Environment, ExplorerKind, MindKind, Provider, Settings};

/// How long a model that steers the Dreamer may take for one step; after that the fixed plan goes on.
const EXPLORER_STEP_TIMEOUT: Duration = Duration::from_secs(20);

/// A mind for a trial, with a name for people.
#[derive(Clone, Debug)]
pub(crate) struct TrialMind {
    /// What is asked.
    pub(crate) mind: Arc<dyn Mind>,
    /// Such as `reflex` or `model gpt-x`.
    pub(crate) label: String,
    /// Whether asking it may cost what nobody knows: it is not of this machine, and has no price.
    pub(crate) has_unknown_price: bool,
}

/// The mind that was chosen for an agent.
#[derive(Debug)]
pub(crate) struct MindChoice {
    /// What answers its turns, and where that runs.
    pub(crate) placement: MindPlacement,
    /// The choice in one line, for people.
    pub(crate) announcement: String,
    /// What serves its memory.
    pub(crate) memory: MemoryModels,
}

/// What serves an agent's memory. Both are asked in the keeper, wherever the mind runs.
#[derive(Debug)]
pub(crate) struct MemoryModels {
    /// Distils its epochs while it sleeps.
    pub(crate) distiller: Arc<dyn Distiller>,
    /// Steers its Dreamer; without one the Dreamer follows its fixed plan.
    pub(crate) explorer: Option<Arc<dyn Explorer>>,
}

/// What answers an agent's turns, and where.
#[derive(Debug)]
pub(crate) enum MindPlacement {
    /// A mind in the keeper.
    InKeeper(Arc<dyn Mind>),
    /// A process over frames.
    Process {
        /// The mind's name.
        label: String,
        /// What runs.
        program: Program,
        /// The model that it asks, where that is known here: for the price of attempts that it never told of.
        model: Option<Box<Model>>,
    },
    /// A process of the Agent Client Protocol.
    Acp {
        /// The mind's name.
        label: String,
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// Chooses minds.
#[derive(Debug)]
pub(crate) struct MindSelector {
    models: ModelFinder,
}

impl MindSelector {
    /// Looks for model servers of this machine, if any agent needs one to be found.
    pub(crate) async fn new(
        settings: &Settings,
        environment: &Environment,
        client: Client,
    ) -> Self {
        Self { models: ModelFinder::new(settings, environment, client).await }
    }

    /// An agent of the configuration.
    pub(crate) fn configured(&self, id: &str) -> Option<&AgentSection> {
        self.models.settings.agents.iter().find(|agent| agent.id.as_str() == id)
    }

    /// The settings and the mind of an agent that another one made: the model of its maker, asked in the keeper, never its
    /// maker's process. Where the maker's model is not known here it is the reflex: no prompt goes to a provider that was
    /// not announced (BC-35).
    pub(super) fn choose_for_spawned(
        &self,
        maker: &AgentSection,
        id: AgentId,
        role: String,
    ) -> Result<(AgentSection, MindChoice), MindError> {
        let provider = maker.model.provider;
        let is_unknown = configured_program(maker).is_some() && provider == Provider::Auto;
        let has_model = !is_unknown && self.models.find(maker)?.dialect.is_some();
        let mind = if has_model { MindKind::Model } else { MindKind::Reflex };
        let agent = maker.offspring(id, role, mind);
        let choice = self.choose(&agent)?;
        Ok((agent, choice))
    }

    /// The mind of an agent.
    pub(crate) fn choose(&self, agent: &AgentSection) -> Result<MindChoice, MindError> {
        let id = &agent.id;
        if let Some(program) = configured_program(agent) {
            return self.choose_configured(agent, program);
        }
        let found = self.models.find(agent)?;
        let distiller = self.distiller(agent, &found)?;
        let memory = MemoryModels { distiller, explorer: self.explorer(&found)? };
        let announcement = format!("{id}: {}", found.announcement);
        if matches!(agent.mind, MindKind::Auto | MindKind::Agent) {
            let label = found.dialect.map_or_else(
                || "agent reflex".to_owned(),
                |_| format!("agent model {}", found.model.name),
            ); // A file that cannot be used is reported now, not by each turn.
            PriceTable::load(&found.model.price_file)?;
            let program = self.models.built_in(&found);
            let announcement = format!("{announcement}; in a process of its own");
            let model = self.models.model(&found)?.map(Box::new);
            let placement = MindPlacement::Process { label, program, model };
            return Ok(MindChoice { placement, announcement, memory });
        }
        let reasoner = match self.models.model(&found)? {
            None => Reasoner::Reflex,
            Some(model) => Reasoner::Model(Box::new(model)),
        };
        let placement = MindPlacement::InKeeper(Arc::new(ReasonerMind::new(reasoner)));
        Ok(MindChoice { placement, announcement, memory })
    }

    /// The mind of an agent whose program is configured.
    fn choose_configured(
        &self,
        agent: &AgentSection,
        program: Program,
    ) -> Result<MindChoice, MindError> {
        let what = match &program {
            Program::Connects => "a process that connects by itself".to_owned(),
            _ => format!("process `{}`", agent.command.join(" ")),
        };
        let (distiller, sleep) = self.configured_distiller(agent)?;
        let announcement = format!("{}: {what}{sleep}", agent.id);
        let placement = match program {
            Program::Command { program, args } if agent.mind == MindKind::Acp => {
                MindPlacement::Acp { label: format!("acp {what}"), program, args }
            }
            program => {
                MindPlacement::Process { label: format!("agent {what}"), program, model: None }
            }
        };
        let memory = MemoryModels { distiller, explorer: None };
        Ok(MindChoice { placement, announcement, memory })
    }

    /// What an agent thinks with, asked in the keeper, for a trial on its record; with its name for people. Not for an agent whose
    /// program is configured. `context_tokens`: a prompt's tokens at most, where they are not those of the configuration.
    pub(crate) fn for_trial(
        &self,
        agent: &AgentSection,
        context_tokens: Option<u64>,
    ) -> Result<TrialMind, MindError> {
        let found = self.models.find(agent)?;
        let context_tokens = context_tokens.unwrap_or(self.models.settings.context.tokens_max);
        let reasoner = match self.models.model_for(&found, context_tokens)? {
            None => Reasoner::Reflex,
            Some(model) => Reasoner::Model(Box::new(model)),
        };
        let mind = ReasonerMind::new(reasoner);
        let price = mind.price(1, 1).map(|usage| usage.cost_microusd);
        let is_local = found.dialect.is_none() || found.model.is_on_this_machine();
        let has_unknown_price = price.is_none_or(|price| price.is_none()) && !is_local;
        Ok(TrialMind { label: mind.name(), mind: Arc::new(mind), has_unknown_price })
    }

    /// What steers the Dreamer by a model that was found, where the configuration wants that.
    fn explorer(&self, found: &FoundModel) -> Result<Option<Arc<dyn Explorer>>, MindError> {
        if self.models.settings.memory.explorer == ExplorerKind::Plan {
            return Ok(None);
        }
        let Some(model) = self.models.model(found)? else { return Ok(None) };
        let reasoner = Reasoner::Model(Box::new(model));
        Ok(Some(Arc::new(ModelExplorer::new(reasoner, EXPLORER_STEP_TIMEOUT))))
    }

    /// What distils the epochs of an agent whose program is configured: the model that is configured for it, if one is.
    /// It is announced, because the agent's conversations are sent there.
    fn configured_distiller(
        &self,
        agent: &AgentSection,
    ) -> Result<(Arc<dyn Distiller>, String), MindError> {
        let provider = agent.model.provider;
        if matches!(provider, Provider::Auto | Provider::Reflex) {
            return Ok((Arc::new(RuleDistiller), String::new()));
        }
        let found = self.models.find(agent)?;
        let announcement = format!("; its sleep is distilled by {}", found.announcement);
        Ok((self.distiller(agent, &found)?, announcement))
    }

    /// What distils by a model that was found; by rules where there is none.
    fn distiller(
        &self,
        agent: &AgentSection,
        found: &FoundModel,
    ) -> Result<Arc<dyn Distiller>, MindError> {
        let Some(model) = self.models.model(found)? else { return Ok(Arc::new(RuleDistiller)) };
        let reasoner = Reasoner::Model(Box::new(model));
        let turn_max = self.models.settings.limits().turn;
        Ok(Arc::new(ModelDistiller::new(agent.id.clone(), reasoner, turn_max)))
    }

    /// Whether an agent answers by rules alone though nobody chose that: only what is looked for can be missing.
    pub(crate) fn lacks_model(&self, agent: &AgentSection) -> bool {
        let is_looked_for =
            agent.mind != MindKind::Reflex && agent.model.provider == Provider::Auto;
        is_looked_for
            && configured_program(agent).is_none()
            && self.models.find(agent).is_ok_and(|found| found.dialect.is_none())
    }

    /// The announcement of an agent's mind, and the model that it asks, where the keeper configures that.
    pub(crate) fn describe(
        &self,
        agent: &AgentSection,
    ) -> Result<(String, Option<Model>), MindError> {
        let announcement = self.choose(agent)?.announcement;
        let model = match configured_program(agent) {
            Some(_) => None,
            None => self.models.model(&self.models.find(agent)?)?,
        };
        Ok((announcement, model))
    }
}
