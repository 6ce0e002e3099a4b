//! `steam.get_installed {}`: the games that are installed on this machine, out of Steam's own files.

use std::path::PathBuf;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::installed::read_installed;
use crate::{
    foreign_text::NOTICE,
    limits::GAMES_MAX,
    tool_spec::{object_schema, tool_spec},
};

/// The tool `steam.get_installed`.
#[derive(Clone, Debug)]
pub struct GetInstalled {
    spec: ToolSpec,
    roots: Vec<PathBuf>,
}

impl GetInstalled {
    pub(super) fn new(roots: Vec<PathBuf>) -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Lists the Steam games that are installed on this machine.";
        let spec = tool_spec("steam.get_installed", EffectClass::Read, description, parameters);
        Self { spec, roots }
    }

    async fn list(&self) -> Result<Output, ToolError> {
        let roots = self.roots.clone();
        let found = tokio::task::spawn_blocking(move || read_installed(&roots)).await;
        let found = found.unwrap_or_default();
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
                json!({
                    "appid": id,
                    "name": game.name,
                    "bytes": game.bytes,
                    "updated": game.updated,
                    "installed": game.is_whole,
                })
            })
            .collect();
        let content = json!({
            "notice": NOTICE,
            "libraries": found.libraries,
            "total": total,
            "games": shown,
            "unreadable_files": found.unreadable,
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
