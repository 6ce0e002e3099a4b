//! BC-04: the databases of facts survive any death of the keeper whole, and hold what the ledger says.

use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread::ScopedJoinHandle,
};

use abide_testkit::SplitMix64;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::scene::{Switchboard, named, rounds_of_a_long_run};
use crate::{
    client::Client,
    home::{Home, Keeper},
};

/// Deaths in `make soak`: ten minutes.
const DEATHS: u32 = 1_200;
/// Deaths in one home; a start that reads a longer past would take longer than what is tested.
const DEATHS_A_HOME: u32 = 40;
/// Each is written by a writer of its own, and by nobody else.
const WRITERS: [&str; 8] = ["ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"];
/// Facts that each agent learns between two deaths.
const FACTS: u32 = 2;
/// Events between two deaths, at most: about as many as there are while everybody learns.
const EVENTS: u64 = 110;

/// Every SQLite file of a home.
fn databases(home: &Home) -> Vec<PathBuf> {
    let mut folders = vec![home.path()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "db") {
                found.push(path);
            }
        }
    }
    found
}

/// What SQLite says about copies of the databases that were left by a death, each with its log beside it.
fn assert_whole(home: &Home, what: &str) {
    let databases = databases(home);
    assert!(databases.len() >= WRITERS.len(), "{what}: {databases:?}");
    for path in databases {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.db");
        fs::copy(&path, &copy).unwrap();
        let log = path.with_extension("db-wal");
        if log.exists() {
            fs::copy(log, copy.with_extension("db-wal")).unwrap();
        }
        let said: String = Connection::open(&copy)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(said, "ok", "{what}: {}", path.display());
    }
}

/// The facts that the ledger says an agent knows.
fn known_by_ledger(ledger: &[Value], agent: &str) -> BTreeSet<String> {
    let own = |line: &&Value| line["entity"] == format!("@{agent}");
    let committed: BTreeSet<&str> = ledger
        .iter()
        .filter(own)
        .filter(|line| line["kind"] == "epoch.committed")
        .map(|line| line["epoch"].as_str().unwrap())
        .collect();
    ledger
        .iter()
        .filter(own)
        .filter(|line| line["kind"] == "memory.fact_remembered")
        .filter(|line| committed.contains(line["epoch"].as_str().unwrap()))
        .map(|line| line["data"]["content"].as_str().unwrap().to_owned())
        .collect()
}

/// The facts that a keeper says an agent knows.
fn known(client: &Client, agent: &str) -> BTreeSet<String> {
    let path = format!("/knowledge?limit=500&citizen={agent}");
    let page = client.read(&path);
    assert_eq!(page["next"], Value::Null, "one page is enough");
    let facts = page["items"].as_array().unwrap().iter();
    facts.map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

/// Tells an agent its facts of a round, over any death.
fn learn(board: &Switchboard, agent: &str, round: u32) {
    for n in 0..FACTS {
        let key = format!("{agent}-{round}-{n}");
        let message = format!("remember that heron {key} is grey");
        let body = json!({"message": message, "citizen": agent});
        let said = board.post("/start-epoch?wait=1", &key, &body);
        assert_eq!(said.json()["state"], "committed", "{key}");
    }
}

/// Looks things up beside the writers, which must never be in their way.
fn look_up(board: &Switchboard, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        for agent in WRITERS {
            // A keeper that is away or loads is asked again in the next pass.
            if let Some(found) = board.get(&format!("/knowledge?q=heron&citizen={agent}")) {
                assert!([200, 503].contains(&found.status), "{found:?}");
            }
        }
    }
}

/// Everybody learns, the keeper dies in the middle of it, and all files that it left are whole.
fn round(home: &Home, first: Keeper, round: u32, events_before: u64) -> Keeper {
    let board = Switchboard::new(&first.client);
    let mut events = first.client.events("/events", &[]);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (board, is_over) = (&board, &is_over);
        scope.spawn(move || look_up(board, is_over));
        let writers = WRITERS.map(|agent| scope.spawn(move || learn(board, agent, round)));
        for _ in 0..events_before {
            events.next().unwrap();
        }
        first.kill();
        assert_whole(home, &format!("round {round}"));
        let second = home.up();
        board.connect(&second.client);
        let learnt: Vec<_> = writers.into_iter().map(ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(learnt.iter().all(Result::is_ok));
        second
    })
}

#[test]
fn bc_04_all_databases_are_whole_after_every_death_and_know_what_was_committed() {
    let mut dice = SplitMix64::new(4);
    let mut left = rounds_of_a_long_run(DEATHS);
    while left > 0 {
        let deaths = left.min(DEATHS_A_HOME);
        left -= deaths;
        let home = Home::new(&named(&WRITERS));
        let mut keeper = home.up();
        for n in 0..deaths {
            keeper = round(&home, keeper, n, dice.below(EVENTS));
        }
        let ledger = home.ledger();
        for agent in WRITERS {
            let wanted = known_by_ledger(&ledger, agent);
            assert_eq!(wanted.len(), (deaths * FACTS) as usize, "{agent}");
            assert_eq!(known(&keeper.client, agent), wanted, "{agent}");
        }
        assert_eq!(keeper.stop(), Some(0));
        assert_whole(&home, "after a stop in good order");
    }
}

#[test]
fn facts_that_another_program_changed_are_found_and_made_again() {
    let home = Home::new("");
    let keeper = home.up();
    let body = json!({"content": "no discount above 5 percent"});
    assert_eq!(keeper.client.post("/knowledge", &body).status, 200);
    let memory = |home: &Home| {
        let output = home.run(["doctor", "--json"]);
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = rows["items"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["check"] == "memory").unwrap()
    };
    assert_eq!(memory(&home)["verdict"], "ok", "beside a running keeper");
    keeper.stop();
    assert_eq!(memory(&home)["verdict"], "ok");
    let path = databases(&home).pop().unwrap();
    let changed = Connection::open(&path)
        .unwrap()
        .execute("UPDATE facts SET content = 'a discount of 50 percent is fine'", []);
    assert_eq!(changed.unwrap(), 1);
    let row = memory(&home);
    assert_eq!(row["verdict"], "fail", "{row}");
    assert!(row["detail"].as_str().unwrap().contains("abide memory rebuild"), "{row}");
    let keeper = home.up();
    let facts = keeper.client.read("/knowledge");
    assert_eq!(facts["items"][0]["content"], "no discount above 5 percent", "{facts}");
    assert_eq!(memory(&home)["verdict"], "ok");
}
