//! What the agent keeps: written ahead, equal after a restore, bounded, and in the specification's shape.

use abide_agent::CheckpointState;
use abide_domain::{
    tool::Outcome,
    turn::{TurnRequest, TurnStep},
};
use abide_sdk::State as _;
use abide_testkit::{FakeDialect, ModelServer, Reply};
use abide_wire::{
    AgentStatus, Checkpoint, FromAgent, ProcessRequest, Role, Snapshot, WalAck, WalEntry,
};
use serde_json::{Value, json};

use crate::{
    ask, epoch,
    keeper::{Keeper, Store},
    request::step,
    start,
};

fn snapshot(checkpoint: &Checkpoint) -> Snapshot {
    Snapshot::from_raw(&checkpoint.state.unpack().unwrap()).unwrap()
}

/// What all entries of a store come to.
fn replayed(entries: &[WalEntry]) -> Snapshot {
    let mut state = CheckpointState::new("felix");
    for entry in entries {
        state.apply(entry).unwrap();
    }
    state.snapshot().clone()
}

fn remembered(turn: u32, content: &str, fact_id: &str) -> TurnStep {
    let answer = json!({"fact_id": fact_id, "remembered": true}).to_string();
    let arguments = json!({"content": content, "confidence": 0.7});
    step(turn, &[("memory.remember_fact", arguments, Outcome::Ok, &answer)])
}

#[tokio::test]
async fn a_turn_leaves_what_was_said_learned_and_counted() {
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    let first = epoch(1, "remember that I like tea");
    assert!(!ask(&mut keeper, &first).await.read_voice().unwrap().tool_calls.is_empty());
    let acting = snapshot(&keeper.take_checkpoint().await);
    assert_eq!(acting.agent_state.unwrap().status, Some(AgentStatus::Acting));
    let second = TurnRequest { turn: 2, steps: vec![remembered(1, "I like tea", "f1")], ..first };
    let reply = ask(&mut keeper, &second).await.read_voice().unwrap().final_response.unwrap();

    let kept = snapshot(&keeper.take_checkpoint().await);
    let state = kept.agent_state.unwrap();
    assert_eq!((state.id.as_deref(), state.status), (Some("felix"), Some(AgentStatus::Idle)));
    let said: Vec<_> =
        kept.conversation_history.iter().map(|entry| (entry.role, &*entry.content)).collect();
    assert_eq!(said, [(Role::User, "remember that I like tea"), (Role::Assistant, &*reply)]);
    let block = &kept.memory_blocks[0];
    assert_eq!(
        (&*block.text, block.importance, block.embedding.len()),
        ("I like tea", Some(0.7), 0)
    );
    assert_eq!(block.created, Some(1_795_817_403));
    assert_eq!(kept.tool_registry.unwrap().tools.len(), second.tools.len());
    let totals = kept.metrics.unwrap();
    assert_eq!((totals.total_requests, totals.error_count), (Some(2), Some(0)));
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_turn_that_is_asked_again_writes_nothing_twice() {
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    let steps = vec![remembered(1, "I like tea", "f1")];
    let request = TurnRequest { turn: 2, steps, ..epoch(1, "remember that I like tea") };
    ask(&mut keeper, &request).await;
    let before = keeper.store.history.len();
    ask(&mut keeper, &TurnRequest { attempt: 2, ..request }).await;
    let again: Vec<_> =
        keeper.store.history[before..].iter().map(|entry| entry.operation.as_str()).collect();
    assert_eq!(again, ["state_update", "state_update"]);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn what_is_forgotten_leaves_the_memory() {
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    let forgot = step(
        2,
        &[("memory.forget_fact", json!({"fact_id": "f1"}), Outcome::Ok, r#"{"forgotten": true}"#)],
    );
    let failed = step(
        3,
        &[("memory.remember_fact", json!({"content": "no"}), Outcome::Error, "content: is blank")],
    );
    let steps = [remembered(1, "I like tea", "f1")];
    ask(&mut keeper, &TurnRequest { turn: 3, steps: steps.to_vec(), ..epoch(1, "hello") }).await;
    let steps = vec![steps[0].clone(), forgot, failed];
    ask(&mut keeper, &TurnRequest { turn: 4, steps, ..epoch(1, "hello") }).await;
    let kept = snapshot(&keeper.take_checkpoint().await);
    assert_eq!(kept.memory_blocks, []);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn the_state_is_equal_after_a_restore_with_and_without_a_checkpoint() {
    let mut store = Store::default();
    let mut kept: Option<Snapshot> = None;
    for life in 0..6 {
        let (mut keeper, running) = start(&[], store);
        keeper.open().await;
        if let Some(kept) = kept.take() {
            let now = snapshot(&keeper.take_checkpoint().await);
            assert_eq!(now, kept);
        }
        for number in 0..3 {
            ask(&mut keeper, &epoch(100 * life + number, "what do I like?")).await;
        }
        kept = Some(replayed(&keeper.store.history));
        store = keeper.into_store();
        running.join().unwrap().unwrap();
    }
}

#[tokio::test]
async fn long_words_are_written_in_parts_and_come_back_whole() {
    let long = "Tee und Kuchen, bitte: ÄÖÜ ".repeat(360);
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    ask(&mut keeper, &epoch(1, &long)).await;
    let kept = snapshot(&keeper.take_checkpoint().await);
    assert_eq!(kept.conversation_history[0].content, long);
    let parts = keeper.store.history.iter().filter(|entry| entry.operation == "conversation_add");
    assert!(parts.count() >= 2);
    // An attempt that ended between two parts is written anew.
    let history = &keeper.store.history;
    let first = history.iter().position(|entry| entry.operation == "conversation_add").unwrap();
    let twice = history[..=first].iter().chain(&history[first..]).cloned();
    let cut: Vec<_> =
        (1..).zip(twice).map(|(sequence, entry)| WalEntry { sequence, ..entry }).collect();
    assert_eq!(replayed(&cut).conversation_history, kept.conversation_history);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_model_is_asked_only_after_the_asking_is_written_down() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::text("fine")]);
    let base_url = server.base_url(FakeDialect::OpenAiChat);
    let told = json!({"dialect": "openai", "base_url": base_url, "name": "m"}).to_string();
    let (mut keeper, running) = start(&[("ABIDE_MODEL", &told)], Store::default());
    keeper.open().await;
    keeper.send(ProcessRequest::from_turn("r1", &epoch(1, "hello"))).await;
    let entries = bare(&mut keeper).await;
    let status: Value = entries.last().unwrap().params.to_json().unwrap();
    assert_eq!(status["status"], "thinking");
    keeper.ping(1).await;
    assert!(matches!(keeper.next_loud().await, Some(FromAgent::Pong(_))));
    assert_eq!(server.count(), 0, "nothing is asked before the word");
    let sequence = keeper.store.add(&entries);
    keeper.send(WalAck { sequence }).await;
    let answered = bare(&mut keeper).await;
    assert_eq!(server.count(), 1);
    keeper.ping(2).await;
    let pong = keeper.next_loud().await;
    assert!(
        matches!(pong, Some(FromAgent::Pong(_))),
        "no answer before it is written down: {pong:?}"
    );
    let sequence = keeper.store.add(&answered);
    keeper.send(WalAck { sequence }).await;
    keeper.answer("r1").await;
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_full_log_is_emptied_by_a_checkpoint_and_the_turn_goes_on() {
    let (mut keeper, running) = start(&[], Store::default());
    keeper.open().await;
    keeper.send(ProcessRequest::from_turn("r1", &epoch(1, "hello"))).await;
    assert!(!bare(&mut keeper).await.is_empty());
    keeper.complain("WAL_FULL").await;
    keeper.keep_checkpoint().await;
    assert!(keeper.answer("r1").await.starts_with("Hello nicolas."));
    assert_eq!(keeper.store.history[0].sequence, 1);
    drop(keeper);
    running.join().unwrap().unwrap();
}

/// The next group of entries, without any word about it.
async fn bare(keeper: &mut Keeper) -> Vec<WalEntry> {
    loop {
        match keeper.next().await.unwrap() {
            FromAgent::WalBatch(entries) => return entries,
            FromAgent::WalEntry(entry) => return vec![entry],
            FromAgent::Heartbeat(_) | FromAgent::ProcessDelta(_) | FromAgent::Metrics(_) => {}
            other => panic!("{other:?}"),
        }
    }
}
