//! The SDK against a scripted keeper: in memory, over sockets, and as a real process that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests: a panic is a failed test"
)]

mod keeper;
mod process;
mod sockets;
mod state;
mod turns;
mod vectors;

use std::thread::{self, JoinHandle};

use abide_sdk::{
    Agent, AgentError, Answer, Entry, Raw, State, StateError, Turn, TurnError, pack, unpack,
};
use serde_json::{Value, json};

use crate::keeper::{Keeper, Store};

/// A state that is a list of texts.
#[derive(Clone, Debug, Default, PartialEq)]
struct Texts(Vec<String>);

impl State for Texts {
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        let params: Value = unpack(&entry.params)?;
        let text = params["text"].as_str().ok_or_else(|| StateError::new("no text"))?;
        self.0.push(text.to_owned());
        Ok(())
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        pack(&json!({"texts": self.0}))
    }

    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
        assert!(self.0.is_empty(), "a state is given back to a fresh one");
        let state: Value = unpack(snapshot)?;
        self.0 = serde_json::from_value(state["texts"].clone())?;
        Ok(())
    }
}

type Running = JoinHandle<Result<(), AgentError>>;

/// Runs an agent on a thread of its own, as a process would, over a stream in memory.
fn start<S, H, F, A>(agent: Agent<S>, store: Store, handler: H) -> (Keeper, Running)
where
    S: State,
    H: FnMut(Turn, abide_sdk::Keeper<S>) -> F + Send + 'static,
    F: Future<Output = Result<A, TurnError>> + Send + 'static,
    A: Into<Answer> + 'static,
{
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (near_in, near_out) = tokio::io::split(near);
    let (far_in, far_out) = tokio::io::split(far);
    let running = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(agent.serve_over(near_in, near_out, handler))
    });
    (Keeper::new(far_in, far_out, store), running)
}

/// An agent with texts.
fn texts() -> Agent<Texts> {
    Agent::new("felix").keeping(Texts::default)
}

async fn remember(turn: Turn, keeper: abide_sdk::Keeper<Texts>) -> Result<String, TurnError> {
    keeper.wal("heard", &json!({"text": turn.message()})).await?;
    Ok(keeper.read(|texts| texts.0.join(" ")))
}
