//! How sure an answer is: of what was found, and that nothing is there.
//!
//! Factors are the specification's background (A3): 0.8 for a partial match, 0.9 for what is older than thirty days, 0.9
//! for a conversation without key points.

use std::time::Duration;

use abide_domain::{Timestamp, graph::Node};

use super::{ItemBody, QueryItem};

/// From this strength on all of the question is there.
const WHOLE_STRENGTH_MIN: f64 = 0.9;
/// Memories older than this count less.
const OLD: Duration = Duration::from_hours(30 * 24);

/// What a search compared: how sure "nothing is there" can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchCoverage {
    /// By names and fields, or there was nothing to compare: absence is certain.
    Exact,
    /// By words and by meaning.
    WordsAndMeaning,
    /// By words alone: the same may be there in other words.
    WordsOnly,
}

impl SearchCoverage {
    /// The weaker of two.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::WordsOnly, _) | (_, Self::WordsOnly) => Self::WordsOnly,
            (Self::WordsAndMeaning, _) | (_, Self::WordsAndMeaning) => Self::WordsAndMeaning,
            (Self::Exact, Self::Exact) => Self::Exact,
        }
    }

    /// How sure it is that nothing is there.
    pub(crate) const fn absence(self) -> f64 {
        match self {
            Self::Exact | Self::WordsAndMeaning => 1.0,
            Self::WordsOnly => 0.8,
        }
    }
}

/// How sure it is that an item is what was asked for.
pub(crate) fn item_confidence(item: &QueryItem, now: Timestamp) -> f64 {
    let mut confidence = 1.0;
    if item.strength < WHOLE_STRENGTH_MIN {
        confidence *= 0.8;
    }
    if time_of(item).is_some_and(|time_of| now.since(time_of) > OLD) {
        confidence *= 0.9;
    }
    if item.body.conversation().is_some_and(|memory| memory.key_points.is_empty()) {
        confidence *= 0.9;
    }
    if let ItemBody::Fact(fact) = &item.body {
        confidence *= fact.confidence.clamp(0.0, 1.0);
    }
    confidence
}

/// When it was, for what has a time; partnerships, strategies, files and constraints do not grow old.
fn time_of(item: &QueryItem) -> Option<Timestamp> {
    match &item.body {
        ItemBody::Conversation { memory, .. } => memory.timestamp.or(Some(item.valid_from)),
        ItemBody::EpochEmotion(_) => Some(item.valid_from),
        ItemBody::Node(node) => match node {
            Node::Conversation(memory) => memory.timestamp.or(Some(item.valid_from)),
            Node::Failure(failure) => failure.timestamp.or(Some(item.valid_from)),
            Node::Technical(_) | Node::Emotion(_) => Some(item.valid_from),
            _ => None,
        },
        ItemBody::Fact(_) | ItemBody::Linked { .. } => None,
    }
}
