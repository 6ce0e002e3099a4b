//! `abide memory dreams`: what an agent wrote down while it slept.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::Scene;
use crate::cli::{
    failure::Failure,
    table::table,
    words::{encoded, items, query, shown, text},
};

/// Lists, shows and forgets dreams
#[derive(Debug, Args)]
pub(crate) struct Dreams {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists them, the newest first
    Ls {
        /// At most so many
        #[arg(long, default_value_t = 50)]
        limit: u16,
        /// The `next` of the page before
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Prints one
    Show {
        /// Its name in the list
        filename: String,
    },
    /// Takes one out of the list; its line stays in the ledger
    Forget {
        /// Its name in the list
        filename: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Dreams {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        match self.action {
            None => list(scene, None, None).await,
            Some(Action::Ls { limit, cursor }) => list(scene, Some(limit), cursor.as_deref()).await,
            Some(Action::Show { filename }) => {
                let query = query(&[("citizen", scene.agent)]);
                let answer = scene.get(&format!("/dreams/{}{query}", encoded(&filename))).await?;
                if !scene.is_printed(&answer)? {
                    scene.context.terminal.data(text(&answer, "/content"))?;
                }
                Ok(())
            }
            Some(Action::Forget { filename, reason }) => {
                let query = query(&[("citizen", scene.agent), ("reason", reason.as_deref())]);
                scene.delete(&format!("/dreams/{}{query}", encoded(&filename))).await?;
                scene.context.terminal.say(&format!("forgot {filename}"));
                Ok(())
            }
        }
    }
}

async fn list(scene: &Scene<'_>, limit: Option<u16>, cursor: Option<&str>) -> Result<(), Failure> {
    let limit = limit.map(|limit| limit.to_string());
    let query = query(&[("citizen", scene.agent), ("limit", limit.as_deref()), ("cursor", cursor)]);
    let answer = scene.get(&format!("/dreams{query}")).await?;
    if scene.is_printed(&answer)? {
        return Ok(());
    }
    let row = |dream: &Value| {
        vec![shown(dream, "/filename"), shown(dream, "/created_at"), shown(dream, "/title")]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    scene.context.terminal.data_part(&table(&["DREAM", "WRITTEN", "TITLE"], &rows))?;
    if rows.is_empty() {
        scene.context.terminal.say("no dreams");
    }
    scene.more(&answer);
    Ok(())
}
