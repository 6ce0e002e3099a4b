//! The status of the bot, for `/health`.

use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

/// The status of the bot, as it changes.
#[derive(Clone, Debug)]
pub(crate) struct TelegramStatus(pub(super) watch::Receiver<BotState>);

/// How the bot stands with Telegram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BotState {
    /// Telegram has not given its profile yet.
    Connecting,
    /// It polls and answers.
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

/// The Telegram bot.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TelegramView {
    /// `online`, `connecting`, `down` or `stopped`.
    state: &'static str,
    /// Its name, or why it is down.
    detail: Option<String>,
}

impl TelegramStatus {
    /// The status now.
    pub(crate) fn view(&self) -> TelegramView {
        let (state, detail) = match self.0.borrow().clone() {
            BotState::Connecting => ("connecting", None),
            BotState::Online { bot } => ("online", Some(format!("@{bot}"))),
            BotState::Down { reason } => ("down", Some(reason)),
            BotState::Stopped { reason } => ("stopped", Some(reason)),
        };
        TelegramView { state, detail }
    }
}
