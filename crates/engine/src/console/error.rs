//! Why commands are not carried out.

use abide_domain::quota::QuotaError;
use abide_grammar::ParseError;
use abide_ledger::AppendError;

/// Why commands were not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConsoleError {
    /// Something in them is wrong; the text says what, for their author. What came before it stands.
    #[error("{0}")]
    Refused(String),
    /// The entity does it too often; the text says what and when it may again. What came before it stands.
    #[error("{text}")]
    TooOften {
        /// In the words of the language.
        text: String,
        /// Seconds after which it may be tried again.
        retry_after_s: u64,
    },
    /// The ledger could not be written.
    #[error("the ledger could not be written")]
    Ledger(#[from] AppendError),
    /// A log could not be read; the text says why.
    #[error("it could not be read: {0}")]
    Unreadable(String),
}

impl ConsoleError {
    /// A refusal because something is done too often.
    pub(super) fn too_often(what: &str, error: QuotaError) -> Self {
        Self::TooOften {
            text: format!("ERROR: {what}: {error}"),
            retry_after_s: error.retry_after_s(),
        }
    }

    /// The same refusal behind the output of the commands before it.
    pub(super) fn after(self, mut outputs: Vec<String>) -> Self {
        match self {
            Self::Refused(text) => {
                outputs.push(text);
                Self::Refused(outputs.join("\n"))
            }
            Self::TooOften { text, retry_after_s } => {
                outputs.push(text);
                Self::TooOften { text: outputs.join("\n"), retry_after_s }
            }
            error @ (Self::Ledger(_) | Self::Unreadable(_)) => error,
        }
    }

    /// A refusal in the words of the specification.
    pub(super) fn refused(text: impl AsRef<str>) -> Self {
        Self::Refused(format!("ERROR: {}", text.as_ref()))
    }
}

impl From<ParseError> for ConsoleError {
    fn from(error: ParseError) -> Self {
        Self::refused(error.to_string())
    }
}
