//! `media.volume {volume}`: sets how loud the music is.

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

/// The tool `media.volume`.
#[derive(Clone, Debug)]
pub struct SetVolume {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    volume: u8,
}

impl SetVolume {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let volume =
            json!({"type": "integer", "minimum": 0, "maximum": 100, "description": "in percent"});
        let parameters = object_schema(&["volume"], json!({ "volume": volume }));
        let description = "Sets how loud the music is, 0 to 100.";
        let spec = tool_spec("media.volume", EffectClass::World, description, parameters);
        Self { spec, music }
    }

    async fn set(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { volume } = parse_arguments(call.arguments)?;
        let act = MusicAct::Volume(volume);
        Ok(Output::json(&marked(self.music.act(call.agent.clone(), act).await?)))
    }
}

impl Tool for SetVolume {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.set(call))
    }
}
