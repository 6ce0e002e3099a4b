//! `abide man`: the manual page, in troff.

use clap::{Args, Command};

use super::{
    context::Context,
    error::{CliError, Exit},
};

/// Prints the manual page (`abide man | man -l -`)
#[derive(Debug, Args)]
pub(crate) struct Man {}

impl Man {
    #[expect(clippy::unused_self, reason = "a command without options")]
    pub(crate) fn run(self, context: &Context, cli: Command) -> Result<Exit, CliError> {
        let mut page = Vec::new();
        clap_mangen::Man::new(cli).render(&mut page)?;
        context.terminal.data(&String::from_utf8_lossy(&page))?;
        Ok(Exit::Ok)
    }
}
