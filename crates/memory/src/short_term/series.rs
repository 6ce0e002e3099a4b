//! A series of exchanges in order, with running token sums, so that any stretch of it is measured without a walk.
//!
//! Grows at its end, shrinks at its front; every exchange keeps its ordinal for ever. Knows nothing of texts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// One exchange of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SeriesItem<T> {
    pub(super) item: T,
    /// The sequence of its commit.
    pub(super) seq: u64,
    /// Tokens of the series from its very beginning up to here, this one included.
    pub(super) end_tokens: u64,
}

/// A series of exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ExchangeSeries<T> {
    items: VecDeque<SeriesItem<T>>,
    /// How many have left at the front: the ordinal of the first that is there.
    left: u64,
    /// The tokens of those that have left.
    left_tokens: u64,
}

impl<T> Default for ExchangeSeries<T> {
    fn default() -> Self {
        Self { items: VecDeque::new(), left: 0, left_tokens: 0 }
    }
}

impl<T> ExchangeSeries<T> {
    /// Adds the newest exchange and gives its ordinal.
    pub(super) fn push(&mut self, item: T, tokens: u64, seq: u64) -> u64 {
        let ordinal = self.end_ordinal();
        self.items.push_back(SeriesItem { item, seq, end_tokens: self.end_tokens() + tokens });
        ordinal
    }

    /// Takes the oldest exchange out if it was committed at or before a sequence.
    pub(super) fn pop_through(&mut self, through_seq: u64) -> Option<SeriesItem<T>> {
        if self.items.front()?.seq > through_seq {
            return None;
        }
        let item = self.items.pop_front()?;
        self.left += 1;
        self.left_tokens = item.end_tokens;
        Some(item)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn newest(&self) -> Option<&SeriesItem<T>> {
        self.items.back()
    }

    pub(super) fn get(&self, ordinal: u64) -> Option<&SeriesItem<T>> {
        self.items.get(self.index(ordinal)?)
    }

    pub(super) fn get_mut(&mut self, ordinal: u64) -> Option<&mut SeriesItem<T>> {
        let index = self.index(ordinal)?;
        self.items.get_mut(index)
    }

    /// All exchanges that are there, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut SeriesItem<T>> {
        self.items.iter_mut()
    }

    /// The exchanges from an ordinal on.
    pub(super) fn since(&self, ordinal: u64) -> impl DoubleEndedIterator<Item = &SeriesItem<T>> {
        self.items.range(self.clamped(ordinal)..)
    }

    pub(super) fn first_ordinal(&self) -> u64 {
        self.left
    }

    /// The ordinal that the next exchange will have.
    pub(super) fn end_ordinal(&self) -> u64 {
        self.left + self.items.len() as u64
    }

    /// The tokens of all that are there.
    pub(super) fn tokens(&self) -> u64 {
        self.end_tokens() - self.left_tokens
    }

    /// The tokens of those from an ordinal on.
    pub(super) fn tokens_since(&self, ordinal: u64) -> u64 {
        self.end_tokens() - self.begin_tokens(self.clamped(ordinal))
    }

    /// The tokens of one of them.
    pub(super) fn tokens_of(&self, ordinal: u64) -> u64 {
        self.tokens_since(ordinal) - self.tokens_since(ordinal + 1)
    }

    /// How many were committed at or before a sequence.
    pub(super) fn count_through(&self, through_seq: u64) -> u64 {
        self.items.partition_point(|item| item.seq <= through_seq) as u64
    }

    /// The ordinal of the first exchange that begins at or after that many tokens from the first that is there.
    pub(super) fn first_at(&self, tokens: u64) -> u64 {
        let target = self.left_tokens + tokens;
        // An exchange begins where the one before it ends: the first whose predecessor's end reaches the target.
        let reached = self.items.partition_point(|item| item.end_tokens < target);
        self.left + if tokens == 0 { 0 } else { reached as u64 + 1 }
    }

    fn end_tokens(&self) -> u64 {
        self.items.back().map_or(self.left_tokens, |item| item.end_tokens)
    }

    fn begin_tokens(&self, index: usize) -> u64 {
        let before = index.checked_sub(1).and_then(|index| self.items.get(index));
        before.map_or(self.left_tokens, |item| item.end_tokens)
    }

    fn index(&self, ordinal: u64) -> Option<usize> {
        usize::try_from(ordinal.checked_sub(self.left)?).ok()
    }

    fn clamped(&self, ordinal: u64) -> usize {
        self.index(ordinal).unwrap_or(0).min(self.items.len())
    }
}
