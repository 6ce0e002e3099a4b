//! `media.search {query, limit?}`: tracks and playlists by words.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{control::MusicControl, form::marked};
use crate::{
    limits::{FOUND_DEFAULT, FOUND_MAX},
    tool_spec::{bounded, object_schema, optional_number, tool_spec},
};

/// The tool `media.search`.
#[derive(Clone, Debug)]
pub struct SearchMusic {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    limit: Option<u64>,
}

impl SearchMusic {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let properties = json!({
            "query": {"type": "string", "description": "words of the title, the artist or the album; all must match"},
            "limit": optional_number("how many tracks at most; 20 unless given, 50 at most"),
        });
        let parameters = object_schema(&["query"], properties);
        let description = "Searches the music library of this machine for tracks, and lists the playlists. The ids are for media.play and media.queue.";
        let spec = tool_spec("media.search", EffectClass::Read, description, parameters);
        Self { spec, music }
    }

    async fn search(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { query, limit } = parse_arguments(call.arguments)?;
        let limit = bounded(limit, FOUND_DEFAULT, FOUND_MAX);
        Ok(Output::json(&marked(self.music.search(query, limit).await?)))
    }
}

impl Tool for SearchMusic {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.search(call))
    }
}
