//! Which model an agent asks: the configured one, or for `auto` what a key in the environment or a model server of this
//! machine allows. No prompt goes to a provider that was neither configured nor announced at start (BC-35).

use std::{sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_http::{Client, Secret};
use abide_models::{
    Dialect, KnownKey, LocalServer, Model, ModelChoice, ModelSettings as ProviderSettings,
    PriceFileError, PriceTable, ProviderProfile, VoiceForm, detect, known_servers,
};
use futures_util::future::join_all;
use serde_json::json;

use super::program::{Program, configured_program};
use crate::config::{
    AgentSection, Environment, MindKind, ModelSection, Provider, Settings, VoiceKind,
};

/// Longest wait for a model server of this machine at start. One that is there answers within milliseconds.
const PROBE_TIMEOUT: Duration = Duration::from_millis(400);

/// The variable that says how much is logged.
const LOG_VARIABLE: &str = "ABIDE_LOG";

const CONFIGURED_REFLEX: &str = "reflex, as configured; no model is asked";

/// A model that was found, in the terms of the configuration.
#[derive(Debug)]
pub(super) struct FoundModel {
    /// The dialect; none for the reflex.
    pub(super) dialect: Option<Dialect>,
    pub(super) model: ModelSection,
    /// One line, without the agent.
    pub(super) announcement: String,
}

/// Says why a mind cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MindError {
    /// A model's mind without a model.
    #[error(
        "agent {0} has mind = \"model\", but no model was found: set provider and name in [model]"
    )]
    NoModel(AgentId),
    /// The price file cannot be used.
    #[error(transparent)]
    PriceFile(#[from] PriceFileError),
}

/// Finds models, and makes what asks them.
#[derive(Debug)]
pub(super) struct ModelFinder {
    pub(super) settings: Settings,
    environment: Environment,
    client: Client,
    local: Vec<LocalServer>,
}

impl ModelFinder {
    /// Looks for model servers of this machine, if any agent needs one to be found.
    pub(super) async fn new(
        settings: &Settings,
        environment: &Environment,
        client: Client,
    ) -> Self {
        let is_open = |agent: &AgentSection| {
            let is_model = matches!(agent.mind, MindKind::Auto | MindKind::Agent | MindKind::Model)
                && configured_program(agent).is_none();
            is_model && agent.model.provider == Provider::Auto
        };
        let is_needed = settings.agents.iter().any(is_open);
        let local = if is_needed { probe_local_servers(&client).await } else { Vec::new() };
        let (settings, environment) = (settings.clone(), environment.clone());
        Self { settings, environment, client, local }
    }

    /// The model that an agent thinks with.
    pub(super) fn find(&self, agent: &AgentSection) -> Result<FoundModel, MindError> {
        let model = agent.model.clone();
        let dialect = match model.provider {
            _ if agent.mind == MindKind::Reflex => return Ok(reflex(model, CONFIGURED_REFLEX)),
            Provider::Reflex => return Ok(reflex(model, CONFIGURED_REFLEX)),
            Provider::Auto => return self.detect(agent, model),
            Provider::Openai => Dialect::OpenAiChat,
            Provider::OpenaiResponses => Dialect::OpenAiResponses,
            Provider::Anthropic => Dialect::Anthropic,
            Provider::Ollama => Dialect::Ollama,
            Provider::Known(profile) => return Ok(known(model, profile)),
        };
        let place =
            if model.base_url.is_empty() { "the provider's address" } else { &model.base_url };
        let announcement = format!("{} {} at {place}, as configured", dialect.as_str(), model.name);
        Ok(FoundModel { dialect: Some(dialect), model, announcement })
    }

    /// Resolves `auto`.
    fn detect(&self, agent: &AgentSection, model: ModelSection) -> Result<FoundModel, MindError> {
        let read = |name: &str| self.environment.get(name).map(str::to_owned);
        match detect(&read, &self.local, &model.name) {
            ModelChoice::Key(KnownKey { env, dialect, base_url }) => {
                let announcement =
                    format!("{} {}, because {env} is set", dialect.as_str(), model.name);
                let (base_url, api_key_env) = (base_url.to_owned(), env.to_owned());
                let model = ModelSection { base_url, api_key_env, ..model };
                Ok(FoundModel { dialect: Some(dialect), model, announcement })
            }
            ModelChoice::Local { dialect, base_url, name } => {
                let announcement =
                    format!("{} {name} at {base_url}, found on this machine", dialect.as_str());
                let model = ModelSection { base_url, name, ..model };
                Ok(FoundModel { dialect: Some(dialect), model, announcement })
            }
            ModelChoice::Reflex { .. } if agent.mind == MindKind::Model => {
                Err(MindError::NoModel(agent.id.clone()))
            }
            ModelChoice::Reflex { unused_key: Some(key) } => {
                let announcement = format!(
                    "reflex; {} is set, but no model is named: set [model] name to use it",
                    key.env
                );
                Ok(reflex(model, &announcement))
            }
            ModelChoice::Reflex { unused_key: None } => Ok(reflex(
                model,
                "reflex; no known key is in the environment and no model server answers on this machine",
            )),
        }
    }

    /// The model that was found; none for the reflex.
    pub(super) fn model(&self, found: &FoundModel) -> Result<Option<Model>, MindError> {
        self.model_for(found, self.settings.context.tokens_max)
    }

    /// The same for prompts of so many tokens at most.
    pub(super) fn model_for(
        &self,
        found: &FoundModel,
        context_tokens: u64,
    ) -> Result<Option<Model>, MindError> {
        let Some(dialect) = found.dialect else { return Ok(None) };
        let model = &found.model;
        let mut settings = ProviderSettings::new(dialect, model.name.clone());
        settings.base_url.clone_from(&model.base_url);
        settings.api_key = self.environment.get(&model.api_key_env).map(Secret::new);
        settings.voice = match model.voice {
            VoiceKind::Auto => VoiceForm::Auto,
            VoiceKind::Native => VoiceForm::Native,
            VoiceKind::Json => VoiceForm::Json,
        };
        settings.max_output_tokens = output_tokens(model);
        settings.context_tokens = u32::try_from(context_tokens).ok();
        settings.prices = Arc::new(PriceTable::load(&model.price_file)?);
        Ok(Some(Model::new(settings, self.client.clone())))
    }

    /// The same mind in the built-in agent: its settings in one variable, the key in the one that the configuration names.
    pub(super) fn built_in(&self, found: &FoundModel) -> Program {
        let model = &found.model;
        let settings = match found.dialect {
            None => json!({"dialect": "reflex"}),
            Some(dialect) => json!({
                "dialect": dialect.as_str(),
                "base_url": model.base_url,
                "name": model.name,
                "voice": model.voice.to_string(),
                "max_output_tokens": output_tokens(model),
                "context_tokens": self.context_tokens(),
                "price_file": model.price_file,
                "api_key_env": model.api_key_env,
            }),
        };
        let mut variables = vec![(abide_agent::MODEL_VARIABLE.to_owned(), settings.to_string())];
        let key = self.environment.get(&model.api_key_env).filter(|_| found.dialect.is_some());
        variables.extend(key.map(|key| (model.api_key_env.clone(), key.to_owned())));
        // It logs at the level of the keeper.
        let level = self.environment.get(LOG_VARIABLE);
        variables.extend(level.map(|level| (LOG_VARIABLE.to_owned(), level.to_owned())));
        Program::BuiltIn { variables }
    }

    fn context_tokens(&self) -> Option<u32> {
        u32::try_from(self.settings.context.tokens_max).ok()
    }
}

/// Most tokens of one answer, where the configuration sets a limit.
fn output_tokens(model: &ModelSection) -> Option<u32> {
    Some(model.max_output_tokens).filter(|tokens| *tokens > 0)
}

/// A provider of the table: its address and, there alone, the usual variable of its key, unless the configuration says
/// otherwise. No other host gets a key that nobody named for it.
fn known(mut model: ModelSection, profile: &ProviderProfile) -> FoundModel {
    if model.base_url.is_empty() {
        model.base_url.clone_from(&profile.base_url);
        if model.api_key_env.is_empty() {
            model.api_key_env.clone_from(&profile.key_env);
        }
    }
    let announcement =
        format!("{} {} at {}, as configured", profile.title, model.name, model.base_url);
    FoundModel { dialect: Some(profile.dialect), model, announcement }
}

fn reflex(model: ModelSection, announcement: &str) -> FoundModel {
    FoundModel { dialect: None, model, announcement: announcement.to_owned() }
}

/// The model servers of this machine that answer at once.
pub(crate) async fn probe_local_servers(client: &Client) -> Vec<LocalServer> {
    let ask = |(dialect, base_url): (Dialect, &'static str)| async move {
        let mut settings = ProviderSettings::new(dialect, "");
        base_url.clone_into(&mut settings.base_url);
        let model = Model::new(settings, client.clone());
        let check = tokio::time::timeout(PROBE_TIMEOUT, model.check()).await.ok()?.ok()?;
        Some(LocalServer { dialect, base_url: base_url.to_owned(), models: check.models })
    };
    join_all(known_servers().map(ask)).await.into_iter().flatten().collect()
}
