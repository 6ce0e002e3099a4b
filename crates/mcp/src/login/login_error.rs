//! Why a login came to nothing, in words for the person who tried. No token, code or address with a query stands in them.

use abide_http::Error as HttpError;

use crate::{login::store::TokenStoreError, settings::McpSettingsError};

/// Says why a login came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum McpLoginError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] McpSettingsError),
    /// The server is a process on this machine.
    #[error("the server `{server}` is started here: nobody logs in at it")]
    NotRemote {
        /// The server.
        server: String,
    },
    /// Where and how one logs in could not be found out.
    #[error("how to log in could not be found out: {problem}")]
    Discovery {
        /// Why.
        problem: String,
    },
    /// The login service takes no clients that it does not know, and the settings name none.
    #[error(
        "the login service registers no clients by itself: register one there by hand and write its `client_id` into the settings"
    )]
    NoRegistration,
    /// The login service could not be reached.
    #[error("the login service could not be reached")]
    Network(#[source] HttpError),
    /// The login service said no.
    #[error("the login service refused: {code}{words}")]
    Refused {
        /// Its code, such as `access_denied`.
        code: String,
        /// What else it says, behind a colon.
        words: String,
    },
    /// The login service answered, and the answer cannot be read.
    #[error("the answer of the login service cannot be read: {problem}")]
    Unreadable {
        /// Why.
        problem: String,
    },
    /// Nobody came back in time.
    #[error("nobody came back from the login page within {minutes} minutes")]
    TimedOut {
        /// The limit.
        minutes: u64,
    },
    /// The place where the login comes back could not be set up.
    #[error("the login has no place to come back to on this machine")]
    Callback(#[source] std::io::Error),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Random,
    /// The login could not be kept.
    #[error(transparent)]
    Store(#[from] TokenStoreError),
}

impl McpLoginError {
    /// Whether the login service knows this client no more.
    pub(crate) fn is_unknown_client(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "invalid_client" || code == "unauthorized_client")
    }

    /// Whether the login service takes a token no more.
    pub(crate) fn is_invalid_grant(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "invalid_grant")
    }
}
