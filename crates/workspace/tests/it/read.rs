//! `files.read`.

use abide_tools::ToolErrorKind;
use abide_workspace::READ_BYTES_DEFAULT;
use serde_json::json;

use crate::bench::Home;

#[test]
fn a_text_is_read_with_what_it_is_as_a_whole() {
    let home = Home::new();
    home.put("a.txt", "one\r\ntwo\r\nthree");
    let read = home.run("files.read", &json!({"path": "work/a.txt"})).unwrap();
    let digest = read["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 16);
    assert_eq!(
        read,
        json!({
            "path": "work/a.txt", "kind": "text", "encoding": "UTF-8", "line_ends": "crlf",
            "ends_with_newline": false, "lines": 3, "bytes": 15, "digest": digest,
            "from": 1, "to": 3, "content": "one\ntwo\nthree"
        })
    );
    let part = home.run("files.read", &json!({"path": "work/a.txt", "from": 2, "to": 2})).unwrap();
    assert_eq!(
        (&part["content"], &part["to"], part.get("next")),
        (&json!("two\n"), &json!(2), None)
    );
    assert_eq!(part["digest"], read["digest"], "of the whole");
    let head = home.run("files.read", &json!({"path": "work/a.txt", "head": 1})).unwrap();
    assert_eq!(head["content"], "one\n");
    let beyond = home.run("files.read", &json!({"path": "work/a.txt", "from": 9})).unwrap();
    assert_eq!((&beyond["content"], &beyond["note"]), (&json!(""), &json!("the file has 3 lines")));
    home.put("empty", "");
    let empty = home.run("files.read", &json!({"path": "work/empty"})).unwrap();
    assert_eq!((&empty["lines"], &empty["line_ends"]), (&json!(0), &json!("none")));
}

#[test]
fn what_is_read_is_bounded_and_says_where_it_goes_on() {
    let home = Home::new();
    home.put("long", "0123456789\n".repeat(100_000));
    let read = home.run("files.read", &json!({"path": "work/long"})).unwrap();
    let content = read["content"].as_str().unwrap();
    assert!(content.len() <= READ_BYTES_DEFAULT && content.ends_with("9\n"));
    let next = read["next"].as_u64().unwrap();
    assert_eq!(content.lines().count() as u64, next - 1);
    home.put("wide", "é".repeat(1_000));
    let read = home.run("files.read", &json!({"path": "work/wide", "bytes": 101})).unwrap();
    assert_eq!(read["content"].as_str().unwrap(), "é".repeat(50));
    assert_eq!(read["note"], "line 1 is longer than is shown");
}

#[test]
fn a_file_that_is_too_large_is_read_at_its_beginning_and_never_written() {
    let home = Home::new();
    home.put("huge", "0123456789é\n".repeat(1_400_000));
    let read = home.run("files.read", &json!({"path": "work/huge", "head": 1})).unwrap();
    assert_eq!(read["content"], "0123456789é\n");
    assert_eq!((&read["digest"], &read["lines"]), (&json!(null), &json!(null)));
    assert_eq!(read["bytes"], 13 * 1_400_000);
    let edits = json!([{"old": "0", "new": "1", "all": true}]);
    let error = home.run("files.edit", &json!({"path": "work/huge", "edits": edits})).unwrap_err();
    assert!(error.message.contains("more than 16777216 bytes"), "{error}");
}

#[test]
fn what_is_not_text_is_told_and_not_shown() {
    let home = Home::new();
    home.put("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let read = home.run("files.read", &json!({"path": "work/image"})).unwrap();
    assert_eq!((&read["kind"], &read["bytes"]), (&json!("binary"), &json!(16)));
    assert!(read.get("content").is_none());
    for (bytes, encoding, content) in [
        (b"\xFF\xFEh\0i\0".as_slice(), "UTF-16 little-endian with BOM", "hi"),
        (b"gr\xFCn", "Latin-1", "grün"),
        (b"\xEF\xBB\xBFhi", "UTF-8 with BOM", "hi"),
    ] {
        home.put("text", bytes);
        let read = home.run("files.read", &json!({"path": "work/text"})).unwrap();
        assert_eq!((&read["encoding"], &read["content"]), (&json!(encoding), &json!(content)));
    }
}

#[test]
fn what_cannot_be_read_is_said_with_what_could() {
    let home = Home::new();
    for (path, kind, words) in [
        ("work/missing", ToolErrorKind::NotFound, "there is nothing"),
        ("elsewhere/a", ToolErrorKind::NotFound, "`work/`, `docs/`"),
        ("work", ToolErrorKind::Blocked, "is a folder, not a file"),
    ] {
        let error = home.run("files.read", &json!({"path": path})).unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn each_agent_has_its_own_folder() {
    let home = Home::new();
    home.put("mine", "felix's");
    assert!(home.run("files.read", &json!({"path": "work/mine"})).is_ok());
    let error = home.run_as("ada", "files.read", &json!({"path": "work/mine"})).unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::NotFound);
}
