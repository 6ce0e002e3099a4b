//! `files.search {pattern, path?, glob?, literal?, ignore_case?, context?, limit?, all?}`: lines of text files.
//!
//! Returns `{"matches": [{"path", "line", "text", "before"?, "after"?}], "files", "skipped", "cut"}`. A pattern is a regular
//! expression whose time is linear in the text. Files are searched line by line; what is not surely text is skipped.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc, time::Duration};

use abide_tools::ToolError;
use regex::{Regex, RegexBuilder};
use rustix::{
    fd::AsFd as _,
    fs::{FileType, Stat},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_spec::{optional_path_schema, reading, schema};
use crate::{
    beneath::{Missing, Place, kind, open_folder, open_regular},
    folder::FilePath,
    job::{FileContext, FileTool, Job},
    limits::{
        SEARCH_BYTES_MAX, SEARCH_CONTEXT_MAX, SEARCH_FILE_BYTES_MAX, SEARCH_LINE_BYTES_MAX,
        SEARCH_MATCHES_DEFAULT, SEARCH_MATCHES_MAX, SEARCH_PATTERN_BYTES_MAX,
        SEARCH_PROGRAM_BYTES_MAX, SEARCH_RESULT_BYTES_MAX, SEARCH_TIME_MAX, WALK_DEPTH_MAX,
    },
    old_file::read_start,
    shorten::shorten_around,
    text_file::{FileText, decode},
    walk::{FolderWalk, NamePattern, WalkEntry},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    literal: Option<bool>,
    ignore_case: Option<bool>,
    context: Option<usize>,
    limit: Option<usize>,
    all: Option<bool>,
}

pub(super) fn tool(context: &Arc<FileContext>) -> FileTool {
    let flag = |description: &str| json!({"type": ["boolean", "null"], "description": description});
    let path = optional_path_schema("a folder or file; without it, all your folders");
    let parameters = schema(
        &["pattern"],
        &json!({
            "pattern": {"type": "string", "minLength": 1, "maxLength": SEARCH_PATTERN_BYTES_MAX, "description": "a regular expression, for one line"},
            "path": path,
            "glob": {"type": ["string", "null"], "description": "only such files: *.md, or src/**/*.rs from the path on"},
            "literal": flag("true: the pattern is a text"),
            "ignore_case": flag("true: capitals and small letters are the same"),
            "context": {
                "type": ["integer", "null"], "minimum": 0, "maximum": SEARCH_CONTEXT_MAX,
                "description": "lines before and after each match"
            },
            "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": SEARCH_MATCHES_MAX, "description": "most matches"},
            "all": flag("true: hidden and ignored files too"),
        }),
    );
    let description = "Searches text files for a pattern; returns the lines with their numbers.";
    reading(context, "files.search", description, parameters, search)
}

fn search(job: &Job) -> Result<Value, ToolError> {
    let arguments: Arguments = job.arguments()?;
    let pattern = arguments.glob.as_deref().map(NamePattern::parse).transpose()?;
    let mut search = Search {
        job,
        regex: compile(&arguments)?,
        until: job.context.clock.monotonic().saturating_add(SEARCH_TIME_MAX),
        context: arguments.context.unwrap_or(0).min(SEARCH_CONTEXT_MAX),
        limit: arguments.limit.unwrap_or(SEARCH_MATCHES_DEFAULT).min(SEARCH_MATCHES_MAX),
        matches: Vec::new(),
        shown_bytes: 0,
        read_bytes: 0,
        files: 0,
        skipped: BTreeMap::new(),
        cut: None,
    };
    let starts = match &arguments.path {
        Some(path) => vec![job.path("path", path)?],
        None => {
            job.folders.iter().map(|f| FilePath { folder: f.clone(), parts: Vec::new() }).collect()
        }
    };
    for start in &starts {
        let mut walk = FolderWalk::new(WALK_DEPTH_MAX, arguments.all == Some(true));
        let flow = match search.start(start, &mut walk, pattern.as_ref()) {
            // Of all folders, one may be missing on this machine.
            Err(_) if arguments.path.is_none() => {
                search.skip("unreadable", 1);
                ControlFlow::Continue(())
            }
            flow => flow?,
        };
        search.skip("passed_over", walk.passed_over);
        search.skip("unreadable", walk.unreadable);
        if flow.is_break() {
            let too_many =
                walk.is_cut().then_some("there are too many files; search in a folder of them");
            search.cut = search.cut.or(too_many);
            break;
        }
    }
    Ok(json!({
        "matches": search.matches,
        "files": search.files,
        "skipped": search.skipped,
        "cut": search.cut,
    }))
}

fn compile(arguments: &Arguments) -> Result<Regex, ToolError> {
    if arguments.pattern.len() > SEARCH_PATTERN_BYTES_MAX {
        let message = format!("pattern: is longer than {SEARCH_PATTERN_BYTES_MAX} bytes");
        return Err(ToolError::new(message));
    }
    let pattern = if arguments.literal == Some(true) {
        regex::escape(&arguments.pattern)
    } else {
        arguments.pattern.clone()
    };
    RegexBuilder::new(&pattern)
        .case_insensitive(arguments.ignore_case == Some(true))
        .size_limit(SEARCH_PROGRAM_BYTES_MAX)
        .dfa_size_limit(SEARCH_PROGRAM_BYTES_MAX)
        .build()
        .map_err(|error| {
            let message = format!(
                "pattern: is not a regular expression: {error}; `literal: true` searches for a text"
            );
            ToolError::new(message)
        })
}

struct Search<'a> {
    job: &'a Job,
    regex: Regex,
    /// On the monotonic clock.
    until: Duration,
    context: usize,
    limit: usize,
    matches: Vec<Value>,
    shown_bytes: usize,
    read_bytes: u64,
    files: usize,
    skipped: BTreeMap<&'static str, usize>,
    cut: Option<&'static str>,
}

impl Search<'_> {
    /// Searches a file, or a folder with what is below it.
    fn start(
        &mut self,
        path: &FilePath,
        walk: &mut FolderWalk,
        pattern: Option<&NamePattern>,
    ) -> Result<ControlFlow<()>, ToolError> {
        if !path.parts.is_empty() {
            let place = Place::open(path, Missing::Refuse)?;
            if place.stat()?.is_some_and(|stat| kind(&stat) != FileType::Directory) {
                let (_, stat) = place.open_file()?;
                let parent = place.parent.as_fd();
                let entry = WalkEntry { parent, name: &place.name, path: &place.name, stat: &stat };
                return Ok(self.visit(&entry, &path.to_text()));
            }
        }
        let folder = open_folder(path)?;
        let root = path.to_text();
        Ok(walk.run(&folder, &mut |entry| {
            let is_meant = pattern.is_none_or(|pattern| pattern.matches(entry));
            if kind(entry.stat) != FileType::RegularFile || !is_meant {
                return self.check_time();
            }
            self.visit(entry, &format!("{root}/{}", entry.path))
        }))
    }

    fn visit(&mut self, entry: &WalkEntry<'_>, path: &str) -> ControlFlow<()> {
        self.check_time()?;
        let Some(text) = self.read(entry) else { return ControlFlow::Continue(()) };
        self.files += 1;
        self.search_text(path, &text)?;
        if self.read_bytes >= SEARCH_BYTES_MAX {
            return self.stop("too many bytes were read; search in fewer files");
        }
        ControlFlow::Continue(())
    }

    fn read(&mut self, entry: &WalkEntry<'_>) -> Option<String> {
        let is_large =
            |stat: &Stat| u64::try_from(stat.st_size).unwrap_or(0) > SEARCH_FILE_BYTES_MAX as u64;
        if is_large(entry.stat) {
            self.skip("large", 1);
            return None;
        }
        let bytes = match open_regular(entry.parent, entry.name) {
            Ok(Some((file, _))) => read_start(file, SEARCH_FILE_BYTES_MAX).ok(),
            Ok(None) | Err(_) => None,
        };
        let Some(bytes) = bytes else {
            self.skip("unreadable", 1);
            return None;
        };
        self.read_bytes = self.read_bytes.saturating_add(bytes.len() as u64);
        match decode(&bytes) {
            FileText::Text { text, .. } => Some(text),
            FileText::Binary { .. } => {
                self.skip("binary", 1);
                None
            }
        }
    }

    fn search_text(&mut self, path: &str, text: &str) -> ControlFlow<()> {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            if index % 4_096 == 4_095 {
                self.check_time()?;
            }
            let Some(found) = self.regex.find(line) else { continue };
            if self.matches.len() >= self.limit {
                return self.stop("there are more matches");
            }
            let (text, at) = (*line, found.start());
            self.add(path, &lines, index, &shorten_around(text, at, SEARCH_LINE_BYTES_MAX));
            if self.shown_bytes >= SEARCH_RESULT_BYTES_MAX {
                return self.stop("the result is large; search for less, or with less context");
            }
        }
        ControlFlow::Continue(())
    }

    fn add(&mut self, path: &str, lines: &[&str], index: usize, text: &str) {
        let shown = |lines: &[&str]| -> Vec<String> {
            lines.iter().map(|line| shorten_around(line, 0, SEARCH_LINE_BYTES_MAX)).collect()
        };
        let mut bytes = path.len() + text.len();
        let mut found = json!({"path": path, "line": index + 1, "text": text});
        if self.context > 0 {
            let end = index.saturating_add(1).saturating_add(self.context).min(lines.len());
            let before =
                shown(lines.get(index.saturating_sub(self.context)..index).unwrap_or_default());
            let after = shown(lines.get(index + 1..end).unwrap_or_default());
            bytes += before.iter().chain(&after).map(String::len).sum::<usize>();
            if let Some(found) = found.as_object_mut() {
                found.insert("before".to_owned(), json!(before));
                found.insert("after".to_owned(), json!(after));
            }
        }
        self.shown_bytes += bytes;
        self.matches.push(found);
    }

    fn check_time(&mut self) -> ControlFlow<()> {
        if self.job.is_dropped() {
            return self.stop("nobody waits for the result any more");
        }
        if self.job.context.clock.monotonic() >= self.until {
            return self.stop("the time was over; search in fewer files");
        }
        ControlFlow::Continue(())
    }

    fn stop(&mut self, why: &'static str) -> ControlFlow<()> {
        self.cut = Some(why);
        ControlFlow::Break(())
    }

    fn skip(&mut self, why: &'static str, count: usize) {
        if count > 0 {
            *self.skipped.entry(why).or_default() += count;
        }
    }
}
