//! Tools for files, commands and skills: what they may touch, and the tools themselves, one file each.
//!
//! An agent has folders with names; a path begins with one. Nothing outside of them is reached, whatever links, names and
//! other programs do, and nothing is overwritten or removed for good: what was there can be taken back for a week.
//!
//! ```
//! use std::{path::PathBuf, sync::Arc, time::Duration};
//!
//! use abide_domain::{AgentId, Clock, Timestamp};
//! use abide_tools::Registry;
//! use abide_workspace::{
//!     FileToolSettings, FolderAccess, FolderResolver, NamedFolder, UndoLimits, file_tools,
//! };
//! use serde_json::json;
//!
//! #[derive(Debug)]
//! struct Agents(PathBuf);
//!
//! impl FolderResolver for Agents {
//!     fn folders(&self, agent: &AgentId) -> Arc<[NamedFolder]> {
//!         let path = self.0.join(agent.as_str()).join("work");
//!         [NamedFolder { name: "work".to_owned(), path, access: FolderAccess::Write }].into()
//!     }
//!
//!     fn undo_folder(&self, agent: &AgentId) -> PathBuf {
//!         self.0.join(agent.as_str()).join("undo")
//!     }
//! }
//! # #[derive(Debug)]
//! # struct FixedClock;
//! # impl Clock for FixedClock {
//! #     fn now(&self) -> Timestamp { Timestamp::default() }
//! #     fn monotonic(&self) -> Duration { Duration::ZERO }
//! # }
//!
//! let tools = file_tools(FileToolSettings {
//!     resolver: Arc::new(Agents("/var/lib/abide/agents".into())),
//!     clock: Arc::new(FixedClock),
//!     undo: UndoLimits::default(),
//! });
//! let registry = Registry::new(tools)?;
//! registry.validate("files.read", &json!({"path": "work/notes.md", "head": 20}))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: `folder` (folders and paths), `limits`, `beneath` (opening without a way out), `text_file` (bytes as text),
//! `edit_text` and `elision` (what a change of text may be), `replace_file` (old or new, whatever happens), `undo_entry` and
//! `undo_store` (what is kept), `walk`, `job` (a call on a thread that may wait), then the tools: `files`,
//! `shell` (commands, in the sandbox) and `skills`.

mod folder;
mod limits;

mod beneath;
mod digest;
mod os_error;
mod shorten;
mod text_file;

mod diff;
mod edit_text;
mod elision;
mod nearest_lines;

mod old_file;
mod replace_file;
mod undo_entry;
mod undo_store;
mod walk;

mod files;
mod job;
mod shell;
mod skills;

pub use files::{FileToolSettings, file_tools};
pub use folder::{FolderAccess, FolderResolver, NamedFolder};
pub use limits::{
    DIFF_BYTES_MAX, EDITS_MAX, FILE_BYTES_MAX, FILE_NAME_BYTES_MAX, FILE_PATH_BYTES_MAX,
    FILE_PATH_PARTS_MAX, LIST_DEPTH_MAX, LIST_ENTRIES_DEFAULT, LIST_ENTRIES_MAX,
    READ_BYTES_DEFAULT, READ_BYTES_MAX, SEARCH_FILE_BYTES_MAX, SEARCH_MATCHES_DEFAULT,
    SEARCH_MATCHES_MAX, SEARCH_TIME_MAX, TEMPORARY_PREFIX, UNDO_BYTES_MAX, UNDO_ENTRIES_MAX,
    UNDO_KEEP,
};
pub use shell::{
    CapturedOutput, CommandEnd, CommandLine, CommandOrder, CommandRules, CommandRulesError,
    CommandRuling, CommandRunError, CommandRunner, FinishedCommand, PlainCommand, RunCommand,
    ShellSettings, UncertainCommandError, parse_command,
};
pub use skills::{
    CopiedSkill, ReadSkill, Skill, SkillCopyError, SkillError, SkillFile, SkillFinding,
    SkillRemoveError, SkillReport, Skills, check_skill, copy_skill, removable_skill, remove_skill,
};
pub use undo_store::UndoLimits;

/// The names of all tools here, for whoever checks a policy without an agent.
pub const TOOL_NAMES: [&str; 10] = [
    "files.edit",
    "files.list",
    "files.move",
    "files.read",
    "files.remove",
    "files.search",
    "files.undo",
    "files.write",
    "shell.run",
    "skills.read",
];
