//! Names and ids, and the source of new ones.
//!
//! Agents and people are named (`felix`, lower case); everything that happens has a UUIDv7, so that ids sort by time.

use std::{borrow::Cow, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

use crate::{Timestamp, borrowed_text::BorrowedText, limits::NAME_BYTES_MAX};

/// A source of new ids: random in the binary, seeded in tests.
pub trait IdSource: Send + Sync + fmt::Debug {
    /// A new UUIDv7 for something that happens at `now`. Never the same twice.
    fn uuid(&self, now: Timestamp) -> Uuid;
}

/// The text is not a valid id of an agent or a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 1 to 64 characters of a-z, 0-9, `.`, `_` or `-`, and begin with a letter or digit"
)]
pub struct IdError;

/// The id of an agent: `[a-z0-9][a-z0-9._-]{0,63}`, stored lower case (decisions 1 and 5).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(Arc<str>);

impl AgentId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The agent as it is named in events: `@felix`.
    pub fn entity(&self) -> EntityName {
        EntityName::agent(self)
    }
}

impl FromStr for AgentId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_name(text).map(|name| Self(name.into()))
    }
}

/// Maps keyed by agents are looked up by text, as events name them.
impl std::borrow::Borrow<str> for AgentId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lower-cases and checks the id of an agent or a person.
pub(crate) fn parse_name(text: &str) -> Result<Cow<'_, str>, IdError> {
    let mut bytes = text.bytes();
    let first_fits = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric());
    let rest_fits = bytes.all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !first_fits || !rest_fits || text.len() > NAME_BYTES_MAX {
        return Err(IdError);
    }
    let is_lower = !text.bytes().any(|b| b.is_ascii_uppercase());
    Ok(if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_ascii_lowercase()) })
}

/// Who an event is about, or who caused it: `@` and a name. `@keeper` is the keeper.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityName(Arc<str>);

impl EntityName {
    /// The keeper: the running `abide up`.
    pub fn keeper() -> Self {
        Self("@keeper".into())
    }

    /// An agent.
    pub fn agent(id: &AgentId) -> Self {
        Self(format!("@{id}").into())
    }

    /// A person or program outside, by its checked id.
    pub fn sender(id: &str) -> Result<Self, IdError> {
        parse_name(id).map(|name| Self(format!("@{name}").into()))
    }

    /// The name with its `@`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without its `@`.
    pub fn bare(&self) -> &str {
        self.0.strip_prefix('@').unwrap_or(&self.0)
    }
}

impl FromStr for EntityName {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match parse_name(text.strip_prefix('@').ok_or(IdError)?)? {
            Cow::Borrowed(_) => Ok(Self(text.into())),
            Cow::Owned(name) => Ok(Self(format!("@{name}").into())),
        }
    }
}

impl fmt::Display for EntityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! text_serde {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let BorrowedText(text) = BorrowedText::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Takes a new id from a source.
            pub fn new(ids: &dyn IdSource, now: Timestamp) -> Self {
                Self(ids.uuid(now))
            }

            /// Wraps an id that was made elsewhere.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bare UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self.0.as_hyphenated(), f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )*};
}

uuid_id! {
    /// The id of an epoch, given when its stimulus is accepted.
    EpochId,
    /// The id of a request for approval.
    ApprovalId,
    /// The id of a fact.
    FactId,
    /// The id of one run of an agent's process.
    RunId,
    /// The id of a checkpoint of an agent's private state.
    CheckpointId,
    /// The id of an agent's proposal to change its own code.
    EvolutionId,
    /// The id of one run of an agent's sleep.
    SleepId,
    /// The id of a version of the identity that waits for a person.
    ProposalId,
    /// The id of a wake.
    WakeId,
    /// The id of something that was said in a space.
    MessageId,
    /// The id of one stall of one agent, from its opening to its end.
    EpisodeId,
    /// The id of one message to a person; attempts to deliver it share it.
    NoticeId,
    /// The id of what a server of tools asks of a person in mid-call.
    QuestionId
}
text_serde!(
    AgentId,
    EntityName,
    EpochId,
    ApprovalId,
    FactId,
    RunId,
    CheckpointId,
    EvolutionId,
    SleepId,
    ProposalId,
    WakeId,
    MessageId,
    EpisodeId,
    NoticeId,
    QuestionId
);

/// The id of a tool call, unique in its epoch: `call_<turn>_<index>`, both from 1.
///
/// The engine numbers calls itself: models repeat ids, or give none. The same id goes to the provider, so results
/// always pair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallId(String);

impl CallId {
    /// The id of the `index`th call (from 1) of a turn.
    pub fn new(turn: u32, index: usize) -> Self {
        Self(format!("call_{turn}_{index}"))
    }

    /// The id of the `index`th call (from 1) that a mind wants to make by itself while it is asked.
    pub fn of_mind(turn: u32, attempt: u32, index: usize) -> Self {
        Self(format!("own_{turn}_{attempt}_{index}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentId, EntityName, IdError};

    #[test]
    fn names_are_lower_cased_and_bounded() {
        assert_eq!("Felix".parse::<AgentId>().map(|a| a.to_string()), Ok("felix".into()));
        assert_eq!(
            "@Ada.2_x-y".parse::<EntityName>().map(|e| e.to_string()),
            Ok("@ada.2_x-y".into())
        );
        for text in ["", "-felix", ".f", "fe lix", "félix", "felix/..", &"a".repeat(65)] {
            assert_eq!(text.parse::<AgentId>(), Err(IdError), "{text}");
        }
    }
}
