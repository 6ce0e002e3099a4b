//! Forms that the tools of music share: their arguments and their results.

use abide_tools::ToolError;
use serde_json::{Value, json};

use super::control::MusicChoice;
use crate::{foreign_text::NOTICE, limits::TRACKS_MAX};

/// A result with the word that it is data.
pub(super) fn marked(found: Value) -> Value {
    let mut marked = json!({ "notice": NOTICE });
    if let (Some(fields), Value::Object(found)) = (marked.as_object_mut(), found) {
        fields.extend(found);
    }
    marked
}

/// The one thing that is to be heard; none where nothing is named.
pub(super) fn choice(
    tracks: Option<Vec<String>>,
    playlist: Option<u64>,
    entry: Option<u64>,
) -> Result<Option<MusicChoice>, ToolError> {
    let tracks = tracks.filter(|tracks| !tracks.is_empty());
    match (tracks, playlist, entry) {
        (None, None, None) => Ok(None),
        (Some(tracks), None, None) => Ok(Some(MusicChoice::Tracks(tracks))),
        (None, Some(playlist), None) => Ok(Some(MusicChoice::Playlist(playlist))),
        (None, None, Some(entry)) => Ok(Some(MusicChoice::Entry(entry))),
        _ => Err(ToolError::new("give one of `tracks`, `playlist` and `entry`, not several")),
    }
}

/// The schema of tracks.
pub(super) fn tracks_schema() -> Value {
    json!({"type": ["array", "null"], "items": {"type": "string"}, "maxItems": TRACKS_MAX,
        "description": "ids of tracks, as media.search gives them"})
}

/// The schema of a number that names something.
pub(super) fn number_schema(description: &str) -> Value {
    json!({"type": ["integer", "null"], "minimum": 0, "description": description})
}
