//! Money: a day's budget pauses an agent before it spends more, and an unknown price is not zero.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpochId,
    event::{AbortCode, AgentEvent, Event, PauseReason},
    turn::MindError,
};
use abide_engine::keeper::AttentionKind;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, fail, say};
use serde_json::json;

/// What a day may cost here, in millionths of a dollar.
const BUDGET: u64 = 100;

async fn with_budget(script: impl Fn(usize) -> RigAnswer + Send + Sync + 'static) -> Rig {
    Setup::new(move |_, n| script(n))
        .tool(TestTool::read("page.get"))
        .with(|setup| setup.budget_microusd_day = Some(BUDGET))
        .start()
        .await
}

fn pauses(rig: &Rig) -> Vec<PauseReason> {
    let events = rig.entries().into_iter().map(|entry| entry.event);
    let paused = events.filter_map(|event| match event {
        Event::Agent(AgentEvent::Paused(paused)) => Some(paused.reason),
        _ => None,
    });
    paused.collect()
}

async fn resume(rig: &Rig) {
    let felix: AgentId = "felix".parse().unwrap();
    rig.keeper().resume(&felix, EntityName::sender("nicolas").unwrap()).await.unwrap();
}

/// An agent that has spent its day and met the end of it, with one more stimulus waiting.
async fn paused() -> (Rig, EpochId) {
    let rig = with_budget(|_| say("so").costing(60)).await;
    assert_eq!(rig.say("one").await.usage.cost_microusd, Some(60));
    assert_eq!(rig.say("two").await.reply(), Some("so"), "60 of 100 are no reason to stop");
    let over = rig.say("three").await;
    assert_eq!(over.abort_code(), Some(AbortCode::Budget));
    let waiting = rig.begin("four").await;
    rig.pass(Duration::from_mins(30)).await;
    (rig, waiting)
}

fn is_waiting(rig: &Rig, epoch: EpochId) -> bool {
    rig.kinds_of(epoch) == ["stimulus.accepted"]
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_pauses_the_agent_and_its_queue_waits() {
    let (mut rig, waiting) = paused().await;
    assert_eq!(pauses(&rig), [PauseReason::Budget]);
    assert_eq!(rig.asked().len(), 2, "nothing more was asked");
    assert!(is_waiting(&rig, waiting));
    let matters = rig.keeper().attention();
    assert!(matters.iter().any(|matter| matter.kind == AttentionKind::Budget), "a person is told");
    rig.restart().await;
    rig.pass(Duration::from_mins(30)).await;
    assert!(is_waiting(&rig, waiting), "a restart is no way round it");
    assert_eq!((rig.asked().len(), pauses(&rig).len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_is_whole_again_at_midnight() {
    let (rig, waiting) = paused().await;
    let today = rig.now().day();
    let ended = rig.ended(waiting).await;
    assert_eq!(ended.reply(), Some("so"));
    assert_eq!(ended.opened_at.unwrap().day(), today + 1);
    let into_the_day = ended.opened_at.unwrap().as_micros().rem_euclid(86_400_000_000);
    assert!(into_the_day < 1_000_000, "within the first second: {into_the_day}");
}

#[tokio::test(start_paused = true)]
async fn a_person_may_let_it_go_on_at_once_for_another_budget() {
    let (rig, waiting) = paused().await;
    let today = rig.now().day();
    resume(&rig).await;
    let ended = rig.ended(waiting).await;
    assert_eq!((ended.reply(), ended.opened_at.unwrap().day()), (Some("so"), today));
    assert_eq!(rig.say("five").await.reply(), Some("so"));
    assert_eq!(rig.say("six").await.abort_code(), Some(AbortCode::Budget), "it counts anew");
}

#[tokio::test(start_paused = true)]
async fn a_person_who_lets_it_go_on_reaches_the_epoch_that_runs() {
    let rig = with_budget(|n| match n {
        1 | 2 => call("page.get", json!({ "number": n })).costing(60).after(Duration::from_secs(9)),
        _ => say("so").costing(60),
    })
    .await;
    let epoch = rig.begin("hello").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.pass(Duration::from_secs(1)).await;
    resume(&rig).await;
    let ended = rig.ended(epoch).await;
    assert_eq!(ended.reply(), Some("so"), "60 of 100 since then: {:?}", ended.abort);
    assert_eq!(
        rig.say("more").await.abort_code(),
        Some(AbortCode::Budget),
        "and no more than that"
    );
}

#[tokio::test(start_paused = true)]
async fn a_raised_budget_lets_it_go_on() {
    let (mut rig, waiting) = paused().await;
    rig.setup.budget_microusd_day = Some(BUDGET * 10);
    rig.restart().await;
    assert_eq!(rig.ended(waiting).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn a_budget_spent_in_the_middle_of_an_epoch_stops_its_next_turn() {
    let page = |n: usize| call("page.get", json!({ "number": n })).costing(BUDGET);
    let rig = with_budget(page).await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::Budget));
    assert_eq!(rig.asked().len(), 1, "no turn is asked with a spent budget");
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_count_too() {
    let rig = with_budget(|n| if n == 1 { say("").costing(BUDGET) } else { say("so") }).await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::Budget), "the repair is not asked for");
    assert_eq!((rig.asked().len(), epoch.usage.cost_microusd), (1, Some(BUDGET)));
}

#[tokio::test(start_paused = true)]
async fn an_aborted_epoch_has_cost_what_it_cost() {
    let rig =
        with_budget(|n| if n == 1 { say("").costing(60) } else { say(" ").costing(60) }).await;
    assert_eq!(rig.say("hello").await.abort_code(), Some(AbortCode::BadVoice));
    assert_eq!(rig.say("again").await.abort_code(), Some(AbortCode::Budget));
}

#[tokio::test(start_paused = true)]
async fn an_account_without_money_pauses_until_a_person_says_so() {
    let money_out = || fail(MindError::MoneyOut { message: "no credit".into() });
    let rig = with_budget(move |n| if n == 1 { money_out() } else { say("so") }).await;
    assert_eq!(rig.say("hello").await.abort_code(), Some(AbortCode::Budget));
    let waiting = rig.begin("and now?").await;
    rig.pass(Duration::from_hours(48)).await;
    assert_eq!(pauses(&rig), [PauseReason::MoneyOut]);
    assert!(is_waiting(&rig, waiting), "midnight brings no money");
    assert_eq!(rig.asked().len(), 1);
    resume(&rig).await;
    assert_eq!(rig.ended(waiting).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_price_is_null_and_never_zero() {
    let rig = with_budget(|n| match n {
        1 => call("page.get", json!({})).costing(10),
        _ => say("so"),
    })
    .await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.usage.cost_microusd, None, "a sum with an unknown part is unknown");
    assert_eq!((epoch.usage.input_tokens, epoch.usage.output_tokens), (20, 10));
    let state = rig.keeper().state();
    let total = state.agents["felix"].total;
    assert_eq!(
        (total.cost_microusd, total.unpriced),
        (10, 1),
        "what is known, and how much is not"
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_budget_nothing_is_paused() {
    let rig = Setup::new(|_, _| say("so").costing(1_000_000_000)).start().await;
    for _ in 0..3 {
        assert_eq!(rig.say("hello").await.reply(), Some("so"));
    }
}
