//! In which form a model is asked where the settings leave it open: by the interface's own means, or as JSON.
//!
//! JSON is a way round a server that takes no tools or reads no calls. It is never for good: a model that does worse in it, and
//! an hour, lead back to the interface's own means, which are tried again. Each change is logged. Held in memory alone.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::RequestForm;

/// How long JSON is asked for before the interface's own means are tried again.
const JSON_MAX: Duration = Duration::from_hours(1);

/// Why JSON is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonReason {
    /// The server said that the model has no tools.
    NoTools,
    /// The model wrote calls into its words, also when it was told not to.
    WrittenCalls,
}

/// The form that turned out to work. Shared by the calls of one model.
#[derive(Debug, Default)]
pub(crate) struct LearnedForm(Mutex<Option<(JsonReason, Instant)>>);

impl JsonReason {
    const fn words(self) -> &'static str {
        match self {
            Self::NoTools => "its server says that it has no tools",
            Self::WrittenCalls => "it writes calls of tools into its words",
        }
    }
}

impl LearnedForm {
    fn lock(&self) -> MutexGuard<'_, Option<(JsonReason, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The form of the next request.
    pub(crate) fn get(&self, model: &str, now: Instant) -> RequestForm {
        let mut json = self.lock();
        match *json {
            Some((_, since)) if now.saturating_duration_since(since) < JSON_MAX => {
                RequestForm::Json
            }
            Some(_) => {
                *json = None;
                drop(json);
                log_native(model, "it was asked for JSON for an hour");
                RequestForm::Native
            }
            None => RequestForm::Native,
        }
    }

    /// Asks for JSON from now on.
    pub(crate) fn ask_json(&self, model: &str, reason: JsonReason, now: Instant) {
        *self.lock() = Some((reason, now));
        tracing::warn!(
            model,
            event = "model_form_changed",
            form = "json",
            reason = reason.words(),
            "the model is asked for its answers as JSON"
        );
    }

    /// An answer that was asked for as JSON did not fit, or was plain prose. A model whose server takes no tools has no other
    /// way.
    pub(crate) fn note_no_json(&self, model: &str) {
        let is_over = self.lock().take_if(|(reason, _)| *reason == JsonReason::WrittenCalls);
        if is_over.is_some() {
            log_native(model, "its answer to a request for JSON was none");
        }
    }
}

fn log_native(model: &str, reason: &str) {
    tracing::warn!(
        model,
        event = "model_form_changed",
        form = "native",
        reason,
        "the model is asked by its interface's own means again"
    );
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{JsonReason, LearnedForm};
    use crate::RequestForm::{Json, Native};

    #[test]
    fn json_is_never_asked_for_for_good() {
        let (form, now) = (LearnedForm::default(), Instant::now());
        let later = now + Duration::from_mins(59);
        for (reason, after_misfit) in
            [(JsonReason::NoTools, Json), (JsonReason::WrittenCalls, Native)]
        {
            assert_eq!(form.get("m", now), Native);
            form.ask_json("m", reason, now);
            assert_eq!(form.get("m", later), Json);
            form.note_no_json("m");
            assert_eq!(form.get("m", later), after_misfit, "{reason:?}");
            assert_eq!(form.get("m", now + Duration::from_hours(1)), Native);
        }
    }
}
