//! BC-03 at the real binary: what a death in the middle of a write leaves, and what no death can leave.
//!
//! The ledger's own tests cut at every byte and flip in every field; here the same files meet a start.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use abide_testkit::{SplitMix64, rounds};
use serde_json::{Value, json};

use super::scene::{all_epochs, assert_verified, copy_of, of_kind};
use crate::home::Home;

/// Cuts and flips in `make soak`.
const ROUNDS: u32 = 100;
const EPOCHS: usize = 4;

fn segment(home: &Home) -> PathBuf {
    home.path().join("ledger/0000000001.jsonl")
}

/// A home whose keeper was stopped in good order after some epochs.
fn lived() -> Home {
    let home = Home::new("");
    let keeper = home.up();
    for n in 0..EPOCHS {
        keeper.client.say(&format!("remember that heron {n} is grey"));
    }
    assert_eq!(keeper.stop(), Some(0));
    home
}

/// Removes what is recorded beside the log about its length, as the refusal says that a person may.
fn forget_length(home: &Home) {
    for entry in fs::read_dir(home.path().join("ledger")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            fs::remove_file(path).unwrap();
        }
    }
}

fn start(home: &Home) -> Output {
    home.run(["up", "--listen", "127.0.0.1:0", "--set", "model.provider=reflex"])
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Where each line begins.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

fn cut(path: &Path, length: usize) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(u64::try_from(length).unwrap()).unwrap();
}

#[test]
fn bc_03_a_cut_tail_is_set_aside_and_reported_once() {
    let home = lived();
    let text = fs::read(segment(&home)).unwrap();
    let starts = line_starts(&text);
    let keeper = home.up();
    let epochs = all_epochs(&keeper.client);
    drop(keeper);
    fs::write(segment(&home), &text).unwrap();
    forget_length(&home);
    // The last line is keeper.stopped; the cuts fall into it, the commit before it, and the turn before that.
    let first = starts[starts.len() - 5];
    let mut dice = SplitMix64::new(3);
    for _ in 0..rounds(ROUNDS) {
        let room = u64::try_from(text.len() - first).unwrap();
        let length = first + usize::try_from(dice.below(room)).unwrap();
        let copy = copy_of(&home);
        cut(&segment(&copy), length);
        let is_between_batches = starts.contains(&length) && is_chained(&text[..length]);
        let keeper = copy.up();
        let now = all_epochs(&keeper.client);
        assert_eq!(now.len(), EPOCHS, "cut at {length}");
        assert_eq!(now[1..], epochs[1..], "cut at {length}: earlier epochs are as they were");
        assert_eq!(now[0]["stimulus"], epochs[0]["stimulus"], "cut at {length}");
        keeper.kill();
        let keeper = copy.up();
        assert_eq!(keeper.stop(), Some(0));
        let reports = of_kind(&copy.ledger(), "keeper.tail_quarantined").len();
        assert_eq!(reports, usize::from(!is_between_batches), "cut at {length}: reported once");
        assert_verified(&copy);
        if !is_between_batches {
            assert_tail_is_kept(&copy, &text[..length]);
        }
    }
}

/// Whether a text ends with a whole batch.
fn is_chained(text: &[u8]) -> bool {
    let last = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(last).is_ok_and(|line| line["chain"].is_string())
}

/// What was cut off stands in the file that the report names.
fn assert_tail_is_kept(home: &Home, text: &[u8]) {
    let ledger = home.ledger();
    let report = &of_kind(&ledger, "keeper.tail_quarantined")[0]["data"];
    let (file, offset) = (report["file"].as_str().unwrap(), report["offset"].as_u64().unwrap());
    let kept = fs::read(home.path().join("ledger").join(file)).unwrap();
    let tail = &text[usize::try_from(offset).unwrap()..];
    assert_eq!(kept, tail, "{report}");
}

#[test]
fn bc_03_a_log_shorter_than_was_recorded_is_refused_and_left_as_it_is() {
    let home = lived();
    let text = fs::read(segment(&home)).unwrap();
    let starts = line_starts(&text);
    let length = starts[starts.len() - 4];
    cut(&segment(&home), length);
    let refused = start(&home);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(words(&refused).contains("0000000001.jsonl"), "{}", words(&refused));
    assert!(words(&refused).contains("acknowledged events are missing"), "{}", words(&refused));
    assert_eq!(fs::read(segment(&home)).unwrap(), text[..length]);
}

#[test]
fn bc_03_one_flipped_bit_inside_refuses_the_start_and_names_the_line() {
    let home = lived();
    let text = fs::read(segment(&home)).unwrap();
    let starts = line_starts(&text);
    // Damage in the last batch cannot be told from a torn write; everything before it can.
    let inside = starts[starts.len() - 4];
    let mut dice = SplitMix64::new(33);
    for _ in 0..rounds(ROUNDS) {
        let at = usize::try_from(dice.below(u64::try_from(inside).unwrap())).unwrap();
        let mut damaged = text.clone();
        damaged[at] ^= 1 << dice.below(8);
        let line = starts.iter().filter(|start| **start <= at).count();
        let copy = copy_of(&home);
        fs::write(segment(&copy), &damaged).unwrap();
        let refused = start(&copy);
        assert_eq!(refused.status.code(), Some(1), "byte {at}: {refused:?}");
        let place = format!("0000000001.jsonl, line {line} ");
        assert!(words(&refused).contains(&place), "byte {at}, {place}: {}", words(&refused));
        assert_eq!(fs::read(segment(&copy)).unwrap(), damaged, "byte {at}: nothing was touched");
        let verify = copy.run(["ledger", "verify", "--json"]);
        assert_eq!(verify.status.code(), Some(1), "byte {at}");
        let report: Value = serde_json::from_slice(&verify.stdout).unwrap();
        assert_eq!(report["ok"], json!(false), "byte {at}");
        assert!(!copy.path().join("keeper.json").exists(), "nobody pretends to run");
    }
}
