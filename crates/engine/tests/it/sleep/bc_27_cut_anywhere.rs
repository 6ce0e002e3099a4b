//! BC-27: a sleep that is cut at any point goes on behind its last step: nothing counts twice, and only its end forgets.

use abide_domain::event::SleepStatus;

use super::night::{
    assert_each_once, begin, count, ended, facts, setup, sleep, until_ended, window,
};

/// Every point of a sleep.
const POINTS: [&str; 10] = [
    "start_before",
    "start_after",
    "facts_before",
    "facts_after",
    "identity_before",
    "identity_after",
    "dream_before",
    "dream_after",
    "end_before",
    "end_after",
];

#[tokio::test(start_paused = true)]
async fn a_sleep_cut_at_any_point_ends_as_one_that_was_not() {
    for point in POINTS {
        for is_power_cut in [false, true] {
            let (setup, _) = setup();
            let mut rig = setup.start().await;
            let mut committed = Vec::new();
            for number in 0..3 {
                committed.push(rig.say(&format!("message {number}")).await.id);
            }
            rig.kill().await;
            rig.setup.failpoints = format!("sleep.{point}=error");
            rig.start_again().await;
            // Whether it began is told or not; what stands in the ledger counts.
            drop(begin(&rig).await);
            rig.pass(std::time::Duration::from_secs(1)).await;
            let has_begun = count(&rig, "sleep.started") == 1;
            let has_ended = count(&rig, "sleep.ended") == 1;
            assert_eq!(window(&rig) == 0, has_ended, "{point}: only the end forgets");
            if is_power_cut {
                rig.power_cut().await;
            } else {
                rig.kill().await;
            }
            rig.setup.failpoints = String::new();
            rig.start_again().await;
            if has_begun {
                until_ended(&rig, 1).await;
            } else {
                assert_eq!(sleep(&rig).await, SleepStatus::Ok, "{point}");
            }
            assert_eq!(ended(&rig), [SleepStatus::Ok], "{point}");
            assert_eq!(facts(&rig).len(), 3, "{point}");
            let once = ["sleep.started", "sleep.ended", "memory.dream_written", "memory.reset"];
            assert!(
                once.iter().all(|kind| count(&rig, kind) == 1),
                "{point}: {:?}",
                super::night::kinds(&rig)
            );
            // The first is the profile's.
            assert_eq!(count(&rig, "memory.identity_changed"), 2, "{point}");
            assert_eq!(count(&rig, "memory.fact_remembered"), 3, "{point}");
            assert_each_once(&rig, &committed);
            assert_eq!(window(&rig), 0, "{point}");
            assert_eq!(rig.digest(), rig.digest_rebuilt(), "{point}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_done_is_not_asked_for_again() {
    let (setup, scripted) = setup();
    let mut rig =
        setup.with(|setup| setup.failpoints = "sleep.facts_after=error".into()).start().await;
    rig.say("one").await;
    begin(&rig).await.unwrap();
    rig.pass(std::time::Duration::from_secs(1)).await;
    assert_eq!(scripted.asked(), 1);
    rig.kill().await;
    rig.setup.failpoints = String::new();
    rig.start_again().await;
    until_ended(&rig, 1).await;
    assert_eq!(scripted.asked(), 3, "facts once, identity once, dream once");
}
