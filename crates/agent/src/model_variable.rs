//! What the keeper tells the agent to think with: one variable, and the key in the variable that it names.
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
/// The dialect that is none.
const REFLEX: &str = "reflex";

/// Reads a variable of the environment.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Why the agent has nothing to think with.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// The variable is not what it should be. Its text is not shown, for a key may stand in it by mistake.
    #[error(
        "{MODEL_VARIABLE} must be one JSON object with dialect, base_url, name, voice, context_tokens, price_file and \
         api_key_env; it is not, at column {column}"
    )]
    Malformed {
        /// From 1.
        column: usize,
    },
    /// A dialect or voice that is not there.
    #[error("{MODEL_VARIABLE}: `{name}` is no {field}")]
    Unknown {
        /// `dialect` or `voice`.
        field: &'static str,
        /// What stands there.
        name: String,
    },
    /// The price file cannot be used.
    #[error(transparent)]
    PriceFile(#[from] PriceFileError),
}

/// What stands in the variable.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Told {
    dialect: String,
    base_url: String,
    name: String,
    voice: String,
    context_tokens: Option<u32>,
    price_file: String,
    api_key_env: String,
}

/// Shows what is public.
impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Told({} {})", self.dialect, self.name)
    }
}

/// Makes what thinks; the reflex where nothing is said.
pub(crate) fn reasoner(
    environment: Environment<'_>,
    clock: &Arc<dyn Clock>,
) -> Result<Reasoner, ChoiceError> {
    let Some(text) = environment(MODEL_VARIABLE).filter(|text| !text.trim().is_empty()) else {
        return Ok(Reasoner::Reflex);
    };
    let told: Told = serde_json::from_str(&text)
        .map_err(|error| ChoiceError::Malformed { column: error.column() })?;
    if told.dialect == REFLEX {
        return Ok(Reasoner::Reflex);
    }
    let settings = settings(told, environment)?;
    let client = Client::new(ClientSettings::new(AddressPolicy::Any, Arc::clone(clock)));
    Ok(Reasoner::Model(Box::new(Model::new(settings, client))))
}

fn settings(told: Told, environment: Environment<'_>) -> Result<ModelSettings, ChoiceError> {
    let unknown = |field, name: &str| ChoiceError::Unknown { field, name: name.to_owned() };
    let dialect =
        Dialect::from_name(&told.dialect).ok_or_else(|| unknown("dialect", &told.dialect))?;
    let voice = match told.voice.as_str() {
        "" => VoiceForm::Auto,
        name => VoiceForm::from_name(name).ok_or_else(|| unknown("voice", name))?,
    };
    let mut settings = ModelSettings::new(dialect, told.name);
    settings.base_url = told.base_url;
    settings.voice = voice;
    settings.context_tokens = told.context_tokens;
    settings.prices = Arc::new(PriceTable::load(&told.price_file)?);
    if !told.api_key_env.is_empty() {
        settings.api_key = environment(&told.api_key_env).map(|key| Secret::new(&key));
    }
    Ok(settings)
}
