//! `files.read {path, from?, to?, head?, bytes?}`: lines of a text file, with what an agent has to know of the whole.
//!
//! Returns `{"path", "kind": "text", "encoding", "line_ends", "ends_with_newline", "lines", "bytes", "digest", "from", "to",
//! "content", "next"?, "note"?}`. The digest is what `files.write` asks for. Of what is not surely text, kind and size are told.
//! Returns before line ends are left out where all lines have one.

use std::sync::Arc;

use abide_tools::{ToolError, ToolErrorKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_spec::{path_schema, reading, schema};
use crate::{
    beneath::{Missing, Place},
    digest::digest,
    job::{FILES_READ, FileContext, FileTool, Job},
    limits::{FILE_BYTES_MAX, READ_BYTES_DEFAULT, READ_BYTES_MAX},
    old_file::read_start,
    shorten::shorten,
    text_file::{FileText, LineEnds, TextEncoding, decode, without_cut_character},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    from: Option<usize>,
    to: Option<usize>,
    head: Option<usize>,
    bytes: Option<usize>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let number = |description: &str| json!({"type": ["integer", "null"], "minimum": 1, "description": description});
    let bytes = json!({
        "type": ["integer", "null"], "minimum": 1, "maximum": READ_BYTES_MAX, "description": "most bytes of content"
    });
    let parameters = schema(
        &["path"],
        &json!({
            "path": path_schema(),
            "from": number("first line, from 1"),
            "to": number("last line"),
            "head": number("instead: so many lines from the beginning"),
            "bytes": bytes,
        }),
    );
    let description =
        "Reads lines of a text file and tells its encoding, line ends, length and digest.";
    reading(context, FILES_READ, description, parameters, read)
}

fn read(job: &Job) -> Result<Value, ToolError> {
    let arguments: Arguments = job.arguments()?;
    if arguments.head.is_some() && (arguments.from.is_some() || arguments.to.is_some()) {
        return Err(ToolError::new("give either head, or from and to"));
    }
    let path = job.path("path", &arguments.path)?;
    if path.parts.is_empty() {
        let message = format!("`{}` is a folder, not a file; files.list lists it", path.to_text());
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    let place = Place::open(&path, Missing::Refuse)?;
    let (file, stat) = place.open_file()?;
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let bytes =
        read_start(file, FILE_BYTES_MAX + 1).map_err(|errno| place.refusal("read", errno))?;
    let is_whole = bytes.len() <= FILE_BYTES_MAX;
    let start = if is_whole {
        bytes.as_slice()
    } else {
        without_cut_character(bytes.get(..FILE_BYTES_MAX).unwrap_or(&bytes))
    };
    let path = path.to_text();
    let digest = is_whole.then(|| digest(&bytes));
    match decode(start) {
        FileText::Binary { seems } => Ok(json!({
            "path": path,
            "kind": "binary",
            "seems": seems,
            "bytes": if is_whole { bytes.len() as u64 } else { size },
            "digest": digest,
        })),
        FileText::Text { encoding, text } => {
            let whole = Whole {
                path,
                encoding,
                bytes: if is_whole { bytes.len() as u64 } else { size },
                digest,
            };
            Ok(whole.describe(&text, &arguments))
        }
    }
}

/// What is told of the file as a whole.
struct Whole {
    path: String,
    encoding: TextEncoding,
    bytes: u64,
    /// None where the file is too large to be read in full.
    digest: Option<String>,
}

impl Whole {
    fn describe(self, text: &str, arguments: &Arguments) -> Value {
        let line_ends = LineEnds::of(text);
        let lines = text.lines().count();
        let from = arguments.from.unwrap_or(1).max(1);
        let to = arguments.head.or(arguments.to).unwrap_or(usize::MAX);
        let bytes_max = arguments.bytes.unwrap_or(READ_BYTES_DEFAULT).min(READ_BYTES_MAX);
        let part = Part::take(text, (from, to), line_ends, bytes_max);
        let mut answer = json!({
            "path": self.path,
            "kind": "text",
            "encoding": self.encoding.name(),
            "line_ends": line_ends.name(),
            "ends_with_newline": text.ends_with('\n'),
            "lines": self.digest.is_some().then_some(lines),
            "bytes": self.bytes,
            "digest": self.digest,
            "from": from,
            "to": part.last,
            "content": part.content,
        });
        let mut notes: Vec<String> = Vec::new();
        if self.digest.is_none() {
            notes.push(format!("only the first {FILE_BYTES_MAX} bytes of the file are read"));
        }
        if part.is_line_cut {
            notes.push(format!("line {} is longer than is shown", part.last));
        }
        if from > lines.max(1) {
            notes.push(format!("the file has {lines} lines"));
        }
        if let Some(answer) = answer.as_object_mut() {
            if part.last < to.min(lines) {
                answer.insert("next".to_owned(), json!(part.last + 1));
            }
            if !notes.is_empty() {
                answer.insert("note".to_owned(), json!(notes.join("; ")));
            }
        }
        answer
    }
}

/// Some lines of a text.
struct Part {
    content: String,
    /// The last line that is in it, at least in part.
    last: usize,
    is_line_cut: bool,
}

impl Part {
    fn take(text: &str, range: (usize, usize), line_ends: LineEnds, bytes_max: usize) -> Self {
        let (from, to) = range;
        let mut part =
            Self { content: String::new(), last: from.saturating_sub(1), is_line_cut: false };
        let wanted = to.saturating_sub(from - 1);
        for (index, line) in text.split_inclusive('\n').enumerate().skip(from - 1).take(wanted) {
            let room = bytes_max.saturating_sub(part.content.len());
            let plain = line.strip_suffix("\r\n").filter(|_| line_ends == LineEnds::Crlf);
            let length = plain.map_or(line.len(), |plain| plain.len() + 1);
            if length > room {
                if part.content.is_empty() {
                    part.content.push_str(shorten(line, room));
                    part.last = index + 1;
                    part.is_line_cut = true;
                }
                break;
            }
            part.content.push_str(plain.unwrap_or(line));
            if plain.is_some() {
                part.content.push('\n');
            }
            part.last = index + 1;
        }
        part
    }
}
