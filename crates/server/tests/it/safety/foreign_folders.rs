//! What somebody puts in the place of a folder of the home: a link. Nothing is read, made or removed behind it. The home itself
//! may be a link, which is its owner's own.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path};

use serde_json::json;

use super::{foreign_files::end_of_start, slow_disk::wait_for};
use crate::home::Home;

/// Folders without which there is no keeper, or not that agent.
const FOLDERS: [&str; 5] = ["agents", "agents/ada", "memory", "memory/stdout", "blobs"];
/// Folders of an agent's process.
const OF_PROCESS: [&str; 2] = ["wal", "checkpoints"];

/// All files below a folder, with what is in them.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.insert(path.display().to_string(), Vec::new());
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    found
}

fn assert_refused(said: &str, path: &Path) {
    let reason = format!("{} is a symbolic link, where Abide keeps a folder", path.display());
    assert!(said.contains(&reason) && said.contains("put the folder back"), "{said}");
}

/// Moves a folder out of the home and puts a link to it in its place; gives where it is now.
fn link_away(path: &Path, outside: &Path) -> std::path::PathBuf {
    let kept = outside.join("kept");
    match fs::rename(path, &kept) {
        Ok(()) => {}
        Err(_) => fs::create_dir(&kept).unwrap(),
    }
    symlink(&kept, path).unwrap();
    kept
}

#[test]
fn a_link_in_place_of_a_folder_is_refused_with_its_path_and_nothing_happens_behind_it() {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n");
    let keeper = home.up();
    keeper.client.say("remember that the door is green");
    assert_eq!(keeper.stop(), Some(0));
    for name in FOLDERS {
        let outside = tempfile::tempdir().unwrap();
        let path = home.path().join(name);
        let kept = link_away(&path, outside.path());
        let before = files(outside.path());
        let said = end_of_start(&home);
        assert!(said.starts_with("failed"), "{name}: {said}");
        assert_refused(&said, &path);
        let doctor = home.run(["doctor"]);
        assert_eq!(doctor.status.code(), Some(1), "{name}: {doctor:?}");
        assert_refused(&String::from_utf8(doctor.stdout).unwrap(), &path);
        if name.starts_with("agents") {
            let commands = [&["memory", "rebuild"][..], &["checkpoint", "ls", "ada"]];
            for command in commands {
                let refused = home.run(command);
                assert_eq!(refused.status.code(), Some(1), "{name}: {refused:?}");
                assert_refused(&String::from_utf8(refused.stderr).unwrap(), &path);
            }
        }
        assert_eq!(files(outside.path()), before, "{name}");
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
    let answer = home.up().client.say("what colour has the door?");
    assert!(answer.to_string().contains("green"), "{answer}");
}

#[test]
fn a_link_in_place_of_the_private_state_of_a_process_ends_its_run_and_nothing_is_made_behind_it() {
    let agents =
        "[[agent]]\nid = \"ada\"\nmind = \"agent\"\n[[agent]]\nid = \"bob\"\nmind = \"reflex\"\n";
    let home = Home::new(agents);
    let start = json!({"message": "hello", "citizen": "ada"});
    let keeper = home.up();
    assert_eq!(keeper.client.post("/start-epoch?wait=1", &start).status, 200);
    assert_eq!(keeper.stop(), Some(0));
    for name in OF_PROCESS {
        let outside = tempfile::tempdir().unwrap();
        let path = home.path().join("agents/ada").join(name);
        let kept = link_away(&path, outside.path());
        let before = files(outside.path());
        let keeper = home.up();
        assert_eq!(keeper.client.post("/start-epoch", &start).status, 202);
        let ended = wait_for(|| {
            let lines = home.ledger();
            let mut exits = lines.into_iter().filter(|line| line["kind"] == "agent.exited");
            exits.rfind(|line| {
                line["data"]["reason"] == "restore_failed" && line.to_string().contains(name)
            })
        });
        assert_refused(&ended["data"]["message"].to_string(), &path);
        let other = json!({"message": "hello", "citizen": "bob"});
        assert_eq!(keeper.client.post("/start-epoch?wait=1", &other).status, 200, "{name}");
        keeper.kill();
        let doctor = home.run(["doctor"]);
        assert_refused(&String::from_utf8(doctor.stdout).unwrap(), &path);
        assert_eq!(files(outside.path()), before, "{name}");
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
}

#[test]
fn a_home_that_is_a_link_is_used() {
    let home = Home::new("[[agent]]\nid = \"ada\"\nmind = \"reflex\"\n");
    let outside = tempfile::tempdir().unwrap();
    link_away(&home.path(), outside.path());
    for _ in 0..2 {
        let keeper = home.up();
        keeper.client.say("hello");
        assert!(home.run(["status"]).status.success());
        assert_eq!(keeper.stop(), Some(0));
    }
    assert!(outside.path().join("kept/agents/ada/knowledge.db").exists());
}
