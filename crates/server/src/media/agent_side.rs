//! What agents' tools see of the music, and do to it in their name.
//!
//! Texts come out of files of others: hidden characters are taken out here, and the tools mark them as data.

use abide_domain::{AgentId, without_hidden};
use abide_media::{AddPlace, EntryId, FilePresence, MediaActor, PlaylistId, Track, Volume};
use abide_services::{MusicAct, MusicChoice, MusicControl, MusicPlace};
use abide_tools::{ToolError, ToolErrorKind};
use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::{Value, json};

use super::{
    error::MusicError,
    limits::{AGENT_FOUND_MAX, AGENT_QUEUE_SHOWN},
    order::{AddedTracks, MusicOrder, PlayedNow},
    service::{MusicService, PlayedTrack},
};

impl MusicControl for MusicService {
    fn status(&self) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move { self.shown().await.map_err(|error| refused(&error)) }.boxed()
    }

    fn search(&self, words: String, limit: usize) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move { self.found(words, limit).await.map_err(|error| refused(&error)) }.boxed()
    }

    fn act(&self, agent: AgentId, act: MusicAct) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move {
            let by = MediaActor::Agent(agent.as_str().to_owned());
            let done = async {
                self.carry_out(order(act)?, by).await?;
                self.shown().await
            };
            done.await.map_err(|error: MusicError| refused(&error))
        }
        .boxed()
    }
}

impl MusicService {
    async fn shown(&self) -> Result<Value, MusicError> {
        let status = self.status_of(self.keeper()?, AGENT_QUEUE_SHOWN).await?;
        let queue = &status.queue;
        let entry = |(id, track): &(EntryId, PlayedTrack)| {
            let failed = queue.failure(*id).map(clean);
            json!({"entry": id.0, "track": played(track), "failed": failed})
        };
        let is_current = |(id, _): &&(EntryId, PlayedTrack)| Some(*id) == queue.current();
        Ok(json!({
            "state": if queue.current().is_none() { "stopped" } else if queue.intent() == abide_media::PlayIntent::Play { "playing" } else { "paused" },
            "why": status.why,
            "now": status.shown.iter().find(is_current).map(entry),
            "position_s": status.position.as_secs(),
            "volume": queue.volume().percent(),
            "next": status.shown.iter().filter(|shown| !is_current(shown)).map(entry).collect::<Value>(),
            "entries": queue.entries().len(),
            "shuffle": queue.seed().is_some(),
            "repeat": queue.repeat(),
        }))
    }

    async fn found(&self, words: String, limit: usize) -> Result<Value, MusicError> {
        let rows = limit.min(AGENT_FOUND_MAX);
        let page = self.ask(move |library| library.search(&words, 0, rows)).await??;
        let state = self.keeper()?.state();
        let list = |(id, list): (PlaylistId, &abide_media::Playlist)| json!({"playlist": id.0, "name": clean(&list.name), "entries": list.entries.len()});
        let playlists: Value =
            state.media.playlists.iter().take(AGENT_FOUND_MAX).map(list).collect();
        Ok(json!({
            "tracks": page.tracks.iter().filter_map(found_track).collect::<Value>(),
            "matches": page.matches,
            "more": page.is_cut,
            "playlists": playlists,
        }))
    }
}

fn order(act: MusicAct) -> Result<MusicOrder, MusicError> {
    Ok(match act {
        MusicAct::Play(None) => MusicOrder::Play(PlayedNow::Queue),
        MusicAct::Play(Some(MusicChoice::Entry(entry))) => {
            MusicOrder::Play(PlayedNow::Entry(EntryId(entry)))
        }
        MusicAct::Play(Some(choice)) => MusicOrder::Play(PlayedNow::Added(added(choice)?)),
        MusicAct::Pause => MusicOrder::Pause,
        MusicAct::Next => MusicOrder::Next,
        MusicAct::Queue(choice, MusicPlace::Next) => {
            MusicOrder::Add(added(choice)?, AddPlace::Next)
        }
        MusicAct::Queue(choice, MusicPlace::End) => MusicOrder::Add(added(choice)?, AddPlace::End),
        MusicAct::Volume(percent) => MusicOrder::Volume(Volume::new(percent.into())),
    })
}

fn added(choice: MusicChoice) -> Result<AddedTracks, MusicError> {
    match choice {
        MusicChoice::Tracks(tracks) => Ok(AddedTracks::Tracks(tracks)),
        MusicChoice::Playlist(id) => Ok(AddedTracks::Playlist(PlaylistId(id))),
        MusicChoice::Entry(_) => Err(MusicError::Invalid {
            path: "entry".to_owned(),
            message: "is in the queue already".to_owned(),
        }),
    }
}

fn clean(text: &str) -> String {
    without_hidden(text).into_owned()
}

fn artists(artists: &[String]) -> String {
    clean(&artists.join(", "))
}

fn played(track: &PlayedTrack) -> Value {
    let PlayedTrack { reference, file } = track;
    json!({
        "id": reference.key,
        "title": clean(&reference.title),
        "artist": artists(&reference.artists),
        "album": file.as_ref().and_then(|file| file.album.as_deref()).map(clean),
        "seconds": reference.duration_ms.map(|ms| ms / 1_000),
    })
}

fn found_track(track: &Track) -> Option<Value> {
    Some(json!({
        "id": track.key?,
        "title": clean(&track.title),
        "artist": artists(&track.artists),
        "album": track.album.as_deref().map(clean),
        "seconds": track.duration_ms.map(|ms| ms / 1_000),
        "available": track.presence == FilePresence::Present,
    }))
}

fn refused(error: &MusicError) -> ToolError {
    let kind = match error {
        MusicError::NoTrack(_)
        | MusicError::NoPlaylist(_)
        | MusicError::Queue(abide_media::QueueError::NoEntry { .. }) => ToolErrorKind::NotFound,
        MusicError::Invalid { .. } => ToolErrorKind::Invalid,
        MusicError::Queue(_) => ToolErrorKind::Conflict,
        _ => ToolErrorKind::Upstream,
    };
    ToolError::of(kind, error.to_string())
}
