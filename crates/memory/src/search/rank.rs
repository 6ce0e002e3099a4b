//! The formula: how well each document fits a question, and whether it fits at all.
//!
//! A weighted sum. Of the words: BM25 of the document; the share of the question's words that it or its neighbours hold;
//! the score of the question that it may be the answer to; BM25 of the stretch of conversation. Of what is known about
//! it: who spoke, which day, whether it tells a time. Of its meaning: the angle to the question above the mean angle.
//! The weights are fixed; they were chosen on one half of a public set of conversations and checked on the other.

use super::{
    HITS_MAX, Hit, QueryKind, SearchQuery,
    index::{DocumentSlot, Index, NOWHERE, SlotState},
    lexical::LexicalScores,
    question::Question,
    shortlist::CLOSE_MAX,
    strength::{MatchFit, STRENGTH_MIN},
    vectors::{Similarities, VectorKind},
};

/// First hits by which it is judged whether a conversation holds an answer at all.
const JUDGED: usize = 10;

/// Of documents that stand alone, what share of the best one's strength another must have: a fact with one of two asked
/// words is nothing beside the one with both.
const BESIDE_BEST: f32 = 0.65;

/// Up to how many documents all of them are ranked. Among more, where no meanings are compared, only those that hold a word of
/// the question or stand beside one that does, and so many of those that its time means: the others could not come first, and
/// a question costs about the same in a long life as in a short one.
const ALL_RANKED_MAX: usize = 8_192;

/// What each part of the formula counts.
#[derive(Clone, Copy, Debug)]
struct Weights {
    words: f32,
    window: f32,
    answers: f32,
    stretch: f32,
    speaker: f32,
    date: f32,
    answers_when: f32,
    tells_time: f32,
    asks: f32,
    meaning: f32,
    meaning_near: f32,
    meaning_answers: f32,
}

/// Words alone.
const LEXICAL: Weights = Weights {
    words: 0.2,
    window: 3.0,
    answers: 2.0,
    stretch: 2.0,
    speaker: 2.5,
    date: 4.0,
    answers_when: 2.0,
    tells_time: 0.5,
    asks: -0.75,
    meaning: 0.0,
    meaning_near: 0.0,
    meaning_answers: 0.0,
};
/// With vectors of a table of words.
const STATIC: Weights =
    Weights { answers: 1.0, meaning: 3.0, meaning_near: 1.5, meaning_answers: 2.0, ..LEXICAL };
/// With vectors of a model that reads whole texts.
const CONTEXTUAL: Weights = Weights { answers: 1.5, meaning: 5.0, meaning_near: 1.5, ..LEXICAL };

impl Index {
    /// Finds the documents that a question is about, best first; none where even the best is below [`STRENGTH_MIN`]. Where
    /// one is not, those of a conversation that are weaker stay in their places, since an answer often shares no word with
    /// its question; documents that stand alone are left out.
    pub fn search(&self, query: &SearchQuery<'_>) -> Vec<Hit> {
        self.search_among(query, &|_| true)
    }

    /// The same among the documents of these identifiers: all others are as if they were not there, but for how rare
    /// words are.
    pub fn search_among(
        &self,
        query: &SearchQuery<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> Vec<Hit> {
        let mut hits = self.nearest_among(query, is_among);
        let is_strong = |hit: &Hit| hit.strength >= STRENGTH_MIN;
        match query.kind {
            QueryKind::Plain => {
                let best = hits.iter().map(|hit| hit.strength).fold(0.0, f32::max);
                hits.retain(|hit| is_strong(hit) && hit.strength >= BESIDE_BEST * best);
            }
            QueryKind::Conversation if hits.iter().take(JUDGED).any(is_strong) => {}
            QueryKind::Conversation => hits.clear(),
        }
        hits
    }

    /// Ranks the documents for a question, best first, however weak they are; in a long memory those with a bearing on its
    /// words.
    pub fn nearest(&self, query: &SearchQuery<'_>) -> Vec<Hit> {
        self.nearest_among(query, &|_| true)
    }

    /// The same among the documents of these identifiers.
    pub fn nearest_among(
        &self,
        query: &SearchQuery<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> Vec<Hit> {
        let question = Question::read(query, &self.speakers);
        let lexical = LexicalScores::of(self, &question, query.kind);
        let similarities = query.vector.and_then(|vector| self.vectors.similarities(vector));
        let ranking = Ranking {
            index: self,
            weights: weights(self, similarities.is_some()),
            kind: query.kind,
            question: &question,
            lexical: &lexical,
            similarities: similarities.as_ref(),
        };
        let scored = if similarities.is_none() && self.slots.len() > ALL_RANKED_MAX {
            let promising = ranking.promising().filter_map(|at| Some((at, self.slot(at)?)));
            ranking.scored(promising.filter(|(_, slot)| is_among(slot.id)))
        } else {
            ranking.scored((0..).zip(&self.slots).filter(|(_, slot)| is_among(slot.id)))
        };
        let best = best(scored, query.limit.min(HITS_MAX));
        best.into_iter().filter_map(|(score, at)| ranking.hit(score, at)).collect()
    }
}

fn weights(index: &Index, dense: bool) -> Weights {
    match index.vectors.kind {
        _ if !dense => LEXICAL,
        VectorKind::Static => STATIC,
        VectorKind::Contextual => CONTEXTUAL,
    }
}

/// The best in order; of equals the one that came first.
fn best(mut scored: Vec<(f32, u32)>, limit: usize) -> Vec<(f32, u32)> {
    let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if scored.len() > limit && limit > 0 {
        scored.select_nth_unstable_by(limit - 1, order);
    }
    scored.truncate(limit);
    scored.sort_unstable_by(order);
    scored
}

/// Everything that a score is made of.
struct Ranking<'a> {
    index: &'a Index,
    weights: Weights,
    kind: QueryKind,
    question: &'a Question,
    lexical: &'a LexicalScores,
    similarities: Option<&'a Similarities>,
}

impl Ranking<'_> {
    /// Of a long memory, the documents that could come first, each once.
    fn promising(&self) -> impl Iterator<Item = u32> {
        let of_time = self.question.time.as_ref().map(|time| {
            let others = self.index.days.meant(time).filter(|at| !self.lexical.is_marked(*at));
            others.take(CLOSE_MAX)
        });
        self.lexical.marked().chain(of_time.into_iter().flatten())
    }

    /// The score of each document that is still there.
    fn scored<'s>(&self, slots: impl Iterator<Item = (u32, &'s DocumentSlot)>) -> Vec<(f32, u32)> {
        let alive = slots.filter(|(_, slot)| slot.state == SlotState::Alive);
        alive.map(|(at, slot)| (self.score(at, slot), at)).collect()
    }

    /// One document as a hit.
    fn hit(&self, score: f32, at: u32) -> Option<Hit> {
        let slot = self.index.slot(at)?;
        let cosine = self.similarities.and_then(|similarities| similarities.cosine(at as usize));
        let fit = MatchFit {
            shares: self.lexical.shares(at),
            cosine,
            is_of_speaker: self.question.named.is_none_or(|speaker| speaker == slot.speaker)
                || self.lexical.is_about_speaker(at),
            is_of_time: self
                .question
                .time
                .as_ref()
                .is_some_and(|time| time.closeness(slot.day) >= 0.5),
        };
        Some(Hit {
            id: slot.id,
            score,
            strength: match self.kind {
                QueryKind::Conversation => fit.strength(),
                QueryKind::Plain => fit.strength_alone(),
            },
            lexical: self.lexical.words(at) > 0.0,
            dense: cosine.is_some(),
        })
    }

    /// The weighted sum.
    fn score(&self, at: u32, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        let own = weights.words * self.lexical.words(at)
            + weights.window * self.lexical.covered(at)
            + weights.meaning * self.meaning(at);
        match self.kind {
            QueryKind::Plain => own,
            QueryKind::Conversation => own + self.around(slot) + self.circumstances(slot),
        }
    }

    /// What the documents around it add.
    fn around(&self, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        let mut score = weights.stretch * self.lexical.stretch(slot.stretch)
            + weights.meaning_near * (self.meaning(slot.previous) + self.meaning(slot.next));
        if self.index.slots.get(slot.previous as usize).is_some_and(|before| before.asks) {
            score += weights.answers * self.lexical.words_share(slot.previous)
                + weights.meaning_answers * self.meaning(slot.previous);
        }
        score
    }

    /// What is known about it beside its words.
    fn circumstances(&self, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        let question = self.question;
        let mut score = 0.0;
        if question.speaker == Some(slot.speaker) {
            score += weights.speaker;
        }
        if let Some(time) = &question.time {
            score += weights.date * time.closeness(slot.day);
        }
        if slot.tells_time {
            score += weights.tells_time;
            score += if question.asks_when { weights.answers_when } else { 0.0 };
        }
        if slot.asks { score + weights.asks } else { score }
    }

    fn meaning(&self, at: u32) -> f32 {
        if at == NOWHERE {
            return 0.0;
        }
        self.similarities.map_or(0.0, |similarities| similarities.above_mean(at as usize))
    }
}
