//! `abide test`: what tests from outside need.

use abide_engine::failpoint::Failpoint;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    context::Context,
    error::{CliError, Exit},
};

/// For tests of Abide itself
#[derive(Debug, Args)]
pub(crate) struct TestCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the failpoints, at which [test] failpoints can make a keeper exit, fail or wait
    Failpoints,
}

impl TestCommand {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, CliError> {
        let Action::Failpoints = self.action;
        let names: Vec<&str> = Failpoint::ALL.iter().map(|(_, name)| *name).collect();
        if context.terminal.is_json() {
            context.terminal.json(&json!({"items": names}))?;
        } else {
            context.terminal.data(&names.join("\n"))?;
        }
        Ok(Exit::Ok)
    }
}
