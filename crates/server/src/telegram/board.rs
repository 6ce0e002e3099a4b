//! How the bot is, for whoever asks.

use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

/// How the bot is, as it changes.
#[derive(Clone, Debug)]
pub(crate) struct Board(pub(super) watch::Receiver<State>);

/// How it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Telegram has not said yet who it is.
    Connecting,
    /// It hears and answers.
    Online {
        /// Its name.
        bot: String,
    },
    /// It is tried again.
    Down {
        /// Why.
        reason: String,
    },
    /// It is not tried again.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// How the Telegram bot is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TelegramView {
    /// `online`, `connecting`, `down` or `stopped`.
    state: &'static str,
    /// Its name, or why it is down.
    detail: Option<String>,
}

impl Board {
    /// As it is now.
    pub(crate) fn view(&self) -> TelegramView {
        let (state, detail) = match self.0.borrow().clone() {
            State::Connecting => ("connecting", None),
            State::Online { bot } => ("online", Some(format!("@{bot}"))),
            State::Down { reason } => ("down", Some(reason)),
            State::Stopped { reason } => ("stopped", Some(reason)),
        };
        TelegramView { state, detail }
    }
}
