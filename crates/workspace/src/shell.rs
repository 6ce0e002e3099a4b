//! Commands of a shell, in the sandbox: what one is made of, which run unasked, and the tool `shell.run`.
//!
//! Reading order: [`parse_command`] (what a command line is made of, as far as that is certain), [`CommandRules`] (which of
//! them run unasked, which never), [`CommandRunner`] (who runs one, confined), [`RunCommand`] (the tool).

mod command;
mod output;
mod programs;
mod rules;
mod run;
mod runner;

pub use command::{CommandLine, PlainCommand, UncertainCommandError, parse_command};
pub use output::CapturedOutput;
pub use rules::{CommandRules, CommandRulesError, CommandRuling};
pub use run::{RunCommand, ShellSettings};
pub use runner::{CommandEnd, CommandOrder, CommandRunError, CommandRunner, FinishedCommand};
