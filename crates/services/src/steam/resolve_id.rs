//! `steam.resolve_id {player}`: the number of a player by a profile name or address.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::player_service::PlayerService;
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `steam.resolve_id`.
#[derive(Clone, Debug)]
pub struct ResolveId {
    spec: ToolSpec,
    service: Arc<PlayerService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    player: String,
}

impl ResolveId {
    pub(super) fn new(service: Arc<PlayerService>) -> Self {
        let properties = json!({
            "player": {"type": "string", "description": "a profile name, or the address of a profile"}
        });
        let parameters = object_schema(&["player"], properties);
        let description = "Gives the number of a Steam player by a profile name or address.";
        let spec = tool_spec("steam.resolve_id", EffectClass::Read, description, parameters);
        Self { spec, service }
    }

    async fn resolve(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { player } = parse_arguments(call.arguments)?;
        let id = self.service.player(Some(player.trim())).await?;
        Ok(Output::json(&json!({"steam_id": id})))
    }
}

impl Tool for ResolveId {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.resolve(call))
    }
}
