//! What the undo folder says about one change.

use abide_domain::Timestamp;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

/// What a change did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UndoAction {
    /// Made a file where none was. Nothing is kept.
    Create,
    /// Gave a file a new content. The old one is kept.
    Replace,
    /// Removed a file or folder. It is kept itself.
    Remove,
    /// Moved a file or folder. Nothing is kept.
    Move,
}

/// One change that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UndoEntry {
    pub(crate) id: String,
    /// Microseconds since 1970.
    pub(crate) at_micros: i64,
    pub(crate) action: UndoAction,
    /// As in arguments.
    pub(crate) path: String,
    /// Where it was moved to.
    pub(crate) to: Option<String>,
    /// Digest of the file that the change left.
    pub(crate) left: Option<String>,
    /// Whether it was a folder.
    pub(crate) is_folder: bool,
    /// What is kept, in bytes.
    pub(crate) bytes: u64,
    /// Device and number of what was moved.
    pub(crate) file: Option<(u64, u64)>,
}

impl UndoEntry {
    /// A change of a file or folder, now.
    pub(crate) fn new(id: &str, now: Timestamp, action: UndoAction, path: String) -> Self {
        Self {
            id: id.to_owned(),
            at_micros: now.as_micros(),
            action,
            path,
            to: None,
            left: None,
            is_folder: false,
            bytes: 0,
            file: None,
        }
    }

    /// When it was made.
    pub(crate) const fn at(&self) -> Timestamp {
        Timestamp::from_micros(self.at_micros)
    }

    /// Whether something is kept for it.
    pub(crate) const fn keeps(&self) -> bool {
        matches!(self.action, UndoAction::Replace | UndoAction::Remove)
    }

    /// The word for people and minds.
    pub(crate) const fn word(&self) -> &'static str {
        match self.action {
            UndoAction::Create => "created",
            UndoAction::Replace => "changed",
            UndoAction::Remove => "removed",
            UndoAction::Move => "moved",
        }
    }
}

/// How a file is told apart from another under the same name.
pub(crate) const fn file_number(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}
