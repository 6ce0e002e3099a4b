//! `abide bench` in a build without benchmarks: says how to get them.

use std::ffi::OsString;

use clap::Args;

use super::{
    context::Context,
    error::{CliError, Exit},
};

/// Measures speed (this build has no benchmarks; `make bench` builds one that has)
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct BenchCommand {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

impl BenchCommand {
    pub(crate) async fn run(self, _context: &Context) -> Result<Exit, CliError> {
        drop(self.arguments);
        let message = "this build has no benchmarks; run `make bench`, or build one that has: \
                       `cargo build --release --features bench`";
        std::future::ready(Err(CliError::usage(message))).await
    }
}
