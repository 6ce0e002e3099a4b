//! Telegram as a channel: what is written in allowed chats becomes stimuli, and their answers go back there.
//!
//! A message is accepted once: it is confirmed to Telegram only after it is durable here, and one that comes again is known
//! by its place in its chat. An answer is sent once: that it is about to leave is durable before it does. Where a crash, or a
//! lost response of Telegram's, leaves unknown whether it was sent, it is not sent again, and whoever asked is told so. No file
//! remembers a position: the ledger holds what was accepted and answered, Telegram what it was confirmed.
//!
//! Reading order: `poller` (what comes) with `handled_updates`, `recent_pieces` and `changes` (messages that were changed)
//! and `orders` (commands and buttons), `sender` (what goes) with `decisions` and `server_questions`, `context`
//! (what they share), `unanswered` (which answers are not sent yet), `moved_chats`, `texts`, `status`.

use std::{collections::BTreeSet, sync::Arc};

use abide_channels::telegram::{Bot, UpdateFilter};
use abide_domain::Clock;
use abide_engine::Keeper;
use abide_http::{Client, Secret};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    api::AppState,
    config::{Environment, Settings},
};

mod changes;
mod context;
mod decisions;
mod handled_updates;
mod moved_chats;
mod noted_once;
mod orders;
mod poller;
mod recent_pieces;
mod sender;
mod server_questions;
mod status;
mod texts;
mod unanswered;
mod unknown_chats;

pub(crate) use status::{TelegramStatus, TelegramView};

use context::BotContext;
use moved_chats::MovedChats;
use poller::Poller;
use sender::Sender;
use status::BotState;

/// Accepted messages that the sender has not taken over yet.
const ACCEPTED_MAX: usize = 64;

/// What the bridge is made of.
#[derive(Debug)]
pub(crate) struct TelegramParts<'a> {
    /// The configuration.
    pub(crate) settings: &'a Settings,
    /// Where the token is read from.
    pub(crate) environment: &'a Environment,
    /// The state of agents.
    pub(crate) app: &'a AppState,
    /// The keeper whose agent the bot speaks for.
    pub(crate) keeper: &'a Keeper,
    /// How Telegram is reached.
    pub(crate) client: Client,
    /// Times of stimuli.
    pub(crate) clock: Arc<dyn Clock>,
}

/// A bot that speaks for an agent, ready to run.
#[derive(Debug)]
pub(crate) struct TelegramBridge {
    context: BotContext,
    chats: BTreeSet<i64>,
}

/// The bot of the configuration; none where no bot is configured. Its settings were checked with the configuration.
pub(crate) fn bridge(parts: TelegramParts<'_>) -> Option<TelegramBridge> {
    let TelegramParts { settings, environment, app, keeper, client, clock } = parts;
    let telegram = &settings.telegram;
    let token = Secret::new(environment.get(&telegram.token_env)?);
    let bot = Bot::new(client, &telegram.base_url, token);
    let agent = settings.telegram_agent()?;
    let state = Arc::new(watch::Sender::new(BotState::Connecting));
    let (app, keeper) = (app.clone(), keeper.clone());
    let moved = MovedChats::default();
    let context = BotContext { bot, name: "".into(), app, keeper, agent, clock, state, moved };
    Some(TelegramBridge { context, chats: telegram.chats() })
}

impl TelegramBridge {
    /// Its status from now on.
    pub(crate) fn status(&self) -> TelegramStatus {
        TelegramStatus(self.context.state.subscribe())
    }

    /// Polls and answers until told to stop. A token that Telegram does not accept ends its work, and is logged once.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let profile = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            profile = self.context.fetch_profile() => profile,
        };
        let Some(profile) = profile else {
            stop.cancelled().await;
            return;
        };
        let context = BotContext { name: profile.username.as_str().into(), ..self.context };
        context.note_online();
        let (agent, bot) = (&context.agent, &context.name);
        tracing::info!(%agent, channel = "telegram", event = "bot_online", %bot, chats = self.chats.len(), "the bot is online");
        if self.chats.is_empty() {
            tracing::warn!(
                channel = "telegram",
                event = "no_chats",
                "telegram.chats is empty, so the bot answers nobody: write to it, and the chat's number to add is logged"
            );
        }
        let (accepted, to_answer) = mpsc::channel(ACCEPTED_MAX);
        let (moved, ledger) = (context.moved.clone(), context.keeper.ledger().clone());
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || moved.load(&ledger)).await {
            tracing::error!(channel = "telegram", event = "moves_unreadable", %error, "the ledger cannot be read for groups that have new numbers; those in telegram.chats count alone");
        }
        let chats = context.moved.with_moves(&self.chats);
        let filter = UpdateFilter::new(profile, chats.clone());
        let poller = Poller::new(context.clone(), filter, accepted);
        let sender = Sender::new(context, chats, to_answer);
        tokio::join!(poller.run(&stop), sender.run(&stop));
    }
}
