//! A folder without its keeper: tail, export, stat, verify, and reading while a keeper writes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use abide_ledger::{
    FileStorage, Ledger, Query, Record,
    folder::{Folder, verify},
    storage::fault::FaultStorage,
};

use crate::world::{TestClock, World, block_on, options, said, text_of};

const SEGMENT: &str = "0000000001.jsonl";

fn small() -> FaultStorage {
    let disk = FaultStorage::new(1);
    block_on(async {
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for i in 0..6 {
            let entity = if i % 2 == 0 { "@felix" } else { "@grace" };
            world.ledger.append(vec![said(entity, &format!("{i}"))]).await.unwrap();
        }
        world.ledger.seal().await.unwrap();
        world.say("6").await;
        world.close().await;
    });
    disk
}

#[test]
fn the_tail_is_the_last_events_oldest_first() {
    let folder = Folder::open(Arc::new(small())).unwrap();
    let felix = Query { entity: Some("@felix".parse().unwrap()), limit: 2, ..Query::default() };
    let texts: Vec<_> = folder.tail(felix).unwrap().iter().map(text_of).collect();
    assert_eq!(texts, ["4", "6"]);
    let all = folder.tail(Query { limit: 3, ..Query::default() }).unwrap();
    assert_eq!(all.iter().map(Record::seq).collect::<Vec<_>>(), [7, 8, 9]);
}

#[test]
fn an_export_is_the_lines_byte_for_byte_with_the_last_chain_value() {
    let disk = small();
    let folder = Folder::open(Arc::new(disk.clone())).unwrap();
    let mut out = Vec::new();
    let exported = folder.export(1..=u64::MAX, &mut out).unwrap();
    let second = disk.content("0000000002.jsonl").unwrap();
    assert_eq!(out, [disk.content(SEGMENT).unwrap(), second].concat());
    assert_eq!((exported.events, exported.bytes), (9, out.len() as u64));
    assert_eq!(exported.chain, Some(folder.head().chain));
    let mut out = Vec::new();
    assert_eq!(folder.export(3..=4, &mut out).unwrap().events, 2);
    assert!(out.starts_with(b"{\"seq\":3,"));
}

#[test]
fn the_numbers_add_up() {
    let folder = Folder::open(Arc::new(small())).unwrap();
    let stat = folder.stat().unwrap();
    assert_eq!((stat.head.seq, stat.segments), (9, 2));
    assert_eq!(stat.kinds["stimulus.accepted"], 7);
    assert_eq!(stat.entities["@grace"], 3);
    assert_eq!(stat.kinds.values().sum::<u64>(), 9);
}

#[test]
fn verify_says_ok_or_where_not() {
    let disk = small();
    let report = verify(Arc::new(disk.clone())).unwrap();
    assert!(report.ok && report.problem.is_none());
    assert_eq!((report.segments, report.batches, report.events), (2, 9, 9));
    disk.flip(SEGMENT, 700, 2);
    let report = verify(Arc::new(disk)).unwrap();
    assert!(!report.ok);
    let problem = report.problem.unwrap();
    assert!(problem.contains("0000000001.jsonl, line 2 "), "{problem}");
}

#[test]
fn an_empty_folder_is_an_empty_ledger() {
    let folder = Folder::open(Arc::new(FaultStorage::new(1))).unwrap();
    assert_eq!(folder.head().seq, 0);
    assert_eq!(folder.records(1).count(), 0);
    assert!(verify(Arc::new(FaultStorage::new(1))).unwrap().ok);
}

#[test]
fn a_batch_that_is_being_written_is_no_error_and_not_shown() {
    let disk = small();
    let name = "0000000002.jsonl";
    let content = disk.content(name).unwrap();
    disk.take("0000000002.side.json");
    for cut in content.len() - 200..content.len() {
        let disk = disk.fork();
        disk.put(name, &[&content[..cut], b"\n\n\n\n"].concat());
        let folder = Folder::open(Arc::new(disk.clone())).unwrap();
        let (last, unfinished) = (folder.head().seq, folder.unfinished());
        if last == 9 {
            assert_eq!(
                (cut, unfinished),
                (content.len() - 1, None),
                "the padding gave its newline"
            );
        } else {
            assert_eq!(last, 8);
            assert_eq!(unfinished.unwrap().file, name);
        }
        assert!(verify(Arc::new(disk)).unwrap().ok);
    }
}

#[test]
fn refresh_finds_what_was_written_since() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut folder = Folder::open(Arc::new(disk.clone())).unwrap();
        assert!(!folder.refresh().unwrap());
        world.say("one").await;
        assert!(folder.refresh().unwrap());
        assert_eq!(folder.records(2).count(), 1);
        world.ledger.seal().await.unwrap();
        world.say("two").await;
        assert!(folder.refresh().unwrap());
        assert_eq!(folder.head().seq, 4);
        assert!(!folder.refresh().unwrap());
    });
}

#[test]
fn reading_a_folder_while_its_keeper_writes_never_sees_an_error_or_half_a_batch() {
    let home = tempfile::tempdir().unwrap();
    let storage = Arc::new(FileStorage::create(home.path()).unwrap());
    let mut options = options(&TestClock::new());
    options.segment_bytes_max = 400_000;
    let (ledger, committer) = Ledger::open(storage.clone(), options).unwrap();
    let committer = committer.spawn().unwrap();
    let is_done = Arc::new(AtomicBool::new(false));
    let reader = {
        let (storage, is_done) = (Arc::clone(&storage), Arc::clone(&is_done));
        std::thread::spawn(move || {
            let mut last = 0;
            while !is_done.load(Ordering::Relaxed) {
                let folder = Folder::open(storage.clone()).unwrap();
                assert!(folder.head().seq >= last);
                last = folder.head().seq;
                let read = folder.records(last.saturating_sub(50)).map(Result::unwrap).last();
                let read = read.unwrap();
                assert_eq!(read.seq(), last);
                assert!(read.chain().is_some(), "the log ends with a whole batch");
            }
        })
    };
    block_on(async {
        for i in 0..150 {
            let drafts = (0..20).map(|j| said("@felix", &format!("{i} {j} {}", "x".repeat(300))));
            ledger.append(drafts.collect()).await.unwrap();
        }
        ledger.close().await;
    });
    committer.join().unwrap();
    is_done.store(true, Ordering::Relaxed);
    reader.join().unwrap();
}
