//! A stop comes to its end in time, whatever goes on, and loses nothing that was acknowledged.

use std::{collections::BTreeSet, thread, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::slow_disk::SlowDisk;
use crate::home::Home;

#[test]
fn stops_at_random_moments_under_load_end_in_time_and_lose_nothing() {
    let home = Home::new("[limits]\nqueue = 100000\n[supervisor]\nshutdown_grace = \"2s\"\n");
    let mut random = abide_testkit::SplitMix64::new(7);
    let mut acknowledged = BTreeSet::new();
    for round in 0..abide_testkit::rounds(200) {
        let keeper = home.up();
        let (client, pause) = (keeper.client.clone(), Duration::from_millis(random.below(400)));
        let talk = thread::spawn(move || {
            let mut answered = Vec::new();
            for number in 0.. {
                let body = json!({"message": format!("message {round}.{number}")}).to_string();
                let headers = [("content-type", "application/json")];
                match client.attempt("POST", "/start-epoch", &headers, &body) {
                    Some(answer) if answer.status == 202 => {
                        answered.push(answer.json()["epoch_id"].clone());
                    }
                    Some(answer) if answer.status == 503 => {}
                    _ => break,
                }
            }
            answered
        });
        thread::park_timeout(pause);
        let code = keeper.stop();
        assert_eq!(code, Some(0), "round {round}: a stop that was not clean");
        acknowledged.extend(talk.join().unwrap().iter().map(Value::to_string));
    }
    let lines = home.ledger();
    let of = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    let accepted: BTreeSet<_> = lines
        .iter()
        .filter(|line| line["kind"] == "stimulus.accepted")
        .map(|line| line["epoch"].to_string())
        .collect();
    assert!(acknowledged.is_subset(&accepted), "something acknowledged is lost");
    assert_eq!(of("keeper.stopped"), of("keeper.started"));
}

#[test]
fn a_second_signal_ends_the_keeper_at_once() {
    let home = Home::new("[supervisor]\nshutdown_grace = \"1h\"\n");
    let disk = SlowDisk::new();
    let mut keeper = disk.up(&home);
    keeper.client.say("hello");
    disk.delay(Duration::from_hours(1));
    let pid = Pid::from_raw(i32::try_from(keeper.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    // The first one has come once nothing is accepted any more.
    super::slow_disk::wait_for(|| {
        let ready = keeper.client.attempt("GET", "/ready", &[], "")?;
        (ready.status == 503).then_some(())
    });
    assert!(!keeper.is_gone());
    assert_eq!(keeper.stop(), Some(143));
}

#[test]
fn a_closed_terminal_ends_the_keeper_in_good_order() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hello");
    let pid = Pid::from_raw(i32::try_from(keeper.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::HUP).unwrap();
    keeper.wait();
    assert_eq!(home.ledger().last().unwrap()["kind"], "keeper.stopped");
}

#[test]
fn a_signal_that_means_nothing_to_the_keeper_is_written_to_the_log_and_ends_nothing() {
    let home = Home::new("");
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut keeper = home.begin_saying(&[("ABIDE_LOG", "warn")], log.reopen().unwrap().into());
    assert_eq!(keeper.news()["event"], "ready");
    let pid = Pid::from_raw(i32::try_from(keeper.pid()).unwrap()).unwrap();
    for (signal, name) in [(Signal::USR1, "SIGUSR1"), (Signal::USR2, "SIGUSR2")] {
        kill_process(pid, signal).unwrap();
        super::slow_disk::wait_for(|| {
            let said = std::fs::read_to_string(log.path()).unwrap();
            (keeper.is_gone() || said.contains(name)).then_some(())
        });
        assert!(!keeper.is_gone(), "{name}");
        keeper.client.say("hello");
    }
    assert_eq!(keeper.stop(), Some(0));
}
