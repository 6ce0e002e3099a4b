//! A row of `abide doctor`: whether the checkpoints of agents' processes verify.

use std::path::Path;

use abide_domain::AgentId;
use abide_ledger::{FileStorage, storage::require_folder};
use abide_supervisor::{list_checkpoints, verify_checkpoint};

use crate::cli::{
    context::Context,
    finding::{Finding, Verdict},
    json_text::format_count,
};

const NAME: &str = "checkpoints";

/// What was found in the folders of all agents.
#[derive(Default)]
struct Found {
    read: u64,
    problems: Vec<String>,
}

/// Reads every byte of them, whether or not a keeper runs.
pub(super) fn check(context: &Context) -> Finding {
    let mut found = Found::default();
    for folder in context.home.agent_folders() {
        let name = folder.file_name().and_then(|name| name.to_str());
        let Some(agent) = name.and_then(|name| name.parse().ok()) else { continue };
        found.look_at(&agent, &folder.join("checkpoints"));
    }
    let Found { read, problems } = found;
    if problems.is_empty() {
        let detail = format!("{} read; all of them verify", format_count(read, "checkpoint"));
        return Finding::new(NAME, Verdict::Ok, detail);
    }
    let detail = format!(
        "{}; an agent's next start goes back to the newest that verifies: put back a copy of the file before, or have the \
         running agent make a new one with `abide checkpoint create <agent>`",
        problems.join("; ")
    );
    Finding::new(NAME, Verdict::Fail, detail)
}

impl Found {
    fn look_at(&mut self, agent: &AgentId, folder: &Path) {
        // What is no folder is told in the row of folders.
        if !require_folder(folder).unwrap_or_default() {
            return;
        }
        let storage = FileStorage::at(folder);
        let listed = match list_checkpoints(&storage, agent) {
            Ok(listed) => listed,
            Err(error) => {
                self.problems.push(format!("{} cannot be read: {error}", folder.display()));
                return;
            }
        };
        for listed in &listed {
            let problem = verify_checkpoint(&storage, agent, listed).problem;
            let path = folder.join(&listed.file);
            // A running keeper removes old ones meanwhile.
            if problem.is_some() && path.symlink_metadata().is_err() {
                continue;
            }
            self.read += 1;
            self.problems.extend(problem.map(|problem| format!("{}: {problem}", path.display())));
        }
    }
}
