//! The built-in agent against a scripted keeper: it says what the keeper's own minds say, loses nothing, tells no secret.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "helpers of tests: a panic is a failed test, and what is shared is not all needed here"
)]

#[path = "../../../../sdk/rust/tests/it/keeper.rs"]
mod keeper;
mod memory;
mod process;
#[path = "../../../models/tests/it/request.rs"]
mod request;
mod secrets;
mod voice;

use std::{
    collections::HashMap,
    sync::Arc,
    thread::{self, JoinHandle},
};

use abide_agent::RunError;
use abide_domain::turn::TurnRequest;
use abide_sdk::SystemClock;
use abide_wire::{ProcessRequest, ProcessResponse};

use crate::keeper::{Keeper, Store};

type Running = JoinHandle<Result<(), RunError>>;

/// Runs the agent on a thread of its own, as a process would, over a stream in memory.
fn start(variables: &[(&str, &str)], store: Store) -> (Keeper, Running) {
    let mut environment: HashMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    environment.insert("ABIDE_AGENT".into(), "felix".into());
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (near_in, near_out) = tokio::io::split(near);
    let (far_in, far_out) = tokio::io::split(far);
    let running = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let read = |name: &str| environment.get(name).cloned();
        let clock = Arc::new(SystemClock::new());
        runtime.block_on(abide_agent::serve(&read, clock, near_in, near_out))
    });
    (Keeper::new(far_in, far_out, store), running)
}

/// Asks one turn.
async fn ask(keeper: &mut Keeper, request: &TurnRequest) -> ProcessResponse {
    let id = format!("{}-{}-{}", request.epoch, request.turn, request.attempt);
    keeper.send(ProcessRequest::from_turn(id.clone(), request)).await;
    keeper.response(&id).await
}

/// Another epoch of the same conversation.
fn epoch(number: u128, message: &str) -> TurnRequest {
    let epoch = abide_domain::EpochId::from_uuid(uuid::Uuid::from_u128(number));
    TurnRequest { epoch, tools: request::tools(), ..request::plain(message) }
}
