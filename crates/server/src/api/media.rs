//! `/media-status`, `/control-media`, `/music/…`: what is played, by whom it is steered, and what there is to play.
//!
//! There is one queue, of the home. Titles and names come out of files and other programs: they are shown, never obeyed.
//!
//! Reading order: `body` and `view` (what is asked and shown), the routes here.

use axum::{
    Json,
    extract::{Path, State},
    response::Response,
};
use http::StatusCode;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};
use crate::auth::Caller;

pub(crate) mod body;
pub(crate) mod view;

use body::{MediaControlBody, MusicScanBody, PlaylistChangeBody, PlaylistCreateBody};
use view::{
    AlbumView, LibraryPageView, LibraryScanState, LibraryScanView, MediaBackend, MediaRepeat,
    MediaState, MediaStatusView, PlaylistItemView, PlaylistView,
};

/// Why nothing can be played where no folder is configured.
const NO_FOLDERS: &str = "no music folders are configured: set `folders` under [media] in abide.toml and start the keeper again";

fn no_player() -> ApiError {
    ApiError::conflict("no_player", NO_FOLDERS)
}

/// What is played, what is to be played, and what plays it.
#[utoipa::path(get, path = "/media-status", tag = "media", responses((status = 200, body = MediaStatusView)))]
pub(crate) async fn status(State(app): State<AppState>) -> Result<Json<MediaStatusView>, ApiError> {
    app.keeper()?;
    Ok(Json(MediaStatusView {
        state: MediaState::Unavailable,
        why: Some(NO_FOLDERS.to_owned()),
        track: None,
        entry: None,
        position_s: 0.0,
        volume: 100,
        queue: Vec::new(),
        queue_total: 0,
        shuffle: false,
        repeat: MediaRepeat::Off,
        backend: MediaBackend::Off,
        players: Vec::new(),
    }))
}

/// Plays, pauses, goes on, fills the queue; the answer is the status afterwards. 409 where there is no player, with what to do.
#[utoipa::path(post, path = "/control-media", tag = "media", request_body = MediaControlBody,
    responses((status = 200, body = MediaStatusView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn control(
    State(app): State<AppState>,
    _caller: Caller,
    body: Body,
) -> Result<Json<MediaStatusView>, ApiError> {
    app.keeper()?;
    let _body: MediaControlBody = body.parse()?;
    Err(no_player())
}

/// The tracks of the library: those that match all words of `q`, those of an `album`, or all.
#[utoipa::path(get, path = "/music/library", tag = "media",
    params(("q" = Option<String>, Query), ("album" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = LibraryPageView)))]
pub(crate) async fn library(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<LibraryPageView>, ApiError> {
    app.keeper()?;
    (params.limit()?, params.cursor()?);
    let scan = LibraryScanView {
        state: LibraryScanState::Off,
        why: Some(NO_FOLDERS.to_owned()),
        files: 0,
        missing: 0,
        read: 0,
        to_read: 0,
        finished_at: None,
        errors: Vec::new(),
        errors_total: 0,
    };
    Ok(Json(LibraryPageView { items: Vec::new(), next: None, matches: None, more: false, scan }))
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
    params.limit()?;
    Ok(Json(List::whole(Vec::new())))
}

/// A cover.
#[utoipa::path(get, path = "/music/covers/{digest}", tag = "media", params(("digest" = String, Path)),
    responses((status = 200, content((Vec<u8> = "image/jpeg"), (Vec<u8> = "image/png"), (Vec<u8> = "image/gif"), (Vec<u8> = "image/webp"))),
        (status = 404)))]
pub(crate) async fn cover(
    State(app): State<AppState>,
    Path(digest): Path<String>,
) -> Result<Response, ApiError> {
    app.keeper()?;
    Err(ApiError::not_found("cover", &digest))
}

/// Starts a scan of the library; one that runs already goes on. 409 where no folder is configured.
#[utoipa::path(post, path = "/music/scan", tag = "media", request_body = MusicScanBody,
    responses((status = 202, body = LibraryScanView), (status = 409), (status = 422)))]
pub(crate) async fn scan(
    State(app): State<AppState>,
    body: Body,
) -> Result<(StatusCode, Json<LibraryScanView>), ApiError> {
    app.keeper()?;
    let _body: MusicScanBody = body.parse()?;
    Err(no_player())
}

/// All playlists.
#[utoipa::path(get, path = "/music/playlists", tag = "media",
    params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<PlaylistItemView>)))]
pub(crate) async fn playlists(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<PlaylistItemView>>, ApiError> {
    app.keeper()?;
    Ok(Json(List::page(Vec::new(), params.cursor()?, params.limit()?)))
}

/// Makes a playlist: of tracks, or out of an `.m3u` file whose tracks the library has.
#[utoipa::path(post, path = "/music/playlists", tag = "media", request_body = PlaylistCreateBody,
    responses((status = 201, body = PlaylistView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn create_playlist(
    State(app): State<AppState>,
    _caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<PlaylistView>), ApiError> {
    app.keeper()?;
    let _body: PlaylistCreateBody = body.parse()?;
    Err(no_player())
}

/// A playlist, whole.
#[utoipa::path(get, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)),
    responses((status = 200, body = PlaylistView), (status = 404)))]
pub(crate) async fn playlist(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<PlaylistView>, ApiError> {
    app.keeper()?;
    Err(ApiError::not_found("playlist", &id))
}

/// Changes a playlist; all of it or nothing.
#[utoipa::path(patch, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)), request_body = PlaylistChangeBody,
    responses((status = 200, body = PlaylistView), (status = 404), (status = 422)))]
pub(crate) async fn change_playlist(
    State(app): State<AppState>,
    _caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<PlaylistView>, ApiError> {
    app.keeper()?;
    let _body: PlaylistChangeBody = body.parse()?;
    Err(ApiError::not_found("playlist", &id))
}

/// Deletes a playlist.
#[utoipa::path(delete, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn delete_playlist(
    State(app): State<AppState>,
    _caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.keeper()?;
    Err(ApiError::not_found("playlist", &id))
}

/// A playlist as an `.m3u8` file, with the paths of its tracks on the keeper's machine.
#[utoipa::path(get, path = "/music/playlists/{id}/m3u", tag = "media", params(("id" = String, Path)),
    responses((status = 200, content((String = "audio/x-mpegurl"))), (status = 404)))]
pub(crate) async fn export_playlist(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    app.keeper()?;
    Err(ApiError::not_found("playlist", &id))
}
