//! Which mind thinks for an agent, by the configuration and by what is there. Each choice is said in one line at start:
//! no prompt goes to a provider that was neither configured nor announced (BC-35).

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_engine::mind::{Mind, ModelMind, ReflexMind};
use abide_http::{Client, Secret};
use abide_models::{
    Detected, Dialect, KnownKey, LOCAL_SERVERS, LocalServer, Model, ModelSettings as Asked,
    PriceError, PriceTable, VoiceForm, detect,
};
use futures_util::future::join_all;

use crate::config::{
    AgentSettings, Environment, MindKind, ModelSettings, Provider, Settings, VoiceKind,
};

/// Longest wait for a model server of this machine at start. One that is there answers within milliseconds.
const KNOCK_MAX: Duration = Duration::from_millis(400);

/// What an agent thinks with, and what is said about it at start.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The model that is asked; none for the reflex.
    pub(crate) model: Option<Model>,
    /// One line.
    pub(crate) announcement: String,
}

impl Chosen {
    /// The mind.
    pub(crate) fn into_mind(self) -> Arc<dyn Mind> {
        match self.model {
            Some(model) => Arc::new(ModelMind::new(model)),
            None => Arc::new(ReflexMind),
        }
    }
}

/// Says why a mind cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MindError {
    /// This mind needs a part that is not there.
    #[error(
        "agent {0} has mind = \"{1}\", which needs agent processes; use \"auto\", \"model\" or \"reflex\""
    )]
    NoProcesses(AgentId, &'static str),
    /// A model's mind without a model.
    #[error("agent {0} has mind = \"model\" and no model was found; configure [model]")]
    NoModel(AgentId),
    /// The price file cannot be read.
    #[error("the price file {} cannot be read", path.display())]
    PriceFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The price file does not fit.
    #[error("the price file {} does not fit", path.display())]
    Prices {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PriceError,
    },
}

/// Chooses minds.
#[derive(Debug)]
pub(crate) struct Minds<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    client: Client,
    local: Vec<LocalServer>,
}

impl<'a> Minds<'a> {
    /// Looks for model servers of this machine, if any agent leaves the choice to us.
    pub(crate) async fn look_around(
        settings: &'a Settings,
        environment: &'a Environment,
        client: Client,
    ) -> Self {
        let is_open = |agent: &AgentSettings| {
            let is_model = matches!(agent.mind, MindKind::Auto | MindKind::Model);
            is_model && settings.model(agent).provider == Provider::Auto
        };
        let local =
            if settings.agents.iter().any(is_open) { knock(&client).await } else { Vec::new() };
        Self { settings, environment, client, local }
    }

    /// The mind of an agent.
    pub(crate) fn choose(&self, agent: &AgentSettings) -> Result<Chosen, MindError> {
        let model = self.settings.model(agent);
        let id = &agent.id;
        match agent.mind {
            MindKind::Agent => Err(MindError::NoProcesses(id.clone(), "agent")),
            MindKind::Acp => Err(MindError::NoProcesses(id.clone(), "acp")),
            MindKind::Reflex => {
                Ok(reflex(format!("{id}: reflex, as configured; no model is asked")))
            }
            MindKind::Auto | MindKind::Model => match model.provider {
                Provider::Reflex => {
                    Ok(reflex(format!("{id}: reflex, as configured; no model is asked")))
                }
                Provider::Auto => self.found(agent, &model),
                Provider::Openai => self.configured(id, Dialect::OpenAiChat, &model),
                Provider::OpenaiResponses => self.configured(id, Dialect::OpenAiResponses, &model),
                Provider::Anthropic => self.configured(id, Dialect::Anthropic, &model),
                Provider::Ollama => self.configured(id, Dialect::Ollama, &model),
            },
        }
    }

    fn configured(
        &self,
        id: &AgentId,
        dialect: Dialect,
        model: &ModelSettings,
    ) -> Result<Chosen, MindError> {
        let asked = self.asked(dialect, model)?;
        let place = if model.base_url.is_empty() { "its own address" } else { &model.base_url };
        let announcement =
            format!("{id}: {} {} at {place}, as configured", dialect.as_str(), model.name);
        Ok(self.thinking(asked, announcement))
    }

    /// What `auto` comes to.
    fn found(&self, agent: &AgentSettings, model: &ModelSettings) -> Result<Chosen, MindError> {
        let id = &agent.id;
        let read = |name: &str| self.environment.get(name).map(str::to_owned);
        match detect(&read, &self.local, &model.name) {
            Detected::Key(KnownKey { env, dialect, base_url }) => {
                let mut asked = self.asked(dialect, model)?;
                base_url.clone_into(&mut asked.base_url);
                asked.api_key = self.environment.get(env).map(Secret::new);
                let announcement =
                    format!("{id}: {} {}, because {env} is set", dialect.as_str(), model.name);
                Ok(self.thinking(asked, announcement))
            }
            Detected::Local { dialect, base_url, name } => {
                let mut asked = self.asked(dialect, model)?;
                let announcement = format!(
                    "{id}: {} {name} at {base_url}, found on this machine",
                    dialect.as_str()
                );
                asked.base_url = base_url;
                asked.name = name;
                Ok(self.thinking(asked, announcement))
            }
            Detected::Reflex { .. } if agent.mind == MindKind::Model => {
                Err(MindError::NoModel(id.clone()))
            }
            Detected::Reflex { unused_key: Some(key) } => Ok(reflex(format!(
                "{id}: reflex; {} is set, but no model is named: set [model] name to use it",
                key.env
            ))),
            Detected::Reflex { unused_key: None } => Ok(reflex(format!(
                "{id}: reflex; no known key is in the environment and no model server answers on this machine"
            ))),
        }
    }

    fn asked(&self, dialect: Dialect, model: &ModelSettings) -> Result<Asked, MindError> {
        let mut asked = Asked::new(dialect, model.name.clone());
        asked.base_url.clone_from(&model.base_url);
        asked.api_key = self.environment.get(&model.api_key_env).map(Secret::new);
        asked.voice = match model.voice {
            VoiceKind::Auto => VoiceForm::Auto,
            VoiceKind::Native => VoiceForm::Native,
            VoiceKind::Json => VoiceForm::Json,
        };
        asked.context_tokens = u32::try_from(self.settings.context.tokens_max).ok();
        asked.prices = Arc::new(prices(&model.price_file)?);
        Ok(asked)
    }

    fn thinking(&self, asked: Asked, announcement: String) -> Chosen {
        Chosen { model: Some(Model::new(asked, self.client.clone())), announcement }
    }
}

fn reflex(announcement: String) -> Chosen {
    Chosen { model: None, announcement }
}

fn prices(file: &str) -> Result<PriceTable, MindError> {
    if file.is_empty() {
        return Ok(PriceTable::default());
    }
    let path = PathBuf::from(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => PriceTable::parse(&text).map_err(|source| MindError::Prices { path, source }),
        Err(source) => Err(MindError::PriceFile { path, source }),
    }
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
