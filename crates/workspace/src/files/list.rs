//! `files.list {path?, depth?, glob?, all?, limit?}`: what is in a folder; without a path, which folders there are.
//!
//! Returns `{"path", "entries": [{"path", "kind", "bytes"?, "changed"}], "passed_over", "cut"}` in the order of names, each folder
//! before what is in it.

use std::{ops::ControlFlow, sync::Arc};

use abide_domain::Timestamp;
use abide_tools::{ToolError, ToolErrorKind};
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_spec::{optional_path_schema, reading, schema};
use crate::{
    beneath::{kind, open_folder},
    folder::{FolderAccess, NamedFolder},
    job::{FileContext, FileTool, Job},
    limits::{LIST_DEPTH_MAX, LIST_ENTRIES_DEFAULT, LIST_ENTRIES_MAX, LIST_RESULT_BYTES_MAX},
    os_error::kind_word,
    walk::{FolderWalk, NamePattern, WalkEntry},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: Option<String>,
    depth: Option<usize>,
    glob: Option<String>,
    all: Option<bool>,
    limit: Option<usize>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let path = optional_path_schema("a folder; without it, the folders that you have");
    let parameters = schema(
        &[],
        &json!({
            "path": path,
            "depth": {
                "type": ["integer", "null"], "minimum": 1, "maximum": LIST_DEPTH_MAX,
                "description": "how deep: 1 (the default) is the folder itself"
            },
            "glob": {"type": ["string", "null"], "description": "only such names: *.md, or src/**/*.rs from the path on"},
            "all": {"type": ["boolean", "null"], "description": "true: hidden and ignored ones too"},
            "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": LIST_ENTRIES_MAX, "description": "most entries"},
        }),
    );
    let description = "Lists a folder: names, kinds, sizes, times. Without a path, lists the folders that you have.";
    reading(context, "files.list", description, parameters, list)
}

fn list(job: &Job) -> Result<Value, ToolError> {
    let arguments: Arguments = job.arguments()?;
    let Some(path) = &arguments.path else { return Ok(list_folders(&job.folders)) };
    let path = job.path("path", path)?;
    let pattern = arguments.glob.as_deref().map(NamePattern::parse).transpose()?;
    let folder = open_folder(&path).map_err(|error| {
        if error.kind == ToolErrorKind::NotFound {
            let message = format!("{} (files.list is about folders)", error.message);
            return ToolError { message, ..error };
        }
        error
    })?;
    let depth = arguments.depth.unwrap_or(1).clamp(1, LIST_DEPTH_MAX);
    let limit = arguments.limit.unwrap_or(LIST_ENTRIES_DEFAULT).min(LIST_ENTRIES_MAX);
    let mut walk = FolderWalk::new(depth, arguments.all == Some(true));
    let mut entries: Vec<Value> = Vec::new();
    let mut bytes = 0;
    let flow = walk.run(&folder, &mut |entry| {
        if job.is_dropped() {
            return ControlFlow::Break(());
        }
        if pattern.as_ref().is_some_and(|pattern| !pattern.matches(entry)) {
            return ControlFlow::Continue(());
        }
        if entries.len() >= limit || bytes >= LIST_RESULT_BYTES_MAX {
            return ControlFlow::Break(());
        }
        bytes += entry.path.len();
        entries.push(describe(entry));
        ControlFlow::Continue(())
    });
    Ok(json!({
        "path": path.to_text(),
        "entries": entries,
        "passed_over": walk.passed_over,
        "unreadable": walk.unreadable,
        "cut": flow.is_break(),
    }))
}

fn list_folders(folders: &[NamedFolder]) -> Value {
    let folders: Vec<Value> = folders
        .iter()
        .map(|folder| {
            let access = match folder.access {
                FolderAccess::Read => "read",
                FolderAccess::Write => "write",
            };
            json!({"name": folder.name, "access": access})
        })
        .collect();
    json!({"folders": folders})
}

fn describe(entry: &WalkEntry<'_>) -> Value {
    let kind = kind(entry.stat);
    let micros = entry.stat.st_mtime.saturating_mul(1_000_000);
    let changed = Timestamp::from_micros(micros).to_string();
    let mut described = json!({"path": entry.path, "kind": kind_word(kind), "changed": changed});
    if let (FileType::RegularFile, Some(described)) = (kind, described.as_object_mut()) {
        described.insert("bytes".to_owned(), json!(entry.stat.st_size));
    }
    described
}
