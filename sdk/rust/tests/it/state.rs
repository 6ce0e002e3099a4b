//! The log, checkpoints and restore: nothing acknowledged is lost, nothing is applied twice, nothing starts empty silently.

use abide_sdk::{Agent, AgentError, CheckpointError, TurnError, WalError, pack};
use abide_wire::{
    Checkpoint, CheckpointAck, FromAgent, Payload, Raw, WalAck, WalEntry, error_code,
};
use serde_json::json;

use crate::{
    Texts,
    keeper::{Keeper, Store},
    remember, start, texts,
};

fn heard(text: &str) -> Raw {
    Raw::from_json(&json!({"text": text}))
}

/// The next frame that is no heartbeat, without any answer to it.
async fn bare(keeper: &mut Keeper) -> FromAgent {
    loop {
        match keeper.next().await.unwrap() {
            FromAgent::Heartbeat(_) | FromAgent::Metrics(_) => {}
            other => return other,
        }
    }
}

#[tokio::test]
async fn an_operation_is_acted_upon_only_after_it_is_durable() {
    let (mut keeper, running) = start(texts(), Store::default(), remember);
    assert_eq!(keeper.open().await.capabilities, ["stream", "restore", "zstd"]);
    keeper.ask("r1", "tea").await;
    let FromAgent::WalEntry(entry) = bare(&mut keeper).await else { panic!("no entry") };
    assert_eq!((entry.operation.as_str(), entry.sequence), ("heard", 1));
    keeper.ping(1).await;
    assert!(matches!(bare(&mut keeper).await, FromAgent::Pong(_)), "no answer before the word");
    keeper.send(WalAck { sequence: 0 }).await;
    keeper.ping(2).await;
    assert!(matches!(bare(&mut keeper).await, FromAgent::Pong(_)), "an older word says nothing");
    keeper.send(WalAck { sequence: 1 }).await;
    assert_eq!(keeper.answer("r1").await, "tea");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn entries_go_out_in_groups_of_a_hundred_one_at_a_time() {
    let (mut keeper, running) = start(texts(), Store::default(), |_turn, keeper| async move {
        let operations = (0..250).map(|n| ("heard".to_owned(), heard(&n.to_string())));
        let last = keeper.wal_all(operations.collect()).await?;
        Ok::<_, TurnError>(format!("{last:?} {}", keeper.read(|texts| texts.0.len())))
    });
    keeper.open().await;
    keeper.ask("r1", "go").await;
    assert_eq!(keeper.answer("r1").await, "Some(250) 250");
    let batches = keeper.seen.iter().filter_map(|message| match message {
        FromAgent::WalBatch(entries) => Some(entries.len()),
        _ => None,
    });
    assert_eq!(batches.collect::<Vec<_>>(), [100, 100, 50]);
    drop(keeper);
    running.join().unwrap().unwrap();
}

async fn remember_once(
    turn: abide_sdk::Turn,
    keeper: abide_sdk::Keeper<Texts>,
) -> Result<String, TurnError> {
    let is_new = keeper.once(turn.message(), "heard", &json!({"text": turn.message()})).await?;
    Ok(format!("{is_new} {}", keeper.read(|texts| texts.0.join(" "))))
}

#[tokio::test]
async fn an_operation_with_a_key_is_logged_once_over_withdrawals_checkpoints_and_deaths() {
    let mut store = Store::default();
    for life in 0..4 {
        let (mut keeper, running) = start(texts(), store, remember_once);
        keeper.open().await;
        keeper.ask("r1", "a").await;
        if life == 0 {
            // Withdrawn on the way to the disk, and asked anew: the entry is the same one.
            let FromAgent::WalEntry(entry) = bare(&mut keeper).await else { panic!("no entry") };
            assert_eq!(entry.extra.get("once").and_then(Raw::as_text), Some("a"));
            keeper.cancel("r1").await;
            keeper.ask("again", "a").await;
            assert!(matches!(bare(&mut keeper).await, FromAgent::Error(_)));
            let sequence = keeper.store.add(&[entry]);
            keeper.send(WalAck { sequence }).await;
            assert_eq!(keeper.answer("again").await, "false a");
            keeper.ask("r2", "b").await;
            // Stored, and killed before it heard so.
            let FromAgent::WalEntry(entry) = bare(&mut keeper).await else { panic!("no entry") };
            keeper.store.add(&[entry]);
        } else {
            assert_eq!(keeper.answer("r1").await, "false a b");
            keeper.ask("r2", "b").await;
            assert_eq!(keeper.answer("r2").await, "false a b");
            let stored = keeper.take_checkpoint().await.state.unpack().unwrap().to_json();
            assert_eq!(stored, Ok(json!({"texts": ["a", "b"], "abide_once": ["a", "b"]})));
        }
        store = keeper.into_store();
        running.join().unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_operation_that_nobody_waits_for_goes_out_after_a_second() {
    let (mut keeper, running) = start(texts(), Store::default(), |turn, keeper| async move {
        keeper.wal_later("heard", &json!({"text": turn.message()}))?;
        Ok::<_, TurnError>("noted")
    });
    keeper.open().await;
    keeper.ask("r1", "a").await;
    keeper.answer("r1").await;
    keeper.ask("r2", "b").await;
    keeper.answer("r2").await;
    let FromAgent::WalBatch(entries) = bare(&mut keeper).await else { panic!("no batch") };
    assert_eq!(entries.len(), 2);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_state_comes_back_equal_from_a_checkpoint_and_the_entries_behind_it() {
    let mut store = Store::default();
    for (life, expected) in ["a", "a b", "a b c", "a b c d"].into_iter().enumerate() {
        let (mut keeper, running) = start(texts(), store, remember);
        keeper.open().await;
        keeper.ask("r1", &expected[expected.len() - 1..]).await;
        assert_eq!(keeper.answer("r1").await, expected);
        if life == 1 {
            let checkpoint = keeper.take_checkpoint().await;
            assert_eq!(checkpoint.wal_sequence, Some(2));
            let state = checkpoint.state.unpack().unwrap().to_json().unwrap();
            assert_eq!(state, json!({"texts": ["a", "b"]}));
        }
        store = keeper.into_store();
        running.join().unwrap().unwrap();
    }
    assert_eq!(store.entries.len(), 2, "what a checkpoint holds is not given back beside it");
}

#[tokio::test]
async fn a_checkpoint_in_the_middle_of_a_turn_names_what_it_holds() {
    let (mut keeper, running) = start(texts(), Store::default(), |_turn, keeper| async move {
        keeper.wal("heard", &json!({"text": "a"})).await?;
        keeper.wal_later("heard", &json!({"text": "b"}))?;
        let id = keeper.checkpoint().await?;
        Ok::<_, TurnError>(id)
    });
    keeper.open().await;
    keeper.ask("r1", "risk").await;
    let checkpoint = keeper.keep_checkpoint().await;
    assert_eq!(checkpoint.wal_sequence, Some(1));
    assert_eq!(checkpoint.state.unpack().unwrap().to_json(), Ok(json!({"texts": ["a"]})));
    assert_eq!(keeper.answer("r1").await, "c1");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_checkpoint_that_fails_leaves_the_agent_at_work() {
    let (mut keeper, running) = start(texts(), Store::default(), |_turn, keeper| async move {
        let failed = keeper.checkpoint().await.unwrap_err();
        assert_eq!(failed, CheckpointError::Refused("by the test".into()));
        let id = keeper.checkpoint().await?;
        Ok::<_, TurnError>(id)
    });
    keeper.open().await;
    keeper.ask("r1", "risk").await;
    assert!(matches!(bare(&mut keeper).await, FromAgent::Checkpoint(_)));
    keeper.complain(error_code::CHECKPOINT_FAILED).await;
    keeper.keep_checkpoint().await;
    assert_eq!(keeper.answer("r1").await, "c1");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_large_state_travels_compressed_and_comes_back() {
    let large = "abide ".repeat(400_000);
    let mut store = Store::default();
    store.keep(Checkpoint {
        state: Payload::Plain(pack(&json!({"texts": [large]})).unwrap()),
        wal_sequence: Some(0),
    });
    let (mut keeper, running) = start(texts(), store, |_turn, keeper| async move {
        Ok::<_, TurnError>(keeper.read(|texts| texts.0[0].len().to_string()))
    });
    keeper.open().await;
    let checkpoint = keeper.take_checkpoint().await;
    assert!(matches!(checkpoint.state, Payload::Zstd(_)));
    let store = keeper.into_store();
    running.join().unwrap().unwrap();
    let (mut keeper, running) = start(texts(), store, |_turn, keeper| async move {
        Ok::<_, TurnError>(keeper.read(|texts| texts.0[0].len().to_string()))
    });
    keeper.open().await;
    keeper.ask("r1", "how long?").await;
    assert_eq!(keeper.answer("r1").await, large.len().to_string());
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_state_that_cannot_be_taken_back_is_refused_aloud() {
    let bad_snapshot = Checkpoint {
        state: Payload::Plain(Raw::from_json(&json!({"other": 1}))),
        wal_sequence: Some(0),
    };
    let mut no_snapshot = Store::default();
    no_snapshot.add(&[WalEntry::new(1, "heard", Raw::from_json(&json!({"no": "text"})))]);
    let mut bad = Store::default();
    bad.keep(bad_snapshot);
    for store in [bad, no_snapshot] {
        let (mut keeper, running) = start(texts(), store, remember);
        keeper.greet().await;
        let restore = keeper.store.restore();
        keeper.send(restore).await;
        let Some(FromAgent::RestoreAck(ack)) = keeper.next_loud().await else { panic!("no ack") };
        assert!(!ack.ok && ack.error.is_some());
        assert_eq!(keeper.next_loud().await, None, "neither ready nor a checkpoint follows");
        assert!(matches!(running.join().unwrap(), Err(AgentError::State(_))));
    }
}

#[tokio::test]
async fn a_shutdown_before_the_restore_writes_no_checkpoint() {
    let mut store = Store::default();
    store.add(&[WalEntry::new(1, "heard", heard("a"))]);
    let (mut keeper, running) = start(texts(), store, remember);
    keeper.greet().await;
    keeper.shut_down(true).await;
    assert_eq!(keeper.next_loud().await, None);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_empties_the_log_and_writes_the_state_down() {
    let (mut keeper, running) = start(texts(), Store::default(), |turn, keeper| async move {
        keeper.wal_later("heard", &json!({"text": turn.message()}))?;
        Ok::<_, TurnError>("noted")
    });
    keeper.open().await;
    keeper.ask("r1", "a").await;
    keeper.answer("r1").await;
    keeper.shut_down(true).await;
    let checkpoint = keeper.keep_checkpoint().await;
    assert_eq!(checkpoint.wal_sequence, Some(1));
    keeper.wait_for_end().await;
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_full_log_refuses_what_is_on_its_way_and_nothing_else() {
    let (mut keeper, running) = start(texts(), Store::default(), |_turn, keeper| async move {
        let refused = keeper.wal("heard", &json!({"text": "a"})).await.unwrap_err();
        assert!(matches!(refused, WalError::Refused { .. }), "{refused}");
        keeper.wal("heard", &json!({"text": "b"})).await?;
        Ok::<_, TurnError>(keeper.read(|texts| texts.0.join(" ")))
    });
    keeper.open().await;
    keeper.ask("r1", "go").await;
    assert!(matches!(bare(&mut keeper).await, FromAgent::WalEntry(_)));
    keeper.complain(error_code::WAL_FULL).await;
    assert_eq!(keeper.answer("r1").await, "b");
    assert_eq!(keeper.store.history.len(), 1);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn doubt_about_the_log_ends_the_session() {
    let (mut keeper, running) = start(texts(), Store::default(), remember);
    keeper.open().await;
    keeper.ask("r1", "a").await;
    assert!(matches!(bare(&mut keeper).await, FromAgent::WalEntry(_)));
    keeper.complain(error_code::SEQUENCE_GAP).await;
    keeper.wait_for_end().await;
    assert!(matches!(running.join().unwrap(), Err(AgentError::LinkLost(_))));
}

#[tokio::test]
async fn a_run_that_is_over_is_told_so_and_does_not_try_again() {
    let agent = texts().run_id("old");
    let (mut keeper, running) = start(agent, Store::default(), remember);
    let Some(FromAgent::Hello(hello)) = keeper.next().await else { panic!("no hello") };
    assert_eq!((hello.run.as_str(), hello.agent.as_str()), ("old", "felix"));
    keeper.complain(error_code::STALE_RUN).await;
    let ended = running.join().unwrap();
    assert!(matches!(ended, Err(AgentError::Refused { code, .. }) if code == "STALE_RUN"));
}

#[tokio::test]
async fn an_agent_without_a_state_logs_nothing() {
    let (mut keeper, running) =
        start(Agent::new("felix"), Store::default(), |_turn, keeper| async move {
            assert_eq!(keeper.wal("x", &json!({})).await, Err(WalError::Stateless));
            assert_eq!(keeper.checkpoint().await, Err(CheckpointError::Stateless));
            Ok::<_, TurnError>("nothing logged")
        });
    keeper.open().await;
    keeper.ask("r1", "go").await;
    assert_eq!(keeper.answer("r1").await, "nothing logged");
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_running_agent_takes_an_older_state_back() {
    let (mut keeper, running) = start(texts(), Store::default(), remember);
    keeper.open().await;
    keeper.ask("r1", "a").await;
    keeper.answer("r1").await;
    let mut restore = keeper.store.restore();
    restore.checkpoint_id = "c0".into();
    restore.state = Payload::Plain(pack(&json!({"texts": ["z"]})).unwrap());
    restore.wal_entries.clear();
    keeper.send(restore).await;
    let Some(FromAgent::RestoreAck(ack)) = keeper.next_loud().await else { panic!("no ack") };
    assert_eq!((ack.ok, ack.sequence), (true, 1));
    keeper.ask("r2", "b").await;
    assert_eq!(keeper.answer("r2").await, "z b");
    assert_eq!(keeper.store.next_sequence(), 3);
    drop(keeper);
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_word_about_an_unknown_checkpoint_changes_nothing() {
    let (mut keeper, running) = start(texts(), Store::default(), remember);
    keeper.open().await;
    keeper.send(CheckpointAck { checkpoint_id: "c9".into(), size: 1 }).await;
    keeper.ask("r1", "a").await;
    assert_eq!(keeper.answer("r1").await, "a");
    let checkpoint = keeper.take_checkpoint().await;
    assert_eq!(Texts(vec!["a".into()]).0.len() as u64, checkpoint.wal_sequence.unwrap());
    drop(keeper);
    running.join().unwrap().unwrap();
}
