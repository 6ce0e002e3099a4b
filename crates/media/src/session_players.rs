//! Players of other programs, as they show themselves on the session bus (MPRIS): seen and steered, not filled.
//!
//! There may be no session bus, and any player on it may be slow, wrong or gone: each call has a time, each text a length.

use std::{collections::HashMap, time::Duration};

use futures_util::future::join_all;
use serde::Serialize;
use tokio::time::timeout;
use zbus::{Connection, Message, OwnedVariant, Variant, connection::Builder};

use crate::{
    limits::{ARTISTS_MAX, REPLY_MAX, SESSION_PLAYERS_MAX, TEXT_CHARS_MAX},
    player::{PlayerStatus, Volume},
};

/// How the names of players begin.
const PREFIX: &str = "org.mpris.MediaPlayer2.";
const OBJECT: &str = "/org/mpris/MediaPlayer2";
const ROOT: &str = "org.mpris.MediaPlayer2";
const PLAYER: &str = "org.mpris.MediaPlayer2.Player";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// What a player of another program can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPlayerCommand {
    /// Goes on.
    Play,
    /// Stands.
    Pause,
    /// Ends playing.
    Stop,
    /// Plays its next track.
    Next,
    /// Plays its track before.
    Previous,
    /// Goes to a place of its track.
    Seek(Duration),
    /// Sets how loud.
    SetVolume(Volume),
}

/// A player of another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionPlayer {
    /// What it is asked by, such as `vlc` or `firefox.instance_1_23`.
    pub name: String,
    /// What it calls itself.
    pub identity: String,
    /// What it does.
    pub status: PlayerStatus,
    /// Title of its track.
    pub title: Option<String>,
    /// Artists of its track.
    pub artists: Vec<String>,
    /// Album of its track.
    pub album: Option<String>,
    /// Where it is, in milliseconds.
    pub position_ms: Option<u64>,
    /// How long its track is, in milliseconds.
    pub duration_ms: Option<u64>,
    /// How loud.
    pub volume: Option<Volume>,
    /// Whether it can go to a place. Some say so and do not say which track they play, which it takes.
    pub can_seek: bool,
    /// Whether it can be steered at all.
    pub can_control: bool,
}

/// Another program's player, or the session bus, did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionPlayersError {
    /// There is no session bus at the address.
    #[error("the session bus cannot be reached; players of other programs are not seen")]
    NoBus(#[source] zbus::Error),
    /// It gave no answer in time.
    #[error("the player `{name}` gave no answer for 2 seconds")]
    Silent {
        /// Which.
        name: String,
    },
    /// It is none that there could be.
    #[error("`{name}` is no name of a player; list the players again")]
    Name {
        /// Which.
        name: String,
    },
    /// It cannot be steered, or not so.
    #[error("the player `{name}` cannot do that")]
    Unable {
        /// Which.
        name: String,
    },
    /// It refused, or is gone.
    #[error("the player `{name}` did not do it")]
    Refused {
        /// Which.
        name: String,
        /// What it said.
        #[source]
        source: zbus::Error,
    },
}

/// The players on a session bus.
#[derive(Clone, Debug)]
pub struct SessionPlayers {
    bus: Connection,
}

type Shown = HashMap<String, OwnedVariant>;

impl SessionPlayers {
    /// Connects to the bus at an address, which is what `DBUS_SESSION_BUS_ADDRESS` says.
    pub async fn connect(address: &str) -> Result<Self, SessionPlayersError> {
        let connecting = async { Builder::address(address).build().await };
        let late = |_| zbus::Error::Failure("it gave no answer for 2 seconds".to_owned());
        let connected = timeout(REPLY_MAX, connecting).await.map_err(late);
        let bus = connected.and_then(|bus| bus).map_err(SessionPlayersError::NoBus)?;
        Ok(Self { bus })
    }

    /// The players that answer, by name; at most 32.
    pub async fn list(&self) -> Result<Vec<SessionPlayer>, SessionPlayersError> {
        let bus = "org.freedesktop.DBus";
        let called =
            self.bus.call_method(Some(bus), "/org/freedesktop/DBus", Some(bus), "ListNames", &());
        let late = |_| SessionPlayersError::Silent { name: bus.to_owned() };
        let reply = timeout(REPLY_MAX, called).await.map_err(late)?;
        let names: zbus::Result<Vec<String>> = reply.and_then(|reply| reply.body().deserialize());
        let names = names.map_err(SessionPlayersError::NoBus)?;
        let mut names: Vec<String> =
            names.iter().filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned())).collect();
        names.sort_unstable();
        names.truncate(SESSION_PLAYERS_MAX);
        let looks = join_all(names.iter().map(|name| self.look(name))).await;
        // One that does not answer is not there for anybody.
        Ok(looks.into_iter().filter_map(Result::ok).collect())
    }

    /// What one player is at.
    pub async fn look(&self, name: &str) -> Result<SessionPlayer, SessionPlayersError> {
        let (root, shown) =
            futures_util::try_join!(self.shown(name, ROOT), self.shown(name, PLAYER))?;
        Ok(read(name, &root, &shown))
    }

    /// Asks a player for something.
    pub async fn command(
        &self,
        name: &str,
        command: SessionPlayerCommand,
    ) -> Result<(), SessionPlayersError> {
        let method = match command {
            SessionPlayerCommand::Play => "Play",
            SessionPlayerCommand::Pause => "Pause",
            SessionPlayerCommand::Stop => "Stop",
            SessionPlayerCommand::Next => "Next",
            SessionPlayerCommand::Previous => "Previous",
            SessionPlayerCommand::Seek(to) => return self.seek(name, to).await,
            SessionPlayerCommand::SetVolume(volume) => {
                let value = Variant::from(f64::from(volume.percent()) / 100.0);
                return self
                    .call(name, PROPERTIES, "Set", &(PLAYER, "Volume", value))
                    .await
                    .map(|_| ());
            }
        };
        self.call(name, PLAYER, method, &()).await.map(|_| ())
    }

    /// A place is one of a track, so that one that has changed meanwhile is left alone.
    async fn seek(&self, name: &str, to: Duration) -> Result<(), SessionPlayersError> {
        let shown = self.shown(name, PLAYER).await?;
        let track = track(&shown).filter(|_| boolean(&shown, "CanSeek"));
        let Some(Variant::ObjectPath(track)) =
            track.as_ref().and_then(|t| t.get("mpris:trackid")).map(|id| &**id)
        else {
            return Err(SessionPlayersError::Unable { name: name.to_owned() });
        };
        let micros = i64::try_from(to.as_micros()).unwrap_or(i64::MAX);
        self.call(name, PLAYER, "SetPosition", &(track, micros)).await.map(|_| ())
    }

    async fn shown(&self, name: &str, interface: &str) -> Result<Shown, SessionPlayersError> {
        let reply = self.call(name, PROPERTIES, "GetAll", &(interface,)).await?;
        let refused = |source| SessionPlayersError::Refused { name: name.to_owned(), source };
        reply.body().deserialize().map_err(refused)
    }

    async fn call<B>(
        &self,
        name: &str,
        interface: &str,
        method: &str,
        body: &B,
    ) -> Result<Message, SessionPlayersError>
    where
        B: Serialize + zbus::DynamicType + Sync,
    {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(SessionPlayersError::Name { name: short(name) });
        }
        let full = format!("{PREFIX}{name}");
        let called = self.bus.call_method(Some(full), OBJECT, Some(interface), method, body);
        match timeout(REPLY_MAX, called).await {
            Err(_) => Err(SessionPlayersError::Silent { name: name.to_owned() }),
            Ok(reply) => reply
                .map_err(|source| SessionPlayersError::Refused { name: name.to_owned(), source }),
        }
    }
}

fn read(name: &str, root: &Shown, shown: &Shown) -> SessionPlayer {
    let track = track(shown).unwrap_or_default();
    let status = match text(shown, "PlaybackStatus").as_deref() {
        Some("Playing") => PlayerStatus::Playing,
        Some("Paused") => PlayerStatus::Paused,
        _ => PlayerStatus::Idle,
    };
    let has_id = matches!(track.get("mpris:trackid").map(|id| &**id), Some(Variant::ObjectPath(_)));
    let millis = |micros: Option<i64>| micros.and_then(|micros| u64::try_from(micros / 1_000).ok());
    SessionPlayer {
        name: short(name),
        identity: text(root, "Identity").unwrap_or_else(|| short(name)),
        status,
        title: text(&track, "xesam:title"),
        artists: texts(&track, "xesam:artist"),
        album: text(&track, "xesam:album"),
        position_ms: millis(integer(shown, "Position")),
        duration_ms: millis(integer(&track, "mpris:length")),
        volume: match shown.get("Volume").map(|volume| &**volume) {
            Some(Variant::F64(volume)) => Some(percent(*volume)),
            _ => None,
        },
        can_seek: has_id && boolean(shown, "CanSeek"),
        can_control: boolean(shown, "CanControl"),
    }
}

fn percent(volume: f64) -> Volume {
    // The nearest step, without a conversion that may wrap.
    let steps = (0..=100_u8).find(|step| f64::from(*step) / 100.0 >= volume - 0.005);
    steps.map_or(Volume::MAX, |step| Volume::new(i64::from(step)))
}

fn track(shown: &Shown) -> Option<Shown> {
    shown.get("Metadata")?.try_clone().ok()?.try_into().ok()
}

fn boolean(shown: &Shown, name: &str) -> bool {
    matches!(shown.get(name).map(|value| &**value), Some(Variant::Bool(true)))
}

/// Players disagree on which kind of number a length is.
fn integer(shown: &Shown, name: &str) -> Option<i64> {
    match &**shown.get(name)? {
        Variant::I64(number) => Some(*number),
        Variant::U64(number) => i64::try_from(*number).ok(),
        Variant::I32(number) => Some(i64::from(*number)),
        Variant::U32(number) => Some(i64::from(*number)),
        _ => None,
    }
}

fn text(shown: &Shown, name: &str) -> Option<String> {
    match &**shown.get(name)? {
        Variant::Str(text) => Some(short(text.as_str())).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// A list of texts, or the one text that some give instead.
fn texts(shown: &Shown, name: &str) -> Vec<String> {
    match shown.get(name).map(|value| &**value) {
        Some(Variant::Array(array)) => {
            let texts = array.inner().iter().filter_map(|value| match value {
                Variant::Str(text) => Some(short(text.as_str())),
                _ => None,
            });
            texts.filter(|text| !text.is_empty()).take(ARTISTS_MAX).collect()
        }
        _ => text(shown, name).into_iter().collect(),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(TEXT_CHARS_MAX).collect()
}
