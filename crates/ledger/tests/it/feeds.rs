//! Feeds: backlog then live, no gap, no double, bounded memory for slow readers.

use std::time::Duration;

use abide_ledger::{
    Feed, FeedError, Ledger, Query, QueryOrder, Record, storage::fault::FaultStorage,
};
use proptest::prelude::*;
use tokio::task::JoinSet;

use crate::world::{TestClock, World, block_on, options, said};

#[test]
fn a_feed_can_move_between_threads() {
    fn check<T: Send>(_: &T) {}
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut feed = world.ledger.feed(0);
        check(&feed);
        check(&feed.next());
        check(&world.ledger.append(vec![]));
    });
}

#[test]
fn a_feed_shows_the_backlog_then_waits_for_more() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("one").await;
        let mut feed = world.ledger.feed(1);
        assert_eq!(feed.next().await.unwrap().seq(), 2);
        let nothing = tokio::time::timeout(Duration::from_millis(1), feed.next()).await;
        assert!(nothing.is_err());
        let (record, _) = tokio::join!(feed.next(), world.say("two"));
        assert_eq!(record.unwrap().seq(), 3);
    });
}

#[test]
fn a_feed_that_starts_beyond_the_log_waits_until_the_log_is_there() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut feed = world.ledger.feed(3);
        for text in ["two", "three", "four"] {
            world.say(text).await;
        }
        assert_eq!(feed.next().await.unwrap().seq(), 4);
    });
}

#[test]
fn a_feed_ends_when_the_ledger_is_closed_and_all_is_delivered() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let mut feed = world.ledger.feed(0);
        world.say("one").await;
        world.close().await;
        assert_eq!(feed.next().await.unwrap().seq(), 1);
        assert_eq!(feed.next().await.unwrap().seq(), 2);
        assert!(matches!(feed.next().await, Err(FeedError::Closed)));
    });
}

#[test]
fn a_batch_takes_what_is_at_hand_and_no_more() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for i in 0..5 {
            world.ledger.append(vec![said("@felix", &format!("{i}")); 3]).await.unwrap();
        }
        let mut feed = world.ledger.feed(0);
        let mut seqs = Vec::new();
        while seqs.len() < 16 {
            let batch = feed.next_batch(7).await.unwrap();
            assert!(batch.len() <= 7);
            seqs.extend(batch.iter().map(Record::seq));
        }
        assert_eq!(seqs, (1..=16).collect::<Vec<_>>());
    });
}

async fn read_to(mut feed: Feed, last: u64, pauses: Vec<u8>) -> Vec<(u64, String)> {
    let mut pauses = pauses.into_iter().cycle();
    let mut read = Vec::new();
    while feed.next_seq() <= last {
        for _ in 0..pauses.next().unwrap_or(0) {
            tokio::task::yield_now().await;
        }
        let record = feed.next().await.unwrap();
        read.push((record.seq(), record.line().to_owned()));
    }
    read
}

async fn write_all(ledger: Ledger, batches: Vec<usize>) {
    for size in batches {
        let drafts = (0..=size).map(|i| said("@felix", &"x".repeat(i * 37))).collect();
        drop(ledger.submit(drafts).await.unwrap());
        if size % 2 == 0 {
            tokio::task::yield_now().await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_feed_sees_every_event_once_in_order_however_slow_it_is(
        batches in prop::collection::vec(0..6_usize, 1..60),
        readers in prop::collection::vec(
            (0..40_u64, prop::collection::vec(0..12_u8, 1..5)),
            1..6,
        ),
        recent_bytes_max in 0..6_000_usize,
        segment_bytes_max in 1_500..9_000_u64,
    ) {
        block_on(async {
            let disk = FaultStorage::new(1);
            let mut options = options(&TestClock::new());
            options.recent_bytes_max = recent_bytes_max;
            options.segment_bytes_max = segment_bytes_max;
            let world = World::open(&disk, options).unwrap();
            let last = batches.iter().map(|size| *size as u64 + 1).sum::<u64>() + 1;
            let mut tasks = JoinSet::new();
            for (after, pauses) in readers {
                let feed = world.ledger.feed(after);
                tasks.spawn(async move { (after, read_to(feed, last, pauses).await) });
            }
            let writing = write_all(world.ledger.clone(), batches);
            let (read, ()) = tokio::join!(tasks.join_all(), writing);
            let lines = world.lines();
            for (after, read) in read {
                let numbers: Vec<_> = read.iter().map(|(seq, _)| *seq).collect();
                assert_eq!(numbers, (after + 1..=last.max(after)).collect::<Vec<_>>());
                for (seq, line) in read {
                    assert_eq!(line, lines[usize::try_from(seq).unwrap() - 1]);
                }
            }
        });
    }
}

/// Sizes of lines around everything that readers cut by: a block of the index, a page, several pages.
const SIZES: [usize; 8] = [0, 900, 31_000, 33_000, 70_000, 255_000, 263_000, 600_000];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_reader_gets_on_whatever_the_sizes_of_lines_are(
        sizes in prop::collection::vec((0..SIZES.len(), 0..64_usize), 1..12),
        batches in prop::collection::vec(1..4_usize, 1..12),
        segment_bytes_max in prop_oneof![Just(300_000_u64), Just(1 << 20), Just(64 << 20)],
        is_reopened in any::<bool>(),
    ) {
        block_on(async {
            let disk = FaultStorage::new(1);
            let mut options = options(&TestClock::new());
            // Nothing is read from memory.
            options.recent_bytes_max = 0;
            options.segment_bytes_max = segment_bytes_max;
            let mut world = World::open(&disk, options.clone()).unwrap();
            let mut drafts: Vec<_> =
                sizes.iter().map(|(size, more)| said("@felix", &"x".repeat(SIZES[*size] + more))).collect();
            let mut counts = batches.iter().cycle();
            while !drafts.is_empty() {
                let count = (*counts.next().unwrap()).min(drafts.len());
                world.ledger.append(drafts.drain(..count).collect()).await.unwrap();
            }
            if is_reopened {
                world.close().await;
                world = World::open(&disk, options).unwrap();
            }
            let last = world.ledger.head().seq;
            let lines = world.lines();
            for from in 1..=last {
                let at = usize::try_from(from).unwrap() - 1;
                let read: Vec<_> =
                    world.ledger.records(from).map(|r| r.unwrap().line().to_owned()).collect();
                assert_eq!(read, lines[at..], "records from {from}");
                let feed = world.ledger.feed(from - 1);
                let fed = tokio::time::timeout(Duration::from_mins(1), read_to(feed, last, vec![0]));
                let fed: Vec<_> = fed.await.expect("a feed gets on").into_iter().map(|(_, l)| l).collect();
                assert_eq!(fed, lines[at..], "a feed after {}", from - 1);
                let query = Query { after: from - 1, ..Query::default() };
                let found: Vec<_> =
                    world.ledger.query(query).map(|r| r.unwrap().line().to_owned()).collect();
                assert_eq!(found, lines[at..], "a query after {}", from - 1);
            }
            let newest = Query { order: QueryOrder::NewestFirst, ..Query::default() };
            let found: Vec<_> =
                world.ledger.query(newest).map(|r| r.unwrap().line().to_owned()).collect();
            assert!(found.iter().eq(lines.iter().rev()));
        });
    }
}
