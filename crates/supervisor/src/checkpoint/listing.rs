//! What `abide checkpoint ls` and `verify` show. Works with and without a running keeper; changes nothing.

use std::io;

use abide_domain::AgentId;
use abide_ledger::storage::Storage;
use serde::Serialize;

use super::{
    header::StoredCheckpoint,
    names,
    read::{self, CheckpointReadError},
};

/// A checkpoint's file, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedCheckpoint {
    /// The file.
    pub file: String,
    /// The checkpoint, where its header is whole.
    pub checkpoint: Option<StoredCheckpoint>,
    /// What is wrong with it, if anything that was looked at is.
    pub problem: Option<String>,
}

/// Lists the checkpoints of an agent, newest first. Looks at headers only.
pub fn list_checkpoints(
    storage: &dyn Storage,
    agent: &AgentId,
) -> io::Result<Vec<ListedCheckpoint>> {
    let mut numbers: Vec<_> =
        storage.list()?.iter().filter_map(|name| names::parse(name)).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let listed = numbers.into_iter().map(|number| {
        let read = read::header(storage, number, agent.as_str());
        describe(number, read.map(|header| header.into_checkpoint(number)))
    });
    Ok(listed.collect())
}

/// Reads every byte of one checkpoint of the list, and its state out of them.
pub fn verify_checkpoint(
    storage: &dyn Storage,
    agent: &AgentId,
    listed: &ListedCheckpoint,
) -> ListedCheckpoint {
    match names::parse(&listed.file) {
        Some(number) => {
            let read = read::verify_fully(storage, number, agent.as_str());
            describe(number, read.map(|header| header.into_checkpoint(number)))
                .with_known(listed.checkpoint.as_ref())
        }
        None => ListedCheckpoint {
            problem: Some("it is not the file of a checkpoint".into()),
            ..listed.clone()
        },
    }
}

fn describe(number: u64, read: Result<StoredCheckpoint, CheckpointReadError>) -> ListedCheckpoint {
    let file = names::checkpoint(number);
    match read {
        Ok(checkpoint) => ListedCheckpoint { file, checkpoint: Some(checkpoint), problem: None },
        Err(error) => {
            let problem = match &error {
                CheckpointReadError::Io(source) => format!("{error}: {source}"),
                _ => error.to_string(),
            };
            ListedCheckpoint { file, checkpoint: None, problem: Some(problem) }
        }
    }
}

impl ListedCheckpoint {
    fn with_known(mut self, known: Option<&StoredCheckpoint>) -> Self {
        self.checkpoint = self.checkpoint.or_else(|| known.cloned());
        self
    }
}
