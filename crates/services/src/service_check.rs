//! What `doctor` says about a service.

/// One finding about a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCheck {
    /// The service, such as `internet.search`.
    pub service: String,
    /// Whether it works.
    pub works: bool,
    /// What works, or what is missing and how to get it; one line.
    pub text: String,
}

impl ServiceCheck {
    pub(crate) fn ok(service: &str, text: impl Into<String>) -> Self {
        Self { service: service.to_owned(), works: true, text: text.into() }
    }

    pub(crate) fn warn(service: &str, text: impl Into<String>) -> Self {
        Self { service: service.to_owned(), works: false, text: text.into() }
    }
}

impl std::fmt::Display for ServiceCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.works { "ok" } else { "warn" };
        write!(f, "{word}: {}: {}", self.service, self.text)
    }
}
