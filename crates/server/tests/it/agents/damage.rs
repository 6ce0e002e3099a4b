//! Files of a private state that are damaged while nobody runs: the newest good state comes back, or what is lost is said.
//! An agent never begins empty in silence.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{
    programs::Program,
    world::{World, notes, process, say, steer, until},
};
use crate::client::Client;

/// Jobs before the first checkpoint, between the two and behind the second.
const JOBS: usize = 3;

/// A world whose agent has two checkpoints and entries around them, and does not run.
struct Stopped {
    world: World,
}

/// What an agent began with, and what was said about it.
#[derive(Debug)]
struct Start {
    notes: usize,
    /// Reports of problems in the ledger.
    problems: Vec<Value>,
    log: String,
    /// What a person was told of before anything was done, by the list of matters, the agent's own page and `doctor`.
    noticed: Noticed,
}

#[derive(Debug)]
struct Noticed {
    matters: Vec<Value>,
    shown: Value,
    doctor: String,
}

impl Noticed {
    fn of_nothing(&self) -> bool {
        self.matters.is_empty()
            && self.shown.is_null()
            && !self.doctor.contains("lost private state")
    }

    fn of_a_loss(&self) -> bool {
        let [matter] = &*self.matters else { return false };
        matter["kind"] == "memory"
            && matter["summary"].as_str().unwrap().contains("pia lost private state")
            && self.shown["is_lost"] == true
            && self.doctor.contains("lost private state")
    }
}

/// Matters about the agent's private state.
fn matters(client: &Client) -> Vec<Value> {
    let all = client.read("/attention")["items"].as_array().unwrap().clone();
    let is_own = |matter: &Value| matter["id"].as_str().unwrap().starts_with("private_state");
    all.into_iter().filter(is_own).collect()
}

impl Start {
    fn is_loss_reported(&self) -> bool {
        self.problems.iter().any(|problem| problem["is_lost"] == true)
            && self.noticed.of_a_loss()
            && self.log.contains("agent private state has problems")
    }
}

impl Stopped {
    /// Ended as by `kill -9`, for a stop in good order leaves one more checkpoint and an empty log.
    fn new() -> Option<Self> {
        let world = World::of("", &[("pia", Program::Python)])?;
        let keeper = world.up();
        let mut job = 0;
        for part in 0..3 {
            for _ in 0..JOBS {
                say(&keeper.client, "pia", &format!("job:{job}"));
                job += 1;
            }
            if part < 2 {
                assert_eq!(steer(&keeper.client, "pia", "checkpoint").status, 200);
            }
        }
        keeper.kill();
        super::trees::wait_until_gone(&world.mark());
        Some(Self { world })
    }

    /// Files of a part of the state, oldest first.
    fn files(&self, part: &str) -> Vec<PathBuf> {
        let folder = self.world.home.path().join("agents/pia").join(part);
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
        files.sort();
        files
    }

    /// Starts a keeper and asks the agent what it knows; then once more, which tells nothing new.
    fn begin(&self) -> Start {
        let log = self.world.beside().join("log");
        let keeper = self.world.up_logging(&log);
        let notes = notes(&keeper.client, "pia").len();
        say(&keeper.client, "pia", "job:after");
        let doctor = self.world.home.run(["doctor"]).stdout;
        let noticed = Noticed {
            matters: matters(&keeper.client),
            shown: process(&keeper.client, "pia")["state_problem"].clone(),
            doctor: String::from_utf8(doctor).unwrap(),
        };
        if !noticed.matters.is_empty() {
            assert_eq!(steer(&keeper.client, "pia", "restart").status, 200);
            until("a loss that a person has seen to", || {
                matters(&keeper.client).is_empty().then_some(())
            });
        }
        keeper.kill();
        super::trees::wait_until_gone(&self.world.mark());
        let ledger = self.world.home.ledger();
        let problems = ledger.into_iter().filter(|line| line["kind"] == "agent.state_troubled");
        Start {
            notes,
            problems: problems.map(|line| line["data"].clone()).collect(),
            log: fs::read_to_string(&log).unwrap(),
            noticed,
        }
    }
}

/// Turns one bit, at this part of a file.
fn damage(path: &PathBuf, at: impl FnOnce(usize) -> usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = at(bytes.len());
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn nothing_is_said_where_nothing_is_damaged() {
    let Some(stopped) = Stopped::new() else { return };
    let begun = stopped.begin();
    assert_eq!((begun.notes, begun.problems.len()), (3 * JOBS, 0), "{begun:?}");
    assert!(begun.noticed.of_nothing(), "{begun:?}");
}

#[test]
fn behind_a_damaged_checkpoint_the_one_before_it_comes_back_whole() {
    let Some(stopped) = Stopped::new() else { return };
    let checkpoints = stopped.files("checkpoints");
    assert_eq!(checkpoints.len(), 2, "{checkpoints:?}");
    damage(&checkpoints[1], |length| length / 2);
    let begun = stopped.begin();
    assert_eq!(begun.notes, 3 * JOBS, "the log goes back to the one before: {begun:?}");
    assert_eq!(begun.problems.len(), 1, "{begun:?}");
    assert_eq!(begun.problems[0]["is_lost"], false, "{begun:?}");
    assert!(begun.problems[0]["report"][0].as_str().unwrap().contains("does not verify"));
}

#[test]
fn without_any_whole_checkpoint_what_is_lost_is_said_aloud() {
    let Some(stopped) = Stopped::new() else { return };
    for checkpoint in stopped.files("checkpoints") {
        damage(&checkpoint, |length| length - 1);
    }
    let begun = stopped.begin();
    assert!(begun.notes == 3 * JOBS || begun.is_loss_reported(), "{begun:?}");
    assert!(!begun.problems.is_empty(), "{begun:?}");
}

#[test]
fn an_emptied_checkpoint_is_no_state() {
    let Some(stopped) = Stopped::new() else { return };
    for checkpoint in stopped.files("checkpoints") {
        fs::write(checkpoint, "").unwrap();
    }
    let begun = stopped.begin();
    assert!(begun.notes == 3 * JOBS || begun.is_loss_reported(), "{begun:?}");
}

#[test]
fn an_entry_that_is_damaged_inside_the_log_is_said_to_be_lost() {
    let Some(stopped) = Stopped::new() else { return };
    let log = stopped.files("wal").pop().unwrap();
    // The last segment holds what came behind the last checkpoint.
    damage(&log, |length| length / 2);
    let begun = stopped.begin();
    assert!(begun.notes >= 2 * JOBS && begun.notes < 3 * JOBS, "{begun:?}");
    assert!(begun.is_loss_reported(), "{begun:?}");
}

#[test]
fn at_any_place_of_the_log_one_bit_is_noticed() {
    let Some(stopped) = Stopped::new() else { return };
    let places = usize::try_from(abide_testkit::rounds(40)).unwrap();
    for place in 0..places {
        let copy = Stopped { world: stopped.world.copy() };
        let log = copy.files("wal").pop().unwrap();
        damage(&log, |length| (2 * place + 1) * length / (2 * places));
        let begun = copy.begin();
        assert!(begun.notes >= 2 * JOBS, "the checkpoint stands: {begun:?}");
        assert!(begun.notes == 3 * JOBS || begun.is_loss_reported(), "{place}: {begun:?}");
    }
}

#[test]
fn checkpoints_or_a_log_that_are_gone_are_missed() {
    for parts in [&["checkpoints"][..], &["wal"], &["checkpoints", "wal"]] {
        let Some(stopped) = Stopped::new() else { return };
        for file in parts.iter().flat_map(|part| stopped.files(part)) {
            fs::remove_file(file).unwrap();
        }
        let begun = stopped.begin();
        assert!(begun.notes == 3 * JOBS || begun.is_loss_reported(), "{parts:?}: {begun:?}");
    }
}
