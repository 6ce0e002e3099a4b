//! What the commands about one agent's memory share.

use serde_json::{Map, Value};

use crate::cli::{
    client::{Call, Client},
    context::Context,
    error::CliError,
};

/// Calls of the keeper about one agent's memory, and their output.
pub(super) struct MemoryClient<'a> {
    pub(super) context: &'a Context,
    pub(super) client: Client,
    pub(super) agent: Option<&'a str>,
}

impl MemoryClient<'_> {
    pub(super) async fn get(&self, path: &str) -> Result<Value, CliError> {
        self.client.fetch(Call::get(path)).await
    }

    /// Sends an object, with the agent added.
    pub(super) async fn post(
        &self,
        path: &str,
        mut body: Map<String, Value>,
    ) -> Result<Value, CliError> {
        if let Some(agent) = self.agent {
            body.insert("citizen".into(), agent.into());
        }
        self.client.fetch(Call::post(path, &Value::Object(body))).await
    }

    pub(super) async fn delete(&self, path: &str) -> Result<Value, CliError> {
        self.client.fetch(Call::delete(path)).await
    }

    /// Prints an answer where JSON is asked for, and returns whether it did.
    pub(super) fn print_json(&self, answer: &Value) -> Result<bool, CliError> {
        let terminal = &self.context.terminal;
        if terminal.is_json() {
            terminal.json(answer)?;
        }
        Ok(terminal.is_json())
    }

    /// Tells the person how to get the next page, if there is one.
    pub(super) fn print_cursor(&self, answer: &Value) {
        if let Some(next) = answer.pointer("/next").and_then(Value::as_str) {
            self.context.terminal.say_dimmed(&format!("more with --cursor {next}"));
        }
    }
}

/// An object of the parts that are given.
pub(super) fn object<const N: usize>(parts: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let given = parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect()
}
