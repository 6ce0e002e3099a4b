//! How what happened to the queue and to playlists becomes a line of the ledger, and comes back.
//!
//! Both sides have the same fields; the line says besides who did it.

use abide_domain::event::{Event, EventError, MediaAuthor, MediaAuthorKind, MediaEvent};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{actor::MediaActor, playlist::PlaylistEvent, queue::QueueEvent};

/// How the kinds of lines about playlists begin.
const PLAYLIST_KINDS: &str = "media.playlist_";
/// The name of the player, as lines have it.
const PLAYER_NAME: &str = "player";
/// The version of all these lines.
const VERSION: u32 = 1;

/// What happened is no line, or a line is nothing that can have happened.
#[derive(Debug, thiserror::Error)]
pub enum MediaLineError {
    /// It has no such form.
    #[error("what happened to the music cannot be written or read")]
    Form(#[from] serde_json::Error),
    /// The ledger knows no such line.
    #[error("what happened to the music is no event of the ledger")]
    Event(#[from] EventError),
}

/// What a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaChange {
    /// The queue.
    Queue(QueueEvent),
    /// A playlist.
    Playlist(PlaylistEvent),
}

/// The line of something that happened to the queue.
pub fn queue_line(event: &QueueEvent, by: &MediaActor) -> Result<Event, MediaLineError> {
    line(event, by)
}

/// The line of something that happened to a playlist.
pub fn playlist_line(event: &PlaylistEvent, by: &MediaActor) -> Result<Event, MediaLineError> {
    line(event, by)
}

/// What happened by a line. An error: its form is not ours, say because what it was about was erased.
pub fn media_change(line: &MediaEvent) -> Result<MediaChange, MediaLineError> {
    let event = Event::Media(line.clone());
    let kind = event.kind().name;
    let mut fields: Map<String, Value> = serde_json::from_str(event.encode_data()?.get())?;
    fields.insert("kind".to_owned(), kind.into());
    Ok(if kind.starts_with(PLAYLIST_KINDS) {
        MediaChange::Playlist(read(fields)?)
    } else {
        MediaChange::Queue(read(fields)?)
    })
}

fn read<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(fields))
}

fn line(event: &impl Serialize, by: &MediaActor) -> Result<Event, MediaLineError> {
    let mut value = serde_json::to_value(event)?;
    let fields = value.as_object_mut();
    let kind = fields.and_then(|fields| {
        let kind = fields.remove("kind");
        let by = serde_json::to_value(author(by)).ok()?;
        fields.insert("by".to_owned(), by);
        kind
    });
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default();
    Ok(Event::decode(kind, VERSION, &value.to_string())?)
}

fn author(by: &MediaActor) -> MediaAuthor {
    let (who, name) = match by {
        MediaActor::Person(name) => (MediaAuthorKind::Person, name.as_str()),
        MediaActor::Agent(name) => (MediaAuthorKind::Agent, name.as_str()),
        MediaActor::Player => (MediaAuthorKind::Player, PLAYER_NAME),
    };
    MediaAuthor { who, name: name.to_owned() }
}
