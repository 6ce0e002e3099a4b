//! Distilling: what a sleep makes of the exchanges since the last one (decision 22).
//!
//! A [`Distiller`] is given [`DistillInput`] and says what it found, or that it ran and found nothing, or that it failed: the
//! three are never mixed up, because only a step that did not fail may be followed by forgetting. It writes nothing. What
//! may be a source is decided here and not by whoever distils: people's own words are, recalled text, tool output and
//! what the keeper itself says are not (BC-29). The engine asks while the agent's lane rests.
//!
//! Reading order: here the roles; [`own_words`] (what of a message its sender said); `sentence` and `rules` (facts without a model);
//! `support` (whether a claim rests on what was said); `reconcile` (duplicates, contradictions).

use std::{fmt, sync::Arc};

use abide_domain::{EpochId, FactId, Timestamp, envelope::Channel, event::UsageRecord};
use futures_util::future::BoxFuture;

use crate::Fact;

mod meaning;
mod own_words;
mod reconcile;
mod rules;
mod sentence;
mod support;

pub use meaning::{MeaningDoubt, SaidWords, check_meaning};
pub use own_words::own_words;
pub(crate) use reconcile::SLOT_TAG;
pub use reconcile::{FactReconciliation, TakenBack, reconcile_facts};
pub use rules::RuleDistiller;
pub(crate) use rules::claims_of;
pub use support::{held_by, is_said_in, is_supported, said_in};

/// Longest dream, in Unicode scalar values.
pub const DREAM_CHARS_MAX: usize = 12_000;
/// Longest title of a dream, in Unicode scalar values.
pub const DREAM_TITLE_CHARS_MAX: usize = 120;
/// Most facts that one part of a sleep may give: more is junk (one mind was seen to give 97 of 100 for nothing).
pub const FACTS_A_PART_MAX: usize = 64;

/// Senders that are no people, beside those of the channel `system`.
const SYSTEM_SENDERS: &[&str] = &[
    "alertmanager",
    "boot",
    "cron",
    "heartbeat",
    "keeper",
    "scheduler",
    "system",
    "tickle-1",
    "timer",
    "tool",
    "watchdog",
];

/// One committed exchange, as it is distilled.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The epoch in which it was said.
    pub epoch: EpochId,
    /// The session that it belongs to.
    pub session: Arc<str>,
    /// Who spoke to the agent.
    pub sender: String,
    /// The channel over which it was said.
    pub channel: Channel,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// What was said to the agent.
    pub stimulus: Arc<str>,
    /// What the agent answered.
    pub reply: Arc<str>,
    /// Whether the agent had text before it that no person vouches for: then its reply is no source of anything.
    pub untrusted: bool,
    /// Whether another agent said it.
    pub from_agent: bool,
}

impl Passage {
    /// Whether a person said it: only then can it be the source of a fact.
    pub fn is_of_person(&self) -> bool {
        self.channel != Channel::System
            && !self.from_agent
            && !SYSTEM_SENDERS.contains(&self.sender.as_str())
    }
}

/// What is distilled: exchanges, and what stands already.
#[derive(Clone, Debug)]
pub struct DistillInput {
    /// The agent's display name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// The identity in force.
    pub identity: Arc<str>,
    /// The exchanges of this part, oldest first.
    pub passages: Arc<[Passage]>,
    /// The facts in force, newest first.
    pub known: Arc<[Fact]>,
    /// What this sleep has learnt, for the steps after the facts.
    pub learnt: Vec<String>,
    /// What was taken back, by subject and attribute (`nicolas/home`): it is not to be stated again.
    pub taken_back: Vec<String>,
    /// The time at which the sleep runs.
    pub now: Timestamp,
}

/// The answer of a distiller, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct DistillAnswer<T> {
    /// What was answered, or why nothing was.
    pub outcome: DistillOutcome<T>,
    /// What it cost, where something was asked.
    pub usage: Option<UsageRecord>,
}

/// What a step came to. Absence is not evidence: the four never share a value.
#[derive(Clone, Debug, PartialEq)]
pub enum DistillOutcome<T> {
    /// It ran and found this.
    Found(T),
    /// It ran, and there is nothing.
    Empty,
    /// It needs a model, and there is none.
    Skipped(String),
    /// No usable answer came.
    Failed(String),
}

impl<T> DistillAnswer<T> {
    /// An answer without a call that costs anything.
    pub const fn free(outcome: DistillOutcome<T>) -> Self {
        Self { outcome, usage: None }
    }
}

/// A fact that was found, before it is held against what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundFact {
    /// The statement, one sentence.
    pub content: String,
    /// What it is about.
    pub category: FactCategory,
    /// Free words to find it by.
    pub tags: Vec<String>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// The subject and the attribute of which there is one value at a time, such as `nicolas/home`.
    pub slot: Option<String>,
    /// The fact that it takes the place of, where that was said.
    pub replaces: Option<FactId>,
    /// The epochs in which it was said, oldest first.
    pub sources: Vec<EpochId>,
    /// The sender of the words that it rests on.
    pub told_by: String,
    /// When it was said.
    pub said_at: Timestamp,
    /// Whether the agent had text before it that no person vouches for.
    pub untrusted: bool,
    /// Why it waits for a person, where it could not be held against what was said.
    pub doubt: Option<FactDoubt>,
}

/// Why a fact waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactDoubt {
    /// What is the matter.
    pub reason: MeaningDoubt,
    /// What was said.
    pub said: String,
}

/// What a fact is about (decision 22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactCategory {
    /// About a person.
    User,
    /// What is worked on.
    Project,
    /// About anything else.
    World,
}

impl FactCategory {
    /// The word in the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::World => "world",
        }
    }

    /// The category of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::User, Self::Project, Self::World].into_iter().find(|known| known.as_str() == word)
    }
}

/// A dream that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDream {
    /// Its title, one line.
    pub title: String,
    /// Markdown below the title.
    pub text: String,
}

/// The role of what distils. It is asked in the keeper; asking again is always allowed.
pub trait Distiller: Send + Sync + fmt::Debug {
    /// `rules`, or `model <name>`.
    fn name(&self) -> String;

    /// Whether it asks something that costs money.
    fn is_paid(&self) -> bool;

    /// What people said that is worth knowing later.
    fn facts<'a>(
        &'a self,
        material: &'a DistillInput,
    ) -> BoxFuture<'a, DistillAnswer<Vec<FoundFact>>>;

    /// The identity document as it should be now, whole.
    fn identity<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<String>>;

    /// What it all may mean.
    fn dream<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<FoundDream>>;
}
