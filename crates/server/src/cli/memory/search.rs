//! `abide memory search`, `abide memory query`: what was said and is known, by words; the eight queries.

use clap::Args;
use serde_json::{Map, Value, json};

use super::{Scene, object};
use crate::cli::{
    failure::Failure,
    table::{clip, table},
    words::{items, shown, text},
};

/// Characters of a text in a table.
const CLIP: usize = 90;

/// Searches what was said and what is known
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words or a question
    query: String,
    /// At most so many of each
    #[arg(long, default_value_t = 10)]
    limit: u16,
    /// Who asks: "I" and "my" are theirs
    #[arg(long)]
    sender: Option<String>,
}

impl Search {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        let body = object([
            ("query", Some(json!(self.query))),
            ("limit", Some(json!(self.limit))),
            ("sender", self.sender.map(Value::from)),
        ]);
        let answer = scene.post("/memory/search", body).await?;
        if scene.is_printed(&answer)? {
            return Ok(());
        }
        let terminal = &scene.context.terminal;
        let said = items(&answer, "/conversations/items").iter().map(|passage| {
            vec![
                shown(passage, "/ref"),
                shown(passage, "/at"),
                shown(passage, "/speaker"),
                strength(passage),
                clip(text(passage, "/text"), CLIP),
            ]
        });
        let said: Vec<_> = said.collect();
        terminal.data_part(&table(&["REF", "AT", "SPEAKER", "FIT", "TEXT"], &said))?;
        let known: Vec<_> = items(&answer, "/facts/items").iter().map(super::facts::row).collect();
        terminal.data_part(&table(&super::facts::HEAD, &known))?;
        for (name, pointer) in [("conversations", "/conversations"), ("facts", "/facts")] {
            match text(&answer, &format!("{pointer}/status")) {
                "empty" => terminal.say(&format!("{name}: nothing there")),
                "failed" => {
                    let why = shown(&answer, &format!("{pointer}/message"));
                    return Err(Failure::new(format!("{name} could not be searched: {why}")));
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

/// Asks one of the eight queries of the memory graph
#[derive(Debug, Args)]
pub(crate) struct QueryCommand {
    /// Such as query_partnerships
    query: String,
    /// Its parameters, a JSON object
    #[arg(default_value = "{}")]
    params: String,
}

impl QueryCommand {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        let params: Map<String, Value> = serde_json::from_str(&self.params).map_err(|error| {
            Failure::usage(format!("{:?} is no JSON object: {error}", self.params))
        })?;
        let body = object([("query", Some(json!(self.query))), ("params", Some(json!(params)))]);
        let answer = scene.post("/memory/query", body).await?;
        scene.context.terminal.json(&answer)?;
        if text(&answer, "/status") == "failed" {
            return Err(Failure::new(shown(&answer, "/message")));
        }
        Ok(())
    }
}
