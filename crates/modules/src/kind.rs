//! The three kinds of module, and the programs that stand in for each until an agent has one of its own. No kind here
//! has a second name on the wire.

use serde::{Deserialize, Serialize};

/// What a module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleKind {
    /// Orders the passages that a search found.
    Memory,
    /// Declares tools.
    Tools,
    /// Declares commands.
    Dsl,
}

impl ModuleKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Tools, Self::Dsl];

    /// The name on the wire and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Dsl => "dsl",
        }
    }

    /// The kind with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The program that does what is done without any: the place to begin a better one.
    pub fn base_code(self) -> &'static str {
        match self {
            Self::Memory => include_str!("../scheme/memory.scm"),
            Self::Tools => include_str!("../scheme/tools.scm"),
            Self::Dsl => include_str!("../scheme/dsl.scm"),
        }
    }
}
