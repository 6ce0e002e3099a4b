//! A person as the mind: each turn's context is shown, and what they paste is the reply.
//!
//! The person connects to the stage over its socket, as any agent does.

use std::io::BufRead as _;

use abide_sdk::{Address, Agent, Keeper, Stateless, Turn, TurnFailed};

use super::{
    super::{
        failure::Failure,
        terminal::{Terminal, visible},
    },
    b01::CITIZEN,
};
use crate::home::Home;

/// The line that ends a pasted reply.
const END: &str = "###";

/// Answers the stage's turns until the connection ends, which is a failure.
pub(super) fn person(
    home: &Home,
    terminal: &Terminal,
) -> Result<impl Future<Output = Failure> + use<>, Failure> {
    let token = std::fs::read_to_string(home.token_file())
        .map_err(|error| Failure::new("the token of the play cannot be read").because(&error))?;
    let address = Address::Unix(home.root().join("keeper.sock"));
    let terminal = terminal.clone();
    let agent = Agent::new(CITIZEN).at(address).token(token.trim());
    let handler = move |turn: Turn, _: Keeper<Stateless>| {
        let terminal = terminal.clone();
        async move {
            let asked = tokio::task::spawn_blocking(move || ask(&terminal, &turn)).await;
            asked.map_err(|error| TurnFailed::new("TOOL_FAILED", error.to_string()))?
        }
    };
    Ok(async move {
        match agent.serve(handler).await {
            Ok(()) => Failure::new("the stage closed the connection"),
            Err(error) => Failure::from_error(&error),
        }
    })
}

fn ask(terminal: &Terminal, turn: &Turn) -> Result<String, TurnFailed> {
    let context = turn.context();
    let system = context.and_then(|context| context.system.as_deref()).unwrap_or_default();
    terminal.say(&visible(system));
    terminal.say(&format!("\n{}: {}", turn.user_id(), visible(turn.message())));
    terminal.say(&format!("paste the reply; a line of {END} ends it"));
    let mut reply = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| TurnFailed::new("TOOL_FAILED", error.to_string()))?;
        if line.trim() == END {
            break;
        }
        reply.push_str(&line);
        reply.push('\n');
    }
    Ok(reply.trim_end().to_owned())
}
