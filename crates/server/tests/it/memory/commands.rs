//! `abide memory`, every command once for good and for bad input.

use std::process::Output;

use serde_json::Value;

use super::routes::SEED;
use crate::home::Home;

fn data(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(home: &Home, arguments: &[&str]) -> Value {
    let arguments = ["memory", "--json"].iter().chain(arguments);
    serde_json::from_str(&data(&home.run(arguments))).unwrap()
}

#[test]
fn facts_are_remembered_listed_searched_and_forgotten_at_the_command_line() {
    let home = Home::new("");
    let keeper = home.up();
    let memory = |arguments: &[&str]| home.run(["memory"].iter().chain(arguments));
    assert!(words(&memory(&["facts"])).contains("no facts"));
    let id = data(&memory(&[
        "facts",
        "remember",
        "the office is in Lyon",
        "--category",
        "project",
        "--tag",
        "office",
    ]));
    let id = id.trim();
    assert!(data(&memory(&["facts"])).contains("the office is in Lyon"));
    assert!(data(&memory(&["facts", "--query", "office", "--agent", "felix"])).contains(id));
    let newer =
        data(&memory(&["facts", "remember", "the office is in Nantes", "--supersedes", id]));
    assert!(!data(&memory(&["facts"])).contains("Lyon"));
    assert!(data(&memory(&["facts", "--history"])).contains("Lyon"));
    let found = json(&home, &["search", "where is the office?"]);
    assert_eq!(found["facts"]["items"][0]["content"], "the office is in Nantes");
    assert!(data(&memory(&["search", "office"])).contains("Nantes"));
    let forgotten = memory(&["facts", "forget", newer.trim(), "--reason", "moved"]);
    assert!(words(&forgotten).contains("removed"), "{forgotten:?}");
    assert_eq!(memory(&["facts", "forget", newer.trim()]).status.code(), Some(1));
    assert_eq!(memory(&["facts", "remember", ""]).status.code(), Some(1));
    assert_eq!(memory(&["facts", "--agent", "nobody"]).status.code(), Some(1));
    assert_eq!(memory(&["facts", "dance"]).status.code(), Some(2));
    keeper.kill();
    assert_eq!(memory(&["facts"]).status.code(), Some(3));
}

#[test]
fn the_graph_is_seeded_shown_edited_and_exported_at_the_command_line() {
    let home = Home::new("");
    let keeper = home.up();
    let memory = |arguments: &[&str]| home.run(["memory"].iter().chain(arguments));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seed.jsonl");
    std::fs::write(&file, SEED).unwrap();
    let file = file.to_str().unwrap();
    assert!(words(&memory(&["graph", "seed", file])).contains("11 nodes and 3 edges"));
    assert!(data(&memory(&["graph"])).contains("race condition"));
    assert!(data(&memory(&["graph", "ls", "--type", "Person"])).contains("nicolas"));
    assert!(data(&memory(&["graph", "ls", "--edges"])).contains("DEPENDS_ON"));
    let node = data(&memory(&["graph", "show", "demo"]));
    assert_eq!(serde_json::from_str::<Value>(&node).unwrap()["current"]["severity"], "critical");
    let put = memory(&["graph", "put", r#"{"node_id":"marco","type":"Person","name":"Marco"}"#]);
    assert!(words(&put).contains("1 node "), "{put:?}");
    assert!(memory(&["graph", "link", "talk", "WITH_PERSON", "marco"]).status.success());
    assert!(memory(&["graph", "unlink", "talk", "WITH_PERSON", "marco"]).status.success());
    assert!(memory(&["graph", "close", "marco", "--reason", "left"]).status.success());
    let lines = data(&memory(&["graph", "export"]));
    assert_eq!(lines.lines().count(), 14);
    let copy = folder.path().join("export.jsonl");
    let copy = copy.to_str().unwrap();
    assert!(memory(&["graph", "export", copy]).status.success());
    assert_eq!(std::fs::read_to_string(copy).unwrap(), lines);
    assert_eq!(memory(&["graph", "export", copy]).status.code(), Some(1), "it is there already");
    assert!(words(&memory(&["graph", "seed", copy])).contains("14 already recorded"));
    let query = memory(&["query", "query_active_constraints"]);
    assert_eq!(serde_json::from_str::<Value>(&data(&query)).unwrap()["status"], "found");
    for (arguments, code) in [
        (&["graph", "show", "nothing"][..], 1),
        (&["graph", "close", "marco"], 1),
        (&["graph", "unlink", "talk", "WITH_PERSON", "marco"], 1),
        (&["graph", "link", "talk", "EATS", "marco"], 1),
        (&["graph", "put", "{"], 2),
        (&["graph", "put", "{}"], 1),
        (&["graph", "seed", "no-such-file"], 1),
        (&["query", "query_secrets"], 1),
        (&["query", "query_partnerships", "x"], 2),
    ] {
        let output = memory(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
    std::fs::write(
        copy,
        "{\"node_id\":\"x\",\"type\":\"Person\",\"name\":\"X\"}\n{\"node_id\":\"y\"}\n",
    )
    .unwrap();
    let refused = memory(&["graph", "seed", copy]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(words(&refused).contains("line 2/type"), "{refused:?}");
    assert_eq!(memory(&["graph", "show", "x"]).status.code(), Some(1), "nothing of it was taken");
    drop(keeper);
}

#[test]
fn the_identity_is_shown_edited_compared_and_restored_at_the_command_line() {
    let home = Home::new("");
    let keeper = home.up();
    let memory = |arguments: &[&str]| home.run(["memory"].iter().chain(arguments));
    let first = data(&memory(&["identity"]));
    assert!(first.contains("Felix"));
    let file = home.path().join("new.md");
    std::fs::write(&file, format!("# Felix\n\n{}", "I keep watch over it. ".repeat(4))).unwrap();
    let set = memory(&["identity", "set", file.to_str().unwrap()]);
    assert!(words(&set).contains("version 2 is in force"), "{set:?}");
    assert!(data(&memory(&["identity", "diff", "1"])).contains("I keep watch"));
    let restored = memory(&["identity", "restore", "1"]);
    assert!(words(&restored).contains("version 3"), "{restored:?}");
    assert_eq!(data(&memory(&["identity", "show", "--version", "1"])), first);
    assert_eq!(data(&memory(&["identity", "versions"])).lines().count(), 4);

    let edit = |editor: &str| {
        home.command(["memory", "identity", "edit"])
            .env("EDITOR", editor)
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap()
    };
    let edited = edit("sh -c 'echo \"I also like herons.\" >> \"$1\"' sh");
    assert!(words(&edited).contains("version 4 is in force"), "{edited:?}");
    assert!(data(&memory(&["identity"])).contains("herons"));
    assert!(words(&edit("true")).contains("the text is unchanged"));
    assert_eq!(edit("false").status.code(), Some(1));
    let refused = edit("sh -c 'echo short > \"$1\"' sh");
    assert_eq!(refused.status.code(), Some(1));
    let kept = home.path().join("identity-edit-agent.md");
    assert!(words(&refused).contains("identity-edit-agent.md"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "short\n", "what was typed is not lost");
    assert_eq!(memory(&["identity", "edit"]).status.code(), Some(2), "no editor is named");
    assert_eq!(memory(&["identity", "restore", "9"]).status.code(), Some(1));
    assert_eq!(memory(&["identity", "diff", "9"]).status.code(), Some(1));
    assert!(words(&memory(&["identity", "review"])).contains("no identity waits"));
    assert_eq!(memory(&["identity", "review", "--approve"]).status.code(), Some(1));
    assert_eq!(memory(&["identity", "review", "--approve", "--deny"]).status.code(), Some(2));
    assert_eq!(memory(&["identity", "--agent", "../x", "edit"]).status.code(), Some(1));
    drop(keeper);
}

#[test]
fn dreams_are_listed_and_names_are_matched_against_the_list() {
    let home = Home::new("");
    let keeper = home.up();
    let memory = |arguments: &[&str]| home.run(["memory"].iter().chain(arguments));
    assert!(words(&memory(&["dreams"])).contains("no dreams"));
    assert_eq!(json(&home, &["dreams", "ls"])["items"], serde_json::json!([]));
    for name in ["x.md", "../../token", "..%2F..%2Ftoken"] {
        assert_eq!(memory(&["dreams", "show", name]).status.code(), Some(1), "{name}");
        assert_eq!(memory(&["dreams", "forget", name]).status.code(), Some(1), "{name}");
    }
    drop(keeper);
}
