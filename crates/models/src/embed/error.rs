//! Why texts could not be embedded.

use std::time::Duration;

use super::weights::WeightsError;

/// Says why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The endpoint cannot be reached or is busy; a later request may succeed.
    #[error("{model} is not available: {message}")]
    Unavailable {
        /// The embedder's name.
        model: String,
        /// The provider's message, or ours.
        message: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The endpoint rejects the request: a retry cannot help.
    #[error("{model} rejected the request: {message}")]
    Rejected {
        /// The embedder's name.
        model: String,
        /// The provider's message.
        message: String,
    },
    /// The endpoint's answer contains no usable vectors.
    #[error("{model} returned no usable vectors: {problem}")]
    Unusable {
        /// The embedder's name.
        model: String,
        /// What is wrong.
        problem: String,
    },
    /// The weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The work was abandoned because the program ends.
    #[error("{model} was stopped before it finished")]
    Stopped {
        /// The embedder's name.
        model: String,
    },
}
