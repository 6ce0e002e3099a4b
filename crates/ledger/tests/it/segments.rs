//! Segments: rolling, sealing, starting quickly, crashing while rolling.

use std::sync::Arc;

use abide_domain::event::{Event, KeeperEvent};
use abide_ledger::{Ledger, Query, folder, storage::fault::FaultStorage};

use crate::world::{TestClock, World, block_on, options, said};

#[test]
fn a_full_segment_is_sealed_and_the_next_repeats_its_chain_value() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let mut options = options(&TestClock::new());
        options.segment_bytes_max = 3_000;
        let world = World::open(&disk, options.clone()).unwrap();
        for i in 0..40 {
            world.say(&format!("{i}")).await;
        }
        let segments = world.ledger.head().segment;
        assert!(segments >= 4);
        let query = Query { kinds: vec!["keeper.segment_opened".into()], ..Query::default() };
        let opened: Vec<_> = world.ledger.query(query).map(Result::unwrap).collect();
        assert_eq!(opened.len() as u64, segments);
        let lines = world.lines();
        for (record, number) in opened.iter().zip(1..) {
            let event = record.entry().unwrap().event;
            let Event::Keeper(KeeperEvent::SegmentOpened(event)) = event else { panic!() };
            assert_eq!(event.segment, number);
            if number > 1 {
                let before = &lines[usize::try_from(record.seq()).unwrap() - 2];
                assert!(before.contains(&format!("\"chain\":\"{}\"", event.previous_chain)));
            }
            let content = disk.content(&format!("{number:010}.jsonl")).unwrap();
            let is_last = number == segments;
            assert!(is_last || (content.ends_with(b"}\n") && content.len() <= 3_000));
        }
        world.close().await;
        let world = World::open(&disk, options).unwrap();
        assert_eq!(world.lines(), lines);
    });
}

#[test]
fn sealing_on_demand_says_which_segment_and_stands_behind_what_was_submitted() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let pending = world.ledger.submit(vec![said("@felix", "before")]).await.unwrap();
        assert_eq!(world.ledger.seal().await.unwrap(), 1);
        assert_eq!(pending.durable().await.unwrap().first_seq, 2);
        assert_eq!(world.say("after").await, 4);
        let first = String::from_utf8(disk.content("0000000001.jsonl").unwrap()).unwrap();
        assert!(first.contains("before") && !first.contains("after"));
        assert_eq!(world.ledger.seal().await.unwrap(), 2);
        world.close().await;
        assert!(folder::verify(Arc::new(disk)).unwrap().ok);
    });
}

#[test]
fn a_start_reads_sealed_segments_by_their_ends_only() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        for i in 0..30 {
            world.say(&format!("{i}")).await;
        }
        world.ledger.seal().await.unwrap();
        world.close().await;
        let length = disk.content("0000000001.jsonl").unwrap().len();
        disk.flip("0000000001.jsonl", length / 2, 1);
        let opened = Ledger::open(Arc::new(disk.clone()), options(&TestClock::new()));
        assert!(opened.is_ok(), "the middle is not read");
        for at in [10, length - 40] {
            let disk = disk.fork();
            disk.flip("0000000001.jsonl", at, 1);
            let refused = Ledger::open(Arc::new(disk), options(&TestClock::new()));
            assert!(refused.is_err(), "the ends are");
        }
    });
}

#[test]
fn a_new_segment_that_never_got_its_first_batch_is_created_once_more() {
    block_on(async {
        let origin = FaultStorage::new(1);
        let world = World::open(&origin, options(&TestClock::new())).unwrap();
        world.say("one").await;
        world.close().await;
        for stub in [&b""[..], b"\n\n\n\n", b"{\"seq\":3,\"tick\"", b"\0\0\0\0\0\0"] {
            let disk = origin.fork();
            disk.put("0000000002.jsonl", stub);
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.ledger.head().segment, 2);
            let is_torn = stub.iter().any(|byte| *byte != b'\n');
            assert_eq!(world.count("keeper.tail_quarantined"), usize::from(is_torn));
            assert_eq!(world.count("keeper.segment_opened"), 2);
            world.say("two").await;
            assert_eq!(world.texts(), ["one", "two"]);
            world.close().await;
            assert!(folder::verify(Arc::new(disk)).unwrap().ok);
        }
    });
}

#[test]
fn a_roll_that_fails_for_want_of_room_is_made_up_for_before_anything_else_is_written() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("one").await;
        disk.set_capacity(Some(0));
        assert!(world.ledger.seal().await.is_err());
        disk.set_capacity(None);
        world.say("two").await;
        assert_eq!(
            world.ledger.head().segment,
            2,
            "the second segment's file may be there already"
        );
        assert_eq!(world.texts(), ["one", "two"]);
        disk.kill();
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        assert_eq!(world.texts(), ["one", "two"]);
    });
}

#[test]
fn a_batch_larger_than_a_segment_gets_one_of_its_own() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let mut options = options(&TestClock::new());
        options.segment_bytes_max = 3_000;
        let world = World::open(&disk, options).unwrap();
        world.say("small").await;
        world.say(&"x".repeat(10_000)).await;
        world.say("small again").await;
        assert_eq!(world.texts().len(), 3);
        assert_eq!(world.ledger.head().segment, 3);
        world.close().await;
        assert!(folder::verify(Arc::new(disk)).unwrap().ok);
    });
}
