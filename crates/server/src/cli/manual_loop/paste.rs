//! A person as the mind: each turn's context is shown, and what they paste is the reply.
//!
//! The person connects to the stage over its socket, as any agent does.

use std::{io::BufRead as _, time::Duration};

use abide_sdk::{Address, Agent, Keeper, Stateless, Turn, TurnError};
use futures_util::future::BoxFuture;

use super::{
    super::{
        failure::Failure,
        terminal::{Terminal, visible},
    },
    b01::CITIZEN,
};
use crate::home::Home;

/// How long the stage may stay away.
const RETURN_MAX: Duration = Duration::from_secs(30);
/// Between two attempts to reach it.
const RETURN_INTERVAL: Duration = Duration::from_millis(100);
/// The line that ends a pasted reply.
const END: &str = "###";

/// Answers the stage's turns for as long as the play lasts. A reset ends the connection, as it ends any mind's process, and
/// so does a death of the keeper: then the person is there again. Ends only, as a failure, where the stage stays away.
pub(super) async fn person(home: &Home, terminal: &Terminal) -> Failure {
    let mut away = Duration::ZERO;
    loop {
        let served = match agent(home) {
            Ok(agent) => agent.serve(handler(terminal)).await.map_err(|e| Failure::from_error(&e)),
            Err(failure) => Err(failure),
        };
        match served {
            Ok(()) => away = Duration::ZERO,
            Err(failure) if away >= RETURN_MAX => return failure,
            Err(_) => away += RETURN_INTERVAL,
        }
        tokio::time::sleep(RETURN_INTERVAL).await;
    }
}

fn agent(home: &Home) -> Result<Agent, Failure> {
    let token = std::fs::read_to_string(home.token_file())
        .map_err(|error| Failure::new("the token of the play cannot be read").because(&error))?;
    let address = Address::Unix(home.root().join("keeper.sock"));
    Ok(Agent::new(CITIZEN).at(address).token(token.trim()))
}

fn handler(
    terminal: &Terminal,
) -> impl FnMut(Turn, Keeper<Stateless>) -> BoxFuture<'static, Result<String, TurnError>> + use<> {
    let terminal = terminal.clone();
    move |turn, _| {
        let terminal = terminal.clone();
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || ask(&terminal, &turn)).await;
            asked.map_err(|error| TurnError::new("TOOL_FAILED", error.to_string()))?
        })
    }
}

fn ask(terminal: &Terminal, turn: &Turn) -> Result<String, TurnError> {
    let context = turn.context();
    let system = context.and_then(|context| context.system.as_deref()).unwrap_or_default();
    terminal.say(&visible(system));
    terminal.say(&format!("\n{}: {}", turn.user_id(), visible(turn.message())));
    terminal.say(&format!("paste the reply; a line of {END} ends it"));
    let mut reply = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| TurnError::new("TOOL_FAILED", error.to_string()))?;
        if line.trim() == END {
            break;
        }
        reply.push_str(&line);
        reply.push('\n');
    }
    Ok(reply.trim_end().to_owned())
}
