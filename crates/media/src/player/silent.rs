//! A player without a sound, whose time moves only when it is moved.

use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use tokio_util::sync::CancellationToken;

use super::{
    control::{Player, PlayerError},
    outlet::{Outlet, PlayerEvents},
    state::{EntryEnd, PlayIntent, PlayItem, PlayerEvent, PlayerState, PlayerStatus, Volume},
};
use crate::limits::POLL;

/// How long a file is; none where it cannot be played.
type Lengths = dyn Fn(&Path) -> Option<Duration> + Send + Sync;

/// Plays nothing, at any speed. Clones are the same player.
#[derive(Clone)]
pub struct SilentPlayer {
    lengths: Arc<Lengths>,
    tape: Arc<Mutex<SilentState>>,
    outlet: Arc<Outlet>,
}

#[derive(Debug, Default)]
struct SilentState {
    current: Option<Playing>,
    next: Option<PlayItem>,
    is_wanted: bool,
    volume: Volume,
}

#[derive(Debug)]
struct Playing {
    item: PlayItem,
    position: Duration,
    length: Duration,
}

impl fmt::Debug for SilentPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SilentPlayer").field("state", &self.outlet.state()).finish_non_exhaustive()
    }
}

impl SilentPlayer {
    /// A player of files as long as `lengths` says; where it says nothing, the file counts as broken.
    pub fn new(lengths: impl Fn(&Path) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self { lengths: Arc::new(lengths), tape: Arc::default(), outlet: Arc::new(Outlet::new()) }
    }

    /// Lets time pass, second by second, as far as something plays.
    pub fn advance(&self, by: Duration) {
        let mut left = by;
        while left > Duration::ZERO {
            let step = left.min(POLL);
            left -= step;
            self.step(step);
        }
    }

    /// Lets time pass as it does, until it is stopped.
    pub async fn keep_time(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(POLL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first tick comes at once.
        ticks.tick().await;
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            self.step(POLL);
        }
    }

    fn step(&self, by: Duration) {
        let mut state = self.lock();
        let mut left = if state.is_wanted { by } else { Duration::ZERO };
        let mut events = Vec::new();
        while let Some(playing) = state.current.as_mut().filter(|_| left > Duration::ZERO) {
            let to_end = playing.length.saturating_sub(playing.position);
            let (entry, passed) = (playing.item.entry, left.min(to_end));
            playing.position += passed;
            left -= passed;
            if playing.position >= playing.length {
                events.push(PlayerEvent::Ended { entry, end: EntryEnd::Finished });
                self.begin_next(&mut state, &mut events);
            } else {
                events.push(PlayerEvent::Position { entry, position: playing.position });
            }
        }
        self.publish(&state, events);
    }

    fn begin_next(&self, state: &mut SilentState, events: &mut Vec<PlayerEvent>) {
        state.current = None;
        if let Some(item) = state.next.take() {
            self.begin(state, item, Duration::ZERO, events);
        }
    }

    fn begin(
        &self,
        state: &mut SilentState,
        item: PlayItem,
        position: Duration,
        events: &mut Vec<PlayerEvent>,
    ) {
        let entry = item.entry;
        events.push(PlayerEvent::Started { entry });
        if let Some(length) = (self.lengths)(&item.path) {
            state.current = Some(Playing { item, position, length });
        } else {
            let reason = "loading failed".to_owned();
            events.push(PlayerEvent::Ended { entry, end: EntryEnd::Failed { reason } });
            self.begin_next(state, events);
        }
    }

    fn change(
        &self,
        change: impl FnOnce(&mut SilentState, &mut Vec<PlayerEvent>) -> Result<(), PlayerError>,
    ) -> BoxFuture<'_, Result<(), PlayerError>> {
        let mut state = self.lock();
        let mut events = Vec::new();
        let changed = change(&mut state, &mut events);
        self.publish(&state, events);
        ready(changed).boxed()
    }

    fn publish(&self, state: &SilentState, events: Vec<PlayerEvent>) {
        let millis = |length: Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let current = state.current.as_ref();
        let status = match (current, state.is_wanted) {
            (None, _) => PlayerStatus::Idle,
            (Some(_), true) => PlayerStatus::Playing,
            (Some(_), false) => PlayerStatus::Paused,
        };
        let seen = PlayerState {
            status,
            is_wanted: state.is_wanted,
            entry: current.map(|playing| playing.item.entry),
            next: state.next.as_ref().map(|next| next.entry),
            position_ms: current.map_or(0, |playing| millis(playing.position)),
            duration_ms: current.map(|playing| millis(playing.length)),
            volume: state.volume,
        };
        self.outlet.publish(seen, events);
    }

    fn lock(&self) -> MutexGuard<'_, SilentState> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Player for SilentPlayer {
    fn load(
        &self,
        item: PlayItem,
        from: Duration,
        intent: PlayIntent,
    ) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            check_path(&item)?;
            state.is_wanted = intent == PlayIntent::Play;
            state.next = None;
            state.current = None;
            self.begin(state, item, from, events);
            Ok(())
        })
    }

    fn set_next(&self, next: Option<PlayItem>) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            next.iter().try_for_each(check_path)?;
            state.next = next;
            // As mpv does: what is put behind nothing begins.
            if state.current.is_none() {
                self.begin_next(state, events);
            }
            Ok(())
        })
    }

    fn play(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            state.is_wanted = true;
            events.push(PlayerEvent::Changed);
            Ok(())
        })
    }

    fn pause(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            state.is_wanted = false;
            events.push(PlayerEvent::Changed);
            Ok(())
        })
    }

    fn stop(&self) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            state.current = None;
            state.next = None;
            events.push(PlayerEvent::Changed);
            Ok(())
        })
    }

    fn seek(&self, position: Duration) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            let playing = state.current.as_mut().ok_or(PlayerError::NothingLoaded)?;
            playing.position = position.min(playing.length);
            let position = playing.position;
            events.push(PlayerEvent::Position { entry: playing.item.entry, position });
            Ok(())
        })
    }

    fn set_volume(&self, volume: Volume) -> BoxFuture<'_, Result<(), PlayerError>> {
        self.change(|state, events| {
            state.volume = volume;
            events.push(PlayerEvent::Changed);
            Ok(())
        })
    }

    fn state(&self) -> PlayerState {
        self.outlet.state()
    }

    fn events(&self) -> PlayerEvents {
        self.outlet.subscribe()
    }
}

fn check_path(item: &PlayItem) -> Result<(), PlayerError> {
    if item.path.is_absolute() {
        Ok(())
    } else {
        Err(PlayerError::RelativePath { path: item.path.clone() })
    }
}
