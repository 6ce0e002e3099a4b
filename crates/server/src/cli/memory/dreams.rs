//! `abide memory dreams`: what an agent's sleep wrote about each stretch of time.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::client::MemoryClient;
use crate::cli::{
    error::CliError,
    json_text::{display, items, query_string, text, url_encode},
    table::table,
};

/// Lists, shows and removes dreams
#[derive(Debug, Args)]
pub(crate) struct Dreams {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists dreams, the newest first
    Ls {
        /// At most this many
        #[arg(long, default_value_t = 50)]
        limit: u16,
        /// Where to go on: the cursor that the page before printed
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Prints a dream
    Show {
        /// The dream's name in the list
        filename: String,
    },
    /// Removes a dream from the list; its event stays in the ledger
    Forget {
        /// The dream's name in the list
        filename: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Dreams {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        match self.action {
            None => list(memory, None, None).await,
            Some(Action::Ls { limit, cursor }) => {
                list(memory, Some(limit), cursor.as_deref()).await
            }
            Some(Action::Show { filename }) => {
                let query = query_string(&[("citizen", memory.agent)]);
                let answer =
                    memory.get(&format!("/dreams/{}{query}", url_encode(&filename))).await?;
                if !memory.print_json(&answer)? {
                    memory.context.terminal.data(text(&answer, "/content"))?;
                }
                Ok(())
            }
            Some(Action::Forget { filename, reason }) => {
                let query =
                    query_string(&[("citizen", memory.agent), ("reason", reason.as_deref())]);
                memory.delete(&format!("/dreams/{}{query}", url_encode(&filename))).await?;
                memory.context.terminal.say(&format!("removed {filename}"));
                Ok(())
            }
        }
    }
}

async fn list(
    memory: &MemoryClient<'_>,
    limit: Option<u16>,
    cursor: Option<&str>,
) -> Result<(), CliError> {
    let limit = limit.map(|limit| limit.to_string());
    let query =
        query_string(&[("citizen", memory.agent), ("limit", limit.as_deref()), ("cursor", cursor)]);
    let answer = memory.get(&format!("/dreams{query}")).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    let row = |dream: &Value| {
        vec![display(dream, "/filename"), display(dream, "/created_at"), display(dream, "/title")]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    memory.context.terminal.table(&table(&["DREAM", "WRITTEN", "TITLE"], &rows))?;
    if rows.is_empty() {
        memory.context.terminal.say("there are no dreams");
    }
    memory.print_cursor(&answer);
    Ok(())
}
