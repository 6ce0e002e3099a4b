//! One home, one keeper; and a keeper that is told to stop leaves everything in good order.

use std::{
    os::unix::fs::symlink,
    process::{Child, Stdio},
};

use abide_testkit::{ModelServer, Reply, ReplyHold, rounds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::scene::{assert_verified, of_kind, thinking_with};
use crate::home::Home;

/// Races for a home in `make soak`.
const RACES: u32 = 50;
/// Keepers in a race.
const RACERS: usize = 4;

/// Processes of this test; none outlives it.
struct Racers(Vec<Child>);

impl Drop for Racers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

#[test]
fn of_many_that_start_at_once_one_gets_the_home() {
    for round in 0..rounds(RACES) {
        let home = Home::new("");
        let start = |_| {
            home.command(["up", "--json", "--listen", "127.0.0.1:0"])
                .env("ABIDE_MODEL_PROVIDER", "reflex")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut racers = Racers((0..RACERS).map(start).collect());
        // The losers end by themselves; whoever is left has the home.
        let mut left = RACERS;
        while left > 1 {
            racers.0.retain_mut(|child| match child.try_wait().unwrap() {
                None => true,
                Some(status) => {
                    assert_eq!(status.code(), Some(1), "round {round}");
                    false
                }
            });
            left = racers.0.len();
            std::thread::yield_now();
        }
        assert_eq!(left, 1, "round {round}: nobody got it");
        let winner = racers.0.pop().unwrap();
        let mut winner = Racers(vec![winner]);
        while home.run(["status"]).status.code() != Some(0) {}
        kill_process(Pid::from_child(&winner.0[0]), Signal::TERM).unwrap();
        assert_eq!(winner.0[0].wait().unwrap().code(), Some(0));
        let ledger = home.ledger();
        assert_eq!(of_kind(&ledger, "keeper.started").len(), 1, "round {round}: one life");
        assert_verified(&home);
    }
}

#[test]
fn a_second_keeper_by_another_name_of_the_home_harms_nothing() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    let before = (home.ledger(), std::fs::read(home.path().join("keeper.json")).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let alias = folder.path().join("alias");
    symlink(home.path(), &alias).unwrap();
    for path in [home.path(), alias.clone(), alias.join("agents").join("..")] {
        let second = home
            .command(["up", "--listen", "127.0.0.1:0", "--home", path.to_str().unwrap()])
            .output()
            .unwrap();
        let words = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(1), "{words}");
        assert!(words.contains(&keeper.pid().to_string()), "it names the other: {words}");
    }
    assert_eq!(before.0, home.ledger());
    assert_eq!(before.1, std::fs::read(home.path().join("keeper.json")).unwrap());
    assert_eq!(keeper.client.say("what colour is the heron?")["state"], "committed");
    keeper.kill();
    assert_eq!(home.up().stop(), Some(0), "the lock of a dead keeper holds nobody up");
}

#[test]
fn what_runs_may_finish_when_a_keeper_is_told_to_stop() {
    for signal in [Signal::TERM, Signal::INT] {
        let server = ModelServer::start().unwrap();
        let gate = ReplyHold::closed();
        server.script([Reply::text("I was in the middle of it.").held_by(&gate)]);
        let home = Home::new(&thinking_with(&server, &["ada"]));
        let keeper = home.up();
        let mut events = keeper.client.events("/events", &[]);
        let accepted = keeper.client.post("/start-epoch", &json!({"message": "go on"})).json();
        events.until("turn.started");
        kill_process(Pid::from_raw(i32::try_from(keeper.pid()).unwrap()).unwrap(), signal).unwrap();
        // Whether it has heard the signal shows in what it answers.
        while keeper.client.anonymous().get("/ready").status == 200 {}
        let late = keeper.client.post("/start-epoch", &json!({"message": "and this?"}));
        assert_eq!((late.status, late.code().as_str()), (503, "stopping"));
        gate.open();
        let last = events.until("keeper.stopped").pop().unwrap();
        assert_eq!(events.next(), None);
        while home.path().join("keeper.json").exists() {}
        assert_eq!(keeper.wait(), Some(0));
        let ledger = home.ledger();
        assert_eq!(ledger.last(), Some(&last.data), "it is the last word");
        let committed = of_kind(&ledger, "epoch.committed");
        assert_eq!(committed.len(), 1);
        assert_eq!(committed[0]["epoch"], accepted["epoch_id"]);
        let text = std::fs::read(home.path().join("ledger/0000000001.jsonl")).unwrap();
        assert!(text.ends_with(b"\"}\n") && !text.ends_with(b"\n\n"), "no padding is left");
        assert_verified(&home);
        server.assert_clean();
    }
}
