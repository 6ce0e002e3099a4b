//! BC-06: whatever sleeps and restarts there are, every event that was ever written is still there.

use abide_domain::event::SleepStatus;

use super::night::{begin, facts, setup, sleep, window};

#[tokio::test(start_paused = true)]
async fn three_sleeps_and_ten_restarts_keep_every_event() {
    let (setup, _) = setup();
    let mut rig = setup.start().await;
    let mut before = Vec::new();
    for day in 0..3 {
        for hour in 0..4 {
            rig.say(&format!("day {day} hour {hour}")).await;
        }
        assert_eq!(sleep(&rig).await, SleepStatus::Ok);
        assert_eq!(window(&rig), 0);
        let now = rig.entries();
        assert!(now.starts_with(&before), "what was written stays, line for line");
        before = now;
        for _ in 0..4 {
            rig.restart().await;
        }
    }
    assert_eq!(facts(&rig).len(), 12);
    let committed =
        rig.entries().iter().filter(|e| e.event.kind().name == "epoch.committed").count();
    assert_eq!(committed, 12);
    assert!(begin(&rig).await.is_err(), "nothing is left to sleep over");
    assert_eq!(rig.digest(), rig.digest_rebuilt());
}
