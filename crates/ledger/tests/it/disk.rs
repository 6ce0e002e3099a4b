//! Disks that are full, read-only or broken: what the ledger says, and that it loses nothing.

use std::{sync::Arc, time::Duration};

use abide_ledger::{AppendError, Ledger, LedgerStatus, folder, storage::fault::FaultStorage};

use crate::world::{TestClock, World, block_on, options, said};

#[test]
fn a_full_disk_refuses_appends_and_takes_them_again_when_there_is_room() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("before").await;
        let mut changes = world.ledger.status_changes();
        disk.set_capacity(Some(disk.used_bytes()));
        let long = said("@felix", &"x".repeat(5_000));
        let refused = world.ledger.append(vec![long.clone()]).await;
        assert!(matches!(refused, Err(AppendError::Degraded { .. })), "{refused:?}");
        assert!(matches!(world.ledger.status(), LedgerStatus::Degraded { .. }));
        changes.changed().await.unwrap();
        assert_eq!(world.texts(), ["before"]);
        assert_eq!(world.ledger.head().seq, 2);
        disk.set_capacity(None);
        assert_eq!(world.ledger.append(vec![long]).await.unwrap().first_seq, 3);
        assert_eq!(world.ledger.status(), LedgerStatus::Ok);
        disk.kill();
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        assert_eq!(world.texts().len(), 2);
        assert_eq!(world.count("keeper.tail_quarantined"), 0);
    });
}

#[test]
fn padding_that_does_not_fit_does_not_fail_an_append_that_does() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let used = disk.used_bytes();
        disk.set_capacity(Some(used + 1_200));
        for i in 0..7 {
            world.say(&format!("{i}")).await;
        }
        assert_eq!(world.ledger.status(), LedgerStatus::Ok);
    });
}

#[test]
fn every_size_of_room_that_is_left_ends_without_loss() {
    block_on(async {
        for room in (0..9_000).step_by(37) {
            let disk = FaultStorage::new(room);
            let mut options = options(&TestClock::new());
            options.segment_bytes_max = 3_000;
            disk.set_capacity(Some(room));
            let mut acknowledged = Vec::new();
            let world = World::open(&disk, options.clone()).unwrap();
            for i in 0..12 {
                let text = format!("{i}:{}", "y".repeat(300));
                if world.ledger.append(vec![said("@felix", &text)]).await.is_ok() {
                    acknowledged.push(text);
                }
            }
            assert_eq!(world.texts(), acknowledged, "{room}");
            disk.set_capacity(None);
            world.say("room").await;
            acknowledged.push("room".into());
            drop(world);
            disk.power_cycle();
            let world = World::open(&disk, options).unwrap();
            assert_eq!(world.texts(), acknowledged, "{room}");
            world.close().await;
            assert!(folder::verify(Arc::new(disk)).unwrap().ok);
        }
    });
}

#[test]
fn a_read_only_disk_opens_degraded_and_can_be_read() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("before").await;
        world.close().await;
        disk.set_read_only(true);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        let LedgerStatus::Degraded { reason } = world.ledger.status() else { panic!() };
        assert!(reason.contains("read-only"), "{reason}");
        assert_eq!(world.texts(), ["before"]);
        assert_eq!(world.ledger.feed(1).next().await.unwrap().seq(), 2);
        let refused = world.ledger.append(vec![said("@felix", "x")]).await;
        assert!(matches!(refused, Err(AppendError::Degraded { .. })));
        disk.set_read_only(false);
        world.say("after").await;
        assert_eq!(world.ledger.status(), LedgerStatus::Ok);
        assert_eq!(world.texts(), ["before", "after"]);
    });
}

#[test]
fn every_error_that_passes_degrades_and_is_over_when_it_is_over() {
    let passing = [
        ("ENOSPC", 28),
        ("EDQUOT", 122),
        ("EFBIG", 27),
        ("EROFS", 30),
        ("EACCES", 13),
        ("EPERM", 1),
        ("ENOMEM", 12),
        ("EMFILE", 24),
        ("ENFILE", 23),
    ];
    for (name, errno) in passing {
        block_on(async {
            let disk = FaultStorage::new(1);
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            world.say("before").await;
            disk.refuse_writes_with(Some(errno));
            for _ in 0..3 {
                let refused = world.ledger.append(vec![said("@felix", "refused")]).await;
                assert!(
                    matches!(refused, Err(AppendError::Degraded { .. })),
                    "{name}: {refused:?}"
                );
            }
            assert!(
                matches!(world.ledger.seal().await, Err(AppendError::Degraded { .. })),
                "{name}"
            );
            disk.refuse_writes_with(None);
            world.say("after").await;
            assert_eq!(world.ledger.status(), LedgerStatus::Ok, "{name}");
            assert_eq!(world.texts(), ["before", "after"], "{name}");
        });
    }
}

/// What is acknowledged of a life on a disk that turns read-only at some operation and is mended after each third try.
async fn life_on_a_disk_that_turns_read_only(world: &World, disk: &FaultStorage) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for i in 0..12 {
        let text = format!("{i}:{}", "y".repeat(300));
        match world.ledger.append(vec![said("@felix", &text)]).await {
            Ok(_) => acknowledged.push(text),
            Err(AppendError::Degraded { .. }) if i % 3 < 2 => {
                assert!(matches!(world.ledger.status(), LedgerStatus::Degraded { .. }));
                assert_eq!(world.texts(), acknowledged, "it can still be read");
            }
            Err(AppendError::Degraded { .. }) => disk.set_read_only(false),
            // Between a write and its sync: nobody knows what the disk has.
            Err(error) => assert!(error.to_string().contains("a sync failed"), "{error}"),
        }
    }
    acknowledged
}

#[test]
fn a_disk_that_turns_read_only_at_any_operation_loses_nothing_and_takes_appends_again() {
    let (mut degraded, mut poisoned) = (0, 0);
    for at in 1..60 {
        block_on(async {
            let disk = FaultStorage::new(at);
            let mut options = options(&TestClock::new());
            options.segment_bytes_max = 2_000;
            let world = World::open(&disk, options.clone()).unwrap();
            disk.turn_read_only_at(at);
            let mut acknowledged = life_on_a_disk_that_turns_read_only(&world, &disk).await;
            disk.set_read_only(false);
            if matches!(world.ledger.status(), LedgerStatus::Poisoned { .. }) {
                poisoned += 1;
            } else {
                degraded += usize::from(acknowledged.len() < 12);
                world.say("writable").await;
                acknowledged.push("writable".into());
                assert_eq!(world.ledger.status(), LedgerStatus::Ok, "{at}");
                assert_eq!(world.texts(), acknowledged, "{at}");
            }
            drop(world);
            disk.power_cycle();
            let world = World::open(&disk, options).unwrap();
            assert!(world.texts().starts_with(&acknowledged), "{at}");
            world.close().await;
            assert!(folder::verify(Arc::new(disk)).unwrap().ok, "{at}");
        });
    }
    assert!(degraded > 5 && poisoned > 5, "{degraded} degraded, {poisoned} poisoned");
}

#[test]
fn what_a_failed_write_left_on_a_disk_that_turned_read_only_is_taken_back_before_the_next_one() {
    for seed in 0..40 {
        for is_killed in [false, true] {
            block_on(async {
                let disk = FaultStorage::new(seed);
                let world = World::open(&disk, options(&TestClock::new())).unwrap();
                world.say("before").await;
                disk.set_capacity(Some(disk.used_bytes()));
                // The write is cut short; what was to take it back is refused.
                disk.turn_read_only_at(2);
                let long = said("@felix", &"x".repeat(5_000));
                for _ in 0..2 {
                    let refused = world.ledger.append(vec![long.clone()]).await;
                    assert!(matches!(refused, Err(AppendError::Degraded { .. })), "{refused:?}");
                }
                disk.set_read_only(false);
                disk.set_capacity(None);
                let world = if is_killed {
                    drop(world);
                    disk.kill();
                    World::open(&disk, options(&TestClock::new())).unwrap()
                } else {
                    world
                };
                world.say("after").await;
                assert_eq!(world.texts(), ["before", "after"], "{seed}");
                world.close().await;
                assert!(folder::verify(Arc::new(disk)).unwrap().ok, "{seed}");
            });
        }
    }
}

#[test]
fn a_disk_that_is_writable_again_is_found_by_itself() {
    block_on(async {
        tokio::time::pause();
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("before").await;
        disk.set_read_only(true);
        assert!(world.ledger.append(vec![said("@felix", "x")]).await.is_err());
        let mut changes = world.ledger.status_changes();
        assert!(matches!(*changes.borrow_and_update(), LedgerStatus::Degraded { .. }));
        disk.set_read_only(false);
        changes.changed().await.unwrap();
        assert_eq!(world.ledger.status(), LedgerStatus::Ok);
        world.close().await;
    });
}

#[test]
fn an_empty_read_only_disk_opens_degraded_too() {
    block_on(async {
        let disk = FaultStorage::new(1);
        disk.set_read_only(true);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        assert!(matches!(world.ledger.status(), LedgerStatus::Degraded { .. }));
        assert_eq!((world.ledger.head().seq, world.lines().len()), (0, 0));
        disk.set_read_only(false);
        assert_eq!(world.say("first").await, 2);
    });
}

#[test]
fn a_failed_sync_ends_all_writing_and_is_never_tried_again() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        world.say("before").await;
        disk.fail_sync_at(1);
        let mut feed = world.ledger.feed(2);
        let failed = world.ledger.append(vec![said("@felix", "doubtful")]).await;
        assert!(matches!(failed, Err(AppendError::Poisoned { .. })), "{failed:?}");
        assert!(matches!(world.ledger.status(), LedgerStatus::Poisoned { .. }));
        let operations = disk.operations();
        for _ in 0..3 {
            let refused = world.ledger.append(vec![said("@felix", "late")]).await;
            assert!(matches!(refused, Err(AppendError::Poisoned { .. })));
        }
        assert!(matches!(world.ledger.seal().await, Err(AppendError::Poisoned { .. })));
        assert_eq!(world.texts(), ["before"], "what is not durable is not shown");
        let nothing = tokio::time::timeout(Duration::from_millis(1), feed.next()).await;
        assert!(nothing.is_err(), "a feed shows nothing that is not durable, and stays open");
        world.close().await;
        assert_eq!(disk.operations(), operations, "nothing is written after a failed sync");
    });
}

#[test]
fn after_a_failed_sync_the_next_start_makes_what_it_reads_durable_before_it_shows_it() {
    // The page cache holds the batch, marked clean; the disk does not.
    for seed in 0..50 {
        block_on(async {
            let disk = FaultStorage::new(seed);
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            world.say("before").await;
            disk.fail_sync_at(1);
            let text = "doubtful ".repeat(200);
            assert!(world.ledger.append(vec![said("@felix", &text)]).await.is_err());
            drop(world);
            disk.kill();
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            let shown = world.lines();
            assert_eq!(world.texts().len(), 2);
            drop(world);
            disk.power_cycle();
            let world = World::open(&disk, options(&TestClock::new())).unwrap();
            assert_eq!(world.lines(), shown);
        });
    }
}

#[test]
fn a_torn_tail_whose_clearing_was_not_synced_never_comes_back() {
    // The start that clears it fails at a sync; the next one, in the same page cache, finds nothing torn any more.
    for seed in 0..40 {
        for failing in 1..=5 {
            let (disk, clock) = (FaultStorage::new(seed), TestClock::new());
            block_on(async {
                let world = World::open(&disk, options(&clock)).unwrap();
                world.say("before").await;
                world.close().await;
                // A batch of three that lost its first line to a sector that was not written.
                let other = disk.fork();
                let world = World::open(&other, options(&clock)).unwrap();
                world.ledger.append(vec![said("@felix", "torn"); 3]).await.unwrap();
                world.close().await;
                let whole = disk.content("0000000001.jsonl").unwrap().len();
                let mut content = other.content("0000000001.jsonl").unwrap();
                let first = content[whole..].iter().position(|byte| *byte == b'\n').unwrap();
                content[whole..whole + first].fill(b'\n');
                disk.put("0000000001.jsonl", &content);
                disk.fail_sync_at(failing);
                drop(World::open(&disk, options(&clock)));
                disk.kill();
                let world = World::open(&disk, options(&clock)).unwrap();
                world.say("after").await;
                drop(world);
                disk.power_cycle();
                let world = World::open(&disk, options(&clock)).unwrap();
                assert_eq!(world.texts(), ["before", "after"], "seed {seed}, sync {failing}");
                assert_eq!(world.count("keeper.tail_quarantined"), 1);
            });
        }
    }
}

#[test]
fn a_medium_that_fails_a_write_ends_all_writing() {
    block_on(async {
        let disk = FaultStorage::new(1);
        let world = World::open(&disk, options(&TestClock::new())).unwrap();
        disk.fail_write_at(1);
        let failed = world.ledger.append(vec![said("@felix", "x")]).await;
        assert!(matches!(failed, Err(AppendError::Poisoned { .. })));
    });
}

#[test]
fn a_sync_that_fails_at_the_start_is_an_error_of_the_start() {
    let disk = FaultStorage::new(1);
    disk.fail_sync_at(1);
    assert!(Ledger::open(Arc::new(disk.clone()), options(&TestClock::new())).is_err());
    assert!(Ledger::open(Arc::new(disk), options(&TestClock::new())).is_ok());
}

#[test]
fn the_side_file_follows_a_burst_within_a_second() {
    block_on(async {
        let (disk, clock) = (FaultStorage::new(1), TestClock::new());
        let world = World::open(&disk, options(&clock)).unwrap();
        world.say("one").await;
        assert_eq!(disk.content("0000000001.side.json"), None);
        clock.advance(Duration::from_secs(1));
        world.say("two").await;
        world.say("three").await;
        let side = String::from_utf8(disk.content("0000000001.side.json").unwrap()).unwrap();
        assert!(side.contains("\"last_seq\":3,"), "{side}");
    });
}
