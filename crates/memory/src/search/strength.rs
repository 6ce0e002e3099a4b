//! Whether a document is a real match, in a measure that can be compared between questions.
//!
//! Scores cannot: they only order the documents for one question, and even a question about nothing has a first. What
//! counts here are shares: of the question's words, by their weights, that the document holds, and that it or its
//! neighbours hold; and the angle of the meanings, where there are vectors. The words of another than the person asked
//! about count little, and words that only say when are met by the day.

use super::lexical::WordShares;

/// Below this strength nothing is taken for found.
///
/// Chosen so that more than nine in ten questions that one half of a public set of conversations answers stay above, with
/// vectors and without. Of questions that belong to another conversation of the set, three in five fall below by words
/// alone and three in four with vectors. A higher limit would lose answers faster than it loses false matches.
pub const STRENGTH_MIN: f32 = 0.34;

/// Of the words' share, what the document holds itself; the rest is for what its neighbours hold.
const OWN_SHARE: f32 = 0.7;
/// What words and angles of a document count that another said.
const OTHERS_SHARE: f32 = 0.2;
/// What the words' share gains in a document that stands alone: one of four is enough, since a fact says one thing in few
/// words, and of facts there are few that could hold a word by chance.
const ALONE_GAIN: f32 = 1.4;

/// How a document fits a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchFit {
    /// What of the question's words it holds.
    pub(super) shares: WordShares,
    /// The cosine of the meanings.
    pub(super) cosine: Option<f32>,
    /// It was said by the one whom the question names, or names that one; or the question names nobody.
    pub(super) is_of_speaker: bool,
    /// It was said when the question means.
    pub(super) is_of_time: bool,
}

impl MatchFit {
    /// Of a passage among others, from 0 to 1.
    pub(super) fn strength(self) -> f32 {
        let timed = if self.is_of_time { self.shares.when } else { 0.0 };
        let whose = if self.is_of_speaker { 1.0 } else { OTHERS_SHARE };
        let held = (self.shares.held + timed).min(1.0) * whose;
        let covered = (self.shares.covered + timed).min(1.0);
        let words = OWN_SHARE * held + (1.0 - OWN_SHARE) * covered;
        self.with_meaning(words, whose)
    }

    /// Of a document that stands alone, from 0 to 1.
    pub(super) fn strength_alone(self) -> f32 {
        self.with_meaning((ALONE_GAIN * self.shares.held).min(1.0), 1.0)
    }

    fn with_meaning(self, words: f32, whose: f32) -> f32 {
        let meaning = self.cosine.map_or(words, |cosine| cosine.max(0.0) * whose);
        f32::midpoint(words, meaning).clamp(0.0, 1.0)
    }
}
