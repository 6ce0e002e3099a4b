//! `files.edit {path, edits: [{old, new, all?}], if_digest?, dry_run?}`: replaces parts of a text file.
//!
//! Each `old` stands in the file exactly once, byte for byte, or nothing is changed. All other bytes stay as they are: encoding,
//! line ends, a missing last one. Returns `{"path", "digest", "bytes", "lines", "undo", "diff"}`.

use std::sync::Arc;

use abide_tools::ToolError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    tool_spec::{ChangeWork, changing, path_schema, schema},
    write::replace_kept,
};
use crate::{
    beneath::{Missing, Place},
    diff::format_diff,
    digest::digest,
    edit_text::{TextEdit, apply_edits},
    job::{FileContext, FileTool, Job},
    limits::EDITS_MAX,
    old_file::{OldFile, encode},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    edits: Vec<EditArgument>,
    if_digest: Option<String>,
    #[serde(rename = "dry_run")]
    _dry_run: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArgument {
    old: String,
    new: String,
    all: Option<bool>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let edit = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["old", "new"],
        "properties": {
            "old": {"type": "string", "description": "the text as it stands in the file, with as much around it as makes it the only one"},
            "new": {"type": "string", "description": "what takes its place"},
            "all": {"type": ["boolean", "null"], "description": "true: everywhere it stands"},
        },
    });
    let parameters = schema(
        &["path", "edits"],
        &json!({
            "path": path_schema(),
            "edits": {"type": "array", "minItems": 1, "maxItems": EDITS_MAX, "items": edit},
            "if_digest": {"type": ["string", "null"], "description": "the digest that files.read gave: refuses where the file has changed since"},
        }),
    );
    let description = "Replaces parts of a text file. Each old text must stand in it exactly once; else nothing changes.";
    let change = ChangeWork { work: edit_file, preview };
    changing(context, "files.edit", description, parameters, change)
}

/// What a call would do.
struct Plan {
    place: Place,
    old: OldFile,
    old_text: String,
    text: String,
    bytes: Vec<u8>,
}

impl Plan {
    fn make(job: &Job) -> Result<Self, ToolError> {
        let arguments: Arguments = job.arguments()?;
        if arguments.edits.is_empty() || arguments.edits.len() > EDITS_MAX {
            return Err(ToolError::new(format!("edits: give 1 to {EDITS_MAX}")));
        }
        let path = job.changed_path("path", &arguments.path)?;
        let place = Place::open(&path, Missing::Refuse)?;
        let Some(old) = OldFile::read(&place)? else {
            return Err(place.refusal("opened", rustix::io::Errno::NOENT));
        };
        let path = path.to_text();
        if let Some(seen) = &arguments.if_digest {
            old.check_digest(&path, seen)?;
        }
        let (encoding, old_text) = old.writable_text(&path)?;
        let edits: Vec<TextEdit> = arguments
            .edits
            .into_iter()
            .map(|edit| TextEdit { old: edit.old, new: edit.new, all: edit.all == Some(true) })
            .collect();
        let text = apply_edits(&old_text, &edits)?;
        let bytes = encode(encoding, &text, &path)?;
        Ok(Self { place, old, old_text, text, bytes })
    }

    fn diff(&self) -> String {
        format_diff(&self.place.path.to_text(), Some(&self.old_text), &self.text)
    }
}

fn preview(job: &Job) -> Result<String, ToolError> {
    Plan::make(job).map(|plan| plan.diff())
}

fn edit_file(job: &Job) -> Result<Value, ToolError> {
    let plan = Plan::make(job)?;
    replace_kept(job, &plan.place, &plan.old, &plan.bytes)?;
    Ok(json!({
        "path": plan.place.path.to_text(),
        "digest": digest(&plan.bytes),
        "bytes": plan.bytes.len(),
        "lines": plan.text.lines().count(),
        "undo": job.id,
        "diff": plan.diff(),
    }))
}
