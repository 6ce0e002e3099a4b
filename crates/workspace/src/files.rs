//! `files.*`: the tools, one file each.

mod edit;
mod list;
mod move_to;
mod read;
mod remove;
mod search;
mod tool_spec;
mod undo;
mod write;

use std::sync::Arc;

use abide_domain::Clock;
use abide_tools::Tool;
use tokio::sync::Semaphore;

use crate::{folder::FolderResolver, job::FileContext, undo_store::UndoLimits};

/// What the file tools need.
#[derive(Clone, Debug)]
pub struct FileToolSettings {
    /// Which folders each agent has.
    pub resolver: Arc<dyn FolderResolver>,
    /// Bounds searches in time, and the age of what is kept in previews.
    pub clock: Arc<dyn Clock>,
    /// How much is kept to be taken back.
    pub undo: UndoLimits,
}

/// The tools, for the registry: `files.edit`, `files.list`, `files.move`, `files.read`, `files.remove`, `files.search`,
/// `files.undo` and `files.write`. All agents share them. They run in a Tokio runtime.
pub fn file_tools(settings: FileToolSettings) -> Vec<Arc<dyn Tool>> {
    let FileToolSettings { resolver, clock, undo } = settings;
    let context =
        Arc::new(FileContext { resolver, clock, undo, changes: Arc::new(Semaphore::new(1)) });
    [
        edit::tool,
        list::tool,
        move_to::tool,
        read::tool,
        remove::tool,
        search::tool,
        undo::tool,
        write::tool,
    ]
    .into_iter()
    .map(|tool| -> Arc<dyn Tool> { Arc::new(tool(&context)) })
    .collect()
}
