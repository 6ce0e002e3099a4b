//! What of all that comes counts: who may speak, whom it is for, which words are commands. Pure.
//!
//! In a group only what names the bot, answers it, or is a command with its name is heard. Nobody in a chat that is not
//! allowed is heard at all, and nothing of what is said there leaves this file.

use std::{collections::BTreeSet, fmt, str::FromStr, time::Duration};

use abide_domain::{AgentId, Timestamp};

use super::{
    BotProfile, ButtonChoice, Update,
    origin::{MessageOrigin, display_name, forwarded_from, quoted},
    split::utf16_len,
    update::{CallbackQuery, Entity, Message, UpdateContent, User},
};

/// A text of at least so many UTF-16 units may have been cut by its program, which sends the rest behind it; the cut is at
/// most at [`super::MESSAGE_UNITS_MAX`], and before that where a line or a word ends.
const CUT_UNITS_MIN: usize = 3_500;

/// Between a comment and what is forwarded with it, by Telegram's clock, which counts seconds.
const FORWARDED_WITHIN: Duration = Duration::from_secs(1);
/// The kind of a chat with one person.
const PRIVATE: &str = "private";
/// What the agent is told of a photo or a file with words.
const MEDIA_REMARK: &str = "(Sent with a photo or a file, which cannot be shown to you:)\n";

/// Whether the program that a text came from may have cut it.
fn may_be_cut(text: &str) -> bool {
    utf16_len(text) >= CUT_UNITS_MIN
}

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
    /// Somebody changed what they wrote, to the agent or to others.
    Edited(ChatMessage),
    /// Somebody ordered something of the bot itself.
    Command(ChatCommand),
    /// Somebody pressed a button of ours.
    ButtonPress(ButtonPress),
    /// Somebody sent what is no text: to be told so.
    NoText(MediaMessage),
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

/// A photo, a file or the like without words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaMessage {
    /// Where it stands.
    pub location: MessageLocation,
    /// The topic of a forum that it stands in.
    pub topic: Option<i64>,
    /// What those that were sent together have in common.
    pub album: Option<String>,
}

/// A message to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Where it stands.
    pub location: MessageLocation,
    /// The topic of a forum that it stands in.
    pub topic: Option<i64>,
    /// Who said it.
    pub sender: ChatSender,
    /// The words, as they are.
    pub text: String,
    /// Whether the words stand below a photo, a file or the like, which cannot be read.
    pub has_media: bool,
    /// What several photos or files that were sent together have in common.
    pub album: Option<String>,
    /// What it answers, and whose words it carries on.
    pub origin: MessageOrigin,
    /// When, by Telegram's clock, to the second.
    pub at: Timestamp,
    /// Of one that comes because it was changed: when, in seconds since 1970; else 0.
    pub edited: i64,
}

impl ChatMessage {
    /// Whether its program may have cut it, so that the rest follows.
    pub fn may_continue(&self) -> bool {
        !self.has_media && may_be_cut(&self.text)
    }

    /// All that the agent is told: the words, with what they answer before them, and the words of others marked as such.
    pub fn content(&self) -> String {
        let content = self.origin.content(&self.text);
        if self.has_media { format!("{MEDIA_REMARK}{content}") } else { content }
    }

    /// This message with one behind it that is more of it; `last` is the one just before that, as it came.
    #[must_use]
    pub fn with_more(mut self, last: &Self, more: &Self) -> Self {
        if more.origin.forwarded_from.is_some() {
            self.text = format!("{}\n\n{}", self.text, more.content());
            return self;
        }
        // What is cut at the very end of a message was cut within a word; before that, where a line or a word ended.
        let is_hard = utf16_len(&last.text) == super::MESSAGE_UNITS_MAX;
        if !is_hard {
            self.text.push('\n');
        }
        self.text.push_str(&more.text);
        self
    }
}

/// An order to the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatCommand {
    /// Where it stands.
    pub location: MessageLocation,
    /// The topic of a forum that it stands in.
    pub topic: Option<i64>,
    /// The message that it answers.
    pub about: Option<i64>,
    /// Whether others can read it: there a command needs the bot's name.
    pub is_group: bool,
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
    /// `/again`.
    Again,
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
    pub choice: Option<ButtonChoice>,
}

/// A person at Telegram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSender {
    /// Their number, which never changes.
    pub id: i64,
    /// The name that they gave themselves, if any; they may give it up, and others may take it then.
    pub username: Option<String>,
    /// What they are called, in one short line; anybody may be called anything.
    pub display_name: Option<String>,
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
        Self { id: user.id, username: user.username.clone(), display_name: display_name(user) }
    }

    /// A remark for the agent on who a sender is whose name here is only a number; none where the name says it, or nothing is
    /// known.
    pub fn introduction(&self, name: &str) -> Option<String> {
        let is_number = self.username.as_deref().is_none_or(|own| !own.eq_ignore_ascii_case(name));
        let called = self.display_name.as_ref().filter(|_| is_number)?;
        Some(format!("(The sender {name} is called \"{called}\" at Telegram.)\n"))
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
            UpdateContent::Edited(message) => self.edited(message),
            UpdateContent::ButtonPress(query) => self.button_press(query),
            UpdateContent::Other => AcceptedUpdate::Ignored,
        }
    }

    /// Hears a chat under its new number as well.
    pub fn follow_chat(&mut self, to: i64) {
        self.chats.insert(to);
    }

    /// What a message is, if it is more of what began with the first one: the rest of a text that was cut after the last piece, or
    /// what is forwarded with a comment.
    pub fn more_of(
        &self,
        first: &ChatMessage,
        last: &ChatMessage,
        update: &Update,
    ) -> Option<ChatMessage> {
        let UpdateContent::Message(message) = &update.content else { return None };
        let text = message.words()?;
        let from = message.from.as_ref().filter(|from| !from.is_bot)?;
        let is_of_it = message.chat.id == last.location.chat
            && from.id == last.sender.id
            && topic(message) == last.topic
            && message.reply_to.as_ref().is_none_or(|to| to.forum_topic_created.is_some())
            && matches!(self.command(text), SlashCommand::None);
        let more = chat_message(message, from, text, self.profile.id);
        let more_is_forwarded = more.origin.forwarded_from.is_some();
        let is_rest = last.may_continue() && !more_is_forwarded && !more.has_media;
        let is_forwarded = first.origin.forwarded_from.is_none()
            && more_is_forwarded
            && more.at.since(first.at) <= FORWARDED_WITHIN
            && !first.may_continue();
        (is_of_it && (is_rest || is_forwarded)).then_some(more)
    }

    fn message(&self, message: &Message) -> AcceptedUpdate {
        let chat = message.chat.id;
        // Telegram itself says this in the new group, which nobody has allowed yet.
        if let Some(from) = message.migrate_from_chat_id.filter(|from| self.chats.contains(from)) {
            return AcceptedUpdate::ChatMigrated { from, to: chat };
        }
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
        let is_for_bot = message.chat.kind == PRIVATE || self.is_addressed(message);
        let Some(text) = message.words() else {
            let is_told = is_for_bot && message.is_media;
            let (topic, album) = (topic(message), message.album.clone());
            return if is_told {
                AcceptedUpdate::NoText(MediaMessage { location, topic, album })
            } else {
                AcceptedUpdate::Ignored
            };
        };
        match self.command(text) {
            SlashCommand::OtherBot => return AcceptedUpdate::Ignored,
            SlashCommand::Known(command) if is_for_bot => {
                let about = message.reply_to.as_ref().map(|about| about.id);
                let (topic, is_group) = (topic(message), message.chat.kind != PRIVATE);
                let command = ChatCommand { location, topic, about, is_group, command };
                return AcceptedUpdate::Command(command);
            }
            SlashCommand::Known(_) | SlashCommand::None => {}
        }
        if !is_for_bot {
            return AcceptedUpdate::Ignored;
        }
        AcceptedUpdate::Message(chat_message(message, from, text, self.profile.id))
    }

    /// A message that was changed, whether it still names the bot or not: only who took it can know whether it was for the bot.
    fn edited(&self, message: &Message) -> AcceptedUpdate {
        let from = message.from.as_ref().filter(|from| !from.is_bot);
        let (Some(from), Some(text)) = (from, message.words()) else {
            return AcceptedUpdate::Ignored;
        };
        if !self.chats.contains(&message.chat.id) {
            return AcceptedUpdate::Ignored;
        }
        let said = chat_message(message, from, text, self.profile.id);
        AcceptedUpdate::Edited(ChatMessage { edited: message.edit_date.max(1), ..said })
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
            "again" => SlashCommand::Known(BotCommand::Again),
            _ => SlashCommand::None,
        }
    }
}

fn chat_message(message: &Message, from: &User, text: &str, bot: i64) -> ChatMessage {
    let origin =
        MessageOrigin { quoted: quoted(message, bot), forwarded_from: forwarded_from(message) };
    ChatMessage {
        location: MessageLocation { chat: message.chat.id, message: message.id },
        topic: topic(message),
        sender: ChatSender::of(from),
        text: text.to_owned(),
        has_media: message.is_media,
        album: message.album.clone(),
        origin,
        at: Timestamp::from_micros(message.date.saturating_mul(1_000_000)),
        edited: 0,
    }
}

/// The topic of a forum; the one that every forum begins with has no number.
fn topic(message: &Message) -> Option<i64> {
    message.thread.filter(|_| message.is_in_topic)
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
