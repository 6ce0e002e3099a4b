//! Evidence: an agent's events as peers see them, and the explicit entries of agents and people.
//!
//! An entry is either explicit ([`crate::event::EvidenceRecorded`], checked by [`EvidenceDraft::from_json`]) or read out of a
//! line of the ledger by [`entry_from_line`]. Nothing is stored for the second kind. It is never read out of what the
//! keeper does to an agent: a stimulus, a restart, a time-out, a heartbeat, a page is nobody's evidence (decision 38).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use crate::{EntityName, IdSource, Timestamp};

mod check;
mod query;
mod view;

pub use crate::reserved::{WATCHDOG, is_reserved_name};
pub use check::{EvidenceDraft, EvidenceError, EvidenceRules};
pub use query::{EVIDENCE_LIMIT_DEFAULT, EVIDENCE_LIMIT_MAX, EvidenceQuery};
pub use view::{Line, Signals, entry_from_line, is_sign_of_life, signals};

/// Longest id of an entry, in bytes.
pub const EVIDENCE_ID_BYTES_MAX: usize = 128;
/// Longest type of a subject, in bytes.
pub const SUBJECT_TYPE_BYTES_MAX: usize = 64;
/// Longest id of a subject, a pattern or a session, in Unicode scalar values.
pub const REFERENCE_CHARS_MAX: usize = 512;
/// Longest body of an entry, as JSON, in bytes.
pub const EVIDENCE_BODY_BYTES_MAX: usize = 64 * 1024;
/// Tags of an entry.
pub const TAGS_MAX: usize = 32;
/// Longest tag, in Unicode scalar values.
pub const TAG_CHARS_MAX: usize = 64;

/// What ids of entries that are read out of the ledger begin with; a number follows.
const LINE_PREFIX: &str = "seq-";

/// An entry of evidence, as the API shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceEntry {
    /// Its id.
    pub id: EvidenceId,
    /// What it is about.
    pub subject: Subject,
    /// What kind of evidence it is.
    pub kind: EvidenceType,
    /// What kind of claim it makes.
    pub claim_type: ClaimType,
    /// Whose it is.
    pub author: EntityName,
    /// When it was so.
    pub at: Timestamp,
    /// What it says; data, not instruction.
    pub body: Value,
    /// Keywords.
    pub tags: Vec<String>,
    /// The pattern that it belongs to.
    pub pattern_id: Option<String>,
    /// The session that it belongs to.
    pub session_id: Option<String>,
    /// The entry that it answers.
    pub in_reply_to: Option<EvidenceId>,
    /// The entry that it departs from.
    pub fork_of: Option<EvidenceId>,
    /// Whether it is a guess.
    pub conjecture: bool,
    /// Whether it is shown only to those who ask for such entries.
    pub ephemeral: bool,
}

impl EvidenceEntry {
    /// The entry with the specification's field names; what is not set is left out, the two flags excepted.
    pub fn to_json(&self) -> Value {
        let text = |text: &dyn fmt::Display| Value::String(text.to_string());
        let subject = Map::from_iter([
            ("ref/type".to_owned(), text(&self.subject.ref_type)),
            ("ref/id".to_owned(), text(&self.subject.ref_id)),
        ]);
        let mut json = Map::from_iter([
            ("id".to_owned(), text(&self.id)),
            ("subject".to_owned(), Value::Object(subject)),
            ("type".to_owned(), text(&self.kind)),
            ("claim-type".to_owned(), text(&self.claim_type)),
            ("author".to_owned(), text(&self.author.bare())),
            ("at".to_owned(), text(&self.at)),
            ("body".to_owned(), self.body.clone()),
            ("tags".to_owned(), self.tags.iter().map(|tag| text(tag)).collect()),
        ]);
        let mut set = |key: &str, value: Option<&dyn fmt::Display>| {
            if let Some(value) = value {
                json.insert(key.into(), text(value));
            }
        };
        set("pattern-id", self.pattern_id.as_ref().map(|id| id as _));
        set("session-id", self.session_id.as_ref().map(|id| id as _));
        set("in-reply-to", self.in_reply_to.as_ref().map(|id| id as _));
        set("fork-of", self.fork_of.as_ref().map(|id| id as _));
        json.insert("conjecture?".into(), Value::Bool(self.conjecture));
        json.insert("ephemeral?".into(), Value::Bool(self.ephemeral));
        Value::Object(json)
    }
}

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The kind of thing, such as `agent`, `epoch` or `session`.
    pub ref_type: String,
    /// Which one.
    pub ref_id: String,
}

impl Subject {
    /// A subject.
    pub fn new(ref_type: impl Into<String>, ref_id: impl Into<String>) -> Self {
        Self { ref_type: ref_type.into(), ref_id: ref_id.into() }
    }
}

/// The id of an entry: 1 to 128 of letters, digits, `.`, `_`, `:` and `-`. `seq-<n>` is the view of the ledger's line `n`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(String);

/// The text is not a valid id of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 128 characters of letters, digits, `.`, `_`, `:` or `-`")]
pub struct EvidenceIdError;

impl EvidenceId {
    /// A new id for an explicit entry.
    pub fn new(ids: &dyn IdSource, now: Timestamp) -> Self {
        Self(ids.uuid(now).to_string())
    }

    /// The id of what is read out of a line of the ledger.
    pub fn of_line(seq: u64) -> Self {
        Self(format!("{LINE_PREFIX}{seq}"))
    }

    /// The line that it is read out of, if it is.
    pub fn line(&self) -> Option<u64> {
        self.0.strip_prefix(LINE_PREFIX)?.parse().ok()
    }

    /// Whether no explicit entry may have it.
    pub fn is_reserved(&self) -> bool {
        self.0.starts_with(LINE_PREFIX)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EvidenceId {
    type Err = EvidenceIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_sound = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let fits = !text.is_empty() && text.len() <= EVIDENCE_ID_BYTES_MAX;
        if fits && text.bytes().all(is_sound) {
            Ok(Self(text.into()))
        } else {
            Err(EvidenceIdError)
        }
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for EvidenceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for EvidenceId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Declares a closed set of names.
macro_rules! names {
    ($(#[$doc:meta])* $set:ident { $($(#[$about:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $set {
            $($(#[$about])* #[serde(rename = $name)] $variant,)+
        }

        impl $set {
            /// All of them, as in error texts.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The one of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == name)
            }
        }

        impl fmt::Display for $set {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

names! {
    /// What kind of evidence an entry is.
    EvidenceType {
        /// Who does what, with whom.
        Coordination = "coordination",
        /// A gate was passed.
        GateTraversal = "gate-traversal",
        /// A pattern was chosen.
        PatternSelection = "pattern-selection",
        /// What came of a pattern.
        PatternOutcome = "pattern-outcome",
        /// A look back.
        Reflection = "reflection",
        /// Something said where others read it.
        ForumPost = "forum-post",
        /// A change of mode: asleep, awake.
        ModeTransition = "mode-transition",
        /// Somebody came or went.
        PresenceEvent = "presence-event",
        /// Something said before was wrong.
        Correction = "correction",
        /// A guess.
        Conjecture = "conjecture",
        /// A question about the store of knowledge, and its answer.
        ArseQa = "arse-qa",
        /// Something is remembered.
        Memory = "memory",
    }
}

names! {
    /// What kind of claim an entry makes.
    ClaimType {
        /// What is aimed at.
        Goal = "goal",
        /// What was done.
        Step = "step",
        /// What speaks for something.
        Evidence = "evidence",
        /// What follows.
        Conclusion = "conclusion",
        /// What is asked.
        Question = "question",
        /// What was seen.
        Observation = "observation",
        /// What pulls two ways.
        Tension = "tension",
        /// What is taken back.
        Correction = "correction",
        /// What is guessed.
        Conjecture = "conjecture",
    }
}

#[cfg(test)]
mod tests {
    use super::EvidenceId;

    #[test]
    fn ids_of_lines_and_of_entries_do_not_meet() {
        assert_eq!(EvidenceId::of_line(42).line(), Some(42));
        let id: EvidenceId = "e-1:a.b_C".parse().unwrap();
        assert!(id.line().is_none() && !id.is_reserved());
        assert!("seq-x".parse::<EvidenceId>().is_ok_and(|id| id.is_reserved()));
        for text in ["", "a b", "ä", "a/b", &"a".repeat(129)] {
            assert!(text.parse::<EvidenceId>().is_err(), "{text}");
        }
    }
}
