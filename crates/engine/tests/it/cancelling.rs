//! Ending an epoch from outside: wherever it stands it ends once, durably, and the agent goes on.

use std::time::Duration;

use abide_domain::{
    EpochId,
    event::AbortCode,
    tool::Outcome,
    turn::{MindError, TurnRequest},
};
use abide_engine::keeper::{AcceptOptions, OrderError};
use abide_testkit::{
    SeededIds,
    rig::{Rig, Setup, TestTool, call, calls, fail, say, silence},
};
use serde_json::json;

/// An agent that never comes to an end with what is called "stuck", and answers all else.
async fn stuck(stuck: impl Fn() -> abide_testkit::rig::RigAnswer + Send + Sync + 'static) -> Rig {
    let script = move |request: &TurnRequest, _| match &*request.message {
        "stuck" => stuck(),
        _ => say("so"),
    };
    let forever = (Duration::ZERO, Duration::from_secs(50));
    let setup = Setup::new(script)
        .tool(TestTool::world("world.push").lasting(forever.0, forever.1))
        .tool(TestTool::read("page.get").lasting(forever.0, forever.1));
    setup.start().await
}

async fn abort(rig: &Rig, epoch: EpochId) -> Result<(), OrderError> {
    rig.keeper().abort(epoch, "never mind".into()).await
}

async fn assert_cancelled(rig: &Rig, epoch: EpochId) {
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.abort_code(), Some(AbortCode::Cancelled));
    assert_eq!(ended.abort.unwrap().message, "never mind");
    assert!(matches!(abort(rig, epoch).await, Err(OrderError::Ended(_))), "it ends once");
    assert_eq!(rig.count_of(epoch, "epoch.aborted"), 1);
    assert_eq!(rig.say("and now?").await.reply(), Some("so"), "the agent goes on");
}

#[tokio::test(start_paused = true)]
async fn an_epoch_whose_mind_thinks_ends_at_once() {
    let rig = stuck(silence).await;
    let epoch = rig.begin("stuck").await;
    rig.until(epoch, "turn.started").await;
    let told = rig.now();
    abort(&rig, epoch).await.unwrap();
    assert_eq!(rig.kinds_of(epoch).last(), Some(&"epoch.aborted"), "durable when it is told");
    assert!(rig.now().since(told) < Duration::from_secs(1));
    assert_cancelled(&rig, epoch).await;
    let state = rig.keeper().state();
    let aborted = state.agents.values().find_map(|agent| agent.last_aborted.as_ref());
    assert_eq!(aborted.map(|ended| ended.epoch), Some(epoch), "known though another was answered");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_runs_is_cut_off_and_the_world_is_left_unknown() {
    for (tool, outcome) in [("world.push", Outcome::Unknown), ("page.get", Outcome::Error)] {
        let rig = stuck(move || call(tool, json!({}))).await;
        let epoch = rig.begin("stuck").await;
        rig.until(epoch, "tool.requested").await;
        rig.pass(Duration::from_secs(5)).await;
        abort(&rig, epoch).await.unwrap();
        assert_eq!(rig.outcomes_of(epoch), [outcome], "{tool}");
        assert_cancelled(&rig, epoch).await;
        assert_eq!(rig.runs(), 1, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_epoch_between_two_attempts_ends_at_once() {
    let rig = stuck(|| {
        let retry_after = Some(Duration::from_secs(30));
        fail(MindError::RateLimited { message: "429".into(), retry_after })
    })
    .await;
    let epoch = rig.begin("stuck").await;
    rig.until(epoch, "turn.failed").await;
    let told = rig.now();
    abort(&rig, epoch).await.unwrap();
    assert!(rig.now().since(told) < Duration::from_secs(1));
    assert_cancelled(&rig, epoch).await;
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_waits_ends_without_having_begun() {
    let rig = stuck(silence).await;
    let running = rig.begin("stuck").await;
    rig.until(running, "turn.started").await;
    let (second, third) = (rig.begin("hello").await, rig.begin("hello").await);
    abort(&rig, second).await.unwrap();
    assert_eq!(rig.kinds_of(second), ["stimulus.accepted", "epoch.aborted"]);
    assert!(rig.keeper().state().running.contains_key(&running), "the running one is untouched");
    abort(&rig, running).await.unwrap();
    assert_eq!(rig.ended(third).await.reply(), Some("so"), "and the one behind it goes on");
    assert_cancelled(&rig, second).await;
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_was_cut_can_be_ended_too() {
    let mut rig = stuck(silence).await;
    let epoch = rig.begin("stuck").await;
    rig.until(epoch, "turn.started").await;
    rig.restart().await;
    abort(&rig, epoch).await.unwrap();
    assert_cancelled(&rig, epoch).await;
}

#[tokio::test(start_paused = true)]
async fn an_epoch_ended_right_after_a_start_leaves_neither_blobs_nor_calls_without_an_outcome() {
    let calls = || calls([("page.large", json!({})), ("world.push", json!({}))]);
    let setup = Setup::new(move |_, _| calls())
        .tool(TestTool::read("page.large").giving_text("p".repeat(50_000)))
        .tool(TestTool::world("world.push"))
        .with(|setup| setup.failpoints = "tool.effect_done=delay(3600000)".into());
    let mut rig = setup.start().await;
    let epoch = rig.begin("hello").await;
    rig.pass(Duration::from_secs(5)).await;
    rig.restart().await;
    abort(&rig, epoch).await.unwrap();
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.abort_code(), Some(AbortCode::Cancelled));
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Ok, Outcome::Unknown], "a person is told");
    assert!(rig.blobs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_end_that_cannot_be_written_is_not_told_as_one() {
    for is_for_good in [false, true] {
        let rig = stuck(silence).await;
        let running = rig.begin("stuck").await;
        rig.until(running, "turn.started").await;
        let waiting = rig.begin("hello").await;
        if is_for_good {
            rig.storage.fail_sync_at(1);
        } else {
            rig.storage.set_capacity(Some(0));
        }
        let long = "f".repeat(9_000);
        while rig.accept(rig.stimulus(&long), AcceptOptions::default()).await.is_ok() {}
        for epoch in [waiting, running, waiting, running] {
            let told = tokio::time::timeout(Duration::from_mins(30), abort(&rig, epoch)).await;
            let told = told.unwrap();
            assert!(matches!(told, Err(OrderError::Ledger(_))), "{told:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_ended_or_never_was_cannot_be_ended() {
    let rig = stuck(silence).await;
    let done = rig.say("hello").await;
    assert!(matches!(abort(&rig, done.id).await, Err(OrderError::Ended(id)) if id == done.id));
    assert_eq!(rig.count_of(done.id, "epoch.aborted"), 0);
    let never = EpochId::new(&SeededIds::new(99), rig.now());
    assert!(matches!(abort(&rig, never).await, Err(OrderError::NotFound { .. })));
}

#[tokio::test(start_paused = true)]
async fn who_comes_too_late_is_told_that_the_epoch_has_ended() {
    let setup = Setup::new(|_, _| say("so"));
    let setup = setup.with(|setup| setup.failpoints = "commit.before=delay(10000)".into());
    let rig = setup.start().await;
    let epoch = rig.begin("hello").await;
    rig.pass(Duration::from_secs(5)).await;
    let told = abort(&rig, epoch).await;
    let ended = rig.ended(epoch).await;
    assert_eq!(told.is_ok(), ended.abort.is_some(), "what is told is what happened: {told:?}");
}

#[tokio::test(start_paused = true)]
async fn staged_facts_of_a_cancelled_epoch_are_never_known() {
    let script = |_: &_, n| match n {
        1 => call("memory.remember_fact", json!({"content": "the staging server is heron"})),
        _ => silence(),
    };
    let rig = Setup::new(script).start().await;
    let epoch = rig.begin("hello").await;
    rig.until_times(epoch, "turn.started", 2).await;
    abort(&rig, epoch).await.unwrap();
    let facts =
        rig.keeper().agent("felix").unwrap().facts.list(None, 9, Some("heron")).unwrap().items;
    assert_eq!(facts.len(), 0);
}
