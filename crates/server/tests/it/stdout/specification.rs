//! Every example and error of the specification, and of decisions 44 to 48, through `POST /stdout`: exact texts.

use abide_domain::COMMANDS;
use serde_json::json;

use super::{refusal, run, still_home};
use crate::client::Client;

/// What a command answers.
enum Says {
    /// 200 with this output.
    Output(&'static str),
    /// 422 with this message.
    Error(&'static str),
}
use Says::{Error, Output};

fn check(client: &Client, table: &[(&str, Says)]) {
    for (command, says) in table {
        match says {
            Output(output) => assert_eq!(run(client, "@alice", command), *output, "{command}"),
            Error(message) => {
                assert_eq!(refusal(client, "@alice", command), *message, "{command}");
            }
        }
    }
}

const LAST_FIVE: &str = "Last 5 stdout entries for @alice:\n  [tick 0] Initialized with config A\n  [tick 0] Processed 42 \
         messages\n  [tick 0] Entering sleep mode\n  [tick 0] Starting task X\n  [tick 0] Completed task X";

/// Basic logging, implicit write, reading history, state reconstruction, errors.
const LOGGING: &[(&str, Says)] = &[
    (r"\stdout read: ---", Output("No stdout entries for @alice yet")),
    // Basic logging, implicit write.
    (r"\stdout write: Initialized with config A ---", Output("Written at tick 0")),
    (r"\stdout write: Processed 42 messages ---", Output("Written at tick 0")),
    (r"\stdout write: Entering sleep mode ---", Output("Written at tick 0")),
    (r"\stdout Starting task X ---", Output("Written at tick 0")),
    (r"\stdout Completed task X ---", Output("Written at tick 0")),
    // Reading history, state reconstruction.
    (r"\stdout read: last 5 ---", Output(LAST_FIVE)),
    (r"\stdout read: last 10 ---", Output(LAST_FIVE)),
    (r"\stdout read: ---", Output(LAST_FIVE)),
    (r"\stdout read: last 20 ---", Output(LAST_FIVE)),
    (
        r"\stdout read: last 1 ---",
        Output("Last 1 stdout entries for @alice:\n  [tick 0] Completed task X"),
    ),
    // Errors.
    (
        r"\stdout write: ---",
        Error(r"ERROR: No content to write. Usage: \stdout write: message ---"),
    ),
    (
        r"\stdout read: yesterday ---",
        Error("ERROR: Unknown read pattern 'yesterday'. Try: last 10"),
    ),
];

/// Queries, and what needs no look at the log.
const QUERIES: &[(&str, Says)] = &[
    (r"\stdout An ERROR came from @bob. ---", Output("Written at tick 0")),
    (r"\stdout mail to x@bobby.example, terror ---", Output("Written at tick 0")),
    (
        r"\stdout query: error ---",
        Output(
            "2 stdout entries for @alice matching \"error\":\n  [tick 0] An ERROR came from @bob.\n  [tick 0] mail \
                 to x@bobby.example, terror",
        ),
    ),
    (
        r"\stdout query: @bob ---",
        Output(
            "1 stdout entries for @alice matching \"@bob\":\n  [tick 0] An ERROR came from @bob.",
        ),
    ),
    (
        r#"\stdout query: ?(tick > 42 and content contains "error") ---"#,
        Output("No stdout entries for @alice matching ?(tick > 42 and content contains \"error\")"),
    ),
    (
        r#"\stdout query: ?(tick <= 42 and content contains "error") last 1 ---"#,
        Output(
            "Newest 1 stdout entries for @alice matching ?(tick <= 42 and content contains \"error\"):\n  [tick 0] \
                 mail to x@bobby.example, terror",
        ),
    ),
    (
        r"\stdout query: ?(after tick 42) ---",
        Output("No stdout entries for @alice matching ?(tick > 42)"),
    ),
    (
        r"\stdout query: ?(between tick 10 and 20) ---",
        Output("No stdout entries for @alice matching ?(tick between 10 and 20)"),
    ),
    (
        r"\stdout query: ?(between tick 0 and 20) last 1 ---",
        Output(
            "Newest 1 stdout entries for @alice matching ?(tick between 0 and 20):\n  [tick 0] mail to \
                 x@bobby.example, terror",
        ),
    ),
    // Index-based.
    (r"\stdout budget: ---", Output("Budget of @alice today: $0.00 spent of no limit")),
    (r"\stdout last-execution: ---", Output("No execution of @alice yet")),
];

#[test]
fn every_example_and_error_of_the_specification_has_its_text() {
    let home = still_home();
    let keeper = home.up();
    check(&keeper.client, LOGGING);
    check(&keeper.client, QUERIES);
    let recent = run(&keeper.client, "@alice", r"\stdout recent: ---");
    assert!(recent.starts_with("Recent 7 stdout entries for @alice:\n"), "{recent}");
    let before = run(&keeper.client, "alice", "read: last 100");
    keeper.kill();
    let keeper = home.up();
    assert_eq!(
        run(&keeper.client, "alice", "read: last 100"),
        before,
        "what was written is durable"
    );
}

#[test]
fn commands_need_somebody_who_gives_them() {
    let home = still_home();
    let keeper = home.up();
    let client = &keeper.client;
    for body in [
        json!({"command": r"\stdout write: Test ---"}),
        json!({"as": null, "command": r"\stdout write: Test ---"}),
        json!({"as": " ", "command": r"\stdout write: Test ---"}),
    ] {
        let answer = client.post("/stdout", &body);
        assert_eq!(answer.status, 422, "{answer:?}");
        let message = answer.json()["error"]["message"].clone();
        assert_eq!(message, "ERROR: Stdout requires executor context");
    }
    for (body, part) in [
        (json!({"as": "@a b", "command": "x"}), "as must be 1 to 64"),
        (json!({"as": "@@a", "command": "x"}), "as must be 1 to 64"),
        (json!({"as": "x".repeat(65), "command": "x"}), "as must be 1 to 64"),
        (json!({"as": "@Keeper", "command": "x"}), "as which nobody can act"),
        (json!({"as": "@a"}), "command: is missing"),
        (json!({"as": "@a", "command": "x", "by": "@b"}), "by: is an unknown field"),
        (json!({"as": "@a", "command": 1}), "command: must be a text"),
    ] {
        let answer = client.post("/stdout", &body);
        assert_eq!(answer.status, 422, "{body}: {answer:?}");
        assert!(answer.text.contains(part), "{body}: {answer:?}");
    }
    let body = json!({"as": "@a", "command": "x"});
    assert_eq!(client.anonymous().post("/stdout", &body).status, 401);
    assert_eq!(client.anonymous().get("/stdout/grants").status, 401);
    assert!(!home.ledger().iter().any(|line| line["kind"] == "stdout.written"));
    assert_eq!(run(client, "@Alice", "capitals name the same"), "Written at tick 0");
    assert!(run(client, "alice", "read:").contains("capitals name the same"));
    let ledger = home.ledger();
    let written = ledger.iter().find(|line| line["kind"] == "stdout.written").unwrap();
    assert_eq!((&written["entity"], &written["author"]), (&json!("@alice"), &json!("@user")));
}

#[test]
fn the_operation_is_the_first_word_and_everything_else_is_kept_as_it_was_typed() {
    let home = still_home();
    let keeper = home.up();
    let entries = [
        ("time is 23:21", "time is 23:21"),
        ("I will rewrite it: done", "I will rewrite it: done"),
        ("readiness: high", "readiness: high"),
        ("read me first", "read me first"),
        ("write", "write"),
        ("write: read: last 5", "read: last 5"),
        (r"WRITE: a literal \--- stays", "a literal --- stays"),
        (r"C:\temp and \\ and \n", r"C:\temp and \ and \n"),
        (
            "?(tick > 5) is no condition here, nor is $(x)",
            "?(tick > 5) is no condition here, nor is $(x)",
        ),
        ("@bob and #dev and @(a, b)", "@bob and #dev and @(a, b)"),
        ("é — 漢字 🙂", "é — 漢字 🙂"),
    ];
    for (told, kept) in entries {
        assert_eq!(run(&keeper.client, "@bob", told), "Written at tick 0", "{told}");
        let read = run(&keeper.client, "@bob", "read: last 1");
        assert_eq!(read, format!("Last 1 stdout entries for @bob:\n  [tick 0] {kept}"), "{told}");
    }
    let lines = "two\nlines\n  [tick 9] and no third entry";
    run(&keeper.client, "@bob", lines);
    let read = run(&keeper.client, "@bob", "read: last 1");
    assert_eq!(
        read,
        "Last 1 stdout entries for @bob:\n  [tick 0] two\n    lines\n      [tick 9] and no third entry"
    );
    for read in ["read", "READ: Last 2", "Read:last 2", r"\STDOUT read: last   2"] {
        let output = run(&keeper.client, "@bob", read);
        assert!(output.starts_with("Last "), "{read}: {output}");
    }
    let help = run(&keeper.client, "@bob", "help");
    assert_eq!(help, run(&keeper.client, "@bob", r"\help stdout ---"));
}

#[test]
fn mistakes_say_what_is_wrong_and_where() {
    let home = still_home();
    let keeper = home.up();
    for pattern in ["last 0", "last -1", "last ten", "last", "10", "first 3", "last 1 2"] {
        assert_eq!(
            refusal(&keeper.client, "@a", &format!("read: {pattern}")),
            format!("ERROR: Unknown read pattern '{pattern}'. Try: last 10")
        );
    }
    for (command, parts) in [
        (r"\dance ---", &["ERROR: Unknown command 'dance'. Try: \\help ---"][..]),
        ("query:", &["ERROR: Nothing to look for"]),
        ("query: ?(tikc > 5)", &["tikc", "^"]),
        ("query: ?(tick > 5", &["ERROR", "^"]),
        ("query: ?(from(@bob))", &["from waits for something to happen", "^"]),
        ("query: ?(tick > \"x\")", &["ERROR"]),
        ("query: ?(tick > 5) first 3", &["Unknown text 'first 3' after the condition"]),
        ("between: 5", &["Unknown between pattern '5'. Try: 10 20"]),
        ("between: 20 10", &["Unknown between pattern '20 10'"]),
        (
            "read: @bob last 5",
            &["@a may not read the stdout of @bob", "abide stdout grant @a @bob"],
        ),
        (r"\wake ?(sleep(1m)) x ---", &["@a is no agent here: only agents can be woken"]),
        (r"\say @nobody hi ---", &["Nobody here is called @nobody. Agents: @felix"]),
        (r"\say #lab hi ---", &["There is no space #lab"]),
        (r"\spawn @kid ---", &["@a is no agent here"]),
        (r"\revoke @bob ---", &["there is no grant"]),
        ("", &["ERROR: No content to write"]),
    ] {
        let message = refusal(&keeper.client, "@a", command);
        for part in parts {
            assert!(message.contains(part), "{command}: {message}");
        }
        assert!(message.starts_with("ERROR: "), "{command}: {message}");
    }
    let long = refusal(&keeper.client, "@a", &"x".repeat(10_001));
    assert_eq!(long, "ERROR: The input has 10001 characters; at most 10000");
    let most = "é".repeat(10_000 - r"\stdout ".len());
    assert_eq!(run(&keeper.client, "@a", &format!(r"\stdout {most}")), "Written at tick 0");
    assert!(run(&keeper.client, "@a", "read: last 1").ends_with(&most));
}

#[test]
fn every_command_that_is_named_anywhere_is_known() {
    let home = still_home();
    let keeper = home.up();
    let help = run(&keeper.client, "@a", r"\help ---");
    for command in COMMANDS {
        let body = json!({"as": "@a", "command": format!("\\{command} ---")});
        let answer = keeper.client.post("/stdout", &body);
        assert!(!answer.text.contains("Unknown command"), "{command}: {answer:?}");
        assert!(command == "help" || help.contains(&format!("\\{command}")), "{command}");
    }
}

#[test]
fn several_commands_are_carried_out_in_order_up_to_the_first_mistake_and_what_came_before_stands() {
    let home = still_home();
    let keeper = home.up();
    let output = run(
        &keeper.client,
        "@a",
        r"\stdout one --- \stdout write: two --- \stdout read: last 2 ---",
    );
    assert_eq!(
        output,
        "Written at tick 0\nWritten at tick 0\nLast 2 stdout entries for @a:\n  [tick 0] one\n  [tick 0] two"
    );
    let commands = r"\stdout three --- \grant @b --- \stdout write: --- \stdout four ---";
    let message = refusal(&keeper.client, "@a", commands);
    assert_eq!(
        message,
        "Written at tick 0\n@b may read the stdout of @a\nERROR: No content to write. Usage: \\stdout write: message ---"
    );
    let read = run(&keeper.client, "@b", "read: @a last 1");
    assert_eq!(read, "Last 1 stdout entries for @a:\n  [tick 0] three", "the grant stands too");
    let unreadable = refusal(&keeper.client, "@a", r"\stdout five --- \stdout $(\stdout six");
    assert!(unreadable.starts_with("ERROR: "), "{unreadable}");
}

#[test]
fn the_last_execution_and_the_budget_are_those_of_the_agent() {
    let home = crate::home::Home::new(&format!("{}[budget]\nusd_day = 1.5\n", super::STILL));
    let keeper = home.up();
    let epoch = keeper.client.say("remember that the heron is grey");
    let last = run(&keeper.client, "@felix", r"\stdout last-execution: ---");
    let id = epoch["epoch_id"].as_str().unwrap();
    assert_eq!(
        last,
        format!(
            "Last execution of @felix: [tick 0] {id} committed: I will remember: the heron is grey"
        )
    );
    let budget = run(&keeper.client, "@felix", r"\stdout budget: ---");
    assert_eq!(budget, "Budget of @felix today: $0.00 spent of $1.50");
}
