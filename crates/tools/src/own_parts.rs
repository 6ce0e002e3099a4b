//! What an agent made for itself and has in force: tools and commands. They stand behind what the keeper and its people gave it, and
//! never in place of that.

use std::{collections::BTreeMap, fmt, sync::Arc};

use abide_domain::{AgentId, EpochId};
use futures_util::future::BoxFuture;

use crate::Registry;

/// A command of an agent's own.
pub trait OwnCommand: Send + Sync + fmt::Debug {
    /// Its name, without the backslash.
    fn name(&self) -> &str;

    /// What it does, in a sentence of the agent's.
    fn help(&self) -> &str;

    /// The text of the command that stands in its place. The error says in words why there is none.
    fn expand<'a>(&'a self, written: WrittenCommand<'a>) -> BoxFuture<'a, Result<String, String>>;
}

/// A command of an agent's own as it was written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCommand<'a> {
    /// What stands between its name and its end.
    pub text: &'a str,
    /// The epoch in which it was written; none where a person wrote it, or a condition asks.
    pub epoch: Option<EpochId>,
}

/// What one agent made. A cheap clone.
#[derive(Clone, Debug, Default)]
pub struct OwnParts {
    tools: Registry,
    commands: BTreeMap<String, Arc<dyn OwnCommand>>,
}

/// The parts of all agents that have some.
pub(crate) type AllOwnParts = BTreeMap<AgentId, Arc<OwnParts>>;

impl OwnParts {
    /// Tools and commands; of two commands of one name, the later.
    pub fn new(tools: Registry, commands: impl IntoIterator<Item = Arc<dyn OwnCommand>>) -> Self {
        let commands = commands.into_iter().map(|command| (command.name().to_owned(), command));
        Self { tools, commands: commands.collect() }
    }

    /// Its tools.
    pub fn tools(&self) -> &Registry {
        &self.tools
    }

    /// Its commands, by name.
    pub fn commands(&self) -> impl Iterator<Item = &Arc<dyn OwnCommand>> {
        self.commands.values()
    }

    /// One of its commands, in whatever case its name is written.
    pub fn command(&self, name: &str) -> Option<&Arc<dyn OwnCommand>> {
        self.commands.get(&name.to_ascii_lowercase())
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.commands.is_empty()
    }
}
