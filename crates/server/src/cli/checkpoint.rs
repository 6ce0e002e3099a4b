//! `abide checkpoint`: the states that agents' processes have handed in. Listing and verifying read the files, with or
//! without a running keeper; only a running keeper creates and restores them.

use abide_domain::AgentId;
use abide_ledger::{FileStorage, storage::require_folder};
use abide_supervisor::{ListedCheckpoint, StoredCheckpoint, list_checkpoints, verify_checkpoint};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, format_count, items, url_encode},
    table::table,
};

/// Creates, lists, verifies and restores checkpoints of agents' processes
#[derive(Debug, Args)]
pub(crate) struct CheckpointCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Asks the agent's process for its state and stores it
    Create {
        /// The agent's id
        agent: String,
    },
    /// Lists them, newest first
    Ls {
        /// The agent's id
        agent: String,
    },
    /// Reads every byte of them and checks it
    Verify {
        /// The agent's id
        agent: String,
        /// The checkpoint's id [default: all]
        checkpoint: Option<String>,
    },
    /// Restarts the agent's process from a checkpoint; what came after it is set aside
    Restore {
        /// The agent's id
        agent: String,
        /// The checkpoint's id
        checkpoint: String,
    },
}

impl CheckpointCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Ls { agent } => list(context, &agent),
            Action::Verify { agent, checkpoint } => verify(context, &agent, checkpoint.as_deref()),
            Action::Create { agent } => {
                let path = format!("/agents/{}/checkpoint", url_encode(&agent));
                post_and_print(context, &path, &json!({})).await
            }
            Action::Restore { agent, checkpoint } => {
                let path = format!("/agents/{}/restore", url_encode(&agent));
                post_and_print(context, &path, &json!({"checkpoint_id": checkpoint})).await
            }
        }
    }
}

/// The checkpoints of one agent in its folder.
struct CheckpointFolder {
    agent: AgentId,
    storage: FileStorage,
    listed: Vec<ListedCheckpoint>,
}

impl CheckpointFolder {
    fn open(context: &Context, agent: &str) -> Result<Self, CliError> {
        let agent: AgentId = agent.parse().map_err(|error| {
            CliError::usage(format!("{agent:?} is not an agent: its id {error}"))
        })?;
        let path = context.home.agent_folder(&agent).join("checkpoints");
        let has_folder =
            context.home.require_agent_folder(&agent).map_err(|error| CliError::folder(&error))?;
        let is_there =
            has_folder && require_folder(&path).map_err(|error| CliError::folder(&error))?;
        let storage = FileStorage::at(&path);
        let listed = if is_there { list_checkpoints(&storage, &agent)? } else { Vec::new() };
        Ok(Self { agent, storage, listed })
    }
}

fn list(context: &Context, agent: &str) -> Result<Exit, CliError> {
    let folder = CheckpointFolder::open(context, agent)?;
    print(context, &folder.listed)?;
    if folder.listed.is_empty() {
        context.terminal.say(&format!("{} has no checkpoints", folder.agent));
    }
    Ok(Exit::Ok)
}

fn verify(context: &Context, agent: &str, id: Option<&str>) -> Result<Exit, CliError> {
    let folder = CheckpointFolder::open(context, agent)?;
    let is_wanted = |listed: &&ListedCheckpoint| id.is_none_or(|id| id_of(listed) == id);
    let wanted = folder.listed.iter().filter(is_wanted);
    let verified: Vec<_> =
        wanted.map(|listed| verify_checkpoint(&folder.storage, &folder.agent, listed)).collect();
    if let (Some(id), true) = (id, verified.is_empty()) {
        return Err(CliError::new(format!("{} has no checkpoint {id}", folder.agent))
            .hint(format!("`abide checkpoint ls {}` lists them", folder.agent)));
    }
    print(context, &verified)?;
    match verified.iter().filter(|listed| listed.problem.is_some()).count() {
        0 => Ok(Exit::Ok),
        damaged => Err(CliError::new(format!(
            "damaged: {damaged} of {}",
            format_count(verified.len() as u64, "checkpoint")
        ))),
    }
}

fn id_of(listed: &ListedCheckpoint) -> String {
    listed.checkpoint.as_ref().map_or_else(|| listed.file.clone(), |stored| stored.id.to_string())
}

fn print(context: &Context, listed: &[ListedCheckpoint]) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(&json!({"items": listed, "next": null}));
    }
    let number = |value: fn(&StoredCheckpoint) -> u64, listed: &ListedCheckpoint| {
        listed.checkpoint.as_ref().map_or_else(|| "-".into(), |stored| value(stored).to_string())
    };
    let row = |listed: &ListedCheckpoint| {
        let created = listed.checkpoint.as_ref().map(|stored| stored.created.to_string());
        vec![
            id_of(listed),
            created.unwrap_or_else(|| "-".into()),
            number(|stored| stored.wal_sequence, listed),
            number(|stored| stored.raw_bytes, listed),
            number(|stored| stored.bytes, listed),
            listed.problem.clone().unwrap_or_else(|| "ok".into()),
        ]
    };
    let head = ["CHECKPOINT", "CREATED", "SEQUENCE", "BYTES", "ON DISK", "STATE"];
    let rows: Vec<_> = listed.iter().map(row).collect();
    context.terminal.table(&table(&head, &rows))
}

async fn post_and_print(
    context: &Context,
    path: &str,
    body: &serde_json::Value,
) -> Result<Exit, CliError> {
    let client = Client::find(context)?;
    let answer = client.fetch(Call::post(path, body)).await?;
    if context.terminal.is_json() {
        context.terminal.json(&answer)?;
        return Ok(Exit::Ok);
    }
    let restored = "/restored/checkpoint_id";
    let id = if answer.pointer(restored).is_some() { restored } else { "/process/checkpoint/id" };
    context.terminal.data(&display(&answer, id))?;
    for set_aside in items(&answer, "/restored/set_aside") {
        context.terminal.say(set_aside.as_str().unwrap_or_default());
    }
    Ok(Exit::Ok)
}
