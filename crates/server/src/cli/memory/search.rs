//! `abide memory search` and `abide memory query`: search by words, and the eight queries of the graph.

use clap::Args;
use serde_json::{Map, Value, json};

use super::client::{MemoryClient, object};
use crate::cli::{
    error::CliError,
    json_text::{display, items, text},
    table::{clip, table},
};

/// Characters of a text in a table.
const CLIP: usize = 90;

/// Searches conversations and facts
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words or a question
    query: String,
    /// At most this many of each
    #[arg(long, default_value_t = 10)]
    limit: u16,
    /// Who asks: "I" and "my" mean this person
    #[arg(long)]
    sender: Option<String>,
}

impl Search {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        let body = object([
            ("query", Some(json!(self.query))),
            ("limit", Some(json!(self.limit))),
            ("sender", self.sender.map(Value::from)),
        ]);
        let answer = memory.post("/memory/search", body).await?;
        if memory.print_json(&answer)? {
            return Ok(());
        }
        let terminal = &memory.context.terminal;
        let passages = items(&answer, "/conversations/items").iter().map(|passage| {
            vec![
                display(passage, "/ref"),
                display(passage, "/at"),
                display(passage, "/speaker"),
                strength(passage),
                clip(text(passage, "/text"), CLIP),
            ]
        });
        let passages: Vec<_> = passages.collect();
        terminal.table(&table(&["REF", "AT", "SPEAKER", "FIT", "TEXT"], &passages))?;
        let facts: Vec<_> = items(&answer, "/facts/items").iter().map(super::facts::row).collect();
        terminal.table(&table(&super::facts::HEAD, &facts))?;
        for (name, pointer) in [("conversations", "/conversations"), ("facts", "/facts")] {
            match text(&answer, &format!("{pointer}/status")) {
                "empty" => terminal.say(&format!("{name}: none found")),
                "failed" => {
                    let why = display(&answer, &format!("{pointer}/message"));
                    return Err(CliError::new(format!("{name} could not be searched: {why}")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn strength(item: &Value) -> String {
    let strength = item.pointer("/strength").and_then(Value::as_f64);
    strength.map_or_else(|| "-".to_owned(), |strength| format!("{strength:.2}"))
}

/// Runs one of the eight queries of the memory graph
#[derive(Debug, Args)]
pub(crate) struct QueryCommand {
    /// The query, such as query_partnerships
    query: String,
    /// The query's parameters, a JSON object
    #[arg(default_value = "{}")]
    params: String,
}

impl QueryCommand {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        let params: Map<String, Value> = serde_json::from_str(&self.params).map_err(|error| {
            CliError::usage(format!("{:?} is not a JSON object: {error}", self.params))
        })?;
        let body = object([("query", Some(json!(self.query))), ("params", Some(json!(params)))]);
        let answer = memory.post("/memory/query", body).await?;
        memory.context.terminal.json(&answer)?;
        if text(&answer, "/status") == "failed" {
            return Err(CliError::new(display(&answer, "/message")));
        }
        Ok(())
    }
}
