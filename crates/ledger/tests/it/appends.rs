//! Appending: order, atomicity, stamps, limits, many writers.

use std::{sync::Arc, time::Duration};

use abide_domain::event::{Event, KeeperEvent};
use abide_ledger::{
    AppendError, Draft, FileStorage, Ledger, LedgerStatus, Storage as _,
    storage::fault::FaultStorage,
};
use tokio::task::JoinSet;

use crate::world::{TestClock, World, block_on, options, said, text_of};

#[test]
fn an_append_says_where_it_stands_and_reads_back_equal() {
    block_on(async {
        let (disk, clock) = (FaultStorage::new(1), TestClock::new());
        let world = World::open(&disk, options(&clock)).unwrap();
        clock.advance(Duration::from_millis(3_400));
        let drafts = vec![said("@felix", "one"), said("@grace", "zwei \"ünd\"\n drei")];
        let appended = world.ledger.append(drafts.clone()).await.unwrap();
        assert_eq!((appended.first_seq, appended.last_seq, appended.tick), (2, 3, 3));
        let head = world.ledger.head();
        assert_eq!((head.seq, head.tick, head.segment), (3, 3, 1));
        let records: Vec<_> = world.ledger.records(2).map(Result::unwrap).collect();
        for (record, draft) in records.iter().zip(&drafts) {
            let entry = record.entry().unwrap();
            let read = Draft {
                entity: entry.entity,
                author: entry.author,
                epoch: entry.epoch,
                event: entry.event,
            };
            assert_eq!(&read, draft);
            assert_eq!(entry.timestamp, appended.timestamp);
            assert_eq!(record.detach(), *record);
        }
        assert_eq!(records[0].chain(), None);
        assert_eq!(records[1].chain(), Some(head.chain.as_str()));
    });
}

#[test]
fn a_new_ledger_begins_with_its_opening_line() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let first = world.ledger.records(1).next().unwrap().unwrap().entry().unwrap();
        let Event::Keeper(KeeperEvent::SegmentOpened(opened)) = first.event else { panic!() };
        assert_eq!((opened.segment, opened.previous_chain), (1, "0".repeat(64)));
        assert_eq!((first.seq, first.tick, first.timestamp), (1, 0, opened.genesis));
    });
}

#[test]
fn the_order_of_submits_is_the_order_of_the_ledger() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut pending = Vec::new();
        for i in 0..50 {
            let drafts = vec![said("@felix", &format!("{i}a")), said("@felix", &format!("{i}b"))];
            pending.push(world.ledger.submit(drafts).await.unwrap());
        }
        let syncs = disk.operations();
        let mut next = 2;
        for pending in pending {
            let appended = pending.durable().await.unwrap();
            assert_eq!((appended.first_seq, appended.last_seq), (next, next + 1));
            next += 2;
        }
        let expected: Vec<_> = (0..50).flat_map(|i| [format!("{i}a"), format!("{i}b")]).collect();
        assert_eq!(world.texts(), expected);
        assert!(
            disk.operations() - syncs <= 3,
            "all that queued is one batch: one write, one sync"
        );
    });
}

#[test]
fn a_dropped_pending_is_committed_all_the_same() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        drop(world.ledger.submit(vec![said("@felix", "quiet")]).await.unwrap());
        world.say("loud").await;
        assert_eq!(world.texts(), ["quiet", "loud"]);
    });
}

#[test]
fn neither_ticks_nor_times_go_back_with_the_clock_or_over_a_restart() {
    block_on(async {
        let (disk, clock) = (FaultStorage::new(1), TestClock::new());
        let world = World::open(&disk, options(&clock)).unwrap();
        clock.advance(Duration::from_secs(100));
        world.say("late").await;
        clock.go_back(Duration::from_secs(50));
        world.say("early").await;
        world.close().await;
        clock.go_back(Duration::from_secs(20));
        let world = World::open(&disk, options(&clock)).unwrap();
        world.say("earlier").await;
        let ticks: Vec<_> = world.ledger.records(1).map(|r| r.unwrap().tick()).collect();
        assert_eq!(ticks, [0, 100, 100, 100]);
        let times: Vec<_> =
            world.ledger.records(1).map(|r| r.unwrap().timestamp().to_owned()).collect();
        assert!(times.is_sorted());
        assert!(abide_ledger::folder::verify(Arc::new(disk)).unwrap().ok);
    });
}

#[test]
fn a_changed_interval_is_an_event_and_goes_on_from_the_present_tick() {
    block_on(async {
        let (disk, clock) = (FaultStorage::new(1), TestClock::new());
        let mut options = options(&clock);
        let world = World::open(&disk, options.clone()).unwrap();
        clock.advance(Duration::from_millis(10_700));
        world.say("ten").await;
        world.close().await;
        options.tick_interval = Duration::from_millis(250);
        let world = World::open(&disk, options.clone()).unwrap();
        clock.advance(Duration::from_millis(500));
        world.say("twelve").await;
        world.ledger.seal().await.unwrap();
        world.close().await;
        // Over a sealed segment, whose side file carries the rule, and without side files.
        for name in ["0000000001.side.json", "0000000002.side.json", "none"] {
            disk.take(name);
            let world = World::open(&disk, options.clone()).unwrap();
            assert_eq!(world.count("keeper.tick_interval_changed"), 1);
            clock.advance(Duration::from_millis(250));
            world.say("next").await;
            world.close().await;
        }
        let world = World::open(&disk, options).unwrap();
        let records = world.ledger.records(1).map(Result::unwrap);
        let ticks: Vec<_> =
            records.filter(|r| r.kind() == "stimulus.accepted").map(|r| r.tick()).collect();
        assert_eq!(ticks, [10, 12, 13, 14, 15]);
    });
}

#[test]
fn nothing_and_too_much_are_refused_before_they_are_queued() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let mut options = options(&TestClock::new());
        options.buffer_bytes_max = 40 << 20;
        let world = World::open(&disk, options).unwrap();
        let nothing = world.ledger.append(vec![]).await;
        assert!(matches!(nothing, Err(AppendError::Empty)));
        let long = said("@felix", &"x".repeat(abide_ledger::LINE_BYTES_MAX));
        let refused = world.ledger.append(vec![said("@felix", "short"), long]).await;
        assert!(matches!(refused, Err(AppendError::LineTooLong { kind: "stimulus.accepted", .. })));
        let nearly = "y".repeat(abide_ledger::LINE_BYTES_MAX - 1024);
        let many = (0..3).map(|_| said("@felix", &nearly)).collect();
        let refused = world.ledger.append(many).await;
        assert!(matches!(refused, Err(AppendError::BatchTooLarge { .. })));
        assert_eq!(world.texts(), [""; 0]);
        world.say(&nearly).await;
        world.say("short").await;
        assert_eq!(world.texts(), [nearly.as_str(), "short"]);
        world.close().await;
        assert!(abide_ledger::folder::verify(Arc::new(disk)).unwrap().ok);
    });
}

#[test]
fn a_full_buffer_makes_callers_wait_in_order_and_loses_none() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let mut options = options(&TestClock::new());
        options.buffer_bytes_max = 2_000;
        let world = World::open(&disk, options).unwrap();
        let mut tasks = JoinSet::new();
        for i in 0..40 {
            let ledger = world.ledger.clone();
            tasks.spawn(async move {
                ledger.append(vec![said("@felix", &format!("{i:02}"))]).await.unwrap()
            });
        }
        assert_eq!(tasks.join_all().await.len(), 40);
        let expected: Vec<_> = (0..40).map(|i| format!("{i:02}")).collect();
        assert_eq!(world.texts(), expected);
    });
}

#[test]
fn after_close_nothing_is_taken_and_everything_submitted_is_there() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let other = world.ledger.clone();
        let pending = world.ledger.submit(vec![said("@felix", "last")]).await.unwrap();
        world.close().await;
        assert_eq!(pending.durable().await.unwrap().last_seq, 2);
        let late = other.append(vec![said("@felix", "late")]).await;
        assert!(matches!(late, Err(AppendError::Closed)));
        let content = disk.content("0000000001.jsonl").unwrap();
        assert!(content.ends_with(b"}\n"), "the padding is cut off");
        assert!(disk.content("0000000001.side.json").is_some());
    });
}

#[test]
fn a_committer_that_is_gone_fails_appends_instead_of_keeping_them_waiting() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let (ledger, committer) = Ledger::open(Arc::new(disk), options(&TestClock::new())).unwrap();
        let pending = ledger.submit(vec![said("@felix", "x")]).await.unwrap();
        drop(committer);
        assert!(matches!(pending.durable().await, Err(AppendError::Closed)));
        let late = ledger.append(vec![said("@felix", "y")]).await;
        assert!(matches!(late, Err(AppendError::Closed)));
        ledger.close().await;
    });
}

#[test]
fn many_threads_on_a_real_disk_get_dense_numbers_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Arc::new(FileStorage::create(&folder.path().join("ledger")).unwrap());
    let mut options = options(&TestClock::new());
    options.segment_bytes_max = 64 * 1024;
    let (ledger, committer) = Ledger::open(storage.clone(), options.clone()).unwrap();
    let committer = committer.spawn().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let (seqs, live) = runtime.block_on(async {
        let mut writers = JoinSet::new();
        for writer in 0..16 {
            let ledger = ledger.clone();
            writers.spawn(async move {
                let mut seqs = Vec::new();
                for i in 0..40 {
                    let text = format!("{writer}:{i}");
                    let appended = ledger.append(vec![said("@felix", &text)]).await.unwrap();
                    assert!(ledger.head().seq >= appended.last_seq);
                    seqs.push((appended.last_seq, text));
                }
                assert!(seqs.is_sorted());
                seqs
            });
        }
        let mut feed = ledger.feed(0);
        let live = async {
            let mut texts = Vec::new();
            let mut expected = 1;
            while texts.len() < 640 {
                let record = feed.next().await.unwrap();
                assert_eq!(record.seq(), expected);
                expected += 1;
                if record.kind() == "stimulus.accepted" {
                    texts.push((record.seq(), text_of(&record)));
                }
            }
            texts
        };
        let (seqs, live) = tokio::join!(writers.join_all(), live);
        ledger.close().await;
        (seqs, live)
    });
    committer.join().unwrap();
    let mut written: Vec<_> = seqs.into_iter().flatten().collect();
    written.sort();
    assert_eq!(written, live);
    assert!(storage.list().unwrap().len() > 4, "several segments");
    let report = abide_ledger::folder::verify(storage.clone()).unwrap();
    assert!(report.ok, "{report:?}");
    let (ledger, _committer) = Ledger::open(storage, options).unwrap();
    assert_eq!(ledger.status(), LedgerStatus::Ok);
    let read: Vec<_> = ledger
        .records(1)
        .map(Result::unwrap)
        .filter(|r| r.kind() == "stimulus.accepted")
        .map(|r| (r.seq(), text_of(&r)))
        .collect();
    assert_eq!(read, written);
}

#[test]
fn dropping_the_last_handle_ends_the_committer_in_good_order() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Arc::new(FileStorage::create(folder.path()).unwrap());
    let (ledger, committer) = Ledger::open(storage, options(&TestClock::new())).unwrap();
    let committer = committer.spawn().unwrap();
    block_on(async { ledger.append(vec![said("@felix", "x")]).await.unwrap() });
    drop(ledger);
    committer.join().unwrap();
    let bytes = std::fs::read(folder.path().join("0000000001.jsonl")).unwrap();
    assert!(bytes.ends_with(b"}\n"));
}
