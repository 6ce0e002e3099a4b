//! Numbers of Telegram chats. Messengers show them as numbers, and people write them as texts.

use serde::{Deserialize, Deserializer, de::Error as _};
use toml::Value;

/// Chats at most.
const CHATS_MAX: usize = 1_000;

/// A chat's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChatNumber(pub(crate) i64);

impl ChatNumber {
    /// The chat that a value names.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let id = match value {
            Value::Integer(id) => Some(*id),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        id.filter(|id| *id != 0).map(Self)
    }
}

impl<'de> Deserialize<'de> for ChatNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::of(&value).ok_or_else(|| D::Error::custom("is not the number of a chat"))
    }
}

/// Says what is wrong with a list of chats, worded to follow its key.
pub(crate) fn check_chats(items: &[Value]) -> Result<(), String> {
    if items.len() > CHATS_MAX {
        return Err(format!("has {} entries; at most {CHATS_MAX}", items.len()));
    }
    match items.iter().find(|item| ChatNumber::of(item).is_none()) {
        None => Ok(()),
        Some(item) => Err(format!(
            "has {item}, which is not the number of a chat such as 123456789, or -1001234567890 for a group; a name \
             cannot be used, because names change hands"
        )),
    }
}
