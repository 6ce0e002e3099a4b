//! `abide memory facts`: what an agent knows and what it knew; adding and removing facts.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::client::{MemoryClient, object};
use crate::cli::{
    error::CliError,
    json_text::{display, items, query_string, url_encode},
    table::{clip, table},
};

/// Columns of a table of facts.
pub(super) const HEAD: [&str; 6] = ["FACT", "CATEGORY", "SINCE", "UNTIL", "TOLD BY", "CONTENT"];

/// Lists, adds and removes facts
#[derive(Debug, Args)]
pub(crate) struct Facts {
    /// Includes facts that are no longer valid
    #[arg(long)]
    history: bool,
    /// Only facts with these words
    #[arg(short, long, value_name = "WORDS", conflicts_with = "history")]
    query: Option<String>,
    /// At most this many
    #[arg(long, default_value_t = 50)]
    limit: u16,
    /// Where to go on: the cursor that the page before printed
    #[arg(long)]
    cursor: Option<String>,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Adds a fact in your name
    Remember {
        /// The fact: one statement
        content: String,
        /// Its category: user, project or world
        #[arg(long)]
        category: Option<String>,
        /// A word to find it by; may be given several times
        #[arg(long = "tag")]
        tags: Vec<String>,
        /// The id of the fact that it replaces
        #[arg(long, value_name = "FACT")]
        supersedes: Option<String>,
    },
    /// Removes a fact; its event stays in the ledger
    Forget {
        /// The fact's id
        fact: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Facts {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        match self.action {
            None => {
                let limit = self.limit.to_string();
                let query = query_string(&[
                    ("citizen", memory.agent),
                    ("q", self.query.as_deref()),
                    ("history", self.history.then_some("1")),
                    ("limit", Some(&limit)),
                    ("cursor", self.cursor.as_deref()),
                ]);
                list(memory, &memory.get(&format!("/knowledge{query}")).await?)
            }
            Some(Action::Remember { content, category, tags, supersedes }) => {
                let body = object([
                    ("content", Some(json!(content))),
                    ("category", category.map(Value::from)),
                    ("tags", Some(json!(tags))),
                    ("supersedes", supersedes.map(Value::from)),
                ]);
                let answer = memory.post("/knowledge", body).await?;
                if !memory.print_json(&answer)? {
                    memory.context.terminal.data(&display(&answer, "/fact_id"))?;
                }
                Ok(())
            }
            Some(Action::Forget { fact, reason }) => {
                let query =
                    query_string(&[("citizen", memory.agent), ("reason", reason.as_deref())]);
                memory.delete(&format!("/knowledge/{}{query}", url_encode(&fact))).await?;
                memory.context.terminal.say(&format!("removed {fact}"));
                Ok(())
            }
        }
    }
}

fn list(memory: &MemoryClient<'_>, answer: &Value) -> Result<(), CliError> {
    if memory.print_json(answer)? {
        return Ok(());
    }
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    memory.context.terminal.data_part(&table(&HEAD, &rows))?;
    if rows.is_empty() {
        memory.context.terminal.say("there are no facts");
    }
    memory.print_cursor(answer);
    Ok(())
}

pub(super) fn row(fact: &Value) -> Vec<String> {
    vec![
        display(fact, "/fact_id"),
        display(fact, "/category"),
        display(fact, "/valid_from"),
        display(fact, "/valid_to"),
        display(fact, "/told_by"),
        clip(&display(fact, "/content"), 90),
    ]
}
