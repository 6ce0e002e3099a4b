//! `abide completions`: a completion script for a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{
    Cli, Context,
    failure::{Exit, Failure},
};

/// Prints a completion script
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Runs the command.
    pub(crate) fn run(self, context: &Context) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "abide", &mut script);
        context.terminal.data(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Ok)
    }
}
