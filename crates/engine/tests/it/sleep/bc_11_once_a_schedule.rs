//! BC-11: a scheduled sleep runs once, whatever restarts there are, and one that was missed runs once too.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::event::SleepTrigger;

use super::night::{begun, by_itself, count, setup, until_ended};

#[tokio::test(start_paused = true)]
async fn a_scheduled_sleep_runs_once_over_any_restarts() {
    let (setup, _) = setup();
    let mut rig =
        setup.with(|setup| setup.sleep = Some(by_itself(Some("30 * * * *")))).start().await;
    rig.say("one").await;
    until_ended(&rig, 1).await;
    for _ in 0..3 {
        rig.restart().await;
        rig.pass(Duration::from_secs(61)).await;
    }
    assert_eq!(count(&rig, "sleep.started"), 1);
    rig.say("two").await;
    rig.kill().await;
    // The time comes while nobody is there.
    tokio::time::sleep(Duration::from_hours(3)).await;
    rig.start_again().await;
    until_ended(&rig, 2).await;
    rig.restart().await;
    rig.pass(Duration::from_mins(10)).await;
    let begun = begun(&rig);
    let keys: BTreeSet<_> = begun.iter().map(|started| started.run_key.clone().unwrap()).collect();
    assert_eq!((begun.len(), keys.len()), (2, 2), "{keys:?}");
    assert!(begun.iter().all(|started| started.trigger == SleepTrigger::Schedule));
}

#[tokio::test(start_paused = true)]
async fn a_scheduled_sleep_that_was_cut_goes_on_and_does_not_run_again() {
    let (setup, _) = setup();
    let setup = setup.with(|setup| {
        setup.sleep = Some(by_itself(Some("30 * * * *")));
        setup.failpoints = "sleep.identity_before=error".into();
    });
    let mut rig = setup.start().await;
    rig.say("one").await;
    rig.pass(Duration::from_hours(1)).await;
    assert_eq!((count(&rig, "sleep.started"), count(&rig, "sleep.ended")), (1, 0));
    rig.kill().await;
    rig.setup.failpoints = String::new();
    rig.start_again().await;
    until_ended(&rig, 1).await;
    rig.pass(Duration::from_mins(20)).await;
    assert_eq!((count(&rig, "sleep.started"), count(&rig, "sleep.ended")), (1, 1));
}
