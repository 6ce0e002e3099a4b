//! A reset ends the short-term window and nothing else (decision 23).

use std::time::Duration;

use abide_domain::{AgentId, EntityName, event::AbortCode};
use abide_engine::{ResetResult, keeper::OrderError};
use abide_testkit::rig::{Rig, Setup, call, say};
use serde_json::json;

/// An agent that remembers a fact when told so, and thinks for ten seconds.
async fn agent() -> Rig {
    let script = |request: &abide_domain::turn::TurnRequest, _| match &*request.message {
        "remember" if request.turn == 1 => {
            call("memory.remember_fact", json!({"content": "the staging server is heron"}))
        }
        _ => say("so").after(Duration::from_secs(10)),
    };
    Setup::new(script).start().await
}

async fn reset(rig: &Rig, force: bool) -> Result<ResetResult, OrderError> {
    let felix: AgentId = "felix".parse().unwrap();
    rig.keeper().reset(&felix, force, EntityName::sender("nicolas").unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn after_a_reset_the_history_is_empty_and_the_facts_stay() {
    let mut rig = agent().await;
    rig.say("remember").await;
    rig.say("hello").await;
    let before = rig.entries();
    let done = reset(&rig, false).await.unwrap();
    assert_eq!(done.epochs, 2);
    assert_eq!(rig.entries()[..before.len()], before[..], "nothing is deleted");

    for case in ["at once", "after a restart"] {
        let epoch = rig.begin("and now?").await;
        rig.until(epoch, "turn.started").await;
        let asked = rig.asked_in(epoch)[0].clone();
        let expected = usize::from(case == "after a restart");
        assert_eq!(asked.history.len(), expected, "{case}: only what came after the reset");
        assert!(asked.last_driver_output.is_some(), "{case}: the last output is no history");
        let facts =
            rig.keeper().agent("felix").unwrap().facts.list(None, 9, Some("heron")).unwrap().items;
        assert_eq!(facts.len(), 1, "{case}");
        rig.ended(epoch).await;
        rig.restart().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_reset_answers_after_the_running_epoch() {
    let rig = agent().await;
    let running = rig.begin("hello").await;
    rig.until(running, "turn.started").await;
    let queued = rig.begin("and now?").await;
    let done = reset(&rig, false).await.unwrap();
    let ended = rig.ended(running).await;
    assert_eq!(ended.reply(), Some("so"), "it came to its end");
    assert!(ended.last_seq < done.seq);
    assert_eq!(done.epochs, 1);
    rig.ended(queued).await;
    assert!(rig.asked_in(queued)[0].history.is_empty(), "the one behind it begins anew");
}

#[tokio::test(start_paused = true)]
async fn a_reset_with_force_ends_the_running_epoch() {
    let rig = agent().await;
    let running = rig.begin("hello").await;
    rig.until(running, "turn.started").await;
    let queued = rig.begin("and now?").await;
    let told = rig.now();
    reset(&rig, true).await.unwrap();
    assert!(rig.now().since(told) < Duration::from_secs(1));
    assert_eq!(rig.ended(running).await.abort_code(), Some(AbortCode::Reset));
    assert_eq!(rig.ended(queued).await.reply(), Some("so"), "what waits is kept");
}

#[tokio::test(start_paused = true)]
async fn a_reset_seals_the_segment() {
    let rig = agent().await;
    rig.say("hello").await;
    let done = reset(&rig, false).await.unwrap();
    let again = reset(&rig, false).await.unwrap();
    assert!(again.sealed_segment > done.sealed_segment);
    assert_eq!(again.epochs, 0, "nothing was left to forget");
}

#[tokio::test(start_paused = true)]
async fn every_one_of_many_resets_is_answered() {
    let rig = agent().await;
    let running = rig.begin("hello").await;
    rig.until(running, "turn.started").await;
    let (one, two) = tokio::join!(reset(&rig, false), reset(&rig, true));
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(rig.say("and now?").await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn a_reset_right_after_a_start_waits_for_the_epoch_that_was_cut() {
    for force in [false, true] {
        let mut rig = agent().await;
        let cut = rig.begin("hello").await;
        rig.until(cut, "turn.started").await;
        rig.restart().await;
        let done = reset(&rig, force).await.unwrap();
        let ended = rig.ended(cut).await;
        assert_eq!(ended.abort_code(), force.then_some(AbortCode::Reset));
        assert!(ended.last_seq < done.seq, "force: {force}");
        rig.say("and now?").await;
        assert!(rig.asked_last().history.is_empty(), "force: {force}");
    }
}
