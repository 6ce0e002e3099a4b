//! A wall clock that was wrong: what waits for a time goes on by the clock as it is, and what is open loses no time.

use std::time::Duration;

use abide_domain::{
    Timestamp,
    event::{Event, WakeEvent, WakeScheduled},
};
use abide_engine::{AgentSchedule, keeper::AttentionKind, schedule::Schedule};
use abide_ledger::ClockStatus;
use abide_testkit::rig::{Rig, Setup, obey, say};

const DAY_S: i64 = 24 * 3_600;

const fn mins(mins: u64) -> Duration {
    Duration::from_mins(mins)
}

fn every_ten_minutes() -> AgentSchedule {
    let cron = "*/10 * * * *";
    scheduled("often", cron, None, cron.parse().unwrap())
}

fn scheduled(name: &str, cron: &str, at: Option<Timestamp>, when: Schedule) -> AgentSchedule {
    let (name, cron, content) = (name.to_owned(), cron.to_owned(), "go".into());
    let agent = "felix".parse().unwrap();
    AgentSchedule {
        agent,
        scheduled: WakeScheduled { name, cron, time_zone: None, at, content, session: None },
        when,
    }
}

async fn obedient(schedules: Vec<AgentSchedule>) -> Rig {
    Setup::new(|request, _| obey(request)).with(|setup| setup.schedules = schedules).start().await
}

/// Restarts the keeper with the wall clock set by so many seconds.
async fn start_with(rig: &mut Rig, set_by_s: i64) {
    rig.kill().await;
    rig.clock.set_by_secs(set_by_s);
    rig.start_again().await;
}

fn count(rig: &Rig, kind: &str) -> usize {
    rig.entries().iter().filter(|entry| entry.event.kind().name == kind).count()
}

/// When runs were due.
fn due(rig: &Rig) -> Vec<Timestamp> {
    let ran = rig.entries().into_iter().filter_map(|entry| match entry.event {
        Event::Wake(WakeEvent::Ran(ran)) => Some(ran.due),
        _ => None,
    });
    ran.collect()
}

#[tokio::test(start_paused = true)]
async fn one_start_with_a_clock_ahead_and_back_leaves_schedules_and_wakes_alive_and_is_told() {
    for ahead_s in [2 * DAY_S, 36_525 * DAY_S] {
        let mut rig = obedient(vec![every_ten_minutes()]).await;
        rig.say(r"\wake ?(sleep(2h)) before ---").await;
        rig.pass(mins(15)).await;
        start_with(&mut rig, ahead_s).await;
        rig.say(r"\wake ?(sleep(5m)) between ---").await;
        rig.pass(Duration::from_secs(30)).await;
        let known = due(&rig).len();
        let woken = count(&rig, "wake.fired");
        start_with(&mut rig, -ahead_s).await;
        if ahead_s == 2 * DAY_S {
            let status = rig.keeper().ledger().clock_status();
            assert!(matches!(status, ClockStatus::LedgerAhead { .. }), "{status:?}");
            let told = rig.keeper().attention();
            let clock = told.iter().find(|matter| matter.kind == AttentionKind::Clock).unwrap();
            assert!(clock.summary.contains("behind the last events"), "{}", clock.summary);
        }
        rig.say(r"\wake ?(sleep(5m)) after --- \wake ?(sleep(10 ticks)) ticks ---").await;
        rig.pass(mins(35)).await;
        assert!(due(&rig).len() >= known + 3, "{known}: {:?}", due(&rig));
        assert!(due(&rig).iter().rev().take(3).all(|due| *due <= rig.now()));
        assert!(count(&rig, "wake.fired") >= woken + 2, "the wakes that are set now fire");
        assert_eq!(rig.digest(), rig.digest_rebuilt());
    }
}

#[tokio::test(start_paused = true)]
async fn a_leap_of_the_clock_is_held_back_told_and_then_believed() {
    let rig = obedient(Vec::new()).await;
    rig.say("hello").await;
    let before = rig.keeper().ledger().head().timestamp.unwrap();
    rig.clock.set_by_secs(36_525 * DAY_S);
    rig.say("hello").await;
    let held = rig.keeper().ledger().head().timestamp.unwrap();
    assert!(held.since(before) < mins(1), "{held}");
    let told = rig.keeper().attention();
    assert!(told.iter().any(|matter| matter.summary.contains("leapt ahead by 36525 days")));
    rig.pass(mins(11)).await;
    rig.say("hello").await;
    let believed = rig.keeper().ledger().head().timestamp.unwrap();
    assert!(believed.since(before) > Duration::from_hours(24 * 36_000), "{believed}");
    assert_eq!(rig.keeper().ledger().clock_status(), ClockStatus::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_step_of_the_clock_spends_no_time_of_an_open_epoch() {
    let setup = Setup::new(|_, _| say("done").after(Duration::from_secs(90)));
    let rig = setup.with(|setup| setup.limits.epoch = mins(2)).start().await;
    let epoch = rig.begin("work").await;
    rig.pass(Duration::from_secs(30)).await;
    rig.clock.set_by_secs(3_600);
    assert_eq!(rig.ended(epoch).await.reply(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn what_was_missed_in_a_suspend_comes_when_the_machine_wakes_up() {
    let rig = obedient(vec![every_ten_minutes()]).await;
    rig.say(r"\wake ?(sleep(5h)) after the night ---").await;
    rig.pass(mins(1)).await;
    // Timers stand still in a suspend, the wall clock does not.
    rig.clock.set_by_secs(8 * 3_600);
    rig.pass(Duration::from_secs(31)).await;
    assert_eq!(due(&rig).len(), 1, "of those that were missed, one");
    assert_eq!(count(&rig, "wake.fired"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_condition_on_the_time_fires_when_its_time_comes_and_not_with_the_next_entry() {
    let rig = obedient(Vec::new()).await;
    rig.say(r#"\wake ?(timestamp >= "2026-11-27T22:20:00Z") now ---"#).await;
    rig.pass(mins(9)).await;
    assert_eq!(count(&rig, "wake.fired"), 0, "22:19");
    rig.pass(mins(1)).await;
    assert_eq!(count(&rig, "wake.fired"), 1, "22:20, and nothing else happened");
}

#[tokio::test(start_paused = true)]
async fn a_stimulus_for_one_moment_comes_once_after_a_restart_and_an_earlier_one_never() {
    let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    let once = |name: &str, moment: Option<Timestamp>| {
        scheduled(name, "", moment, Schedule::once(moment.unwrap()))
    };
    let past = once("past", at("2026-11-27T22:00:00Z"));
    let mut rig = obedient(vec![past, once("soon", at("2026-11-27T22:30:00Z"))]).await;
    rig.pass(mins(10)).await;
    rig.kill().await;
    rig.pass(mins(30)).await;
    rig.start_again().await;
    rig.pass(mins(1)).await;
    assert_eq!(due(&rig), [at("2026-11-27T22:30:00Z").unwrap()], "it was missed, and is made once");
    rig.restart().await;
    rig.pass(mins(60)).await;
    assert_eq!(due(&rig).len(), 1);
}
