//! Players of other programs on the session bus, looked at when somebody asks.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::Clock;
use abide_media::{SessionPlayer, SessionPlayerCommand, SessionPlayers, SessionPlayersError};

use super::{
    error::MusicError,
    limits::{BUS_PAUSE, PLAYERS_AGE_MAX},
};

/// The players of other programs. Nothing is asked before somebody wants to know.
#[derive(Debug)]
pub(super) struct OtherPlayers {
    address: Option<String>,
    clock: Arc<dyn Clock>,
    seen: Mutex<SeenPlayers>,
}

#[derive(Debug, Default)]
struct SeenPlayers {
    bus: Option<SessionPlayers>,
    /// When the bus could not be reached, on the monotonic clock.
    failed_at: Option<Duration>,
    players: Vec<SessionPlayer>,
    /// When they were looked at.
    at: Option<Duration>,
}

impl OtherPlayers {
    pub(super) fn new(address: Option<String>, clock: Arc<dyn Clock>) -> Self {
        Self { address, clock, seen: Mutex::default() }
    }

    /// The players that answer, as of a moment ago. Where there is no bus, there are none.
    pub(super) async fn list(&self) -> Vec<SessionPlayer> {
        let now = self.clock.monotonic();
        {
            let seen = self.lock();
            if seen.at.is_some_and(|at| now.saturating_sub(at) < PLAYERS_AGE_MAX) {
                return seen.players.clone();
            }
        }
        let Some(bus) = self.bus(now).await else { return Vec::new() };
        let listed = bus.list().await;
        let mut seen = self.lock();
        match listed {
            Ok(players) => (seen.players, seen.at) = (players.clone(), Some(now)),
            Err(error) => {
                tracing::debug!(%error, event = "session_bus_lost", "players of other programs cannot be listed");
                *seen = SeenPlayers { failed_at: Some(now), ..SeenPlayers::default() };
            }
        }
        seen.players.clone()
    }

    /// Asks one of them for something.
    pub(super) async fn command(
        &self,
        name: &str,
        command: SessionPlayerCommand,
    ) -> Result<(), MusicError> {
        let bus = self.bus(self.clock.monotonic()).await;
        let bus = bus.ok_or_else(|| MusicError::Unavailable(NO_BUS.to_owned()))?;
        if !bus.list().await?.iter().any(|player| player.name == name) {
            return Err(SessionPlayersError::Name { name: name.chars().take(64).collect() }.into());
        }
        bus.command(name, command).await?;
        self.lock().at = None;
        Ok(())
    }

    async fn bus(&self, now: Duration) -> Option<SessionPlayers> {
        let address = self.address.as_deref()?;
        {
            let seen = self.lock();
            let is_early = seen.failed_at.is_some_and(|at| now.saturating_sub(at) < BUS_PAUSE);
            if seen.bus.is_some() || is_early {
                return seen.bus.clone();
            }
        }
        let connected = SessionPlayers::connect(address).await;
        let mut seen = self.lock();
        match connected {
            Ok(bus) => seen.bus = Some(bus),
            Err(error) => {
                tracing::debug!(%error, event = "session_bus_unreachable", "players of other programs are not seen");
                seen.failed_at = Some(now);
            }
        }
        seen.bus.clone()
    }

    fn lock(&self) -> MutexGuard<'_, SeenPlayers> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const NO_BUS: &str = "players of other programs cannot be reached: the keeper has no session bus (DBUS_SESSION_BUS_ADDRESS), or `other_players` under [media] is false";
