//! What of an agent can change, by its names in frames, routes and events.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a proposal would replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EvolutionTarget {
    /// In which order found passages stand.
    MemorySystem,
    /// Tools that the agent made itself.
    ToolFramework,
    /// Commands that the agent made itself.
    Dsl,
    /// The model, its voice, an identity text, settings.
    Mind,
}

/// A target that there is none of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown target `{0}`; there are memory_system, tool_framework, dsl and mind")]
pub struct UnknownTargetError(pub String);

impl EvolutionTarget {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MemorySystem, Self::ToolFramework, Self::Dsl, Self::Mind];

    /// Its name in an intent, a route and an event.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MemorySystem => "memory_system",
            Self::ToolFramework => "tool_framework",
            Self::Dsl => "dsl",
            Self::Mind => "mind",
        }
    }

    /// Its name for people, as in "a change of memory".
    pub const fn noun(self) -> &'static str {
        match self {
            Self::MemorySystem => "memory",
            Self::ToolFramework => "tools",
            Self::Dsl => "commands",
            Self::Mind => "the mind",
        }
    }

    /// The module that it is, as a `hot_reload` names it; none for a mind, which is no code.
    pub const fn module(self) -> Option<&'static str> {
        match self {
            Self::MemorySystem => Some("memory"),
            Self::ToolFramework => Some("tools"),
            Self::Dsl => Some("dsl"),
            Self::Mind => None,
        }
    }
}

impl FromStr for EvolutionTarget {
    type Err = UnknownTargetError;

    /// Takes the name of the module as well: people say `memory`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL
            .into_iter()
            .find(|target| target.as_str() == name || target.module() == Some(name));
        found.ok_or_else(|| UnknownTargetError(name.chars().take(64).collect()))
    }
}
