//! The queue as a pure machine.

use std::{collections::HashSet, time::Duration};

use abide_media::{
    AddPlace, EntryEnd, EntryId, PlayIntent, PlayerEvent, QueueCommand, QueueError, QueueEvent,
    QueueState, RepeatMode, StopReason, TrackKey, TrackRef, Volume,
};

fn track(number: u64) -> TrackRef {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    let title = format!("track {number}");
    TrackRef { key: TrackKey::from_bytes(key), title, artists: Vec::new(), duration_ms: Some(1) }
}

#[derive(Default)]
struct Fixture {
    queue: QueueState,
    lines: Vec<String>,
}

impl Fixture {
    fn with(tracks: u64) -> Self {
        let mut fixture = Self::default();
        fixture.command(add((0..tracks).map(track).collect(), AddPlace::End));
        fixture
    }

    fn apply(&mut self, events: &[QueueEvent]) {
        for event in events {
            self.queue.apply(event);
            self.lines.push(serde_json::to_string(event).unwrap());
        }
    }

    fn command(&mut self, command: QueueCommand) -> Vec<QueueEvent> {
        let events = self.queue.decide(command).unwrap();
        self.apply(&events);
        events
    }

    /// The present entry ends.
    fn end(&mut self, end: EntryEnd) -> Vec<QueueEvent> {
        let entry = self.queue.current().unwrap();
        let events = self.queue.hear(&PlayerEvent::Ended { entry, end });
        self.apply(&events);
        events
    }

    fn current(&self) -> Option<u64> {
        self.queue.current().map(|entry| entry.0)
    }
}

fn add(tracks: Vec<TrackRef>, place: AddPlace) -> QueueCommand {
    QueueCommand::Add { tracks, place }
}

fn failed() -> EntryEnd {
    EntryEnd::Failed { reason: "loading failed".into() }
}

#[test]
fn entries_are_played_one_after_the_other_and_then_it_stops() {
    let mut f = Fixture::with(3);
    f.command(QueueCommand::Play);
    let mut seen = vec![f.current()];
    for _ in 0..3 {
        f.end(EntryEnd::Finished);
        seen.push(f.current());
    }
    assert_eq!(seen, [Some(0), Some(1), Some(2), None]);
    assert_eq!(f.queue.decide(QueueCommand::Next), Err(QueueError::Nothing));
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::All });
    f.command(QueueCommand::PlayEntry { entry: EntryId(2) });
    f.end(EntryEnd::Finished);
    assert_eq!(f.current(), Some(0));
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::One });
    f.end(EntryEnd::Finished);
    assert_eq!(f.current(), Some(0));
    f.command(QueueCommand::Next);
    assert_eq!(f.current(), Some(1), "asked for, the next one comes");
    let late = QueueCommand::Previous { position: Duration::from_mins(1) };
    assert_eq!(f.command(late), [QueueEvent::EntryStarted { entry: EntryId(1) }]);
    f.command(QueueCommand::Previous { position: Duration::from_secs(1) });
    assert_eq!(f.current(), Some(0));
}

#[test]
fn dm_22_broken_entries_are_skipped_and_marked_and_a_full_round_of_them_stops() {
    let mut f = Fixture::with(3);
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::All });
    f.command(QueueCommand::Play);
    f.end(failed());
    f.end(EntryEnd::Finished);
    assert_eq!(f.current(), Some(2));
    assert_eq!(f.queue.failure(EntryId(0)), Some("loading failed"));
    f.end(failed());
    f.end(failed());
    assert_eq!(f.current(), Some(1), "two in a row are no round");
    let events = f.end(failed());
    let reason = StopReason::NothingPlayable;
    assert_eq!(events.last(), Some(&QueueEvent::Stopped { reason }));
    assert_eq!(f.current(), None);
    // One that is repeated and breaks does not hold the others up.
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::One });
    f.command(QueueCommand::PlayEntry { entry: EntryId(1) });
    f.end(failed());
    assert_eq!(f.current(), Some(2));
}

#[test]
fn dm_23_only_the_end_of_the_present_entry_advances() {
    let mut f = Fixture::with(3);
    f.command(QueueCommand::PlayEntry { entry: EntryId(1) });
    for event in [
        PlayerEvent::Ended { entry: EntryId(0), end: EntryEnd::Finished },
        PlayerEvent::Started { entry: EntryId(2) },
        PlayerEvent::Changed,
        PlayerEvent::Position { entry: EntryId(1), position: Duration::ZERO },
        PlayerEvent::Restarted { reason: "mpv ended by itself".into() },
    ] {
        assert_eq!(f.queue.hear(&event), [], "{event:?}");
    }
}

#[test]
fn the_same_seed_shuffles_the_same_and_what_plays_goes_on() {
    let mut one = Fixture::with(40);
    one.command(QueueCommand::PlayEntry { entry: EntryId(17) });
    one.command(QueueCommand::SetShuffle { seed: Some(5) });
    let first: Vec<EntryId> = one.queue.order().to_vec();
    assert_eq!((one.current(), first[0]), (Some(17), EntryId(17)));
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 40);
    let sorted: Vec<EntryId> = (0..40).map(EntryId).collect();
    assert_ne!(first, sorted);
    one.command(QueueCommand::SetShuffle { seed: None });
    assert_eq!(one.queue.order(), sorted);
    one.command(QueueCommand::SetShuffle { seed: Some(5) });
    assert_eq!(one.queue.order(), first);
    one.command(QueueCommand::SetShuffle { seed: Some(6) });
    assert_ne!(one.queue.order(), first);

    // All are heard once, also those that come in later.
    let mut heard = vec![one.current().unwrap()];
    for round in 0..60_u64 {
        if round == 10 {
            one.command(add((100..105).map(track).collect(), AddPlace::End));
        }
        if round == 20 {
            one.command(add(vec![track(200)], AddPlace::Next));
            assert_eq!(one.queue.following(), Some(EntryId(45)), "next is next");
        }
        one.end(EntryEnd::Finished);
        match one.current() {
            Some(entry) => heard.push(entry),
            None => break,
        }
    }
    heard.sort_unstable();
    assert_eq!(heard, (0..46).collect::<Vec<u64>>());
}

#[test]
fn entries_go_in_out_and_elsewhere_while_one_plays() {
    let mut f = Fixture::with(4);
    f.command(QueueCommand::PlayEntry { entry: EntryId(1) });
    f.command(add(vec![track(10), track(11)], AddPlace::Next));
    let ids = |f: &Fixture| f.queue.entries().iter().map(|e| e.id.0).collect::<Vec<_>>();
    assert_eq!(ids(&f), [0, 1, 4, 5, 2, 3]);
    f.command(QueueCommand::Move { entry: EntryId(3), before: Some(EntryId(0)) });
    f.command(QueueCommand::Move { entry: EntryId(4), before: None });
    assert_eq!((ids(&f), f.current()), (vec![3, 0, 1, 5, 2, 4], Some(1)));
    f.command(QueueCommand::Remove { entries: vec![EntryId(1), EntryId(5)] });
    assert_eq!((ids(&f), f.current()), (vec![3, 0, 2, 4], Some(2)), "what comes after it plays");
    f.command(add(vec![track(20)], AddPlace::Now));
    assert_eq!(f.current(), Some(6));
    f.command(QueueCommand::SetVolume { volume: Volume::new(150) });
    f.command(QueueCommand::Pause);
    assert_eq!((f.queue.volume().percent(), f.queue.intent()), (100, PlayIntent::Pause));
    f.command(QueueCommand::Clear);
    assert_eq!((ids(&f), f.current()), (vec![], None));
    assert_eq!(f.command(add(vec![track(1)], AddPlace::End)).len(), 1);
    assert_eq!(ids(&f), [7], "numbers are used once");
}

#[test]
fn what_the_queue_cannot_do_is_refused() {
    let f = Fixture::with(2);
    let entry = EntryId(9);
    for command in [
        QueueCommand::PlayEntry { entry },
        QueueCommand::Remove { entries: vec![EntryId(0), entry] },
        QueueCommand::Move { entry: EntryId(0), before: Some(entry) },
    ] {
        assert_eq!(f.queue.decide(command), Err(QueueError::NoEntry { entry }));
    }
    let many = (0..10_000).map(track).collect();
    let full = f.queue.decide(add(many, AddPlace::End));
    assert_eq!(full, Err(QueueError::Full { count: 10_000 }));
    assert_eq!(QueueState::default().decide(QueueCommand::Play), Err(QueueError::Nothing));
}

/// A source of choices; the same from the same seed.
fn choose(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below.max(1)
}

#[test]
fn whatever_is_done_the_order_holds_all_entries_and_the_lines_give_the_same_queue() {
    for seed in 1..60 {
        let (mut f, mut state) = (Fixture::default(), seed);
        for _ in 0..80 {
            let entries = f.queue.entries().len() as u64;
            let any = choose(&mut state, entries);
            let entry = f.queue.entries().get(any as usize).map_or(EntryId(0), |entry| entry.id);
            let other = f.queue.entries().first().map(|entry| entry.id);
            let place = [AddPlace::End, AddPlace::Next, AddPlace::Now][any as usize % 3];
            let command = match choose(&mut state, 12) {
                0..3 => add((0..=any % 4).map(track).collect(), place),
                3 => QueueCommand::Remove { entries: vec![entry] },
                4 => QueueCommand::Move { entry, before: other },
                5 => QueueCommand::SetShuffle { seed: any.is_multiple_of(2).then_some(any) },
                6 => QueueCommand::Next,
                7 => QueueCommand::Previous { position: Duration::from_secs(any) },
                8 => QueueCommand::SetRepeat {
                    repeat: [RepeatMode::Off, RepeatMode::All, RepeatMode::One][any as usize % 3],
                },
                9 => QueueCommand::Play,
                _ if f.queue.current().is_some() => {
                    f.end(if any.is_multiple_of(3) { failed() } else { EntryEnd::Finished });
                    continue;
                }
                _ => continue,
            };
            if let Ok(events) = f.queue.decide(command) {
                f.apply(&events);
            }
            let mut order = f.queue.order().to_vec();
            let mut ids: Vec<EntryId> = f.queue.entries().iter().map(|entry| entry.id).collect();
            order.sort_unstable();
            ids.sort_unstable();
            assert_eq!(order, ids, "seed {seed}");
            for entry in [f.queue.current(), f.queue.following(), f.queue.before()] {
                assert!(entry.is_none_or(|entry| ids.contains(&entry)), "seed {seed}");
            }
        }
        let mut again = QueueState::default();
        for line in &f.lines {
            again.apply(&serde_json::from_str(line).unwrap());
        }
        assert_eq!(again, f.queue, "seed {seed}");
    }
}
