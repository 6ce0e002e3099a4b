//! The protocol's conformance vectors, said to a running agent: malformed ones are answered as the index says and the link
//! goes on, a lost boundary ends it, a good one never does it harm.

use std::{fs, path::PathBuf};

use abide_sdk::{Agent, AgentError, TurnError};
use abide_wire::{FromAgent, Pong};
use serde_json::Value;

use crate::{
    Running,
    keeper::{Keeper, Store},
    start,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire/vectors")
}

/// The vectors that go to an agent, with what is expected of each.
fn vectors(expect: &str) -> Vec<(Value, Vec<u8>)> {
    let index: Value =
        serde_json::from_str(&fs::read_to_string(folder().join("index.json")).unwrap()).unwrap();
    let all = index["vectors"].as_array().unwrap();
    let chosen: Vec<_> = all
        .iter()
        .filter(|vector| vector["direction"] == "to_agent" && vector["expect"] == expect)
        .map(|vector| {
            let name = vector["name"].as_str().unwrap();
            (vector.clone(), fs::read(folder().join(format!("{name}.msgpack"))).unwrap())
        })
        .collect();
    assert!(!chosen.is_empty(), "{expect}");
    chosen
}

async fn open() -> (Keeper, Running) {
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), |_turn, _keeper| async {
            Ok::<_, TurnError>("fine")
        });
    keeper.open().await;
    (keeper, running)
}

#[tokio::test]
async fn malformed_ones_are_answered_and_the_link_goes_on() {
    for (vector, bytes) in vectors("error") {
        let (mut keeper, running) = open().await;
        keeper.send_bytes(&bytes).await;
        let Some(FromAgent::Error(answer)) = keeper.next_loud().await else {
            panic!("no error for {vector}")
        };
        assert_eq!(answer.error.code, vector["code"], "{vector}");
        let context = answer.error.context.unwrap();
        let found = (&context["path"], &context["problems"][0]["code"]);
        assert_eq!(found, (&vector["path"], &vector["problem"]), "{vector}");
        // Of some only the announcement of a length is there, and what comes next belongs to them.
        let announced = u32::from_be_bytes(*bytes.first_chunk().unwrap()) as usize;
        if announced + 4 == bytes.len() {
            keeper.ask("r1", "still there?").await;
            assert_eq!(keeper.answer("r1").await, "fine");
        }
        drop(keeper);
        // The rest of one that is only announced is missing for ever.
        assert_eq!(running.join().unwrap().is_ok(), announced + 4 == bytes.len(), "{vector}");
    }
}

#[tokio::test]
async fn good_ones_do_no_harm() {
    for (vector, bytes) in vectors("ok") {
        let (mut keeper, running) = open().await;
        keeper.send_bytes(&bytes).await;
        keeper.try_send(abide_wire::Ping { nonce: 77 }).await;
        let mut last = None;
        loop {
            match keeper.next_loud().await {
                Some(FromAgent::Pong(Pong { nonce: 77 })) | None => break,
                other => last = other,
            }
        }
        drop(keeper);
        let ended = running.join().unwrap();
        // A state that this agent does not keep, and a run that is over, are refused: never a panic, never silence.
        let is_named = match &ended {
            Ok(()) => true,
            Err(AgentError::State(_)) => matches!(last, None | Some(FromAgent::RestoreAck(_))),
            Err(AgentError::Refused { .. }) => vector["name"].as_str().unwrap().contains("error"),
            Err(_) => false,
        };
        assert!(is_named, "{vector}: {ended:?} after {last:?}");
    }
}

#[tokio::test]
async fn a_lost_boundary_and_a_cut_stream_end_the_session() {
    for expect in ["lost", "cut_off"] {
        for (vector, bytes) in vectors(expect) {
            let (mut keeper, running) = open().await;
            keeper.send_bytes(&bytes).await;
            drop(keeper);
            let ended = running.join().unwrap();
            assert!(matches!(ended, Err(AgentError::LinkLost(_))), "{vector}: {ended:?}");
        }
    }
}
