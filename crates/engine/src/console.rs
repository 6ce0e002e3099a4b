//! The command language carried out: for a mind through the tool `stdout`, for a person through the API.
//!
//! ```text
//! input → commands (grammar) → one after the other, up to the first that fails → output, staged events
//! ```
//!
//! An entry of a log is durable before its command answers (decision 18). All else that changes something is handed back as
//! events: a mind's count with its epoch, a person's are written at once, with the stimuli of those who are spoken to. It
//! must never let one entity act or read as another: who speaks is in [`Speaker`], never in the input.
//!
//! Reading order: [`run_as`] (a person), [`MindCommands`] (a mind), [`CommandRun`], then one file a command.

use abide_domain::{CallId, EntityName, limits::COMMAND_CHARS_MAX};
use abide_grammar::Command;
use abide_tools::{CommandReply, Commands, ToolError, parse_commands};
use futures_util::future::BoxFuture;

mod answer;
mod error;
mod grant;
mod help;
mod name;
mod own_command;
mod read;
mod run;
mod say;
mod spawn;
mod stdout;
mod wake;

use crate::{services::Services, state::EpochRecord};
pub use error::ConsoleError;
use run::{CommandRun, Speaker, StagedBefore};

/// Commands of one input after which other tasks have their turn.
const YIELD_EVERY: usize = 16;

/// The commands of one call of a mind.
#[derive(Debug)]
pub(crate) struct MindCommands<'a> {
    services: &'a Services,
    speaker: Speaker,
    /// What the epoch has staged before.
    before: StagedBefore,
}

impl<'a> MindCommands<'a> {
    /// For a call of a running epoch.
    pub(crate) fn new(services: &'a Services, record: &EpochRecord, call_id: &CallId) -> Self {
        let entity = record.agent.entity();
        let speaker = Speaker {
            author: entity.clone(),
            entity,
            call: Some((record.id, call_id.clone())),
            hop: record.stimulus.hop(),
            may_change: true,
        };
        let (named, spawned) = (record.named.clone(), record.spawned.clone());
        let before = StagedBefore { named, wakes_set: record.wakes_set, spawned };
        Self { services, speaker, before }
    }
}

impl Commands for MindCommands<'_> {
    fn carry_out<'a>(&'a self, input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(async move {
            let mut run = CommandRun::new(self.services, self.speaker.clone(), self.before.clone());
            match run_input(&mut run, input).await {
                Ok(output) => Ok(CommandReply { output, staged: run.staged, is_cut: false }),
                // What came before an error stands, and the mind is told of both.
                Err(error) if !run.staged.is_empty() => {
                    Ok(CommandReply { output: error.to_string(), staged: run.staged, is_cut: true })
                }
                Err(error) => Err(ToolError::new(error.to_string())),
            }
        })
    }
}

/// Answers a question of a condition: as its owner, changing nothing.
pub(crate) async fn ask(
    services: &Services,
    owner: &EntityName,
    commands: &[Command],
) -> Result<String, ConsoleError> {
    let speaker = Speaker {
        entity: owner.clone(),
        author: owner.clone(),
        call: None,
        hop: 0,
        may_change: false,
    };
    let mut run = CommandRun::new(services, speaker, StagedBefore::default());
    run_all(&mut run, commands).await
}

/// Carries commands out as an entity, for a person who may do so. What they change is durable when this returns.
pub(crate) async fn run_as(
    services: &Services,
    entity: EntityName,
    by: EntityName,
    input: &str,
) -> Result<String, ConsoleError> {
    let speaker = Speaker { entity, author: by, call: None, hop: 0, may_change: true };
    let mut run = CommandRun::new(services, speaker, StagedBefore::default());
    let output = run_input(&mut run, input).await;
    // What came before an error stands.
    run.write_staged().await?;
    output
}

async fn run_input(run: &mut CommandRun<'_>, input: &str) -> Result<String, ConsoleError> {
    let chars = input.chars().count();
    if chars > COMMAND_CHARS_MAX {
        let text = format!("The input has {chars} characters; at most {COMMAND_CHARS_MAX}");
        return Err(ConsoleError::refused(text));
    }
    let commands = parse_commands(input)?;
    if commands.is_empty() {
        return Err(ConsoleError::refused(r"No command. Try: \help ---"));
    }
    run_all(run, &commands).await
}

/// Runs commands one after the other. An error repeats the output of those before it.
async fn run_all(run: &mut CommandRun<'_>, commands: &[Command]) -> Result<String, ConsoleError> {
    let mut outputs = Vec::with_capacity(commands.len());
    for command in commands {
        match run_one(run, command).await {
            Ok(output) => outputs.push(output),
            Err(error) => return Err(error.after(outputs)),
        }
        // An input may hold hundreds of commands: others go on between them.
        if outputs.len().is_multiple_of(YIELD_EVERY) {
            tokio::task::yield_now().await;
        }
    }
    Ok(outputs.join("\n"))
}

async fn run_one(run: &mut CommandRun<'_>, command: &Command) -> Result<String, ConsoleError> {
    match own_command::expanded(run, command).await? {
        Some(expanded) => run_known(run, &expanded).await,
        None => run_known(run, command).await,
    }
}

async fn run_known(run: &mut CommandRun<'_>, command: &Command) -> Result<String, ConsoleError> {
    match command.name().to_ascii_lowercase().as_str() {
        "stdout" => run.stdout(command).await,
        "help" => Ok(own_command::help(run, &command.text())),
        "read" => run.read(command),
        "wake" => run.wake(command),
        "say" => run.say(command),
        "name" => run.name(command),
        "grant" => run.grant(command),
        "revoke" => run.revoke(command),
        "spawn" => run.spawn(command),
        other => Err(ConsoleError::refused(format!(r"Unknown command '{other}'. Try: \help ---"))),
    }
}
