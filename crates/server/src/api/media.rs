//! `/media-status`, `/control-media`, `/music/…`: what is played, by whom it is steered, and what there is to play.
//!
//! There is one queue, of the home. Titles and names come out of files and other programs: they are shown, never obeyed.
//!
//! Reading order: `body` and `view` (what is asked and shown), the routes here and in `playlists`, `shown` (how it is made),
//! `refusal` (what cannot be done).

use std::time::Duration;

use abide_media::{
    AddPlace, CoverDigest, EntryId, MediaActor, PlaylistId, RepeatMode, ScanDepth,
    SessionPlayerCommand, Volume,
};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, header};

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};
use crate::{
    auth::Caller,
    media::{AddedTracks, MusicError, MusicOrder, PROBLEMS_SHOWN, PlayedNow},
};

pub(crate) mod body;
pub(crate) mod playlists;
mod refusal;
mod shown;
pub(crate) mod view;

use body::{ControlFields, MediaControlBody, MusicScanBody, QueuePlace};
use shown::LibraryState;
use view::{AlbumView, LibraryPageView, LibraryScanView, MediaRepeat, MediaStatusView};

/// Rows of a page of the library at most.
const PAGE_MAX: usize = 200;
/// Seconds that a place in a track may be at most: longer than any.
const POSITION_S_MAX: f64 = 1e6;
/// How long a browser keeps a cover: one of the same digest never changes.
const CACHE_CONTROL: &str = "private, max-age=31536000, immutable";

/// The person who calls, as lines about music have it.
fn actor(caller: &Caller) -> MediaActor {
    MediaActor::Person(caller.author().bare().to_owned())
}

/// What is played, what is to be played, and what plays it.
#[utoipa::path(get, path = "/media-status", tag = "media", responses((status = 200, body = MediaStatusView)))]
pub(crate) async fn status(State(app): State<AppState>) -> Result<Json<MediaStatusView>, ApiError> {
    let (music, keeper) = (app.music(), app.keeper()?);
    let (status, others) = tokio::join!(music.status(keeper), music.other_players());
    Ok(Json(shown::status(&status?, &others)))
}

/// Plays, pauses, goes on, fills the queue; the answer is the status afterwards. 409 where there is no player, with what to do.
#[utoipa::path(post, path = "/control-media", tag = "media", request_body = MediaControlBody,
    responses((status = 200, body = MediaStatusView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn control(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<MediaStatusView>, ApiError> {
    app.keeper()?;
    let fields: ControlFields = body.parse()?;
    match asked(fields.order()?)? {
        Asked::Ours(order) => app.music().carry_out(order, actor(&caller)).await?,
        Asked::Other(player, command) => app.music().command_other(&player, command).await?,
    }
    status(State(app)).await
}

/// Which player is meant, and what it is to do.
enum Asked {
    Ours(MusicOrder),
    Other(String, SessionPlayerCommand),
}

fn asked(body: MediaControlBody) -> Result<Asked, ApiError> {
    use SessionPlayerCommand as Command;
    let either = |player: Option<String>, order, command| match player {
        Some(player) => Asked::Other(player, command),
        None => Asked::Ours(order),
    };
    Ok(Asked::Ours(match body {
        MediaControlBody::Play { tracks, playlist, entry, player } => {
            return play((tracks, playlist), entry, player);
        }
        MediaControlBody::Pause { player } => {
            return Ok(either(player, MusicOrder::Pause, Command::Pause));
        }
        MediaControlBody::Next { player } => {
            return Ok(either(player, MusicOrder::Next, Command::Next));
        }
        MediaControlBody::Previous { player } => {
            return Ok(either(player, MusicOrder::Previous, Command::Previous));
        }
        MediaControlBody::Stop => MusicOrder::Stop,
        MediaControlBody::Seek { position_s } => MusicOrder::Seek(place(position_s)?),
        MediaControlBody::Volume { volume } if volume <= Volume::MAX.percent() => {
            MusicOrder::Volume(Volume::new(volume.into()))
        }
        MediaControlBody::Volume { .. } => {
            return Err(ApiError::invalid_at("volume", "rule", "must be 0 to 100"));
        }
        MediaControlBody::Queue { tracks, playlist, place } => {
            let added = added(tracks, playlist)?.ok_or_else(|| several("tracks or playlist"))?;
            let place = match place {
                QueuePlace::Now => AddPlace::Now,
                QueuePlace::Next => AddPlace::Next,
                QueuePlace::End => AddPlace::End,
            };
            MusicOrder::Add(added, place)
        }
        MediaControlBody::Remove { entries } => {
            MusicOrder::Remove(entries.into_iter().map(EntryId).collect())
        }
        MediaControlBody::Move { entry, before } => {
            MusicOrder::Move(EntryId(entry), before.map(EntryId))
        }
        MediaControlBody::Clear => MusicOrder::Clear,
        MediaControlBody::Shuffle { on } => MusicOrder::Shuffle(on),
        MediaControlBody::Repeat { mode } => MusicOrder::Repeat(match mode {
            MediaRepeat::Off => RepeatMode::Off,
            MediaRepeat::All => RepeatMode::All,
            MediaRepeat::One => RepeatMode::One,
        }),
    }))
}

fn play(
    (tracks, playlist): (Option<Vec<String>>, Option<u64>),
    entry: Option<u64>,
    player: Option<String>,
) -> Result<Asked, ApiError> {
    let added = added(tracks, playlist)?;
    Ok(match (added, entry, player) {
        (None, None, None) => Asked::Ours(MusicOrder::Play(PlayedNow::Queue)),
        (Some(added), None, None) => Asked::Ours(MusicOrder::Play(PlayedNow::Added(added))),
        (None, Some(entry), None) => {
            Asked::Ours(MusicOrder::Play(PlayedNow::Entry(EntryId(entry))))
        }
        (None, None, Some(player)) => Asked::Other(player, SessionPlayerCommand::Play),
        _ => return Err(several("tracks, playlist, entry and player")),
    })
}

fn added(
    tracks: Option<Vec<String>>,
    playlist: Option<u64>,
) -> Result<Option<AddedTracks>, ApiError> {
    match (tracks, playlist) {
        (None, None) => Ok(None),
        (Some(tracks), None) => Ok(Some(AddedTracks::Tracks(tracks))),
        (None, Some(id)) => Ok(Some(AddedTracks::Playlist(PlaylistId(id)))),
        (Some(_), Some(_)) => Err(several("tracks and playlist")),
    }
}

fn several(names: &str) -> ApiError {
    ApiError::invalid_at("", "rule", &format!("give one of {names}"))
}

fn place(position_s: f64) -> Result<Duration, ApiError> {
    let is_place = (0.0..=POSITION_S_MAX).contains(&position_s);
    let wrong = || ApiError::invalid_at("position_s", "rule", "must be seconds from 0 on");
    is_place.then(|| Duration::from_secs_f64(position_s)).ok_or_else(wrong)
}

/// The tracks of the library: those that match all words of `q`, those of an `album`, or all. A page has 200 at most, and fewer where
/// files could not be read.
#[utoipa::path(get, path = "/music/library", tag = "media",
    params(("q" = Option<String>, Query), ("album" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = LibraryPageView)))]
pub(crate) async fn library(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<LibraryPageView>, ApiError> {
    app.keeper()?;
    let (cursor, limit) = (params.cursor()?.unwrap_or(0), params.limit()?.min(PAGE_MAX));
    let from = usize::try_from(cursor).unwrap_or(usize::MAX);
    let words = params.get("q").map(str::to_owned);
    let album = params.get("album").map(str::to_owned);
    let scans = app.music().scans();
    let Ok(report) = scans else {
        let scan = without_library(scans.err())?;
        let (items, next, matches) = (Vec::new(), None, None);
        return Ok(Json(LibraryPageView { items, next, matches, more: false, scan }));
    };
    let asked = app.music().ask(move |library| {
        let rest = |from: usize, shown: usize, all: usize| {
            let next = from.saturating_add(shown);
            (shown > 0 && next < all).then(|| next.to_string())
        };
        let page = match (words, album) {
            (Some(words), _) => {
                let page = library.search(&words, from, limit)?;
                let next = rest(from, page.tracks.len(), page.matches);
                (page.tracks, next, Some(page.matches), page.is_cut)
            }
            (None, Some(album)) => {
                let all = library.album_tracks(&album)?;
                let (found, all): (Vec<_>, _) =
                    (all.iter().skip(from).take(limit).cloned().collect(), all.len());
                let next = rest(from, found.len(), all);
                (found, next, Some(all), false)
            }
            (None, None) => {
                let after = i64::try_from(cursor).unwrap_or(i64::MAX);
                let tracks = library.tracks(after, limit)?;
                let last = tracks.last().filter(|_| tracks.len() == limit);
                let next = last.map(|track| track.id.to_string());
                (tracks, next, None, false)
            }
        };
        Ok::<_, abide_media::LibraryError>((page, library_state(library)?))
    });
    let ((tracks, next, matches, more), state) = asked.await?.map_err(MusicError::from)?;
    let items = tracks.iter().filter_map(shown::library_track).collect();
    let scan = shown::scan(Some(report), &state);
    Ok(Json(LibraryPageView { items, next, matches, more, scan }))
}

fn library_state(
    library: &abide_media::Library,
) -> Result<LibraryState, abide_media::LibraryError> {
    Ok(LibraryState {
        counts: library.counts()?,
        problems: library.problems(0, PROBLEMS_SHOWN)?,
        roots: library.roots()?,
    })
}

/// What is said of scans where there is no library: no folders, or it could not be opened.
fn without_library(error: Option<MusicError>) -> Result<LibraryScanView, ApiError> {
    let mut scan = shown::scan(None, &LibraryState::default());
    match error {
        Some(MusicError::Unavailable(why)) => scan.why = Some(why),
        Some(error) => return Err(error.into()),
        None => {}
    }
    Ok(scan)
}

/// The albums of the library, in the order of their ids.
#[utoipa::path(get, path = "/music/albums", tag = "media",
    params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<AlbumView>)))]
pub(crate) async fn albums(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<AlbumView>>, ApiError> {
    app.keeper()?;
    let limit = params.limit()?.min(PAGE_MAX);
    let after = params.get("cursor").unwrap_or_default().to_owned();
    let albums = match app.music().ask(move |library| library.albums(&after, limit)).await {
        Err(MusicError::Unavailable(_)) => return Ok(Json(List::whole(Vec::new()))),
        albums => albums?.map_err(MusicError::from)?,
    };
    let next = albums.last().filter(|_| albums.len() == limit).map(|album| album.key.clone());
    Ok(Json(List { items: albums.iter().map(shown::album).collect(), next }))
}

/// A cover. One of the same digest never changes.
#[utoipa::path(get, path = "/music/covers/{digest}", tag = "media", params(("digest" = String, Path)),
    responses((status = 200, content((Vec<u8> = "image/jpeg"), (Vec<u8> = "image/png"), (Vec<u8> = "image/gif"), (Vec<u8> = "image/webp"))),
        (status = 404)))]
pub(crate) async fn cover(
    State(app): State<AppState>,
    Path(digest): Path<String>,
) -> Result<Response, ApiError> {
    app.keeper()?;
    let none = || ApiError::not_found("cover", &digest);
    let known: CoverDigest = digest.parse().map_err(|_| none())?;
    let cover = match app.music().ask(move |library| library.cover(known)).await {
        Err(MusicError::Unavailable(_)) => None,
        cover => cover?.map_err(MusicError::from)?,
    };
    let cover = cover.ok_or_else(none)?;
    // The guard adds `nosniff`, as to every answer.
    let headers = [(header::CONTENT_TYPE, cover.mime), (header::CACHE_CONTROL, CACHE_CONTROL)];
    Ok((headers, cover.bytes).into_response())
}

/// Starts a scan of the library; one that runs already goes on. 409 where no folder is configured.
#[utoipa::path(post, path = "/music/scan", tag = "media", request_body = MusicScanBody,
    responses((status = 202, body = LibraryScanView), (status = 409), (status = 422)))]
pub(crate) async fn scan(
    State(app): State<AppState>,
    body: Body,
) -> Result<(StatusCode, Json<LibraryScanView>), ApiError> {
    app.keeper()?;
    let MusicScanBody { everything } = body.parse()?;
    let depth = if everything { ScanDepth::Everything } else { ScanDepth::Changes };
    app.music().scan(depth)?;
    let state = app.music().ask(library_state).await?.map_err(MusicError::from)?;
    let report = app.music().scans()?;
    Ok((StatusCode::ACCEPTED, Json(shown::scan(Some(report), &state))))
}
