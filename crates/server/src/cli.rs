//! The command line: one file a command.
//!
//! Data goes to stdout, words to stderr; `--json` gives data a stable shape. Exit codes: 0 ok, 1 failed, 2 usage,
//! 3 not running, 4 degraded. Commands speak to the running keeper over HTTP, except those that must work without one
//! (`init`, `config`, `ledger`, `doctor`, `token create`).

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::{Args, Parser, Subcommand};

use crate::{
    agents::{AGENT, SHIM},
    config::Environment,
    home::Home,
    system::SystemClock,
    trace,
};

mod agents;
#[cfg(feature = "bench")]
mod bench;
mod chat;
mod checkpoint;
mod client;
mod completions;
mod config;
mod doctor;
mod epochs;
mod evidence;
mod failure;
mod init;
mod ledger;
mod man;
mod manual_loop;
mod memory;
mod model;
mod progress;
mod say;
mod sleep;
mod status;
mod stdout;
mod stream;
mod table;
mod terminal;
mod test;
mod token;
mod up;
mod watchdog;
mod words;

use failure::{Exit, Failure};
use terminal::Terminal;

/// How long the end waits for work that cannot be cancelled.
const SHUTDOWN_MAX: Duration = Duration::from_secs(1);

/// Abide keeps AI agents alive.
#[derive(Debug, Parser)]
#[command(name = "abide", version, about, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
struct Global {
    /// The keeper's folder [default: ~/.abide]
    #[arg(long, global = true, value_name = "DIR", env = "ABIDE_HOME", hide_env_values = true)]
    home: Option<PathBuf>,
    /// Data as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Up(up::Up),
    Say(say::Say),
    Chat(chat::Chat),
    Stdout(stdout::Stdout),
    Status(status::Status),
    Doctor(doctor::Doctor),
    Init(init::Init),
    Config(config::Config),
    Ledger(ledger::LedgerCommand),
    Epochs(epochs::Epochs),
    Agents(agents::Agents),
    Checkpoint(checkpoint::CheckpointCommand),
    Loop(manual_loop::ManualLoop),
    Memory(memory::MemoryCommand),
    Token(token::TokenCommand),
    Sleep(sleep::Sleep),
    Watchdog(watchdog::WatchdogCommand),
    Evidence(evidence::EvidenceCommand),
    Model(model::ModelCommand),
    Completions(completions::Completions),
    Man(man::Man),
    #[cfg(feature = "bench")]
    Bench(bench::Bench),
    Test(test::Test),
}

/// What every command is handed.
#[derive(Debug)]
struct Context {
    home: Home,
    environment: Environment,
    terminal: Terminal,
}

/// Runs the program with its arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    let name = arguments.next();
    // What the keeper starts is no command for people: it reads no home and starts no runtime that it does not need.
    if arguments.next_if(|word| word == SHIM).is_some() {
        return abide_supervisor::shim::run(arguments);
    }
    #[cfg(feature = "bench")]
    if arguments.next_if(|word| word == abide_bench::BENCH_AGENT).is_some() {
        return abide_bench::bench_agent(arguments);
    }
    if arguments.next_if(|word| word == AGENT).is_some() {
        return built_in_agent();
    }
    let cli = match Cli::try_parse_from(name.into_iter().chain(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data (stdout, 0), mistakes are words (stderr, 2); clap knows which is which.
            drop(error.print());
            return if error.use_stderr() { Exit::Usage } else { Exit::Ok }.into();
        }
    };
    let environment = Environment::of_process();
    let terminal = Terminal::new(cli.global.json, &environment);
    match start(cli, environment, terminal.clone()) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            terminal.failure(&failure);
            failure.exit().into()
        }
    }
}

/// Is the built-in agent. Its stdout belongs to the frames; its words go to stderr, as those of any agent.
fn built_in_agent() -> ExitCode {
    let environment = Environment::of_process();
    trace::start(&environment);
    let read = |name: &str| environment.get(name).map(str::to_owned);
    match abide_agent::run(&read, Arc::new(SystemClock::new())) {
        Ok(()) => Exit::Ok.into(),
        Err(error) => {
            let failure = Failure::from_error(&error);
            tracing::error!("{failure}");
            failure.exit().into()
        }
    }
}

fn start(cli: Cli, environment: Environment, terminal: Terminal) -> Result<Exit, Failure> {
    trace::start(&environment);
    let home = Home::resolve(cli.global.home, &environment)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let context = Context { home, environment, terminal };
    // The keeper works on all cores; a command waits for one answer.
    let mut builder = match cli.command {
        Command::Up(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new("the runtime cannot be started").because(&error))?;
    let ended = runtime.block_on(dispatch(cli.command, &context));
    // A read of the ledger that was under way cannot be cancelled, and must not hold up the end.
    runtime.shutdown_timeout(SHUTDOWN_MAX);
    ended
}

async fn dispatch(command: Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        Command::Up(command) => Box::pin(command.run(context)).await,
        Command::Say(command) => command.run(context).await,
        Command::Chat(command) => command.run(context).await,
        Command::Stdout(command) => command.run(context).await,
        Command::Status(command) => command.run(context).await,
        Command::Doctor(command) => command.run(context).await,
        Command::Init(command) => command.run(context),
        Command::Config(command) => command.run(context),
        Command::Ledger(command) => command.run(context).await,
        Command::Epochs(command) => command.run(context).await,
        Command::Agents(command) => command.run(context).await,
        Command::Checkpoint(command) => command.run(context).await,
        Command::Loop(command) => Box::pin(command.run(context)).await,
        Command::Memory(command) => Box::pin(command.run(context)).await,
        Command::Token(command) => command.run(context).await,
        Command::Sleep(command) => command.run(context).await,
        Command::Watchdog(command) => command.run(context).await,
        Command::Evidence(command) => command.run(context).await,
        Command::Model(command) => command.run(context).await,
        Command::Completions(command) => command.run(context),
        Command::Man(command) => command.run(context),
        #[cfg(feature = "bench")]
        Command::Bench(command) => command.run(context).await,
        Command::Test(command) => command.run(context),
    }
}
