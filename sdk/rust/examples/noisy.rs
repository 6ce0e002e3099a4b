//! An agent that prints wherever it can: none of it may stand among the frames.

use std::{
    io::{Read as _, Write as _},
    process::Command,
};

use abide_sdk::{Agent, AgentError, TurnError};

#[expect(clippy::print_stdout, reason = "what this agent is for")]
fn main() -> Result<(), AgentError> {
    Agent::new("noisy").run(|_turn, _keeper| async {
        println!("a line for people");
        std::io::stdout().write_all(b"bytes without an end")?;
        std::io::stdout().flush()?;
        Command::new("echo").arg("from a child").status()?;
        let mut typed = String::new();
        std::io::stdin().read_to_string(&mut typed)?;
        Ok::<_, TurnError>(format!("stdin holds {typed:?}"))
    })
}
