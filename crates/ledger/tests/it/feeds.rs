//! Feeds: backlog then live, no gap, no double, bounded memory for slow readers.

use std::time::Duration;

use abide_ledger::{Feed, FeedError, Ledger, Record, storage::fault::FaultStorage};
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
