//! `abide memory`: what an agent is, knows, remembers and dreamt. All but `rebuild` ask the running keeper.

use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
};

mod dreams;
mod facts;
mod graph;
mod identity;
mod rebuild;
mod search;

/// Shows and edits what an agent is, knows, remembers and dreamt
#[derive(Debug, Args)]
pub(crate) struct MemoryCommand {
    /// Whose memory [default: the only agent's]
    #[arg(long, global = true, value_name = "AGENT")]
    agent: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Search(search::Search),
    Query(search::QueryCommand),
    Facts(facts::Facts),
    Identity(identity::Identity),
    Dreams(dreams::Dreams),
    Graph(graph::Graph),
    Rebuild(rebuild::Rebuild),
}

/// What the commands about one agent's memory share.
struct Scene<'a> {
    context: &'a Context,
    client: Client,
    agent: Option<&'a str>,
}

impl Scene<'_> {
    async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.client.fetch(Call::get(path)).await
    }

    /// Sends an object, with the agent that it is about.
    async fn post(&self, path: &str, mut body: Map<String, Value>) -> Result<Value, Failure> {
        if let Some(agent) = self.agent {
            body.insert("citizen".into(), agent.into());
        }
        self.client.fetch(Call::post(path, &Value::Object(body))).await
    }

    async fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.client.fetch(Call::delete(path)).await
    }

    /// Prints an answer as JSON where that is asked for, and says whether it did.
    fn is_printed(&self, answer: &Value) -> Result<bool, Failure> {
        let terminal = &self.context.terminal;
        if terminal.is_json() {
            terminal.json(answer)?;
        }
        Ok(terminal.is_json())
    }

    /// Says that there is more.
    fn more(&self, answer: &Value) {
        if let Some(next) = answer.pointer("/next").and_then(Value::as_str) {
            self.context.terminal.aside(&format!("more with --cursor {next}"));
        }
    }
}

impl MemoryCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        if let Action::Rebuild(command) = self.action {
            return command.run(context, self.agent.as_deref()).await;
        }
        let client = Client::find(context)?;
        let scene = Scene { context, client, agent: self.agent.as_deref() };
        match self.action {
            Action::Search(command) => command.run(&scene).await?,
            Action::Query(command) => command.run(&scene).await?,
            Action::Facts(command) => command.run(&scene).await?,
            Action::Identity(command) => command.run(&scene).await?,
            Action::Dreams(command) => command.run(&scene).await?,
            Action::Graph(command) => command.run(&scene).await?,
            Action::Rebuild(_) => {}
        }
        Ok(Exit::Ok)
    }
}

/// An object of the parts that are given.
fn object<const N: usize>(parts: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let given = parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect()
}

/// The text of a file, or of stdin for `-`, at most so many bytes.
fn text_of(file: &str, bytes_max: u64) -> Result<String, Failure> {
    use std::io::Read as _;
    let failed =
        |error: &std::io::Error| Failure::new(format!("{file} cannot be read")).because(error);
    let source: Box<dyn std::io::Read> = if file == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(|error| failed(&error))?)
    };
    let mut text = String::new();
    source.take(bytes_max + 1).read_to_string(&mut text).map_err(|error| failed(&error))?;
    if text.len() as u64 > bytes_max {
        return Err(Failure::new(format!("{file} has more than {bytes_max} bytes")));
    }
    Ok(text)
}
