//! `files.write`.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
};

use abide_domain::tool::EffectClass;
use abide_tools::ToolErrorKind;
use serde_json::json;

use crate::bench::{Home, names};

#[test]
fn a_new_file_is_made_with_the_folders_on_the_way_only_where_that_is_meant() {
    let home = Home::new();
    let arguments = json!({"path": "work/a/b/c.md", "content": "hello\n"});
    let error = home.run("files.write", &arguments).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::NotFound);
    assert!(home.names("").is_empty());
    let arguments = json!({"path": "work/a/b/c.md", "content": "hello\n", "create": true});
    let written = home.run("files.write", &arguments).unwrap();
    assert_eq!(home.get("a/b/c.md"), b"hello\n");
    assert_eq!((&written["created"], &written["bytes"]), (&json!(true), &json!(6)));
    assert_eq!(written["digest"], home.digest("work/a/b/c.md"));
    let again = home.run("files.write", &arguments).unwrap();
    assert_eq!((&again["unchanged"], &again["undo"]), (&json!(true), &json!(null)));
    let tool = home.registry.get("files.write").unwrap();
    assert!(tool.idempotent(&arguments) && tool.spec().effect == EffectClass::World);
}

#[test]
fn hb_25_a_file_is_replaced_only_where_it_is_what_was_read() {
    let home = Home::new();
    home.put("a", "one\n");
    let seen = home.digest("work/a");
    let bare = json!({"path": "work/a", "content": "two\n"});
    let error = home.run("files.write", &bare).unwrap_err();
    assert!(error.message.contains("if_digest"), "{error}");
    let create = json!({"path": "work/a", "content": "two\n", "create": true});
    let error = home.run("files.write", &create).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Conflict);
    home.put("a", "somebody else's\n");
    let arguments = json!({"path": "work/a", "content": "two\n", "if_digest": seen});
    let error = home.run("files.write", &arguments).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Conflict);
    assert!(error.message.contains("somebody else's"), "{error}");
    assert!(error.message.contains(&home.digest("work/a")), "{error}");
    assert_eq!(home.get("a"), b"somebody else's\n");
    home.put("a", "one\n");
    let written = home.run("files.write", &arguments).unwrap();
    assert_eq!((&written["created"], &written["unchanged"]), (&json!(false), &json!(false)));
    assert_eq!(home.get("a"), b"two\n");
    let again = home.run("files.write", &arguments).unwrap();
    assert_eq!(again["unchanged"], true, "the file already has the content");
    fs::remove_file(home.work("a")).unwrap();
    assert_eq!(home.run("files.write", &arguments).unwrap_err().kind, ToolErrorKind::Conflict);
}

#[test]
fn hb_27_permissions_and_owner_are_kept() {
    let home = Home::new();
    for mode in [0o600, 0o640, 0o755, 0o444] {
        home.put("a", "one");
        fs::set_permissions(home.work("a"), fs::Permissions::from_mode(mode)).unwrap();
        // Only root may give a file away.
        let is_root = chown(home.work("a"), Some(1234), Some(2345)).is_ok();
        let seen = home.digest("work/a");
        let arguments = json!({"path": "work/a", "content": "two", "if_digest": seen});
        home.run("files.write", &arguments).unwrap();
        let metadata = fs::metadata(home.work("a")).unwrap();
        assert_eq!(metadata.mode() & 0o7777, mode);
        if is_root {
            assert_eq!((metadata.uid(), metadata.gid()), (1234, 2345));
        }
        fs::remove_file(home.work("a")).unwrap();
    }
}

#[test]
fn hb_27_a_file_with_two_names_is_not_written() {
    let home = Home::new();
    home.put("a", "one");
    fs::hard_link(home.work("a"), home.work("b")).unwrap();
    let seen = home.digest("work/a");
    let arguments = json!({"path": "work/a", "content": "two", "if_digest": seen});
    let error = home.run("files.write", &arguments).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Blocked);
    assert!(error.message.contains("hard links"), "{error}");
    assert_eq!((home.get("a"), home.get("b")), (b"one".to_vec(), b"one".to_vec()));
}

#[test]
fn hb_23_encoding_and_line_ends_of_the_file_are_kept_or_nothing_is() {
    let home = Home::new();
    for (old, content, new) in [
        (b"\xFF\xFEa\0\n\0".as_slice(), "bé\n", Ok(b"\xFF\xFEb\0\xE9\0\n\0".as_slice())),
        (b"gr\xFCn", "gr\u{fc}ner", Ok(b"gr\xFCner")),
        (b"gr\xFCn", "gruen", Ok(b"gruen")),
        (b"gr\xFCn", "10 €", Err("has no `€`")),
        (b"\xEF\xBB\xBFa", "b", Ok(b"\xEF\xBB\xBFb")),
        (b"a\r\nb\r\n", "a\nc\n", Ok(b"a\r\nc\r\n")),
        (b"a\r\nb\n", "a\nc\n", Ok(b"a\nc\n")),
        (b"a\0b", "text", Err("not surely text")),
        (b"a", "b\0", Err("control characters")),
    ] {
        home.put("a", old);
        let seen = home.digest("work/a");
        let arguments = json!({"path": "work/a", "content": content, "if_digest": seen});
        match (home.run("files.write", &arguments), new) {
            (Ok(_), Ok(new)) => assert_eq!(home.get("a"), new),
            (Err(error), Err(words)) => {
                assert!(error.message.contains(words), "{error}");
                assert_eq!(home.get("a"), old);
            }
            (result, expected) => panic!("{old:?}: {result:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn hb_24_a_content_that_leaves_something_out_is_refused() {
    let home = Home::new();
    let old = "fn a() {}\n".repeat(100);
    home.put("a.rs", &old);
    let seen = home.digest("work/a.rs");
    let write = |content: &str, shrink: bool| {
        let arguments =
            json!({"path": "work/a.rs", "content": content, "if_digest": seen, "shrink": shrink});
        home.run("files.write", &arguments)
    };
    let error = write("fn b() {}\n// ... rest unchanged ...\n", true).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Blocked);
    assert!(error.message.contains("rest unchanged"), "{error}");
    assert_eq!(home.get("a.rs"), old.as_bytes());
    home.put("a.rs", "line\n".repeat(31_699));
    let seen = home.digest("work/a.rs");
    let arguments = json!({"path": "work/a.rs", "content": "x\n".repeat(16), "if_digest": seen});
    let error = home.run("files.write", &arguments).unwrap_err();
    assert!(error.message.contains("16 lines and the file 31699"), "{error}");
}

#[test]
fn what_a_killed_process_left_is_gone_after_the_next_write_and_nothing_else_is() {
    let home = Home::new();
    home.put(".abide-tmp-dead", "half a fi");
    home.put(".abide-other", "not ours");
    fs::create_dir(home.work(".abide-tmp-folder")).unwrap();
    let arguments = json!({"path": "work/a", "content": "one", "create": true});
    home.run("files.write", &arguments).unwrap();
    assert_eq!(home.names(""), [".abide-other", ".abide-tmp-folder", "a"]);
    assert_eq!(names(&home.undo_folder()).len(), 1, "the note of the change");
}

#[test]
fn a_file_that_another_process_still_writes_is_left_alone() {
    let home = Home::new();
    home.put(".abide-tmp-alive", "half a fi");
    let held = fs::File::open(home.work(".abide-tmp-alive")).unwrap();
    held.lock().unwrap();
    let arguments = json!({"path": "work/a", "content": "one", "create": true});
    home.run("files.write", &arguments).unwrap();
    assert_eq!(home.names(""), [".abide-tmp-alive", "a"]);
}

#[test]
fn a_dry_run_and_a_preview_show_the_diff_and_change_nothing() {
    let home = Home::new();
    home.put("a", "one\ntwo\n");
    let seen = home.digest("work/a");
    let mut arguments = json!({"path": "work/a", "content": "one\n2\n", "if_digest": seen});
    let diff = "--- work/a\n+++ work/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_eq!(home.preview("files.write", &arguments).as_deref(), Some(diff));
    arguments["dry_run"] = json!(true);
    let shown = home.run("files.write", &arguments).unwrap();
    assert_eq!(shown, json!({"dry_run": true, "preview": diff}));
    assert_eq!(home.get("a"), b"one\ntwo\n");
    let new = json!({"path": "work/new/b", "content": "x\n", "create": true});
    assert!(home.preview("files.write", &new).unwrap().contains("--- /dev/null\n+++ work/new/b"));
    assert_eq!(home.names(""), ["a"]);
    let bad = json!({"path": "docs/b", "content": "x", "create": true});
    let error = home.try_preview("files.write", &bad).unwrap_err();
    assert_eq!(Some(error), home.run("files.write", &bad).err(), "the error of the call itself");
    assert_eq!(home.preview("files.read", &json!({"path": "work/a"})), None);
    assert!(!home.undo_folder().exists());
}

#[test]
fn without_an_undo_folder_nothing_is_changed() {
    let home = Home::new();
    fs::write(home.root().join("undo"), "a file in its place").unwrap();
    let arguments = json!({"path": "work/a", "content": "one", "create": true});
    let error = home.run("files.write", &arguments).unwrap_err();
    assert!(error.message.contains("undo folder"), "{error}");
    assert!(home.names("").is_empty());
}

#[test]
fn a_call_that_is_dropped_before_it_began_changes_nothing() {
    let home = Home::new();
    home.put("a", "one");
    home.run_dropped("files.write", &json!({"path": "work/b", "content": "x", "create": true}));
    home.run_dropped("files.remove", &json!({"path": "work/a"}));
    home.run_dropped("files.move", &json!({"from": "work/a", "to": "work/c"}));
    assert_eq!(home.names(""), ["a"]);
    assert!(!home.undo_folder().exists());
}
