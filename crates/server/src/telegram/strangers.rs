//! Chats that are not allowed: counted, named once each, never answered. What they write is not kept.

use std::collections::BTreeSet;

/// Chats that are remembered, so that each is named once.
const NAMED_MAX: usize = 1_000;

/// Who wrote and was not heard.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    named: BTreeSet<i64>,
    messages: u64,
}

impl Strangers {
    /// Counts a message. True where its chat is to be named: the first time, as long as so many are remembered.
    pub(super) fn note(&mut self, chat: i64) -> bool {
        self.messages = self.messages.saturating_add(1);
        self.named.len() < NAMED_MAX && self.named.insert(chat)
    }

    /// How many messages were not heard.
    pub(super) const fn messages(&self) -> u64 {
        self.messages
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED_MAX, Strangers};

    #[test]
    fn each_chat_is_named_once_and_a_crowd_fills_no_memory() {
        let mut strangers = Strangers::default();
        assert!(strangers.note(1));
        assert!(!strangers.note(1));
        let named = (0..100_000).filter(|chat| strangers.note(*chat)).count();
        assert_eq!(named, NAMED_MAX - 1);
        assert_eq!(strangers.messages(), 100_002);
    }
}
