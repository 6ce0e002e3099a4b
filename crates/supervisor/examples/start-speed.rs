//! How long an agent takes to its first line under a shim at each level of confinement, beside a bare child of the
//! same program in the same run.
//!
//! `cargo run --release -p abide-supervisor --example start-speed [rounds]`. Its own binary is the shim.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement, printed for a person"
)]

use std::{
    error::Error,
    io::{BufRead as _, BufReader},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use abide_domain::RunId;
use abide_supervisor::{
    Confinement, ConfinementLevel, NetworkAccess, Process, ProcessLimits, ShimCommand, Spawn,
    confine::{self, CONFINE_COMMAND},
    shim,
};
use tokio::io::AsyncBufReadExt as _;

const ROUNDS: usize = 200;
const PROGRAM: &str = "/bin/echo";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if first.as_ref().is_some_and(|word| word == "shim") {
        return Ok(shim::run(args));
    }
    if first.as_ref().is_some_and(|word| word == CONFINE_COMMAND) {
        return Ok(confine::run(args));
    }
    let rounds = first.and_then(|word| word.to_str()?.parse().ok()).unwrap_or(ROUNDS);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let levels = [None, Some(ConfinementLevel::Restricted), Some(ConfinementLevel::Isolated)];
    for level in levels {
        runtime.block_on(measure(rounds, level))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(rounds: usize, level: Option<ConfinementLevel>) -> Result<(), Box<dyn Error>> {
    let command = ShimCommand { program: std::env::current_exe()?, args: vec!["shim".into()] };
    let spawn = Spawn {
        program: PROGRAM.into(),
        args: vec!["line".into()],
        folder: "/".into(),
        environment: Vec::new(),
        limits: ProcessLimits::default(),
        confinement: level.map(|level| Confinement {
            level,
            network: NetworkAccess::Open,
            read: Vec::new(),
            write: Vec::new(),
        }),
        agent: "felix".parse()?,
        run: RunId::from_uuid(uuid::Uuid::from_u128(1)),
    };
    let (mut bare, mut first, mut last) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(bare_child()?);

        let start = Instant::now();
        let (mut process, pipes) = Process::start(&command, &spawn)?;
        let mut line = String::new();
        tokio::io::BufReader::new(pipes.stdout).read_line(&mut line).await?;
        first.push(start.elapsed());
        process.ended().await;
        last.push(start.elapsed());
    }
    print("bare child, start to first line", bare);
    let level = level.map_or(0, ConfinementLevel::number);
    print(&format!("level {level}, start to first line"), first);
    print(&format!("level {level}, start to whole tree gone"), last);
    Ok(())
}

/// From its start to its first line.
fn bare_child() -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = Command::new(PROGRAM).arg("line").stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().ok_or("no output")?;
    BufReader::new(stdout).read_line(&mut String::new())?;
    let took = start.elapsed();
    child.wait()?;
    Ok(took)
}

fn print(name: &str, times: Vec<Duration>) {
    let mut times = times;
    times.sort_unstable();
    let at = |share: usize| {
        times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or_default()
    };
    println!("{name:40} p50 {:>9.3?}  p99 {:>9.3?}", at(50), at(99));
}
