//! Searches out of a folder, for demonstrations and tests: each file is `{"query": "…", "results": [{title, url, snippet}]}`.

use std::{fs, path::PathBuf};

use abide_tools::{ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::backend::{SearchBackend, WebQuery, WebResult, WebResults};
use crate::limits::{RECORDED_FILES_MAX, SERVICE_BYTES_MAX};

/// Recorded searches.
#[derive(Clone, Debug)]
pub struct RecordedSearch {
    folder: PathBuf,
}

#[derive(Deserialize)]
struct Recording {
    query: String,
    results: Vec<WebResult>,
}

impl RecordedSearch {
    /// The searches of the files `*.json` in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }
}

impl SearchBackend for RecordedSearch {
    fn name(&self) -> &'static str {
        "the folder of recorded searches"
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebResults, ToolError>> {
        let (folder, words) = (self.folder.clone(), words_of(&query.words));
        Box::pin(async move {
            let reading = tokio::task::spawn_blocking(move || read(&folder, &words));
            reading.await.unwrap_or_else(|_| Err(failed("its reader ended")))
        })
    }
}

fn read(folder: &PathBuf, words: &[String]) -> Result<WebResults, ToolError> {
    let files = fs::read_dir(folder).map_err(|error| failed(&error.to_string()))?;
    for file in files.flatten().take(RECORDED_FILES_MAX) {
        let path = file.path();
        let is_small = file.metadata().is_ok_and(|metadata| metadata.len() <= SERVICE_BYTES_MAX);
        if path.extension().is_none_or(|ending| ending != "json") || !is_small {
            continue;
        }
        let text = fs::read(&path).map_err(|error| failed(&error.to_string()))?;
        let recording: Recording = serde_json::from_slice(&text)
            .map_err(|error| failed(&format!("{}: {error}", path.display())))?;
        if words_of(&recording.query) == words {
            return Ok(WebResults { results: recording.results, notes: Vec::new() });
        }
    }
    Ok(WebResults::default())
}

fn words_of(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

fn failed(problem: &str) -> ToolError {
    let message = format!("recorded searches could not be read: {problem}");
    ToolError::of(ToolErrorKind::Upstream, message)
}
