//! What an agent wrote down survives the epoch that wrote it: it is durable at once, never double, and the first thing that
//! a mind is shown when it goes on.

use std::fs;

use abide_testkit::{ModelServer, Reply, ReplyHold, SeenRequest, rounds};
use serde_json::{Value, json};

use super::scene::{assert_verified, of_kind, thinking_with, wait_for_ends};
use crate::{
    home::{Home, Keeper},
    stdout::run,
};

/// Rounds in `make soak`; each kills a keeper at another entry of a call.
const ROUNDS: u32 = 40;
/// Entries of one call.
const ENTRIES: usize = 12;
/// What is shown of an agent's log.
const SHOWN: usize = 20;

/// The agent's own entries in what a model was told, oldest first.
fn own_entries(request: &SeenRequest) -> Vec<String> {
    let (_, own) =
        request.object().split_once("What you wrote down for yourself").unwrap_or_default();
    let lines = own.lines().filter(|line| line.starts_with("[tick "));
    lines.map(|line| line.split_once("] ").unwrap().1.to_owned()).collect()
}

/// The contents of an agent's entries, as the ledger has them.
fn in_ledger(home: &Home) -> Vec<String> {
    let ledger = home.ledger();
    let written = of_kind(&ledger, "stdout.written");
    written.iter().map(|line| line["data"]["content"].as_str().unwrap().to_owned()).collect()
}

/// The same, as its file has them.
fn in_file(home: &Home) -> Vec<String> {
    let text = fs::read_to_string(home.path().join("memory/stdout/@ada.jsonl")).unwrap();
    let entry = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    text.lines().map(|line| entry(line)["content"].as_str().unwrap().to_owned()).collect()
}

fn shown_context(keeper: &Keeper, epoch: &str) -> Value {
    keeper.client.read(&format!("/epochs/{epoch}?context=1"))["context"].clone()
}

#[test]
fn after_a_kill_in_mid_epoch_the_mind_is_shown_its_last_20_entries_and_those_of_the_dead_epoch() {
    let server = ModelServer::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let probe = folder.path().join("probe");
    let notes = r"\stdout write: migrated table A --- \stdout write: migrated table B ---";
    server.script([
        Reply::calls([("stdout", json!({"command": notes}))]),
        Reply::calls([("probe-append", json!({"line": "x", "sleep_ms": 600_000}))]),
    ]);
    let config = format!(
        "{}[tools]\nallow = [\"stdout\", \"probe.*\"]\n[test]\nprobe_file = {:?}\n",
        thinking_with(&server, &["ada"]),
        probe.to_str().unwrap()
    );
    let home = Home::new(&config);
    let keeper = home.up();
    let before: Vec<String> = (0..25).map(|n| format!("old note {n}")).collect();
    for note in &before {
        run(&keeper.client, "@ada", note);
    }
    let mut events = keeper.client.events("/events?kinds=tool.requested", &[]);
    let accepted = keeper.client.post("/start-epoch", &json!({"message": "migrate everything"}));
    let id = accepted.json()["epoch_id"].as_str().unwrap().to_owned();
    while events.next().unwrap().data["data"]["name"] != "probe.append" {}
    keeper.kill();

    server.script([Reply::text("A and B are migrated."), Reply::text("B was the last.")]);
    let keeper = home.up();
    wait_for_ends(&keeper.client, 1);
    let requests = server.requests();
    let mut expected = before[7..].to_vec();
    expected.extend(["migrated table A".to_owned(), "migrated table B".to_owned()]);
    assert_eq!(expected.len(), SHOWN);
    let resumed = own_entries(requests.last().unwrap());
    assert_eq!(resumed, expected, "{}", requests.last().unwrap().object());
    let cut = own_entries(&requests[0]);
    assert_eq!(cut, before[5..], "the first epoch after a start shows what was there");
    let epoch = keeper.client.read(&format!("/epochs/{id}"));
    assert_eq!(
        (&epoch["state"], &epoch["final_response"]),
        (&json!("committed"), &json!("A and B are migrated."))
    );
    let context = shown_context(&keeper, &id);
    assert_eq!(context["verified"], true, "{context:#}");
    assert!(context["system"].as_str().unwrap().ends_with("migrated table B"), "{context:#}");

    // And after another death the next epoch begins with them.
    keeper.kill();
    let keeper = home.up();
    let next = keeper.client.say("which table was the last?");
    assert_eq!(own_entries(server.requests().last().unwrap()), expected);
    let context = shown_context(&keeper, next["epoch_id"].as_str().unwrap());
    assert_eq!(context["verified"], true, "{context:#}");
    let mut all = before;
    all.extend_from_slice(&expected[18..]);
    assert_eq!((in_ledger(&home), in_file(&home)), (all.clone(), all), "nothing twice");
    assert_eq!(keeper.stop(), Some(0));
    assert_verified(&home);
    server.assert_clean();
}

#[test]
fn what_an_epoch_wrote_stands_when_it_is_aborted_and_is_shown_after_the_next_start() {
    let server = ModelServer::start().unwrap();
    let gate = ReplyHold::closed();
    let commands = r"\stdout write: half done --- \wake ?(sleep(1m)) too late --- \grant @user ---";
    server.script([
        Reply::calls([("stdout", json!({"command": commands}))]),
        Reply::text("never said").held_by(&gate),
    ]);
    let home = Home::new(&thinking_with(&server, &["ada"]));
    let keeper = home.up();
    let mut events = keeper.client.events("/events?kinds=turn.started", &[]);
    let accepted = keeper.client.post("/start-epoch", &json!({"message": "begin"})).json();
    for _ in 0..2 {
        events.next().unwrap();
    }
    let path = format!("/epochs/{}/abort", accepted["epoch_id"].as_str().unwrap());
    let aborted = keeper.client.post(&path, &json!({"reason": "enough"}));
    assert_eq!((aborted.status, &aborted.json()["state"]), (200, &json!("aborted")));
    gate.open();
    assert!(run(&keeper.client, "@ada", "read:").contains("half done"));
    assert_eq!(
        run(&keeper.client, "@ada", r"\wake ---"),
        "@ada waits for nothing",
        "it was staged"
    );
    assert_eq!(keeper.client.read("/stdout/grants")["items"], json!([]), "so was the grant");
    keeper.kill();
    server.script([Reply::text("I see.")]);
    let keeper = home.up();
    keeper.client.say("where were we?");
    assert_eq!(own_entries(server.requests().last().unwrap()), ["half done"]);
}

/// Writes its entries in one call, then says so.
fn take_notes(request: &SeenRequest) -> Reply {
    if request.finished_calls().is_some() {
        return Reply::text("noted");
    }
    let notes: Vec<_> = (0..ENTRIES).map(|n| format!("\\stdout write: entry {n} ---")).collect();
    Reply::calls([(request.spelling("stdout"), json!({"command": notes.join(" ")}))])
}

#[test]
fn a_call_that_dies_after_each_of_its_entries_goes_on_with_the_next() {
    let server = ModelServer::builder().rule(take_notes).start().unwrap();
    let home = Home::new(&thinking_with(&server, &["ada"]));
    let dying = [("ABIDE_TEST_FAILPOINTS", "stdout.entry_durable=exit")];
    let keeper = home.up_with(&dying);
    keeper.client.post("/start-epoch", &json!({"message": "take notes"}));
    keeper.wait();
    for lives in 2..=4 {
        home.begin(&dying).wait();
        assert_eq!(in_ledger(&home).len(), lives, "each life writes one");
    }
    let keeper = home.up();
    wait_for_ends(&keeper.client, 1);
    let expected: Vec<String> = (0..ENTRIES).map(|n| format!("entry {n}")).collect();
    assert_eq!((in_ledger(&home), in_file(&home)), (expected.clone(), expected));
    let epoch = &keeper.client.read("/epochs")["items"][0];
    assert_eq!(epoch["turns"][0]["tool_calls"].as_array().unwrap().len(), 1, "{epoch}");
    server.assert_clean();
}

#[test]
fn a_call_that_a_death_cut_between_its_entries_writes_none_of_them_twice() {
    let server = ModelServer::builder().rule(take_notes).start().unwrap();
    for round in 0..rounds(ROUNDS) {
        let home = Home::new(&thinking_with(&server, &["ada"]));
        let keeper = home.up();
        let mut events = keeper.client.events("/events?kinds=stdout.written", &[]);
        keeper.client.post("/start-epoch", &json!({"message": "take notes"}));
        for _ in 0..=(round as usize % ENTRIES) {
            events.next().unwrap();
        }
        keeper.kill();
        let keeper = home.up();
        wait_for_ends(&keeper.client, 1);
        let expected: Vec<String> = (0..ENTRIES).map(|n| format!("entry {n}")).collect();
        assert_eq!(in_ledger(&home), expected, "round {round}");
        assert_eq!(in_file(&home), expected, "round {round}");
        let epoch = &keeper.client.read("/epochs")["items"][0];
        assert_eq!(epoch["state"], "committed", "round {round}: {epoch}");
        let context = shown_context(&keeper, epoch["epoch_id"].as_str().unwrap());
        assert_eq!(context["verified"], true, "round {round}: {context:#}");
    }
    server.assert_clean();
}
