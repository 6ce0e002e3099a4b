//! `cargo xtask sim`: the simulator of the test kit, built optimised, with the arguments as they stand.
//!
//! The simulator stands on the whole engine, and the chores must build without it: so it is run, not linked.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

/// Builds and runs the simulator; its exit code is ours.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let built_in =
        ["run", "--quiet", "--release", "--package", "abide-testkit", "--example", "sim", "--"];
    let status = Command::new(cargo).current_dir(root).args(built_in).args(arguments).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
