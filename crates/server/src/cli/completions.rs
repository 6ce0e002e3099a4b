//! `abide completions`: a completion script for a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use super::{
    context::Context,
    error::{CliError, Exit},
};

/// Prints a completion script for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, context: &Context, cli: &mut Command) -> Result<Exit, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, cli, "abide", &mut script);
        context.terminal.data(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Ok)
    }
}
