//! Commands that an agent made for itself: each stands for one command that the keeper knows, and is run as that. Whoever writes one has
//! the rights that he has, and no others: what a command of an agent's own expands to is carried out as if it had been written.

use std::{fmt::Write as _, sync::Arc};

use abide_domain::{COMMANDS, limits::COMMAND_CHARS_MAX, visible_line};
use abide_grammar::Command;
use abide_tools::{OwnParts, WrittenCommand, parse_commands};

use super::{error::ConsoleError, help, run::CommandRun};

/// The command that one of the agent's own stands for; none where a command that the keeper knows was written, or one that nobody does.
pub(super) async fn expanded(
    run: &CommandRun<'_>,
    command: &Command,
) -> Result<Option<Command>, ConsoleError> {
    if is_known(command.name()) {
        return Ok(None);
    }
    let Some(made) = parts(run) else { return Ok(None) };
    let Some(own) = made.command(command.name()) else { return Ok(None) };
    let text = command.text();
    let epoch = run.speaker.call.as_ref().map(|(epoch, _)| *epoch);
    let written = WrittenCommand { text: &text, epoch };
    let name = own.name();
    let given = own.expand(written).await;
    let given = given.map_err(|why| {
        ConsoleError::refused(format!(r"\{name}, which you made, gave no command: {why}"))
    })?;
    one_command(&given).map(Some).map_err(|why| {
        ConsoleError::refused(format!(
            r"\{name}, which you made, gave {}: {why}",
            visible_line(&given)
        ))
    })
}

/// Exactly one command that the keeper knows. Errors are words for whoever wrote it.
fn one_command(text: &str) -> Result<Command, String> {
    if text.chars().count() > COMMAND_CHARS_MAX {
        return Err(format!("that is longer than {COMMAND_CHARS_MAX} characters"));
    }
    if text.trim().is_empty() {
        return Err("that is nothing".to_owned());
    }
    let mut commands = parse_commands(text).map_err(|error| error.to_string())?;
    match (commands.pop(), commands.is_empty()) {
        (Some(command), true) if is_delicate(command.name()) => Err(format!(
            r"\{} is written by itself, for a person is asked about it",
            command.name()
        )),
        (Some(command), true) if is_known(command.name()) => Ok(command),
        (Some(command), true) => {
            Err(format!(r"\{} is no command that there is without it", command.name()))
        }
        _ => Err("that is not one command".to_owned()),
    }
}

/// Commands that nobody stands for: what a person is asked about must be seen before it runs.
fn is_delicate(name: &str) -> bool {
    ["grant", "revoke", "spawn"].iter().any(|command| command.eq_ignore_ascii_case(name))
}

fn is_known(name: &str) -> bool {
    COMMANDS.iter().any(|command| command.eq_ignore_ascii_case(name))
}

/// Help on a topic, with the commands that the speaker made.
pub(super) fn help(run: &CommandRun<'_>, topic: &str) -> String {
    let mut text = help::text(topic);
    let made = parts(run);
    let named = topic.trim().trim_start_matches('\\');
    let Some(made) = made else { return text };
    if let Some(own) = made.command(named) {
        return format!(r"\{} text ---  {}", own.name(), visible_line(own.help()));
    }
    if named.is_empty() {
        let mut commands = made.commands().peekable();
        if commands.peek().is_some() {
            text.push_str("\nThose that you made:");
        }
        for own in commands {
            let _ = write!(text, "\n  \\{} text ---  {}", own.name(), visible_line(own.help()));
        }
    }
    text
}

/// What the agent made that speaks, or for which somebody speaks.
fn parts(run: &CommandRun<'_>) -> Option<Arc<OwnParts>> {
    let id = run.agent(run.me())?;
    run.services.agents.get(id.as_str())?.tools.own_parts()
}

#[cfg(test)]
mod tests {
    use super::one_command;

    #[test]
    fn what_a_command_stands_for_is_one_command_that_there_is_without_it() {
        assert_eq!(one_command(r"\say @bob hello ---").unwrap().name(), "say");
        assert_eq!(one_command("read: last 5").unwrap().name(), "stdout");
        for (text, said) in [
            (r"\remind tea ---", "no command that there is"),
            (r"\say @bob a --- \say @bob b ---", "not one command"),
            (" ", "nothing"),
            (r"\Grant @eve ---", "a person is asked"),
            (r"\spawn @kid do all ---", "a person is asked"),
            (&*"x".repeat(400_000), "longer"),
        ] {
            let error = one_command(text).map(|_| ()).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
