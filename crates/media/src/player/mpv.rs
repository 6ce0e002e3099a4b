//! Files played by mpv, a child process that may die or hang at any time.
//!
//! [`MpvPlayer`] is the handle. One task owns the process (`process`), feeds what it says to the pure state (`session`) and
//! does what comes of it. What can be said to mpv at all is the closed list in `command`.

mod command;
mod process;
mod session;
mod settings;

pub use settings::{MpvAudio, MpvSettings};

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt as _};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, Interval, MissedTickBehavior, interval, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{
    control::{Player, PlayerError},
    outlet::{Outlet, PlayerEvents},
    state::{PlayIntent, PlayItem, PlayerEvent, PlayerState, Volume},
};
use crate::limits::{COMMANDS_MAX, POLL, START_PAUSE, STARTS_MAX, STARTS_WINDOW};
use process::MpvProcess;
use session::{MpvEffect, MpvRequest, MpvSession};

/// A task that must run for a player to play.
pub struct PlayerTask {
    /// For logs.
    pub name: String,
    /// Runs until the player is shut down.
    pub future: BoxFuture<'static, ()>,
}

impl fmt::Debug for PlayerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayerTask").field("name", &self.name).finish_non_exhaustive()
    }
}

struct MpvCall {
    request: MpvRequest,
    done: oneshot::Sender<Result<(), PlayerError>>,
}

/// Plays with mpv. It is started when there is something to play. Clones are the same player.
#[derive(Clone, Debug)]
pub struct MpvPlayer {
    calls: mpsc::Sender<MpvCall>,
    outlet: Arc<Outlet>,
    pid: Arc<std::sync::atomic::AtomicU32>,
}

impl MpvPlayer {
    /// A player and the task that it is made of, which ends when `stop` is cancelled. Starts nothing yet.
    pub fn new(settings: MpvSettings, stop: CancellationToken) -> (Self, PlayerTask) {
        let (calls, incoming) = mpsc::channel(COMMANDS_MAX);
        let outlet = Arc::new(Outlet::new());
        let player = Self { calls, outlet: Arc::clone(&outlet), pid: Arc::default() };
        let actor = MpvActor {
            settings,
            outlet,
            pid: Arc::clone(&player.pid),
            session: MpvSession::default(),
            process: None,
            began: Instant::now(),
            starts: VecDeque::new(),
        };
        let future = actor.run(incoming, stop).boxed();
        (player, PlayerTask { name: "player mpv".to_owned(), future })
    }

    /// The number of the process that plays; none where there is none.
    pub fn pid(&self) -> Option<u32> {
        Some(self.pid.load(std::sync::atomic::Ordering::Relaxed)).filter(|pid| *pid != 0)
    }

    fn call(&self, request: MpvRequest) -> BoxFuture<'_, Result<(), PlayerError>> {
        async move {
            let (done, answer) = oneshot::channel();
            let sent = self.calls.send(MpvCall { request, done }).await;
            sent.map_err(|_| PlayerError::ShutDown)?;
            answer.await.map_err(|_| PlayerError::ShutDown)?
        }
        .boxed()
    }
}

impl Player for MpvPlayer {
    fn load(
        &self,
        item: PlayItem,
        from: Duration,
        intent: PlayIntent,
    ) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::Load { item, from, intent })
    }

    fn set_next(&self, next: Option<PlayItem>) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::SetNext(next))
    }

    fn play(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::SetPaused(false))
    }

    fn pause(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::SetPaused(true))
    }

    fn stop(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::Stop)
    }

    fn seek(&self, position: Duration) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::Seek(position))
    }

    fn set_volume(&self, volume: Volume) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.call(MpvRequest::SetVolume(volume))
    }

    fn state(&self) -> PlayerState {
        self.outlet.state()
    }

    fn events(&self) -> PlayerEvents {
        self.outlet.subscribe()
    }
}

struct MpvActor {
    settings: MpvSettings,
    outlet: Arc<Outlet>,
    pid: Arc<std::sync::atomic::AtomicU32>,
    session: MpvSession,
    process: Option<MpvProcess>,
    began: Instant,
    /// Of the newest processes.
    starts: VecDeque<Instant>,
}

/// What wakes the actor.
enum Wakeup {
    Stop,
    Call(Option<MpvCall>),
    Line(Option<Vec<u8>>),
    Tick,
}

impl MpvActor {
    async fn run(mut self, mut calls: mpsc::Receiver<MpvCall>, stop: CancellationToken) {
        let mut ticks = interval(POLL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            match self.wakeup(&mut calls, &stop, &mut ticks).await {
                Wakeup::Stop | Wakeup::Call(None) => break,
                Wakeup::Call(Some(call)) => self.call(call).await,
                Wakeup::Line(Some(line)) => self.session.line(&line, self.began.elapsed()),
                Wakeup::Line(None) => self.replace("ended by itself").await,
                Wakeup::Tick => self.session.tick(self.began.elapsed()),
            }
            self.work_off().await;
        }
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
        self.pid.store(0, std::sync::atomic::Ordering::Relaxed);
    }

    async fn wakeup(
        &mut self,
        calls: &mut mpsc::Receiver<MpvCall>,
        stop: &CancellationToken,
        ticks: &mut Interval,
    ) -> Wakeup {
        let process = &mut self.process;
        let line = async {
            match process {
                Some(process) => process.next_line().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Wakeup::Stop,
            line = line => Wakeup::Line(line),
            call = calls.recv() => Wakeup::Call(call),
            _ = ticks.tick() => Wakeup::Tick,
        }
    }

    async fn call(&mut self, call: MpvCall) {
        let done = self.take_on(call.request).await;
        // Before the answer, so that whoever asked finds the state that came of it.
        self.work_off().await;
        // Nobody waits any more: that is no error.
        let _gone = call.done.send(done);
    }

    async fn take_on(&mut self, request: MpvRequest) -> Result<(), PlayerError> {
        if let MpvRequest::Load { item, .. } | MpvRequest::SetNext(Some(item)) = &request
            && !item.path.is_absolute()
        {
            return Err(PlayerError::RelativePath { path: item.path.clone() });
        }
        if matches!(request, MpvRequest::Seek(_)) && self.session.state().entry.is_none() {
            return Err(PlayerError::NothingLoaded);
        }
        self.session.request(request, self.began.elapsed());
        if self.session.needs_process() {
            self.starts.clear();
            if let Err(error) = self.start(None).await {
                self.session.down(error.to_string());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends what is to be sent and says what is to be said.
    async fn work_off(&mut self) {
        loop {
            let effects = self.session.take_effects();
            if effects.is_empty() {
                break;
            }
            let mut events = Vec::new();
            let mut hang = None;
            for effect in effects {
                match effect {
                    MpvEffect::Say(event) => events.push(event),
                    MpvEffect::Kill(reason) => hang = Some(reason),
                    MpvEffect::Send(line) if hang.is_none() => hang = self.send(&line).await,
                    MpvEffect::Send(_) => {}
                }
            }
            self.publish(events);
            if let Some(reason) = hang {
                self.replace(&reason).await;
            }
        }
        self.publish(Vec::new());
    }

    fn publish(&self, events: Vec<PlayerEvent>) {
        self.outlet.publish(self.session.state(), events);
    }

    /// What is wrong with the process, where the line did not get to it.
    async fn send(&mut self, line: &[u8]) -> Option<String> {
        let sent = self.process.as_mut()?.send(line).await;
        sent.err().map(|error| format!("cannot be reached: {error}"))
    }

    /// Ends the present process, if it did not by itself, and starts another where something is to be played.
    async fn replace(&mut self, reason: &str) {
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
        self.pid.store(0, std::sync::atomic::Ordering::Relaxed);
        self.session.disconnected();
        tracing::warn!(reason, event = "player_lost", "mpv is gone");
        if self.session.needs_process() {
            let reason = format!("mpv {reason}");
            if let Err(error) = self.start(Some(reason)).await {
                self.session.down(error.to_string());
            }
        }
    }

    /// Starts a process; `reason` says why another one is needed.
    async fn start(&mut self, reason: Option<String>) -> Result<(), PlayerError> {
        self.starts.retain(|start| start.elapsed() < STARTS_WINDOW);
        let failed = |reason: String| PlayerError::Start {
            program: self.settings.program.display().to_string(),
            reason,
        };
        if self.starts.len() >= STARTS_MAX {
            return Err(failed(format!("it ended {STARTS_MAX} times within a minute")));
        }
        if !self.starts.is_empty() {
            sleep(START_PAUSE).await;
        }
        self.starts.push_back(Instant::now());
        let process =
            MpvProcess::start(&self.settings).map_err(|error| failed(error.to_string()))?;
        self.pid.store(process.pid().unwrap_or(0), std::sync::atomic::Ordering::Relaxed);
        self.process = Some(process);
        self.session.connected(self.began.elapsed());
        if let Some(reason) = reason {
            self.publish(vec![PlayerEvent::Restarted { reason }]);
        }
        Ok(())
    }
}
