//! Whether a provider can be reached and has the model, without spending a token: what `abide doctor` asks.

use std::time::Duration;

use abide_domain::turn::{MindError, Usage};
use abide_http::Request;
use serde_json::Value;

use crate::{AttemptError, AttemptErrorKind, Dialect, Model, json, model::error_before_answer};

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
            .map_err(|failure| self.without_secret(failure).into_error(Usage::default()))?;
        let name = &self.settings.name;
        // Ollama lists `name:latest` for what may be asked as `name`.
        let is_configured =
            |model: &String| model == name || model.strip_suffix(":latest") == Some(name);
        let has_model = models.iter().any(is_configured);
        Ok(ModelCheck { models, has_model })
    }

    async fn list(&self) -> Result<Vec<String>, AttemptError> {
        let request = self.request(Request::get(self.settings.list_url()), LIST_TIMEOUT);
        let response =
            self.http.send(request).await.map_err(|error| error_before_answer(&error))?;
        if !response.status().is_success() {
            return Err(self.error_of_response(response).await);
        }
        let url = response.url();
        let body = response.bytes().await.map_err(|error| error_before_answer(&error))?;
        let list: Value = serde_json::from_slice(&body).map_err(|error| {
            AttemptError::new(
                AttemptErrorKind::Cut,
                format!("{url} did not return a list of models: {error}"),
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
