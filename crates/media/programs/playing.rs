//! Plays a queue of recorded events with a silent mpv until it is killed: a keeper for the tests of this crate.
//!
//! Arguments: the file of events, one JSON object a line; the position file; the folder of the tracks, each of which is
//! called as its key with `.wav`. Says the number of the player's process on stdout, in a line, whenever it is a new one.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufRead as _, BufReader, Write as _},
    path::PathBuf,
    sync::Arc,
};

use abide_media::Player as _;
use abide_media::{
    MediaActor, MpvAudio, MpvPlayer, MpvSettings, Playback, PlaybackParts, PlayerEvent, QueueEvent,
    QueueRecordError, QueueRecorder, QueueState, TrackFiles, TrackKey,
};
use futures_util::future::{BoxFuture, FutureExt as _, ready};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
struct Files(PathBuf);

impl TrackFiles for Files {
    fn path(&self, track: TrackKey) -> BoxFuture<'_, Option<PathBuf>> {
        let path = self.0.join(format!("{track}.wav"));
        ready(path.exists().then_some(path)).boxed()
    }
}

#[derive(Debug)]
struct Lines(PathBuf);

impl Lines {
    fn append(&self, events: &[QueueEvent]) -> io::Result<()> {
        let mut file = File::options().append(true).open(&self.0)?;
        for event in events {
            writeln!(file, "{}", serde_json::to_string(event)?)?;
        }
        Ok(())
    }
}

impl QueueRecorder for Lines {
    fn record(
        &self,
        events: Vec<QueueEvent>,
        _by: MediaActor,
    ) -> BoxFuture<'_, Result<(), QueueRecordError>> {
        let kept = self.append(&events);
        ready(kept.map_err(|error| QueueRecordError { reason: error.to_string() })).boxed()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let mut argument = || arguments.next().ok_or("three arguments: events, position, tracks");
    let (events, position_file, tracks) = (argument()?, argument()?, argument()?);
    let mut queue = QueueState::default();
    for line in BufReader::new(File::open(&events)?).lines() {
        queue.apply(&serde_json::from_str(&line?)?);
    }
    let stop = CancellationToken::new();
    let environment =
        std::env::vars_os().filter(|(name, _)| name == &OsString::from("PATH")).collect();
    let settings = MpvSettings { audio: MpvAudio::Silent, environment, ..MpvSettings::default() };
    let (player, task) = MpvPlayer::new(settings, stop.clone());
    let mut heard = player.events();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.future);
    let parts = PlaybackParts {
        player: Arc::new(player.clone()),
        files: Arc::new(Files(tracks)),
        recorder: Arc::new(Lines(events)),
        queue,
        position_file,
    };
    let (_playback, task) = Playback::new(parts, stop);
    tasks.spawn(task.future);
    let mut said = None;
    while let Some(event) = heard.next().await {
        let pid = player.pid();
        if matches!(event, PlayerEvent::Started { .. }) && pid != said {
            said = pid;
            writeln!(io::stdout(), "{}", pid.unwrap_or(0))?;
            io::stdout().flush()?;
        }
    }
    Ok(())
}
