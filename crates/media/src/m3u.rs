//! Playlists of other programs: `.m3u` and `.m3u8`. Read by us, for a player would take Latin-1 for UTF-8 and open whatever a
//! line says.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path, PathBuf},
};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::{
    library::TrackRef,
    limits::{M3U_BYTES_MAX, PLAYLIST_ENTRIES_MAX, TEXT_CHARS_MAX},
};

/// One line that names a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct M3uEntry {
    /// Where the file may lie, absolute, the likeliest first: names may be written in another encoding than the file system's.
    pub paths: Vec<PathBuf>,
    /// What the list calls it.
    pub title: Option<String>,
    /// The line as it stands there.
    pub line: String,
}

/// What a playlist file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct M3uList {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The files.
    pub entries: Vec<M3uEntry>,
    /// Lines that name no file of this machine, such as addresses of streams.
    pub refused: Vec<String>,
}

/// The file is no playlist that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum M3uError {
    /// It is too large.
    #[error("the playlist has {bytes} bytes; at most {M3U_BYTES_MAX} are read")]
    TooLarge {
        /// How many it has.
        bytes: usize,
    },
    /// It has too many entries.
    #[error("the playlist has more than {PLAYLIST_ENTRIES_MAX} entries; split it")]
    TooLong,
}

/// Reads a playlist; `folder` is where it lies, and where relative names begin. Touches no file.
pub fn parse_m3u(bytes: &[u8], folder: &Path) -> Result<M3uList, M3uError> {
    if bytes.len() > M3U_BYTES_MAX {
        return Err(M3uError::TooLarge { bytes: bytes.len() });
    }
    let (encoding, text) = decode(bytes);
    let mut list = M3uList::default();
    let mut title = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(extinf) = comment.strip_prefix("EXTINF:") {
                title = extinf.split_once(',').map(|(_, title)| short(title));
            } else if let Some(name) = comment.strip_prefix("PLAYLIST:") {
                list.name = Some(short(name)).filter(|name| !name.is_empty());
            }
            continue;
        }
        let title = title.take().filter(|title| !title.is_empty());
        let paths = paths(line, encoding, folder);
        if list.entries.len() + list.refused.len() >= PLAYLIST_ENTRIES_MAX {
            return Err(M3uError::TooLong);
        }
        if paths.is_empty() {
            list.refused.push(short(line));
        } else {
            list.entries.push(M3uEntry { paths, title, line: short(line) });
        }
    }
    Ok(list)
}

/// A playlist as a file in UTF-8 (`.m3u8`). Paths that are no UTF-8, or of more than one line, cannot be written so: their number
/// comes with the text.
pub fn print_m3u<'a>(
    name: &str,
    entries: impl IntoIterator<Item = (&'a TrackRef, &'a Path)>,
) -> (String, usize) {
    let mut text = format!("#EXTM3U\n#PLAYLIST:{}\n", one_line(name));
    let mut left_out = 0;
    for (track, path) in entries {
        let Some(path) = path.to_str().filter(|path| !path.contains(['\n', '\r'])) else {
            left_out += 1;
            continue;
        };
        let seconds = track.duration_ms.map_or(-1, |ms| i64::try_from(ms / 1_000).unwrap_or(-1));
        let artists = track.artists.join(", ");
        let between = if artists.is_empty() { "" } else { " - " };
        let title = one_line(&format!("{artists}{between}{}", track.title));
        for part in ["#EXTINF:", &seconds.to_string(), ",", &title, "\n", path, "\n"] {
            text.push_str(part);
        }
    }
    (text, left_out)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text: as its mark says, else UTF-8 where it is that, else Latin-1 with the characters that Windows puts into it.
fn decode(bytes: &[u8]) -> (&'static Encoding, String) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return (encoding, encoding.decode_without_bom_handling(rest).0.into_owned());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (UTF_8, text.to_owned());
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    (WINDOWS_1252, text.into_owned())
}

fn short(text: &str) -> String {
    text.trim().chars().take(TEXT_CHARS_MAX).collect()
}

/// Where a line's file may lie; nothing where it is none of this machine.
fn paths(line: &str, encoding: &'static Encoding, folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    if let Some(address) = strip_prefix_any_case(line, "file://") {
        let path = strip_prefix_any_case(address, "localhost").unwrap_or(address);
        names.push(percent_decode(path.as_bytes()));
    } else if is_address(line) || is_drive(line) {
        return Vec::new();
    } else {
        names.push(line.as_bytes().to_vec());
        if encoding == WINDOWS_1252 {
            // The names of the files may be of the same time as the list.
            names.push(encoding.encode(line).0.into_owned());
        }
        if line.contains('\\') {
            names.push(line.replace('\\', "/").into_bytes());
        }
    }
    let names = names.into_iter().filter(|name| !name.contains(&0));
    let mut paths: Vec<PathBuf> =
        names.map(|name| clean(&folder.join(OsStr::from_bytes(&name)))).collect();
    paths.retain(|path| path.is_absolute());
    paths.dedup();
    paths
}

/// Takes `.` and `..` out by the names alone.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

fn is_address(line: &str) -> bool {
    let Some((scheme, _)) = line.split_once("://") else {
        return false;
    };
    scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) && !scheme.is_empty()
}

/// `C:\Music`, which is of another machine.
fn is_drive(line: &str) -> bool {
    matches!(line.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

fn strip_prefix_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    text.get(prefix.len()..).filter(|_| head.eq_ignore_ascii_case(prefix))
}

fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        if let Some(byte) = code.and_then(|code| hex::decode(code).ok()?.first().copied()) {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}
