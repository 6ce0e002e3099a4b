//! `media.next {}`: plays the next entry of the queue.

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

/// The tool `media.next`.
#[derive(Clone, Debug)]
pub struct PlayNext {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

impl PlayNext {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Plays the next entry of the queue at once.";
        // Twice, an entry would be skipped.
        let spec = tool_spec("media.next", EffectClass::World, description, parameters);
        let spec = ToolSpec { idempotent: false, ..spec };
        Self { spec, music }
    }

    async fn next(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments {} = parse_arguments(call.arguments)?;
        Ok(Output::json(&marked(self.music.act(call.agent.clone(), MusicAct::Next).await?)))
    }
}

impl Tool for PlayNext {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.next(call))
    }
}
