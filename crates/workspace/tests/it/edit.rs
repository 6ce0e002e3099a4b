//! `files.edit`.

use abide_tools::ToolErrorKind;
use serde_json::{Value, json};

use crate::bench::Home;

fn edit(old: &str, new: &str) -> Value {
    json!([{"old": old, "new": new}])
}

#[test]
fn hb_22_an_edit_changes_its_place_and_no_other_byte() {
    let home = Home::new();
    for (old, edits, new) in [
        (b"a\r\nb\nc".as_slice(), edit("b", "x"), b"a\r\nx\nc".as_slice()),
        (b"a\r\nb\r\nc", edit("a\nb", "1\n2\n3"), b"1\r\n2\r\n3\r\nc"),
        (b"gr\xFCn\r\n", edit("gr\u{fc}n", "gr\u{fc}ner"), b"gr\xFCner\r\n"),
        (b"\xFF\xFEa\0\r\0\n\0b\0", edit("a\nb", "c"), b"\xFF\xFEc\0"),
        (b"\xEF\xBB\xBFa", edit("a", "b"), b"\xEF\xBB\xBFb"),
        (b"a\n", json!([{"old": "a", "new": "b"}, {"old": "b\n", "new": "c"}]), b"c"),
        (b"a a", json!([{"old": "a", "new": "b", "all": true}]), b"b b"),
    ] {
        home.put("a", old);
        let edited = home.run("files.edit", &json!({"path": "work/a", "edits": edits})).unwrap();
        assert_eq!(home.get("a"), new, "{old:?}");
        assert_eq!(edited["digest"], home.digest("work/a"));
        assert!(edited["diff"].as_str().unwrap().starts_with("--- work/a\n"));
    }
}

#[test]
fn hb_21_an_edit_that_does_not_fit_exactly_changes_nothing() {
    let home = Home::new();
    let text = "if a {\n    go();\n}\nif b {\n\tgo();\n}\n";
    home.put("a", text);
    for (edits, kind, words) in [
        (edit("go();", "x"), ToolErrorKind::Ambiguous, "lines 2, 5"),
        (edit("{\n  go();\n}", "x"), ToolErrorKind::NotFound, "line 2:     go(); (white space"),
        (
            json!([{"old": "if a", "new": "if c"}, {"old": "if a", "new": "if d"}]),
            ToolErrorKind::NotFound,
            "edit 2: ",
        ),
    ] {
        let arguments = json!({"path": "work/a", "edits": edits});
        let error = home.run("files.edit", &arguments).unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(words), "{error}");
        assert_eq!(home.get("a"), text.as_bytes());
        assert_eq!(home.try_preview("files.edit", &arguments), Err(error));
    }
    assert!(!home.undo_folder().exists());
}

#[test]
fn an_edit_of_a_file_that_changed_since_it_was_read_is_a_conflict_where_that_is_asked() {
    let home = Home::new();
    home.put("a", "one");
    let seen = home.digest("work/a");
    home.put("a", "one and more");
    let arguments = json!({"path": "work/a", "edits": edit("one", "two"), "if_digest": seen});
    assert_eq!(home.run("files.edit", &arguments).unwrap_err().kind, ToolErrorKind::Conflict);
    let tool = home.registry.get("files.edit").unwrap();
    assert!(!tool.idempotent(&arguments));
    assert!(tool.idempotent(&json!({"path": "work/a", "edits": [], "dry_run": true})));
}

#[test]
fn hb_23_what_is_not_text_is_not_edited() {
    let home = Home::new();
    for bytes in [b"a\0b".as_slice(), b"gr\xFCn gr\xC3\xBCn", b"say \x93hi\x94", b"\xFF\xFEa"] {
        home.put("a", bytes);
        let arguments = json!({"path": "work/a", "edits": edit("a", "b")});
        let error = home.run("files.edit", &arguments).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Blocked, "{error}");
        assert_eq!(home.get("a"), bytes);
    }
}
