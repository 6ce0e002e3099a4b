//! `files.remove` and `files.move`.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use abide_tools::ToolErrorKind;
use abide_workspace::UndoLimits;
use serde_json::json;

use crate::bench::{Home, names};

#[test]
fn a_move_goes_where_nothing_is() {
    let home = Home::new();
    home.put("a", "one");
    home.put("b", "two");
    let taken = json!({"from": "work/a", "to": "work/b"});
    assert_eq!(home.run("files.move", &taken).unwrap_err().kind, ToolErrorKind::Conflict);
    assert_eq!((home.get("a"), home.get("b")), (b"one".to_vec(), b"two".to_vec()));
    home.run("files.move", &json!({"from": "work/a", "to": "work/new/a"})).unwrap();
    assert_eq!(
        (home.names(""), home.get("new/a")),
        (vec!["b".into(), "new".into()], b"one".to_vec())
    );
    home.run("files.move", &json!({"from": "work/new", "to": "work/newer"})).unwrap();
    assert_eq!(home.names("newer"), ["a"]);
    for (from, to, kind) in [
        ("work/newer", "work/newer/below/it", ToolErrorKind::Invalid),
        ("work/b", "work/newer", ToolErrorKind::Conflict),
        ("work/b", "docs/b", ToolErrorKind::Blocked),
        ("docs/b", "work/c", ToolErrorKind::Blocked),
        ("work/missing", "work/c", ToolErrorKind::NotFound),
        ("work", "work/c", ToolErrorKind::Blocked),
    ] {
        let error = home.run("files.move", &json!({"from": from, "to": to})).unwrap_err();
        assert_eq!(error.kind, kind, "{from} to {to}: {error}");
    }
}

#[test]
fn hb_29_a_move_that_failed_and_a_removal_after_it_lose_nothing() {
    let home = Home::new();
    home.put("draft", "the only copy");
    home.put("final", "something else");
    home.run("files.move", &json!({"from": "work/draft", "to": "work/final"})).unwrap_err();
    let removed = home.run("files.remove", &json!({"path": "work/draft"})).unwrap();
    assert_eq!(home.names(""), ["final"]);
    home.run("files.undo", &json!({"id": removed["undo"]})).unwrap();
    assert_eq!(home.get("draft"), b"the only copy");
}

#[test]
fn a_folder_is_removed_with_its_links_and_comes_back_as_it_was() {
    let home = Home::new();
    home.put("project/src/a", "one");
    home.put("project/b", "two");
    let outside = home.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "here").unwrap();
    symlink(&outside, home.work("project/link")).unwrap();
    let arguments = json!({"path": "work/project"});
    let shown = home.preview("files.remove", &arguments).unwrap();
    assert!(shown.starts_with("the folder work/project is removed, with 4 entries"), "{shown}");
    let removed = home.run("files.remove", &arguments).unwrap();
    assert_eq!((&removed["kind"], &removed["entries"]), (&json!("folder"), &json!(5)));
    assert!(home.names("").is_empty());
    home.run("files.undo", &json!({"id": removed["undo"]})).unwrap();
    assert_eq!(home.get("project/src/a"), b"one");
    assert_eq!(fs::read_link(home.work("project/link")).unwrap(), outside);
    home.run("files.remove", &arguments).unwrap();
    home.pass_days(8);
    home.put("c", "");
    home.run("files.remove", &json!({"path": "work/c"})).unwrap();
    assert_eq!(names(&home.undo_folder()).len(), 2, "what is a week old is gone");
    assert_eq!(names(&outside), ["precious"], "what a link led to is not");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_removed_where_that_is_asked() {
    let home = Home::new();
    home.put("a", "one");
    let seen = home.digest("work/a");
    home.put("a", "two");
    let arguments = json!({"path": "work/a", "if_digest": seen});
    assert_eq!(home.run("files.remove", &arguments).unwrap_err().kind, ToolErrorKind::Conflict);
    assert_eq!(home.get("a"), b"two");
}

#[test]
fn what_could_not_be_kept_is_not_removed() {
    let limits = UndoLimits { bytes: 10, ..UndoLimits::default() };
    let home = Home::with(limits, None);
    home.put("a", "12345678901");
    let error = home.run("files.remove", &json!({"path": "work/a"})).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Blocked);
    assert_eq!(home.names(""), ["a"]);
}

#[test]
fn a_file_on_another_file_system_is_copied_before_it_goes() {
    let memory = PathBuf::from("/dev/shm");
    let Ok(elsewhere) = tempfile::tempdir_in(&memory) else {
        println!("skipped: there is no {}", memory.display());
        return;
    };
    let home = Home::with(UndoLimits::default(), Some(elsewhere.path().to_owned()));
    home.put("a", "one");
    home.put("folder/b", "two");
    let removed = home.run("files.remove", &json!({"path": "work/a"})).unwrap();
    assert_eq!(home.names(""), ["folder"]);
    home.run("files.undo", &json!({"id": removed["undo"]})).unwrap();
    assert_eq!(home.get("a"), b"one");
    assert!(names(&home.undo_folder()).is_empty());
    let folder = home.run("files.remove", &json!({"path": "work/folder"}));
    if is_other_device(home.root(), elsewhere.path()) {
        assert_eq!(folder.unwrap_err().kind, ToolErrorKind::Blocked);
        assert_eq!(home.get("folder/b"), b"two");
    }
}

fn is_other_device(one: &std::path::Path, other: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(one).unwrap().dev() != fs::metadata(other).unwrap().dev()
}
