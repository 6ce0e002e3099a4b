//! What of all that comes counts: who may speak, whom it is for, which words are commands. Pure.
//!
//! In a group only what names the bot, answers it, or is a command with its name is heard. Nobody in a chat that is not
//! allowed is heard at all, and nothing of what is said there leaves this file.

use std::{collections::BTreeSet, fmt, str::FromStr};

use abide_domain::{AgentId, Timestamp};

use super::{
    ApprovalChoice, BotProfile, Update,
    update::{CallbackQuery, Entity, Message, UpdateContent, User},
};

/// The chats that are heard, and whom they speak to.
#[derive(Clone, Debug)]
pub struct UpdateFilter {
    profile: BotProfile,
    chats: BTreeSet<i64>,
}

/// What an update means for the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptedUpdate {
    /// Somebody spoke to the agent.
    Message(ChatMessage),
    /// Somebody ordered something of the bot itself.
    Command(ChatCommand),
    /// Somebody pressed a button of ours.
    ButtonPress(ButtonPress),
    /// Somebody sent what is no text: to be told so.
    NoText(MessageLocation),
    /// A chat that is not allowed.
    UnknownChat {
        /// Which.
        chat: i64,
    },
    /// An allowed group has another number from now on.
    ChatMigrated {
        /// The old one.
        from: i64,
        /// The new one.
        to: i64,
    },
    /// Nothing to us.
    Ignored,
}

/// A message in a chat. As text, `<chat>:<message>`: the name that it has wherever we must know it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageLocation {
    /// The chat.
    pub chat: i64,
    /// The message in it; later ones have higher numbers.
    pub message: i64,
}

/// A message to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Where it stands.
    pub location: MessageLocation,
    /// Who said it.
    pub sender: ChatSender,
    /// The words, as they are.
    pub text: String,
    /// When, by Telegram's clock, to the second.
    pub at: Timestamp,
}

/// An order to the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatCommand {
    /// Where it stands.
    pub location: MessageLocation,
    /// Which.
    pub command: BotCommand,
}

/// What can be ordered. Any other word after a slash is said to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotCommand {
    /// `/start` and `/help`.
    Help,
    /// `/status`.
    Status,
    /// `/stop`.
    Stop,
}

/// A pressed button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonPress {
    /// Where the button is.
    pub location: MessageLocation,
    /// What Telegram calls this press.
    pub query: String,
    /// Who pressed it.
    pub sender: ChatSender,
    /// What it says; none where it is no button of ours.
    pub choice: Option<ApprovalChoice>,
}

/// A person at Telegram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSender {
    /// Their number, which never changes.
    pub id: i64,
    /// The name that they gave themselves, if any; they may give it up, and others may take it then.
    pub username: Option<String>,
}

impl fmt::Display for MessageLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.chat, self.message)
    }
}

/// Says that a text is no place of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not of the form <chat>:<message>")]
pub struct MessageLocationError;

impl FromStr for MessageLocation {
    type Err = MessageLocationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (chat, message) = text.split_once(':').ok_or(MessageLocationError)?;
        let number = |text: &str| text.parse().map_err(|_| MessageLocationError);
        Ok(Self { chat: number(chat)?, message: number(message)? })
    }
}

impl ChatSender {
    fn of(user: &User) -> Self {
        Self { id: user.id, username: user.username.clone() }
    }

    /// The sender as an id of ours: the name in lower case, else `telegram-<number>`, where there is no name, or it is
    /// somebody else's here: of an agent, or a built-in one.
    pub fn name(&self, is_taken: impl Fn(&str) -> bool) -> String {
        let name = self.username.as_deref().and_then(|name| name.parse::<AgentId>().ok());
        let name = name.map(|name| name.to_string()).filter(|name| !is_taken(name));
        name.unwrap_or_else(|| format!("telegram-{}", self.id))
    }
}

impl UpdateFilter {
    /// Hears these chats, as this bot.
    pub fn new(profile: BotProfile, chats: BTreeSet<i64>) -> Self {
        Self { profile, chats }
    }

    /// What an update means for the bot.
    pub fn classify(&self, update: &Update) -> AcceptedUpdate {
        match &update.content {
            UpdateContent::Message(message) => self.message(message),
            UpdateContent::ButtonPress(query) => self.button_press(query),
            UpdateContent::Other => AcceptedUpdate::Ignored,
        }
    }

    fn message(&self, message: &Message) -> AcceptedUpdate {
        let chat = message.chat.id;
        if !self.chats.contains(&chat) {
            return AcceptedUpdate::UnknownChat { chat };
        }
        if let Some(to) = message.migrate_to_chat_id {
            return AcceptedUpdate::ChatMigrated { from: chat, to };
        }
        // Two bots that answer each other would never end.
        let Some(from) = message.from.as_ref().filter(|from| !from.is_bot) else {
            return AcceptedUpdate::Ignored;
        };
        let location = MessageLocation { chat, message: message.id };
        let is_for_bot = message.chat.kind == "private" || self.is_addressed(message);
        let Some(text) = message.text.as_deref().filter(|text| !abide_domain::is_blank(text))
        else {
            let is_told = is_for_bot && message.is_media;
            return if is_told {
                AcceptedUpdate::NoText(location)
            } else {
                AcceptedUpdate::Ignored
            };
        };
        match self.command(text) {
            SlashCommand::OtherBot => return AcceptedUpdate::Ignored,
            SlashCommand::Known(command) if is_for_bot => {
                return AcceptedUpdate::Command(ChatCommand { location, command });
            }
            SlashCommand::Known(_) | SlashCommand::None => {}
        }
        if !is_for_bot {
            return AcceptedUpdate::Ignored;
        }
        let at = Timestamp::from_micros(message.date.saturating_mul(1_000_000));
        AcceptedUpdate::Message(ChatMessage {
            location,
            sender: ChatSender::of(from),
            text: text.to_owned(),
            at,
        })
    }

    fn button_press(&self, query: &CallbackQuery) -> AcceptedUpdate {
        let (chat, message) = (query.message.chat.id, query.message.message_id);
        if !self.chats.contains(&chat) {
            return AcceptedUpdate::UnknownChat { chat };
        }
        let choice = query.data.as_deref().and_then(|data| data.parse().ok());
        let (query, sender) = (query.id.clone(), ChatSender::of(&query.from));
        AcceptedUpdate::ButtonPress(ButtonPress {
            location: MessageLocation { chat, message },
            query,
            sender,
            choice,
        })
    }

    /// Whether a message in a group answers the bot or names it.
    fn is_addressed(&self, message: &Message) -> bool {
        let answered = message.reply_to.as_ref().and_then(|answered| answered.from.as_ref());
        let texts = [
            (message.text.as_deref(), &message.entities),
            (message.caption.as_deref(), &message.caption_entities),
        ];
        answered.is_some_and(|from| from.id == self.profile.id)
            || texts.into_iter().any(|(text, entities)| {
                let text = text.unwrap_or_default();
                entities.iter().any(|entity| self.names_bot(text, entity))
            })
    }

    fn names_bot(&self, text: &str, entity: &Entity) -> bool {
        match entity.kind.as_str() {
            "mention" => entity_text(text, entity)
                .and_then(|entity_text| entity_text.strip_prefix('@'))
                .is_some_and(|name| self.is_bot_name(name)),
            "bot_command" => entity_text(text, entity)
                .and_then(|entity_text| entity_text.split_once('@'))
                .is_some_and(|(_, name)| self.is_bot_name(name)),
            "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == self.profile.id),
            _ => false,
        }
    }

    fn is_bot_name(&self, name: &str) -> bool {
        !name.is_empty() && name.eq_ignore_ascii_case(&self.profile.username)
    }

    fn command(&self, text: &str) -> SlashCommand {
        let word = text.split_whitespace().next().unwrap_or_default();
        let Some(word) = word.strip_prefix('/').filter(|_| text.starts_with('/')) else {
            return SlashCommand::None;
        };
        let (name, bot) =
            word.split_once('@').map_or((word, None), |(name, bot)| (name, Some(bot)));
        if bot.is_some_and(|bot| !self.is_bot_name(bot)) {
            return SlashCommand::OtherBot;
        }
        match name.to_ascii_lowercase().as_str() {
            "start" | "help" => SlashCommand::Known(BotCommand::Help),
            "status" => SlashCommand::Known(BotCommand::Status),
            "stop" => SlashCommand::Known(BotCommand::Stop),
            _ => SlashCommand::None,
        }
    }
}

/// What a slash at the beginning means.
enum SlashCommand {
    /// No command of a bot.
    None,
    /// One of ours.
    Known(BotCommand),
    /// One of another bot.
    OtherBot,
}

/// The marked part of a text; none where the mark does not fit the text.
fn entity_text<'a>(text: &'a str, entity: &Entity) -> Option<&'a str> {
    let start = byte_at(text, entity.offset)?;
    let end = byte_at(text, entity.offset.checked_add(entity.length)?)?;
    text.get(start..end)
}

/// Where in a text a number of UTF-16 units ends.
fn byte_at(text: &str, units: usize) -> Option<usize> {
    let mut seen = 0;
    for (byte, c) in text.char_indices() {
        if seen >= units {
            return (seen == units).then_some(byte);
        }
        seen = seen.saturating_add(c.len_utf16());
    }
    (seen == units).then_some(text.len())
}

#[cfg(test)]
mod tests;
