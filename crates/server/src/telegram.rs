//! Telegram as a channel: what is written in allowed chats becomes stimuli, and their answers go back there.
//!
//! A message is taken in once: it is confirmed to Telegram only after it is durable here, and one that comes again is known
//! by its place in its chat. An answer is sent at least once: that it was sent is written down after Telegram took it, so
//! that a crash between the two, or an answer of Telegram's that is lost, can send it twice, and nothing can lose it. No
//! file remembers a position: the ledger holds what was taken and what was answered, Telegram what it was confirmed.
//!
//! Reading order: `ears` (what comes), `mouth` (what goes), `owed` (which answers are not sent yet), `words` (the texts), `board` (how it is).

use std::{collections::BTreeSet, sync::Arc};

use abide_channels::telegram::{
    Bot, BotProfile, CallError, MessageLocation, OutgoingMessage, Remedy, UpdateFilter,
};
use abide_domain::{AgentId, Clock, EpochId};
use abide_engine::Keeper;
use abide_http::{Client, Secret};
use tokio::{
    sync::{mpsc, watch},
    time::{Duration, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    api::AppState,
    config::{Environment, Settings},
};

mod board;
mod ears;
mod mouth;
mod owed;
mod strangers;
mod words;

pub(crate) use board::{Board, TelegramView};

use board::State;
use ears::Poller;
use mouth::Sender;

/// Messages that were taken in and of which the mouth does not know yet.
const TAKEN_MAX: usize = 64;
/// Until the next try where Telegram refuses what no bot can do without.
const REFUSED_PAUSE: Duration = Duration::from_mins(1);

/// What the bridge is put together from.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The configuration.
    pub(crate) settings: &'a Settings,
    /// Where the token is read from.
    pub(crate) environment: &'a Environment,
    /// How agents are.
    pub(crate) front: &'a AppState,
    /// The house that is spoken to.
    pub(crate) keeper: &'a Keeper,
    /// How Telegram is reached.
    pub(crate) client: Client,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
}

/// A bot that speaks for an agent, ready to run.
#[derive(Debug)]
pub(crate) struct Bridge {
    desk: Desk,
    chats: BTreeSet<i64>,
}

/// What ears and mouth share.
#[derive(Clone, Debug)]
struct Desk {
    bot: Bot,
    /// The bot's name, once Telegram has said it.
    name: Arc<str>,
    front: AppState,
    keeper: Keeper,
    agent: AgentId,
    clock: Arc<dyn Clock>,
    state: Arc<watch::Sender<State>>,
}

/// An epoch that answers a message.
#[derive(Debug)]
struct Taken {
    epoch: EpochId,
    spot: MessageLocation,
}

/// The bot that the configuration names; none where it names none. What it names was checked with it.
pub(crate) fn bridge(parts: Parts<'_>) -> Option<Bridge> {
    let Parts { settings, environment, front, keeper, client, clock } = parts;
    let telegram = &settings.telegram;
    let token = Secret::new(environment.get(&telegram.token_env)?);
    let bot = Bot::new(client, &telegram.base_url, token);
    let agent = settings.telegram_agent()?;
    let state = Arc::new(watch::Sender::new(State::Connecting));
    let (front, keeper) = (front.clone(), keeper.clone());
    let desk = Desk { bot, name: "".into(), front, keeper, agent, clock, state };
    Some(Bridge { desk, chats: telegram.chats() })
}

impl Bridge {
    /// How it is from now on.
    pub(crate) fn board(&self) -> Board {
        Board(self.desk.state.subscribe())
    }

    /// Hears and answers until told to stop. A token that Telegram does not know ends its work, and is said once.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let introduced = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            introduced = self.desk.introduce() => introduced,
        };
        let Some(myself) = introduced else {
            stop.cancelled().await;
            return;
        };
        let desk = Desk { name: myself.username.as_str().into(), ..self.desk };
        desk.online();
        let (agent, bot) = (&desk.agent, &desk.name);
        tracing::info!(%agent, %bot, chats = self.chats.len(), "Telegram is listened to");
        if self.chats.is_empty() {
            tracing::warn!(
                "telegram.chats is empty: write to the bot, and the number to put there is logged"
            );
        }
        let (tell, told) = mpsc::channel(TAKEN_MAX);
        let ears = Poller::new(desk.clone(), UpdateFilter::new(myself, self.chats.clone()), tell);
        let mouth = Sender::new(desk, self.chats, told);
        tokio::join!(ears.run(&stop), mouth.run(&stop));
    }
}

impl Desk {
    /// Asks who the bot is, until Telegram says it; none where it does not know the token.
    async fn introduce(&self) -> Option<BotProfile> {
        let mut failures = 0;
        loop {
            match self.bot.profile().await {
                Ok(myself) => return Some(myself),
                Err(error) => sleep(self.trouble(&error, failures)?).await,
            }
            failures += 1;
        }
    }

    /// Says something about a message in its chat. It is of the moment: one that cannot be sent is given up.
    async fn remark(&self, spot: MessageLocation, text: &str) {
        let letter = OutgoingMessage {
            reply_to: Some(spot.message),
            ..OutgoingMessage::new(spot.chat, text)
        };
        if let Err(error) = self.bot.send(&letter).await {
            tracing::warn!(%error, "a remark on Telegram was not sent");
        }
    }

    /// Telegram does what it is asked.
    fn online(&self) {
        self.state.send_replace(State::Online { bot: self.name.to_string() });
    }

    /// How long to wait after a failed call before the next; none where nothing is to be tried any more. The first failure
    /// of a row is told.
    fn trouble(&self, error: &CallError, failures: u32) -> Option<Duration> {
        let reason = error.to_string();
        let remedy = error.remedy(failures);
        if remedy == Remedy::Stop {
            tracing::error!(%error, "Telegram is not listened to any more until the next start");
            self.state.send_replace(State::Stopped { reason });
            return None;
        }
        self.state.send_replace(State::Down { reason });
        if failures == 0 {
            tracing::warn!(%error, "Telegram is tried again");
        }
        match remedy {
            Remedy::Wait(pause) => Some(pause),
            _ => Some(REFUSED_PAUSE),
        }
    }
}
