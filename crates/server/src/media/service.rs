//! The handle to music: what routes, tools of agents and the command line ask.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use abide_domain::Clock;
use abide_engine::Keeper;
use abide_media::{
    EntryId, Library, LibraryError, MediaActor, MpvPlayer, Playback, PlaybackParts, Player,
    PlayerState, PlayerStatus, PlayerTask, QueueCommand, QueueState, RepeatMode, SavedPosition,
    ScanDepth, SessionPlayer, SessionPlayerCommand, SilentPlayer, Track, TrackKey, TrackRef,
};
use tokio_util::sync::CancellationToken;

use super::{
    error::{MusicError, START_HINT},
    ledger_recorder::LedgerRecorder,
    library_files::LibraryFiles,
    limits::{QUEUE_SHOWN, SEED_MAX, TRACKS_MAX, UNKNOWN_LENGTH},
    order::{AddedTracks, MusicOrder, PlayedNow},
    other_players::OtherPlayers,
    scanner::{LibraryScanner, ScanHandle, ScanReport},
    settings::{MusicBackend, MusicSettings},
};

/// Why nothing can be played where no folder is configured.
pub(crate) const NO_FOLDERS: &str = "no music folders are configured: set `folders` under [media] in abide.toml and start the keeper again";
const PLAYER_OFF: &str =
    "the player is off: set `player` under [media] in abide.toml and start the keeper again";
const FIRST_SCAN: &str =
    "the music library is scanned for the first time; playing goes on when that has ended";
const NOT_STARTED: &str = "music is not started yet; try again in a moment";
/// The file of the home that says where playing stopped.
const POSITION_FILE: &str = "position.json";

/// Music, as far as it is started. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct MusicService {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: MusicSettings,
    clock: Arc<dyn Clock>,
    others: OtherPlayers,
    /// What is there once the keeper runs; else why there is nothing.
    started: OnceLock<Result<StartedMusic, String>>,
}

#[derive(Debug)]
struct StartedMusic {
    keeper: Keeper,
    library: Arc<Library>,
    scans: ScanHandle,
    playback: Option<Playback>,
    /// Nothing is played before the first scan has ended.
    waits_for_scan: bool,
}

/// A track as a queue has it, with what the library knows of it now.
#[derive(Clone, Debug)]
pub(crate) struct PlayedTrack {
    /// What it is known by, and what was said of it when it was put there.
    pub(crate) reference: TrackRef,
    /// A file with it.
    pub(crate) file: Option<Track>,
}

/// What is played and what is to be played.
#[derive(Clone, Debug)]
pub(crate) struct MusicStatus {
    /// What is wrong and what to do about it.
    pub(crate) why: Option<String>,
    /// The queue.
    pub(crate) queue: QueueState,
    /// The entries that come next, from the present one on.
    pub(crate) shown: Vec<(EntryId, PlayedTrack)>,
    /// What the player is at.
    pub(crate) player: PlayerState,
    /// Where it is in the present track.
    pub(crate) position: Duration,
    /// What plays.
    pub(crate) backend: MusicBackend,
}

impl MusicService {
    /// Music by these settings. Opens, scans and starts nothing.
    pub(crate) fn new(settings: MusicSettings, clock: Arc<dyn Clock>) -> Self {
        let others = OtherPlayers::new(settings.session_bus.clone(), Arc::clone(&clock));
        let inner = Inner { settings, clock, others, started: OnceLock::new() };
        Self { inner: Arc::new(inner) }
    }

    /// What it was made with.
    pub(crate) fn settings(&self) -> &MusicSettings {
        &self.inner.settings
    }

    /// Opens the library, and gives the tasks that scan it and play: none where there are no folders.
    pub(crate) async fn start(&self, keeper: &Keeper, stop: &CancellationToken) -> Vec<PlayerTask> {
        let Some(settings) = self.inner.settings.library.clone() else { return Vec::new() };
        let folder = self.inner.settings.folder.clone();
        let opened = off_thread(move || {
            crate::home::create_private_folder(&folder)
                .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
            Library::open(settings).map_err(|error| in_full(&error))
        });
        let library = match opened
            .await
            .map_err(|error| error.to_string())
            .and_then(|opened| opened)
        {
            Ok(library) => Arc::new(library),
            Err(error) => {
                tracing::error!(
                    error,
                    event = "music_not_opened",
                    "the music library cannot be opened: nothing is played"
                );
                let why = format!(
                    "the music library cannot be opened: {error}; start the keeper again once that is mended"
                );
                let _first = self.inner.started.set(Err(why));
                return Vec::new();
            }
        };
        if let Some(why) = library.rebuilt() {
            tracing::warn!(
                why,
                event = "music_library_rebuilt",
                "the music library is built anew by this scan"
            );
        }
        let mut tasks = Vec::new();
        let scans = ScanHandle::default();
        let scanner = LibraryScanner {
            library: Arc::clone(&library),
            handle: scans.clone(),
            clock: Arc::clone(&self.inner.clock),
            rescan: self.inner.settings.rescan,
        };
        let future = Box::pin(scanner.run(stop.clone()));
        tasks.push(PlayerTask { name: "music scan".to_owned(), future });
        let known = Arc::clone(&library);
        let is_empty = off_thread(move || known.counts().map_or(0, |counts| counts.files) == 0);
        // A library that was deleted, or is built anew by a newer program, would know no track of the queue: all of it would fail.
        let waits_for_scan =
            is_empty.await.unwrap_or(true) && keeper.state().media.queue.current().is_some();
        let mut players = Vec::new();
        let playback = self.start_player(keeper, &library, (stop, &mut players));
        for PlayerTask { name, future } in players {
            let (scanned, stop) = (scans.first_ended().clone(), stop.clone());
            let future = Box::pin(async move {
                if !waits_for_scan || stop.run_until_cancelled(scanned.cancelled()).await.is_some()
                {
                    future.await;
                }
            });
            tasks.push(PlayerTask { name, future });
        }
        let keeper = keeper.clone();
        let started = StartedMusic { keeper, library, scans, playback, waits_for_scan };
        let _first = self.inner.started.set(Ok(started));
        tasks
    }

    fn start_player(
        &self,
        keeper: &Keeper,
        library: &Arc<Library>,
        (stop, tasks): (&CancellationToken, &mut Vec<PlayerTask>),
    ) -> Option<Playback> {
        let player: Arc<dyn Player> = match self.inner.settings.backend {
            MusicBackend::Off => return None,
            MusicBackend::Mpv => {
                let (player, task) = MpvPlayer::new(self.inner.settings.mpv.clone(), stop.clone());
                tasks.push(task);
                Arc::new(player)
            }
            MusicBackend::Silent => {
                let library = Arc::clone(library);
                let player = SilentPlayer::new(move |path| {
                    let track = library.track_by_path(path).ok().flatten()?;
                    Some(track.duration_ms.map_or(UNKNOWN_LENGTH, Duration::from_millis))
                });
                let future = Box::pin(player.clone().keep_time(stop.clone()));
                tasks.push(PlayerTask { name: "player silent".to_owned(), future });
                Arc::new(player)
            }
        };
        let parts = PlaybackParts {
            player,
            files: Arc::new(LibraryFiles(Arc::clone(library))),
            recorder: Arc::new(LedgerRecorder(keeper.clone())),
            queue: keeper.state().media.queue.clone(),
            position_file: self.position_file(),
        };
        let (playback, task) = Playback::new(parts, stop.clone());
        tasks.push(task);
        Some(playback)
    }

    fn position_file(&self) -> PathBuf {
        self.inner.settings.folder.join(POSITION_FILE)
    }

    fn started(&self) -> Result<&StartedMusic, MusicError> {
        let unavailable = |why: &str| MusicError::Unavailable(why.to_owned());
        match self.inner.started.get() {
            Some(Ok(started)) => Ok(started),
            Some(Err(why)) => Err(unavailable(why)),
            None if self.inner.settings.library.is_none() => Err(unavailable(NO_FOLDERS)),
            None => Err(unavailable(NOT_STARTED)),
        }
    }

    fn playback(&self) -> Result<&Playback, MusicError> {
        let started = self.started()?;
        if started.waits_for_scan && !started.scans.first_ended().is_cancelled() {
            return Err(MusicError::Unavailable(FIRST_SCAN.to_owned()));
        }
        let off = || MusicError::Unavailable(PLAYER_OFF.to_owned());
        started.playback.as_ref().ok_or_else(off)
    }

    /// What keeps the player from playing.
    fn obstacle(&self, state: Option<&PlayerState>) -> Option<String> {
        let settings = &self.inner.settings;
        if settings.backend == MusicBackend::Mpv && settings.program().is_none() {
            let program = settings.mpv.program.display();
            return Some(format!(
                "the program {program} was not found: install mpv (`apt install mpv`, `brew install mpv`), or set `program` under [media] to its path"
            ));
        }
        let is_down = state.is_some_and(|state| state.status == PlayerStatus::Down);
        is_down.then(|| format!("the player mpv does not stay up; {START_HINT}"))
    }

    /// What is played and what is to be played. `entries` of the queue are shown at most.
    pub(crate) async fn status(&self, keeper: &Keeper) -> Result<MusicStatus, MusicError> {
        self.status_of(keeper, QUEUE_SHOWN).await
    }

    /// The same with so many entries at most.
    pub(super) async fn status_of(
        &self,
        keeper: &Keeper,
        entries: usize,
    ) -> Result<MusicStatus, MusicError> {
        let playback = self.playback();
        let (queue, player, why) = match &playback {
            Ok(playback) => {
                let player = playback.player();
                (playback.queue(), player, self.obstacle(Some(&player)))
            }
            Err(error) => {
                let queue = keeper.state().media.queue.clone();
                (queue, PlayerState::default(), Some(error.to_string()))
            }
        };
        let order = upcoming(&queue, entries);
        let library = self.started().ok().map(|started| Arc::clone(&started.library));
        let position_file = self.position_file();
        let looked = queue.clone();
        let (shown, position) = off_thread(move || {
            let looked_up = order.into_iter().filter_map(|id| {
                let reference = looked.entry(id)?.track.clone();
                Some((id, with_file(library.as_deref(), reference)))
            });
            (looked_up.collect(), position(&looked, &player, &position_file))
        })
        .await?;
        let backend = self.inner.settings.backend;
        Ok(MusicStatus { why, queue, shown, player, position, backend })
    }

    /// Does what somebody asks. Returns once it is written down and the player knows of it.
    pub(crate) async fn carry_out(
        &self,
        order: MusicOrder,
        by: MediaActor,
    ) -> Result<(), MusicError> {
        let playback = self.playback()?;
        let position = Duration::from_millis(playback.player().position_ms);
        let command = match order {
            MusicOrder::Seek(to) => return Ok(playback.seek(to).await?),
            MusicOrder::Play(PlayedNow::Queue) => QueueCommand::Play,
            MusicOrder::Play(PlayedNow::Entry(entry)) => QueueCommand::PlayEntry { entry },
            MusicOrder::Play(PlayedNow::Added(added)) => {
                let tracks = self.added(added).await?;
                QueueCommand::Add { tracks, place: abide_media::AddPlace::Now }
            }
            MusicOrder::Add(added, place) => {
                QueueCommand::Add { tracks: self.added(added).await?, place }
            }
            MusicOrder::Pause => QueueCommand::Pause,
            MusicOrder::Next => QueueCommand::Next,
            MusicOrder::Previous => QueueCommand::Previous { position },
            MusicOrder::Stop => QueueCommand::Stop,
            MusicOrder::Volume(volume) => QueueCommand::SetVolume { volume },
            MusicOrder::Remove(entries) => QueueCommand::Remove { entries },
            MusicOrder::Move(entry, before) => QueueCommand::Move { entry, before },
            MusicOrder::Clear => QueueCommand::Clear,
            MusicOrder::Shuffle(is_on) => {
                QueueCommand::SetShuffle { seed: if is_on { Some(seed()?) } else { None } }
            }
            MusicOrder::Repeat(repeat) => QueueCommand::SetRepeat { repeat },
        };
        let starts = matches!(
            command,
            QueueCommand::Play
                | QueueCommand::PlayEntry { .. }
                | QueueCommand::Add { place: abide_media::AddPlace::Now, .. }
        );
        if let Some(why) = self.obstacle(None).filter(|_| starts) {
            return Err(MusicError::Unavailable(why));
        }
        Ok(playback.command(command, by).await?)
    }

    async fn added(&self, added: AddedTracks) -> Result<Vec<TrackRef>, MusicError> {
        match added {
            AddedTracks::Tracks(ids) => self.tracks(&ids, "tracks").await,
            AddedTracks::Playlist(id) => {
                let lists = &self.started()?.keeper.state().media.playlists;
                let list = lists.get(id).ok_or(MusicError::NoPlaylist(id.0))?;
                Ok(list.entries.iter().map(|entry| entry.track.clone()).collect())
            }
        }
    }

    /// Tracks of the library, by what they are known by; `path` says where they stand in the request.
    pub(crate) async fn tracks(
        &self,
        ids: &[String],
        path: &str,
    ) -> Result<Vec<TrackRef>, MusicError> {
        let invalid = |path: String, message: String| Err(MusicError::Invalid { path, message });
        if ids.is_empty() || ids.len() > TRACKS_MAX {
            let message = format!("must name 1 to {TRACKS_MAX} tracks, and names {}", ids.len());
            return invalid(path.to_owned(), message);
        }
        let mut keys: Vec<TrackKey> = Vec::with_capacity(ids.len());
        for (index, id) in ids.iter().enumerate() {
            match id.parse() {
                Ok(key) => keys.push(key),
                Err(error) => {
                    let message = format!("{error}; take the `id` of /music/library");
                    return invalid(format!("{path}[{index}]"), message);
                }
            }
        }
        self.ask(move |library| {
            let found = keys.into_iter().map(|key| {
                let track = library.track_by_key(key)?;
                let reference = track.and_then(|track| track.reference());
                reference.ok_or_else(|| MusicError::NoTrack(key.to_string()))
            });
            found.collect::<Result<Vec<_>, MusicError>>()
        })
        .await?
    }

    /// Asks the library, off the runtime's threads.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, MusicError> {
        let library = Arc::clone(&self.started()?.library);
        off_thread(move || question(&library)).await
    }

    /// Tracks as playlists hold them, with the files that have them now; without a library there are none.
    pub(crate) async fn with_files(
        &self,
        tracks: Vec<TrackRef>,
    ) -> Result<Vec<PlayedTrack>, MusicError> {
        let library = self.started().ok().map(|started| Arc::clone(&started.library));
        let look = move |track| with_file(library.as_deref(), track);
        off_thread(move || tracks.into_iter().map(look).collect()).await
    }

    /// What is known of scans. None where there are no folders.
    pub(crate) fn scans(&self) -> Result<ScanReport, MusicError> {
        Ok(self.started()?.scans.report())
    }

    /// Asks for a scan.
    pub(crate) fn scan(&self, depth: ScanDepth) -> Result<(), MusicError> {
        self.started()?.scans.start(depth);
        Ok(())
    }

    /// The players of other programs.
    pub(crate) async fn other_players(&self) -> Vec<SessionPlayer> {
        self.inner.others.list().await
    }

    /// Asks another program's player for something.
    pub(crate) async fn command_other(
        &self,
        name: &str,
        command: SessionPlayerCommand,
    ) -> Result<(), MusicError> {
        self.inner.others.command(name, command).await
    }

    /// The keeper, once it runs.
    pub(super) fn keeper(&self) -> Result<&Keeper, MusicError> {
        Ok(&self.started()?.keeper)
    }
}

/// The entries from the present one on, in the order of playing; where all is repeated, those that come round again too.
fn upcoming(queue: &QueueState, entries: usize) -> Vec<EntryId> {
    let order = queue.order();
    let is_current = |id: &EntryId| Some(*id) == queue.current();
    let from = order.iter().position(is_current).unwrap_or(0);
    let (before, after) = order.split_at(from);
    let again = if queue.repeat() == RepeatMode::All { before } else { &[] };
    after.iter().chain(again).take(entries).copied().collect()
}

fn with_file(library: Option<&Library>, reference: TrackRef) -> PlayedTrack {
    let file = library.and_then(|library| library.track_by_key(reference.key).ok().flatten());
    PlayedTrack { reference, file }
}

/// Where the present track is: by the player, or where it was left while no player has it.
fn position(queue: &QueueState, player: &PlayerState, file: &std::path::Path) -> Duration {
    let Some(current) = queue.current() else { return Duration::ZERO };
    if player.entry == Some(current) {
        return Duration::from_millis(player.position_ms);
    }
    let saved = SavedPosition::read(file).filter(|saved| saved.entry == current);
    saved.map_or(Duration::ZERO, |saved| saved.position())
}

fn seed() -> Result<u64, MusicError> {
    let mut bytes = [0; 8];
    let failed = |_| MusicError::Unavailable("this machine gives no random numbers now".to_owned());
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(u64::from_le_bytes(bytes) % SEED_MAX)
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, MusicError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| MusicError::Ended(error.to_string()))
}

fn in_full(error: &LibraryError) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
