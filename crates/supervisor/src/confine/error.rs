//! A step on the way to confinement that could not be done.

/// A step that could not be done.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub(crate) struct ConfineError {
    step: String,
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl ConfineError {
    /// For `map_err`: what was to be done, in words.
    pub(crate) fn at<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        step: impl Into<String>,
    ) -> impl FnOnce(E) -> Self {
        let step = step.into();
        move |cause| Self { step, cause: cause.into() }
    }
}
