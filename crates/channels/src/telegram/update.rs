//! What Telegram tells a bot, as far as we read it. Anything that has another shape than we know is no error: it is an
//! update that says nothing to us, so that one strange message can never stop all that come after it.

use serde::Deserialize;
use serde_json::Value;

/// Fields whose presence says that a message has content other than text.
const MEDIA: [&str; 17] = [
    "animation",
    "audio",
    "contact",
    "dice",
    "document",
    "game",
    "live_photo",
    "location",
    "paid_media",
    "photo",
    "poll",
    "sticker",
    "story",
    "venue",
    "video",
    "video_note",
    "voice",
];

/// One update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Its number; the next poll from one beyond it confirms it.
    pub id: i64,
    pub(super) content: UpdateContent,
}

/// What an update is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UpdateContent {
    /// Somebody wrote.
    Message(Box<Message>),
    /// Somebody changed what they wrote before.
    Edited(Box<Message>),
    /// Somebody pressed a button.
    ButtonPress(Box<CallbackQuery>),
    /// Nothing that we know.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Message {
    #[serde(rename = "message_id")]
    pub(super) id: i64,
    #[serde(default)]
    pub(super) date: i64,
    pub(super) chat: Chat,
    #[serde(default)]
    pub(super) from: Option<User>,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) caption: Option<String>,
    #[serde(default)]
    pub(super) entities: Vec<Entity>,
    #[serde(default)]
    pub(super) caption_entities: Vec<Entity>,
    #[serde(default, rename = "reply_to_message")]
    pub(super) reply_to: Option<RepliedMessage>,
    /// The part of the message that it answers that is meant, where its writer chose one.
    #[serde(default)]
    pub(super) quote: Option<Value>,
    /// The message of another chat that it answers.
    #[serde(default)]
    pub(super) external_reply: Option<Value>,
    /// Who wrote it first, where it was forwarded.
    #[serde(default)]
    pub(super) forward_origin: Option<Value>,
    #[serde(default, rename = "message_thread_id")]
    pub(super) thread: Option<i64>,
    /// Whether the thread is a topic of a forum; other threads are answers to one message.
    #[serde(default, rename = "is_topic_message")]
    pub(super) is_in_topic: bool,
    /// What several photos or files that were sent together have in common.
    #[serde(default, rename = "media_group_id")]
    pub(super) album: Option<String>,
    #[serde(default)]
    pub(super) edit_date: i64,
    #[serde(default)]
    pub(super) migrate_to_chat_id: Option<i64>,
    #[serde(default)]
    pub(super) migrate_from_chat_id: Option<i64>,
    /// Whether it holds something that is no text.
    #[serde(skip)]
    pub(super) is_media: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Chat {
    pub(super) id: i64,
    #[serde(rename = "type", default)]
    pub(super) kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct User {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) is_bot: bool,
    #[serde(default)]
    pub(super) username: Option<String>,
    #[serde(default)]
    pub(super) first_name: Option<String>,
    #[serde(default)]
    pub(super) last_name: Option<String>,
}

/// A marked place in a text, in UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Entity {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) offset: usize,
    #[serde(default)]
    pub(super) length: usize,
    #[serde(default)]
    pub(super) user: Option<User>,
}

/// The message that another answers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RepliedMessage {
    #[serde(default, rename = "message_id")]
    pub(super) id: i64,
    #[serde(default)]
    pub(super) from: Option<User>,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) caption: Option<String>,
    /// The message that opened a topic, which every message there answers that answers no other.
    #[serde(default)]
    pub(super) forum_topic_created: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct CallbackQuery {
    pub(super) id: String,
    pub(super) from: User,
    /// Where the button is. Of an old message only the place is known.
    pub(super) message: ButtonMessage,
    #[serde(default)]
    pub(super) data: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct ButtonMessage {
    pub(super) message_id: i64,
    pub(super) chat: Chat,
}

impl Message {
    /// Its words: a text, or what stands below a photo or a file. None where they are blank.
    pub(super) fn words(&self) -> Option<&str> {
        let text = self.text.as_deref().or(self.caption.as_deref());
        text.filter(|text| !abide_domain::is_blank(text))
    }
}

impl Update {
    /// The chat that it is about, where it is known.
    pub fn chat(&self) -> Option<i64> {
        match &self.content {
            UpdateContent::Message(message) | UpdateContent::Edited(message) => {
                Some(message.chat.id)
            }
            UpdateContent::ButtonPress(query) => Some(query.message.chat.id),
            UpdateContent::Other => None,
        }
    }

    /// Reads one; none where it has not even a number.
    pub fn parse(mut value: Value) -> Option<Self> {
        let id = value.get("update_id")?.as_i64()?;
        let mut take = |field: &str| value.get_mut(field).map(Value::take);
        let content = if let Some(message) = take("message") {
            parse_message(message).map(UpdateContent::Message)
        } else if let Some(message) = take("edited_message") {
            parse_message(message).map(UpdateContent::Edited)
        } else if let Some(query) = take("callback_query") {
            serde_json::from_value(query).map(|query| UpdateContent::ButtonPress(Box::new(query)))
        } else {
            Ok(UpdateContent::Other)
        };
        Some(Self { id, content: content.unwrap_or(UpdateContent::Other) })
    }
}

fn parse_message(message: Value) -> serde_json::Result<Box<Message>> {
    let is_media = MEDIA.iter().any(|field| message.get(field).is_some());
    let read = serde_json::from_value::<Message>(message)?;
    Ok(Box::new(Message { is_media, ..read }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Update, UpdateContent};

    #[test]
    fn what_has_a_strange_shape_says_nothing_and_stops_nothing() {
        let odd = [
            json!({"update_id": 7}),
            json!({"update_id": 7, "message": "hello"}),
            json!({"update_id": 7, "message": {"message_id": "nine"}}),
            json!({"update_id": 7, "message": {"message_id": 9, "chat": {"id": 5}, "entities": [{"offset": -1}]}}),
            json!({"update_id": 7, "callback_query": {"id": "1"}}),
            json!({"update_id": 7, "edited_message": {"message_id": 9, "chat": 5, "text": "x"}}),
            json!({"update_id": 7, "something_new": {}}),
        ];
        for value in odd {
            let read = Update::parse(value.clone());
            assert_eq!(read, Some(Update { id: 7, content: UpdateContent::Other }), "{value}");
        }
        for value in [json!(null), json!([]), json!({"update_id": "7"}), json!({"update_id": 1.5})]
        {
            assert_eq!(Update::parse(value.clone()), None, "{value}");
        }
    }

    #[test]
    fn a_message_is_known_by_what_it_holds() {
        let with = |field: &str| {
            let value = json!({"update_id": 1, "message": {"message_id": 2, "date": 3, "chat": {"id": 4, "type": "private"}, field: {}}});
            match Update::parse(value).unwrap().content {
                UpdateContent::Message(message) => message.is_media,
                other => panic!("{other:?}"),
            }
        };
        assert!(with("voice") && with("photo") && with("sticker"));
        assert!(!with("pinned_message"), "what the chat itself says is no content");
    }
}
