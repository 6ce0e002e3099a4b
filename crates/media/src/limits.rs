//! What is bounded, and by how much: in one place.

use std::time::Duration;

/// Folders below a root, one within the other.
pub(crate) const FOLDER_DEPTH_MAX: usize = 32;
/// Audio files below all roots together. What is beyond is not looked at, and nothing is taken for missing then.
pub(crate) const FILES_MAX: usize = 500_000;
/// Roots of a library.
pub(crate) const ROOTS_MAX: usize = 64;
/// Bytes of a path below its root.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;
/// Threads that read tags.
pub(crate) const READERS: usize = 2;
/// Files that are read and then written in one transaction: a stopped scan loses at most this much work.
pub(crate) const BATCH_FILES: usize = 500;
/// Folders that could not be read, as a scan lists them.
pub(crate) const PROBLEMS_MAX: usize = 1_000;

/// Memory for one item of a tag. A cover over it makes the file be read again without covers.
pub(crate) const TAG_ITEM_BYTES_MAX: usize = 16 << 20;
/// Bytes of a tag that is looked through byte by byte for compressed frames; a larger one is left unread.
pub(crate) const COMPRESSED_LOOK_BYTES_MAX: u64 = 16 << 20;
/// Bytes that may stand before the first frame of an MP3.
pub(crate) const JUNK_BYTES_MAX: usize = 64 << 10;
/// Characters of a title, a name, an album.
pub(crate) const TEXT_CHARS_MAX: usize = 500;
/// Artists of one file.
pub(crate) const ARTISTS_MAX: usize = 32;
/// Characters of what is wrong with a file.
pub(crate) const PROBLEM_CHARS_MAX: usize = 300;

/// Bytes of audio that the digest takes from the beginning, and as many from the end.
pub(crate) const DIGEST_BYTES: u64 = 32 << 10;
/// Chunks, boxes, blocks or pages that are looked through for where the audio begins.
pub(crate) const CHUNKS_MAX: usize = 4_096;

/// Bytes of one cover. A larger one is not kept.
pub(crate) const COVER_BYTES_MAX: usize = 8 << 20;
/// Bytes of all kept covers, unless the settings say otherwise.
pub(crate) const COVERS_BYTES_DEFAULT: u64 = 512 << 20;
/// Covers of folders that a scan remembers.
pub(crate) const FOLDER_COVERS_MAX: usize = 1_024;

/// Rows of a page.
pub(crate) const PAGE_ROWS_MAX: usize = 200;
/// Matches of a search that are ranked; a search with more says so.
pub(crate) const MATCHES_MAX: usize = 2_000;
/// Tracks with exactly the title that was asked for, which are ranked whatever else matches.
pub(crate) const EXACT_MATCHES_MAX: usize = 50;
/// Words of a search; the rest is not looked at.
pub(crate) const QUERY_WORDS_MAX: usize = 8;
/// Characters of a word of a search.
pub(crate) const QUERY_WORD_CHARS_MAX: usize = 64;

/// Entries of the queue.
pub(crate) const QUEUE_ENTRIES_MAX: usize = 10_000;
/// Playlists.
pub(crate) const PLAYLISTS_MAX: usize = 1_000;
/// Entries of a playlist.
pub(crate) const PLAYLIST_ENTRIES_MAX: usize = 10_000;
/// Characters of a playlist's name.
pub(crate) const PLAYLIST_NAME_CHARS_MAX: usize = 200;
/// Bytes of a playlist file.
pub(crate) const M3U_BYTES_MAX: usize = 4 << 20;
/// Bytes of the file that says where playing stopped.
pub(crate) const POSITION_FILE_BYTES_MAX: u64 = 4_096;

/// Players of other programs that are looked at.
pub(crate) const SESSION_PLAYERS_MAX: usize = 32;

/// How long a player may be without a reply before it is killed.
pub(crate) const REPLY_MAX: Duration = Duration::from_secs(2);
/// How long a player that was just started may be without its first reply: a busy machine takes its time to load a program.
pub(crate) const FIRST_REPLY_MAX: Duration = Duration::from_secs(15);
/// How often a player is asked where it is; also how often positions are said and kept.
pub(crate) const POLL: Duration = Duration::from_secs(1);
/// How long a track may play without its position moving before it counts as failed.
pub(crate) const STUCK_MAX: Duration = Duration::from_secs(5);
/// Starts of a player within [`STARTS_WINDOW`] after which it stays down until it is asked for again.
pub(crate) const STARTS_MAX: usize = 5;
/// See [`STARTS_MAX`].
pub(crate) const STARTS_WINDOW: Duration = Duration::from_mins(1);
/// Between two starts.
pub(crate) const START_PAUSE: Duration = Duration::from_millis(200);
/// Bytes of one line of mpv.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;
/// Requests to mpv that may be without a reply.
pub(crate) const REQUESTS_MAX: usize = 256;
/// Commands to a player that may wait.
pub(crate) const COMMANDS_MAX: usize = 64;
/// What a player said that nobody has taken yet.
pub(crate) const EVENTS_MAX: usize = 256;
