//! `/music/playlists…`: playlists of people, and those of other programs that come in and go out.

use std::path::{Path as FilePath, PathBuf};

use abide_engine::Keeper;
use abide_media::{
    EntryId, M3uEntry, M3uList, Playlist, PlaylistCommand, PlaylistId, TrackRef, parse_m3u,
    print_m3u,
};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{StatusCode, header};

use super::{
    actor,
    body::{PlaylistAddBody, PlaylistChangeBody, PlaylistCreateBody, PlaylistMoveBody},
    shown,
    view::{PlaylistItemView, PlaylistView},
};
use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params},
        list::List,
    },
    auth::Caller,
    media::MusicService,
};

/// What a list is called that names itself nowhere.
const NAME_DEFAULT: &str = "Playlist";

/// All playlists.
#[utoipa::path(get, path = "/music/playlists", tag = "media",
    params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<PlaylistItemView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<PlaylistItemView>>, ApiError> {
    let (cursor, limit) = (params.cursor()?, params.limit()?);
    let state = app.keeper()?.state();
    let items = state.media.playlists.iter().map(shown::playlist_item).collect();
    Ok(Json(List::page(items, cursor, limit)))
}

fn number(id: &str) -> Result<PlaylistId, ApiError> {
    id.parse().map(PlaylistId).map_err(|_| ApiError::not_found("playlist", id))
}

fn find(keeper: &Keeper, id: &str) -> Result<(PlaylistId, Playlist), ApiError> {
    let id = number(id)?;
    let list = keeper.state().media.playlists.get(id).cloned();
    list.map(|list| (id, list)).ok_or_else(|| ApiError::not_found("playlist", &id.0.to_string()))
}

async fn whole(
    music: &MusicService,
    (id, list): (PlaylistId, Playlist),
    unknown: &[String],
) -> Result<Json<PlaylistView>, ApiError> {
    let tracks = list.entries.iter().map(|entry| entry.track.clone()).collect();
    let tracks = music.with_files(tracks).await?;
    Ok(Json(shown::playlist((id, &list), &tracks, unknown)))
}

/// Makes a playlist: of tracks, or out of an `.m3u` file whose tracks the library has.
#[utoipa::path(post, path = "/music/playlists", tag = "media", request_body = PlaylistCreateBody,
    responses((status = 201, body = PlaylistView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<PlaylistView>), ApiError> {
    let keeper = app.keeper()?;
    let PlaylistCreateBody { name, tracks: ids, m3u_base64, m3u_folder } = body.parse()?;
    let mut tracks = match ids.as_slice() {
        [] => Vec::new(),
        ids => app.music().tracks(ids, "tracks").await?,
    };
    let (mut listed, mut unknown) = (None, Vec::new());
    if let Some(text) = m3u_base64 {
        let list = read(&text, m3u_folder, app.music())?;
        listed.clone_from(&list.name);
        let (found, others) = tracks_of(list, app.music()).await?;
        tracks.extend(found);
        unknown = others;
    } else if m3u_folder.is_some() {
        let message = "says where the file of m3u_base64 lies, and there is none";
        return Err(ApiError::invalid_at("m3u_folder", "rule", message));
    }
    let name = name.or(listed).unwrap_or_else(|| NAME_DEFAULT.to_owned());
    let command = PlaylistCommand::Create { name, tracks };
    let made = keeper.change_playlists(vec![command], &actor(&caller)).await?;
    let made = made.ok_or_else(|| ApiError::missing("the playlist was deleted meanwhile"))?;
    Ok((StatusCode::CREATED, whole(app.music(), made, &unknown).await?))
}

fn read(text: &str, folder: Option<String>, music: &MusicService) -> Result<M3uList, ApiError> {
    let bytes = STANDARD.decode(text).map_err(|error| {
        ApiError::invalid_at("m3u_base64", "form", &format!("is no base64: {error}"))
    })?;
    let folder = match folder {
        Some(folder) => PathBuf::from(folder),
        None => music.settings().roots().first().cloned().unwrap_or_else(|| PathBuf::from("/")),
    };
    if !folder.is_absolute() {
        let message = "must be an absolute path, as the keeper's machine has it";
        return Err(ApiError::invalid_at("m3u_folder", "rule", message));
    }
    let list = parse_m3u(&bytes, &folder);
    list.map_err(|error| ApiError::invalid_at("m3u_base64", "rule", &error.to_string()))
}

/// The tracks of a list that the library has, and the lines that name none. The disk is not looked at.
async fn tracks_of(
    list: M3uList,
    music: &MusicService,
) -> Result<(Vec<TrackRef>, Vec<String>), ApiError> {
    let M3uList { entries, refused, .. } = list;
    let found = music.ask(move |library| {
        let (mut tracks, mut unknown) = (Vec::new(), refused);
        for M3uEntry { paths, line, .. } in entries {
            let track = |path: &FilePath| library.track_by_path(path).ok().flatten()?.reference();
            match paths.iter().find_map(|path| track(path)) {
                Some(track) => tracks.push(track),
                None => unknown.push(line),
            }
        }
        (tracks, unknown)
    });
    Ok(found.await?)
}

/// A playlist, whole.
#[utoipa::path(get, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)),
    responses((status = 200, body = PlaylistView), (status = 404)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<PlaylistView>, ApiError> {
    let list = find(app.keeper()?, &id)?;
    whole(app.music(), list, &[]).await
}

/// Changes a playlist; all of it or nothing.
#[utoipa::path(patch, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)), request_body = PlaylistChangeBody,
    responses((status = 200, body = PlaylistView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn change(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<PlaylistView>, ApiError> {
    let keeper = app.keeper()?;
    let (playlist, _) = find(keeper, &id)?;
    let PlaylistChangeBody { name, remove, add, moved } = body.parse()?;
    let entries = |ids: Vec<u64>| ids.into_iter().map(EntryId).collect();
    let mut commands = Vec::new();
    commands.extend(name.map(|name| PlaylistCommand::Rename { playlist, name }));
    commands.extend(remove.map(|ids| PlaylistCommand::Remove { playlist, entries: entries(ids) }));
    if let Some(PlaylistAddBody { tracks, before }) = add {
        let tracks = app.music().tracks(&tracks, "add.tracks").await?;
        let before = before.map(EntryId);
        commands.push(PlaylistCommand::Add { playlist, tracks, before });
    }
    commands.extend(moved.map(|PlaylistMoveBody { entry, before }| PlaylistCommand::Move {
        playlist,
        entry: EntryId(entry),
        before: before.map(EntryId),
    }));
    if commands.is_empty() {
        let message = "says no change; give name, remove, add or move";
        return Err(ApiError::invalid_at("", "rule", message));
    }
    let changed = keeper.change_playlists(commands, &actor(&caller)).await?;
    let changed = changed.ok_or_else(|| ApiError::not_found("playlist", &id))?;
    whole(app.music(), changed, &[]).await
}

/// Deletes a playlist.
#[utoipa::path(delete, path = "/music/playlists/{id}", tag = "media", params(("id" = String, Path)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let playlist = number(&id)?;
    let command = PlaylistCommand::Delete { playlist };
    app.keeper()?.change_playlists(vec![command], &actor(&caller)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A playlist as an `.m3u8` file, with the paths of its tracks on the keeper's machine. Tracks that no file has any more are left out.
#[utoipa::path(get, path = "/music/playlists/{id}/m3u", tag = "media", params(("id" = String, Path)),
    responses((status = 200, content((String = "audio/x-mpegurl"))), (status = 404)))]
pub(crate) async fn export(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (_, list) = find(app.keeper()?, &id)?;
    let tracks = list.entries.iter().map(|entry| entry.track.clone()).collect();
    let tracks = app.music().with_files(tracks).await?;
    let entries = tracks.iter().filter_map(|track| {
        let file = track.file.as_ref()?;
        Some((&track.reference, file.path.as_path()))
    });
    let (text, _left_out) = print_m3u(&list.name, entries);
    Ok(([(header::CONTENT_TYPE, "audio/x-mpegurl")], text).into_response())
}
