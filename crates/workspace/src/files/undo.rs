//! `files.undo {id?, dry_run?}`: takes a change back, or lists those that can be.
//!
//! A change is taken back only where the file is still what it left; then the file as it was, and only then, takes its place.
//! Taking back is a change itself, and can be taken back where something would be lost by it. Returns `{"changes": [{"id",
//! "at", "action", "path", "to"?, "bytes"}]}` without an id, else `{"undone", "path", "undo"?}`.

use std::sync::Arc;

use abide_tools::{ToolError, ToolErrorKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    move_to::{movable, rename},
    remove::take_away,
    tool_spec::{ChangeWork, changing, schema},
    write::replace_kept,
};
use crate::{
    beneath::{Missing, Place},
    diff::format_diff,
    folder::FilePath,
    job::{FileContext, FileTool, Job},
    limits::{FILE_BYTES_MAX, UNDO_LISTED_MAX},
    old_file::OldFile,
    text_file::{FileText, decode},
    undo_entry::{UndoAction, UndoEntry, file_number},
    undo_store::UndoStore,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Option<String>,
    #[serde(rename = "dry_run")]
    _dry_run: Option<bool>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let parameters = schema(
        &[],
        &json!({"id": {"type": ["string", "null"], "description": "the change, as it was returned; without it the changes are listed"}}),
    );
    let description = "Lists the changes to files that can be taken back, or takes one back.";
    let change = ChangeWork { work: undo, preview };
    let tool = changing(context, "files.undo", description, parameters, change);
    FileTool { may_repeat: |arguments| arguments.get("id").is_none_or(Value::is_null), ..tool }
}

/// What taking a change back would do. The places are open, and what is there is what the change left.
enum Plan {
    /// A file that the change made goes.
    Uncreate { place: Place, now: OldFile },
    /// A file gets its old content again.
    Restore { place: Place, now: OldFile, bytes: Vec<u8> },
    /// What was removed comes back.
    PutBack { path: FilePath },
    /// What was moved goes back.
    MoveBack { from: Place, to: FilePath },
}

impl Plan {
    fn make(job: &Job, store: &UndoStore, entry: &UndoEntry) -> Result<Self, ToolError> {
        let path = job.changed_path("path", &entry.path)?;
        match entry.action {
            UndoAction::Create => {
                let place = Place::open(&path, Missing::Refuse)?;
                let now = left(&place, entry)?;
                Ok(Self::Uncreate { place, now })
            }
            UndoAction::Replace => {
                let place = Place::open(&path, Missing::Refuse)?;
                let now = left(&place, entry)?;
                let bytes = store.kept_copy(entry, FILE_BYTES_MAX)?;
                Ok(Self::Restore { place, now, bytes })
            }
            UndoAction::Remove => match Place::open(&path, Missing::Refuse) {
                Err(error) if error.kind == ToolErrorKind::NotFound => Ok(Self::PutBack { path }),
                Err(error) => Err(error),
                Ok(place) if place.stat()?.is_none() => Ok(Self::PutBack { path }),
                Ok(_) => Err(is_other(&entry.path, "there is something else by now")),
            },
            UndoAction::Move => {
                let moved = entry.to.as_deref().unwrap_or_default();
                let from = Place::open(&job.changed_path("path", moved)?, Missing::Refuse)?;
                let stat = movable(&from, "moved back")?;
                if entry.file != Some(file_number(&stat)) {
                    return Err(is_other(moved, "it is another file by now"));
                }
                Ok(Self::MoveBack { from, to: path })
            }
        }
    }

    fn describe(&self, entry: &UndoEntry) -> String {
        match self {
            Self::Uncreate { .. } => {
                format!("{} is removed, as it was not there before", entry.path)
            }
            Self::Restore { now, bytes, .. } => match (decode(&now.bytes), decode(bytes)) {
                (FileText::Text { text: now, .. }, FileText::Text { text: old, .. }) => {
                    format_diff(&entry.path, Some(&now), &old)
                }
                _ => format!("{} has its old content again ({} bytes)", entry.path, bytes.len()),
            },
            Self::PutBack { .. } => format!("{} is put back ({} bytes)", entry.path, entry.bytes),
            Self::MoveBack { from, .. } => {
                format!("{} is moved back to {}", from.path.to_text(), entry.path)
            }
        }
    }
}

/// The file of a place, where it is still what a change left.
fn left(place: &Place, entry: &UndoEntry) -> Result<OldFile, ToolError> {
    let Some(now) = OldFile::read(place)? else {
        return Err(is_other(&entry.path, "it is no longer there"));
    };
    if entry.left.as_deref() != Some(now.digest.as_str()) {
        return Err(now.conflict(&entry.path, "is not what the change left"));
    }
    now.writable_text(&entry.path)?;
    Ok(now)
}

fn is_other(path: &str, why: &str) -> ToolError {
    ToolError::of(
        ToolErrorKind::Conflict,
        format!("the change of `{path}` cannot be taken back: {why}. Nothing was changed"),
    )
}

fn find(job: &Job, store: &UndoStore, id: &str) -> Result<UndoEntry, ToolError> {
    store.entries(job.now).into_iter().find(|entry| entry.id == id.trim()).ok_or_else(|| {
        let message = format!("id: there is no change `{id}` that can be taken back; files.undo without an id lists those that can");
        ToolError::of(ToolErrorKind::NotFound, message)
    })
}

fn preview(job: &Job) -> Result<String, ToolError> {
    let arguments: Arguments = job.arguments()?;
    let Some(id) = arguments.id else {
        return Ok("the changes that can be taken back are listed; nothing is changed".to_owned());
    };
    let store = job.undo_store()?;
    let entry = find(job, &store, &id)?;
    Ok(Plan::make(job, &store, &entry)?.describe(&entry))
}

fn undo(job: &Job) -> Result<Value, ToolError> {
    let arguments: Arguments = job.arguments()?;
    let store = job.undo_store()?;
    let Some(id) = arguments.id else { return Ok(list(&store.entries(job.now))) };
    let entry = find(job, &store, &id)?;
    let undone =
        |undo: Option<&String>| json!({"undone": entry.id, "path": entry.path, "undo": undo});
    match Plan::make(job, &store, &entry)? {
        Plan::Uncreate { place, now } => {
            take_away(job, &place, &now.stat, now.bytes.len() as u64)?;
            store.forget(&entry);
            Ok(undone(Some(&job.id)))
        }
        Plan::Restore { place, now, bytes } => {
            replace_kept(job, &place, &now, &bytes)?;
            store.forget(&entry);
            Ok(undone(Some(&job.id)))
        }
        Plan::PutBack { path } => {
            let place = Place::open(&path, Missing::Make)?;
            place.check_unmoved()?;
            job.check_wanted()?;
            store.put_back(&entry, &place)?;
            Ok(undone(None))
        }
        Plan::MoveBack { from, to } => {
            let stat = movable(&from, "moved back")?;
            let to = Place::open(&to, Missing::Make)?;
            job.check_wanted()?;
            rename(&from, &to, &stat)?;
            store.forget(&entry);
            Ok(undone(None))
        }
    }
}

fn list(entries: &[UndoEntry]) -> Value {
    let changes: Vec<Value> = entries
        .iter()
        .take(UNDO_LISTED_MAX)
        .map(|entry| {
            let mut change = json!({
                "id": entry.id,
                "at": entry.at().to_string(),
                "action": entry.word(),
                "path": entry.path,
                "bytes": entry.bytes,
            });
            if let (Some(to), Some(change)) = (&entry.to, change.as_object_mut()) {
                change.insert("to".to_owned(), json!(to));
            }
            change
        })
        .collect();
    json!({"changes": changes, "more": entries.len().saturating_sub(UNDO_LISTED_MAX)})
}
