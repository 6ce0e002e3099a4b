//! Runs the simulator: `sim --seeds N [--first S] [--lives L]`. Prints each broken law with the seed that replays it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for people")]

use std::process::ExitCode;

use abide_testkit::sim::{SimPlan, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (first, seeds) = (number("--first", 1), number("--seeds", 100));
    let plan = SimPlan { lives: number("--lives", SimPlan::default().lives), ..SimPlan::default() };
    let (mut failures, mut events, mut committed, mut unknown) = (0, 0, 0, 0);
    for seed in first..first + seeds {
        match run(seed, plan) {
            Ok(outcome) => {
                events += outcome.events;
                committed += outcome.committed;
                unknown += outcome.unknown;
            }
            Err(failure) => {
                failures += 1;
                eprintln!("seed {} life {}: {}", failure.seed, failure.life, failure.broken);
            }
        }
    }
    println!(
        "{seeds} seeds, {failures} failed, {events} events, {committed} epochs committed, {unknown} outcomes unknown"
    );
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
