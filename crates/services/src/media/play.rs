//! `media.play {tracks?, playlist?, entry?}`: goes on, or plays something at once.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{
    control::{MusicAct, MusicControl},
    form::{choice, marked, number_schema, tracks_schema},
};
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `media.play`.
#[derive(Clone, Debug)]
pub struct PlayMusic {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    tracks: Option<Vec<String>>,
    playlist: Option<u64>,
    entry: Option<u64>,
}

impl PlayMusic {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let properties = json!({
            "tracks": tracks_schema(),
            "playlist": number_schema("a playlist, as media.search lists them"),
            "entry": number_schema("an entry of the queue, as media.status lists them"),
        });
        let parameters = object_schema(&[], properties);
        let description = "Plays music on this machine at once: tracks, a playlist or an entry of the queue; without any of these it goes on where it stood.";
        // Twice, the tracks would be in the queue twice.
        let spec = tool_spec("media.play", EffectClass::World, description, parameters);
        let spec = ToolSpec { idempotent: false, ..spec };
        Self { spec, music }
    }

    async fn play(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { tracks, playlist, entry } = parse_arguments(call.arguments)?;
        let act = MusicAct::Play(choice(tracks, playlist, entry)?);
        Ok(Output::json(&marked(self.music.act(call.agent.clone(), act).await?)))
    }
}

impl Tool for PlayMusic {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.play(call))
    }
}
