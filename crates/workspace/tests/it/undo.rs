//! `files.undo`.

use std::fs;

use abide_tools::ToolErrorKind;
use abide_workspace::UndoLimits;
use serde_json::{Value, json};

use crate::bench::{Home, names};

fn changes(home: &Home) -> Vec<Value> {
    home.run("files.undo", &json!({})).unwrap()["changes"].as_array().unwrap().clone()
}

#[test]
fn changes_of_every_kind_are_listed_and_taken_back() {
    let home = Home::new();
    home.put("a", "one\n");
    let created = home
        .run("files.write", &json!({"path": "work/b", "content": "new", "create": true}))
        .unwrap();
    let edits = json!([{"old": "one", "new": "two"}]);
    let edited = home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
    let moved = home.run("files.move", &json!({"from": "work/a", "to": "work/c"})).unwrap();
    let removed = home.run("files.remove", &json!({"path": "work/c"})).unwrap();
    let listed = changes(&home);
    let actions: Vec<_> = listed.iter().map(|change| change["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["removed", "moved", "changed", "created"]);
    assert_eq!(listed[1]["to"], "work/c");
    assert_eq!(listed[0]["at"], "2026-11-28T09:30:00.000000Z");
    for (change, shown) in [
        (&removed, "work/c is put back"),
        (&moved, "work/c is moved back to work/a"),
        (&edited, "-two\n+one\n"),
        (&created, "work/b is removed"),
    ] {
        let arguments = json!({"id": change["undo"]});
        let preview = home.preview("files.undo", &arguments).unwrap();
        assert!(preview.contains(shown), "{preview}");
        home.run("files.undo", &arguments).unwrap();
        assert!(home.run("files.undo", &arguments).is_err(), "taken back twice");
    }
    assert_eq!((home.names(""), home.get("a")), (vec!["a".to_owned()], b"one\n".to_vec()));
    // Taking back an edit and a new file are changes themselves.
    let again = changes(&home);
    let again: Vec<_> = again.iter().map(|change| change["action"].as_str().unwrap()).collect();
    assert_eq!(again, ["removed", "changed"]);
}

#[test]
fn what_is_no_longer_what_the_change_left_is_not_touched() {
    let home = Home::new();
    let write = |path: &str| {
        let arguments = json!({"path": path, "content": "mine", "create": true});
        home.run("files.write", &arguments).unwrap()["undo"].clone()
    };
    let created = write("work/a");
    let edits = json!([{"old": "mine", "new": "yours"}]);
    let edited = home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
    home.put("a", "a person's");
    write("work/b");
    let removed = home.run("files.remove", &json!({"path": "work/b"})).unwrap();
    home.put("b", "a person's");
    write("work/c");
    let moved = home.run("files.move", &json!({"from": "work/c", "to": "work/d"})).unwrap();
    home.put("other", "a person's");
    fs::rename(home.work("other"), home.work("d")).unwrap();
    for id in [&created, &edited["undo"], &removed["undo"], &moved["undo"]] {
        let error = home.run("files.undo", &json!({"id": id})).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Conflict, "{error}");
    }
    for name in ["a", "b", "d"] {
        assert_eq!(home.get(name), b"a person's");
    }
    let error = home.run("files.undo", &json!({"id": "../../etc/passwd"})).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::NotFound);
}

#[test]
fn changes_go_by_age_by_number_and_by_size() {
    let limits = UndoLimits { bytes: 1_000, entries: 3, ..UndoLimits::default() };
    let home = Home::with(limits, None);
    for n in 0..5 {
        home.put(&format!("{n}"), "x".repeat(10));
        home.run("files.remove", &json!({"path": format!("work/{n}")})).unwrap();
    }
    let paths: Vec<_> = changes(&home).iter().map(|change| change["path"].clone()).collect();
    assert_eq!(paths, ["work/4", "work/3", "work/2"]);
    home.put("large", "x".repeat(985));
    home.run("files.remove", &json!({"path": "work/large"})).unwrap();
    assert_eq!(changes(&home).len(), 2, "10 + 985 bytes are kept, 1005 not");
    assert_eq!(names(&home.undo_folder()).len(), 4);
    home.pass_days(6);
    assert_eq!(changes(&home).len(), 2);
    home.pass_days(2);
    assert!(changes(&home).is_empty());
}

#[test]
fn agents_cannot_take_back_what_others_changed() {
    let home = Home::new();
    home.put("a", "one");
    let removed = home.run("files.remove", &json!({"path": "work/a"})).unwrap();
    let error = home.run_as("ada", "files.undo", &json!({"id": removed["undo"]})).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::NotFound);
}

#[test]
fn an_undo_folder_in_reach_of_the_agent_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("felix/work/undo");
    let home = Home::at(folder.path(), UndoLimits::default(), Some(inside));
    home.put("a", "one");
    let error = home.run("files.remove", &json!({"path": "work/a"})).unwrap_err();
    assert!(error.message.contains("lies within `work`"), "{error}");
    assert_eq!(home.names(""), ["a"]);
}

#[test]
fn a_crash_between_the_note_and_the_change_loses_nothing() {
    let home = Home::new();
    home.put("a", "one");
    let edits = json!([{"old": "one", "new": "two"}]);
    let edited = home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
    // As if the process had died before the new content took its place.
    home.put("a", "one");
    let error = home.run("files.undo", &json!({"id": edited["undo"]})).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Conflict);
    assert_eq!(home.get("a"), b"one");
    // As if it had died before the file was moved away: the note alone is there.
    let removed = home.run("files.remove", &json!({"path": "work/a"})).unwrap();
    let id = removed["undo"].as_str().unwrap();
    fs::rename(home.undo_folder().join(format!("{id}.old")), home.work("a")).unwrap();
    assert!(changes(&home).iter().all(|change| change["id"] != id));
    home.run("files.remove", &json!({"path": "work/a"})).unwrap();
    assert!(!home.undo_folder().join(format!("{id}.json")).exists());
}
