//! The command line: one file a command.
//!
//! Data goes to stdout, messages to stderr; `--json` gives data a stable shape. Exit codes: 0 ok, 1 failed, 2 usage,
//! 3 not running, 4 degraded. Commands call the running keeper over HTTP, except those that must work without one
//! (`init`, `config`, `ledger`, `doctor`, `model`, `cards`, `token`, `skills`, `mcp add|rm|test|login`).

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use abide_supervisor::confine::CONFINE_COMMAND;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::{
    agents::{AGENT, MODULE, SHIM},
    config::Environment,
    hardening::harden,
    home::Home,
    system::SystemClock,
    trace,
};

mod agents;
#[cfg(feature = "bench")]
mod bench;
mod cards;
mod chat;
mod checkpoint;
mod client;
mod completions;
mod config;
mod context;
mod deck;
mod doctor;
mod epochs;
mod error;
mod evidence;
mod evolve;
mod finding;
mod init;
mod json_text;
mod ledger;
mod man;
mod manual_loop;
mod markdown;
mod mcp;
mod media;
mod memory;
mod model;
mod moment;
#[cfg(not(feature = "bench"))]
mod no_bench;
mod progress;
mod say;
mod short_name;
mod skills;
mod sleep;
mod status;
mod stdout;
mod stream;
mod style;
mod table;
mod terminal;
mod test;
mod text_file;
mod token;
mod tools;
mod up;
mod watchdog;

use context::Context;
use error::{CliError, Exit};
#[cfg(not(feature = "bench"))]
use no_bench as bench;
use terminal::Terminal;

/// How long the end waits for work that cannot be cancelled.
const SHUTDOWN_MAX: Duration = Duration::from_secs(1);

/// Keeps AI agents alive: runs them, records all they do in a ledger, and restores them after a crash
///
/// `abide up` starts the keeper, which owns the ledger and the agents; the other commands talk to it, or read its home
/// folder. Data goes to stdout and messages to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no keeper is running,
/// 4 a keeper is running but cannot do all of its work.
#[derive(Debug, Parser)]
#[command(name = "abide", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
struct Global {
    /// The home folder [default: the variable ABIDE_HOME, else ~/.abide]
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Prints data as JSON
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
    Config(config::ConfigCommand),
    Ledger(ledger::LedgerCommand),
    Epochs(epochs::Epochs),
    Agents(agents::Agents),
    Checkpoint(checkpoint::CheckpointCommand),
    Tools(tools::ToolsCommand),
    Mcp(mcp::McpCommand),
    Skills(skills::SkillsCommand),
    Loop(manual_loop::ManualLoop),
    Memory(memory::MemoryCommand),
    Token(token::TokenCommand),
    Sleep(sleep::Sleep),
    Evolve(evolve::EvolveCommand),
    Deck(deck::DeckCommand),
    Media(media::MediaCommand),
    Watchdog(watchdog::WatchdogCommand),
    Evidence(evidence::EvidenceCommand),
    Model(model::ModelCommand),
    Cards(cards::CardsCommand),
    Completions(completions::Completions),
    Man(man::Man),
    Bench(bench::BenchCommand),
    Test(test::TestCommand),
}

/// Runs the program with its arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    let name = arguments.next();
    // What the keeper starts is not a command for people: it reads no home folder and starts no runtime that it does not need.
    if arguments.next_if(|word| word == SHIM).is_some() {
        return abide_supervisor::shim::run(arguments);
    }
    if arguments.next_if(|word| word == CONFINE_COMMAND).is_some() {
        return abide_supervisor::confine::run(arguments);
    }
    #[cfg(feature = "bench")]
    if arguments.next_if(|word| word == abide_bench::BENCH_AGENT).is_some() {
        return abide_bench::bench_agent(arguments);
    }
    if arguments.next_if(|word| word == AGENT).is_some() {
        return built_in_agent();
    }
    if arguments.next_if(|word| word == MODULE).is_some() {
        return match abide_modules::serve_process() {
            Ok(()) => Exit::Ok.into(),
            Err(_) => Exit::Failed.into(),
        };
    }
    let cli = match Cli::try_parse_from(name.into_iter().chain(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data (stdout, 0), mistakes are messages (stderr, 2); clap knows which is which.
            drop(error.print());
            return if error.use_stderr() { Exit::Usage } else { Exit::Ok }.into();
        }
    };
    let environment = Environment::of_process();
    let terminal = Terminal::new(cli.global.json, &environment);
    // No thread runs yet: the kernel keeps a part of this for each thread.
    if let (Command::Up(_), Err(error)) = (&cli.command, harden()) {
        let refused = CliError::new("this process cannot be hardened").caused_by(&error);
        terminal.error(&refused);
        return refused.exit().into();
    }
    match start(cli, environment, terminal.clone()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal.error(&error);
            error.exit().into()
        }
    }
}

/// Runs the built-in agent. Its stdout carries the frames; its log goes to stderr, as that of any agent.
fn built_in_agent() -> ExitCode {
    let environment = Environment::of_process();
    let _log = trace::start(&environment);
    let read = |name: &str| environment.get(name).map(str::to_owned);
    match abide_agent::run(&read, Arc::new(SystemClock::new())) {
        Ok(()) => Exit::Ok.into(),
        Err(error) => {
            let error = CliError::from_error(&error);
            tracing::error!(event = "agent_failed", %error, "the built-in agent failed");
            error.exit().into()
        }
    }
}

fn start(cli: Cli, environment: Environment, terminal: Terminal) -> Result<Exit, CliError> {
    let log = trace::start(&environment);
    let home = cli.global.home.or_else(Environment::home_of_process);
    let home =
        Home::resolve(home, &environment).map_err(|error| CliError::usage(error.to_string()))?;
    let context = Context { home, environment, terminal };
    // The keeper works on all cores; a command waits for one answer.
    let mut builder = match cli.command {
        Command::Up(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| CliError::new("the runtime cannot be started").caused_by(&error))?;
    let ended = runtime.block_on(dispatch(cli.command, &context));
    // A read of the ledger that was under way cannot be cancelled, and must not hold up the end.
    runtime.shutdown_timeout(SHUTDOWN_MAX);
    drop(log);
    ended
}

async fn dispatch(command: Command, context: &Context) -> Result<Exit, CliError> {
    match command {
        Command::Up(command) => Box::pin(command.run(context)).await,
        Command::Say(command) => command.run(context).await,
        Command::Chat(command) => command.run(context).await,
        Command::Stdout(command) => command.run(context).await,
        Command::Status(command) => command.run(context).await,
        Command::Doctor(command) => command.run(context).await,
        Command::Init(command) => command.run(context).await,
        Command::Config(command) => command.run(context),
        Command::Ledger(command) => command.run(context).await,
        Command::Epochs(command) => command.run(context).await,
        Command::Agents(command) => command.run(context).await,
        Command::Checkpoint(command) => command.run(context).await,
        Command::Tools(command) => command.run(context).await,
        Command::Mcp(command) => command.run(context).await,
        Command::Skills(command) => command.run(context),
        Command::Loop(command) => Box::pin(command.run(context)).await,
        Command::Memory(command) => Box::pin(command.run(context)).await,
        Command::Token(command) => command.run(context).await,
        Command::Sleep(command) => command.run(context).await,
        Command::Evolve(command) => command.run(context).await,
        Command::Deck(command) => command.run(context).await,
        Command::Media(command) => command.run(context).await,
        Command::Watchdog(command) => command.run(context).await,
        Command::Evidence(command) => command.run(context).await,
        Command::Model(command) => command.run(context).await,
        Command::Cards(command) => command.run(context).await,
        Command::Completions(command) => command.run(context, &mut Cli::command()),
        Command::Man(command) => command.run(context, Cli::command()),
        Command::Bench(command) => command.run(context).await,
        Command::Test(command) => command.run(context),
    }
}
