//! `abide agents`: the agents of the running keeper.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::table,
    words::{encoded, items, shown},
};

/// One line an agent, with its process; `-` where its mind runs in the keeper.
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

/// Lists, shows and steers agents
#[derive(Debug, Args)]
pub(crate) struct Agents {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists them
    Ls,
    /// Shows one
    Show {
        /// Its id
        agent: String,
    },
    /// Starts its process anew
    Restart {
        /// Its id
        agent: String,
    },
    /// Lets a parked or paused agent go on
    Resume {
        /// Its id
        agent: String,
    },
    /// Stops an agent from taking stimuli up; they queue
    Park {
        /// Its id
        agent: String,
    },
}

impl Agents {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        match self.action {
            Action::Ls => list(context, &client).await?,
            Action::Show { agent } => {
                let answer =
                    client.fetch(Call::get(&format!("/agents/{}", encoded(&agent)))).await?;
                context.terminal.json(&answer)?;
            }
            Action::Restart { agent } => steer(context, &client, &agent, "restart").await?,
            Action::Resume { agent } => steer(context, &client, &agent, "resume").await?,
            Action::Park { agent } => steer(context, &client, &agent, "park").await?,
        }
        Ok(Exit::Ok)
    }
}

async fn list(context: &Context, client: &Client) -> Result<(), Failure> {
    let answer = client.fetch(Call::get("/agents?limit=500")).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    let row = |agent| {
        vec![
            shown(agent, "/id"),
            shown(agent, "/mind"),
            shown(agent, "/state"),
            shown(agent, "/process/pid"),
            shown(agent, "/process/restarts"),
            shown(agent, "/process/uptime_s"),
            shown(agent, "/process/last_heartbeat_at"),
            shown(agent, "/process/last_progress_at"),
            shown(agent, "/process/wal_lag"),
            shown(agent, "/process/checkpoint/created_at"),
        ]
    };
    let rows: Vec<_> = items(&answer, "/items").iter().map(row).collect();
    context.terminal.data_part(&table(&HEAD, &rows))
}

async fn steer(
    context: &Context,
    client: &Client,
    agent: &str,
    action: &str,
) -> Result<(), Failure> {
    let path = format!("/agents/{}/{action}", encoded(agent));
    let answer = client.fetch(Call::post(&path, &json!({}))).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    context.terminal.say(&format!("{agent} is {}", shown(&answer, "/state")));
    Ok(())
}
