//! `abide man`: the manual page, in troff.

use clap::{Args, CommandFactory as _};

use super::{
    Cli, Context,
    failure::{Exit, Failure},
};

/// Prints the manual page (`abide man | man -l -`)
#[derive(Debug, Args)]
pub(crate) struct Man {}

impl Man {
    /// Runs the command.
    #[expect(clippy::unused_self, reason = "a command without options")]
    pub(crate) fn run(self, context: &Context) -> Result<Exit, Failure> {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        context.terminal.data(&String::from_utf8_lossy(&page))?;
        Ok(Exit::Ok)
    }
}
