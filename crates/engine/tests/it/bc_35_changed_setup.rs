//! BC-35, inside the engine: what a start is given is in force at once and whole, also for an epoch that was cut under
//! another configuration; what the ledger recorded about a call is not changed by it.

use std::time::Duration;

use abide_domain::tool::Outcome;
use abide_engine::failpoint::Failpoints;
use abide_testkit::rig::{Rig, Setup, TestTool, call, say};
use serde_json::json;

/// An agent that pushes once, and dies at a point on the way.
async fn cut_at(point: &str) -> (Rig, abide_domain::EpochId) {
    let script = |request: &abide_domain::turn::TurnRequest, _| match request.turn {
        1 => call("world.push", json!({})),
        _ => say("so"),
    };
    let setup = Setup::new(script)
        .tool(TestTool::world("world.push"))
        .with(|setup| setup.failpoints = format!("{point}=delay(3600000)"));
    let mut rig = setup.start().await;
    let epoch = rig.begin("push").await;
    rig.pass(Duration::from_secs(10)).await;
    rig.kill().await;
    rig.setup.failpoints.clear();
    (rig, epoch)
}

#[tokio::test(start_paused = true)]
async fn a_policy_made_stricter_holds_for_calls_that_are_not_begun() {
    let (mut rig, epoch) = cut_at("turn.answered").await;
    rig.setup.deny = vec!["world.*"];
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!((rig.outcomes_of(epoch), rig.runs()), (vec![Outcome::Denied], 0));
}

#[tokio::test(start_paused = true)]
async fn a_tool_declared_idempotent_later_is_not_repeated_for_an_intent_of_before() {
    let (mut rig, epoch) = cut_at("tool.effect_done").await;
    rig.setup = rig.setup.clone().tool(TestTool::world("world.push").idempotent());
    rig.start_again().await;
    rig.ended(epoch).await;
    assert_eq!((rig.outcomes_of(epoch), rig.runs()), (vec![Outcome::Unknown], 1));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_gone_is_told_and_the_epoch_goes_on() {
    let (mut rig, epoch) = cut_at("turn.answered").await;
    rig.setup.props.clear();
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Error]);
}

#[tokio::test(start_paused = true)]
async fn new_limits_hold_for_an_epoch_that_was_cut() {
    let (mut rig, epoch) = cut_at("turn.asked").await;
    rig.setup.limits.epoch = Duration::from_secs(5);
    rig.start_again().await;
    let code = rig.ended(epoch).await.abort_code();
    assert_eq!(code, Some(abide_domain::event::AbortCode::Deadline));
}

#[tokio::test(start_paused = true)]
async fn a_changed_profile_is_recorded_once_and_an_unchanged_one_never_again() {
    let mut rig = Setup::new(|_, _| say("so")).start().await;
    let registered = |rig: &Rig| {
        let entries = rig.entries().into_iter();
        entries.filter(|entry| entry.event.kind().name == "agent.registered").count()
    };
    rig.restart().await;
    assert_eq!(registered(&rig), 1);
    rig.setup.role = "another role".into();
    rig.restart().await;
    rig.restart().await;
    assert_eq!(registered(&rig), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failpoint_that_does_not_exist_keeps_the_keeper_from_starting() {
    let mut rig = Setup::new(|_, _| say("so")).start().await;
    rig.kill().await;
    rig.setup.failpoints = "turn.askd=error".into();
    let refused = rig.try_start().await.unwrap_err();
    assert!(refused.contains("turn.askd"), "{refused}");
    assert!("turn.asked=error".parse::<Failpoints>().is_ok());
}
