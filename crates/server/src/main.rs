//! The binary `abide`. All of it is in the library, so that tests see the same program.

use std::process::ExitCode;

fn main() -> ExitCode {
    abide_server::run(std::env::args_os())
}
