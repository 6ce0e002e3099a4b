//! What the poller and the sender share: the bot, the agent that it speaks for, and how it stands with Telegram.

use std::sync::Arc;

use abide_channels::telegram::{
    Bot, BotProfile, CallError, ChatSender, MessageLocation, OutgoingMessage, Remedy,
};
use abide_domain::{AgentId, Clock, EpochId, is_reserved_agent_name};
use abide_engine::Keeper;
use tokio::{
    sync::watch,
    time::{Duration, sleep},
};

use super::{moved_chats::MovedChats, status::BotState, unanswered::NO_MESSAGE};
use crate::api::AppState;

/// Until the next try where Telegram refuses what no bot can do without.
const REFUSED_PAUSE: Duration = Duration::from_mins(1);

/// What the poller and the sender share.
#[derive(Clone, Debug)]
pub(super) struct BotContext {
    pub(super) bot: Bot,
    /// The bot's name, once Telegram has given it.
    pub(super) name: Arc<str>,
    pub(super) app: AppState,
    pub(super) keeper: Keeper,
    pub(super) agent: AgentId,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) state: Arc<watch::Sender<BotState>>,
    /// Groups that have another number than they had.
    pub(super) moved: MovedChats,
}

/// A message that was accepted, and the epoch that answers it.
#[derive(Debug)]
pub(super) struct AcceptedMessage {
    pub(super) epoch: EpochId,
    pub(super) spot: MessageLocation,
}

/// Where a short reply goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplySpot {
    /// The message that it answers.
    pub(super) location: MessageLocation,
    /// The topic of a forum.
    pub(super) topic: Option<i64>,
}

impl BotContext {
    /// Asks Telegram for the bot's profile until it answers; none where it does not accept the token.
    pub(super) async fn fetch_profile(&self) -> Option<BotProfile> {
        let mut failures = 0;
        loop {
            match self.bot.profile().await {
                Ok(profile) => return Some(profile),
                Err(error) => sleep(self.note_failure(&error, failures)?).await,
            }
            failures += 1;
        }
    }

    /// The name of a sender here: that of no agent, and no reserved one, whoever has it at Telegram.
    pub(super) fn sender_name(&self, sender: &ChatSender) -> String {
        sender.name(|name| is_reserved_agent_name(name) || self.keeper.agent(name).is_some())
    }

    /// Replies to a message in its chat. Not tried again: it makes sense only now.
    pub(super) async fn reply_now(&self, spot: ReplySpot, text: &str) {
        let message = self.outgoing(spot.location, spot.topic, (text, true));
        if let Err(error) = self.send(&message).await {
            tracing::warn!(channel = "telegram", event = "reply_failed", %error, "a short reply was not sent");
        }
    }

    /// Sends a message. Where the topic that it is for takes none any more, it goes to the chat itself.
    pub(super) async fn send(&self, message: &OutgoingMessage<'_>) -> Result<i64, CallError> {
        match self.bot.send(message).await {
            Err(error) if message.topic.is_some() && error.is_topic_closed() => {
                tracing::info!(
                    channel = "telegram",
                    event = "topic_closed",
                    chat = message.chat,
                    "a topic takes no messages any more; what is for it goes to the chat itself"
                );
                self.bot.send(&OutgoingMessage { topic: None, ..*message }).await
            }
            sent => sent,
        }
    }

    /// A message to where something was written; as a reply to it where that is wanted, and its chat has still its number:
    /// after a move the numbers of messages are others'.
    pub(super) fn outgoing<'a>(
        &self,
        spot: MessageLocation,
        topic: Option<i64>,
        (text, is_reply): (&'a str, bool),
    ) -> OutgoingMessage<'a> {
        let chat = self.moved.current(spot.chat);
        let is_reply = is_reply && chat == spot.chat && spot.message != NO_MESSAGE;
        let reply_to = is_reply.then_some(spot.message);
        OutgoingMessage { topic, reply_to, ..OutgoingMessage::new(chat, text) }
    }

    /// Notes that Telegram does what it is asked.
    pub(super) fn note_online(&self) {
        self.state.send_replace(BotState::Online { bot: self.name.to_string() });
    }

    /// Notes a failed call and says how long to wait before the next; none where nothing is to be tried any more. The first
    /// failure of a row is logged.
    pub(super) fn note_failure(&self, error: &CallError, failures: u32) -> Option<Duration> {
        let reason = error.to_string();
        let remedy = error.remedy(failures);
        if remedy == Remedy::Stop {
            tracing::error!(channel = "telegram", event = "bot_stopped", %error, "the bot is stopped until the next start of the keeper");
            self.state.send_replace(BotState::Stopped { reason });
            return None;
        }
        self.state.send_replace(BotState::Down { reason });
        if failures == 0 {
            tracing::warn!(channel = "telegram", event = "bot_unreachable", %error, "a call of the bot failed; the bot goes on after a pause");
        }
        match remedy {
            Remedy::Wait(pause) => Some(pause),
            _ => Some(REFUSED_PAUSE),
        }
    }
}
