//! A real mpv with a silent output. Needs the Debian package `mpv`.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use abide_media::{
    EntryEnd, EntryId, MpvAudio, MpvPlayer, MpvSettings, PlayIntent, PlayItem, Player as _,
    PlayerError, PlayerEvent, PlayerEvents, PlayerStatus, Volume,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    audio_files::{mp3_audio, wav},
    keeper::is_running,
};

const FOREVER: Duration = Duration::from_secs(90);

struct Fixture {
    folder: TempDir,
    player: MpvPlayer,
    events: PlayerEvents,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    heard: Vec<PlayerEvent>,
}

impl Fixture {
    fn new() -> Self {
        Self::with(MpvSettings {
            audio: MpvAudio::Silent,
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            ..MpvSettings::default()
        })
    }

    fn with(settings: MpvSettings) -> Self {
        let stop = CancellationToken::new();
        let (player, task) = MpvPlayer::new(settings, stop.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(task.future);
        let events = player.events();
        let folder = tempfile::tempdir().unwrap();
        Self { folder, player, events, stop, tasks, heard: Vec::new() }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn wav(&self, seconds: f64) -> PathBuf {
        self.file(&format!("{seconds}.wav"), &wav(seconds, seconds.to_bits()))
    }

    async fn load(&self, entry: u64, path: &Path, from: u64) {
        let from = Duration::from_secs(from);
        self.player.load(item(entry, path), from, PlayIntent::Play).await.unwrap();
    }

    /// Waits for an event, and keeps all that come before.
    async fn wait(&mut self, what: &str, wanted: impl Fn(&PlayerEvent) -> bool) -> PlayerEvent {
        let waiting = async {
            loop {
                let event = self.events.next().await.expect("the player is there");
                self.heard.push(event.clone());
                if wanted(&event) {
                    return event;
                }
            }
        };
        match tokio::time::timeout(FOREVER, waiting).await {
            Ok(event) => event,
            Err(late) => panic!("never came: {what}, {late}; heard {:?}", self.heard),
        }
    }

    async fn started(&mut self, entry: u64) {
        let entry = EntryId(entry);
        self.wait("a start", |event| *event == PlayerEvent::Started { entry }).await;
    }

    async fn position(&mut self, from: u64) -> Duration {
        let from = Duration::from_secs(from);
        let wanted = |event: &PlayerEvent| matches!(event, PlayerEvent::Position { position, .. } if *position >= from);
        match self.wait("a position", wanted).await {
            PlayerEvent::Position { position, .. } => position,
            other => panic!("{other:?}"),
        }
    }

    async fn ended(&mut self) -> (u64, EntryEnd) {
        match self.wait("an end", |event| matches!(event, PlayerEvent::Ended { .. })).await {
            PlayerEvent::Ended { entry, end } => (entry.0, end),
            other => panic!("{other:?}"),
        }
    }

    async fn failed(&mut self) -> u64 {
        match self.ended().await {
            (entry, EntryEnd::Failed { .. }) => entry,
            other => panic!("{other:?}"),
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = self.player.pid().unwrap();
        kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

fn item(entry: u64, path: &Path) -> PlayItem {
    PlayItem { entry: EntryId(entry), path: path.to_owned() }
}

#[tokio::test]
async fn it_plays_seeks_pauses_and_is_loud_or_not() {
    let mut f = Fixture::new();
    assert_eq!(f.player.pid(), None, "nothing is started before there is something to play");
    f.player.set_volume(Volume::new(40)).await.unwrap();
    let path = f.wav(60.0);
    f.load(1, &path, 0).await;
    f.started(1).await;
    f.position(1).await;
    f.player.seek(Duration::from_secs(30)).await.unwrap();
    assert!(f.position(31).await < Duration::from_secs(50));
    f.player.pause().await.unwrap();
    while f.player.state().status != PlayerStatus::Paused {
        f.wait("a pause", |event| *event == PlayerEvent::Changed).await;
    }
    let state = f.player.state();
    assert_eq!((state.volume.percent(), state.duration_ms), (40, Some(60_000)));
    assert!(!state.is_wanted && state.position_ms >= 31_000, "{state:?}");
    f.player.play().await.unwrap();
    f.position(state.position_ms / 1_000 + 1).await;
    f.player.stop().await.unwrap();
    assert_eq!(f.player.state().status, PlayerStatus::Idle);
    assert!(!f.heard.iter().any(|event| matches!(event, PlayerEvent::Ended { .. })));
    f.end().await;
}

#[tokio::test]
async fn dm_21_and_dm_31_mpv_has_one_inherited_socket_and_nothing_of_the_person_s() {
    let mut f = Fixture::new();
    let path = f.wav(20.0);
    f.load(1, &path, 0).await;
    f.started(1).await;
    let pid = f.player.pid().unwrap();
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    for argument in ["--no-config", "--load-scripts=no", "--ytdl=no", "--input-ipc-client=fd://0"] {
        assert!(line.contains(argument), "{argument} in {line}");
    }
    assert!(!line.contains("ipc-server"));
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.starts_with("PATH=") && !environment.contains("HOME="), "{environment}");
    let stdin = fs::read_link(format!("/proc/{pid}/fd/0")).unwrap();
    assert!(stdin.to_string_lossy().starts_with("socket:"), "{stdin:?}");
    f.end().await;
    assert!(!is_running(pid));
}

#[tokio::test]
async fn dm_22_a_broken_file_ends_as_failed_and_the_next_one_plays() {
    let mut f = Fixture::new();
    let broken = f.file("broken.mp3", b"this is no music");
    f.load(1, &broken, 0).await;
    assert_eq!(f.failed().await, 1);
    f.load(2, &f.folder.path().join("none.wav"), 0).await;
    assert_eq!(f.failed().await, 2);
    let (good, broken_too) = (f.wav(1.0), f.file("broken.flac", b"fLaC, no"));
    f.load(3, &good, 0).await;
    f.player.set_next(Some(item(4, &broken_too))).await.unwrap();
    assert_eq!(f.ended().await, (3, EntryEnd::Finished));
    assert_eq!(f.failed().await, 4);
    assert_eq!(f.player.state().status, PlayerStatus::Idle);
    f.load(5, &good, 0).await;
    assert_eq!(f.ended().await, (5, EntryEnd::Finished));
    f.end().await;
}

#[tokio::test]
async fn dm_23_a_file_that_names_other_files_is_not_followed() {
    let mut f = Fixture::new();
    let other = f.wav(1.0);
    let text = format!("#EXTM3U\n#EXTINF:1,x\n{}\n", other.display());
    let lists = [
        ("list.m3u", text.clone()),
        ("list.mp3", text.clone()),
        (
            "list.m3u8",
            format!(
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n",
                other.display()
            ),
        ),
        ("list.edl", format!("# mpv EDL v0\n{}\n", other.display())),
        (
            "list.cue",
            format!("FILE \"{}\" WAVE\n TRACK 01 AUDIO\n  INDEX 01 00:00:00\n", other.display()),
        ),
        ("list.ffconcat", format!("ffconcat version 1.0\nfile '{}'\n", other.display())),
    ];
    for (entry, (name, text)) in (1..).zip(&lists) {
        let list = f.file(name, text.as_bytes());
        f.load(entry, &list, 0).await;
        assert_eq!(f.failed().await, entry, "{name}");
    }
    f.end().await;
}

#[tokio::test]
async fn dm_23_what_is_replaced_or_stopped_did_not_end_by_itself() {
    let mut f = Fixture::new();
    let (long, short) = (f.wav(50.0), f.wav(1.0));
    f.load(1, &long, 0).await;
    f.started(1).await;
    f.load(2, &long, 0).await;
    f.started(2).await;
    f.player.stop().await.unwrap();
    f.load(3, &short, 0).await;
    assert_eq!(f.ended().await, (3, EntryEnd::Finished));
    f.end().await;
}

#[tokio::test]
async fn dm_24_a_place_can_be_asked_for_with_and_right_after_loading() {
    let mut f = Fixture::new();
    let path = f.wav(80.0);
    f.load(1, &path, 12).await;
    let position = f.position(12).await;
    assert!(position < Duration::from_secs(30), "{position:?}");
    f.load(2, &path, 0).await;
    f.player.seek(Duration::from_secs(50)).await.unwrap();
    assert_eq!(f.player.state().position_ms, 50_000);
    f.started(2).await;
    let position = f.position(51).await;
    assert!(position < Duration::from_secs(70), "{position:?}");
    f.end().await;
}

#[tokio::test]
async fn dm_25_names_that_are_no_text_are_played() {
    let mut f = Fixture::new();
    for (entry, name) in (1..).zip([&b"caf\xe9 \"x\"\\\n.wav"[..], b"-.wav", b"a%20b#?&.wav"]) {
        let path = f.folder.path().join(OsStr::from_bytes(name));
        fs::write(&path, wav(0.5, entry)).unwrap();
        f.load(entry, &path, 0).await;
        assert_eq!(f.ended().await, (entry, EntryEnd::Finished), "{name:?}");
    }
    f.end().await;
}

#[tokio::test]
async fn dm_27_the_next_one_follows_without_being_asked_for_also_after_a_seek() {
    let mut f = Fixture::new();
    let (first, second) = (f.wav(30.0), f.file("s.mp3", &mp3_audio(40, 1)));
    f.load(1, &first, 0).await;
    f.player.set_next(Some(item(2, &second))).await.unwrap();
    f.started(1).await;
    f.position(1).await;
    f.player.seek(Duration::from_secs(28)).await.unwrap();
    assert_eq!(f.ended().await, (1, EntryEnd::Finished));
    let state = f.player.state();
    assert!(state.entry.is_none_or(|entry| entry == EntryId(2)) && state.next.is_none());
    assert_eq!(f.ended().await, (2, EntryEnd::Finished));
    let two = PlayerEvent::Started { entry: EntryId(2) };
    assert!(f.heard.contains(&two), "{:?}", f.heard);

    // Another one, or none, takes its place.
    f.load(3, &f.wav(2.0), 0).await;
    f.started(3).await;
    f.player.set_next(Some(item(4, &first))).await.unwrap();
    f.player.set_next(Some(item(5, &second))).await.unwrap();
    assert_eq!(f.ended().await.0, 3);
    assert_eq!(f.ended().await.0, 5);
    f.load(6, &f.wav(2.0), 0).await;
    f.player.set_next(Some(item(7, &first))).await.unwrap();
    f.started(6).await;
    f.player.set_next(None).await.unwrap();
    assert_eq!(f.ended().await.0, 6);
    assert_eq!(f.player.state().status, PlayerStatus::Idle);
    f.end().await;
}

#[tokio::test]
async fn dm_27_a_file_that_never_moves_is_given_up() {
    let mut f = Fixture::new();
    let pipe = f.folder.path().join("pipe.wav");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let good = f.wav(1.0);
    f.load(1, &pipe, 0).await;
    f.player.set_next(Some(item(2, &good))).await.unwrap();
    assert_eq!(f.failed().await, 1);
    assert_eq!(f.ended().await, (2, EntryEnd::Finished));
    f.end().await;
}

#[tokio::test]
async fn dm_28_an_mpv_that_hangs_is_replaced_and_goes_on_where_it_was() {
    let mut f = Fixture::new();
    let path = f.wav(100.0);
    f.load(1, &path, 20).await;
    let before = f.position(21).await;
    let hung = f.player.pid().unwrap();
    f.signal(Signal::STOP);
    f.wait("a restart", |event| matches!(event, PlayerEvent::Restarted { .. })).await;
    assert!(!is_running(hung));
    let after = f.position(0).await;
    assert!(after + Duration::from_secs(1) >= before && after < before + Duration::from_secs(30));
    assert!(f.player.state().is_wanted);
    f.end().await;
}

#[tokio::test]
async fn dm_29_positions_come_about_once_a_second_and_of_the_present_entry_alone() {
    let mut f = Fixture::new();
    f.load(1, &f.wav(60.0), 0).await;
    f.position(4).await;
    let positions: Vec<Duration> = f
        .heard
        .iter()
        .filter_map(|event| match event {
            PlayerEvent::Position { entry: EntryId(1), position } => Some(*position),
            _ => None,
        })
        .collect();
    assert!(positions.is_sorted() && positions.len() <= 8, "{positions:?}");
    f.end().await;
}

#[tokio::test]
async fn dm_30_a_killed_mpv_is_started_again_at_the_same_second_paused_or_not() {
    let mut f = Fixture::new();
    f.player.set_volume(Volume::new(30)).await.unwrap();
    let (path, second) = (f.wav(100.0), f.wav(1.0));
    f.load(1, &path, 50).await;
    f.player.set_next(Some(item(2, &second))).await.unwrap();
    let before = f.position(51).await;
    f.signal(Signal::KILL);
    f.wait("a restart", |event| matches!(event, PlayerEvent::Restarted { .. })).await;
    f.started(1).await;
    let after = f.position(0).await;
    assert!(after + Duration::from_secs(1) >= before && after < before + Duration::from_secs(30));

    f.player.pause().await.unwrap();
    f.signal(Signal::KILL);
    f.wait("a restart", |event| matches!(event, PlayerEvent::Restarted { .. })).await;
    f.started(1).await;
    while f.player.state().status != PlayerStatus::Paused {
        f.wait("a pause", |event| *event == PlayerEvent::Changed).await;
    }
    let state = f.player.state();
    assert_eq!((state.volume.percent(), state.next), (30, Some(EntryId(2))));
    f.player.play().await.unwrap();
    f.player.seek(Duration::from_secs(98)).await.unwrap();
    assert_eq!(f.ended().await, (1, EntryEnd::Finished));
    assert_eq!(f.ended().await, (2, EntryEnd::Finished));
    f.end().await;
}

#[tokio::test]
async fn dm_31_only_absolute_paths_are_played() {
    let f = Fixture::new();
    for path in ["a.wav", "edl:///etc/passwd", "http://example.org/a.mp3", "-", ""] {
        let path = Path::new(path);
        let loaded = f.player.load(item(1, path), Duration::ZERO, PlayIntent::Play).await;
        assert!(matches!(loaded, Err(PlayerError::RelativePath { .. })), "{path:?}");
        let next = f.player.set_next(Some(item(1, path))).await;
        assert!(matches!(next, Err(PlayerError::RelativePath { .. })), "{path:?}");
    }
    let sought = f.player.seek(Duration::ZERO).await;
    assert!(matches!(sought, Err(PlayerError::NothingLoaded)));
    assert_eq!(f.player.pid(), None);
    assert_eq!([-5, 0, 55, 150].map(|percent| Volume::new(percent).percent()), [0, 0, 55, 100]);
    f.end().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_or_dies_at_once_is_said_and_not_tried_for_ever() {
    let none = MpvSettings { program: "/nowhere/mpv".into(), ..MpvSettings::default() };
    let f = Fixture::with(none);
    let path = f.wav(1.0);
    let loaded = f.player.load(item(1, &path), Duration::ZERO, PlayIntent::Play).await;
    assert!(matches!(loaded, Err(PlayerError::Start { .. })), "{loaded:?}");
    assert_eq!(f.player.state().status, PlayerStatus::Down);
    f.end().await;

    let dying = MpvSettings { program: "/bin/true".into(), ..MpvSettings::default() };
    let mut f = Fixture::with(dying);
    f.load(1, &path, 0).await;
    f.wait("its being down", |event| matches!(event, PlayerEvent::Down { .. })).await;
    let restarts =
        f.heard.iter().filter(|event| matches!(event, PlayerEvent::Restarted { .. })).count();
    assert!(restarts < 5, "{restarts}");
    assert_eq!(f.player.state().status, PlayerStatus::Down);
    f.end().await;
}
