//! Attempts at a turn (decision 14): how often, how long between, and what a death counts for (decision 20).

use std::time::Duration;

use abide_domain::{
    EpochId,
    event::{AbortCode, Event, TurnEvent},
    turn::{MindError, Usage},
};
use abide_testkit::rig::{Rig, Setup, TestTool, call, fail, say, silence};
use serde_json::json;

fn unavailable() -> MindError {
    MindError::Unavailable { message: "cut".into() }
}

fn overloaded() -> MindError {
    MindError::Overloaded { message: "529".into() }
}

fn limited(retry_after: Option<u64>) -> MindError {
    let retry_after = retry_after.map(Duration::from_secs);
    MindError::RateLimited { message: "429".into(), retry_after }
}

/// The seconds between the askings of an epoch.
fn pauses(rig: &Rig, epoch: EpochId) -> Vec<u64> {
    let entries = rig.entries_of(epoch).into_iter();
    let asked = entries.filter(|e| matches!(e.event, Event::Turn(TurnEvent::Started(_))));
    let asked: Vec<_> = asked.map(|entry| entry.timestamp).collect();
    asked.windows(2).map(|pair| pair[1].since(pair[0]).as_secs()).collect()
}

#[tokio::test(start_paused = true)]
async fn passing_failures_are_waited_out() {
    let cases = [
        ("unavailable", [unavailable(), unavailable()], [1, 2]),
        ("overloaded", [overloaded(), overloaded()], [1, 2]),
        ("rate limit", [limited(None), limited(None)], [1, 2]),
        ("rate limit that says how long", [limited(Some(7)), limited(Some(20))], [7, 20]),
        ("a mixture", [limited(Some(5)), overloaded()], [5, 2]),
    ];
    for (case, failures, waits) in cases {
        let script = move |_: &_, n: usize| match failures.get(n - 1) {
            Some(failure) => fail(failure.clone()),
            None => say("so"),
        };
        let rig = Setup::new(script).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.reply(), Some("so"), "{case}");
        assert_eq!(pauses(&rig, epoch.id), waits, "{case}");
        assert_eq!(rig.asked_last().attempt, 3, "{case}");
        assert_eq!(rig.asked_last().repair, None, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_repair_takes_no_pause_away_from_what_follows() {
    let script = |_: &_, n: usize| match n {
        1 => say(""),
        2 | 3 => fail(unavailable()),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.reply(), pauses(&rig, epoch.id)), (Some("so"), vec![0, 1, 2]));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_a_long_pause_gets_all_of_it() {
    let script = |_: &_, n| if n == 1 { fail(limited(Some(240))) } else { say("so") };
    let rig = Setup::new(script).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.reply(), pauses(&rig, epoch.id)), (Some("so"), vec![240]));
}

#[tokio::test(start_paused = true)]
async fn a_pause_for_which_there_is_no_time_ends_the_epoch_at_once_and_says_so() {
    let (minutes, hours) = (Duration::from_mins(1), Duration::from_hours(4));
    // Longer than the epoch has, and longer than anybody should wait for a reply.
    for (limit, asked_for, most) in [(minutes, 60, "60 s"), (hours, 601, "600 s")] {
        let setup = Setup::new(move |_, _| fail(limited(Some(asked_for))));
        let rig = setup.with(|setup| setup.limits.epoch = limit).start().await;
        let began = rig.now();
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.abort_code(), Some(AbortCode::TurnFailed));
        let message = epoch.abort.unwrap().message;
        let asked_for = format!("asks to wait {asked_for} s");
        assert!(message.contains(&asked_for) && message.contains(most), "{message}");
        assert!(rig.now().since(began) < Duration::from_secs(1), "it does not sleep in vain");
        assert_eq!(rig.count_of(epoch.id, "turn.failed"), 1, "what failed is on record");
    }
}

#[tokio::test(start_paused = true)]
async fn the_third_failure_is_the_end() {
    for failure in [unavailable(), overloaded(), limited(None)] {
        let words = failure.to_string();
        let rig = Setup::new(move |_, _| fail(failure.clone())).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!(epoch.abort_code(), Some(AbortCode::TurnFailed), "{words}");
        assert!(epoch.abort.unwrap().message.contains(&words), "the last failure is told");
        assert_eq!(rig.asked().len(), 3, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stimulus_that_ends_the_agents_process_three_times_is_poison_and_the_lane_goes_on() {
    let script = |request: &abide_domain::turn::TurnRequest, _: usize| match &*request.message {
        "deadly" => fail(MindError::Crashed { message: "signal 11".into() }),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    let epoch = rig.say("deadly").await;
    assert_eq!((epoch.abort_code(), rig.asked().len()), (Some(AbortCode::Poison), 3));
    assert_eq!(pauses(&rig, epoch.id), [0, 0], "whoever restarts the process has its own pauses");
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn failures_that_asking_again_cannot_help_end_at_once() {
    let refused = MindError::Refused { message: "no".into(), usage: Usage::default() };
    let rejected = MindError::Rejected { message: "bad key".into() };
    for (failure, code) in [(refused, AbortCode::Refused), (rejected, AbortCode::ModelRejected)] {
        let rig = Setup::new(move |_, _| fail(failure.clone())).start().await;
        let epoch = rig.say("hello").await;
        assert_eq!((epoch.abort_code(), rig.asked().len()), (Some(code), 1));
    }
}

#[tokio::test(start_paused = true)]
async fn every_turn_has_its_own_attempts() {
    let script = |_: &_, n| match n {
        3 => call("page.get", json!({})),
        6 => say("so"),
        _ => fail(unavailable()),
    };
    let rig = Setup::new(script).tool(TestTool::read("page.get")).start().await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn a_turn_cut_by_a_death_is_asked_again_and_nothing_before_it_is_repeated() {
    for is_power in [false, true] {
        let script = |_: &_, n| match n {
            1 => call("world.push", json!({})),
            2 => silence(),
            _ => say("so"),
        };
        let mut rig = Setup::new(script).tool(TestTool::world("world.push")).start().await;
        let epoch = rig.begin("hello").await;
        rig.until_times(epoch, "turn.started", 2).await;
        let before = rig.asked_last();
        if is_power {
            rig.power_cut().await;
        } else {
            rig.kill().await;
        }
        rig.start_again().await;
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
        let after = rig.asked_last();
        assert_eq!((after.turn, after.attempt), (2, 2));
        assert_eq!(after.steps, before.steps, "with what the first turn gave");
        assert_eq!((after.system, after.history), (before.system, before.history));
        assert_eq!(after.context, before.context);
        assert_eq!(rig.runs(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_input_that_kills_its_keeper_three_times_is_poison_and_the_queue_goes_on() {
    let script = |request: &abide_domain::turn::TurnRequest, _| match &*request.message {
        "poison" => silence(),
        _ => say("so"),
    };
    let mut rig = Setup::new(script).start().await;
    let poison = rig.begin("poison").await;
    let next = rig.begin("hello").await;
    for death in 1..=3 {
        rig.until_times(poison, "turn.started", death).await;
        rig.restart().await;
    }
    assert_eq!(rig.ended(poison).await.abort_code(), Some(AbortCode::Poison));
    assert_eq!(rig.asked_in(poison).len(), 3);
    assert_eq!(rig.ended(next).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn deaths_and_failures_share_the_attempts_of_a_turn() {
    let script = |_: &_, n| if n == 2 { silence() } else { fail(unavailable()) };
    let mut rig = Setup::new(script).start().await;
    let epoch = rig.begin("hello").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.restart().await;
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::TurnFailed));
    assert_eq!(rig.asked().len(), 3);
}
