//! BC-36: what a mind may see and nobody needs to keep costs the disk nothing in the end.

use std::fs;

use abide_testkit::{ModelServer, Reply, ReplyHold, SeenRequest};
use serde_json::{Value, json};

use super::scene::{assert_verified, of_kind, rounds_of_a_long_run, thinking_with};
use crate::home::{Home, Keeper};

/// Epochs in `make soak`.
const EPOCHS: u32 = 10_000;
/// Epochs at least: enough to see a slope.
const EPOCHS_MIN: u32 = 50;
const PAYLOAD_BYTES: u64 = 1024 * 1024;
/// A line of what `probe.blob` gives.
const PATTERN: &str = "abide probe payload";
/// Ledger bytes of one such epoch, at most.
const EPOCH_BYTES_MAX: usize = 4096;

fn home_for(server: &ModelServer) -> Home {
    let folder = "probe-file-is-not-used";
    Home::new(&format!(
        "{}[tools]\nallow = [\"probe.*\"]\n[test]\nprobe_file = {folder:?}\n",
        thinking_with(server, &["ada"])
    ))
}

/// Asks for a payload and is content with it.
fn work(request: &SeenRequest) -> Reply {
    if request.finished_calls().is_some() {
        return Reply::text("I have seen it.");
    }
    let arguments = json!({"bytes": PAYLOAD_BYTES, "ethereal": true});
    Reply::calls([(request.spelling("probe.blob"), arguments)])
}

/// Bytes that a process has handed to the system to write, and that went to the disk.
fn written(keeper: &Keeper) -> (u64, u64) {
    let text = fs::read_to_string(format!("/proc/{}/io", keeper.pid())).unwrap();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_once(": ").unwrap().1.parse().unwrap()
    };
    (field("wchar:"), field("write_bytes:"))
}

fn blobs(home: &Home) -> usize {
    fs::read_dir(home.path().join("blobs")).map_or(0, Iterator::count)
}

/// Ledger bytes of each epoch, in order.
fn sizes(home: &Home) -> Vec<usize> {
    let mut sizes: Vec<(String, usize)> = Vec::new();
    let output = home.run(["ledger", "query"]);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let Some(epoch) = event["epoch"].as_str() else { continue };
        match sizes.last_mut() {
            Some((last, bytes)) if last == epoch => *bytes += line.len() + 1,
            _ => sizes.push((epoch.to_owned(), line.len() + 1)),
        }
    }
    sizes.into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn bc_36_ledger_bytes_of_an_epoch_are_few_and_constant_whatever_its_tools_gave() {
    let server = ModelServer::builder().rule(work).journal_max(16).start().unwrap();
    let home = home_for(&server);
    let keeper = home.up();
    let epochs = rounds_of_a_long_run(EPOCHS).max(EPOCHS_MIN);
    for n in 0..epochs {
        let epoch = keeper.client.say("look at it again");
        assert_eq!(epoch["state"], "committed", "{epoch}");
        let call = &epoch["turns"][0]["tool_calls"][0];
        assert_eq!((&call["ethereal"], &call["content"]), (&json!(true), &Value::Null));
        assert!(call["note"].as_str().unwrap().contains("1048576"), "epoch {n}: {call}");
    }
    let (handed, written) = written(&keeper);
    assert_eq!(keeper.stop(), Some(0));
    assert_eq!(blobs(&home), 0, "blobs are left");

    let sizes = sizes(&home);
    assert_eq!(sizes.len(), epochs as usize);
    let (least, most) = (sizes[1..].iter().min().unwrap(), sizes[1..].iter().max().unwrap());
    let kept: usize = sizes.iter().sum();
    println!(
        "{epochs} epochs with {PAYLOAD_BYTES} fleeting bytes each: {least} to {most} ledger bytes an epoch, {kept} in \
         all; {handed} bytes handed to write, {written} of them to the disk"
    );
    assert!(*most <= EPOCH_BYTES_MAX, "{most} bytes");
    // Numbers in a line grow by a digit now and then; nothing else may.
    assert!(most - least <= 128, "{least} to {most}");
    // The payload once, what the model is shown of it, and the ledger.
    let bound = u64::from(epochs) * 2 * PAYLOAD_BYTES;
    assert!(handed <= bound && written <= bound, "{handed} handed over, {written} written");
    let disk: u64 = fs::metadata(home.path().join("ledger/0000000001.jsonl")).unwrap().len();
    assert!(disk < u64::from(epochs + 4) * EPOCH_BYTES_MAX as u64, "{disk} bytes");
    let text = fs::read_to_string(home.path().join("ledger/0000000001.jsonl")).unwrap();
    assert!(!text.contains(PATTERN), "the payload is in the ledger");
    assert_verified(&home);
    server.assert_clean();
    let last = server.requests().pop().unwrap();
    let history = last.messages.len();
    let shown = last.messages.iter().filter(|message| message.text.contains(PATTERN)).count();
    let results = last.messages.iter().flat_map(|message| &message.results);
    let seen = results.filter(|result| result.text.contains(PATTERN)).count();
    assert_eq!((shown, seen), (0, 1), "of {history} messages, only its own epoch's result");
}

#[test]
fn bc_36_a_cut_epoch_still_has_its_payload_and_leaves_nothing() {
    let server = ModelServer::builder().rule(work).start().unwrap();
    let gate = ReplyHold::closed();
    let arguments = json!({"bytes": PAYLOAD_BYTES, "ethereal": true});
    server.script([
        Reply::calls([("probe-blob", arguments)]),
        Reply::text("too late").held_by(&gate),
    ]);
    let home = home_for(&server);
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "look at it"}));
    events.until("tool.finished");
    events.until("turn.started");
    // The answer that never comes belongs to this life.
    while server.requests().len() < 2 {}
    assert_eq!(blobs(&home), 1, "it is there while its epoch is open");
    keeper.kill();
    assert_eq!(blobs(&home), 1);
    let keeper = home.up();
    let mut events = keeper.client.events("/events?after=0", &[]);
    events.until("epoch.committed");
    let seen = server.requests();
    let results = seen.iter().rev().find(|request| request.finished_calls().is_some()).unwrap();
    let (_, texts) = results.finished_calls().unwrap();
    assert!(texts[0].contains(PATTERN), "the resumed mind saw only {:.100}", texts[0]);
    assert_eq!(of_kind(&home.ledger(), "tool.requested").len(), 1, "it was not fetched again");
    assert_eq!(keeper.stop(), Some(0));
    assert_eq!(blobs(&home), 0, "and then it is gone");
    gate.open();
}
