//! Why commands are not carried out.

use abide_grammar::ParseError;
use abide_ledger::AppendError;

/// Why commands were not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConsoleError {
    /// Something in them is wrong; the text says what, for their author. What came before it stands.
    #[error("{0}")]
    Refused(String),
    /// The ledger could not be written.
    #[error("the ledger could not be written")]
    Ledger(#[from] AppendError),
    /// A log could not be read; the text says why.
    #[error("it could not be read: {0}")]
    Unreadable(String),
}

impl ConsoleError {
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
