//! What one audio file says about itself. Never fatal: what cannot be read is a problem that the file is listed with.
//!
//! Runs on threads of its own, for the limit on memory of the tag reader is one of the thread. Files are never written.

use std::{
    fs::File,
    io::{BufReader, Seek as _},
    os::{fd::BorrowedFd, unix::ffi::OsStrExt as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use lofty::{
    config::{GlobalOptions, ParseOptions, apply_global_options},
    file::{AudioFile as _, FileType, TaggedFile, TaggedFileExt as _},
    picture::PictureType,
    probe::Probe,
    tag::{Accessor as _, ItemKey, Tag},
};

use super::{
    audio_digest::audio_digest,
    beneath::open_file,
    compressed_tag::has_compressed_frames,
    cover_cache::Cover,
    fold::{album_key, cut, fold},
    track::TrackKey,
    walk::FileStamp,
};
use crate::limits::{
    ARTISTS_MAX, COVER_BYTES_MAX, JUNK_BYTES_MAX, PROBLEM_CHARS_MAX, TAG_ITEM_BYTES_MAX,
    TEXT_CHARS_MAX,
};

/// Whose an album is that says of itself that it has many artists.
const VARIOUS: &str = "Various Artists";
/// Names of kinds of files, where they are not the ending.
const UNKNOWN_FORMAT: &str = "audio";

/// What a file says about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileReading {
    /// As it was while it was read; none where it could not be opened.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) key: Option<TrackKey>,
    pub(crate) title: String,
    pub(crate) title_key: String,
    pub(crate) artists: Vec<String>,
    pub(crate) album: Option<String>,
    pub(crate) album_artist: Option<String>,
    pub(crate) album_key: Option<String>,
    pub(crate) disc: Option<u32>,
    pub(crate) number: Option<u32>,
    pub(crate) year: Option<u32>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) format: String,
    pub(crate) cover: Option<Cover>,
    pub(crate) problem: Option<String>,
}

impl FileReading {
    /// A file that nobody got to read.
    pub(crate) fn unread(path: &[u8]) -> Self {
        let title = title_of_path(path);
        Self {
            title_key: fold(&title),
            title,
            format: ending(path).unwrap_or_else(|| UNKNOWN_FORMAT.to_owned()),
            problem: Some("was not read: its reader failed".to_owned()),
            ..Self::default()
        }
    }
}

/// Prepares a thread for [`read_file`].
pub(crate) fn prepare_thread() {
    let options = GlobalOptions::new()
        .allocation_limit(TAG_ITEM_BYTES_MAX)
        .use_custom_resolvers(false)
        .preserve_format_specific_items(false);
    apply_global_options(options);
}

/// Reads a file at a path below a root. `image_ns` is of the picture beside it and goes into the stamp.
pub(crate) fn read_file(root: BorrowedFd<'_>, path: &[u8], image_ns: i64) -> FileReading {
    let mut reading = FileReading { problem: None, ..FileReading::unread(path) };
    match open_file(root, path) {
        Err(errno) => reading.problem = Some(format!("cannot be opened: {errno}")),
        Ok((file, stat)) => {
            reading.stamp = Some(FileStamp::of(&stat, image_ns));
            read_opened(&mut reading, &file, u64::try_from(stat.st_size).unwrap_or(0));
        }
    }
    reading.title_key = fold(&reading.title);
    reading
}

fn read_opened(reading: &mut FileReading, file: &File, size: u64) {
    match audio_digest(&mut BufReader::with_capacity(64 << 10, file), size) {
        Ok(key) => reading.key = key,
        Err(error) => {
            reading.problem = Some(format!("cannot be read: {error}"));
            return;
        }
    }
    let options = ParseOptions::new().max_junk_bytes(JUNK_BYTES_MAX);
    let mut tries = [options; 3];
    let [_, without_covers, without_tags] = &mut tries;
    without_covers.read_cover_art(false);
    without_tags.read_tags(false);
    let mut first_problem = None;
    let is_compressed = has_compressed_frames(&mut BufReader::with_capacity(4 << 10, file));
    let tries = if matches!(is_compressed, Ok(false)) {
        tries.as_slice()
    } else {
        first_problem = Some("has compressed tags, which are not read".to_owned());
        tries.get(2..).unwrap_or_default()
    };
    for options in tries.iter().copied() {
        match parse(file, options) {
            Ok(tagged) => {
                take_tagged(reading, &tagged);
                break;
            }
            Err(problem) => {
                first_problem.get_or_insert(problem);
            }
        }
    }
    // Without its covers a file has all that it needs: that is said, and nothing is missing but the cover.
    reading.problem = first_problem.map(|problem| cut(&problem, PROBLEM_CHARS_MAX));
    if reading.problem.is_none() && reading.key.is_none() {
        reading.problem = Some("has no audio in it".to_owned());
    }
}

/// One try. A reader that panics over a file must not end the scan.
fn parse(file: &File, options: ParseOptions) -> Result<TaggedFile, String> {
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let mut reader = BufReader::with_capacity(16 << 10, file);
        reader.rewind().map_err(|error| format!("cannot be read: {error}"))?;
        let probe = Probe::new(reader).options(options);
        let probe = probe.guess_file_type().map_err(|error| format!("cannot be read: {error}"))?;
        if probe.file_type().is_none() {
            return Err("is no audio file of a known kind".to_owned());
        }
        probe.read().map_err(|error| format!("its tags cannot be read: {error}"))
    }));
    parsed.unwrap_or_else(|_| Err("its tags cannot be read: the reader failed over it".to_owned()))
}

fn take_tagged(reading: &mut FileReading, tagged: &TaggedFile) {
    if let Some(format) = format_name(tagged.file_type()) {
        format.clone_into(&mut reading.format);
    }
    let duration = u64::try_from(tagged.properties().duration().as_millis()).unwrap_or(0);
    reading.duration_ms = (duration > 0).then_some(duration);
    if let Some(tag) = tagged.primary_tag().or_else(|| tagged.first_tag()) {
        take_tag(reading, tag);
    }
}

fn take_tag(reading: &mut FileReading, tag: &Tag) {
    if let Some(title) = texts(tag, ItemKey::TrackTitle).into_iter().next() {
        reading.title = title;
    }
    reading.artists = texts(tag, ItemKey::TrackArtists);
    // One value that lists several is the joined form of the same names.
    if reading.artists.len() < 2 {
        let names = texts(tag, ItemKey::TrackArtist);
        if !names.is_empty() {
            reading.artists = names;
        }
    }
    reading.album = texts(tag, ItemKey::AlbumTitle).into_iter().next();
    let album_artists = texts(tag, ItemKey::AlbumArtist);
    let is_compilation =
        tag.get_string(ItemKey::FlagCompilation).is_some_and(|flag| flag.trim() == "1");
    let whose = match (album_artists.is_empty(), is_compilation) {
        (false, _) => Some(album_artists.join(", ")),
        (true, true) => Some(VARIOUS.to_owned()),
        (true, false) => (!reading.artists.is_empty()).then(|| reading.artists.join(", ")),
    };
    if let Some(album) = &reading.album {
        reading.album_key = Some(album_key(whose.as_deref().unwrap_or_default(), album));
    }
    reading.album_artist = whose;
    reading.disc = tag.disk().filter(|disc| *disc > 0);
    reading.number = tag.track().filter(|number| *number > 0);
    reading.year = [ItemKey::RecordingDate, ItemKey::Year, ItemKey::OriginalReleaseDate]
        .into_iter()
        .find_map(|key| year(tag.get_string(key)?));
    reading.cover = cover(tag);
}

/// The values of an item: several only where the tag has several, never by splitting at characters of names.
fn texts(tag: &Tag, key: ItemKey) -> Vec<String> {
    let values = tag.get_strings(key).flat_map(|text| text.split('\0'));
    let clean = values.map(|text| cut(text.trim(), TEXT_CHARS_MAX)).filter(|text| !text.is_empty());
    let mut found: Vec<String> = Vec::new();
    for text in clean.take(ARTISTS_MAX) {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The year of a date however it is written: its first four digits.
fn year(date: &str) -> Option<u32> {
    let digits = date.trim().get(..4)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|year| is_number && *year > 0)
}

fn cover(tag: &Tag) -> Option<Cover> {
    let front = tag.get_picture_type(PictureType::CoverFront);
    let picture = front.or_else(|| tag.pictures().first())?;
    if picture.data().len() > COVER_BYTES_MAX {
        return None;
    }
    Cover::recognise(picture.data().to_vec())
}

fn title_of_path(path: &[u8]) -> String {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let stem = Path::new(std::ffi::OsStr::from_bytes(name)).file_stem().unwrap_or_default();
    cut(&stem.to_string_lossy(), TEXT_CHARS_MAX)
}

fn ending(path: &[u8]) -> Option<String> {
    let ending = Path::new(std::ffi::OsStr::from_bytes(path)).extension()?;
    Some(ending.to_string_lossy().to_lowercase())
}

fn format_name(kind: FileType) -> Option<&'static str> {
    Some(match kind {
        FileType::Aac => "aac",
        FileType::Aiff => "aiff",
        FileType::Ape => "ape",
        FileType::Flac => "flac",
        FileType::Mpeg => "mp3",
        FileType::Mp4 => "m4a",
        FileType::Mpc => "mpc",
        FileType::Opus => "opus",
        FileType::Vorbis => "ogg",
        FileType::Speex => "spx",
        FileType::Wav => "wav",
        FileType::WavPack => "wv",
        _ => return None,
    })
}
