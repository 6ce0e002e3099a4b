//! Attempts at a turn (decision 14): how often, how long between, and what a death counts for (decision 20).

use std::time::Duration;

use abide_domain::{
    EpochId,
    event::{AbortCode, Event, TurnEvent},
    turn::{MindError, Usage},
};
use abide_engine::keeper::AttentionKind;
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
async fn an_input_that_ends_its_keeper_every_time_is_poison_and_the_queue_goes_on() {
    let script = |request: &abide_domain::turn::TurnRequest, _| match &*request.message {
        "poison" => silence(),
        _ => say("so"),
    };
    let mut rig = Setup::new(script).start().await;
    let poison = rig.begin("poison").await;
    let next = rig.begin("hello").await;
    for death in 1..=5 {
        rig.until_times(poison, "turn.started", death).await;
        rig.restart().await;
    }
    let ended = rig.ended(poison).await;
    assert_eq!(ended.abort_code(), Some(AbortCode::Poison));
    let message = ended.abort.unwrap().message;
    assert!(message.contains("keeper ended 5 times") && message.contains("not known"), "{message}");
    assert_eq!(rig.asked_in(poison).len(), 5);
    assert_eq!(rig.ended(next).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn ends_of_the_keeper_use_up_no_attempt_of_the_mind() {
    let script = |_: &_, n| match n {
        1 | 3 | 4 => silence(),
        2 | 5 => fail(unavailable()),
        _ => say("so"),
    };
    let mut rig = Setup::new(script).start().await;
    let epoch = rig.begin("hello").await;
    for (started, is_end) in [(1, true), (3, true), (4, true)] {
        rig.until_times(epoch, "turn.started", started).await;
        if is_end {
            rig.restart().await;
        }
    }
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.asked().len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_a_person_ended_uses_up_no_attempt_and_is_asked_again() {
    let restarted = || MindError::ProcessEnded { message: "a person ended it".into() };
    let script = move |_: &_, n| match n {
        1 | 2 => fail(unavailable()),
        3 | 4 => fail(restarted()),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
    assert_eq!(rig.asked().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn ends_by_order_are_bounded_and_the_model_is_not_blamed() {
    let restarted = || MindError::ProcessEnded { message: "a person ended it".into() };
    let rig = Setup::new(move |_, _| fail(restarted())).start().await;
    let epoch = rig.say("hello").await;
    assert_eq!((epoch.abort_code(), rig.asked().len()), (Some(AbortCode::TurnFailed), 8));
    let message = epoch.abort.unwrap().message;
    assert!(message.contains("was ended: a person ended it"), "{message}");
    let last = epoch.failures.last().map(|failed| failed.code.clone());
    assert_eq!(last.as_deref(), Some("process_ended"));
}

#[tokio::test(start_paused = true)]
async fn crashes_are_poison_though_a_failure_that_counts_for_nothing_lies_between_them() {
    let ended = || MindError::ProcessEnded { message: "a person ended it".into() };
    let crashed = || MindError::Crashed { message: "signal 11".into() };
    for free in 1..=4 {
        let script = move |_: &_, n| if n == free { fail(ended()) } else { fail(crashed()) };
        let rig = Setup::new(script).start().await;
        let epoch = rig.say("deadly").await;
        let asked = 3 + usize::from(free < 4);
        assert_eq!((epoch.abort_code(), rig.asked().len()), (Some(AbortCode::Poison), asked));
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_sleeps_is_no_silence_and_uses_up_no_attempt() {
    let hour = Duration::from_hours(1);
    let script = |_: &_, n| match n {
        1..=3 => silence(),
        _ => say("so"),
    };
    let setup = Setup::new(script).with(|setup| setup.limits.turn = Duration::from_mins(1));
    let rig = setup.start().await;
    let epoch = rig.begin("hello").await;
    for attempt in 1..=3 {
        rig.until_times(epoch, "turn.started", attempt).await;
        rig.pass(Duration::from_secs(10)).await;
        tokio::time::advance(hour).await;
    }
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    let entries = rig.entries_of(epoch);
    let failed = |event: Event| match event {
        Event::Turn(TurnEvent::Failed(failed)) => Some((failed.code, failed.message)),
        _ => None,
    };
    let failed: Vec<_> = entries.into_iter().filter_map(|entry| failed(entry.event)).collect();
    assert_eq!(failed.len(), 3, "{failed:?}");
    assert!(failed.iter().all(|(code, _)| code == "suspended"), "{failed:?}");
    assert!(failed.iter().all(|(_, words)| words.contains("stood still for 3600 s")), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_grows_again_after_the_machine_slept_is_not_cut_off() {
    let minute = Duration::from_mins(1);
    let slow = say("so").after(2 * minute).growing(Duration::from_secs(5));
    let setup = Setup::new(move |_, _| slow.clone()).with(|setup| setup.limits.turn = minute);
    let rig = setup.start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.started").await;
    rig.pass(Duration::from_secs(10)).await;
    tokio::time::advance(minute + Duration::from_secs(2)).await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.count_of(epoch, "turn.failed"), 0);
}

/// What attention says of epochs without a reply.
fn without_reply(rig: &Rig) -> Vec<EpochId> {
    let matters = rig.keeper().attention();
    let failed = matters.into_iter().filter(|matter| matter.kind == AttentionKind::EpochFailed);
    failed.filter_map(|matter| matter.epoch).collect()
}

#[tokio::test(start_paused = true)]
async fn what_got_no_reply_stays_a_matter_until_it_is_asked_again_or_old() {
    let script = |request: &abide_domain::turn::TurnRequest, n| match &*request.message {
        "hard" if n < 8 => fail(unavailable()),
        "hopeless" => fail(unavailable()),
        _ => say("so"),
    };
    let rig = Setup::new(script).start().await;
    let hard = rig.say("hard").await.id;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
    assert_eq!(without_reply(&rig), [hard], "something else was answered, this was not");
    let again = rig.say("hard").await;
    assert_eq!(again.reply(), None);
    assert_eq!(without_reply(&rig), [again.id], "the new one stands in place of the old one");
    assert_eq!(rig.say(" hard\n").await.reply(), Some("so"));
    assert_eq!(without_reply(&rig), [], "asked again and answered");

    let hopeless = rig.say("hopeless").await.id;
    rig.pass(Duration::from_hours(6 * 24)).await;
    rig.say("hello").await;
    assert_eq!(without_reply(&rig), [hopeless]);
    rig.pass(Duration::from_hours(24)).await;
    rig.say("hello").await;
    assert_eq!(without_reply(&rig), [], "nobody asks for it any more");
}

#[tokio::test(start_paused = true)]
async fn what_is_answered_stands_for_the_same_words_that_failed_while_it_waited() {
    let script = |_: &_, n| if n <= 3 { fail(unavailable()) } else { say("so") };
    let rig = Setup::new(script).start().await;
    let (first, second) = (rig.begin("hard").await, rig.begin("hard").await);
    assert_eq!(rig.ended(first).await.reply(), None);
    assert_eq!(rig.ended(second).await.reply(), Some("so"));
    assert_eq!(without_reply(&rig), []);
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_machine_slept_is_not_the_epochs_after_a_restart_either() {
    let script = |_: &_, n| if n <= 2 { silence() } else { say("so") };
    let setup = Setup::new(script).with(|setup| {
        setup.limits.turn = Duration::from_mins(1);
        setup.limits.epoch = Duration::from_mins(10);
    });
    let mut rig = setup.start().await;
    let epoch = rig.begin("hello").await;
    rig.until(epoch, "turn.started").await;
    rig.pass(Duration::from_secs(10)).await;
    tokio::time::advance(Duration::from_hours(1)).await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.restart().await;
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    assert_eq!(rig.count_of(epoch, "epoch.stood_still"), 1);
}
