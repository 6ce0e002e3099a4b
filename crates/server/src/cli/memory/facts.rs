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
    /// Shows the facts that sleep found and that wait for a person, with what was said beside each, and decides on one
    Review {
        /// The proposal's id
        #[arg(required_if_eq_any = [("approve", "true"), ("deny", "true")])]
        proposal: Option<String>,
        /// Remembers it
        #[arg(long, conflicts_with = "deny")]
        approve: bool,
        /// Rejects it
        #[arg(long)]
        deny: bool,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
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

impl Action {
    /// What a decision says to the keeper; none where only what waits is shown.
    const fn decision((approve, deny): (bool, bool)) -> Option<&'static str> {
        match (approve, deny) {
            (true, _) => Some("approve"),
            (_, true) => Some("deny"),
            _ => None,
        }
    }
}

/// Shows the facts that wait, each with what was said beside it.
async fn show_waiting(memory: &MemoryClient<'_>) -> Result<(), CliError> {
    let query = query_string(&[("citizen", memory.agent)]);
    let answer = memory.get(&format!("/knowledge/proposals{query}")).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    let waiting = items(&answer, "/items");
    for fact in waiting {
        memory.context.terminal.data(&format!(
            "{}  {}\n  waits because {}\n  said: {}",
            display(fact, "/proposal_id"),
            display(fact, "/content"),
            display(fact, "/doubt"),
            display(fact, "/said").replace('\n', "\n        ")
        ))?;
    }
    if waiting.is_empty() {
        memory.context.terminal.say("no fact waits for a decision");
    }
    Ok(())
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
            Some(Action::Review { proposal, approve, deny, reason }) => {
                let decided = proposal.zip(Action::decision((approve, deny)));
                let Some((proposal, decision)) = decided else { return show_waiting(memory).await };
                let body = object([
                    ("decision", Some(json!(decision))),
                    ("reason", reason.map(Value::from)),
                ]);
                let path = format!("/knowledge/proposals/{}", url_encode(&proposal));
                let answer = memory.post(&path, body).await?;
                if !memory.print_json(&answer)? {
                    memory.context.terminal.say(&format!("{decision}: {proposal}"));
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
    memory.context.terminal.table(&table(&HEAD, &rows))?;
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
