//! `context.*`: what a mind was shown, by reference. The text is rendered again from these, never stored twice.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{UsageRecord, event_group};
use crate::{EpochId, Sharing, borrowed_text::BorrowedText};

event_group! {
    /// What a mind was shown.
    ContextEvent {
        /// The context object and history of an epoch, as references, token counts and a digest.
        Assembled(ContextAssembled) = "context.assembled" v 2,
    }
}

/// References that give an epoch's context again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextAssembled {
    /// Version of the renderer that made the text.
    pub renderer: u32,
    /// The version of the identity that was shown; 0 where there is none.
    pub identity: u64,
    /// The exchanges that were shown.
    pub history: HistoryWindow,
    /// What the Dreamer found; none in contexts of programs before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    /// The agent's own entries that were shown, in the first epoch after a wake, a restart or a reset (decision 10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnEntries>,
    /// What was shown of what people did with changes of decks that the agent proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deck_notes: Option<DeckNotesShown>,
    /// Who may be told what, as it was set then; none in contexts of programs before it, which told everybody all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<Sharing>,
    /// Estimated tokens by part.
    pub tokens: ContextTokens,
    /// The zone in which times were shown, by its name; none in contexts of renderers before 5, which knew UTC alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The tools that were offered; none in contexts of renderers before 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<OfferedTools>,
    /// SHA-256 over the rendered texts, history and stimulus, hex.
    pub sha256: String,
}

/// The tools that a mind was offered, without their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedTools {
    /// How many.
    pub count: u64,
    /// Their estimated tokens.
    pub tokens: u64,
    /// SHA-256 over names, descriptions and schemas, in their order, hex.
    pub sha256: String,
}

/// The newest entries of an agent's own log up to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnEntries {
    /// The event of the newest one shown.
    pub through_seq: u64,
    /// How many are shown.
    pub entries: u32,
}

/// The newest notes about changes of decks that an agent proposed, up to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckNotesShown {
    /// The event of the newest one shown.
    pub through_seq: u64,
    /// How many are shown.
    pub notes: u32,
}

/// A run of committed epochs, from the oldest shown to the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryWindow {
    /// The oldest exchange shown; none where the history is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<EpochId>,
    /// How many are shown.
    pub epochs: u64,
    /// How many since the last reset did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Estimated tokens by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextTokens {
    /// Of identity, rules and wishes; before renderer 5 of the context object too.
    pub system: u64,
    /// Of the context object.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub object: u64,
    /// Of the history.
    pub history: u64,
    /// Of the stimulus.
    pub stimulus: u64,
}

impl ContextTokens {
    /// Those of all parts.
    pub const fn all(&self) -> u64 {
        self.system + self.object + self.history + self.stimulus
    }
}

/// What the Dreamer found, by reference, lens by lens. A lens that is named nowhere looked and found nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exploration {
    /// What steered it, where that was not the plan: `model <name>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explorer: Option<String>,
    /// How many steps it took.
    pub steps: u32,
    /// How many queries it asked.
    pub queries: u32,
    /// By lens, what was found and shown, the best first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<Lens, Vec<MemoryRef>>,
    /// Lenses that could not look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Lens>,
    /// Lenses that had no lead, or for which no time was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Lens>,
    /// What the steering cost, where a model steered; in the first context of an epoch only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageRecord>,
}

impl Exploration {
    /// The lenses that looked and found nothing.
    pub fn empty(&self) -> impl Iterator<Item = Lens> {
        let is_named = |lens: &Lens| {
            self.found.contains_key(lens)
                || self.failed.contains(lens)
                || self.skipped.contains(lens)
        };
        Lens::ALL.into_iter().filter(move |lens| !is_named(lens))
    }
}

/// A way to look at the past, each with one of the eight queries; in the order of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lens {
    /// Who speaks: `query_partnerships`.
    Relational,
    /// What was said: `query_conversations`.
    Historical,
    /// What it is about: `query_technical_context`.
    Technical,
    /// How it felt: `query_emotional_state`.
    Emotional,
    /// What works: `query_strategy_patterns`.
    Strategic,
    /// What did not work: `query_failed_attempts`.
    Experiential,
    /// What binds: `query_active_constraints`.
    Constraint,
    /// What hangs together: `query_related_code`.
    Connective,
}

impl Lens {
    /// All, in the order of the plan.
    pub const ALL: [Self; 8] = [
        Self::Relational,
        Self::Historical,
        Self::Technical,
        Self::Emotional,
        Self::Strategic,
        Self::Experiential,
        Self::Constraint,
        Self::Connective,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Historical => "historical",
            Self::Technical => "technical",
            Self::Emotional => "emotional",
            Self::Strategic => "strategic",
            Self::Experiential => "experiential",
            Self::Constraint => "constraint",
            Self::Connective => "connective",
        }
    }
}

/// Something that is remembered, named by the line that it stems from. Written `n12`, `f7`, `c991/0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryRef {
    /// A version of a node: the sequence of its `memory.node_recorded`.
    Node {
        /// The sequence.
        seq: u64,
    },
    /// A fact: the sequence of the `memory.fact_remembered` that first told it.
    Fact {
        /// The sequence.
        seq: u64,
    },
    /// A passage of an exchange: the sequence of its `epoch.committed`, and which passage of it, from 0.
    Passage {
        /// The sequence.
        seq: u64,
        /// Which passage.
        part: u32,
    },
}

/// The text is no reference to a memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be n<seq>, f<seq> or c<seq>/<part>")]
pub struct MemoryRefError;

impl fmt::Display for MemoryRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node { seq } => write!(f, "n{seq}"),
            Self::Fact { seq } => write!(f, "f{seq}"),
            Self::Passage { seq, part } => write!(f, "c{seq}/{part}"),
        }
    }
}

impl FromStr for MemoryRef {
    type Err = MemoryRefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |digits: &str| digits.parse().map_err(|_| MemoryRefError);
        if let Some(digits) = text.strip_prefix('n') {
            return Ok(Self::Node { seq: number(digits)? });
        }
        if let Some(digits) = text.strip_prefix('f') {
            return Ok(Self::Fact { seq: number(digits)? });
        }
        let (digits, part) =
            text.strip_prefix('c').and_then(|rest| rest.split_once('/')).ok_or(MemoryRefError)?;
        Ok(Self::Passage { seq: number(digits)?, part: part.parse().map_err(|_| MemoryRefError)? })
    }
}

impl Serialize for MemoryRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemoryRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BorrowedText(text) = BorrowedText::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
