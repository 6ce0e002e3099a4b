//! Plays the queue: commands and what the player says become events of the queue, and the player is brought to what the queue
//! says.
//!
//! The queue is the truth, the player follows: after each change the two are compared (`plan`), and what differs is asked of
//! the player. So a player that was restarted, or a keeper, needs no steps of its own.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{
    actor::MediaActor,
    entry::EntryId,
    library::TrackKey,
    limits::COMMANDS_MAX,
    player::{
        EntryEnd, PlayIntent, PlayItem, Player, PlayerError, PlayerEvent, PlayerEvents,
        PlayerState, PlayerStatus, PlayerTask,
    },
    position_file::SavedPosition,
    queue::{QueueCommand, QueueError, QueueEvent, QueueState},
};

/// Says where the file of a track lies. Asked when a track is about to be played; may look into a library.
pub trait TrackFiles: Send + Sync + fmt::Debug {
    /// A file that can be played now; none where there is none.
    fn path(&self, track: TrackKey) -> BoxFuture<'_, Option<PathBuf>>;
}

/// Writes down what happens to the queue, before it counts.
pub trait QueueRecorder: Send + Sync + fmt::Debug {
    /// Keeps events, all or none, and who caused them.
    fn record(
        &self,
        events: Vec<QueueEvent>,
        by: MediaActor,
    ) -> BoxFuture<'_, Result<(), QueueRecordError>>;
}

/// Events could not be written down.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change of the queue could not be recorded: {reason}")]
pub struct QueueRecordError {
    /// Why.
    pub reason: String,
}

/// A command to the queue failed.
#[derive(Debug, thiserror::Error)]
pub enum PlaybackError {
    /// The queue cannot do it.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// It could not be written down, so it did not happen.
    #[error(transparent)]
    Record(#[from] QueueRecordError),
    /// The player could not do it; the queue says what is wanted all the same.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// What playing needs.
#[derive(Debug)]
pub struct PlaybackParts {
    /// What plays.
    pub player: Arc<dyn Player>,
    /// Where files lie.
    pub files: Arc<dyn TrackFiles>,
    /// Where events go.
    pub recorder: Arc<dyn QueueRecorder>,
    /// The queue as its recorded events made it.
    pub queue: QueueState,
    /// Where the place within the present track is kept.
    pub position_file: PathBuf,
}

enum PlaybackCall {
    Command(QueueCommand, MediaActor, oneshot::Sender<Result<(), PlaybackError>>),
    Seek(Duration, oneshot::Sender<Result<(), PlaybackError>>),
}

/// Plays a queue. Clones are the same.
#[derive(Clone, Debug)]
pub struct Playback {
    calls: mpsc::Sender<PlaybackCall>,
    queue: Arc<Mutex<QueueState>>,
    player: Arc<dyn Player>,
}

impl Playback {
    /// Makes it, and the task that it is made of, which ends when `stop` is cancelled. What was played goes on where it was.
    pub fn new(parts: PlaybackParts, stop: CancellationToken) -> (Self, PlayerTask) {
        let (calls, incoming) = mpsc::channel(COMMANDS_MAX);
        let shared = Arc::new(Mutex::new(parts.queue.clone()));
        let (queue, player) = (Arc::clone(&shared), Arc::clone(&parts.player));
        let heard = player.events();
        let service = PlaybackService { parts, shared, is_missed: false, next_asked: None };
        let future = service.run(incoming, heard, stop).boxed();
        (Self { calls, queue, player }, PlayerTask { name: "playback".to_owned(), future })
    }

    /// Changes the queue, or what is played of it.
    pub async fn command(
        &self,
        command: QueueCommand,
        by: MediaActor,
    ) -> Result<(), PlaybackError> {
        self.call(|done| PlaybackCall::Command(command, by, done)).await
    }

    /// Goes to a place of the present track.
    pub async fn seek(&self, position: Duration) -> Result<(), PlaybackError> {
        self.call(|done| PlaybackCall::Seek(position, done)).await
    }

    /// The queue.
    pub fn queue(&self) -> QueueState {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the player is at.
    pub fn player(&self) -> PlayerState {
        self.player.state()
    }

    async fn call(
        &self,
        call: impl FnOnce(oneshot::Sender<Result<(), PlaybackError>>) -> PlaybackCall,
    ) -> Result<(), PlaybackError> {
        let (done, answer) = oneshot::channel();
        self.calls.send(call(done)).await.map_err(|_| PlayerError::ShutDown)?;
        answer.await.map_err(|_| PlayerError::ShutDown)?
    }
}

/// What the player has to be asked for to be where the queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaybackStep {
    Load(EntryId, Duration),
    Stop,
    SetIntent(PlayIntent),
    SetVolume,
    SetNext(Option<EntryId>),
}

/// What differs between the queue and the player.
fn plan(queue: &QueueState, player: &PlayerState, from: Duration) -> Vec<PlaybackStep> {
    let mut steps = Vec::new();
    if player.volume != queue.volume() {
        steps.push(PlaybackStep::SetVolume);
    }
    let Some(current) = queue.current() else {
        if player.entry.is_some() {
            steps.push(PlaybackStep::Stop);
        }
        return steps;
    };
    let is_wanted = queue.intent() == PlayIntent::Play;
    let mut next = player.next;
    if player.entry != Some(current) {
        steps.push(PlaybackStep::Load(current, from));
        next = None;
    } else if player.is_wanted != is_wanted {
        steps.push(PlaybackStep::SetIntent(queue.intent()));
    }
    if next != queue.following() {
        steps.push(PlaybackStep::SetNext(queue.following()));
    }
    steps
}

struct PlaybackService {
    parts: PlaybackParts,
    shared: Arc<Mutex<QueueState>>,
    /// Some of what the player said was lost.
    is_missed: bool,
    /// A next entry that has no file is not asked for again and again.
    next_asked: Option<EntryId>,
}

impl PlaybackService {
    async fn run(
        mut self,
        mut calls: mpsc::Receiver<PlaybackCall>,
        mut heard: PlayerEvents,
        stop: CancellationToken,
    ) {
        let resumed = self.resume_position();
        self.follow(&mut heard, resumed).await;
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                event = heard.next() => match event {
                    Some(event) => {
                        self.hear(event).await;
                        self.follow(&mut heard, Duration::ZERO).await;
                    }
                    None => break,
                },
                call = calls.recv() => match call {
                    Some(call) => self.call(call, &mut heard).await,
                    None => break,
                },
            }
        }
    }

    /// Where the present entry was left, by the file.
    fn resume_position(&self) -> Duration {
        let queue = &self.parts.queue;
        let saved = SavedPosition::read(&self.parts.position_file);
        let current = queue.current().and_then(|current| queue.entry(current));
        let fits = |saved: &SavedPosition| {
            current.is_some_and(|entry| entry.id == saved.entry && entry.track.key == saved.track)
        };
        saved.filter(fits).map_or(Duration::ZERO, |saved| saved.position())
    }

    async fn call(&mut self, call: PlaybackCall, heard: &mut PlayerEvents) {
        // A caller who is gone is no error.
        match call {
            PlaybackCall::Command(command, by, done) => {
                let _gone = done.send(self.command(command, by, heard).await);
            }
            PlaybackCall::Seek(to, done) => {
                let sought = self.parts.player.seek(to).await;
                self.save_position(to).await;
                let _gone = done.send(sought.map_err(PlaybackError::from));
            }
        }
    }

    async fn command(
        &mut self,
        command: QueueCommand,
        by: MediaActor,
        heard: &mut PlayerEvents,
    ) -> Result<(), PlaybackError> {
        let events = self.parts.queue.decide(command)?;
        self.parts.recorder.record(events.clone(), by).await?;
        let was = self.parts.queue.current();
        self.apply(&events);
        let starts = |event: &QueueEvent| matches!(event, QueueEvent::EntryStarted { .. });
        let is_same = was.is_some() && was == self.parts.queue.current();
        if is_same && events.iter().any(starts) {
            // From its beginning again, though the player is at it already.
            self.parts.player.stop().await?;
        }
        if self.parts.player.state().status == PlayerStatus::Down {
            self.parts.player.play().await?;
        }
        self.follow(heard, Duration::ZERO).await;
        Ok(())
    }

    fn apply(&mut self, events: &[QueueEvent]) {
        for event in events {
            self.parts.queue.apply(event);
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.clone_from(&self.parts.queue);
    }

    /// Takes in what the player said.
    async fn hear(&mut self, event: PlayerEvent) {
        match &event {
            PlayerEvent::Position { entry, position }
                if self.parts.queue.current() == Some(*entry) =>
            {
                self.save_position(*position).await;
            }
            PlayerEvent::Missed => self.is_missed = true,
            _ => {}
        }
        let events = self.parts.queue.hear(&event);
        self.record_heard(events).await;
    }

    /// What has happened counts, written down or not: the music is there already.
    async fn record_heard(&mut self, events: Vec<QueueEvent>) {
        if events.is_empty() {
            return;
        }
        let recorded = self.parts.recorder.record(events.clone(), MediaActor::Player).await;
        if let Err(error) = recorded {
            tracing::warn!(%error, event = "queue_not_recorded", "playing goes on unrecorded");
        }
        self.apply(&events);
        self.save_position(Duration::ZERO).await;
    }

    async fn save_position(&self, position: Duration) {
        let queue = &self.parts.queue;
        let Some(entry) = queue.current().and_then(|current| queue.entry(current)) else {
            return;
        };
        let position_ms = u64::try_from(position.as_millis()).unwrap_or(u64::MAX);
        let saved = SavedPosition { entry: entry.id, track: entry.track.key, position_ms };
        let path = self.parts.position_file.clone();
        let written = tokio::task::spawn_blocking(move || saved.write(&path)).await;
        if let Err(error) = written.unwrap_or_else(|error| Err(io::Error::other(error))) {
            tracing::warn!(%error, event = "position_not_saved", "the place in the track is not kept");
        }
    }

    /// Brings the player to where the queue is. Entries without a file fail one after the other, a round at most.
    async fn follow(&mut self, heard: &mut PlayerEvents, mut from: Duration) {
        loop {
            let mut player = self.parts.player.state();
            while let Some(event) = heard.waiting() {
                self.hear(event).await;
                player = self.parts.player.state();
            }
            if std::mem::take(&mut self.is_missed) {
                self.catch_up(&player).await;
            }
            let mut is_settled = true;
            for step in plan(&self.parts.queue, &player, from) {
                from = Duration::ZERO;
                if !self.take_step(step).await {
                    is_settled = false;
                    break;
                }
            }
            if is_settled {
                return;
            }
        }
    }

    /// The player's word was lost: what it is at now is what became of it.
    async fn catch_up(&mut self, player: &PlayerState) {
        let known = player.entry.filter(|entry| self.parts.queue.entry(*entry).is_some());
        let Some(entry) = known.filter(|entry| self.parts.queue.current() != Some(*entry)) else {
            return;
        };
        self.record_heard(vec![QueueEvent::EntryStarted { entry }]).await;
    }

    /// Whether the step was taken; else the queue has changed.
    async fn take_step(&mut self, step: PlaybackStep) -> bool {
        let player = Arc::clone(&self.parts.player);
        let done = match step {
            PlaybackStep::Load(entry, from) => {
                let Some(item) = self.item(entry).await else {
                    let reason = "no file has this track any more".to_owned();
                    let end = EntryEnd::Failed { reason };
                    let events = self.parts.queue.hear(&PlayerEvent::Ended { entry, end });
                    self.record_heard(events).await;
                    return false;
                };
                player.load(item, from, self.parts.queue.intent()).await
            }
            PlaybackStep::Stop => player.stop().await,
            PlaybackStep::SetIntent(PlayIntent::Play) => player.play().await,
            PlaybackStep::SetIntent(PlayIntent::Pause) => player.pause().await,
            PlaybackStep::SetVolume => player.set_volume(self.parts.queue.volume()).await,
            PlaybackStep::SetNext(entry) => {
                // One without a file fails when its turn comes.
                if entry.is_some() && entry == self.next_asked {
                    return true;
                }
                self.next_asked = None;
                let item = match entry {
                    Some(entry) => self.item(entry).await,
                    None => None,
                };
                if item.is_none() {
                    self.next_asked = entry;
                }
                player.set_next(item).await
            }
        };
        if let Err(error) = done {
            tracing::warn!(%error, event = "player_refused", "the player does not follow the queue");
        }
        true
    }

    async fn item(&self, entry: EntryId) -> Option<PlayItem> {
        let track = self.parts.queue.entry(entry)?.track.key;
        let path = self.parts.files.path(track).await?;
        Some(PlayItem { entry, path })
    }
}
