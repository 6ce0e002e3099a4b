//! Who may be told what an agent remembers (`[memory] sharing`, decision 54).

use serde::{Deserialize, Serialize};

/// How far what an agent was told may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Everybody who speaks with the agent may be told all that it remembers.
    Agent,
    /// What was said in private is told to the person who said it, what was said in a group to the group and its members;
    /// matters of the project and the world that nobody marked private are told to all.
    #[default]
    Person,
    /// What was said in one conversation is told in that conversation alone.
    Channel,
}

impl Sharing {
    /// All of them, for whoever looks for the one that was in force.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Person, Self::Channel];
}
