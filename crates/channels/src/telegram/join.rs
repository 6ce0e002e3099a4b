//! Texts that come in several messages, pure: Telegram's programs cut what is longer than a message and send the rest behind
//! it, and what is forwarded with a comment comes behind the comment. Time is handed in.
//!
//! The pieces are of one sender at one place; whatever others say meanwhile lies between them. A piece that may have been cut
//! waits for the rest. What waits holds up nobody else.

use std::time::Duration;

use super::{ChatMessage, Update, UpdateFilter};

/// In which the rest of a text that was cut comes, after its last piece.
pub const REST_WAIT: Duration = Duration::from_secs(3);
/// In which what is forwarded with a comment comes, after the comment or what was forwarded before: Telegram's programs send both at
/// once, and a poll that waits for anything returns with the comment alone.
pub const FORWARD_WAIT: Duration = Duration::from_millis(300);
/// In which all of a text comes.
pub const TEXT_TIME_MAX: Duration = Duration::from_secs(15);

/// A text that waits for what may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldText {
    /// With so many of its pieces: with the first one, with two, and so on. Never empty.
    versions: Vec<ChatMessage>,
    /// Its pieces as they came. Never empty.
    pieces: Vec<ChatMessage>,
    last: ChatMessage,
    updates: Vec<i64>,
    began_at: Duration,
    due_at: Duration,
}

/// Joins pieces.
#[derive(Clone, Debug, Default)]
pub struct TextJoiner {
    held: Vec<HeldText>,
}

impl TextJoiner {
    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether an update is held.
    pub fn holds(&self, update: i64) -> bool {
        self.held.iter().any(|held| held.updates.contains(&update))
    }

    /// The first update that is held.
    pub fn first_update(&self) -> Option<i64> {
        self.held.iter().flat_map(|held| held.updates.iter().copied()).min()
    }

    /// Holds a message, until nothing more of it can follow: at once, where it is itself forwarded and not cut.
    pub fn hold(&mut self, said: ChatMessage, update: i64, now: Duration) {
        let mut held = HeldText {
            versions: vec![said.clone()],
            pieces: vec![said.clone()],
            last: said,
            updates: vec![update],
            began_at: now,
            due_at: now,
        };
        held.wait_for_more(now);
        self.held.push(held);
    }

    /// Takes an update that is more of a text that is held; false where it is of none.
    pub fn take_more(&mut self, filter: &UpdateFilter, update: &Update, now: Duration) -> bool {
        for held in &mut self.held {
            let Some(first) = held.versions.first() else { continue };
            if let Some(more) = filter.more_of(first, &held.last, update) {
                held.append(more, update.id, now);
                return true;
            }
        }
        false
    }

    /// The texts to which nothing more will come, in the order in which they began.
    pub fn due(&mut self, now: Duration) -> Vec<HeldText> {
        self.take_where(|held| held.due_at <= now)
    }

    /// Whether the rest of something may still come.
    pub fn waits(&self, now: Duration) -> bool {
        self.held.iter().any(|held| held.due_at > now)
    }

    /// What was written in a chat, whether more may come or not.
    pub fn take_of_chat(&mut self, chat: i64) -> Vec<HeldText> {
        self.take_where(|held| held.last.location.chat == chat)
    }

    /// What the sender of a message wrote at its place, whether more may come or not.
    pub fn take_of_sender(&mut self, said: &ChatMessage) -> Vec<HeldText> {
        let is_it = |held: &HeldText| {
            held.last.location.chat == said.location.chat
                && held.last.topic == said.topic
                && held.last.sender.id == said.sender.id
        };
        self.take_where(is_it)
    }

    /// Everything.
    pub fn take_all(&mut self) -> Vec<HeldText> {
        std::mem::take(&mut self.held)
    }

    /// Holds a text again that could not be accepted.
    pub fn put_back(&mut self, held: HeldText) {
        self.held.insert(0, held);
    }

    fn take_where(&mut self, is_wanted: impl Fn(&HeldText) -> bool) -> Vec<HeldText> {
        let (wanted, left) = std::mem::take(&mut self.held).into_iter().partition(is_wanted);
        self.held = left;
        wanted
    }
}

impl HeldText {
    /// All of it.
    pub fn whole(&self) -> &ChatMessage {
        self.versions.last().unwrap_or(&self.last)
    }

    /// The text with so many of its pieces: with the first one, with two, and so on.
    pub fn versions(&self) -> &[ChatMessage] {
        &self.versions
    }

    /// Its pieces as they came, in their order.
    pub fn pieces(&self) -> &[ChatMessage] {
        &self.pieces
    }

    /// The updates that its pieces came with, in their order.
    pub fn updates(&self) -> &[i64] {
        &self.updates
    }

    fn append(&mut self, more: ChatMessage, update: i64, now: Duration) {
        let joined = self.whole().clone().with_more(&self.last, &more);
        self.versions.push(joined);
        self.pieces.push(more.clone());
        self.last = more;
        self.updates.push(update);
        self.wait_for_more(now);
    }

    fn wait_for_more(&mut self, now: Duration) {
        let may_be_comment =
            |first: &ChatMessage| first.origin.forwarded_from.is_none() && !first.may_continue();
        let is_comment = self.versions.first().is_some_and(may_be_comment);
        let wait = match (self.last.may_continue(), is_comment) {
            (true, _) => REST_WAIT,
            (false, true) => FORWARD_WAIT,
            (false, false) => Duration::ZERO,
        };
        let until = self.began_at.saturating_add(TEXT_TIME_MAX);
        self.due_at = now.saturating_add(wait).min(until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::TextJoiner;
    use crate::telegram::{AcceptedUpdate, BotProfile, Update, UpdateFilter};

    const GROUP: i64 = -1001;

    /// A joiner with what counts, and the numbers of updates.
    struct Rig {
        filter: UpdateFilter,
        joiner: TextJoiner,
        count: i64,
    }

    impl Rig {
        fn new() -> Self {
            let profile = BotProfile { id: 77, username: "abide_bot".to_owned() };
            let filter = UpdateFilter::new(profile, [42, GROUP].into());
            Self { filter, joiner: TextJoiner::default(), count: 0 }
        }

        /// What a sender writes in the group; true where it is more of a text.
        fn says(&mut self, (sender, text): (i64, &str), more: &Value, millis: u64) -> bool {
            self.count += 1;
            let mut message = json!({
                "message_id": self.count, "date": 1_764_000_000,
                "chat": {"id": GROUP, "type": "supergroup"},
                "from": {"id": sender, "is_bot": false}, "text": text,
            });
            for (key, value) in more.as_object().into_iter().flatten() {
                message[key] = value.clone();
            }
            let update = json!({"update_id": self.count, "message": message});
            let update = Update::parse(update).unwrap();
            let now = Duration::from_millis(millis);
            if self.joiner.take_more(&self.filter, &update, now) {
                return true;
            }
            if let AcceptedUpdate::Message(said) = self.filter.classify(&update) {
                self.joiner.hold(said, update.id, now);
            }
            false
        }

        fn due(&mut self, millis: u64) -> Vec<(String, Vec<i64>)> {
            let due = self.joiner.due(Duration::from_millis(millis));
            let text = |text: String| format!("{}…{}", text.len(), &text[text.len() - 3..]);
            due.iter().map(|held| (text(held.whole().content()), held.updates().to_vec())).collect()
        }
    }

    fn mention() -> Value {
        json!({"entities": [{"type": "mention", "offset": 0, "length": 10}]})
    }

    fn cut(text: &str) -> String {
        format!("{text}{}", "x".repeat(4_096 - text.len()))
    }

    #[test]
    fn the_pieces_of_a_text_are_found_whatever_others_say_between_them() {
        let mut rig = Rig::new();
        let first = cut("@abide_bot ");
        assert!(!rig.says((9, &first), &mention(), 0));
        assert!(!rig.says((8, "lunch?"), &json!({}), 10), "chatter that nobody hears");
        assert!(!rig.says((8, "@abide_bot hi"), &mention(), 20));
        assert!(rig.due(319).is_empty(), "something may be forwarded with it");
        assert_eq!(rig.due(320), [("13… hi".to_owned(), vec![3])], "it holds nobody up");
        assert!(!rig.says(
            (9, "elsewhere"),
            &json!({"message_thread_id": 5, "is_topic_message": true}),
            330
        ));
        assert!(rig.says((9, &cut("y")), &json!({}), 1_500), "the middle may be late");
        assert!(rig.due(4_499).is_empty());
        assert!(rig.says((9, "end"), &json!({}), 4_499));
        assert_eq!(rig.due(4_499), [("8195…end".to_owned(), vec![1, 5, 6])], "the tail ends it");
    }

    #[test]
    fn a_rest_that_does_not_come_is_waited_for_no_longer_than_three_seconds() {
        let mut rig = Rig::new();
        rig.says((9, &cut("@abide_bot ")), &mention(), 0);
        assert!(rig.due(2_999).is_empty());
        assert_eq!(rig.joiner.first_update(), Some(1));
        let waits = [2_999, 3_000].map(|millis| rig.joiner.waits(Duration::from_millis(millis)));
        assert_eq!(waits, [true, false]);
        assert_eq!(rig.due(3_000).len(), 1);
        assert!(!rig.says((9, "end"), &json!({}), 3_001));
        assert!(rig.joiner.is_empty());
        rig.says((9, &cut("@abide_bot ")), &mention(), 10_000);
        for piece in 1..20 {
            rig.says((9, &cut("y")), &json!({}), 10_000 + piece * 1_000);
        }
        assert_eq!(rig.due(25_000).len(), 1, "and all of it for no longer than its time");
    }

    #[test]
    fn a_comment_is_one_with_all_that_it_forwards() {
        let mut rig = Rig::new();
        rig.says((9, "@abide_bot these?"), &mention(), 0);
        let forwarded =
            json!({"forward_origin": {"type": "hidden_user", "sender_user_name": "Eve"}});
        assert!(rig.says((9, "one"), &forwarded, 200), "a poll returned with the comment alone");
        assert!(!rig.says((8, "two"), &forwarded, 200), "somebody else's");
        assert!(rig.says((9, "two"), &forwarded, 499));
        assert!(rig.due(798).is_empty());
        let due = rig.joiner.due(Duration::from_millis(799));
        let pieces: Vec<_> = due[0].pieces().iter().map(|piece| piece.location.message).collect();
        assert_eq!(pieces, [1, 2, 4]);
        let content = due[0].whole().content();
        assert!(content.contains("> one") && content.ends_with("> two"), "{content}");
    }
}
