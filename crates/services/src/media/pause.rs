//! `media.pause {}`: lets the music stand.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{
    control::{MusicAct, MusicControl},
    form::marked,
};
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `media.pause`.
#[derive(Clone, Debug)]
pub struct PauseMusic {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

impl PauseMusic {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Pauses the music; media.play goes on at the same place.";
        let spec = tool_spec("media.pause", EffectClass::World, description, parameters);
        Self { spec, music }
    }

    async fn pause(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments {} = parse_arguments(call.arguments)?;
        Ok(Output::json(&marked(self.music.act(call.agent.clone(), MusicAct::Pause).await?)))
    }
}

impl Tool for PauseMusic {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.pause(call))
    }
}
