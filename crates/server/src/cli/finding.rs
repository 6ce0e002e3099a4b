//! One check of `abide doctor` and how it ended.

use super::error::CliError;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ok,
    /// Works, with something that a person should know.
    Warn,
    Fail,
}

/// One check.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) name: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) detail: String,
}

impl Finding {
    /// A check and how it ended.
    pub(crate) fn new(name: &'static str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { name, verdict, detail: detail.into() }
    }

    /// A check that failed with an error.
    pub(crate) fn failed(name: &'static str, error: &dyn std::error::Error) -> Self {
        Self::new(name, Verdict::Fail, CliError::from_error(error).to_string())
    }

    /// The verdict in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}
