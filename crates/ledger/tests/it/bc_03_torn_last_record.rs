//! BC-03: a torn last record loses nothing before it, and damage inside is never skipped.

use std::sync::Arc;

use abide_domain::event::{Event, KeeperEvent, TailQuarantined};
use abide_ledger::{Ledger, OpenError, Query, Record, folder, storage::fault::FaultStorage};

use crate::world::{TestClock, World, block_on, options, said};

const SEGMENT: &str = "0000000001.jsonl";
const SIDE: &str = "0000000001.side.json";

/// A ledger of the opening line and `records` more, each a batch of its own, without its side file.
fn ledger_of(records: usize) -> FaultStorage {
    let disk = FaultStorage::new(3);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for i in 0..records {
            world.say(&format!("record {i}")).await;
        }
        world.close().await;
    });
    disk.take(SIDE);
    disk
}

fn lines_of(disk: &FaultStorage) -> Vec<String> {
    let content = String::from_utf8(disk.content(SEGMENT).unwrap()).unwrap();
    content.lines().map(str::to_owned).collect()
}

/// What the ledger reports of torn tails.
fn quarantines(world: &World) -> Vec<TailQuarantined> {
    let query = Query { kinds: vec!["keeper.tail_quarantined".into()], ..Query::default() };
    let events = world.ledger.query(query).map(|record| record.unwrap().entry().unwrap().event);
    let quarantined = events.map(|event| match event {
        Event::Keeper(KeeperEvent::TailQuarantined(event)) => event,
        other => panic!("{other:?}"),
    });
    quarantined.collect()
}

/// Bytes of the first `count` lines.
fn length_of(lines: &[String], count: usize) -> usize {
    lines[..count].iter().map(|line| line.len() + 1).sum()
}

#[test]
fn cut_at_every_byte_of_the_last_three_records_it_keeps_all_whole_ones_and_reports_once() {
    let origin = ledger_of(8);
    let lines = lines_of(&origin);
    let (begin, end) = (length_of(&lines, 6), length_of(&lines, 9));
    for cut in begin..end {
        let disk = origin.fork();
        disk.cut(SEGMENT, cut);
        let whole = (0..=9).rev().find(|count| length_of(&lines, *count) <= cut).unwrap();
        let torn = cut - length_of(&lines, whole);
        block_on(async {
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.lines()[..whole], lines[..whole], "cut at {cut}");
            let reports = quarantines(&world);
            assert_eq!(reports.len(), usize::from(torn > 0), "cut at {cut}");
            if let Some(event) = reports.first() {
                assert_eq!((event.segment, event.offset), (1, (cut - torn) as u64));
                assert_eq!(event.bytes, torn as u64);
                let aside = disk.content(&event.file).unwrap();
                let content = origin.content(SEGMENT).unwrap();
                assert_eq!(aside, content[cut - torn..cut]);
            }
            world.say("on").await;
            let once = world.lines();
            world.close().await;
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.lines(), once, "recovering twice is recovering once");
        });
        assert!(folder::verify(Arc::new(disk)).unwrap().ok);
    }
}

#[test]
fn cut_below_what_the_side_file_recorded_it_is_refused_and_names_the_record() {
    let origin = ledger_of(8);
    let with_side = origin.fork();
    block_on(async {
        World::open(&with_side, options(&TestClock::new())).unwrap().close().await;
    });
    let lines = lines_of(&with_side);
    let (begin, end) = (length_of(&lines, 6), length_of(&lines, 9));
    for cut in begin..end {
        let disk = with_side.fork();
        disk.cut(SEGMENT, cut);
        let before = disk.content(SEGMENT);
        let refused = Ledger::open(Arc::new(disk.clone()), options(&TestClock::new()));
        let Err(OpenError::Shorter { found, recorded: 9, .. }) = refused else {
            panic!("cut at {cut}: {refused:?}")
        };
        assert!(found < 9);
        assert_eq!(disk.content(SEGMENT), before, "a refusal changes nothing");
        disk.take(SIDE);
        assert!(Ledger::open(Arc::new(disk), options(&TestClock::new())).is_ok());
    }
}

#[test]
fn a_bit_flipped_in_any_field_of_a_middle_record_is_refused_and_names_it() {
    let origin = ledger_of(8);
    let lines = lines_of(&origin);
    let line = &lines[4];
    let begin = length_of(&lines, 4);
    let fields = [
        "seq",
        "tick",
        "timestamp",
        "entity",
        "author",
        "epoch",
        "kind",
        "v",
        "data",
        "chain",
        "crc",
    ];
    for field in fields {
        let key = line.find(&format!("\"{field}\":")).unwrap();
        for (place, at) in [("key", key + 1), ("value", key + field.len() + 4)] {
            for bit in 0..8 {
                let disk = origin.fork();
                disk.flip(SEGMENT, begin + at, 1 << bit);
                let refused = Ledger::open(Arc::new(disk.clone()), options(&TestClock::new()));
                let Err(OpenError::Corrupt(damage)) = &refused else {
                    panic!("{place} of {field}, bit {bit}: {refused:?}")
                };
                assert_eq!((damage.file.as_str(), damage.seq), (SEGMENT, 5), "{damage}");
                // A bit that makes a newline splits the line; the first half is named, or the second.
                assert!((5..=6).contains(&damage.line), "{damage}");
                let report = folder::verify(Arc::new(disk)).unwrap();
                assert!(!report.ok && report.problem.unwrap().contains("seq 5"));
            }
        }
    }
}

#[test]
fn any_flipped_bit_of_a_whole_log_is_refused_or_concerns_the_last_batch_alone() {
    let origin = ledger_of(5);
    let lines = lines_of(&origin);
    let content = origin.content(SEGMENT).unwrap();
    let last = length_of(&lines, 5);
    for at in 0..content.len() {
        for bit in 0..8 {
            let disk = origin.fork();
            disk.flip(SEGMENT, at, 1 << bit);
            match Ledger::open(Arc::new(disk.clone()), options(&TestClock::new())) {
                Err(_) => {}
                Ok((ledger, _committer)) => {
                    assert!(at >= last, "byte {at}, bit {bit} was not noticed");
                    let read: Vec<_> = ledger.records(1).map(Result::unwrap).collect();
                    let read: Vec<_> = read.iter().map(Record::line).take(5).collect();
                    assert_eq!(read, lines[..5]);
                    let query = Query { kinds: vec!["keeper.*".into()], ..Query::default() };
                    assert_eq!(ledger.query(query).count(), 2, "opening and quarantine");
                }
            }
        }
    }
}

#[test]
fn with_its_side_file_a_flipped_bit_of_the_last_batch_is_refused_too() {
    let origin = ledger_of(5);
    block_on(async {
        World::open(&origin, options(&TestClock::new())).unwrap().close().await;
    });
    let content = origin.content(SEGMENT).unwrap();
    for at in length_of(&lines_of(&origin), 5)..content.len() {
        let disk = origin.fork();
        disk.flip(SEGMENT, at, 1);
        let refused = Ledger::open(Arc::new(disk), options(&TestClock::new()));
        assert!(refused.is_err(), "byte {at}");
    }
}

#[test]
fn a_crash_at_every_step_of_a_quarantine_ends_as_if_there_had_been_none() {
    let origin = ledger_of(4);
    let lines = lines_of(&origin);
    let cut = length_of(&lines, 5) - 7;
    for seed in 0..20 {
        for step in 1..30 {
            let disk = FaultStorage::new(seed * 1000 + step);
            disk.put(SEGMENT, &origin.content(SEGMENT).unwrap()[..cut]);
            disk.fail_power_at(step);
            let first = Ledger::open(Arc::new(disk.clone()), options(&TestClock::new()));
            let was_cut = disk.is_off();
            drop(first);
            disk.power_cycle();
            block_on(async {
                let world = World::open(&disk, options(&TestClock::new())).unwrap();
                assert_eq!(world.lines()[..4], lines[..4]);
                // The report itself may have been cut and set aside in its turn: the first tail still has one.
                let torn = &origin.content(SEGMENT).unwrap()[length_of(&lines, 4)..cut];
                let files = quarantines(&world).into_iter().map(|event| event.file);
                let reported = files.filter(|file| disk.content(file).unwrap() == torn);
                assert_eq!(reported.count(), 1, "step {step}, seed {seed}");
                world.close().await;
            });
            if !was_cut {
                break;
            }
        }
    }
}

#[test]
fn a_half_line_of_every_length_behind_a_whole_log_is_set_aside() {
    let origin = ledger_of(2);
    let content = origin.content(SEGMENT).unwrap();
    block_on(async {
        let world = World::open(&origin.fork(), options(&TestClock::new())).unwrap();
        world.ledger.append(vec![said("@felix", "a"), said("@felix", "b")]).await.unwrap();
    });
    for junk in [&b"{"[..], b"\0\0\0\0", b"{\"seq\":4}", b"\xff\xfe", b"\n\nx", b"{\"seq\":4,\n{}"]
    {
        let disk = origin.fork();
        disk.put(SEGMENT, &[&content, junk, b"\n\n\n"].concat());
        block_on(async {
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.texts(), ["record 0", "record 1"]);
            assert_eq!(world.count("keeper.tail_quarantined"), 1);
        });
    }
}
