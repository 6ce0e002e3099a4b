//! How long a process takes from `hot_reload` to its acknowledgement, with code of a megabyte or so many kilobytes.
//!
//! `cargo run --release -p abide-supervisor --example reload-speed [kilobytes] [rounds]`, after
//! `cargo build --release -p abide-supervisor --examples`: the trial agent beside it is what loads the code.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement, printed for a person"
)]

use std::{error::Error, path::PathBuf, sync::Arc, time::Instant};

use abide_domain::{AgentId, Clock};
use abide_ledger::{FileStorage, Ledger, LedgerOptions};
use abide_supervisor::{
    AgentSpec, Launch, ProcessLimits, ProgramCode, ShimCommand, StartMode, Supervisor,
    SupervisorParts, SupervisorSettings,
};
use abide_testkit::{SeededIds, TokioClock};
use uuid::Uuid;

/// The largest code that a proposal may have.
const KILOBYTES: usize = 1_024;
const ROUNDS: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let kilobytes = args.next().transpose()?.unwrap_or(KILOBYTES);
    let rounds = args.next().transpose()?.unwrap_or(ROUNDS);
    let folder = tempfile::tempdir()?;
    let program = trial_agent()?;
    let clock: Arc<dyn Clock> = Arc::new(TokioClock::default());
    let storage = Arc::new(FileStorage::create(&folder.path().join("ledger"))?);
    let (ledger, committer) = Ledger::open(storage, LedgerOptions::new(Arc::clone(&clock)))?;
    committer.spawn()?;
    let felix: AgentId = "felix".parse()?;
    let spec = AgentSpec {
        id: felix.clone(),
        launch: Launch::Stdio {
            program: program.clone(),
            args: vec!["--loads".into()],
            folder: "/".into(),
            environment: Vec::new(),
        },
        start: StartMode::WithKeeper,
        limits: ProcessLimits::default(),
        sandbox: None,
    };
    let parts = SupervisorParts {
        home: folder.path().into(),
        ledger,
        clock,
        ids: Arc::new(SeededIds::new(1)),
        shim: ShimCommand { program, args: vec!["shim".into()] },
        settings: SupervisorSettings::default(),
        agents: vec![spec],
    };
    let (supervisor, tasks) = Supervisor::new(parts)?;
    let mut running = tokio::task::JoinSet::new();
    for task in tasks {
        running.spawn(task.future);
    }
    let mut took = Vec::new();
    for round in 0..=rounds {
        let code = format!("{round} {}", "x".repeat(kilobytes * 1024 - 16));
        let code = ProgramCode { module: "memory".into(), code: code.into(), backup: Uuid::nil() };
        let begun = Instant::now();
        supervisor.reload(&felix, code).await?.confirm();
        // The first one waits for the start of the process.
        if round > 0 {
            took.push(begun.elapsed());
        }
    }
    took.sort_unstable();
    let at =
        |percent: usize| took.get((took.len() * percent / 100).min(took.len().saturating_sub(1)));
    println!(
        "{kilobytes} KB, {rounds} rounds: p50 {:?}, p99 {:?}, longest {:?}",
        at(50),
        at(99),
        at(100)
    );
    supervisor.shutdown().await;
    Ok(())
}

/// The trial agent, as cargo builds it beside this.
fn trial_agent() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?.with_file_name("trial-agent");
    if program.exists() {
        Ok(program)
    } else {
        Err("build all examples of abide-supervisor".into())
    }
}
