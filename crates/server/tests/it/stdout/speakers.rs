//! The ways in beside HTTP: the command line, a chat, a mind without a model.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use serde_json::{Value, json};

use super::{run, still_home};
use crate::home::{Home, Keeper};

fn data(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_command_line_prints_the_output_alone_and_a_mistake_on_stderr() {
    let home = still_home();
    let _keeper = home.up();
    let written = home.run(["stdout", "--as", "@alice", r"\stdout write: a note ---"]);
    assert!(written.status.success() && written.stderr.is_empty(), "{written:?}");
    assert_eq!(data(&written), "Written at tick 0\n");
    let read = home.run(["stdout", "--as", "alice", "read: last 5"]);
    assert_eq!(data(&read), "Last 1 stdout entries for @alice:\n  [tick 0] a note\n");
    let read = home.run(["stdout", "--as", "@alice", "read: last 5", "--json"]);
    let read: Value = serde_json::from_str(&data(&read)).unwrap();
    assert_eq!(read, json!({"output": "Last 1 stdout entries for @alice:\n  [tick 0] a note"}));
    let mine = home.run(["stdout", "a note of the person"]);
    assert_eq!(data(&mine), "Written at tick 0\n");
    let mine = home.run(["stdout", "--as", "@user", "read"]);
    assert!(data(&mine).contains("a note of the person"), "{mine:?}");
    let wrong = home.run(["stdout", "--as", "@alice", r"\stdout write: ---"]);
    assert_eq!((wrong.status.code(), data(&wrong).as_str()), (Some(1), ""));
    assert_eq!(
        words(&wrong),
        "abide: ERROR: No content to write. Usage: \\stdout write: message ---\n"
    );
    let help = home.run(["stdout", "help"]);
    assert!(data(&help).contains(r"\stdout last-execution: ---"), "{help:?}");
}

#[test]
fn without_a_keeper_it_exits_3_and_a_mistake_of_usage_2() {
    let home = still_home();
    for arguments in [
        &["stdout", "read:"][..],
        &["stdout", "grant", "@a", "@b"],
        &["stdout", "revoke", "@a", "@b"],
        &["stdout", "grants"],
    ] {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {output:?}");
        assert!(words(&output).contains("abide up"), "{arguments:?}");
    }
    for arguments in
        [&["stdout"][..], &["stdout", "read:", "last", "5"], &["stdout", "grant", "@a"]]
    {
        assert_eq!(home.run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let help = home.run(["stdout", "--help"]);
    assert!(data(&help).contains("they run as @user"), "{help:?}");
}

/// Types lines into a chat, and gives what it printed.
fn chat(home: &Home, arguments: &[&str], lines: &str) -> Output {
    let mut chat = home
        .command(["chat"].iter().chain(arguments))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chat.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    drop(stdin);
    let output = chat.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn a_chat_carries_commands_out_as_the_person_and_sends_everything_else() {
    let home = still_home();
    let keeper = home.up();
    let lines = "\\stdout write: from the chat ---\n\\stdout read: last 1\n\\stdout write: ---\n\\say @felix hi \
                 there\n\\tool clock.now {}\n\\\\stdout read: last 1\n";
    let output = chat(&home, &["--sender", "nicolas"], lines);
    let printed = data(&output);
    let expected = "Written at tick 0\nLast 1 stdout entries for @nicolas:\n  [tick 0] from the chat\nSaid to @felix\n";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(words(&output).contains("ERROR: No content to write"), "{output:?}");
    assert!(printed.contains("clock.now: "), "a mind's own command goes to the mind: {printed}");
    // Two backslashes say one: the message is the mind's, which carries it out as itself.
    assert!(printed.contains("No stdout entries for @felix yet"), "{printed}");
    let said = run(&keeper.client, "@nicolas", r"\read ---");
    assert_eq!(said, "Last 1 messages for @nicolas:\n  [tick 0] @nicolas to @felix: hi there");
    let stimuli: Vec<Value> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "stimulus.accepted")
        .map(|line| line["data"]["content"].clone())
        .collect();
    assert_eq!(stimuli, ["hi there", r"\tool clock.now {}", r"\stdout read: last 1"]);
}

fn reply(keeper: &Keeper, message: &str) -> String {
    let epoch = keeper.client.say(message);
    assert_eq!(epoch["state"], "committed", "{epoch}");
    epoch["final_response"].as_str().unwrap().to_owned()
}

#[test]
fn a_mind_without_a_model_carries_commands_out_and_answers_with_their_output() {
    let home =
        Home::new(&format!("{}[[agent]]\nid = \"ada\"\n[[agent]]\nid = \"bob\"\n", super::STILL));
    let keeper = home.up();
    let say = |citizen: &str, message: &str| {
        let body = json!({"message": message, "citizen": citizen});
        let answer = keeper.client.post("/start-epoch?wait=1", &body);
        answer.json()["final_response"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(say("ada", r"\stdout write: I think therefore I log ---"), "Written at tick 0");
    assert_eq!(
        say("ada", r"\stdout read: last 5 ---"),
        "Last 1 stdout entries for @ada:\n  [tick 0] I think therefore I log"
    );
    assert_eq!(
        say("ada", r"\stdout write: ---"),
        r"ERROR: No content to write. Usage: \stdout write: message ---"
    );
    assert!(say("ada", r"\help ---").starts_with("Commands, each ended by ---"));
    let mut events = keeper.client.events("/events?citizen=bob&kinds=epoch.committed", &[]);
    let trap = r"\stdout write: bob was here \---";
    assert_eq!(say("ada", &format!(r"\say @bob {trap} ---")), "Said to @bob");
    let committed = events.next().unwrap();
    let id = committed.data["epoch"].as_str().unwrap();
    let epoch = keeper.client.read(&format!("/epochs/{id}"));
    assert_eq!(epoch["stimulus"]["content"], r"\stdout write: bob was here ---");
    assert_eq!(epoch["stimulus"]["channel"], "system");
    assert!(epoch["final_response"].as_str().unwrap().contains("as information"), "{epoch}");
    assert_eq!(run(&keeper.client, "@bob", "read:"), "No stdout entries for @bob yet");
}

#[test]
fn a_tool_that_is_not_allowed_is_no_way_in() {
    let home = Home::new(&format!("{}[tools]\nallow = [\"clock.*\"]\n", super::STILL));
    let keeper = home.up();
    let said = reply(&keeper, r"\stdout write: x ---");
    assert_eq!(said, "I cannot do that here: the tool `stdout` is not allowed.");
    assert_eq!(run(&keeper.client, "@felix", "read:"), "No stdout entries for @felix yet");
}
