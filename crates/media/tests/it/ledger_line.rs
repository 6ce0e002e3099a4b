//! What happens to the music, as lines of the ledger and back.

use abide_domain::event::Event;
use abide_media::{
    AddPlace, EntryId, MediaActor, MediaChange, PlayIntent, PlaylistCommand, PlaylistId, Playlists,
    QueueCommand, QueueEvent, QueueState, RepeatMode, StopReason, TrackKey, TrackRef, Volume,
    media_change, playlist_line, queue_line,
};

fn track(number: u8) -> TrackRef {
    let key = TrackKey::from_bytes([number; 16]);
    let artists = vec!["Björk".to_owned(); usize::from(number % 3)];
    TrackRef { key, title: format!("track {number}"), artists, duration_ms: Some(1_500) }
}

fn and_back(event: &Event) -> MediaChange {
    let data = event.encode_data().unwrap();
    let read = Event::decode(event.kind().name, 1, data.get()).unwrap();
    let Event::Media(line) = read else { panic!("{event:?}") };
    media_change(&line).unwrap()
}

#[test]
fn what_happens_to_the_queue_comes_back_from_its_line() {
    let queue = QueueState::default();
    let tracks = (0..3).map(track).collect();
    let add = QueueCommand::Add { tracks, place: AddPlace::Now };
    let mut events = queue.decide(add).unwrap();
    events.extend([
        QueueEvent::Removed { entries: vec![EntryId(1)] },
        QueueEvent::Moved { entry: EntryId(2), before: Some(EntryId(0)) },
        QueueEvent::Cleared,
        QueueEvent::EntryFinished { entry: EntryId(0) },
        QueueEvent::EntryFailed { entry: EntryId(0), reason: "no file".to_owned() },
        QueueEvent::IntentSet { intent: PlayIntent::Pause },
        QueueEvent::Stopped { reason: StopReason::NothingPlayable },
        QueueEvent::RepeatSet { repeat: RepeatMode::One },
        QueueEvent::ShuffleSet { seed: Some(u64::MAX) },
        QueueEvent::ShuffleSet { seed: None },
        QueueEvent::VolumeSet { volume: Volume::new(35) },
    ]);
    for event in events {
        for by in [MediaActor::Player, MediaActor::Agent("felix".to_owned())] {
            let line = queue_line(&event, &by).unwrap();
            assert_eq!(and_back(&line), MediaChange::Queue(event.clone()));
        }
    }
}

#[test]
fn what_happens_to_playlists_comes_back_from_its_line_and_says_who_did_it() {
    let mut lists = Playlists::default();
    let playlist = PlaylistId(0);
    let ann = MediaActor::Person("ann".to_owned());
    for command in [
        PlaylistCommand::Create { name: "Evening".to_owned(), tracks: vec![track(1), track(2)] },
        PlaylistCommand::Rename { playlist, name: "Night".to_owned() },
        PlaylistCommand::Add { playlist, tracks: vec![track(3)], before: Some(EntryId(0)) },
        PlaylistCommand::Move { playlist, entry: EntryId(0), before: None },
        PlaylistCommand::Remove { playlist, entries: vec![EntryId(1)] },
        PlaylistCommand::Delete { playlist },
    ] {
        for event in lists.decide(command).unwrap() {
            let line = playlist_line(&event, &ann).unwrap();
            let data = line.encode_data().unwrap();
            assert!(data.get().contains(r#""by":{"who":"person","name":"ann"}"#), "{data}");
            assert_eq!(and_back(&line), MediaChange::Playlist(event.clone()));
            lists.apply(&event);
        }
    }
}
