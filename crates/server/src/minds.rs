//! Which mind thinks for an agent, by the configuration and by what is there. Each choice is said in one line at start:
//! no prompt goes to a provider that was neither configured nor announced (BC-35).
//!
//! The model is found first, then where it is asked: in a process of the agent's own (`auto`, `agent`), or in the keeper.

use std::{sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_engine::{
    ModelExplorer,
    mind::{Mind, ReasonerMind},
    sleep::ModelDistiller,
};
use abide_http::{Client, Secret};
use abide_memory::{Distiller, Explorer, RuleDistiller};
use abide_models::{
    Detected, Dialect, KnownKey, LOCAL_SERVERS, LocalServer, Model, ModelSettings as Asked,
    PriceFileError, PriceTable, Reasoner, VoiceForm, detect,
};
use futures_util::future::join_all;
use serde_json::json;

use crate::config::{
    AgentSection, Environment, ExplorerKind, MindKind, ModelSection, Provider, Settings, Transport,
    VoiceKind,
};

/// Longest wait for a model server of this machine at start. One that is there answers within milliseconds.
const KNOCK_MAX: Duration = Duration::from_millis(400);

/// How long a model that steers the Dreamer may take for one step; then the plan goes on.
const EXPLORER_MAX: Duration = Duration::from_secs(20);

/// How much is logged.
const LOG_VARIABLE: &str = "ABIDE_LOG";

/// What an agent thinks with, and what is said about it at start.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// What thinks.
    pub(crate) thinker: Thinker,
    /// One line.
    pub(crate) announcement: String,
    /// What distils its days. It is asked in the keeper, wherever the mind is.
    pub(crate) distiller: Arc<dyn Distiller>,
    /// What steers its Dreamer; none: the plan. It is asked in the keeper too.
    pub(crate) explorer: Option<Arc<dyn Explorer>>,
}

/// What thinks for an agent, and where.
#[derive(Debug)]
pub(crate) enum Thinker {
    /// Something in the keeper.
    Here(Arc<dyn Mind>),
    /// A process over frames.
    Process {
        /// The mind's name.
        label: String,
        /// What runs.
        program: Program,
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

/// What runs as an agent's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The built-in agent.
    BuiltIn {
        /// Variables that it needs: what it thinks with, and the model's key.
        variables: Vec<(String, String)>,
    },
    /// A person's own.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// Somebody else starts it, and it connects.
    Comes,
}

/// A model that was found, in the words of the configuration.
#[derive(Debug)]
struct Found {
    /// The dialect; none for the reflex.
    dialect: Option<Dialect>,
    model: ModelSection,
    /// One line, without the agent.
    announcement: String,
}

/// Says why a mind cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MindError {
    /// A model's mind without a model.
    #[error("agent {0} has mind = \"model\" and no model was found; configure [model]")]
    NoModel(AgentId),
    /// The price file cannot be used.
    #[error(transparent)]
    PriceFile(#[from] PriceFileError),
}

/// Chooses minds.
#[derive(Debug)]
pub(crate) struct Minds {
    settings: Settings,
    environment: Environment,
    client: Client,
    local: Vec<LocalServer>,
}

impl Minds {
    /// Looks for model servers of this machine, if any agent leaves the choice to us.
    pub(crate) async fn look_around(
        settings: &Settings,
        environment: &Environment,
        client: Client,
    ) -> Self {
        let is_open = |agent: &AgentSection| {
            let is_model = matches!(agent.mind, MindKind::Auto | MindKind::Agent | MindKind::Model)
                && own_program(agent).is_none();
            is_model && agent.model.provider == Provider::Auto
        };
        let local =
            if settings.agents.iter().any(is_open) { knock(&client).await } else { Vec::new() };
        let (settings, environment) = (settings.clone(), environment.clone());
        Self { settings, environment, client, local }
    }

    /// An agent of the configuration.
    pub(crate) fn configured(&self, id: &str) -> Option<&AgentSection> {
        self.settings.agents.iter().find(|agent| agent.id.as_str() == id)
    }

    /// What an agent is that another brought into being, and what it thinks with: the model of its maker, asked in the keeper,
    /// never its maker's process. Where its maker's model is not ours to know it is the reflex: no prompt goes to a provider
    /// that was not announced (BC-35).
    pub(crate) fn offspring(
        &self,
        maker: &AgentSection,
        id: AgentId,
        role: String,
    ) -> Result<(AgentSection, Chosen), MindError> {
        let provider = maker.model.provider;
        let is_unknown = own_program(maker).is_some() && provider == Provider::Auto;
        let has_model = !is_unknown && self.find(maker)?.dialect.is_some();
        let mind = if has_model { MindKind::Model } else { MindKind::Reflex };
        let agent = maker.offspring(id, role, mind);
        let chosen = self.choose(&agent)?;
        Ok((agent, chosen))
    }

    /// The mind of an agent.
    pub(crate) fn choose(&self, agent: &AgentSection) -> Result<Chosen, MindError> {
        let id = &agent.id;
        if let Some(program) = own_program(agent) {
            let words = match &program {
                Program::Comes => "a process that connects by itself".to_owned(),
                _ => format!("process `{}`", agent.command.join(" ")),
            };
            let (distiller, sleep) = self.distiller_beside(agent)?;
            let announcement = format!("{id}: {words}{sleep}");
            let thinker = match program {
                Program::Command { program, args } if agent.mind == MindKind::Acp => {
                    Thinker::Acp { label: format!("acp {words}"), program, args }
                }
                program => Thinker::Process { label: format!("agent {words}"), program },
            };
            return Ok(Chosen { thinker, announcement, distiller, explorer: None });
        }
        let found = self.find(agent)?;
        let distiller = self.distiller(agent, &found)?;
        let explorer = self.explorer(&found)?;
        let announcement = format!("{id}: {}", found.announcement);
        if matches!(agent.mind, MindKind::Auto | MindKind::Agent) {
            let label = found.dialect.map_or_else(
                || "agent reflex".to_owned(),
                |_| format!("agent model {}", found.model.name),
            );
            // A file that does not fit is said now, not by each turn.
            PriceTable::load(&found.model.price_file)?;
            let program = self.built_in(&found);
            let announcement = format!("{announcement}; in a process of its own");
            let thinker = Thinker::Process { label, program };
            return Ok(Chosen { thinker, announcement, distiller, explorer });
        }
        let thinker = Thinker::Here(self.mind(&found)?);
        Ok(Chosen { thinker, announcement, distiller, explorer })
    }

    /// What steers the Dreamer by a model that was found, where the configuration wants that.
    fn explorer(&self, found: &Found) -> Result<Option<Arc<dyn Explorer>>, MindError> {
        if self.settings.memory.explorer == ExplorerKind::Plan {
            return Ok(None);
        }
        let Some(model) = self.model(found)? else { return Ok(None) };
        let reasoner = Reasoner::Model(Box::new(model));
        Ok(Some(Arc::new(ModelExplorer::new(reasoner, EXPLORER_MAX))))
    }

    /// What distils the days of an agent whose program is a person's own: the model that is configured for it, if one is.
    /// Which one is said, for its days go there.
    fn distiller_beside(
        &self,
        agent: &AgentSection,
    ) -> Result<(Arc<dyn Distiller>, String), MindError> {
        if matches!(agent.model.provider, Provider::Auto | Provider::Reflex) {
            return Ok((Arc::new(RuleDistiller), String::new()));
        }
        let found = self.find(agent)?;
        let words = format!("; its days are distilled by {}", found.announcement);
        Ok((self.distiller(agent, &found)?, words))
    }

    /// What distils by a model that was found; by rules where there is none.
    fn distiller(
        &self,
        agent: &AgentSection,
        found: &Found,
    ) -> Result<Arc<dyn Distiller>, MindError> {
        let Some(model) = self.model(found)? else { return Ok(Arc::new(RuleDistiller)) };
        let reasoner = Reasoner::Model(Box::new(model));
        let patience = self.settings.limits().turn;
        Ok(Arc::new(ModelDistiller::new(agent.id.clone(), reasoner, patience)))
    }

    /// What is said about an agent's mind, and the model that it asks, if that is ours to know.
    pub(crate) fn look_at(
        &self,
        agent: &AgentSection,
    ) -> Result<(String, Option<Model>), MindError> {
        let announcement = self.choose(agent)?.announcement;
        let model = match own_program(agent) {
            Some(_) => None,
            None => self.model(&self.find(agent)?)?,
        };
        Ok((announcement, model))
    }

    /// The model that an agent thinks with.
    fn find(&self, agent: &AgentSection) -> Result<Found, MindError> {
        let model = agent.model.clone();
        let dialect = match model.provider {
            _ if agent.mind == MindKind::Reflex => return Ok(reflex(model, CONFIGURED_REFLEX)),
            Provider::Reflex => return Ok(reflex(model, CONFIGURED_REFLEX)),
            Provider::Auto => return self.detect(agent, model),
            Provider::Openai => Dialect::OpenAiChat,
            Provider::OpenaiResponses => Dialect::OpenAiResponses,
            Provider::Anthropic => Dialect::Anthropic,
            Provider::Ollama => Dialect::Ollama,
        };
        let place = if model.base_url.is_empty() { "its own address" } else { &model.base_url };
        let announcement = format!("{} {} at {place}, as configured", dialect.as_str(), model.name);
        Ok(Found { dialect: Some(dialect), model, announcement })
    }

    /// What `auto` comes to.
    fn detect(&self, agent: &AgentSection, model: ModelSection) -> Result<Found, MindError> {
        let read = |name: &str| self.environment.get(name).map(str::to_owned);
        match detect(&read, &self.local, &model.name) {
            Detected::Key(KnownKey { env, dialect, base_url }) => {
                let announcement =
                    format!("{} {}, because {env} is set", dialect.as_str(), model.name);
                let (base_url, api_key_env) = (base_url.to_owned(), env.to_owned());
                let model = ModelSection { base_url, api_key_env, ..model };
                Ok(Found { dialect: Some(dialect), model, announcement })
            }
            Detected::Local { dialect, base_url, name } => {
                let announcement =
                    format!("{} {name} at {base_url}, found on this machine", dialect.as_str());
                let model = ModelSection { base_url, name, ..model };
                Ok(Found { dialect: Some(dialect), model, announcement })
            }
            Detected::Reflex { .. } if agent.mind == MindKind::Model => {
                Err(MindError::NoModel(agent.id.clone()))
            }
            Detected::Reflex { unused_key: Some(key) } => {
                let why = format!(
                    "reflex; {} is set, but no model is named: set [model] name to use it",
                    key.env
                );
                Ok(reflex(model, &why))
            }
            Detected::Reflex { unused_key: None } => Ok(reflex(
                model,
                "reflex; no known key is in the environment and no model server answers on this machine",
            )),
        }
    }

    /// A mind in the keeper.
    fn mind(&self, found: &Found) -> Result<Arc<dyn Mind>, MindError> {
        Ok(match self.model(found)? {
            None => Arc::new(ReasonerMind::new(Reasoner::Reflex)),
            Some(model) => Arc::new(ReasonerMind::new(Reasoner::Model(Box::new(model)))),
        })
    }

    /// The model that was found; none for the reflex.
    fn model(&self, found: &Found) -> Result<Option<Model>, MindError> {
        let Some(dialect) = found.dialect else { return Ok(None) };
        let model = &found.model;
        let mut asked = Asked::new(dialect, model.name.clone());
        asked.base_url.clone_from(&model.base_url);
        asked.api_key = self.environment.get(&model.api_key_env).map(Secret::new);
        asked.voice = match model.voice {
            VoiceKind::Auto => VoiceForm::Auto,
            VoiceKind::Native => VoiceForm::Native,
            VoiceKind::Json => VoiceForm::Json,
        };
        asked.context_tokens = self.context_tokens();
        asked.prices = Arc::new(PriceTable::load(&model.price_file)?);
        Ok(Some(Model::new(asked, self.client.clone())))
    }

    /// The same mind in the built-in agent: told in a variable, the key in the one that the configuration names.
    fn built_in(&self, found: &Found) -> Program {
        let model = &found.model;
        let told = match found.dialect {
            None => json!({"dialect": "reflex"}),
            Some(dialect) => json!({
                "dialect": dialect.as_str(),
                "base_url": model.base_url,
                "name": model.name,
                "voice": model.voice.to_string(),
                "context_tokens": self.context_tokens(),
                "price_file": model.price_file,
                "api_key_env": model.api_key_env,
            }),
        };
        let mut variables = vec![(abide_agent::MODEL_VARIABLE.to_owned(), told.to_string())];
        let key = self.environment.get(&model.api_key_env).filter(|_| found.dialect.is_some());
        variables.extend(key.map(|key| (model.api_key_env.clone(), key.to_owned())));
        // Its log is a part of ours.
        let level = self.environment.get(LOG_VARIABLE);
        variables.extend(level.map(|level| (LOG_VARIABLE.to_owned(), level.to_owned())));
        Program::BuiltIn { variables }
    }

    fn context_tokens(&self) -> Option<u32> {
        u32::try_from(self.settings.context.tokens_max).ok()
    }
}

const CONFIGURED_REFLEX: &str = "reflex, as configured; no model is asked";

fn reflex(model: ModelSection, announcement: &str) -> Found {
    Found { dialect: None, model, announcement: announcement.to_owned() }
}

/// The program that a person gave an agent, if one did.
fn own_program(agent: &AgentSection) -> Option<Program> {
    if agent.transport == Transport::Socket {
        return Some(Program::Comes);
    }
    let (program, args) = agent.command.split_first()?;
    Some(Program::Command { program: program.clone(), args: args.to_vec() })
}

/// The model servers of this machine that answer at once.
async fn knock(client: &Client) -> Vec<LocalServer> {
    let ask = |(dialect, base_url): (Dialect, &'static str)| async move {
        let mut asked = Asked::new(dialect, "");
        base_url.clone_into(&mut asked.base_url);
        let model = Model::new(asked, client.clone());
        let check = tokio::time::timeout(KNOCK_MAX, model.check()).await.ok()?.ok()?;
        Some(LocalServer { dialect, base_url: base_url.to_owned(), models: check.models })
    };
    join_all(LOCAL_SERVERS.into_iter().map(ask)).await.into_iter().flatten().collect()
}
