//! A row of `abide doctor`: whether what agents remember is what the keeper wrote.

use abide_memory::knowledge_damage;

use crate::cli::{
    context::Context,
    error::CliError,
    finding::{Finding, Verdict},
};

const NAME: &str = "memory";

/// Reads the databases of all agents, whether or not a keeper uses them.
pub(super) fn check(context: &Context) -> Finding {
    let (mut read, mut problems) = (0_u32, Vec::new());
    for agent in context.home.agent_folders() {
        let path = agent.join("knowledge.db");
        if path.symlink_metadata().is_err() {
            continue;
        }
        read += 1;
        match knowledge_damage(&path) {
            Ok(None) => {}
            Ok(Some(damage)) => problems.push(format!("{}: {damage}", path.display())),
            Err(error) => {
                problems.push(format!("{}: {}", path.display(), CliError::from_error(&error)));
            }
        }
    }
    if problems.is_empty() {
        let detail = format!("{read} databases read; all rows are those that the keeper wrote");
        return Finding::new(NAME, Verdict::Ok, detail);
    }
    let detail = format!(
        "{}; nothing is lost: stop the keeper and run `abide memory rebuild`, which makes them again from the ledger",
        problems.join("; ")
    );
    Finding::new(NAME, Verdict::Fail, detail)
}
