//! A queue that is played, by a player without a sound.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use abide_media::{
    AddPlace, EntryId, MediaActor, PlayIntent, PlayItem, Playback, PlaybackError, PlaybackParts,
    Player as _, PlayerStatus, QueueCommand, QueueEvent, QueueRecordError, QueueRecorder,
    QueueState, RepeatMode, SavedPosition, SilentPlayer, StopReason, TrackFiles, TrackKey,
    TrackRef, Volume,
};
use futures_util::future::{BoxFuture, FutureExt as _, ready};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

fn ann() -> MediaActor {
    MediaActor::Person("ann".to_owned())
}

/// What ends by itself is the player's word, and so is what follows it.
fn is_of_a_person(events: &[QueueEvent]) -> bool {
    let ends = |event: &QueueEvent| {
        matches!(event, QueueEvent::EntryFinished { .. } | QueueEvent::EntryFailed { .. })
    };
    !events.iter().any(ends)
}

#[derive(Debug, Default)]
struct Files(Mutex<HashMap<TrackKey, PathBuf>>);

impl TrackFiles for Files {
    fn path(&self, track: TrackKey) -> BoxFuture<'_, Option<PathBuf>> {
        ready(self.0.lock().unwrap().get(&track).cloned()).boxed()
    }
}

#[derive(Debug, Default)]
struct Recorder {
    events: Mutex<Vec<QueueEvent>>,
    fails: AtomicBool,
}

impl QueueRecorder for Recorder {
    fn record(
        &self,
        events: Vec<QueueEvent>,
        by: MediaActor,
    ) -> BoxFuture<'_, Result<(), QueueRecordError>> {
        assert!(by == MediaActor::Player || is_of_a_person(&events), "{events:?}");
        if self.fails.load(Ordering::Relaxed) {
            let reason = "the disk is full".to_owned();
            return ready(Err(QueueRecordError { reason })).boxed();
        }
        self.events.lock().unwrap().extend(events);
        ready(Ok(())).boxed()
    }
}

/// A keeper's part in it: what is recorded is there for the next one.
struct Fixture {
    folder: TempDir,
    files: Arc<Files>,
    recorder: Arc<Recorder>,
    player: SilentPlayer,
    playback: Playback,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Tracks from 10 on are 10 seconds long; those from 100 on are broken; those from 200 on have no file.
fn track(number: u8) -> TrackRef {
    let key = TrackKey::from_bytes([number; 16]);
    TrackRef { key, title: format!("track {number}"), artists: Vec::new(), duration_ms: None }
}

fn silent() -> SilentPlayer {
    SilentPlayer::new(|path| {
        let number: u64 = path.file_name()?.to_str()?.parse().ok()?;
        (number < 100).then(|| Duration::from_secs(10))
    })
}

impl Fixture {
    fn new() -> Self {
        let files = Arc::new(Files::default());
        for number in 0..200_u8 {
            let path = PathBuf::from(format!("/m/{number}"));
            files.0.lock().unwrap().insert(track(number).key, path);
        }
        Self::start(tempfile::tempdir().unwrap(), files, Arc::default())
    }

    fn start(folder: TempDir, files: Arc<Files>, recorder: Arc<Recorder>) -> Self {
        let mut queue = QueueState::default();
        recorder.events.lock().unwrap().iter().for_each(|event| queue.apply(event));
        let (player, stop) = (silent(), CancellationToken::new());
        let parts = PlaybackParts {
            player: Arc::new(player.clone()),
            files: Arc::clone(&files) as Arc<dyn TrackFiles>,
            recorder: Arc::clone(&recorder) as Arc<dyn QueueRecorder>,
            queue,
            position_file: folder.path().join("position"),
        };
        let (playback, task) = Playback::new(parts, stop.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(task.future);
        Self { folder, files, recorder, player, playback, stop, tasks }
    }

    async fn restart(mut self) -> Self {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
        Self::start(self.folder, self.files, self.recorder)
    }

    async fn add(&self, numbers: &[u8]) {
        let tracks = numbers.iter().map(|number| track(*number)).collect();
        self.command(QueueCommand::Add { tracks, place: AddPlace::End }).await;
    }

    async fn command(&self, command: QueueCommand) {
        self.playback.command(command, ann()).await.unwrap();
    }

    async fn until(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        for _ in 0..6_000 {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("never came: {what}; {:?} {:?}", self.playback.queue(), self.player.state());
    }

    /// Lets seconds pass, one by one, so that each is heard.
    async fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            self.player.advance(Duration::from_secs(1));
            self.settle().await;
        }
    }

    /// Until the queue and the player are at the same.
    async fn settle(&self) {
        self.until("agreement", |f| {
            let (queue, player) = (f.playback.queue(), f.player.state());
            player.entry == queue.current()
                && player.next == queue.following().filter(|_| queue.current().is_some())
        })
        .await;
    }

    fn current(&self) -> Option<u64> {
        self.playback.queue().current().map(|entry| entry.0)
    }

    fn saved(&self) -> Option<(u64, u64)> {
        let saved = SavedPosition::read(&self.folder.path().join("position"))?;
        Some((saved.entry.0, saved.position_ms / 1_000))
    }

    fn last(&self) -> QueueEvent {
        self.recorder.events.lock().unwrap().last().cloned().unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_played_to_its_end_without_gaps_and_each_step_is_an_event() {
    let f = Fixture::new();
    f.add(&[1, 2, 3]).await;
    f.command(QueueCommand::Play).await;
    f.settle().await;
    assert_eq!(f.player.state().next, Some(EntryId(1)));
    f.pass(10).await;
    assert_eq!(f.current(), Some(1));
    f.pass(4).await;
    assert_eq!(f.player.state().position_ms, 4_000);
    f.pass(16).await;
    assert_eq!(f.current(), None);
    assert_eq!(f.last(), QueueEvent::Stopped { reason: StopReason::EndOfQueue });
    let started = |event: &QueueEvent| match event {
        QueueEvent::EntryStarted { entry } => Some(entry.0),
        _ => None,
    };
    let events = f.recorder.events.lock().unwrap().clone();
    assert_eq!(events.iter().filter_map(started).collect::<Vec<_>>(), [0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn dm_22_broken_and_lost_tracks_are_skipped_and_a_round_of_them_stops() {
    let f = Fixture::new();
    f.add(&[100, 1, 250, 101, 2]).await;
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::All }).await;
    f.command(QueueCommand::Play).await;
    f.until("the first good one", |f| f.player.state().entry == Some(EntryId(1))).await;
    f.player.advance(Duration::from_secs(10));
    f.until("the second good one", |f| f.player.state().entry == Some(EntryId(4))).await;
    let queue = f.playback.queue();
    let failed: Vec<u64> = (0..5).filter(|id| queue.failure(EntryId(*id)).is_some()).collect();
    assert_eq!(failed, [0, 2, 3]);
    f.command(QueueCommand::Remove { entries: vec![EntryId(1), EntryId(4)] }).await;
    f.command(QueueCommand::Play).await;
    f.until("a stop", |f| f.last() == QueueEvent::Stopped { reason: StopReason::NothingPlayable })
        .await;
    assert_eq!(f.player.state().status, PlayerStatus::Idle);
}

#[tokio::test(start_paused = true)]
async fn dm_30_after_a_restart_it_goes_on_at_the_same_second_as_it_was_wanted() {
    let f = Fixture::new();
    f.add(&[1, 2]).await;
    f.command(QueueCommand::SetVolume { volume: Volume::new(35) }).await;
    f.command(QueueCommand::PlayEntry { entry: EntryId(1) }).await;
    f.settle().await;
    f.pass(7).await;
    f.until("seven seconds", |f| f.saved() == Some((1, 7))).await;
    let f = f.restart().await;
    f.settle().await;
    let state = f.player.state();
    assert_eq!((state.entry, state.position_ms), (Some(EntryId(1)), 7_000));
    assert_eq!((state.status, state.volume.percent()), (PlayerStatus::Playing, 35));

    f.command(QueueCommand::Pause).await;
    f.playback.seek(Duration::from_secs(9)).await.unwrap();
    let f = f.restart().await;
    f.settle().await;
    let state = f.player.state();
    assert_eq!((state.status, state.position_ms), (PlayerStatus::Paused, 9_000));

    // Another track's place, or one that cannot be read, is none.
    let position = f.folder.path().join("position");
    for text in [
        &b"{\"entry\":1,\"track\":\"00000000000000000000000000000000\",\"position_ms\":5000}"[..],
        b"{",
        b"",
    ] {
        std::fs::write(&position, text).unwrap();
        assert!(SavedPosition::read(&position).is_none_or(|saved| saved.track != track(2).key));
    }
    let f = f.restart().await;
    f.settle().await;
    assert_eq!(f.player.state().position_ms, 0);
}

#[tokio::test(start_paused = true)]
async fn commands_reach_the_player_and_what_is_not_recorded_does_not_happen() {
    let f = Fixture::new();
    f.add(&[1, 2, 3]).await;
    f.command(QueueCommand::Play).await;
    f.settle().await;
    f.pass(5).await;
    let previous = QueueCommand::Previous { position: Duration::from_secs(5) };
    f.command(previous).await;
    f.settle().await;
    assert_eq!((f.current(), f.player.state().position_ms), (Some(0), 0), "from its beginning");
    f.command(QueueCommand::Next).await;
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::One }).await;
    f.settle().await;
    assert_eq!(f.player.state().next, Some(EntryId(1)), "the same again");
    f.pass(10).await;
    assert_eq!(f.current(), Some(1));
    f.command(QueueCommand::Move { entry: EntryId(0), before: None }).await;
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::All }).await;
    f.settle().await;
    assert_eq!(f.player.state().next, Some(EntryId(2)));

    f.recorder.fails.store(true, Ordering::Relaxed);
    let before = f.playback.queue();
    let failed = f.playback.command(QueueCommand::Clear, ann()).await;
    assert!(matches!(failed, Err(PlaybackError::Record(_))), "{failed:?}");
    assert_eq!(f.playback.queue(), before);
    // What the player did has happened, recorded or not.
    f.pass(10).await;
    assert_eq!(f.current(), Some(2));
    f.recorder.fails.store(false, Ordering::Relaxed);
    f.command(QueueCommand::Stop).await;
    assert_eq!(f.player.state().entry, None);
    let seek = f.playback.seek(Duration::ZERO).await;
    assert!(matches!(seek, Err(PlaybackError::Player(_))), "{seek:?}");
}

#[tokio::test(start_paused = true)]
async fn the_queue_catches_up_with_a_player_that_was_not_heard() {
    let f = Fixture::new();
    f.add(&[1, 2]).await;
    f.command(QueueCommand::SetRepeat { repeat: RepeatMode::All }).await;
    f.command(QueueCommand::Play).await;
    f.settle().await;
    // In one go, without a pause in which anybody could listen.
    f.player.advance(Duration::from_secs(10));
    let second = PlayItem { entry: EntryId(0), path: "/m/1".into() };
    f.player.set_next(Some(second)).await.unwrap();
    f.player.pause().await.unwrap();
    for _ in 0..400 {
        f.player.set_volume(Volume::new(50)).await.unwrap();
    }
    f.until("the second one", |f| f.current() == Some(1)).await;
    f.settle().await;
    let state = f.player.state();
    assert_eq!((state.entry, state.is_wanted), (Some(EntryId(1)), true));
    assert_eq!((state.volume, f.playback.queue().intent()), (Volume::MAX, PlayIntent::Play));
}
