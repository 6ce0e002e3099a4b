//! A person as the mind: each turn's context is shown, and what they paste is the reply.
//!
//! The person connects to the scenario's keeper over its socket, as any agent does.

use std::{io::BufRead as _, time::Duration};

use abide_domain::visible;
use abide_sdk::{Address, Agent, Keeper, Stateless, Turn, TurnError};
use futures_util::future::BoxFuture;

use super::{
    super::{error::CliError, terminal::Terminal},
    b01::CITIZEN,
};
use crate::home::Home;

/// Longest wait for a keeper that went away.
const RETURN_MAX: Duration = Duration::from_secs(30);
/// Between two attempts to reach it.
const RETURN_INTERVAL: Duration = Duration::from_millis(100);
/// The line that ends a pasted reply.
const END: &str = "###";

/// Answers the keeper's turns for as long as the scenario lasts, with a new connection after a reset or a crash of the
/// keeper, which end it. Returns only an error, where the keeper stays away.
pub(super) async fn answer_turns(home: &Home, terminal: &Terminal) -> CliError {
    let mut away = Duration::ZERO;
    loop {
        let served = match agent(home) {
            Ok(agent) => agent.serve(handler(terminal)).await.map_err(CliError::from),
            Err(error) => Err(error),
        };
        match served {
            Ok(()) => away = Duration::ZERO,
            Err(error) if away >= RETURN_MAX => return error,
            Err(_) => away += RETURN_INTERVAL,
        }
        tokio::time::sleep(RETURN_INTERVAL).await;
    }
}

fn agent(home: &Home) -> Result<Agent, CliError> {
    let citizen = CITIZEN.parse().map_err(|error| CliError::from_error(&error))?;
    let secret = std::fs::read_to_string(home.socket_secret_file(&citizen)).map_err(|error| {
        CliError::new("the secret of the scenario's agent cannot be read").caused_by(&error)
    })?;
    let address = Address::Unix(home.root().join("keeper.sock"));
    Ok(Agent::new(CITIZEN).at(address).token(secret.trim()))
}

fn handler(
    terminal: &Terminal,
) -> impl FnMut(Turn, Keeper<Stateless>) -> BoxFuture<'static, Result<String, TurnError>> + use<> {
    let terminal = terminal.clone();
    move |turn, _| {
        let terminal = terminal.clone();
        Box::pin(async move {
            let reply = tokio::task::spawn_blocking(move || ask(&terminal, &turn)).await;
            reply.map_err(|error| TurnError::new("TOOL_FAILED", error.to_string()))?
        })
    }
}

fn ask(terminal: &Terminal, turn: &Turn) -> Result<String, TurnError> {
    let context = turn.context();
    let system = context.and_then(|context| context.system.as_deref()).unwrap_or_default();
    terminal.say(&visible(system));
    terminal.say(&format!("\n{}: {}", turn.user_id(), visible(turn.message())));
    terminal.say(&format!("paste the reply, and end it with a line of {END}"));
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
