//! A talk while it is made: what is said gets its time and place, and what is asked knows where it was said.

use std::time::Duration;

use abide_domain::Timestamp;
use abide_memory::SpeakerRole;

use crate::memory::{
    conversation::{Category, Conversation, Question, SpokenTurn},
    rng::Rng,
};

/// Monday, 4 January 2027, 09:00 UTC.
const START_MICROS: i64 = 1_799_053_200_000_000;
const TURN: Duration = Duration::from_secs(90);
/// Between two sessions.
const PAUSE: Duration = Duration::from_hours(31);

/// A talk while it is made.
pub(super) struct TalkBuilder<'a> {
    pub(super) rng: &'a mut Rng,
    made: Conversation,
    at: Timestamp,
    session: usize,
}

impl<'a> TalkBuilder<'a> {
    pub(super) fn new(rng: &'a mut Rng) -> Self {
        let at = Timestamp::from_micros(START_MICROS);
        Self { rng, made: Conversation::default(), at, session: 0 }
    }

    /// One of them; nothing of none.
    pub(super) fn pick(&mut self, of: &[&'static str]) -> &'static str {
        self.rng.pick(of).copied().unwrap_or_default()
    }

    /// The next turn is of another session.
    pub(super) fn pause(&mut self) {
        self.session += 1;
        self.at = self.at.plus(PAUSE);
    }

    /// Says something. Returns which turn it is.
    pub(super) fn say(&mut self, speaker: &str, role: SpeakerRole, text: String) -> usize {
        self.at = self.at.plus(TURN);
        self.made.turns.push(SpokenTurn {
            speaker: speaker.to_owned(),
            role,
            thread: format!("session {}", self.session),
            at: self.at,
            text,
            aside: String::new(),
        });
        self.made.turns.len() - 1
    }

    /// Asks for what was said in some turns.
    pub(super) fn ask(
        &mut self,
        text: String,
        category: Category,
        asker: Option<&str>,
        evidence: Vec<usize>,
    ) {
        let asker = asker.map(str::to_owned);
        let corrected = evidence.clone();
        let question = Question { text, category, given: evidence, corrected, asker };
        self.made.questions.push(question);
    }

    pub(super) fn done(self) -> Conversation {
        self.made
    }
}

/// Some of the sentences in a thrown order, each once, about as many words as are wanted.
pub(super) fn prose(rng: &mut Rng, mut sentences: Vec<String>, words: usize) -> Vec<String> {
    rng.shuffle(&mut sentences);
    let mut count = 0;
    let some = sentences.into_iter().take_while(|sentence| {
        let is_room = count < words;
        count += sentence.split_whitespace().count();
        is_room
    });
    some.collect()
}
