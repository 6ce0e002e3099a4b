//! `abide memory`: an agent's identity, facts, graph and dreams. All but `rebuild` and `erase` call the running keeper.

use clap::{Args, Subcommand};

use client::MemoryClient;

use super::{
    client::Client,
    context::Context,
    error::{CliError, Exit},
};

mod client;
mod dreams;
mod erase;
mod facts;
mod forget;
mod graph;
mod identity;
mod rebuild;
mod search;

/// Shows and edits an agent's identity, facts, graph and dreams
#[derive(Debug, Args)]
pub(crate) struct MemoryCommand {
    /// The agent [default: the only one]
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
    Forget(forget::Forget),
    Identity(identity::Identity),
    Dreams(dreams::Dreams),
    Erase(erase::Erase),
    Graph(graph::Graph),
    Rebuild(rebuild::Rebuild),
}

impl MemoryCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        if let Action::Rebuild(command) = self.action {
            return command.run(context, self.agent.as_deref()).await;
        }
        if let Action::Erase(command) = self.action {
            return command.run(context, self.agent.as_deref()).await;
        }
        let client = Client::find(context)?;
        let memory = MemoryClient { context, client, agent: self.agent.as_deref() };
        match self.action {
            Action::Search(command) => command.run(&memory).await?,
            Action::Query(command) => command.run(&memory).await?,
            Action::Facts(command) => command.run(&memory).await?,
            Action::Forget(command) => command.run(&memory).await?,
            Action::Identity(command) => command.run(&memory).await?,
            Action::Dreams(command) => command.run(&memory).await?,
            Action::Graph(command) => command.run(&memory).await?,
            Action::Rebuild(_) | Action::Erase(_) => {}
        }
        Ok(Exit::Ok)
    }
}
