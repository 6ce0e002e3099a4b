//! Spaces: who is in them, and what was said last. A fold of `space.*`.
//!
//! Only the newest messages are in memory, bounded in number and bytes; all of them are in the ledger. A space also knows
//! whether anything new is being said: a conversation of agents that goes in circles is refused its next message.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use abide_domain::{
    EntityName, MessageId, SpaceName, Timestamp,
    event::{SpaceNamed, SpaceSaid},
    limits::SPACE_MESSAGES_MAX,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bytes of messages that are kept in memory, a space; one message always is.
const SPACE_BYTES_MAX: usize = 128 * 1024;
/// Spaces between two that are kept in memory; beyond it the one that was silent longest is forgotten.
const PAIRS_MAX: usize = 10_000;
/// How far back a word counts as said before.
const CIRCLE_MESSAGES: usize = 8;
/// So many messages in a row may bring no new word; the next one is refused.
const STALE_MAX: u32 = 3;

/// All spaces by name.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spaces(BTreeMap<SpaceName, Space>);

/// One space.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Its members.
    pub members: BTreeSet<EntityName>,
    /// How much was said in all.
    pub said: u64,
    recent: VecDeque<SpaceMessage>,
    bytes: usize,
    /// How many messages in a row brought no new word.
    stale: u32,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceMessage {
    /// Its id.
    pub id: MessageId,
    /// The sequence of the event that put it in force.
    pub seq: u64,
    /// Its tick.
    pub tick: u64,
    /// Its time.
    pub at: Timestamp,
    /// The entity that said it.
    pub from: EntityName,
    /// The text.
    pub text: Arc<str>,
}

impl Spaces {
    pub(super) fn name(&mut self, named: &SpaceNamed) {
        let space = self.0.entry(named.space.clone()).or_default();
        space.members = named.members.iter().cloned().collect();
    }

    pub(super) fn say(&mut self, said: &SpaceSaid, message: SpaceMessage) {
        let is_new = !self.0.contains_key(&said.space);
        if is_new && said.space.pair().is_some() {
            self.make_room();
        }
        let space = self.0.entry(said.space.clone()).or_default();
        if let Some((one, other)) = said.space.pair() {
            space.members.extend([one, other]);
        }
        space.push(message);
    }

    /// Forgets the pair that has been silent longest, where there are too many.
    fn make_room(&mut self) {
        let pairs = || self.0.iter().filter(|(name, _)| name.pair().is_some());
        if pairs().count() < PAIRS_MAX {
            return;
        }
        let last_seq = |space: &Space| space.recent.back().map(|message| message.seq);
        let oldest = pairs().min_by_key(|(_, space)| last_seq(space)).map(|(name, _)| name.clone());
        if let Some(oldest) = oldest {
            self.0.remove(&oldest);
        }
    }

    /// A space, if it is there.
    pub fn get(&self, name: &SpaceName) -> Option<&Space> {
        self.0.get(name)
    }

    /// The spaces that somebody is in, in the order of their names.
    pub fn of<'a>(
        &'a self,
        entity: &'a EntityName,
    ) -> impl Iterator<Item = (&'a SpaceName, &'a Space)> {
        self.0.iter().filter(move |(_, space)| space.members.contains(entity))
    }

    /// How many spaces have a name.
    pub fn named(&self) -> usize {
        self.0.keys().filter(|name| name.pair().is_none()).count()
    }

    pub(super) fn parts(&self) -> Value {
        let part = |(name, space): (&SpaceName, &Space)| {
            json!([name, space.members, space.said, space.stale])
        };
        self.0.iter().map(part).collect()
    }
}

impl Space {
    fn push(&mut self, message: SpaceMessage) {
        self.stale = if self.is_new(&message.text) { 0 } else { self.stale + 1 };
        self.said += 1;
        self.bytes += message.text.len();
        self.recent.push_back(message);
        while self.recent.len() > SPACE_MESSAGES_MAX
            || (self.bytes > SPACE_BYTES_MAX && self.recent.len() > 1)
        {
            let Some(oldest) = self.recent.pop_front() else { return };
            self.bytes -= oldest.text.len();
        }
    }

    /// The newest messages in memory, oldest first.
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &SpaceMessage> + ExactSizeIterator {
        self.recent.iter()
    }

    /// Whether these words would be one more that says nothing new, after several.
    pub fn is_going_in_circles(&self, text: &str) -> bool {
        self.stale >= STALE_MAX && !self.is_new(text)
    }

    /// Whether a text has a word that the last messages do not have; the first ones always do.
    fn is_new(&self, text: &str) -> bool {
        let last = self.recent.iter().rev().take(CIRCLE_MESSAGES);
        let before: HashSet<String> = last.flat_map(|message| words(&message.text)).collect();
        let mut said = words(text).peekable();
        // Punctuation alone is nothing new, except where nothing was said before.
        if said.peek().is_none() {
            return self.recent.is_empty();
        }
        said.any(|word| !before.contains(&word))
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use abide_domain::{MessageId, Timestamp};
    use uuid::Uuid;

    use super::{SPACE_BYTES_MAX, SPACE_MESSAGES_MAX, Space, SpaceMessage};

    fn message(seq: u64, text: &str) -> SpaceMessage {
        SpaceMessage {
            id: MessageId::from_uuid(Uuid::from_u128(u128::from(seq))),
            seq,
            tick: seq,
            at: Timestamp::from_micros(0),
            from: "@ada".parse().unwrap(),
            text: text.into(),
        }
    }

    #[test]
    fn thanks_for_thanks_is_a_circle_and_a_new_word_ends_it() {
        let mut space = Space::default();
        for (seq, text) in
            (1..).zip(["The build is green.", "Thanks!", "Thanks", "thanks, thanks", "Thanks."])
        {
            assert!(!space.is_going_in_circles(text), "{text}");
            space.push(message(seq, text));
        }
        assert!(space.is_going_in_circles("thanks"));
        assert!(space.is_going_in_circles("🙂"), "punctuation alone is nothing new");
        assert!(!space.is_going_in_circles("Thanks, the deploy starts"));
        space.push(message(9, "Thanks, the deploy starts"));
        assert!(!space.is_going_in_circles("thanks"));
    }

    #[test]
    fn counting_up_is_something_new() {
        let mut space = Space::default();
        for seq in 1..200 {
            let text = format!("exchange {seq}");
            assert!(!space.is_going_in_circles(&text));
            space.push(message(seq, &text));
        }
        assert_eq!((space.recent().len(), space.said), (SPACE_MESSAGES_MAX, 199));
    }

    #[test]
    fn what_is_at_hand_is_bounded_in_bytes_too() {
        let mut space = Space::default();
        let long = "x".repeat(SPACE_BYTES_MAX / 3);
        (1..10).for_each(|seq| space.push(message(seq, &long)));
        assert_eq!(space.recent().map(|m| m.seq).collect::<Vec<_>>(), [7, 8, 9]);
        space.push(message(10, &"y".repeat(2 * SPACE_BYTES_MAX)));
        assert_eq!(space.recent().map(|m| m.seq).collect::<Vec<_>>(), [10]);
    }
}
