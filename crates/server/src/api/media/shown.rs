//! How music is shown: the forms of `view` out of what the keeper knows.

use std::{path::Path, time::Duration};

use abide_domain::visible_line;
use abide_media::{
    Album, FilePresence, FileProblem, LibraryCounts, PlayIntent, PlayerStatus, Playlist,
    PlaylistId, RepeatMode, RootStatus, SessionPlayer, Track,
};

use super::view::{
    AlbumView, LibraryProblemView, LibraryScanState, LibraryScanView, LibraryTrackView,
    MediaBackend, MediaEntryView, MediaRepeat, MediaState, MediaStatusView, MediaTrackView,
    OtherPlayerView, PlaylistEntryView, PlaylistItemView, PlaylistView,
};
use crate::media::{
    MusicBackend, MusicStatus, NO_FOLDERS, PROBLEMS_SHOWN, PlayedTrack, ScanReport, ScanStage,
};

/// Lines of an imported list that are shown.
const UNKNOWN_SHOWN: usize = 100;
/// What is wrong where a player plays and its output is gone.
const OUTPUT_GONE: &str = "mpv has no sound output any more; it goes on when there is one";

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}

fn joined(artists: &[String]) -> String {
    visible_line(&artists.join(", ")).into_owned()
}

fn line(text: &str) -> String {
    visible_line(text).into_owned()
}

/// What is known of the library's files, for what is shown of a scan.
#[derive(Debug, Default)]
pub(super) struct LibraryState {
    pub(super) counts: LibraryCounts,
    pub(super) problems: Vec<FileProblem>,
    pub(super) roots: Vec<RootStatus>,
}

/// A scan; without a library nothing is scanned.
pub(super) fn scan(report: Option<ScanReport>, library: &LibraryState) -> LibraryScanView {
    let LibraryState { counts, problems, roots } = library;
    let offline =
        roots.iter().filter_map(|root| Some((root.path.as_path(), root.offline.as_deref()?)));
    let problem = |(path, problem): (&Path, &str)| LibraryProblemView {
        path: line(&path.to_string_lossy()),
        problem: line(problem),
    };
    let files = problems.iter().map(|file| (file.path.as_path(), file.problem.as_str()));
    let errors: Vec<_> =
        offline.map(problem).chain(files.map(problem)).take(PROBLEMS_SHOWN).collect();
    let is_off = report.is_none();
    let report = report.unwrap_or_default();
    let unread =
        report.found.as_ref().map_or(0, |found| found.unread_folders + found.offline.len());
    let unread = u64::try_from(unread).unwrap_or(u64::MAX);
    LibraryScanView {
        state: match report.stage {
            _ if is_off => LibraryScanState::Off,
            ScanStage::Idle => LibraryScanState::Idle,
            ScanStage::Scanning => LibraryScanState::Scanning,
            ScanStage::Failed => LibraryScanState::Failed,
        },
        why: report.why.or_else(|| is_off.then(|| NO_FOLDERS.to_owned())),
        files: counts.files,
        missing: counts.missing,
        read: report.progress.read,
        to_read: report.progress.to_read,
        finished_at: report.finished_at.map(|at| at.to_string()),
        errors_total: counts
            .problems
            .saturating_add(unread)
            .max(u64::try_from(errors.len()).unwrap_or(0)),
        errors,
    }
}

/// A track of a queue or a playlist: by its file where there is one, for it may have been tagged anew.
pub(super) fn track(track: &PlayedTrack) -> MediaTrackView {
    let PlayedTrack { reference, file } = track;
    let (title, artists) = match file {
        Some(file) => (&file.title, &file.artists),
        None => (&reference.title, &reference.artists),
    };
    MediaTrackView {
        id: reference.key.to_string(),
        title: line(title),
        artist: joined(artists),
        album: file.as_ref().and_then(|file| file.album.as_deref()).map(line),
        duration_s: reference.duration_ms.map(seconds),
        cover: file.as_ref().and_then(|file| file.cover).map(|cover| cover.to_string()),
    }
}

/// A track of the library; none where its file could not be read, so that it cannot be played either.
pub(super) fn library_track(track: &Track) -> Option<LibraryTrackView> {
    Some(LibraryTrackView {
        id: track.key?.to_string(),
        title: line(&track.title),
        artist: joined(&track.artists),
        album: track.album.as_deref().map(line),
        album_id: track.album_key.clone(),
        disc: track.disc,
        track: track.number,
        year: track.year,
        duration_s: track.duration_ms.map(seconds),
        cover: track.cover.map(|cover| cover.to_string()),
        available: track.presence == FilePresence::Present,
    })
}

/// An album.
pub(super) fn album(album: &Album) -> AlbumView {
    AlbumView {
        id: album.key.clone(),
        title: line(&album.title),
        artist: line(&album.artist),
        year: album.year,
        tracks: album.tracks,
        duration_s: seconds(album.duration_ms),
        cover: album.cover.map(|cover| cover.to_string()),
    }
}

/// What is played, with the players of other programs.
pub(super) fn status(status: &MusicStatus, others: &[SessionPlayer]) -> MediaStatusView {
    let queue = &status.queue;
    let is_lost = status.player.status == PlayerStatus::Paused && status.player.is_wanted;
    let state = match (queue.current(), &status.why) {
        (_, Some(_)) => MediaState::Unavailable,
        (None, None) => MediaState::Stopped,
        (Some(_), None) if queue.intent() == PlayIntent::Play && !is_lost => MediaState::Playing,
        (Some(_), None) => MediaState::Paused,
    };
    let entry = |(id, played): &(abide_media::EntryId, PlayedTrack)| MediaEntryView {
        entry: id.0,
        track: track(played),
        failed: queue.failure(*id).map(line),
    };
    let is_current = |(id, _): &&(abide_media::EntryId, PlayedTrack)| Some(*id) == queue.current();
    MediaStatusView {
        state,
        why: status.why.clone().or_else(|| is_lost.then(|| OUTPUT_GONE.to_owned())),
        track: status.shown.iter().find(is_current).map(|(_, played)| track(played)),
        entry: queue.current().map(|entry| entry.0),
        position_s: status.position.as_secs_f64(),
        volume: queue.volume().percent(),
        queue: status.shown.iter().map(entry).collect(),
        queue_total: queue.entries().len(),
        shuffle: queue.seed().is_some(),
        repeat: match queue.repeat() {
            RepeatMode::Off => MediaRepeat::Off,
            RepeatMode::All => MediaRepeat::All,
            RepeatMode::One => MediaRepeat::One,
        },
        backend: match status.backend {
            MusicBackend::Mpv => MediaBackend::Mpv,
            MusicBackend::Silent => MediaBackend::Silent,
            MusicBackend::Off => MediaBackend::Off,
        },
        players: others.iter().map(other_player).collect(),
    }
}

fn other_player(player: &SessionPlayer) -> OtherPlayerView {
    OtherPlayerView {
        id: player.name.clone(),
        name: line(&player.identity),
        state: match player.status {
            PlayerStatus::Playing => MediaState::Playing,
            PlayerStatus::Paused => MediaState::Paused,
            PlayerStatus::Idle | PlayerStatus::Down => MediaState::Stopped,
        },
        title: player.title.as_deref().map(line),
        artist: joined(&player.artists),
    }
}

/// A playlist in a list.
pub(super) fn playlist_item((id, list): (PlaylistId, &Playlist)) -> PlaylistItemView {
    let lengths = list.entries.iter().filter_map(|entry| entry.track.duration_ms);
    PlaylistItemView {
        id: id.0,
        name: line(&list.name),
        entries: list.entries.len(),
        duration_s: seconds(lengths.fold(0, u64::saturating_add)),
    }
}

/// A playlist, whole; `tracks` are those of its entries, `unknown` what an imported list had besides.
pub(super) fn playlist(
    (id, list): (PlaylistId, &Playlist),
    tracks: &[PlayedTrack],
    unknown: &[String],
) -> PlaylistView {
    let entry = |(entry, played): (&abide_media::PlaylistEntry, &PlayedTrack)| {
        let is_there = |file: &Track| file.presence == FilePresence::Present;
        PlaylistEntryView {
            entry: entry.id.0,
            track: track(played),
            available: played.file.as_ref().is_some_and(is_there),
        }
    };
    PlaylistView {
        id: id.0,
        name: line(&list.name),
        entries: list.entries.iter().zip(tracks).map(entry).collect(),
        unknown: unknown.iter().take(UNKNOWN_SHOWN).map(|text| line(text)).collect(),
        unknown_total: unknown.len(),
    }
}
