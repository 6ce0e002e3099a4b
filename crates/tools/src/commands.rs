//! The command language, as the `stdout` tool runs it for the agent that calls.

use std::fmt;

use abide_domain::event::Event;
use abide_grammar::{Command, ParseError, parse_lenient};
use futures_util::future::BoxFuture;

use crate::ToolError;

/// Runs commands for one call of one agent.
pub trait Commands: Send + Sync + fmt::Debug {
    /// Runs all commands of an input, in order, up to the first that fails.
    fn carry_out<'a>(&'a self, input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>>;
}

/// The result of commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandReply {
    /// Their output, as a person or a mind reads it.
    pub output: String,
    /// Events that take effect when the epoch commits. What was written to a log is durable already.
    pub staged: Vec<Event>,
    /// Whether an error ended them: the output says which. What came before it stays.
    pub is_cut: bool,
}

/// Parses the commands of an input. Without a backslash at its beginning it is one command of `\stdout`; the end of the
/// input ends the last one.
pub fn parse_commands(input: &str) -> Result<Vec<Command>, ParseError> {
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
    use super::parse_commands;

    #[test]
    fn the_name_and_the_end_may_be_left_out() {
        for input in [
            r"\stdout read: last 5 ---",
            r"\stdout read: last 5",
            "stdout read: last 5",
            "read: last 5",
            " read: last 5 --- ",
        ] {
            let commands = parse_commands(input).unwrap();
            let read: Vec<_> = commands.iter().map(|c| (c.name(), c.text())).collect();
            assert_eq!(read, [("stdout", "read: last 5".to_owned())], "{input}");
        }
        let two = parse_commands(r"\stdout one --- \say @bob two").unwrap();
        assert_eq!(
            two.iter().map(abide_grammar::Command::name).collect::<Vec<_>>(),
            ["stdout", "say"]
        );
    }
}
