//! Which updates are handled, and from which one the next poll begins: what is before that is confirmed to Telegram and never comes
//! again. Pure.
//!
//! A text that waits for its rest is not confirmed, while what came behind it is handled. Polls bring both again until then.

use std::collections::BTreeSet;

/// The updates that are handled.
#[derive(Debug, Default)]
pub(super) struct HandledUpdates {
    /// The next update; what is before it is handled.
    next: Option<i64>,
    /// Handled ones from there on.
    behind: BTreeSet<i64>,
}

impl HandledUpdates {
    /// Where the next poll begins; none before the first update.
    pub(super) const fn next(&self) -> Option<i64> {
        self.next
    }

    /// Whether an update is handled.
    pub(super) fn contains(&self, update: i64) -> bool {
        self.next.is_some_and(|next| update < next) || self.behind.contains(&update)
    }

    /// Notes one.
    pub(super) fn note(&mut self, update: i64) {
        self.behind.insert(update);
    }

    /// Lets the next poll begin behind all that is handled, but not behind the first update that is still open.
    pub(super) fn advance(&mut self, open: Option<i64>) {
        let end = self.behind.last().and_then(|last| last.checked_add(1));
        self.next = match open {
            Some(open) => Some(self.next.map_or(open, |next| next.max(open))),
            None => end.max(self.next),
        };
        if let Some(next) = self.next {
            self.behind = self.behind.split_off(&next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HandledUpdates;

    #[test]
    fn what_is_open_is_not_confirmed_and_what_is_behind_it_is_not_handled_twice() {
        let mut handled = HandledUpdates::default();
        handled.advance(None);
        assert_eq!(handled.next(), None, "nothing came");
        handled.note(7);
        handled.note(9);
        handled.advance(Some(8));
        assert_eq!(handled.next(), Some(8));
        assert!(handled.contains(7) && handled.contains(9) && !handled.contains(8));
        handled.note(10);
        handled.note(8);
        handled.advance(None);
        assert_eq!(handled.next(), Some(11));
        assert!(handled.contains(10) && !handled.contains(11));
        handled.advance(None);
        assert_eq!(handled.next(), Some(11));
    }
}
