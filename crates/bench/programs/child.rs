//! What the test of `abide bench recovery` starts in place of the binary: its shim, its confinement and its agent, by the same words.

use std::process::ExitCode;

use abide_bench::{BENCH_AGENT, bench_agent};
use abide_supervisor::confine::CONFINE_COMMAND;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == "shim" => abide_supervisor::shim::run(words),
        Some(word) if word == CONFINE_COMMAND => abide_supervisor::confine::run(words),
        Some(word) if word == BENCH_AGENT => bench_agent(words),
        _ => ExitCode::FAILURE,
    }
}
