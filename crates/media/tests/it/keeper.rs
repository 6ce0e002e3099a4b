//! A keeper that plays is killed, and the next one goes on.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use abide_media::{EntryId, QueueEntry, QueueEvent, SavedPosition, TrackKey, TrackRef};

use crate::audio_files::wav;

/// Waits until something holds; a minute is forever.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let (sender, ticks) = std::sync::mpsc::channel::<()>();
    for _ in 0..3_000 {
        if holds() {
            return;
        }
        // Nobody sends: this is a wait that no clippy forbids.
        let _waited = ticks.recv_timeout(Duration::from_millis(20));
    }
    drop(sender);
    panic!("never came: {what}");
}

pub(crate) fn is_running(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim().chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

struct Keeper(Child);

impl Keeper {
    /// Starts one and waits until it plays; the number of its player's process.
    fn start(folder: &Path) -> (Self, u32) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_playing"))
            .args(["events", "position", ""].map(|name| folder.join(name)))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (Self(child), line.trim().parse().expect("mpv plays (Debian package mpv)"))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn dm_21_and_dm_30_a_killed_keeper_takes_mpv_along_and_the_next_one_goes_on_at_the_same_second() {
    let folder = tempfile::tempdir().unwrap();
    let track = TrackKey::from_bytes([7; 16]);
    fs::write(folder.path().join(format!("{track}.wav")), wav(120.0, 1)).unwrap();
    let reference =
        TrackRef { key: track, title: "T".into(), artists: Vec::new(), duration_ms: None };
    let entry = EntryId(0);
    let events = [
        QueueEvent::Added {
            entries: vec![QueueEntry { id: entry, track: reference }],
            before: None,
            play_next: false,
        },
        QueueEvent::EntryStarted { entry },
    ];
    let lines = events.map(|event| serde_json::to_string(&event).unwrap() + "\n").concat();
    fs::write(folder.path().join("events"), lines).unwrap();
    let position = folder.path().join("position");
    SavedPosition { entry, track, position_ms: 40_000 }.write(&position).unwrap();
    let saved = || SavedPosition::read(&position).map_or(0, |saved| saved.position_ms);

    let (keeper, mpv) = Keeper::start(folder.path());
    until("two seconds of music", || saved() >= 42_000);
    assert!(is_running(mpv));
    drop(keeper);
    until("the end of mpv", || !is_running(mpv));
    let left_at = saved();
    assert!(left_at < 100_000, "it began where it was: {left_at}");

    let (keeper, second) = Keeper::start(folder.path());
    assert_ne!(second, mpv);
    until("the next second", || saved() != left_at);
    let next = saved();
    drop(keeper);
    assert!(next > left_at && next < 110_000, "{left_at} and then {next}");
    until("the end of mpv", || !is_running(second));
}
