//! `files.remove {path, if_digest?, dry_run?}`: takes a file or folder away. It is kept for a week to be taken back.
//!
//! Returns `{"path", "kind", "bytes", "entries", "undo"}`.

use std::sync::Arc;

use abide_tools::ToolError;
use rustix::fs::{FileType, Stat};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    move_to::movable,
    tool_spec::{ChangeWork, changing, path_schema, schema},
};
use crate::{
    beneath::{Missing, Place, kind},
    job::{FileContext, FileTool, Job},
    old_file::OldFile,
    os_error::kind_word,
    undo_entry::{UndoAction, UndoEntry},
    undo_store::measure,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    if_digest: Option<String>,
    #[serde(rename = "dry_run")]
    _dry_run: Option<bool>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let parameters = schema(
        &["path"],
        &json!({
            "path": path_schema(),
            "if_digest": {"type": ["string", "null"], "description": "the digest that files.read gave: refuses where the file has changed since"},
        }),
    );
    let description = "Removes a file, or a folder with all that is in it. Can be taken back with files.undo for a week.";
    let change = ChangeWork { work: remove, preview };
    changing(context, "files.remove", description, parameters, change)
}

/// What a call would do.
struct Plan {
    place: Place,
    stat: Stat,
    bytes: u64,
    entries: usize,
}

impl Plan {
    fn make(job: &Job) -> Result<Self, ToolError> {
        let arguments: Arguments = job.arguments()?;
        let path = job.changed_path("path", &arguments.path)?;
        let place = Place::open(&path, Missing::Refuse)?;
        let mut stat = movable(&place, "removed")?;
        if let Some(seen) = &arguments.if_digest
            && let Some(old) = OldFile::read(&place)?
        {
            old.check_digest(&path.to_text(), seen)?;
            stat = old.stat;
        }
        let (bytes, entries) = measure(&place, &stat)?;
        Ok(Self { place, stat, bytes, entries })
    }
}

fn preview(job: &Job) -> Result<String, ToolError> {
    let Plan { place, stat, bytes, entries } = Plan::make(job)?;
    let path = place.path.to_text();
    Ok(match kind(&stat) {
        FileType::Directory => {
            format!("the folder {path} is removed, with {} entries ({bytes} bytes)", entries - 1)
        }
        _ => format!("{path} is removed ({bytes} bytes)"),
    })
}

fn remove(job: &Job) -> Result<Value, ToolError> {
    let Plan { place, stat, bytes, entries } = Plan::make(job)?;
    take_away(job, &place, &stat, bytes)?;
    Ok(json!({
        "path": place.path.to_text(),
        "kind": kind_word(kind(&stat)),
        "bytes": bytes,
        "entries": entries,
        "undo": job.id,
    }))
}

/// Moves what was looked at to the undo folder.
pub(super) fn take_away(
    job: &Job,
    place: &Place,
    stat: &Stat,
    bytes: u64,
) -> Result<(), ToolError> {
    let store = job.undo_store()?;
    let entry = UndoEntry {
        is_folder: kind(stat) == FileType::Directory,
        bytes,
        ..UndoEntry::new(&job.id, job.now, UndoAction::Remove, place.path.to_text())
    };
    store.begin(&entry, job.now)?;
    let taken = place
        .check_unmoved()
        .and_then(|()| job.check_wanted())
        .and_then(|()| store.take(&entry, place, stat));
    taken.inspect_err(|_| {
        // What was taken stays, whatever happened afterwards.
        if !store.has_kept(&entry) {
            store.forget(&entry);
        }
    })
}
