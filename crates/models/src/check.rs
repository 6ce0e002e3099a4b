//! Whether a provider can be reached and has the model, without spending a token: what `abide doctor` asks.

use std::time::Duration;

use abide_domain::turn::{MindError, Usage};
use abide_http::Request;
use serde_json::Value;

use crate::{AttemptError, AttemptErrorKind, Dialect, Model, json, model::before_answer};

/// Longest wait for a list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Most models that are listed.
const MODELS_MAX: usize = 2_000;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCheck {
    /// The provider's models, in its order.
    pub models: Vec<String>,
    /// Whether the configured one is among them. Some providers list only a part.
    pub has_model: bool,
}

impl Model {
    /// Asks the provider for its models, with the key where there is one, so that a wrong key shows.
    pub async fn check(&self) -> Result<ModelCheck, MindError> {
        let models = self
            .list()
            .await
            .map_err(|fault| self.without_secret(fault).into_error(Usage::default()))?;
        let name = &self.settings.name;
        // Ollama lists `name:latest` for what may be asked as `name`.
        let is_it = |model: &String| model == name || model.strip_suffix(":latest") == Some(name);
        let has_model = models.iter().any(is_it);
        Ok(ModelCheck { models, has_model })
    }

    async fn list(&self) -> Result<Vec<String>, AttemptError> {
        let request = self.request(Request::get(self.settings.list_url()), LIST_TIMEOUT);
        let response = self.http.send(request).await.map_err(|error| before_answer(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let url = response.url();
        let body = response.bytes().await.map_err(|error| before_answer(&error))?;
        let list: Value = serde_json::from_slice(&body).map_err(|error| {
            AttemptError::new(
                AttemptErrorKind::Cut,
                format!("{url} gave no list of models: {error}"),
            )
        })?;
        let (list, name) = match self.settings.dialect {
            Dialect::Ollama => (json::list(&list, "/models"), "/name"),
            _ => (json::list(&list, "/data"), "/id"),
        };
        let names =
            list.iter().map(|model| json::text(model, name)).filter(|name| !name.is_empty());
        Ok(names.take(MODELS_MAX).map(str::to_owned).collect())
    }
}
