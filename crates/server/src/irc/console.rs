//! The command language in a private message to the keeper: run as the person that the account names (decision 47), each
//! line of the output a line of the answer. The language itself is the engine's.

use abide_domain::EntityName;
use abide_engine::{ConsoleError, Keeper};

/// The keeper's answer to a text that is no command.
pub(super) const HINT: &str =
    r"I run commands, such as \stdout read: last 10. \help lists them; !help lists the others.";

/// Whether a text is one or several commands.
pub(super) fn is_command(text: &str) -> bool {
    text.trim_start().starts_with('\\')
}

/// Runs commands and gives their output, a mistake in the words of the specification.
pub(super) async fn run_commands(keeper: &Keeper, person: EntityName, text: &str) -> String {
    match keeper.command(person.clone(), person, text).await {
        Ok(output) | Err(ConsoleError::Refused(output)) => output,
        Err(error) => format!("The command was not run: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_command;

    #[test]
    fn a_command_begins_with_a_backslash() {
        for text in [r"\stdout read: last 10", r"  \help ---", r"\wake ?(x) y ---"] {
            assert!(is_command(text), "{text}");
        }
        for text in ["hello", "", r"say \stdout read:", "/stdout"] {
            assert!(!is_command(text), "{text}");
        }
    }
}
