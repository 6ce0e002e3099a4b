//! `abide memory facts`: what an agent knows, what it knew, and taking it back.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Scene, object};
use crate::cli::{
    failure::Failure,
    table::{clip, table},
    words::{encoded, items, query, shown},
};

/// A fact as a line of a table.
pub(super) const HEAD: [&str; 6] = ["FACT", "CATEGORY", "SINCE", "UNTIL", "TOLD BY", "CONTENT"];

/// Lists, remembers and forgets facts
#[derive(Debug, Args)]
pub(crate) struct Facts {
    /// Facts that hold no longer too
    #[arg(long)]
    history: bool,
    /// Only those with these words
    #[arg(short, long, value_name = "WORDS", conflicts_with = "history")]
    query: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50)]
    limit: u16,
    /// The `next` of the page before
    #[arg(long)]
    cursor: Option<String>,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Remembers a fact that you vouch for
    Remember {
        /// One statement
        content: String,
        /// user, project or world
        #[arg(long)]
        category: Option<String>,
        /// A word to find it by; may be given again
        #[arg(long = "tag")]
        tags: Vec<String>,
        /// The id of the fact that it takes the place of
        #[arg(long, value_name = "FACT")]
        supersedes: Option<String>,
    },
    /// Takes a fact back; its line stays in the ledger
    Forget {
        /// Its id
        fact: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Facts {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        match self.action {
            None => {
                let limit = self.limit.to_string();
                let query = query(&[
                    ("citizen", scene.agent),
                    ("q", self.query.as_deref()),
                    ("history", self.history.then_some("1")),
                    ("limit", Some(&limit)),
                    ("cursor", self.cursor.as_deref()),
                ]);
                list(scene, &scene.get(&format!("/knowledge{query}")).await?)
            }
            Some(Action::Remember { content, category, tags, supersedes }) => {
                let body = object([
                    ("content", Some(json!(content))),
                    ("category", category.map(Value::from)),
                    ("tags", Some(json!(tags))),
                    ("supersedes", supersedes.map(Value::from)),
                ]);
                let answer = scene.post("/knowledge", body).await?;
                if !scene.is_printed(&answer)? {
                    scene.context.terminal.data(&shown(&answer, "/fact_id"))?;
                }
                Ok(())
            }
            Some(Action::Forget { fact, reason }) => {
                let query = query(&[("citizen", scene.agent), ("reason", reason.as_deref())]);
                scene.delete(&format!("/knowledge/{}{query}", encoded(&fact))).await?;
                scene.context.terminal.say(&format!("forgot {fact}"));
                Ok(())
            }
        }
    }
}

fn list(scene: &Scene<'_>, answer: &Value) -> Result<(), Failure> {
    if scene.is_printed(answer)? {
        return Ok(());
    }
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    scene.context.terminal.data_part(&table(&HEAD, &rows))?;
    if rows.is_empty() {
        scene.context.terminal.say("no facts");
    }
    scene.more(answer);
    Ok(())
}

pub(super) fn row(fact: &Value) -> Vec<String> {
    vec![
        shown(fact, "/fact_id"),
        shown(fact, "/category"),
        shown(fact, "/valid_from"),
        shown(fact, "/valid_to"),
        shown(fact, "/told_by"),
        clip(&shown(fact, "/content"), 90),
    ]
}
