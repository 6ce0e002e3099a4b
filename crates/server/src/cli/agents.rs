//! `abide agents`: the agents of the running keeper.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, url_encode},
    table::table,
};

/// Columns of the list; `-` in those of a process where the agent's mind runs in the keeper.
const HEAD: [&str; 10] = [
    "AGENT",
    "MIND",
    "STATE",
    "PID",
    "RESTARTS",
    "UPTIME S",
    "LAST HEARTBEAT",
    "LAST PROGRESS",
    "WAL LAG",
    "CHECKPOINT",
];

/// Lists, shows and controls agents
#[derive(Debug, Args)]
pub(crate) struct Agents {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists all agents
    Ls,
    /// Shows an agent
    Show {
        /// The agent's id
        agent: String,
    },
    /// Restarts an agent's process
    Restart {
        /// The agent's id
        agent: String,
    },
    /// Lets a parked or paused agent take stimuli again
    Resume {
        /// The agent's id
        agent: String,
    },
    /// Stops an agent from taking stimuli; they wait in its queue
    Park {
        /// The agent's id
        agent: String,
    },
}

impl Agents {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        match self.action {
            Action::Ls => list(context, &client).await?,
            Action::Show { agent } => {
                let answer =
                    client.fetch(Call::get(&format!("/agents/{}", url_encode(&agent)))).await?;
                context.terminal.json(&answer)?;
            }
            Action::Restart { agent } => post_action(context, &client, &agent, "restart").await?,
            Action::Resume { agent } => post_action(context, &client, &agent, "resume").await?,
            Action::Park { agent } => post_action(context, &client, &agent, "park").await?,
        }
        Ok(Exit::Ok)
    }
}

async fn list(context: &Context, client: &Client) -> Result<(), CliError> {
    let answer = client.fetch(Call::get("/agents?limit=500")).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    let row = |agent| {
        vec![
            display(agent, "/id"),
            display(agent, "/mind"),
            display(agent, "/state"),
            display(agent, "/process/pid"),
            display(agent, "/process/restarts"),
            display(agent, "/process/uptime_s"),
            display(agent, "/process/last_heartbeat_at"),
            display(agent, "/process/last_progress_at"),
            display(agent, "/process/wal_lag"),
            display(agent, "/process/checkpoint/created_at"),
        ]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    context.terminal.table(&table(&HEAD, &rows))
}

async fn post_action(
    context: &Context,
    client: &Client,
    agent: &str,
    action: &str,
) -> Result<(), CliError> {
    let path = format!("/agents/{}/{action}", url_encode(agent));
    let answer = client.fetch(Call::post(&path, &json!({}))).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    context.terminal.say(&format!("{agent} is {}", display(&answer, "/state")));
    Ok(())
}
