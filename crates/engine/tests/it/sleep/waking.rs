//! What goes on around a sleep: the order of what is written, stimuli that come meanwhile, sleeps that are asked for twice.

use abide_domain::event::SleepStatus;
use abide_engine::{
    keeper::{AcceptError, AcceptOptions},
    sleep::SleepError,
};

use super::night::{begin, count, ended, facts, kinds, setup, sleep, until_ended, window};

#[tokio::test(start_paused = true)]
async fn findings_stand_before_the_end_of_their_step_and_the_reset_is_last() {
    let (setup, _) = setup();
    let rig = setup.start().await;
    rig.say("I live in Berlin.").await;
    assert_eq!(sleep(&rig).await, SleepStatus::Ok);
    let expected = [
        "sleep.started",
        "memory.fact_remembered",
        "sleep.step_finished",
        "memory.identity_changed",
        "sleep.step_finished",
        "memory.dream_written",
        "sleep.step_finished",
        "sleep.ended",
        "memory.reset",
    ];
    assert_eq!(kinds(&rig), expected);
    assert_eq!(facts(&rig), ["nicolas said: I live in Berlin."]);
    assert_eq!(window(&rig), 0);
    let state = rig.keeper().state();
    let dreams: Vec<_> =
        state.agents["felix"].dreams.list().map(|dream| dream.title.clone()).collect();
    assert_eq!(dreams, ["A day"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_to_a_sleeping_agent_waits_until_it_wakes() {
    let (setup, _) = setup();
    let mut rig =
        setup.with(|setup| setup.failpoints = "sleep.dream_before=error".into()).start().await;
    rig.say("one").await;
    begin(&rig).await.unwrap();
    rig.pass(std::time::Duration::from_secs(1)).await;
    let epoch = rig.begin("are you awake?").await;
    rig.pass(std::time::Duration::from_secs(100)).await;
    assert_eq!(rig.count_of(epoch, "epoch.opened"), 0);
    let how = AcceptOptions { if_idle: true, ..AcceptOptions::default() };
    let refused = rig.accept(rig.stimulus("now or never"), how).await;
    assert!(matches!(refused, Err(AcceptError::Busy(_))));
    assert_eq!(begin(&rig).await, Err(SleepError::Asleep));
    rig.kill().await;
    rig.setup.failpoints = String::new();
    rig.start_again().await;
    let answered = rig.ended(epoch).await;
    assert_eq!(answered.reply(), Some("I heard: are you awake?"));
    assert_eq!(ended(&rig), [SleepStatus::Ok]);
    assert!(rig.asked_last().history.is_empty(), "it woke with an empty window");
    assert_eq!(window(&rig), 1);
}

#[tokio::test(start_paused = true)]
async fn a_sleep_waits_for_the_running_epoch_and_takes_it_in() {
    let (setup, _) = setup();
    let setup = setup.answering(|_, _| {
        abide_testkit::rig::say("slowly").after(std::time::Duration::from_secs(30))
    });
    let rig = setup.start().await;
    let epoch = rig.begin("think well").await;
    rig.until(epoch, "turn.started").await;
    let started = begin(&rig).await.unwrap();
    assert_eq!(started.epochs, [epoch]);
    until_ended(&rig, 1).await;
    assert_eq!(count(&rig, "memory.reset"), 1);
    assert_eq!(begin(&rig).await, Err(SleepError::Nothing));
}

#[tokio::test(start_paused = true)]
async fn a_long_past_is_slept_over_in_runs_of_five_hundred() {
    let (setup, _) = setup();
    let rig = setup.start().await;
    for number in 0..502 {
        rig.say(&format!("message {number}")).await;
    }
    assert_eq!(sleep(&rig).await, SleepStatus::Ok);
    assert_eq!(window(&rig), 2, "what was not distilled stays");
    assert_eq!(sleep(&rig).await, SleepStatus::Ok);
    assert_eq!((window(&rig), facts(&rig).len()), (0, 500), "one page of them");
}
