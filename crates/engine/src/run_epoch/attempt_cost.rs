//! What an attempt cost that nobody counted: one that was stopped, paged or ran out of its time, or that failed when its answer
//! had begun.
//!
//! A provider charges for it all the same. What was sent is known and what was written was seen, so that an estimate is far
//! nearer to the truth than nothing, which the budget would take it for.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use abide_domain::{event::UsageRecord, turn::TurnRequest};
use abide_memory::estimate_tokens;

use super::walk::Walk;

/// How many characters of an answer an attempt has shown. Cheap to clone; clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenChars(Arc<AtomicU64>);

impl WrittenChars {
    pub(super) fn add(&self, piece: &str) {
        self.0.fetch_add(piece.chars().count() as u64, Ordering::Relaxed);
    }

    fn tokens(&self) -> u64 {
        self.0.load(Ordering::Relaxed).div_ceil(4)
    }
}

/// An attempt that may have to be counted here.
#[derive(Debug)]
pub(super) struct AttemptCost {
    input_tokens: u64,
    written: WrittenChars,
}

impl AttemptCost {
    /// Of an attempt that is about to be made; `tokens` are those of its context and steps.
    pub(super) fn of(request: &TurnRequest, tokens: u64) -> Self {
        let tools = request.tools.iter().map(|tool| {
            estimate_tokens(&tool.description) + estimate_tokens(&tool.parameters.to_string())
        });
        let input_tokens = tokens + tools.sum::<u64>() + estimate_tokens(&request.message);
        Self { input_tokens, written: WrittenChars::default() }
    }

    /// Counts what is shown of its answer.
    pub(super) fn written(&self) -> WrittenChars {
        self.written.clone()
    }

    /// Whether anything of an answer was shown.
    pub(super) fn has_begun(&self) -> bool {
        self.written.tokens() > 0
    }

    /// The estimate, at the mind's price; none where the mind asks no model.
    pub(super) fn estimate(&self, walk: &Walk<'_>) -> Option<UsageRecord> {
        let usage = walk.agent.mind.price(self.input_tokens, self.written.tokens())?;
        Some(UsageRecord::from(usage))
    }
}
