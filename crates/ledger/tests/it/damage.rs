//! Damage that recovery must refuse, and what it must not mistake for it.

use std::sync::Arc;

use abide_ledger::{Ledger, OpenError, ReadError, folder, storage::fault::FaultStorage};

use crate::world::{TestClock, World, block_on, options, rounds, said};

const SEGMENT: &str = "0000000001.jsonl";

fn open(disk: &FaultStorage) -> Result<Ledger, OpenError> {
    Ledger::open(Arc::new(disk.clone()), options(&TestClock::new())).map(|(ledger, _)| ledger)
}

/// Three segments of batches of one to three lines, without side files.
fn three_segments() -> FaultStorage {
    let disk = FaultStorage::new(5);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for segment in 0..3 {
            for batch in 0..3 {
                let drafts = (0..=batch).map(|i| said("@felix", &format!("{segment}.{batch}.{i}")));
                world.ledger.append(drafts.collect()).await.unwrap();
            }
            if segment < 2 {
                assert_eq!(world.ledger.seal().await.unwrap(), segment + 1);
            }
        }
        world.close().await;
    });
    without_caches(&disk);
    disk
}

fn without_caches(disk: &FaultStorage) {
    for number in 1..=3 {
        disk.take(&format!("{number:010}.side.json"));
        disk.take(&format!("{number:010}.index"));
    }
}

/// A log of about 64 KiB in batches of one to five lines.
fn log_of(bytes: usize) -> Vec<u8> {
    let disk = FaultStorage::new(5);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut batch = 0;
        while disk.content(SEGMENT).unwrap().trim_ascii_end().len() < bytes {
            let drafts = (0..=batch % 5).map(|i| said("@felix", &format!("line {batch}.{i}")));
            world.ledger.append(drafts.collect()).await.unwrap();
            batch += 1;
        }
        world.close().await;
    });
    disk.content(SEGMENT).unwrap()
}

fn line_at(content: &[u8], at: usize) -> u64 {
    content[..at].split(|byte| *byte == b'\n').count() as u64
}

/// A start that must not take damaged bytes for whole ones: refused, or the whole part before the damage is there.
fn check_flip(content: &[u8], at: usize, mask: u8, last_batch: usize) {
    let disk = FaultStorage::new(1);
    let mut bytes = content.to_vec();
    bytes[at] ^= mask;
    disk.put(SEGMENT, &bytes);
    match open(&disk) {
        Err(OpenError::Corrupt(damage)) => {
            let line = line_at(content, at);
            assert!(damage.line >= line && damage.line <= line + 6, "byte {at}: {damage}");
        }
        Err(error) => panic!("byte {at}: {error}"),
        Ok(ledger) => {
            assert!(at >= last_batch, "byte {at} was not noticed");
            let read: Vec<_> = ledger.records(1).map(|r| r.unwrap().line().to_owned()).collect();
            let whole = std::str::from_utf8(&content[..last_batch]).unwrap();
            assert!(whole.lines().eq(read.iter().map(String::as_str).take(whole.lines().count())));
        }
    }
}

#[test]
fn every_byte_of_a_64_kib_log_flipped_is_noticed() {
    // Each with one bit, which changes from byte to byte. Every byte of the last 3 KiB, where torn and damaged must be
    // told apart; before that every byte in a soak, every tenth otherwise.
    let content = log_of(64 * 1024);
    let text = std::str::from_utf8(&content).unwrap();
    let ends: Vec<_> = text.match_indices(",\"chain\"").map(|(at, _)| at).collect();
    let before_last = ends[ends.len() - 2];
    let last_batch = before_last + text[before_last..].find('\n').unwrap() + 1;
    let near_end = content.len() - 3 * 1024;
    let places = (0..near_end)
        .step_by(near_end / usize::try_from(rounds(near_end as u64)).unwrap())
        .chain(near_end..content.len());
    for at in places {
        check_flip(&content, at, 1 << (at % 8), last_batch);
    }
}

#[test]
fn every_byte_of_a_small_log_of_several_batches_flipped_is_noticed_whatever_the_bit() {
    let content = log_of(2 * 1024);
    let text = std::str::from_utf8(&content).unwrap();
    let ends: Vec<_> = text.match_indices(",\"chain\"").map(|(at, _)| at).collect();
    let before_last = ends[ends.len() - 2];
    let last_batch = before_last + text[before_last..].find('\n').unwrap() + 1;
    for at in 0..content.len() {
        for bit in 0..8 {
            check_flip(&content, at, 1 << bit, last_batch);
        }
    }
}

#[test]
fn a_line_removed_repeated_or_moved_is_refused() {
    let content = String::from_utf8(log_of(4 * 1024)).unwrap();
    let lines: Vec<_> = content.lines().collect();
    let (front, back) = lines.split_at(4);
    let removed = [front, &back[1..]].concat();
    let repeated = [front, &front[3..], back].concat();
    let moved = [front, &back[1..2], &back[..1], &back[2..]].concat();
    let blank = [front, &[""], back].concat();
    let first_missing = lines[1..].to_vec();
    for (name, lines) in [
        ("removed", removed),
        ("repeated", repeated),
        ("moved", moved),
        ("blank", blank),
        ("first missing", first_missing),
    ] {
        let disk = FaultStorage::new(1);
        disk.put(SEGMENT, format!("{}\n", lines.join("\n")).as_bytes());
        assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "{name}");
        assert!(!folder::verify(Arc::new(disk)).unwrap().ok, "{name}");
    }
}

#[test]
fn an_edit_with_a_right_checksum_is_found_by_the_chain() {
    let content = String::from_utf8(log_of(2 * 1024)).unwrap();
    for edited in 1..content.lines().count() {
        let lines = content.lines().enumerate().map(|(position, line)| {
            if position != edited {
                return line.to_owned();
            }
            let line = line.replace("\"content\":\"line", "\"content\":\"LINE");
            let covered = &line[..line.len() - 18];
            format!("{covered},\"crc\":\"{:08x}\"}}", crc32c::crc32c(covered.as_bytes()))
        });
        let disk = FaultStorage::new(1);
        let lines: Vec<_> = lines.collect();
        disk.put(SEGMENT, format!("{}\n", lines.join("\n")).as_bytes());
        assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "line {edited}");
    }
}

#[test]
fn damage_is_not_taken_for_a_torn_tail_because_a_torn_batch_stands_behind_it() {
    let content = log_of(2 * 1024);
    let text = std::str::from_utf8(&content).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let ends: Vec<_> = (0..lines.len()).filter(|at| lines[*at].contains("\"chain\"")).collect();
    // The last batch but one, of several lines, is damaged in its first; of the last, only whole lines are left.
    let (damaged, last) = (ends[ends.len() - 3] + 1, ends[ends.len() - 2] + 1);
    assert!(ends[ends.len() - 2] > damaged && ends[ends.len() - 1] > last);
    let before: usize = lines[..damaged].iter().map(|line| line.len()).sum();
    for kept in 1..ends[ends.len() - 1] + 1 - last {
        let length: usize = lines[..last + kept].iter().map(|line| line.len()).sum();
        for padding in [0, 300] {
            let disk = FaultStorage::new(1);
            disk.put(SEGMENT, &[&content[..length], &vec![b'\n'; padding]].concat());
            disk.flip(SEGMENT, before + 100, 1);
            assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "{kept} lines kept");
        }
    }
}

#[test]
fn segments_missing_swapped_or_damaged_are_refused() {
    let origin = three_segments();
    let content = |number: u32| origin.content(&format!("{number:010}.jsonl")).unwrap();
    let disk = origin.fork();
    assert!(open(&disk).is_ok());

    let disk = origin.fork();
    disk.take("0000000002.jsonl");
    assert!(matches!(open(&disk), Err(OpenError::MissingSegment { .. })), "the middle one");

    let disk = origin.fork();
    disk.take(SEGMENT);
    assert!(matches!(open(&disk), Err(OpenError::MissingSegment { .. })), "the first");

    let disk = origin.fork();
    disk.put(SEGMENT, &content(2));
    disk.put("0000000002.jsonl", &content(1));
    assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "swapped");

    let disk = origin.fork();
    disk.put("0000000003.jsonl", &content(2));
    assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "repeated");

    let disk = origin.fork();
    disk.cut("0000000002.jsonl", content(2).len() - 1);
    assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "a torn tail in the middle");

    let disk = origin.fork();
    disk.put("0000000002.jsonl", b"\n\n");
    assert!(open(&disk).is_err(), "an empty one in the middle");
}

#[test]
fn what_comes_back_behind_a_sealed_segment_is_a_leftover_because_the_next_one_opens_before_it() {
    let origin = three_segments();
    let content = |number: u32| origin.content(&format!("{number:010}.jsonl")).unwrap();
    let lines = open(&origin.fork()).unwrap().records(1).count();
    for junk in [&b"{\"seq\":12,\"ti"[..], b"\0\0\0", &content(3)[..400], &content(3)] {
        let disk = origin.fork();
        disk.put("0000000002.jsonl", &[&content(2), junk].concat());
        let ledger = open(&disk).unwrap();
        assert_eq!(ledger.records(1).map(Result::unwrap).count(), lines);
        let report = folder::verify(Arc::new(disk.clone())).unwrap();
        assert!(report.ok, "{report:?}");
        assert_eq!(report.leftovers.len(), 1);
        assert_eq!(report.leftovers[0].offset, content(2).len() as u64);
        disk.put("0000000003.jsonl", b"");
        assert!(matches!(open(&disk), Err(OpenError::Corrupt(_))), "nothing proves it then");
    }
}

#[test]
fn the_last_segment_gone_is_noticed_by_its_side_file() {
    let disk = three_segments();
    block_on(async {
        World::open(&disk, options(&TestClock::new())).unwrap().close().await;
    });
    disk.take("0000000003.jsonl");
    assert!(matches!(open(&disk), Err(OpenError::MissingSegment { .. })));
}

#[test]
fn another_ledger_in_place_of_this_one_is_noticed_by_its_side_file() {
    let disk = FaultStorage::new(1);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("mine").await;
        world.close().await;
    });
    disk.put(SEGMENT, &log_of(2 * 1024));
    assert!(matches!(open(&disk), Err(OpenError::Corrupt(_) | OpenError::Replaced { .. })));
}

#[test]
fn damage_in_a_sealed_segment_is_found_when_it_is_read_and_by_verify() {
    let disk = three_segments();
    block_on(async {
        World::open(&disk, options(&TestClock::new())).unwrap().close().await;
    });
    let middle = disk.content(SEGMENT).unwrap().len() / 2;
    disk.flip(SEGMENT, middle, 1);
    let ledger = open(&disk).unwrap();
    let error = ledger.records(1).find_map(Result::err).unwrap();
    let ReadError::Damaged(damage) = error else { panic!("{error}") };
    let content = disk.content(SEGMENT).unwrap();
    let line = line_at(&content, middle);
    assert_eq!((damage.file.as_str(), damage.line, damage.seq), (SEGMENT, line, line));
    let report = folder::verify(Arc::new(disk)).unwrap();
    assert!(report.problem.unwrap().contains(&format!("line {line} ")));
}

#[test]
fn deleting_all_caches_loses_nothing_and_they_come_back() {
    let origin = three_segments();
    let disk = origin.fork();
    let with_caches = block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let lines = world.lines();
        world.close().await;
        lines
    });
    assert!(disk.content("0000000001.side.json").is_some());
    for damage in [true, false] {
        for number in 1..=3 {
            for name in [format!("{number:010}.side.json"), format!("{number:010}.index")] {
                if damage { disk.put(&name, b"{}") } else { disk.take(&name) }
            }
        }
        block_on(async {
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.lines(), with_caches);
            world.close().await;
        });
    }
}
