//! Chores of the workspace that Cargo itself does not do.
//!
//! `cargo xtask tidy` holds what the compiler cannot: module docs, sizes, names, paths in documents, reasons of
//! dependencies, words. `cargo xtask layers` holds the table of crates and that no files import each other in a circle. Both
//! also run as tests, so that no separate step can be forgotten. `cargo xtask texts` writes `target/texts.md`, `cargo xtask sim
//! --seeds N` runs the simulator optimised. Reading order: `workspace`, `layers`, `tidy` and the files below it, `texts`, `sim`.

mod layers;
mod sim;
mod texts;
mod tidy;
mod workspace;

use std::{io, process::ExitCode};

use workspace::Finding;

const USAGE: &str =
    "usage: cargo xtask tidy | layers | texts | sim [--seeds N] [--first SEED] [--lives N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let found = match words.as_slice() {
        ["tidy"] => tidy::run(&workspace::root()),
        ["layers"] => layers::run(&workspace::root()),
        ["texts"] => {
            return match texts::run(&workspace::root()) {
                Ok(words) => {
                    say(&mut io::stdout(), &words);
                    ExitCode::SUCCESS
                }
                Err(error) => fail(&error),
            };
        }
        ["sim", rest @ ..] => return sim::run(&workspace::root(), rest),
        _ => {
            say(&mut io::stderr(), USAGE);
            return ExitCode::from(2);
        }
    };
    match found {
        Ok(findings) => report(&findings),
        Err(error) => fail(&error),
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    say(&mut io::stderr(), &format!("xtask: {error:#}"));
    ExitCode::FAILURE
}

fn report(findings: &[Finding]) -> ExitCode {
    for finding in findings {
        say(&mut io::stdout(), &finding.to_string());
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes one line. Where nobody reads, nothing is lost that anybody wanted.
fn say(to: &mut impl io::Write, line: &str) {
    drop(writeln!(to, "{line}"));
}
