//! Messages: what one of the passages that stand one after the other belongs to.
//!
//! Knows where a message begins, how many passages it still has, and how long the sum of their vectors is, which gives the
//! angle of the whole message without a vector of its own. Knows no texts.

use std::ops::Range;

use super::roles::SpeakerRole;

/// Words of a message up to which it counts as short: such messages are compared with what stands around them, longer ones
/// by themselves.
const SHORT_WORDS: f32 = 80.0;

/// One message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// The caller's name for it.
    key: u64,
    /// The place of its first passage.
    first: u32,
    /// The place behind its last one.
    end: u32,
    /// Passages that are still there.
    alive: u32,
    /// Their words.
    words: u32,
    role: SpeakerRole,
    /// The length of the sum of its passages' vectors, each as long as its passage has words; 0 where there are none.
    pub(super) norm: f32,
}

/// All messages in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    all: Vec<Message>,
    /// Those that have a passage, by role.
    alive: [usize; 2],
    /// Words of all messages.
    words: u64,
    /// The sum of the squares of each message's words.
    squares: u64,
}

impl Messages {
    /// Appends a passage of so many words at a place. Returns the number of its message.
    pub(super) fn append(&mut self, key: u64, role: SpeakerRole, slot: u32, words: u32) -> u32 {
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        if let Some(last) =
            self.all.last_mut().filter(|last| last.key == key && last.end == slot && last.alive > 0)
        {
            last.end = slot + 1;
            last.alive += 1;
            self.resize(number.saturating_sub(1), i64::from(words));
            return number.saturating_sub(1);
        }
        let message =
            Message { key, first: slot, end: slot + 1, alive: 1, words: 0, role, norm: 0.0 };
        self.all.push(message);
        self.resize(number, i64::from(words));
        self.count(role, 1);
        number
    }

    /// Takes a passage of so many words out.
    pub(super) fn take_out(&mut self, number: u32, words: u32) {
        self.resize(number, -i64::from(words));
        let Some(message) = self.all.get_mut(number as usize) else { return };
        message.alive = message.alive.saturating_sub(1);
        if message.alive == 0 {
            let role = message.role;
            self.count(role, -1);
        }
    }

    /// Makes a message so many words longer.
    fn resize(&mut self, number: u32, words: i64) {
        let Some(message) = self.all.get_mut(number as usize) else { return };
        let square = |words: u32| u64::from(words) * u64::from(words);
        let before = message.words;
        let after = i64::from(before).saturating_add(words).max(0);
        message.words = u32::try_from(after).unwrap_or(u32::MAX);
        self.words = self.words.saturating_add_signed(words);
        self.squares =
            self.squares.saturating_sub(square(before)).saturating_add(square(message.words));
    }

    fn count(&mut self, role: SpeakerRole, change: isize) {
        if let Some(count) = self.alive.get_mut(role.number()) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Follows passages to their new places and lets messages without one go. Returns the new numbers of the messages.
    pub(super) fn moved(&mut self, moved: &[u32]) -> Vec<u32> {
        let (mut kept, mut numbers) = (Vec::new(), Vec::with_capacity(self.all.len()));
        for message in &self.all {
            let places = message.first..message.end;
            let to = places.filter_map(|at| moved.get(at as usize).copied());
            let mut left = to.filter(|to| *to != u32::MAX);
            numbers.push(u32::try_from(kept.len()).unwrap_or(u32::MAX));
            if let Some(first) = left.next() {
                let end = left.next_back().unwrap_or(first).saturating_add(1);
                kept.push(Message { first, end, ..*message });
            }
        }
        self.all = kept;
        numbers
    }

    /// How many messages there are or were.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Messages that have a passage, by role.
    pub(super) fn by_role(&self) -> [usize; 2] {
        self.alive
    }

    /// The places of a message's passages, with those that are gone.
    pub(super) fn places(&self, number: u32) -> Range<u32> {
        self.all.get(number as usize).map_or(0..0, |message| message.first..message.end)
    }

    /// Whether each message is one passage.
    pub(super) fn are_whole(&self, passages: usize) -> bool {
        self.all.len() == passages
    }

    pub(super) fn norm(&self, number: u32) -> f32 {
        self.all.get(number as usize).map_or(0.0, |message| message.norm)
    }

    pub(super) fn set_norm(&mut self, number: u32, norm: f32) {
        if let Some(message) = self.all.get_mut(number as usize) {
            message.norm = norm;
        }
    }

    /// How short messages are: 1 where they have few words, less the longer they are. What counts is how long the message is
    /// that a word stands in, on average: an agent that says "noted" to pages, or pages to a line, makes no short talk.
    #[expect(clippy::cast_precision_loss, reason = "counts in formulas need no more than 24 bits")]
    pub(super) fn shortness(&self) -> f32 {
        let length = self.squares as f32 / (self.words as f32).max(1.0);
        (SHORT_WORDS / length.max(1.0)).min(1.0)
    }

    /// An estimate of the memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Message>()
    }
}

#[cfg(test)]
mod tests {
    use super::{Messages, SHORT_WORDS, SpeakerRole};

    #[test]
    fn passages_of_a_message_stand_together_until_another_comes_between() {
        let mut messages = Messages::default();
        let numbers = [(7, 0), (7, 1), (8, 2), (7, 3)]
            .map(|(key, slot)| messages.append(key, SpeakerRole::Person, slot, 40));
        assert_eq!(numbers, [0, 0, 1, 2]);
        assert_eq!((messages.places(0), messages.places(2)), (0..2, 3..4));
        assert_eq!((messages.len(), messages.by_role()), (3, [3, 0]));
        messages.take_out(1, 40);
        assert_eq!(messages.moved(&[0, 1, u32::MAX, 2]), [0, 1, 1]);
        assert_eq!((messages.places(0), messages.places(1)), (0..2, 2..3));
        assert_eq!((messages.len(), messages.by_role()), (2, [2, 0]));
    }

    #[test]
    fn long_messages_make_it_less_short() {
        let mut messages = Messages::default();
        messages.append(1, SpeakerRole::Person, 0, 40);
        assert!((messages.shortness() - 1.0).abs() < 1e-6);
        messages.append(2, SpeakerRole::Agent, 1, 100);
        messages.append(2, SpeakerRole::Agent, 2, 100);
        let length = (40.0 * 40.0 + 200.0 * 200.0) / 240.0;
        assert!((messages.shortness() - SHORT_WORDS / length).abs() < 1e-6);
    }
}
