//! What the `stdout` tool may do: carry out the command language for the agent that calls.

use std::fmt;

use abide_domain::event::Event;
use abide_grammar::{Command, ParseError, parse_lenient};
use futures_util::future::BoxFuture;

use crate::ToolError;

/// Carries commands out for one call of one agent.
pub trait Commands: Send + Sync + fmt::Debug {
    /// Carries out all commands of an input, in order, up to the first that fails.
    fn carry_out<'a>(&'a self, input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>>;
}

/// What commands gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandReply {
    /// Their output, as a person or a mind reads it.
    pub output: String,
    /// Events that take effect when the epoch commits. What was written to a log is durable already.
    pub staged: Vec<Event>,
    /// Whether a mistake ended them: the output says which. What came before it stands.
    pub is_cut: bool,
}

/// The commands of an input. One without a backslash at its beginning is what `\stdout` is told; the end of the input ends
/// the last one.
pub fn commands_of(input: &str) -> Result<Vec<Command>, ParseError> {
    let input = input.trim();
    if input.starts_with('\\') {
        return parse_lenient(input);
    }
    let short = input
        .strip_prefix("stdout")
        .filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    parse_lenient(&format!("\\stdout {}", short.unwrap_or(input).trim_start()))
}

#[cfg(test)]
mod tests {
    use super::commands_of;

    #[test]
    fn the_name_and_the_end_may_be_left_out() {
        for input in [
            r"\stdout read: last 5 ---",
            r"\stdout read: last 5",
            "stdout read: last 5",
            "read: last 5",
            " read: last 5 --- ",
        ] {
            let commands = commands_of(input).unwrap();
            let read: Vec<_> = commands.iter().map(|c| (c.name(), c.text())).collect();
            assert_eq!(read, [("stdout", "read: last 5".to_owned())], "{input}");
        }
        let two = commands_of(r"\stdout one --- \say @bob two").unwrap();
        assert_eq!(
            two.iter().map(abide_grammar::Command::name).collect::<Vec<_>>(),
            ["stdout", "say"]
        );
    }
}
