//! Stimuli by the clock: each run is made once, over restarts too; of those that were missed, one (decision 50).

use std::time::Duration;

use abide_domain::{
    Timestamp,
    envelope::Channel,
    event::{Event, StimulusAccepted, StimulusEvent, WakeEvent, WakeScheduled},
};
use abide_engine::AgentSchedule;
use abide_testkit::rig::{Rig, Setup, say};

const HEALTH: &str = "Daily health check: Report on recent race condition debugging progress.";

const fn mins(mins: u64) -> Duration {
    Duration::from_mins(mins)
}

fn schedule(name: &str, cron: &str, content: &str) -> AgentSchedule {
    AgentSchedule {
        agent: "felix".parse().unwrap(),
        scheduled: WakeScheduled {
            name: name.into(),
            cron: cron.into(),
            time_zone: None,
            at: None,
            content: content.into(),
            session: None,
        },
        when: cron.parse().unwrap(),
    }
}

/// A rig begins at 22:10:03.
async fn with(schedules: Vec<AgentSchedule>) -> Rig {
    Setup::new(|_, _| say("so")).with(|setup| setup.schedules = schedules).start().await
}

/// The runs so far: schedule, when they were due, and what the agent was told right before.
fn runs(rig: &Rig) -> Vec<(String, String, StimulusAccepted)> {
    let entries = rig.entries();
    let runs = entries.iter().enumerate().filter_map(|(place, entry)| {
        let Event::Wake(WakeEvent::Ran(ran)) = &entry.event else { return None };
        let before = &entries[place - 1];
        let stimulus = match &before.event {
            Event::Stimulus(StimulusEvent::Accepted(stimulus)) => Some(stimulus.clone()),
            _ => None,
        };
        assert_eq!(before.epoch, entry.epoch);
        Some((ran.name.clone(), short(ran.due), stimulus.unwrap()))
    });
    let runs: Vec<_> = runs.collect();
    let stimuli = entries.iter().filter(|entry| entry.event.kind().name == "stimulus.accepted");
    assert_eq!(stimuli.count(), runs.len(), "a stimulus for each run, and no other");
    runs
}

/// Day, hour and minute.
fn short(at: Timestamp) -> String {
    let text = at.to_string();
    assert!(text.ends_with(":00.000000Z"), "{text}");
    text[8..16].replace('T', " ")
}

fn due(rig: &Rig) -> Vec<String> {
    runs(rig).into_iter().map(|(_, due, _)| due).collect()
}

#[tokio::test(start_paused = true)]
async fn the_daily_health_check_of_the_specification_comes_once_a_day() {
    let mut rig = with(vec![schedule("daily_health_check", "0 0 * * *", HEALTH)]).await;
    for _ in 0..4 {
        rig.pass(mins(24 * 60)).await;
        rig.restart().await;
    }
    assert_eq!(due(&rig), ["28 00:00", "29 00:00", "30 00:00", "01 00:00"]);
    let (name, _, stimulus) = runs(&rig).remove(0);
    assert_eq!((name.as_str(), &*stimulus.content), ("daily_health_check", HEALTH));
    assert_eq!((stimulus.sender.as_str(), stimulus.channel), ("system", Channel::System));
    assert_eq!(stimulus.session_id, "schedule:daily_health_check");
    assert_eq!(rig.asked().len(), 4, "and is answered each time");
}

#[tokio::test(start_paused = true)]
async fn each_run_is_made_once_over_restarts() {
    let mut rig = with(vec![schedule("often", "*/10 * * * *", "go")]).await;
    for round in 0..20 {
        rig.pass(mins(3)).await;
        rig.end_by(round % 2 == 1).await;
        rig.start_again().await;
    }
    rig.pass(mins(1)).await;
    assert_eq!(due(&rig), ["27 22:20", "27 22:30", "27 22:40", "27 22:50", "27 23:00", "27 23:10"]);
}

#[tokio::test(start_paused = true)]
async fn whatever_the_disk_is_doing_at_a_death_a_run_is_made_once() {
    for is_power in [false, true] {
        let (mut operation, mut had_run) = (1, false);
        while !had_run {
            let mut rig = with(vec![schedule("soon", "12 22 * * *", "go")]).await;
            rig.storage.fail_power_at(operation);
            rig.pass(mins(5)).await;
            had_run = !rig.storage.is_off();
            rig.end_by(is_power).await;
            rig.start_again().await;
            rig.pass(mins(5)).await;
            assert_eq!(due(&rig), ["27 22:12"], "operation {operation}");
            operation += 1;
        }
        assert!(operation > 5, "it was really cut: {operation}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_the_runs_that_were_missed_the_newest_is_made_and_no_other() {
    let mut rig = with(vec![schedule("hourly", "0 * * * *", "go")]).await;
    rig.pass(mins(60)).await;
    rig.kill().await;
    rig.pass(mins(200)).await;
    rig.start_again().await;
    rig.pass(mins(10)).await;
    assert_eq!(due(&rig), ["27 23:00", "28 02:00"], "down over three of them");
    rig.pass(mins(60)).await;
    assert_eq!(due(&rig), ["27 23:00", "28 02:00", "28 03:00"]);
}

#[tokio::test(start_paused = true)]
async fn a_changed_schedule_begins_anew_and_one_that_is_gone_ends() {
    let mut rig =
        with(vec![schedule("a", "30 * * * *", "go"), schedule("b", "0 * * * *", "go")]).await;
    rig.pass(mins(60)).await;
    assert_eq!(due(&rig), ["27 22:30", "27 23:00"]);
    rig.setup.schedules = vec![schedule("a", "15 * * * *", "go on")];
    rig.kill().await;
    rig.pass(mins(10)).await;
    rig.start_again().await;
    rig.pass(mins(1)).await;
    assert_eq!(due(&rig).len(), 2, "what would have been due before the change is not");
    rig.pass(mins(60)).await;
    let last = runs(&rig).pop().unwrap();
    assert_eq!((last.0.as_str(), last.1.as_str(), &*last.2.content), ("a", "28 00:15", "go on"));
    assert_eq!(due(&rig).len(), 3, "b is gone");
    rig.setup.schedules = vec![schedule("b", "0 * * * *", "go")];
    rig.restart().await;
    rig.pass(mins(60)).await;
    assert_eq!(due(&rig).len(), 4, "b is back, a is gone");
    assert_eq!(rig.digest(), rig.digest_rebuilt());
}

#[tokio::test(start_paused = true)]
async fn where_the_queue_is_full_a_run_stays_due() {
    let setup = Setup::new(|_, _| say("so").after(mins(8))).with(|setup| {
        setup.schedules = vec![schedule("soon", "12 22 * * *", "go")];
        setup.limits.queue = 1;
    });
    let rig = setup.start().await;
    rig.begin("work").await;
    rig.pass(Duration::from_secs(1)).await;
    rig.begin("work").await;
    rig.pass(mins(4)).await;
    let ran =
        |rig: &Rig| rig.entries().iter().filter(|e| e.event.kind().name == "wake.ran").count();
    assert_eq!(ran(&rig), 0, "22:14, and there is no room");
    rig.pass(mins(5)).await;
    assert_eq!(ran(&rig), 1);
}
