//! A disk that takes nothing for a while: what was acknowledged stays, what runs waits and goes on, nothing has a gap.

use std::time::Duration;

use abide_domain::{EpochId, turn::TurnRequest};
use abide_engine::keeper::{AcceptError, AcceptOptions};
use abide_testkit::rig::{Rig, Setup, TestTool, call, say};
use serde_json::json;

/// An agent that pushes three times and takes five seconds for each thought.
async fn agent() -> Rig {
    let script = |request: &TurnRequest, _: usize| match request.turn {
        turn @ 1..=3 => call("world.push", json!({ "number": turn })),
        _ => say("so"),
    };
    let thinking = Duration::from_secs(5);
    let script = move |request: &TurnRequest, n| script(request, n).after(thinking);
    Setup::new(script).tool(TestTool::world("world.push")).start().await
}

/// Leaves no room, not even what the ledger had set aside; gives the epochs that were acknowledged meanwhile.
async fn fill(rig: &Rig) -> Vec<EpochId> {
    rig.storage.set_capacity(Some(rig.storage.used_bytes()));
    let text = "f".repeat(2_000);
    let mut epochs = Vec::new();
    loop {
        match rig.accept(rig.stimulus(&text), AcceptOptions::default()).await {
            Ok(accepted) => epochs.push(accepted.epoch),
            Err(AcceptError::Ledger(_)) => return epochs,
            Err(other) => assert!(matches!(other, AcceptError::Ledger(_)), "{other}"),
        }
    }
}

/// An epoch that met a full disk at some moment, and those that were acknowledged before it was full.
async fn disturbed(wait: Duration) -> (Rig, EpochId, Vec<EpochId>) {
    let rig = agent().await;
    let epoch = rig.begin("push").await;
    rig.pass(wait).await;
    let acknowledged = fill(&rig).await;
    rig.pass(Duration::from_secs(30)).await;
    (rig, epoch, acknowledged)
}

#[tokio::test(start_paused = true)]
async fn a_running_epoch_goes_on_when_there_is_room_again() {
    for seconds in [0, 2, 5, 7, 12, 17] {
        let (mut rig, epoch, acknowledged) = disturbed(Duration::from_secs(seconds)).await;
        rig.storage.set_capacity(None);
        let ended = rig.ended(epoch).await;
        assert_eq!(ended.reply(), Some("so"), "full at {seconds} s: {:?}", ended.abort);
        assert_eq!(ended.turns.len(), 4);
        assert!(rig.world.runs().values().all(|runs| runs.count == 1), "no push ran twice");
        for epoch in acknowledged {
            assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "what was promised is kept");
        }
        assert_eq!(rig.digest_rebuilt(), rig.digest(), "there is no gap: it folds");
        rig.restart().await;
        assert_eq!(rig.digest_rebuilt(), rig.digest());
    }
}

#[tokio::test(start_paused = true)]
async fn a_death_while_the_disk_is_full_loses_nothing_that_was_acknowledged() {
    for is_power in [false, true] {
        let (mut rig, epoch, acknowledged) = disturbed(Duration::from_secs(7)).await;
        if is_power {
            rig.power_cut().await;
        } else {
            rig.kill().await;
        }
        rig.storage.set_capacity(None);
        rig.start_again().await;
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
        for epoch in acknowledged {
            assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_on_a_full_disk_goes_on_when_there_is_room() {
    let (mut rig, epoch, _) = disturbed(Duration::from_secs(7)).await;
    rig.kill().await;
    rig.start_again().await;
    rig.pass(Duration::from_secs(30)).await;
    rig.storage.set_capacity(None);
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn while_nothing_can_be_written_the_mind_is_not_asked_over_and_over() {
    let (rig, ..) = disturbed(Duration::from_secs(7)).await;
    rig.storage.set_capacity(Some(0));
    let asked = rig.asked().len();
    rig.pass(Duration::from_mins(8)).await;
    let more = rig.asked().len() - asked;
    assert!(more <= 3, "{more} answers were paid for and thrown away");
}

#[tokio::test(start_paused = true)]
async fn a_stimulus_that_came_before_the_disk_took_nothing_does_not_end_the_pause() {
    let rig = agent().await;
    let epoch = rig.begin("push").await;
    rig.pass(Duration::from_secs(7)).await; // These leave a wake-up behind that the walk does not take.
    let waiting = [rig.begin("one").await, rig.begin("two").await];
    rig.storage.set_read_only(true);
    let asked = rig.asked().len();
    rig.pass(Duration::from_secs(5)).await;
    rig.storage.set_read_only(false);
    rig.pass(Duration::from_secs(6)).await;
    assert_eq!(rig.keeper().services().ledger.status(), abide_ledger::LedgerStatus::Ok);
    rig.pass(Duration::from_secs(40)).await;
    assert_eq!(rig.asked().len(), asked, "the pause lasts a minute");
    for epoch in [epoch].into_iter().chain(waiting) {
        assert_eq!(rig.ended(epoch).await.reply(), Some("so"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_running_epoch_goes_on_when_a_disk_that_turned_read_only_is_writable_again() {
    for seconds in [0, 2, 5, 7, 12, 17] {
        let mut rig = agent().await;
        let epoch = rig.begin("push").await;
        rig.pass(Duration::from_secs(seconds)).await;
        rig.storage.set_read_only(true);
        let refused = rig.accept(rig.stimulus("hello"), AcceptOptions::default()).await;
        assert!(matches!(refused, Err(AcceptError::Ledger(_))));
        rig.pass(Duration::from_secs(30)).await;
        rig.storage.set_read_only(false);
        let ended = rig.ended(epoch).await;
        assert_eq!(ended.reply(), Some("so"), "at {seconds} s: {:?}", ended.abort);
        assert!(rig.world.runs().values().all(|runs| runs.count == 1), "no push ran twice");
        assert_eq!(rig.digest_rebuilt(), rig.digest());
        rig.restart().await;
        assert_eq!(rig.say("and now?").await.reply(), Some("so"));
    }
}

#[tokio::test(start_paused = true)]
async fn who_comes_while_nothing_can_be_written_is_told_and_may_come_again() {
    let (rig, ..) = disturbed(Duration::from_secs(7)).await;
    rig.storage.set_capacity(Some(0));
    let before = rig.entries().len();
    let refused = rig.accept(rig.stimulus("hello"), AcceptOptions::default()).await;
    assert!(matches!(refused, Err(AcceptError::Ledger(_))));
    assert_eq!(rig.entries().len(), before);
    rig.storage.set_capacity(None);
    rig.pass(Duration::from_secs(10)).await;
    assert_eq!(rig.say("hello").await.reply(), Some("so"));
}
