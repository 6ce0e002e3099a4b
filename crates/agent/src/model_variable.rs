//! Which model the agent thinks with: the keeper says so in one variable, and gives the key in the variable that it names.
//!
//! The key is read here and goes nowhere but into the model's requests: no error and no `Debug` shows it.

use std::{fmt, sync::Arc};

use abide_domain::Clock;
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_models::{
    Dialect, Model, ModelSettings, PriceFileError, PriceTable, Reasoner, VoiceForm,
};
use serde::Deserialize;

/// The variable that says which model it is.
pub const MODEL_VARIABLE: &str = "ABIDE_MODEL";
/// The dialect without a model.
const REFLEX: &str = "reflex";

/// Reads a variable of the environment.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Why [`MODEL_VARIABLE`] gives no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelVariableError {
    /// It is not the JSON object that it should be. Its text is not shown: it may hold a key by mistake.
    #[error(
        "{MODEL_VARIABLE} is invalid at column {column}: it must be one JSON object with dialect, base_url, name, voice, \
         max_output_tokens, context_tokens, price_file and api_key_env"
    )]
    Malformed {
        /// From 1.
        column: usize,
    },
    /// An unknown dialect or voice.
    #[error("{MODEL_VARIABLE} names the unknown {field} `{name}`")]
    Unknown {
        /// `dialect` or `voice`.
        field: &'static str,
        /// The unknown name.
        name: String,
    },
    /// The price file cannot be used.
    #[error(transparent)]
    PriceFile(#[from] PriceFileError),
}

/// The variable's JSON.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ModelVariable {
    dialect: String,
    base_url: String,
    name: String,
    voice: String,
    max_output_tokens: Option<u32>,
    context_tokens: Option<u32>,
    price_file: String,
    api_key_env: String,
}

/// Shows neither the base URL nor any key.
impl fmt::Debug for ModelVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelVariable({} {})", self.dialect, self.name)
    }
}

/// Makes the reasoner that the variable describes; the reflex where it is not set.
pub(crate) fn reasoner(
    environment: Environment<'_>,
    clock: &Arc<dyn Clock>,
) -> Result<Reasoner, ModelVariableError> {
    let Some(text) = environment(MODEL_VARIABLE).filter(|text| !text.trim().is_empty()) else {
        return Ok(Reasoner::Reflex);
    };
    let variable: ModelVariable = serde_json::from_str(&text)
        .map_err(|error| ModelVariableError::Malformed { column: error.column() })?;
    if variable.dialect == REFLEX {
        return Ok(Reasoner::Reflex);
    }
    let settings = settings(variable, environment)?;
    let client = Client::new(ClientSettings::new(AddressPolicy::Any, Arc::clone(clock)));
    Ok(Reasoner::Model(Box::new(Model::new(settings, client))))
}

fn settings(
    variable: ModelVariable,
    environment: Environment<'_>,
) -> Result<ModelSettings, ModelVariableError> {
    let unknown = |field, name: &str| ModelVariableError::Unknown { field, name: name.to_owned() };
    let dialect = Dialect::from_name(&variable.dialect)
        .ok_or_else(|| unknown("dialect", &variable.dialect))?;
    let voice = match variable.voice.as_str() {
        "" => VoiceForm::Auto,
        name => VoiceForm::from_name(name).ok_or_else(|| unknown("voice", name))?,
    };
    let mut settings = ModelSettings::new(dialect, variable.name);
    settings.base_url = variable.base_url;
    settings.voice = voice;
    settings.max_output_tokens = variable.max_output_tokens;
    settings.context_tokens = variable.context_tokens;
    settings.prices = Arc::new(PriceTable::load(&variable.price_file)?);
    if !variable.api_key_env.is_empty() {
        settings.api_key = environment(&variable.api_key_env).map(|key| Secret::new(&key));
    }
    Ok(settings)
}
