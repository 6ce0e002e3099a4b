//! The files of `memory/stdout`: in the form of the specification, made again from the ledger, and not the worse for one
//! bad line.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{run, still_home};
use crate::home::Home;

fn file(home: &Home, entity: &str) -> PathBuf {
    home.path().join("memory").join("stdout").join(format!("{entity}.jsonl"))
}

#[test]
fn an_entity_s_file_has_exactly_the_form_of_the_specification() {
    let home = still_home();
    let keeper = home.up();
    run(&keeper.client, "@alice", "Your message");
    run(&keeper.client, "@alice", "with \"quotes\",\na second line and é");
    let text = fs::read_to_string(file(&home, "@alice")).unwrap();
    let ledger = home.ledger();
    let written: Vec<&Value> =
        ledger.iter().filter(|line| line["kind"] == "stdout.written").collect();
    let lines: Vec<String> = written
        .iter()
        .map(|line| {
            let (content, at) = (&line["data"]["content"], line["timestamp"].as_str().unwrap());
            assert!(at.ends_with('Z') && at.len() == "2025-12-06T17:33:23.651621Z".len(), "{at}");
            format!("{{\"tick\":0,\"entity\":\"@alice\",\"content\":{content},\"timestamp\":\"{at}\"}}\n")
        })
        .collect();
    assert_eq!(text, lines.concat());
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_file_that_is_gone_is_made_again_and_an_agent_s_own_entries_stand_in_it_too() {
    let home = still_home();
    let keeper = home.up();
    let epoch = keeper.client.say(r"\stdout write: noted by a mind --- \stdout and once more ---");
    assert_eq!(epoch["final_response"], "Written at tick 0\nWritten at tick 0");
    run(&keeper.client, "@felix", "noted by a person");
    run(&keeper.client, "@alice", "somebody else's");
    let read = run(&keeper.client, "@felix", "read:");
    let text = fs::read_to_string(file(&home, "@felix")).unwrap();
    assert_eq!(text.lines().count(), 3);
    keeper.kill();
    home.forget_projections();
    assert!(!file(&home, "@felix").exists());
    let keeper = home.up();
    assert_eq!(run(&keeper.client, "@felix", "read:"), read);
    assert_eq!(fs::read_to_string(file(&home, "@felix")).unwrap(), text, "byte for byte");
    assert_eq!(fs::read_to_string(file(&home, "@alice")).unwrap().lines().count(), 1);
    run(&keeper.client, "@felix", "and on");
    keeper.kill();
    let keeper = home.up();
    let more = fs::read_to_string(file(&home, "@felix")).unwrap();
    assert!(more.starts_with(&text) && more.lines().count() == 4, "nothing twice: {more}");
    drop(keeper);
}

#[test]
fn a_corrupt_line_in_the_middle_hurts_itself_alone_and_every_read_says_so() {
    let home = still_home();
    let keeper = home.up();
    for n in 1..=5 {
        run(&keeper.client, "@alice", &format!("entry {n}"));
    }
    assert_eq!(keeper.stop(), Some(0));
    let text = fs::read_to_string(file(&home, "@alice")).unwrap();
    let at = text.find("entry 3").unwrap();
    let start = text[..at].rfind('\n').unwrap() + 1;
    let mut bytes = text.into_bytes();
    bytes[start] = b'#';
    fs::write(file(&home, "@alice"), bytes).unwrap();
    let keeper = home.up();
    let said = format!("(1 line of the log cannot be read: byte {start}: it is not an entry");
    for read in ["read: last 10", "recent:", "query: entry", "query: ?(tick >= 0)", "between: 0 9"]
    {
        let output = run(&keeper.client, "@alice", read);
        let entries: Vec<_> = output.lines().filter(|line| line.starts_with("  [tick")).collect();
        let left: Vec<String> = [1, 2, 4, 5].map(|n| format!("  [tick 0] entry {n}")).into();
        assert_eq!(entries, left, "{read}");
        assert!(output.lines().last().unwrap().starts_with(&said), "{read}: {output}");
    }
    run(&keeper.client, "@alice", "entry 6");
    assert!(run(&keeper.client, "@alice", "read: last 1").contains("entry 6"));
    assert_eq!(keeper.stop(), Some(0));
    let verified = home.run(["ledger", "verify"]);
    assert!(verified.status.success(), "the truth is whole: {verified:?}");
    fs::remove_file(file(&home, "@alice")).unwrap();
    let keeper = home.up();
    let output = run(&keeper.client, "@alice", "read: last 10");
    assert!(output.contains("entry 3") && !output.contains("cannot be read"), "{output}");
}

#[test]
fn a_line_that_another_program_adds_and_a_file_that_it_removes_change_no_answer() {
    let home = still_home();
    let mut keeper = home.up();
    for n in 1..=3 {
        run(&keeper.client, "@alice", &format!("entry {n}"));
    }
    let read = run(&keeper.client, "@alice", "read:");
    let theirs = "{\"tick\":42,\"entity\":\"@alice\",\"content\":\"theirs\",\"timestamp\":\"2025-12-06T17:33:23.651621Z\"}\n";
    for round in 0..3 {
        let mut text = fs::read_to_string(file(&home, "@alice")).unwrap();
        text.push_str(theirs);
        fs::write(file(&home, "@alice"), text).unwrap();
        if round == 1 {
            assert_eq!(keeper.stop(), Some(0));
            keeper = home.up();
        }
        assert_eq!(run(&keeper.client, "@alice", "read:"), read);
        assert_eq!(run(&keeper.client, "@alice", "query: entry").lines().count(), 4);
        fs::remove_file(file(&home, "@alice")).unwrap();
        assert_eq!(run(&keeper.client, "@alice", "read:"), read);
        let whole = fs::read_to_string(file(&home, "@alice")).unwrap();
        assert_eq!(whole.lines().count(), 3);
        // As an editor saves: another file, as long as before, and one that is cut.
        for edited in [whole.replace("entry 2", "entry 9"), whole[..whole.len() / 2].to_owned()] {
            let beside = home.path().join("edited");
            fs::write(&beside, edited).unwrap();
            fs::rename(&beside, file(&home, "@alice")).unwrap();
            let found = run(&keeper.client, "@alice", "query: ?(tick >= 0)");
            assert!(found.contains("entry 2") && found.lines().count() == 4, "{found}");
            assert_eq!(fs::read_to_string(file(&home, "@alice")).unwrap(), whole);
        }
    }
    fs::remove_file(file(&home, "@alice")).unwrap();
    run(&keeper.client, "@alice", "entry 4");
    assert_eq!(fs::read_to_string(file(&home, "@alice")).unwrap().lines().count(), 4);
    assert_eq!(keeper.stop(), Some(0));
}
