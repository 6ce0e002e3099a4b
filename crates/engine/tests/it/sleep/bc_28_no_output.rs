//! BC-28: no output is never taken for success: nothing is forgotten, the epochs are read again, and a person is told.

use std::time::Duration;

use abide_domain::event::SleepStatus;
use abide_engine::keeper::AttentionKind;
use abide_testkit::rig::Rig;

use super::night::{
    assert_each_once, begun, by_itself, count, ended, facts, setup, sleep, until_ended, window,
};

fn attention(rig: &Rig) -> usize {
    let matters = rig.keeper().attention();
    matters.iter().filter(|matter| matter.kind == AttentionKind::Sleep).count()
}

#[tokio::test(start_paused = true)]
async fn a_step_without_output_fails_the_sleep_and_forgets_nothing() {
    for step in ["facts", "identity", "dream"] {
        let (setup, scripted) = setup();
        let rig = setup.start().await;
        let committed = [rig.say("one").await.id, rig.say("two").await.id];
        scripted.set(|script| script.fails = vec![step]);
        for times in 1..=3 {
            assert_eq!(sleep(&rig).await, SleepStatus::Failed);
            assert_eq!(window(&rig), 2, "{step}: nothing is forgotten");
            assert_eq!(count(&rig, "memory.reset"), 0, "{step}");
            assert_eq!(
                attention(&rig),
                usize::from(times == 3),
                "{step}: a person is told after the third"
            );
        }
        rig.say("three").await;
        scripted.set(|script| script.fails.clear());
        assert_eq!(sleep(&rig).await, SleepStatus::Ok, "{step}");
        assert_eq!(attention(&rig), 0, "{step}");
        assert_eq!(begun(&rig).last().unwrap().epochs, committed, "{step}: the same epochs again");
        assert_eq!(window(&rig), 1, "{step}: what came later stays");
        assert_eq!(facts(&rig).len(), 2, "{step}");
        assert_eq!(count(&rig, "memory.fact_remembered"), 2, "{step}: nothing is learnt twice");
        assert_eq!(
            count(&rig, "memory.identity_changed"),
            2,
            "{step}: one version for these epochs"
        );
        assert_each_once(&rig, &committed);
        assert_eq!(rig.digest(), rig.digest_rebuilt(), "{step}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_sleep_is_tried_again_more_and_more_seldom() {
    let (setup, scripted) = setup();
    scripted.set(|script| script.fails = vec!["facts"]);
    let rig = setup.with(|setup| setup.sleep = Some(by_itself(None))).start().await;
    for number in 0..3 {
        rig.say(&format!("message {number}")).await;
    }
    rig.pass(Duration::from_hours(2)).await;
    let tries = ended(&rig).len();
    assert!((4..=7).contains(&tries), "{tries} tries in two hours");
    assert_eq!(attention(&rig), 1);
    scripted.set(|script| script.fails.clear());
    until_ended(&rig, tries + 1).await;
    assert_eq!(ended(&rig).last(), Some(&SleepStatus::Ok));
}

#[tokio::test(start_paused = true)]
async fn a_long_run_that_finds_nothing_at_all_is_shown_to_a_person() {
    for (epochs, is_shown) in [(10, false), (11, true)] {
        let (setup, scripted) = setup();
        scripted.set(|script| script.is_empty = true);
        let rig = setup.start().await;
        for number in 0..epochs {
            rig.say(&format!("message {number}")).await;
        }
        assert_eq!(sleep(&rig).await, SleepStatus::Empty, "nothing found is no failure");
        assert_eq!(window(&rig), 0);
        assert_eq!(attention(&rig), usize::from(is_shown), "{epochs} epochs");
    }
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_asks_no_model_and_fails_the_sleep() {
    let (setup, scripted) = setup();
    scripted.set(|script| script.cost_microusd = 60);
    let setup = setup.with(|setup| {
        setup.budget_microusd_day = Some(100);
        setup.sleep = Some(by_itself(None));
    });
    let rig = setup.start().await;
    for number in 0..3 {
        rig.say(&format!("message {number}")).await;
    }
    until_ended(&rig, 1).await;
    assert_eq!(ended(&rig), [SleepStatus::Failed], "the dream was too dear");
    assert_eq!(scripted.asked(), 2);
    let spent = rig.keeper().state().agents["felix"].today.tally;
    assert_eq!(
        (spent.cost_microusd, spent.input_tokens),
        (120, 20 + 3 * 10),
        "what a sleep costs counts"
    );
    rig.pass(Duration::from_hours(1)).await;
    assert_eq!(ended(&rig).len(), 1, "it is not tried again while nothing can be paid");
    assert_eq!(window(&rig), 3);
}
