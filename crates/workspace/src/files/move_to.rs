//! `files.move {from, to, dry_run?}`: gives a file or folder another path. Never takes anything's place.
//!
//! Folders on the way are made. Returns `{"from", "to", "undo"}`.

use std::sync::Arc;

use abide_tools::{ToolError, ToolErrorKind};
use rustix::{
    fd::AsFd as _,
    fs::{FileType, Stat},
    io::Errno,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_spec::{ChangeWork, changing, path_schema, schema};
use crate::{
    beneath::{Missing, Place, changed_meanwhile, is_same_file, kind},
    folder::FilePath,
    job::{FileContext, FileTool, Job},
    os_error::{refusal, wrong_kind},
    replace_file::{rename_to_new, sync_changed},
    undo_entry::{UndoAction, UndoEntry, file_number},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    from: String,
    to: String,
    #[serde(rename = "dry_run")]
    _dry_run: Option<bool>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let parameters = schema(&["from", "to"], &json!({"from": path_schema(), "to": path_schema()}));
    let description = "Moves or renames a file or folder to a path where nothing is. Can be taken back with files.undo.";
    let change = ChangeWork { work: move_file, preview };
    changing(context, "files.move", description, parameters, change)
}

/// What a call would do.
struct Plan {
    from: Place,
    stat: Stat,
    to: FilePath,
}

impl Plan {
    fn make(job: &Job) -> Result<Self, ToolError> {
        let arguments: Arguments = job.arguments()?;
        let from = job.changed_path("from", &arguments.from)?;
        let to = job.changed_path("to", &arguments.to)?;
        let from = Place::open(&from, Missing::Refuse)?;
        let stat = movable(&from, "moved")?;
        let there = match Place::open(&to, Missing::Refuse) {
            Err(error) if error.kind == ToolErrorKind::NotFound => None,
            opened => opened?.stat()?,
        };
        match there {
            None => Ok(Self { from, stat, to }),
            Some(there) if kind(&there) == FileType::Directory => {
                let message = format!(
                    "`{}` is a folder that is there already; name the new path in full",
                    to.to_text()
                );
                Err(ToolError::of(ToolErrorKind::Conflict, message))
            }
            Some(_) => Err(refusal("moved to", &to.to_text(), Errno::EXIST)),
        }
    }
}

/// A file or folder that may be moved or removed.
pub(super) fn movable(place: &Place, doing: &str) -> Result<Stat, ToolError> {
    let stat = place.stat()?.ok_or_else(|| place.refusal(doing, Errno::NOENT))?;
    match kind(&stat) {
        FileType::RegularFile | FileType::Directory => Ok(stat),
        other => Err(wrong_kind(&place.path.to_text(), other, "a file or folder")),
    }
}

fn preview(job: &Job) -> Result<String, ToolError> {
    let plan = Plan::make(job)?;
    Ok(format!("{} is moved to {}", plan.from.path.to_text(), plan.to.to_text()))
}

fn move_file(job: &Job) -> Result<Value, ToolError> {
    let plan = Plan::make(job)?;
    let store = job.undo_store()?;
    let to = Place::open(&plan.to, Missing::Make)?;
    let entry = UndoEntry {
        to: Some(plan.to.to_text()),
        is_folder: kind(&plan.stat) == FileType::Directory,
        file: Some(file_number(&plan.stat)),
        ..UndoEntry::new(&job.id, job.now, UndoAction::Move, plan.from.path.to_text())
    };
    store.begin(&entry, job.now)?;
    let moved = job.check_wanted().and_then(|()| rename(&plan.from, &to, &plan.stat));
    moved.inspect_err(|error| {
        if error.kind != ToolErrorKind::Unknown {
            store.forget(&entry);
        }
    })?;
    Ok(json!({"from": plan.from.path.to_text(), "to": plan.to.to_text(), "undo": job.id}))
}

/// Renames what was looked at to where nothing is.
pub(super) fn rename(from: &Place, to: &Place, seen: &Stat) -> Result<(), ToolError> {
    from.check_unmoved()?;
    to.check_unmoved()?;
    let is_folder = kind(seen) == FileType::Directory;
    let (old, new) = (from.parent.as_fd(), to.parent.as_fd());
    rename_to_new(old, &from.name, new, &to.name, is_folder).map_err(|errno| match errno {
        Errno::XDEV => {
            let message = format!(
                "`{}` and `{}` are on different file systems; write it there and remove it here",
                from.path.to_text(),
                to.path.to_text()
            );
            ToolError::of(ToolErrorKind::Blocked, message)
        }
        Errno::NOENT => changed_meanwhile(&from.path.to_text()),
        errno => refusal("moved to", &to.path.to_text(), errno),
    })?;
    if !to.stat()?.is_some_and(|moved| is_same_file(seen, &moved)) {
        rename_to_new(new, &to.name, old, &from.name, is_folder)
            .map_err(|errno| from.refusal("put back", errno))?;
        return Err(changed_meanwhile(&from.path.to_text()));
    }
    sync_changed(to)?;
    sync_changed(from)
}
