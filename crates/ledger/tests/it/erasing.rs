//! Erasing: the words go, the chain holds, a cut at any point is carried on, and no tampering passes for an erasure.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::event::{EraseRequested, ErasedLine, LedgerErased};
use abide_ledger::{
    Draft, LedgerOptions, OpenError, Storage as _, erase, folder, storage::fault::FaultStorage,
    write_down_erasure,
};

use crate::world::{TestClock, World, block_on, options, said, said_in};

const SECRET: &str = "the code is 4711";

fn small() -> LedgerOptions {
    LedgerOptions { segment_bytes_max: 2_000, ..options(&TestClock::new()) }
}

/// A ledger of several segments in which a secret stands, closed; gives the disk, the lines and the request.
async fn written() -> (FaultStorage, BTreeSet<u64>, u64) {
    let disk = FaultStorage::new(1);
    let world = World::open(&disk, small()).unwrap();
    let mut lines = BTreeSet::new();
    for number in 0..24 {
        let is_secret = number % 7 == 3;
        let text = if is_secret { SECRET.to_owned() } else { format!("message {number}") };
        let batch = vec![said("@felix", "before"), said_in("@felix", number, &text)];
        let receipt = world.ledger.append(batch).await.unwrap();
        if is_secret {
            lines.insert(receipt.last_seq);
        }
    }
    let requested = EraseRequested {
        epochs: Vec::new(),
        facts: Vec::new(),
        person: None,
        lines: lines.len() as u64,
        reason: Some("asked".into()),
    };
    let requested = Draft { author: "@ada".parse().unwrap(), ..Draft::of_keeper(requested) };
    let receipt = world.ledger.append(vec![requested]).await.unwrap();
    world.close().await;
    (disk, lines, receipt.last_seq)
}

/// All bytes of all files.
fn bytes(disk: &FaultStorage) -> String {
    let names = disk.list().unwrap();
    let contents = names.iter().filter_map(|name| disk.content(name));
    contents.map(|content| String::from_utf8_lossy(&content).into_owned()).collect()
}

/// Opens the ledger as a start does, and closes it.
async fn start(disk: &FaultStorage) -> Vec<String> {
    let world = World::open(disk, small()).unwrap();
    write_down_erasure(disk, &world.ledger).await.unwrap();
    let lines = world.lines();
    world.close().await;
    lines
}

#[test]
fn erased_words_are_in_no_file_and_the_chain_holds() {
    block_on(async {
        let (disk, lines, requested_seq) = written().await;
        let before = World::open(&disk, small()).unwrap().lines();
        assert!(bytes(&disk).contains(SECRET));
        erase::erase(&disk, requested_seq, lines.clone()).unwrap();
        assert!(!bytes(&disk).contains("4711"), "in no segment, index or side file");
        let after = start(&disk).await;
        for (old, new) in before.iter().zip(&after) {
            let body = |line: &str| {
                line.split_once(",\"crc\"")
                    .unwrap()
                    .0
                    .split(",\"chain\"")
                    .next()
                    .unwrap()
                    .to_owned()
            };
            let value: serde_json::Value = serde_json::from_str(new).unwrap();
            let seq = value["seq"].as_u64().unwrap();
            if lines.contains(&seq) {
                assert_eq!(value["data"]["content"], erase::ERASED);
                assert_eq!(value["data"]["sender"], "ada", "who spoke stays");
            } else if value["kind"] != "keeper.segment_opened" {
                assert_eq!(body(old), body(new), "every other line stands as it stood");
            }
        }
        let report = folder::verify(Arc::new(disk.clone())).unwrap();
        assert!(report.ok, "{report:?}");
        let [erasure] = report.erasures.as_slice() else { panic!("{report:?}") };
        assert_eq!((erasure.by.as_str(), erasure.lines), ("@ada", lines.len() as u64));
        assert_eq!(erasure.reason.as_deref(), Some("asked"));
        assert!(!disk.list().unwrap().contains(&"erasure.json".to_owned()));
        // Again it changes nothing but what is written down.
        erase::erase(&disk, requested_seq, lines).unwrap();
        assert_eq!(start(&disk).await, after);
    });
}

#[test]
fn an_erasure_that_is_cut_anywhere_is_carried_on() {
    block_on(async {
        let (disk, lines, requested_seq) = written().await;
        let whole = disk.fork();
        let begun = whole.operations();
        erase::erase(&whole, requested_seq, lines.clone()).unwrap();
        let operations = whole.operations() - begun;
        let expected = start(&whole).await;
        assert!(operations > 20, "{operations}");
        for cut in 1..=operations {
            for is_power in [true, false] {
                let disk = disk.fork();
                disk.fail_power_at(cut);
                assert!(erase::erase(&disk, requested_seq, lines.clone()).is_err(), "{cut}");
                if is_power {
                    disk.power_cycle();
                } else {
                    disk.kill();
                }
                let beside = folder::Folder::open(Arc::new(disk.clone()));
                assert!(
                    beside.is_ok() || matches!(beside, Err(OpenError::Erasing)),
                    "nobody is told of damage: {cut}: {beside:?}"
                );
                let lines_now = start(&disk).await;
                if !bytes(&disk).contains("4711") {
                    assert_eq!(lines_now, expected, "{cut}");
                    continue;
                }
                // It was cut before it was noted: then nothing was done at all.
                assert!(lines_now.iter().any(|line| line.contains(SECRET)), "{cut}");
                erase::erase(&disk, requested_seq, lines.clone()).unwrap();
                assert_eq!(start(&disk).await, expected, "{cut}");
            }
        }
    });
}

#[test]
fn a_line_that_was_changed_after_its_erasure_is_told() {
    block_on(async {
        let (disk, lines, requested_seq) = written().await;
        erase::erase(&disk, requested_seq, lines.clone()).unwrap();
        start(&disk).await;
        // Who changes the bytes breaks the checksum or the chain, as everywhere.
        let found = disk.list().unwrap().into_iter().find_map(|name| {
            let content = disk.content(&name)?;
            let at = content.windows(8).position(|window| window == b"[erased]")?;
            Some((name, at))
        });
        let (name, at) = found.unwrap();
        disk.flip(&name, at + 1, 1);
        assert!(!folder::verify(Arc::new(disk.clone())).unwrap().ok);
        disk.flip(&name, at + 1, 1);
        assert!(folder::verify(Arc::new(disk.clone())).unwrap().ok);
    });
}

#[test]
fn an_event_that_claims_an_erasure_does_not_make_one() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, small()).unwrap();
        let seq = world.say(SECRET).await;
        let claimed = LedgerErased {
            requested_seq: 1,
            part: 1,
            parts: 1,
            lines: vec![ErasedLine { seq, sha256: "0".repeat(64) }],
        };
        world.ledger.append(vec![Draft::of_keeper(claimed)]).await.unwrap();
        world.close().await;
        let report = folder::verify(Arc::new(disk)).unwrap();
        assert!(!report.ok);
        assert!(report.problem.unwrap().contains("not what the erasure left"));
    });
}

#[test]
fn a_damaged_segment_is_refused_and_stays_as_it_is() {
    block_on(async {
        let (disk, lines, requested_seq) = written().await;
        disk.flip("0000000001.jsonl", 40, 1);
        let before = disk.content("0000000001.jsonl");
        let refused = erase::erase(&disk, requested_seq, lines);
        assert!(matches!(refused, Err(erase::EraseError::Damaged { .. })), "{refused:?}");
        assert_eq!(disk.content("0000000001.jsonl"), before);
    });
}
