//! `abide checkpoint`: the states that agents' processes have handed in. Listing and verifying read the files, with or
//! without a running keeper; making one and going back to one are the keeper's to do.

use abide_domain::AgentId;
use abide_ledger::FileStorage;
use abide_supervisor::{ListedCheckpoint, StoredCheckpoint, list_checkpoints, verify_checkpoint};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::table,
    words::{encoded, shown},
};

/// Makes, lists, verifies and restores checkpoints of agents' processes
#[derive(Debug, Args)]
pub(crate) struct CheckpointCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Asks the agent's process for its state and keeps it
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
        /// One checkpoint's id; default: all
        checkpoint: Option<String>,
    },
    /// Starts the agent's process anew from a checkpoint; what came after it is set aside
    Restore {
        /// The agent's id
        agent: String,
        /// The checkpoint's id
        checkpoint: String,
    },
}

impl CheckpointCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self.action {
            Action::Ls { agent } => list(context, &agent),
            Action::Verify { agent, checkpoint } => verify(context, &agent, checkpoint.as_deref()),
            Action::Create { agent } => {
                let path = format!("/agents/{}/checkpoint", encoded(&agent));
                steer(context, &path, &json!({})).await
            }
            Action::Restore { agent, checkpoint } => {
                let path = format!("/agents/{}/restore", encoded(&agent));
                steer(context, &path, &json!({"checkpoint_id": checkpoint})).await
            }
        }
    }
}

/// The checkpoints of one agent, where they lie.
struct Shelf {
    agent: AgentId,
    storage: FileStorage,
    listed: Vec<ListedCheckpoint>,
}

impl Shelf {
    fn of(context: &Context, agent: &str) -> Result<Self, Failure> {
        let agent: AgentId = agent
            .parse()
            .map_err(|error| Failure::usage(format!("{agent:?} is no agent: its id {error}")))?;
        let folder = context.home.agent_folder(&agent).join("checkpoints");
        let storage = FileStorage::at(&folder);
        let listed = if folder.is_dir() {
            list_checkpoints(&storage, &agent).map_err(|error| Failure::from_error(&error))?
        } else {
            Vec::new()
        };
        Ok(Self { agent, storage, listed })
    }
}

fn list(context: &Context, agent: &str) -> Result<Exit, Failure> {
    let shelf = Shelf::of(context, agent)?;
    print(context, &shelf.listed)?;
    if shelf.listed.is_empty() {
        context.terminal.say(&format!("{} has no checkpoints", shelf.agent));
    }
    Ok(Exit::Ok)
}

fn verify(context: &Context, agent: &str, id: Option<&str>) -> Result<Exit, Failure> {
    let shelf = Shelf::of(context, agent)?;
    let is_wanted = |listed: &&ListedCheckpoint| id.is_none_or(|id| id_of(listed) == id);
    let wanted = shelf.listed.iter().filter(is_wanted);
    let verified: Vec<_> =
        wanted.map(|listed| verify_checkpoint(&shelf.storage, &shelf.agent, listed)).collect();
    if let (Some(id), true) = (id, verified.is_empty()) {
        return Err(Failure::new(format!("{} has no checkpoint {id}", shelf.agent))
            .hint(format!("`abide checkpoint ls {}` lists them", shelf.agent)));
    }
    print(context, &verified)?;
    match verified.iter().filter(|listed| listed.problem.is_some()).count() {
        0 => Ok(Exit::Ok),
        damaged => {
            Err(Failure::new(format!("{damaged} of {} checkpoints do not verify", verified.len())))
        }
    }
}

fn id_of(listed: &ListedCheckpoint) -> String {
    listed.checkpoint.as_ref().map_or_else(|| listed.file.clone(), |kept| kept.id.to_string())
}

fn print(context: &Context, listed: &[ListedCheckpoint]) -> Result<(), Failure> {
    if context.terminal.is_json() {
        return context.terminal.json(&json!({"items": listed, "next": null}));
    }
    let number = |value: fn(&StoredCheckpoint) -> u64, listed: &ListedCheckpoint| {
        listed.checkpoint.as_ref().map_or_else(|| "-".into(), |kept| value(kept).to_string())
    };
    let row = |listed: &ListedCheckpoint| {
        let created = listed.checkpoint.as_ref().map(|kept| kept.created.to_string());
        vec![
            id_of(listed),
            created.unwrap_or_else(|| "-".into()),
            number(|kept| kept.wal_sequence, listed),
            number(|kept| kept.raw_bytes, listed),
            number(|kept| kept.bytes, listed),
            listed.problem.clone().unwrap_or_else(|| "ok".into()),
        ]
    };
    let head = ["CHECKPOINT", "MADE", "SEQUENCE", "BYTES", "ON DISK", "STATE"];
    let rows: Vec<_> = listed.iter().map(row).collect();
    context.terminal.data_part(&table(&head, &rows))
}

async fn steer(context: &Context, path: &str, body: &serde_json::Value) -> Result<Exit, Failure> {
    let client = Client::find(context)?;
    let answer = client.fetch(Call::post(path, body)).await?;
    if context.terminal.is_json() {
        context.terminal.json(&answer)?;
        return Ok(Exit::Ok);
    }
    let checkpoint = shown(&answer, "/process/checkpoint/id");
    context.terminal.data(&checkpoint)?;
    Ok(Exit::Ok)
}
