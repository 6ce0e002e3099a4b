//! `media.status {}`: what is played, and what comes next.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{control::MusicControl, form::marked};
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `media.status`.
#[derive(Clone, Debug)]
pub struct ShowMusic {
    spec: ToolSpec,
    music: Arc<dyn MusicControl>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

impl ShowMusic {
    pub(super) fn new(music: Arc<dyn MusicControl>) -> Self {
        let parameters = object_schema(&[], json!({}));
        let description =
            "Says what music is played, where in the track it is, how loud, and what comes next.";
        let spec = tool_spec("media.status", EffectClass::Read, description, parameters);
        Self { spec, music }
    }

    async fn show(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments {} = parse_arguments(call.arguments)?;
        Ok(Output::json(&marked(self.music.status().await?)))
    }
}

impl Tool for ShowMusic {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.show(call))
    }
}
