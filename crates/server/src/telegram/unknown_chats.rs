//! Chats that are not allowed: counted, logged once each, never answered. What they write is not kept.

use std::collections::BTreeSet;

/// Chats that are remembered, so that each is named once.
const NAMED_MAX: usize = 1_000;

/// Chats that are not allowed and wrote.
#[derive(Debug, Default)]
pub(super) struct UnknownChats {
    named: BTreeSet<i64>,
    messages: u64,
}

impl UnknownChats {
    /// Counts a message. True where its chat is to be named in the log: the first time, as long as there is room to remember it.
    pub(super) fn note(&mut self, chat: i64) -> bool {
        self.messages = self.messages.saturating_add(1);
        self.named.len() < NAMED_MAX && self.named.insert(chat)
    }

    /// How many messages were ignored.
    pub(super) const fn messages(&self) -> u64 {
        self.messages
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED_MAX, UnknownChats};

    #[test]
    fn each_chat_is_named_once_and_many_chats_fill_no_memory() {
        let mut chats = UnknownChats::default();
        assert!(chats.note(1));
        assert!(!chats.note(1));
        let named = (0..100_000).filter(|chat| chats.note(*chat)).count();
        assert_eq!(named, NAMED_MAX - 1);
        assert_eq!(chats.messages(), 100_002);
    }
}
