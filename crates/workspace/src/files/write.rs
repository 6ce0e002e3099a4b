//! `files.write {path, content, if_digest? | create?, shrink?, line_ends?, dry_run?}`: a whole file.
//!
//! A file that is there is replaced only where it is still what the agent read, which its digest says; its encoding, its line
//! ends, permissions and owner are kept. A file that already has the content is a success, so that a call with the same
//! arguments may run twice. Returns `{"path", "digest", "bytes", "lines", "created", "unchanged", "undo"}`.

use std::sync::Arc;

use abide_tools::{ToolError, ToolErrorKind};
use rustix::{fd::AsFd as _, io::Errno};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_spec::{ChangeWork, changing, path_schema, schema};
use crate::{
    beneath::{Missing, Place},
    diff::format_diff,
    digest::digest,
    elision,
    folder::FilePath,
    job::{FileContext, FileTool, Job},
    limits::FILE_BYTES_MAX,
    old_file::{OldFile, encode},
    replace_file::{FileAttributes, create_file, is_unconfirmed, not_written, replace_file},
    text_file::{LineEnds, TextEncoding},
    undo_entry::{UndoAction, UndoEntry},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
    if_digest: Option<String>,
    create: Option<bool>,
    shrink: Option<bool>,
    line_ends: Option<LineEndRule>,
    #[serde(rename = "dry_run")]
    _dry_run: Option<bool>,
}

/// What becomes of the line ends of a content that has no returns, in a file that has them.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LineEndRule {
    Keep,
    AsGiven,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let flag = |description: &str| json!({"type": ["boolean", "null"], "description": description});
    let parameters = schema(
        &["path", "content"],
        &json!({
            "path": path_schema(),
            "content": {"type": "string", "description": "all of the file", "maxLength": FILE_BYTES_MAX},
            "if_digest": {"type": ["string", "null"], "description": "the digest that files.read gave; needed where the file exists"},
            "create": flag("true for a new file; folders on the way are made"),
            "shrink": flag("true where a long file shall become a very short one"),
            "line_ends": {
                "enum": ["keep", "as_given", null],
                "description": "keep (the default): a file whose lines end with CRLF keeps that"
            },
        }),
    );
    let description = "Writes a whole text file: a new one, or one in place of what was read. files.edit changes parts.";
    let change = ChangeWork { work: write, preview };
    let tool = changing(context, "files.write", description, parameters, change);
    // What is there afterwards is the content, however often.
    FileTool { may_repeat: |_| true, ..tool }
}

/// What a call would do.
struct Plan {
    path: FilePath,
    /// None: the folder that it goes to is not there yet.
    place: Option<Place>,
    old: Option<(OldFile, String)>,
    encoding: TextEncoding,
    text: String,
    bytes: Vec<u8>,
}

impl Plan {
    fn make(job: &Job) -> Result<Self, ToolError> {
        let arguments: Arguments = job.arguments()?;
        let path = job.changed_path("path", &arguments.path)?;
        let may_create = arguments.create == Some(true);
        let place = match Place::open(&path, Missing::Refuse) {
            Err(error) if may_create && error.kind == ToolErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let text_path = path.to_text();
        let old = match &place {
            Some(place) => OldFile::read(place)?,
            None => None,
        };
        let Some(old) = old else {
            check_missing(&arguments, &text_path)?;
            let text = arguments.content;
            // A byte-order mark that was written is meant.
            let (encoding, bare) = match text.strip_prefix('\u{feff}') {
                Some(bare) => (TextEncoding::Utf8Bom, bare.to_owned()),
                None => (TextEncoding::Utf8, text),
            };
            let bytes = encode(encoding, &bare, &text_path)?;
            return Ok(Self { path, place, old: None, encoding, text: bare, bytes });
        };
        let (encoding, old_text) = old.writable_text(&text_path)?;
        let rule = arguments.line_ends.unwrap_or(LineEndRule::Keep);
        let content = arguments.content.strip_prefix('\u{feff}').unwrap_or(&arguments.content);
        let text = if rule == LineEndRule::Keep {
            with_line_ends(&old_text, content)
        } else {
            content.to_owned()
        };
        let bytes = encode(encoding, &text, &text_path)?;
        if bytes != old.bytes {
            check_seen(&arguments, &old, &text_path)?;
            elision::check_whole(&old_text, &text, arguments.shrink == Some(true))?;
        }
        Ok(Self { path, place, old: Some((old, old_text)), encoding, text, bytes })
    }

    fn is_unchanged(&self) -> bool {
        self.old.as_ref().is_some_and(|(old, _)| old.bytes == self.bytes)
    }
}

fn check_missing(arguments: &Arguments, path: &str) -> Result<(), ToolError> {
    if arguments.create == Some(true) {
        return Ok(());
    }
    let (kind, message) = match arguments.if_digest {
        Some(_) => (
            ToolErrorKind::Conflict,
            format!("`{path}` is no longer there; to write it anew, give `create: true`"),
        ),
        None => (
            ToolErrorKind::NotFound,
            format!("`{path}` is not there; to make a new file, give `create: true`"),
        ),
    };
    Err(ToolError::of(kind, message))
}

fn check_seen(arguments: &Arguments, old: &OldFile, path: &str) -> Result<(), ToolError> {
    match &arguments.if_digest {
        Some(seen) => old.check_digest(path, seen),
        None if arguments.create == Some(true) => Err(old.conflict(path, "exists already")),
        None => Err(ToolError::new(format!(
            "`{path}` exists; read it first and give the digest that files.read gave as `if_digest`"
        ))),
    }
}

/// The content with the line ends of the file, where all of its lines end with CRLF and the content has no returns.
fn with_line_ends(old: &str, content: &str) -> String {
    if LineEnds::of(old) == LineEnds::Crlf && !content.contains('\r') {
        return content.replace('\n', "\r\n");
    }
    content.to_owned()
}

fn preview(job: &Job) -> Result<String, ToolError> {
    let plan = Plan::make(job)?;
    let path = plan.path.to_text();
    if plan.is_unchanged() {
        return Ok(format!("{path} already has this content"));
    }
    Ok(format_diff(&path, plan.old.as_ref().map(|(_, text)| text.as_str()), &plan.text))
}

fn write(job: &Job) -> Result<Value, ToolError> {
    let plan = Plan::make(job)?;
    let mut undo = None;
    if !plan.is_unchanged() {
        match &plan.old {
            Some((old, _)) => replace(job, &plan, old)?,
            None => create(job, &plan)?,
        }
        undo = Some(&job.id);
    }
    Ok(json!({
        "path": plan.path.to_text(),
        "digest": digest(&plan.bytes),
        "bytes": plan.bytes.len(),
        "lines": plan.text.lines().count(),
        "encoding": plan.encoding.name(),
        "line_ends": LineEnds::of(&plan.text).name(),
        "created": plan.old.is_none(),
        "unchanged": plan.is_unchanged(),
        "undo": undo,
    }))
}

fn replace(job: &Job, plan: &Plan, old: &OldFile) -> Result<(), ToolError> {
    let Some(place) = &plan.place else {
        return Err(ToolError::new(format!("`{}` is not there", plan.path.to_text())));
    };
    replace_kept(job, place, old, &plan.bytes)
}

/// Gives a file a new content, and keeps the old one to be taken back.
pub(super) fn replace_kept(
    job: &Job,
    place: &Place,
    old: &OldFile,
    bytes: &[u8],
) -> Result<(), ToolError> {
    let store = job.undo_store()?;
    let entry = UndoEntry {
        left: Some(digest(bytes)),
        bytes: old.bytes.len() as u64,
        ..UndoEntry::new(&job.id, job.now, UndoAction::Replace, place.path.to_text())
    };
    store.begin(&entry, job.now)?;
    let replaced = store
        .keep_copy(&entry, &old.bytes)
        .and_then(|()| job.check_wanted())
        .and_then(|()| replace_file(place, &old.stat, &job.id, bytes));
    replaced.inspect_err(|error| {
        if error.kind != ToolErrorKind::Unknown {
            store.forget(&entry);
        }
    })
}

fn create(job: &Job, plan: &Plan) -> Result<(), ToolError> {
    let store = job.undo_store()?;
    let place = Place::open(&plan.path, Missing::Make)?;
    let entry = UndoEntry {
        left: Some(digest(&plan.bytes)),
        ..UndoEntry::new(&job.id, job.now, UndoAction::Create, plan.path.to_text())
    };
    store.begin(&entry, job.now)?;
    let (parent, mut content) = (place.parent.as_fd(), plan.bytes.as_slice());
    let created = place.check_unmoved().and_then(|()| job.check_wanted()).and_then(|()| {
        create_file(parent, &place.name, &job.id, &mut content, FileAttributes::New).map_err(
            |error| match Errno::from_io_error(&error) {
                Some(Errno::EXIST) => place.refusal("made", Errno::EXIST),
                _ if is_unconfirmed(&error) => {
                    let message = format!("`{}` was written, but {error}", place.path.to_text());
                    ToolError::of(ToolErrorKind::Unknown, message)
                }
                _ => not_written(&place, &error),
            },
        )
    });
    created.inspect_err(|error| {
        if error.kind != ToolErrorKind::Unknown {
            store.forget(&entry);
        }
    })
}
