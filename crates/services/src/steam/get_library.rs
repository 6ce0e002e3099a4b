//! `steam.get_library {steam_id?, sort?, limit?}`: the games that a player owns. Ethereal: libraries are long.

use std::sync::Arc;

use abide_domain::{
    Timestamp,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    hours::hours,
    player_service::{PlayerService, games_of},
};
use crate::{
    foreign_text::{NOTICE, short},
    limits::{GAMES_DEFAULT, GAMES_MAX},
    tool_spec::{bounded, filled, object_schema, optional_number, optional_text, tool_spec},
};

const SORTS: [&str; 3] = ["playtime", "name", "last_played"];

/// The tool `steam.get_library`.
#[derive(Clone, Debug)]
pub struct GetLibrary {
    spec: ToolSpec,
    service: Arc<PlayerService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    steam_id: Option<String>,
    sort: Option<String>,
    limit: Option<u64>,
}

impl GetLibrary {
    pub(super) fn new(service: Arc<PlayerService>) -> Self {
        let properties = json!({
            "steam_id": optional_text("a number of 17 digits, a profile name or its address; the configured one unless given"),
            "sort": optional_text("playtime, name or last_played; playtime unless given"),
            "limit": optional_number(&format!("games, up to {GAMES_MAX}; {GAMES_DEFAULT} unless given"))
        });
        let parameters = object_schema(&[], properties);
        let description = "Lists the games that a Steam player owns, with their hours.";
        let spec = tool_spec("steam.get_library", EffectClass::Read, description, parameters);
        Self { spec, service }
    }

    async fn list(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { steam_id, sort, limit } = parse_arguments(call.arguments)?;
        let sort = filled(sort).unwrap_or_else(|| "playtime".into());
        if !SORTS.contains(&sort.as_str()) {
            return Err(ToolError::new(format!("sort: must be one of {}", SORTS.join(", "))));
        }
        let id = self.service.player(filled(steam_id).as_deref()).await?;
        let query = [
            ("steamid", id.as_str()),
            ("include_appinfo", "1"),
            ("include_played_free_games", "1"),
        ];
        let found = self.service.ask("IPlayerService/GetOwnedGames/v1/", &query).await?;
        let mut games: Vec<&Value> = games_of(&found, "game_count")?.iter().collect();
        sort_games(&mut games, &sort);
        let limit = bounded(limit, GAMES_DEFAULT, GAMES_MAX);
        let shown: Vec<Value> = games.iter().take(limit).map(|game| shown(game)).collect();
        let note = format!("{} of {} games of a Steam library; not kept", shown.len(), games.len());
        let content =
            json!({"steam_id": id, "notice": NOTICE, "total": games.len(), "games": shown});
        Ok(Output { ethereal: Some(note), ..Output::json(&content) })
    }
}

impl Tool for GetLibrary {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.list(call))
    }
}

fn sort_games(games: &mut [&Value], sort: &str) {
    let number = |game: &Value, name: &str| game.get(name).and_then(Value::as_u64).unwrap_or(0);
    let newest = |name| move |game: &&Value| std::cmp::Reverse(number(game, name));
    match sort {
        "name" => games.sort_by_key(|game| name_of(game).to_lowercase()),
        "last_played" => games.sort_by_key(newest("rtime_last_played")),
        _ => games.sort_by_key(newest("playtime_forever")),
    }
}

fn shown(game: &Value) -> Value {
    let minutes = |name: &str| game.get(name).and_then(Value::as_u64);
    let played = minutes("rtime_last_played").filter(|seconds| *seconds > 0);
    let played = played.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1_000_000));
    json!({
        "appid": minutes("appid"),
        "name": name_of(game),
        "hours": hours(minutes("playtime_forever").unwrap_or(0)),
        "hours_in_two_weeks": minutes("playtime_2weeks").map(hours),
        "last_played": played.map(Timestamp::from_micros),
    })
}

fn name_of(game: &Value) -> String {
    short(game.get("name").and_then(Value::as_str).unwrap_or_default())
}
