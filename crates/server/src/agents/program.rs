//! What runs as an agent's process.

use crate::config::{AgentSection, Transport};

/// What runs as an agent's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The built-in agent.
    BuiltIn {
        /// Variables that it needs: what it thinks with, and the model's key.
        variables: Vec<(String, String)>,
    },
    /// A command of the configuration.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// Started by somebody else; it connects to the keeper's socket.
    Connects,
}

/// The program that the configuration gives an agent, if it gives one.
pub(super) fn configured_program(agent: &AgentSection) -> Option<Program> {
    if agent.transport == Transport::Socket {
        return Some(Program::Connects);
    }
    let (program, args) = agent.command.split_first()?;
    Some(Program::Command { program: program.clone(), args: args.to_vec() })
}
