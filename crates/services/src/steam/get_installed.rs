//! `steam.get_installed {}`: the games that are installed on this machine, out of Steam's own files, with the hours that these know.

use std::path::PathBuf;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{hours::hours, installed::read_installed, played::read_played};
use crate::{
    foreign_text::NOTICE,
    limits::GAMES_MAX,
    tool_spec::{object_schema, tool_spec},
};

/// Why there are no hours where several people play on this machine.
const WHOSE_UNKNOWN: &str = "several accounts play on this machine, so no hours are given; `id` in [tools.steam] would say whose, by a number of 17 digits";

/// The tool `steam.get_installed`.
#[derive(Clone, Debug)]
pub struct GetInstalled {
    spec: ToolSpec,
    roots: Vec<PathBuf>,
    /// Whose hours are meant, as the settings have it.
    player: Option<String>,
}

impl GetInstalled {
    pub(super) fn new(roots: Vec<PathBuf>, player: Option<String>) -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Lists the Steam games that are installed on this machine, with the hours played where Steam's files have them.";
        let spec = tool_spec("steam.get_installed", EffectClass::Read, description, parameters);
        Self { spec, roots, player }
    }

    async fn list(&self) -> Result<Output, ToolError> {
        let (roots, player) = (self.roots.clone(), self.player.clone());
        let found = tokio::task::spawn_blocking(move || {
            (read_installed(&roots), read_played(&roots, player.as_deref()))
        });
        let (found, played) = found.await.unwrap_or_default();
        if found.libraries == 0 {
            let message = "no Steam folder was found on this machine; a person can list its folders under `roots` in [tools.steam]";
            return Err(ToolError::of(ToolErrorKind::NotFound, message));
        }
        let mut games: Vec<_> = found.games.into_iter().collect();
        games.sort_by_key(|(_, game)| game.name.to_lowercase());
        let total = games.len();
        let shown: Vec<Value> = games
            .into_iter()
            .take(GAMES_MAX)
            .map(|(id, game)| {
                let times = played.games.get(&id).copied().unwrap_or_default();
                json!({
                    "appid": id,
                    "name": game.name,
                    "bytes": game.bytes,
                    "updated": game.updated,
                    "installed": game.is_whole,
                    "hours": times.minutes.map(hours),
                    "last_played": times.last,
                })
            })
            .collect();
        let content = json!({
            "notice": NOTICE,
            "libraries": found.libraries,
            "total": total,
            "games": shown,
            "unreadable_files": found.unreadable + played.unreadable,
            "note": played.is_whose_unknown.then_some(WHOSE_UNKNOWN),
        });
        Ok(Output::json(&content))
    }
}

impl Tool for GetInstalled {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.list())
    }
}
