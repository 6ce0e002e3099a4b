//! The formula: how well each message fits a question by its best passage, and whether it fits at all.
//!
//! A weighted sum for each passage. Of its words: BM25; the share of the question's words that it holds, or it and its
//! neighbours; the score of the question that it may be the answer to; BM25 of the stretch of conversation. Of what is known
//! about it: which day, whether it tells a time or a wish. Of its meaning: the angle to the question above the mean angle.
//! Short messages live from what stands around them, long ones do not: the mean length of messages decides how much of each
//! counts, and nothing else about lengths is in the formula but that each role has its own scale (`roles`). Who spoke counts
//! last, so that no scale takes it back. The weights are fixed; they were chosen on one half of a public set of conversations
//! between friends and on kinds of talk that the benchmark makes, and checked on the other half and on other seeds.

use super::{
    HITS_MAX, Hit, QueryKind, SearchQuery,
    index::{DocumentSlot, Index, NOWHERE, SlotState},
    lexical::LexicalScores,
    question::Question,
    roles::{RoleScale, SpeakerRole},
    shortlist::CLOSE_MAX,
    strength::{MatchFit, STRENGTH_MIN},
    vectors::{Similarities, VectorKind},
};

/// First hits by which it is judged whether a conversation holds an answer at all.
const JUDGED: usize = 10;

/// Of documents that stand alone, what share of the best one's strength another must have: a fact with one of two asked
/// words is nothing beside the one with both.
const BESIDE_BEST: f32 = 0.65;

/// What BM25 counts of a document that stands alone.
const PLAIN_WORDS: f32 = 0.2;

/// Up to how many documents all of them are ranked. Among more, where no meanings are compared, only those that hold a word of
/// the question or stand beside one that does, and so many of those that its time means: the others could not come first, and
/// a question costs about the same in a long life as in a short one.
const ALL_RANKED_MAX: usize = 8_192;

/// What each part of the formula counts.
#[derive(Clone, Copy, Debug)]
struct Weights {
    /// BM25 of the passage as it is.
    words: f32,
    /// Of a passage among long messages: BM25 by the weight of the question's words.
    long_words: f32,
    /// The share of the question's words that it holds.
    long_own: f32,
    /// BM25 of the other passages of its message.
    long_siblings: f32,
    /// The angle of its whole message.
    long_message: f32,
    /// Of a passage among short messages: the share that it or its neighbours hold.
    window: f32,
    answers: f32,
    stretch: f32,
    answers_when: f32,
    tells_time: f32,
    asks: f32,
    meaning_near: f32,
    meaning_answers: f32,
    /// Of any passage: the angle of its meaning, the day, a wish of the one who asks.
    meaning: f32,
    date: f32,
    wish: f32,
    /// The message is of the speaker whose words are wanted.
    speaker: f32,
    /// It is the agent's: what an agent says of a matter follows from what it was told.
    agent: f32,
}

/// Words alone.
const LEXICAL: Weights = Weights {
    words: 0.2,
    long_words: 1.0,
    long_own: 1.5,
    long_siblings: 0.5,
    long_message: 0.0,
    window: 3.0,
    answers: 2.0,
    stretch: 2.0,
    answers_when: 2.0,
    tells_time: 0.5,
    asks: -0.75,
    meaning_near: 0.0,
    meaning_answers: 0.0,
    meaning: 0.0,
    date: 4.0,
    wish: 0.75,
    speaker: 2.5,
    agent: -0.5,
};
/// With vectors of a table of words.
const STATIC: Weights = Weights {
    answers: 1.0,
    long_message: 3.0,
    meaning: 3.0,
    meaning_near: 1.5,
    meaning_answers: 2.0,
    ..LEXICAL
};
/// With vectors of a model that reads whole texts.
const CONTEXTUAL: Weights =
    Weights { answers: 1.5, long_message: 3.0, meaning: 5.0, meaning_near: 1.5, ..LEXICAL };

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
    /// words. Of a conversation each message stands there once, as its best passage.
    pub fn nearest(&self, query: &SearchQuery<'_>) -> Vec<Hit> {
        self.nearest_among(query, &|_| true)
    }

    /// The same among the documents of these identifiers.
    pub fn nearest_among(
        &self,
        query: &SearchQuery<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> Vec<Hit> {
        self.with_ranking(query, |ranking| {
            let slots = self.slots.get(..ranking.end as usize).unwrap_or(&self.slots);
            let is_short = ranking.similarities.is_some() || slots.len() <= ALL_RANKED_MAX;
            let mut scored = if is_short {
                ranking.scored((0..).zip(slots).filter(|(_, slot)| is_among(slot.id)))
            } else {
                let promising = ranking.promising().filter(|at| *at < ranking.end);
                let promising = promising.filter_map(|at| Some((at, self.slot(at)?)));
                ranking.scored(promising.filter(|(_, slot)| is_among(slot.id)))
            };
            if query.kind == QueryKind::Conversation {
                scored = ranking.by_message(scored);
                ranking.weigh_speakers(&mut scored);
            }
            let best = best(scored, query.limit.min(HITS_MAX));
            best.into_iter().filter_map(|(score, at)| ranking.hit(score, at)).collect()
        })
    }

    /// Gathers everything that the scores for a question are made of.
    pub(super) fn with_ranking<R>(
        &self,
        query: &SearchQuery<'_>,
        work: impl FnOnce(&Ranking<'_>) -> R,
    ) -> R {
        let question = Question::read(query, &self.speakers);
        let end = query.before.map_or(NOWHERE, |before| self.slot_of_first(before));
        let lexical = LexicalScores::of(self, &question, (query.kind, end));
        let similarities = query.vector.and_then(|vector| self.vectors.similarities(vector));
        let shortness = self.messages.shortness();
        let messages = similarities
            .as_ref()
            .filter(|_| shortness < 1.0 && query.kind == QueryKind::Conversation)
            .map(|similarities| message_meanings(self, similarities));
        work(&Ranking {
            index: self,
            end,
            weights: weights(self, similarities.is_some()),
            shortness,
            messages: messages.unwrap_or_default(),
            kind: query.kind,
            question: &question,
            lexical: &lexical,
            similarities: similarities.as_ref(),
        })
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
pub(super) struct Ranking<'a> {
    pub(super) index: &'a Index,
    /// The slots before it count.
    end: u32,
    weights: Weights,
    /// How short messages are, from 0 to 1.
    pub(super) shortness: f32,
    kind: QueryKind,
    pub(super) question: &'a Question,
    pub(super) lexical: &'a LexicalScores,
    similarities: Option<&'a Similarities>,
    /// How much more alike whole messages are than the mean; empty where that counts nothing.
    pub(super) messages: Vec<f32>,
}

/// How much more alike each whole message is than the mean, by its number; 0 where it has no vectors.
fn message_meanings(index: &Index, similarities: &Similarities) -> Vec<f32> {
    let mut sums = vec![0.0; index.messages.len()];
    for (at, slot) in index.slots.iter().enumerate() {
        if let Some(sum) = sums.get_mut(slot.message as usize)
            && let Some(cosine) = similarities.cosine(at)
        {
            *sum += slot.weight() * cosine;
        }
    }
    for (number, sum) in (0..).zip(&mut sums) {
        let norm = index.messages.norm(number);
        *sum = if norm > 0.0 { *sum / norm - similarities.mean } else { 0.0 };
    }
    sums
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

    /// The best passage of each message, where a message has more than one.
    fn by_message(&self, scored: Vec<(f32, u32)>) -> Vec<(f32, u32)> {
        let messages = &self.index.messages;
        if messages.are_whole(self.index.slots.len()) {
            return scored;
        }
        let mut places = vec![NOWHERE; messages.len()];
        let mut best: Vec<(f32, u32)> = Vec::new();
        for (score, at) in scored {
            let message = self.index.slot(at).map(|slot| slot.message);
            let place = message.and_then(|message| places.get_mut(message as usize));
            let Some(place) = place else { continue };
            match best.get_mut(*place as usize) {
                Some(known) if score > known.0 => *known = (score, at),
                Some(_) => {}
                None => {
                    *place = u32::try_from(best.len()).unwrap_or(NOWHERE);
                    best.push((score, at));
                }
            }
        }
        best
    }

    /// Brings both roles to one scale and adds what the wanted speaker's messages gain.
    fn weigh_speakers(&self, scored: &mut [(f32, u32)]) {
        let roles =
            scored.iter().filter_map(|(score, at)| Some((self.index.slot(*at)?.role, *score)));
        let scale = RoleScale::of(roles, self.index.messages.by_role());
        for (score, at) in scored {
            let Some(slot) = self.index.slot(*at) else { continue };
            *score = scale.apply(slot.role, *score);
            if self.question.speaker == Some(slot.speaker) {
                *score += self.weights.speaker;
            }
            if slot.role == SpeakerRole::Agent {
                *score += self.weights.agent;
            }
        }
    }

    /// The weighted sum.
    fn score(&self, at: u32, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        match self.kind {
            QueryKind::Plain => {
                PLAIN_WORDS * self.lexical.words(at)
                    + weights.window * self.lexical.covered(at)
                    + weights.meaning * self.meaning(at)
            }
            QueryKind::Conversation => {
                let own = weights.words * self.lexical.words(at)
                    + weights.meaning * self.meaning(at)
                    + self.circumstances(slot);
                let mut score = own + self.shortness * self.around(at, slot);
                if self.shortness < 1.0 {
                    score += (1.0 - self.shortness) * self.alone(at, slot);
                }
                score
            }
        }
    }

    /// What a passage of a long message has by itself.
    fn alone(&self, at: u32, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        weights.long_words * self.lexical.words_share(at)
            + weights.long_own * self.lexical.own(at)
            + weights.long_siblings * self.lexical.siblings_share(at, slot.message)
            + weights.long_message
                * self.messages.get(slot.message as usize).copied().unwrap_or(0.0)
    }

    /// What the documents around one add, and what it is among them.
    fn around(&self, at: u32, slot: &DocumentSlot) -> f32 {
        let weights = &self.weights;
        let mut score = weights.window * self.lexical.covered(at)
            + weights.stretch * self.lexical.stretch(slot.stretch)
            + weights.meaning_near
                * (self.meaning_beside(at, slot.previous) + self.meaning_beside(at, slot.next));
        if self.index.slots.get(slot.previous as usize).is_some_and(|before| before.asks) {
            score += weights.answers * self.lexical.words_share(slot.previous)
                + weights.meaning_answers * self.meaning(slot.previous);
        }
        if slot.tells_time {
            score += weights.tells_time;
            score += if self.question.asks_when { weights.answers_when } else { 0.0 };
        }
        if slot.asks { score + weights.asks } else { score }
    }

    /// What is known about it beside its words.
    fn circumstances(&self, slot: &DocumentSlot) -> f32 {
        let time = self.question.time.as_ref();
        let mut score = time.map_or(0.0, |time| self.weights.date * time.closeness(slot.day));
        if slot.wishes && self.question.asker == Some(slot.speaker) {
            score += self.weights.wish;
        }
        score
    }

    /// The meaning of a document beside another one, as far as it lends it.
    pub(super) fn meaning_beside(&self, at: u32, beside: u32) -> f32 {
        let lender = self.index.slot(beside).filter(|slot| self.index.lends(slot, at));
        lender.map_or(0.0, |_| self.meaning(beside))
    }

    pub(super) fn meaning(&self, at: u32) -> f32 {
        if at == NOWHERE || at >= self.end {
            return 0.0;
        }
        self.similarities.map_or(0.0, |similarities| similarities.above_mean(at as usize))
    }
}
