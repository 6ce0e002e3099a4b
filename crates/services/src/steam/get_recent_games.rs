//! `steam.get_recent_games {steam_id?}`: what a player played in the last two weeks.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::player_service::{PlayerService, games_of};
use crate::{
    foreign_text::{NOTICE, short},
    limits::GAMES_DEFAULT,
    tool_spec::{filled, object_schema, optional_text, tool_spec},
};

/// The tool `steam.get_recent_games`.
#[derive(Clone, Debug)]
pub struct GetRecentGames {
    spec: ToolSpec,
    service: Arc<PlayerService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    steam_id: Option<String>,
}

impl GetRecentGames {
    pub(super) fn new(service: Arc<PlayerService>) -> Self {
        let properties = json!({
            "steam_id": optional_text("a number of 17 digits, a profile name or its address; the configured one unless given")
        });
        let parameters = object_schema(&[], properties);
        let description = "Lists what a Steam player played in the last two weeks.";
        let spec = tool_spec("steam.get_recent_games", EffectClass::Read, description, parameters);
        Self { spec, service }
    }

    async fn list(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { steam_id } = parse_arguments(call.arguments)?;
        let id = self.service.player(filled(steam_id).as_deref()).await?;
        let query = [("steamid", id.as_str()), ("count", "0")];
        let found = self.service.ask("IPlayerService/GetRecentlyPlayedGames/v1/", &query).await?;
        let games = games_of(&found, "total_count")?;
        let shown: Vec<Value> = games.iter().take(GAMES_DEFAULT).map(shown).collect();
        Ok(Output::json(&json!({"steam_id": id, "notice": NOTICE, "games": shown})))
    }
}

impl Tool for GetRecentGames {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.list(call))
    }
}

fn shown(game: &Value) -> Value {
    let number = |name: &str| game.get(name).and_then(Value::as_u64);
    json!({
        "appid": number("appid"),
        "name": short(game.get("name").and_then(Value::as_str).unwrap_or_default()),
        "minutes_in_two_weeks": number("playtime_2weeks"),
        "minutes": number("playtime_forever"),
    })
}
