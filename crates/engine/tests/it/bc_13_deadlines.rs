//! BC-13: a progress clock that a blind timer resets. Deadlines are counted from what began, and nothing but an end stops
//! them.

use std::time::Duration;

use abide_domain::{
    WaitReason,
    event::{AbortCode, Event, TurnEvent},
    tool::Outcome,
    turn::MindError,
};
use abide_engine::{SeenActivity, state::EpochRecord};
use abide_testkit::rig::{Rig, Setup, TestTool, call, fail, say, silence, trickle};
use serde_json::json;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// From its opening to its end.
fn lasted(epoch: &EpochRecord) -> u64 {
    epoch.ended_at.unwrap().since(epoch.opened_at.unwrap()).as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_mind_that_never_answers_is_asked_three_times_and_given_up() {
    let rig = Setup::new(|_, _| silence()).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::TurnFailed));
    let asked: Vec<_> = rig.asked().iter().map(|asked| (asked.turn, asked.attempt)).collect();
    assert_eq!(asked, [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(lasted(&epoch), 3 * 120 + 1 + 2, "three deadlines and the pauses between them");
    let deadline = ("deadline".to_owned(), "no answer within 120 s".to_owned());
    assert_eq!(failures(&rig, &epoch), [deadline.clone(), deadline.clone(), deadline]);
}

/// Codes and words of the attempts that failed in an epoch.
fn failures(rig: &Rig, epoch: &EpochRecord) -> Vec<(String, String)> {
    let failed = |event| match event {
        Event::Turn(TurnEvent::Failed(failed)) => Some((failed.code, failed.message)),
        _ => None,
    };
    rig.entries_of(epoch.id).into_iter().filter_map(|entry| failed(entry.event)).collect()
}

#[tokio::test(start_paused = true)]
async fn pieces_of_an_answer_are_no_answer() {
    let setup = Setup::new(|_, _| trickle(secs(1))).with(|setup| setup.limits.epoch = secs(7_200));
    let rig = setup.start().await;
    let mut deltas = rig.keeper().deltas();
    let epoch = rig.say("hello").await;
    assert!(deltas.try_recv().is_ok(), "it did breathe all the time");
    let ended = (epoch.abort_code(), lasted(&epoch));
    assert_eq!(ended, (Some(AbortCode::TurnFailed), 3 * 600 + 1 + 2));
    let words = "the answer did not end within 600 s (limits.turn_streaming)".to_owned();
    assert_eq!(failures(&rig, &epoch)[0], ("deadline".to_owned(), words));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_grows_is_waited_for_and_not_asked_again() {
    let rig = Setup::new(|_, _| say("so").after(secs(500)).growing(secs(1))).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.reply(), lasted(&epoch), rig.asked().len()), (Some("so"), 500, 1));
    let asked = rig.asked_last();
    assert_eq!((asked.deadline, asked.deadline_streaming), (secs(120), secs(600)));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_stops_growing_is_asked_again_as_if_it_had_not_begun() {
    let script = |_: &_, n| match n {
        1 => silence().after(secs(150)).growing(secs(4)),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!(epoch.reply(), Some("so"));
    let words = "the answer began, and then nothing came for 120 s".to_owned();
    assert_eq!(failures(&rig, &epoch), [("deadline".to_owned(), words)]);
    // The last piece came at 148 s; a second is the pause before the next attempt.
    assert_eq!(lasted(&epoch), 148 + 120 + 1);
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_a_provider_asks_for_and_a_tool_at_work_are_waits_with_an_end() {
    let script = |_: &_, n| match n {
        1 => {
            fail(MindError::RateLimited { message: "slowly".into(), retry_after: Some(secs(200)) })
        }
        2 => call("slow.tool", json!({})),
        _ => say("so"),
    };
    let slow = TestTool::read("slow.tool").lasting(secs(0), secs(50));
    let rig = Setup::new(script).tool(slow).start().await;
    let felix = "felix".parse().unwrap();
    let seen = |rig: &Rig| rig.keeper().activity(&felix);
    assert_eq!(seen(&rig), SeenActivity::default());
    let began = rig.now();
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.failed").await;
    rig.pass(secs(100)).await;
    let wait = seen(&rig).wait.unwrap();
    assert_eq!(wait.reason, WaitReason::Provider);
    assert_eq!(wait.until.since(began).as_secs(), 200);
    rig.pass(secs(110)).await;
    let later = seen(&rig);
    assert_eq!(later.wait.unwrap().reason, WaitReason::Tool);
    assert_eq!(later.wait.unwrap().until.since(began).as_secs(), 200 + 60, "the tool's own limit");
    assert_eq!(later.waited_until.unwrap().since(began).as_secs(), 200);
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let over = seen(&rig);
    assert_eq!((over.wait, over.waited_until.unwrap().since(began).as_secs()), (None, 250));
}

#[tokio::test(start_paused = true)]
async fn the_epochs_deadline_ends_it_in_the_middle_of_a_turn() {
    let setup = Setup::new(|_, _| silence()).with(|setup| setup.limits.epoch = secs(200));
    let rig = setup.start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.abort_code(), lasted(&epoch)), (Some(AbortCode::Deadline), 200));
    assert_eq!(rig.asked_last().deadline, secs(200 - 120 - 1), "the mind is told what is left");
}

#[tokio::test(start_paused = true)]
async fn turns_with_calls_do_not_push_the_epochs_deadline_away() {
    let script = |_: &_, n: usize| call("page.get", json!({ "number": n })).after(secs(100));
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.abort_code(), lasted(&epoch)), (Some(AbortCode::Deadline), 600));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_while_the_keeper_is_down_ends_the_epoch_at_the_start() {
    let mut rig = Setup::new(|_, _| silence()).start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.started").await;
    rig.kill().await;
    rig.pass(secs(601)).await;
    rig.start_again().await;
    let started = rig.now();
    let epoch = rig.ended(epoch).await;
    assert_eq!(epoch.abort_code(), Some(AbortCode::Deadline));
    assert!(epoch.ended_at.unwrap().since(started) < secs(1), "at once");
    assert_eq!(rig.asked().len(), 1, "and its mind is not asked again");
}

#[tokio::test(start_paused = true)]
async fn time_down_counts_against_the_epoch_and_no_more_than_that() {
    let script = |_: &_, n| if n == 1 { silence() } else { say("so").after(secs(90)) };
    let mut rig = Setup::new(script).start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.started").await;
    rig.kill().await;
    rig.pass(secs(500)).await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert!(rig.asked_last().deadline <= secs(100));
}

#[tokio::test(start_paused = true)]
async fn time_in_the_queue_is_not_the_epochs() {
    let rig = Setup::new(|_, _| say("so").after(secs(100)))
        .with(|setup| setup.limits.epoch = secs(110))
        .start()
        .await;
    let mut epochs = Vec::new();
    for number in 0..4 {
        epochs.push(rig.begin(&format!("{number}")).await);
    }
    for epoch in epochs {
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_past_its_time_is_cut_off_and_told_by_its_class() {
    let read = TestTool::read("slow.tool");
    let world = TestTool::world("slow.tool");
    // Where the wait lies after the effect, the effect has happened.
    let cases = [
        ("a read", read.lasting(secs(500), secs(0)), Outcome::Error, 0),
        (
            "the world, before its effect",
            world.clone().lasting(secs(500), secs(0)),
            Outcome::Unknown,
            0,
        ),
        (
            "the world, after its effect",
            world.clone().lasting(secs(0), secs(500)),
            Outcome::Unknown,
            1,
        ),
        ("an idempotent one", world.idempotent().lasting(secs(0), secs(500)), Outcome::Unknown, 1),
    ];
    for (case, tool, outcome, runs) in cases {
        let script = |_: &_, n| if n == 1 { call("slow.tool", json!({})) } else { say("so") };
        let rig = Setup::new(script).tool(tool).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.reply(), Some("so"), "{case}");
        let result = rig.tool_results_shown()[0].clone();
        assert_eq!(result.outcome, outcome, "{case}");
        assert!(result.content.contains("60 s"), "{case}: {}", result.content);
        assert_eq!(lasted(&epoch), 60, "{case}");
        rig.pass(secs(1_000)).await;
        assert_eq!(rig.runs(), runs, "{case}: it does not run on, nor again");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_has_no_more_time_than_its_epoch() {
    let slow = TestTool::world("slow.tool").lasting(secs(0), secs(500));
    let rig = Setup::new(|_, _| call("slow.tool", json!({})))
        .tool(slow)
        .with(|setup| setup.limits.epoch = secs(40))
        .start()
        .await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.abort_code(), lasted(&epoch)), (Some(AbortCode::Deadline), 40));
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Unknown]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_of_a_mind_while_nothing_comes_in() {
    let rig = Setup::new(|_, _| say("so")).start().await;
    let before = rig.entries().len();
    rig.pass(Duration::from_hours(48)).await;
    assert_eq!((rig.asked().len(), rig.entries().len()), (0, before));
}
