//! How a player says what it does: the newest state for whoever looks, events for whoever follows.

use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast;

use super::state::{PlayerEvent, PlayerState};
use crate::limits::EVENTS_MAX;

/// What a player says from the moment this was made.
#[derive(Debug)]
pub struct PlayerEvents(broadcast::Receiver<PlayerEvent>);

impl PlayerEvents {
    /// Waits for the next event; none once the player is gone. Cancelling loses nothing.
    pub async fn next(&mut self) -> Option<PlayerEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(PlayerEvent::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next event where one waits already.
    pub(crate) fn waiting(&mut self) -> Option<PlayerEvent> {
        match self.0.try_recv() {
            Ok(event) => Some(event),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(PlayerEvent::Missed),
            Err(_) => None,
        }
    }
}

/// Where a player puts its state and its events.
#[derive(Debug)]
pub(crate) struct Outlet {
    state: Mutex<PlayerState>,
    events: broadcast::Sender<PlayerEvent>,
}

impl Outlet {
    pub(crate) fn new() -> Self {
        let (events, _) = broadcast::channel(EVENTS_MAX);
        Self { state: Mutex::new(PlayerState::default()), events }
    }

    pub(crate) fn state(&self) -> PlayerState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> PlayerEvents {
        PlayerEvents(self.events.subscribe())
    }

    /// Puts the state and what led to it at once: whoever sees a state finds all events before it.
    pub(crate) fn publish(
        &self,
        state: PlayerState,
        events: impl IntoIterator<Item = PlayerEvent>,
    ) {
        let mut published = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *published = state;
        for event in events {
            // Nobody listens: that is no error.
            let _nobody = self.events.send(event);
        }
    }
}
