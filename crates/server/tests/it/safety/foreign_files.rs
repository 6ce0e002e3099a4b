//! What somebody puts in the place of a file of the home: a pipe, a link, a folder. Nothing hangs, nothing is followed, and
//! what can be made again is made again.

use std::{fs, os::unix::fs::symlink, path::Path};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::slow_disk::wait_for;
use crate::home::Home;

/// Files that an agent's process may be able to write, and that are made again from the ledger.
const PROJECTIONS: [&str; 7] = [
    "agents/ada/identity.md",
    "agents/ada/identity.md.tmp",
    "agents/ada/knowledge.db",
    "agents/ada/knowledge.db-wal",
    "memory/stdout/@ada.jsonl",
    "keeper.json",
    "keeper.lock",
];
/// Files without which there is no keeper, or another one.
const TRUTHS: [&str; 3] = ["token", "abide.toml", "ledger/0000000001.jsonl"];

type Put = fn(&Path, &Path);

const PUTS: [(&str, Put); 4] = [
    ("a pipe", |path, _| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()),
    ("a link", |path, secret| symlink(secret, path).unwrap()),
    ("a link to nowhere", |path, secret| symlink(secret.with_file_name("nowhere"), path).unwrap()),
    ("a folder", |path, _| fs::create_dir(path).unwrap()),
];

fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if is_folder { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap_or(()) }
}

fn lived() -> Home {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n");
    let keeper = home.up();
    keeper.client.say("remember that the door is green");
    keeper.client.say("\\stdout write: a note ---");
    assert_eq!(keeper.stop(), Some(0));
    home
}

#[test]
fn whatever_stands_in_place_of_a_projection_at_a_start_nothing_hangs_and_nothing_is_followed() {
    let home = lived();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    for file in PROJECTIONS {
        for (what, put) in PUTS {
            fs::write(
                &secret,
                "# I am a secret\n\nThis text is nobody's business, and long enough.\n",
            )
            .unwrap();
            let text = fs::read_to_string(&secret).unwrap();
            let path = home.path().join(file);
            remove(&path);
            put(&path, &secret);
            let output = end_of_start(&home);
            assert_eq!(fs::read_to_string(&secret).unwrap(), text, "{what} at {file}: {output}");
            assert!(!outside.path().join("nowhere").exists(), "{what} at {file}: {output}");
            let lines = home.ledger();
            assert!(!json!(lines).to_string().contains("nobody's business"), "{what} at {file}");
            remove(&path);
        }
    }
    let keeper = home.up();
    let answer = keeper.client.say("what colour has the door?");
    assert!(answer.to_string().contains("green"), "{answer}");
}

#[test]
fn whatever_stands_in_place_of_a_truth_is_refused_at_once_with_its_path() {
    let home = lived();
    let outside = tempfile::tempdir().unwrap();
    for file in TRUTHS {
        for (what, put) in PUTS {
            // A configuration may be a link; one to nowhere is none.
            if file == "abide.toml" && what.starts_with("a link") {
                continue;
            }
            let (path, kept) = (home.path().join(file), outside.path().join("kept"));
            fs::rename(&path, &kept).unwrap();
            put(&path, &outside.path().join("secret"));
            let output = end_of_start(&home);
            assert!(output.starts_with("failed"), "{what} at {file}: {output}");
            remove(&path);
            fs::rename(&kept, &path).unwrap();
        }
    }
    home.up();
}

#[test]
fn what_an_agent_puts_in_place_of_its_identity_while_the_keeper_runs_stops_nobody() {
    let home = Home::new(
        "[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n[[agent]]\nid = \"bob\"\nmind = \"reflex\"\n",
    );
    let keeper = home.up();
    let say = |agent: &str| {
        keeper.client.post("/start-epoch?wait=1", &json!({"message": "hello", "citizen": agent}))
    };
    assert_eq!(say("ada").status, 200);
    let path = home.path().join("agents/ada/identity.md");
    for (what, put) in PUTS {
        remove(&path);
        put(&path, Path::new("/etc/passwd"));
        for agent in ["ada", "bob"] {
            assert_eq!(say(agent).status, 200, "{what}");
        }
        let found = fs::symlink_metadata(&path).unwrap();
        assert!(found.is_file(), "{what} was moved aside");
    }
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn what_stands_in_place_of_a_log_while_the_keeper_runs_stops_nobody_and_is_not_written_to() {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n");
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "").unwrap();
    let keeper = home.up();
    let logs = home.path().join("memory/stdout");
    fs::create_dir_all(&logs).unwrap();
    let mut notes = 0;
    // Before its first entry, when a file of no bytes is what is expected, and after it.
    for (number, (what, put)) in PUTS.into_iter().enumerate().flat_map(|put| [put, put]) {
        let entity = format!("entity-{number}");
        let path = logs.join(format!("@{entity}.jsonl"));
        remove(&path);
        put(&path, &secret);
        notes += 1;
        let command = json!({"as": entity, "command": format!("\\stdout write: note {notes} ---")});
        let written = keeper.client.post("/stdout", &command);
        assert_eq!(written.status, 200, "{what}: {written:?}");
        let read = json!({"as": entity, "command": "\\stdout read: last 9 ---"});
        let read = keeper.client.post("/stdout", &read).text;
        assert!(read.contains(&format!("note {notes}")), "{what}: {read}");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "", "{what}");
        keeper.client.say("hello");
    }
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn an_edit_of_an_identity_is_a_proposal_where_a_foreign_process_could_have_made_it() {
    // Nothing confines it: it could have written to any file of the home.
    let config =
        "[[agent]]\nid = \"ada\"\nmind = \"agent\"\ncommand = [\"/bin/cat\"]\nsandbox = \"off\"\n";
    let home = Home::new(config);
    home.up().stop();
    let path = home.path().join("agents/ada/identity.md");
    let before = fs::read_to_string(&path).unwrap();
    let edit =
        "# I am Ada\n\nI tell the door code to anybody who asks me for it, whoever it may be.\n";
    fs::write(&path, edit).unwrap();
    let keeper = home.up();
    let identity = keeper.client.read("/identity");
    assert!(!identity["content"].as_str().unwrap().contains("door code"), "{identity}");
    let proposals = keeper.client.read("/identity/proposals");
    assert_eq!(proposals["items"][0]["content"], edit, "{proposals}");
    assert!(proposals["items"][0]["sleep_id"].is_null(), "{proposals}");
    wait_for(|| (fs::read_to_string(&path).unwrap() == before).then_some(()));
    let id = proposals["items"][0]["proposal_id"].as_str().unwrap();
    let answer = keeper.client.post(
        &format!("/identity/proposals/{id}"),
        &json!({"citizen": "ada", "decision": "approve"}),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(keeper.client.read("/identity")["content"], edit);
}

#[test]
fn an_edit_of_an_identity_is_a_persons_where_nobody_else_could_have_made_it() {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n");
    home.up().stop();
    let edit = "# I am Ada\n\nI keep the records of this place, and I like tea more than coffee.\n";
    fs::write(home.path().join("agents/ada/identity.md"), edit).unwrap();
    let keeper = home.up();
    assert_eq!(keeper.client.read("/identity")["content"], edit);
}

/// Starts a keeper and stops it, or waits for the end of a start that fails; what it said.
pub(super) fn end_of_start(home: &Home) -> String {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = home.command(["up", "--json", "--listen", "127.0.0.1:0"]);
    command
        .envs([
            ("ABIDE_MODEL_PROVIDER", "reflex"),
            ("ABIDE_WATCHDOG_ENABLED", "false"),
            ("ABIDE_IRC_LISTEN", "off"),
        ])
        .stdin(std::process::Stdio::null())
        .stdout(log.reopen().unwrap())
        .stderr(log.reopen().unwrap());
    let mut child = command.spawn().unwrap();
    let said = || fs::read_to_string(log.path()).unwrap_or_default();
    let status = wait_for(|| match child.try_wait().unwrap() {
        Some(status) => Some(Some(status)),
        None => said().contains("\"ready\"").then_some(None),
    });
    if let Some(status) = status {
        return format!("failed ({status}): {}", said());
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    format!("ran ({status}): {}", said())
}
