//! Groups that got another number when they became supergroups, according to the ledger: they stay allowed, their conversation
//! goes on, and what was owed to the old number goes to the new one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::{
    EntityName,
    envelope::Channel,
    event::{ChannelChatMoved, ChannelEvent, Event},
};
use abide_engine::Keeper;
use abide_ledger::{Draft, Ledger, Query, ReadError};

/// The event of a move.
const MOVED: &str = "channel.chat_moved";
/// Moves that are followed from one number; more are a circle.
const STEPS_MAX: usize = 16;

/// The moves that are known. A cheap clone; all see the same.
#[derive(Clone, Debug, Default)]
pub(super) struct MovedChats(Arc<Mutex<BTreeMap<i64, i64>>>);

impl MovedChats {
    /// Reads all moves that the ledger holds. Blocking.
    pub(super) fn load(&self, ledger: &Ledger) -> Result<(), ReadError> {
        let kinds = vec![MOVED.to_owned()];
        for record in ledger.query(Query { kinds, ..Query::default() }) {
            if let Ok(entry) = record?.entry()
                && let Event::Channel(ChannelEvent::ChatMoved(moved)) = entry.event
            {
                self.lock().insert(moved.from, moved.to);
            }
        }
        Ok(())
    }

    /// Notes a move; false where it is known.
    fn note(&self, from: i64, to: i64) -> bool {
        from != to && self.lock().insert(from, to) != Some(to)
    }

    /// Where what is for a chat is sent now.
    pub(super) fn current(&self, chat: i64) -> i64 {
        let moves = self.lock();
        let steps = std::iter::successors(Some(chat), |chat| moves.get(chat).copied());
        steps.take(STEPS_MAX).last().unwrap_or(chat)
    }

    /// The number under which a chat was known first: its conversation is named after it.
    pub(super) fn original(&self, chat: i64) -> i64 {
        let moves = self.lock();
        let before = |chat: &i64| {
            let found = moves.iter().find(|(_, to)| **to == *chat);
            found.map(|(from, _)| *from)
        };
        let steps = std::iter::successors(Some(chat), before);
        steps.take(STEPS_MAX).last().unwrap_or(chat)
    }

    /// These chats with all numbers that they have had.
    pub(super) fn with_moves(&self, chats: &BTreeSet<i64>) -> BTreeSet<i64> {
        let moves = self.lock();
        let follow = |chat: &i64| {
            std::iter::successors(Some(*chat), |chat| moves.get(chat).copied()).take(STEPS_MAX)
        };
        chats.iter().flat_map(follow).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a move and writes it down.
    pub(super) async fn record(&self, keeper: &Keeper, from: i64, to: i64) {
        if !self.note(from, to) {
            return;
        }
        tracing::warn!(
            channel = "telegram",
            event = "chat_moved",
            from,
            to,
            "a group has a new number; it stays allowed, and telegram.chats may name either"
        );
        let moved = ChannelChatMoved { channel: Channel::Telegram, from, to };
        let author = EntityName::keeper();
        let draft = Draft { entity: author.clone(), author, epoch: None, event: moved.into() };
        if let Err(error) = keeper.ledger().append(vec![draft]).await {
            tracing::warn!(channel = "telegram", event = "move_not_recorded", %error, "the new number of a group could not be recorded; after a restart it must be named in telegram.chats");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MovedChats;

    #[test]
    fn what_is_for_an_old_number_goes_to_the_newest_and_is_one_conversation() {
        let moved = MovedChats::default();
        assert!(moved.note(-1, -1001) && moved.note(-1001, -1002));
        assert!(!moved.note(-1, -1001) && !moved.note(5, 5));
        assert_eq!([moved.current(-1), moved.current(7)], [-1002, 7]);
        assert_eq!([moved.original(-1002), moved.original(7)], [-1, 7]);
        assert_eq!(moved.with_moves(&[-1, 7].into()), [-1, -1001, -1002, 7].into());
        // A circle, which Telegram never makes, ends.
        moved.note(-1002, -1);
        assert!(moved.with_moves(&[-1].into()).len() == 3 && moved.current(-1) < 0);
        assert!(moved.original(-1) < 0);
    }
}
