//! `media.queue {tracks?, playlist?, place?}`: puts tracks or a playlist into the queue.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{
    control::{MusicAct, MusicControl, MusicPlace},
    form::{choice, marked, number_schema, tracks_schema},
};
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `media.queue`.
#[derive(Clone, Debug)]
pub struct QueueMusic {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    tracks: Option<Vec<String>>,
    playlist: Option<u64>,
    place: Option<MusicPlace>,
}

impl QueueMusic {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let properties = json!({
            "tracks": tracks_schema(),
            "playlist": number_schema("a playlist, as media.search lists them"),
            "place": {"type": ["string", "null"], "enum": ["next", "end", null], "description": "next: behind what is played; end, the default: to the end"},
        });
        let parameters = object_schema(&[], properties);
        let description =
            "Puts tracks or a playlist into the queue of music, without playing them at once.";
        // Twice, the tracks would be in the queue twice.
        let spec = tool_spec("media.queue", EffectClass::World, description, parameters);
        let spec = ToolSpec { idempotent: false, ..spec };
        Self { spec, music }
    }

    async fn queue(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { tracks, playlist, place } = parse_arguments(call.arguments)?;
        let what = choice(tracks, playlist, None)?;
        let what = what.ok_or_else(|| ToolError::new("give `tracks` or a `playlist`"))?;
        let act = MusicAct::Queue(what, place.unwrap_or_default());
        Ok(Output::json(&marked(self.music.act(call.agent.clone(), act).await?)))
    }
}

impl Tool for QueueMusic {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.queue(call))
    }
}
