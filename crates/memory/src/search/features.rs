//! What a score is made of, by name: for whoever ranks found passages by a formula of its own.
//!
//! The numbers are those of `rank`, before they are weighted. Made for passages that were found, and only where somebody asks.

use super::{
    Hit, SearchQuery,
    calendar::Day,
    index::{DocumentSlot, Index, NOWHERE},
    rank::Ranking,
    roles::SpeakerRole,
    vectors::count_as_f32,
};

/// The numbers that a found passage is ranked by. Shares and angles are about 0 to 1, marks are 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchFeatures {
    /// The score by which it was found; comparable within one question.
    pub score: f32,
    /// How much of the question is really there; comparable between questions.
    pub strength: f32,
    /// BM25.
    pub words: f32,
    /// BM25 by the weight of the question's words.
    pub words_share: f32,
    /// The share of the question's words that it holds.
    pub own: f32,
    /// The share that it or its neighbours hold.
    pub covered: f32,
    /// BM25 of the other passages of its message.
    pub siblings: f32,
    /// BM25 of the stretch of conversation that it stands in.
    pub stretch: f32,
    /// BM25 of the question right before it, where one stands there.
    pub answers: f32,
    /// The angle of that question.
    pub answers_meaning: f32,
    /// It asks something.
    pub asks: f32,
    /// It says when something happens.
    pub tells_time: f32,
    /// The question asks when.
    pub asks_when: f32,
    /// How close its day is to the one that the question means.
    pub date: f32,
    /// It is a wish of whoever asks.
    pub wish: f32,
    /// It is of the speaker whose words are wanted.
    pub wanted_speaker: f32,
    /// It is the agent's own.
    pub agent: f32,
    /// The angle of its meaning above the mean.
    pub meaning: f32,
    /// The same of the passage before it.
    pub meaning_before: f32,
    /// The same of the passage behind it.
    pub meaning_after: f32,
    /// The same of its whole message.
    pub message_meaning: f32,
    /// How short messages of this memory are, from 0 to 1.
    pub shortness: f32,
    /// Days since it was said.
    pub age_days: f32,
    /// Its length in words.
    pub length: f32,
    /// Its place in the order by which it was found, from 0.
    pub rank: f32,
}

impl SearchFeatures {
    /// All of them with their names, in a fixed order.
    pub const fn named(&self) -> [(&'static str, f32); 25] {
        [
            ("score", self.score),
            ("strength", self.strength),
            ("words", self.words),
            ("words-share", self.words_share),
            ("own", self.own),
            ("covered", self.covered),
            ("siblings", self.siblings),
            ("stretch", self.stretch),
            ("answers", self.answers),
            ("answers-meaning", self.answers_meaning),
            ("asks", self.asks),
            ("tells-time", self.tells_time),
            ("asks-when", self.asks_when),
            ("date", self.date),
            ("wish", self.wish),
            ("wanted-speaker", self.wanted_speaker),
            ("agent", self.agent),
            ("meaning", self.meaning),
            ("meaning-before", self.meaning_before),
            ("meaning-after", self.meaning_after),
            ("message-meaning", self.message_meaning),
            ("shortness", self.shortness),
            ("age-days", self.age_days),
            ("length", self.length),
            ("rank", self.rank),
        ]
    }
}

impl Index {
    /// What the scores of found passages are made of, in the order of the hits.
    pub fn features(&self, query: &SearchQuery<'_>, hits: &[Hit]) -> Vec<SearchFeatures> {
        self.with_ranking(query, |ranking| {
            let of = |(rank, hit): (usize, &Hit)| {
                let place = self.place_of(hit.id);
                let features = place.map(|(at, slot)| ranking.features(at, slot, query));
                SearchFeatures {
                    score: hit.score,
                    strength: hit.strength,
                    rank: count_as_f32(rank),
                    ..features.unwrap_or_default()
                }
            };
            hits.iter().enumerate().map(of).collect()
        })
    }
}

const fn mark(is_so: bool) -> f32 {
    if is_so { 1.0 } else { 0.0 }
}

impl Ranking<'_> {
    fn features(&self, at: u32, slot: &DocumentSlot, query: &SearchQuery<'_>) -> SearchFeatures {
        let before = self.index.slot(slot.previous).filter(|before| before.asks);
        let question = before.map_or(NOWHERE, |_| slot.previous);
        let time = self.question.time.as_ref();
        SearchFeatures {
            words: self.lexical.words(at),
            words_share: self.lexical.words_share(at),
            own: self.lexical.own(at),
            covered: self.lexical.covered(at),
            siblings: self.lexical.siblings_share(at, slot.message),
            stretch: self.lexical.stretch(slot.stretch),
            answers: self.lexical.words_share(question),
            answers_meaning: self.meaning(question),
            asks: mark(slot.asks),
            tells_time: mark(slot.tells_time),
            asks_when: mark(self.question.asks_when),
            date: time.map_or(0.0, |time| time.closeness(slot.day)),
            wish: mark(slot.wishes && self.question.asker == Some(slot.speaker)),
            wanted_speaker: mark(self.question.speaker == Some(slot.speaker)),
            agent: mark(slot.role == SpeakerRole::Agent),
            meaning: self.meaning(at),
            meaning_before: self.meaning_beside(at, slot.previous),
            meaning_after: self.meaning_beside(at, slot.next),
            message_meaning: self.messages.get(slot.message as usize).copied().unwrap_or(0.0),
            shortness: self.shortness,
            age_days: age_days(slot, query),
            length: count_as_f32(slot.length as usize),
            ..SearchFeatures::default()
        }
    }
}

/// Whole days between the day of a passage and the present.
fn age_days(slot: &DocumentSlot, query: &SearchQuery<'_>) -> f32 {
    let days = Day::of(query.now).number.saturating_sub(slot.day.number);
    count_as_f32(usize::try_from(days).unwrap_or(0))
}
