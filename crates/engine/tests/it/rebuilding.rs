//! Law 1: everything but the ledger can be rebuilt from it. The digest covers all that an agent could notice.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName,
    event::{Decision, Idempotency, ToolKept},
    turn::{MindError, TurnRequest},
};
use abide_engine::keeper::AcceptOptions;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, fail, say, silence};
use abide_tools::Output;
use serde_json::json;

fn does(request: &TurnRequest, _: usize) -> RigAnswer {
    match (&*request.message, request.turn) {
        ("remember", 1) => {
            call("memory.remember_fact", json!({"content": format!("fact of {}", request.epoch)}))
        }
        ("push", 1) => call("world.push", json!({})),
        ("read", 1) => call("page.get", json!({})),
        ("break", _) => fail(MindError::Rejected { message: "no".into() }),
        ("wait", _) => silence(),
        _ => say("so").costing(5),
    }
}

fn felix() -> AgentId {
    "felix".parse().unwrap()
}

/// A life with a bit of everything.
async fn lived() -> Rig {
    let setup = Setup::new(does)
        .tool(TestTool::world("world.push"))
        .tool(TestTool::read("page.get").giving_text("p".repeat(50_000)))
        .with(|setup| setup.ask = vec!["world.push"])
        .with(|setup| setup.agents = vec!["felix", "ada"])
        .with(|setup| setup.budget_microusd_day = Some(1_000));
    let rig = setup.start().await;
    for content in ["hello", "remember", "read", "break", "push", "remember"] {
        rig.say(content).await;
    }
    rig.keeper().reset(&felix(), false, EntityName::keeper()).await.unwrap();
    let epoch = rig.begin_interactive("push").await;
    rig.until(epoch, "approval.requested").await;
    rig.decide(rig.pending_approval().unwrap().0, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    let identity = "# I\n\nI am another one now, and I say so here.\n".to_owned();
    rig.keeper().set_identity(&felix(), identity, true, EntityName::keeper()).await.unwrap();
    let idempotency = Some(Idempotency { key: "k".into(), body_sha256: "a".into() });
    let how = AcceptOptions { idempotency, ..AcceptOptions::default() };
    let epoch = rig.accept(rig.stimulus("hello"), how).await.unwrap().epoch;
    rig.ended(epoch).await;
    rig
}

#[tokio::test(start_paused = true)]
async fn the_state_is_the_same_after_a_restart_and_after_a_rebuild() {
    let mut rig = lived().await;
    let lived = rig.digest();
    assert_eq!(rig.digest_rebuilt(), lived, "folded anew from the ledger alone");
    rig.restart().await;
    assert_eq!(rig.digest(), lived, "after a death of the process");
    rig.power_cut().await;
    rig.start_again().await;
    assert_eq!(rig.digest(), lived, "after a death of the machine");
    assert_eq!(rig.digest_rebuilt(), lived);
}

#[tokio::test(start_paused = true)]
async fn the_state_is_the_same_with_epochs_open_and_waiting() {
    let mut rig = lived().await;
    let open = rig.begin("wait").await;
    rig.until(open, "turn.started").await;
    rig.begin("hello").await;
    let lived = rig.digest();
    assert_eq!(rig.digest_rebuilt(), lived);
    rig.setup.failpoints = "recover.resumed=delay(3600000)".into();
    rig.restart().await;
    assert_eq!(rig.digest(), lived);
}

#[tokio::test(start_paused = true)]
async fn the_digest_changes_with_everything_that_an_agent_could_notice() {
    let rig = lived().await;
    let mut seen = vec![rig.digest()];
    let mut note = |rig: &Rig, case: &str| {
        let digest = rig.digest();
        assert!(!seen.contains(&digest), "{case} leaves the digest as it was");
        seen.push(digest);
    };
    rig.say("hello").await;
    note(&rig, "an exchange");
    rig.say("remember").await;
    note(&rig, "a fact");
    rig.say("break").await;
    note(&rig, "an aborted epoch");
    rig.keeper().reset(&felix(), false, EntityName::keeper()).await.unwrap();
    note(&rig, "a reset");
    let identity = "# I\n\nI am a third one now, and I say so here too.\n".to_owned();
    rig.keeper().set_identity(&felix(), identity, true, EntityName::keeper()).await.unwrap();
    note(&rig, "another identity");
    let open = rig.begin("wait").await;
    rig.until(open, "turn.started").await;
    note(&rig, "an open epoch");
    rig.begin("hello").await;
    note(&rig, "a waiting epoch");
}

#[tokio::test(start_paused = true)]
async fn the_digest_does_not_change_with_time_or_starts() {
    let mut rig = lived().await;
    let before = rig.digest();
    rig.pass(Duration::from_hours(60)).await;
    assert_eq!(rig.digest(), before);
    for _ in 0..3 {
        rig.restart().await;
        assert_eq!(rig.digest(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ended_epoch_reads_back_as_it_was_after_a_restart() {
    let mut rig = lived().await;
    let before = rig.say("remember").await;
    rig.restart().await;
    let after = rig.ended(before.id).await;
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
}

/// A tool that keeps what it is given, and shows what it kept before.
fn keeper_tool() -> TestTool {
    TestTool::read("feeds.keep").giving(|call, _| {
        let content = call.state.kept.to_json().to_string();
        let key = call.arguments["key"].as_str().unwrap_or_default().to_owned();
        let value = call.arguments.get("value").cloned();
        let kept = ToolKept { namespace: "feeds".into(), key, value };
        Ok(Output { content, staged: vec![kept.into()], ..Output::default() })
    })
}

#[tokio::test(start_paused = true)]
async fn what_tools_keep_is_there_after_a_restart_and_what_an_aborted_epoch_staged_is_not() {
    let script = |request: &TurnRequest, _: usize| match (&*request.message, request.turn) {
        ("look", 1) => call("feeds.keep", json!({"key": "none"})),
        ("drop", 1) => call("feeds.keep", json!({"key": "a"})),
        (_, 1) => call("feeds.keep", json!({"key": &*request.message, "value": {"seen": 1}})),
        ("fails", _) => fail(MindError::Rejected { message: "no".into() }),
        _ => say("so"),
    };
    let mut rig = Setup::new(script).tool(keeper_tool()).start().await;
    for content in ["a", "b", "fails"] {
        rig.say(content).await;
    }
    let shown = async |rig: &Rig| {
        let epoch = rig.say("look").await;
        let finished = epoch.turns[0].calls[0].finished.as_ref().unwrap();
        serde_json::from_str::<serde_json::Value>(&finished.content).unwrap()
    };
    assert_eq!(shown(&rig).await, json!({"feeds": {"a": {"seen": 1}, "b": {"seen": 1}}}));
    let digest = rig.digest();
    rig.restart().await;
    assert_eq!((rig.digest(), rig.digest_rebuilt()), (digest.clone(), digest.clone()));
    rig.say("drop").await;
    assert_ne!(rig.digest(), digest, "what is kept is part of the state");
    rig.power_cut().await;
    rig.start_again().await;
    assert_eq!(shown(&rig).await, json!({"feeds": {"b": {"seen": 1}}}));
}
