//! Servers of tools are added, changed and removed while the keeper runs, and no other server is touched by that.

use std::{fs, io::Write as _, path::PathBuf};

use abide_testkit::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::{
    home::{Home, Keeper},
    mcp::{Probe, home_for, is_ready, results},
};

const PYTHON: &str = "/usr/bin/python3";

/// The server of that name as people see it, once it is as they wait for it.
fn named_when(keeper: &Keeper, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let found = keeper.client.read("/mcp/servers");
        let found = found["items"].as_array().unwrap().iter().find(|it| it["id"] == name).cloned();
        if let Some(found) = found.filter(&is_so) {
            return found;
        }
        std::thread::yield_now();
    }
}

fn names(keeper: &Keeper) -> Vec<String> {
    let found = keeper.client.read("/mcp/servers");
    let items = found["items"].as_array().unwrap();
    items.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

fn add(home: &Home, name: &str, probe: &Probe) -> std::process::Output {
    let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/faulty.py");
    let program = fs::canonicalize(program).unwrap().display().to_string();
    home.run(["mcp", "add", name, "--", PYTHON, &program, &probe.folder()])
}

fn text_of(home: &Home) -> String {
    fs::read_to_string(home.path().join("abide.toml")).unwrap()
}

/// A home whose servers run as they are, so that `abide mcp add` is enough, with one server.
fn home_with_one(model: &ModelServer, probe: &Probe) -> Home {
    let section = probe.section("allow = [\"*\"]").replace("\"test\"", "\"first\"");
    home_for(model, &format!("[supervisor]\nsandbox = \"off\"\n{section}"))
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_server_is_added_changed_and_removed_and_the_other_one_never_notices() {
    let model = ModelServer::start().unwrap();
    let (first, second) = (Probe::new(), Probe::new());
    let home = home_with_one(&model, &first);
    let keeper = home.up();
    let untouched = named_when(&keeper, "first", is_ready)["pid"].clone();

    let added = add(&home, "second", &second);
    assert!(added.status.success() && said(&added).contains("starts it now"), "{added:?}");
    let ready = named_when(&keeper, "second", is_ready);
    assert_eq!(names(&keeper), ["first", "second"]);

    let changed = text_of(&home).replace("name = \"second\"", "name = \"second\"\nallow = [\"*\"]");
    fs::write(home.path().join("abide.toml"), changed).unwrap();
    let reloaded = home.run(["mcp", "reload"]);
    assert!(said(&reloaded).contains("started anew: second"), "{reloaded:?}");
    let anew = named_when(&keeper, "second", is_ready);
    assert_ne!(anew["pid"], ready["pid"]);
    let shown = keeper.client.read("/config");
    let shown = shown["items"].as_array().unwrap().iter().find(|it| it["key"] == "mcp[1].allow");
    assert_eq!(shown.unwrap()["value"], "[\"*\"]");
    model.script([
        Reply::calls([("mcp-second-append", json!({"line": "by the new one"}))]),
        Reply::text("Done."),
    ]);
    keeper.client.say("append");
    assert_eq!(second.lines("probe"), ["by the new one"]);
    assert!(said(&home.run(["mcp", "reload"])).contains("already"));

    model.script([
        Reply::calls([("mcp-second-append", json!({"line": "cut", "then": "hang"}))]),
        Reply::text("I do not know."),
    ]);
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "append"}));
    while second.lines("probe").len() < 2 {
        std::thread::yield_now();
    }
    let removed = home.run(["mcp", "rm", "second"]);
    assert!(removed.status.success() && said(&removed).contains("has ended it"), "{removed:?}");
    assert!(!second.is_running());
    assert_eq!(names(&keeper), ["first"]);
    events.until("epoch.committed");
    let results = results(&model);
    assert!(results.last().unwrap().contains("unknown"), "{results:?}");
    let listed = keeper.client.read("/tools?limit=500").to_string();
    assert!(listed.contains("mcp.first.append") && !listed.contains("mcp.second.append"));

    assert_eq!(named_when(&keeper, "first", is_ready)["pid"], untouched);
    assert_eq!(first.lines("starts").len(), 1);
}

#[test]
fn what_was_accepted_of_a_server_that_was_removed_is_what_it_is_held_against_when_it_is_back() {
    let model = ModelServer::start().unwrap();
    let (first, second) = (Probe::new(), Probe::new());
    let home = home_with_one(&model, &first);
    let keeper = home.up();
    add(&home, "second", &second);
    named_when(&keeper, "second", is_ready);
    assert!(home.run(["mcp", "rm", "second"]).status.success());
    second.say("Appends a line and mails it.");
    add(&home, "second", &second);
    let waits = |server: &Value| server["waiting"].as_array().is_some_and(|all| !all.is_empty());
    let server = named_when(&keeper, "second", waits);
    assert_eq!(server["waiting"][0]["tool"], "append");
    let accepted = home.ledger();
    let of_second = accepted
        .iter()
        .filter(|line| line["kind"] == "mcp.tool_accepted" && line["data"]["server"] == "second");
    assert_eq!(of_second.count(), 2, "once, at its first list");
}

#[test]
fn a_server_that_keeps_more_than_it_may_is_ended_and_runs_again_once_there_is_room() {
    let model = ModelServer::start().unwrap();
    let first = Probe::new();
    let section = first.section("disk_mb = 1").replace("\"test\"", "\"first\"");
    let home = home_for(&model, &format!("[supervisor]\nsandbox = \"off\"\n{section}"));
    let folder = home.path().join("mcp/first");
    fs::create_dir_all(&folder).unwrap();
    let fill = || {
        let file = fs::File::create(folder.join("cache")).unwrap();
        (&file).write_all(&vec![b'x'; 2 << 20]).unwrap();
        file.sync_all().unwrap();
    };
    fill();
    let keeper = home.up();
    let is_full = |server: &Value| {
        let problem = server["last_error"].as_str().unwrap_or_default();
        problem.contains("of its 1 MB of disk") && problem.contains("raise `disk_mb`")
    };
    let held = named_when(&keeper, "first", is_full);
    assert_eq!((&held["pid"], &held["state"]), (&Value::Null, &json!("waiting")), "{held}");
    assert_eq!(first.lines("starts"), [""; 0], "it was not started");
    let listed = home.run(["mcp", "ls"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("of 1 MB") && listed.contains("mcp/first"), "{listed}");
    let checked = home.run(["doctor"]);
    assert!(String::from_utf8_lossy(&checked.stdout).contains("first: it used 2"), "{checked:?}");

    fs::remove_file(folder.join("cache")).unwrap();
    named_when(&keeper, "first", is_ready);
    fill();
    named_when(&keeper, "first", is_full);
    while first.is_running() {
        std::thread::yield_now();
    }
}

#[test]
fn a_file_that_cannot_be_used_changes_nothing_and_the_reason_is_said() {
    let model = ModelServer::start().unwrap();
    let first = Probe::new();
    let home = home_with_one(&model, &first);
    let keeper = home.up();
    let pid = named_when(&keeper, "first", is_ready)["pid"].clone();
    let text = text_of(&home);
    fs::write(home.path().join("abide.toml"), format!("{text}[[mcp]]\nname = \"half\"\n")).unwrap();
    let refused = home.run(["mcp", "reload"]);
    assert!(!refused.status.success(), "{refused:?}");
    assert!(said(&refused).contains("one of them says where the server is"), "{refused:?}");
    assert_eq!(named_when(&keeper, "first", is_ready)["pid"], pid);
    assert_eq!(names(&keeper), ["first"]);

    fs::write(home.path().join("abide.toml"), text).unwrap();
    keeper.stop();
    let alone = home.run(["mcp", "reload"]);
    assert_eq!(alone.status.code(), Some(3), "no keeper runs: {alone:?}");
}
