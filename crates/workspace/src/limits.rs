//! The limits of the file tools, each with its name, in one place.

use std::time::Duration;

/// Longest path in an argument, in bytes: the kernel's own limit.
pub const FILE_PATH_BYTES_MAX: usize = 4_096;
/// Longest name of one file or folder, in bytes: the limit of every file system in common use.
pub const FILE_NAME_BYTES_MAX: usize = 255;
/// Deepest path below a folder.
pub const FILE_PATH_PARTS_MAX: usize = 64;

/// Largest file that is read, written or edited as a whole. Larger ones are read at their beginning only.
pub const FILE_BYTES_MAX: usize = 16 << 20;
/// Bytes of a file that one reading returns where the call does not say.
pub const READ_BYTES_DEFAULT: usize = 64 << 10;
/// Most bytes of a file that one reading returns.
pub const READ_BYTES_MAX: usize = 256 << 10;

/// Edits in one call.
pub const EDITS_MAX: usize = 64;
/// Lines that are named where the text of an edit is not found.
pub(crate) const NEAREST_LINES_MAX: usize = 3;
/// Lines of a file that are compared for it.
pub(crate) const NEAREST_LINES_COMPARED_MAX: usize = 20_000;
/// Bytes of a line that are compared for it.
pub(crate) const NEAREST_LINE_BYTES_MAX: usize = 400;
/// Places that one edit replaces at most.
pub(crate) const PLACES_MAX: usize = 100_000;
/// Lines that are named where the text of an edit stands more than once.
pub(crate) const MATCHES_NAMED_MAX: usize = 8;

/// A file with at least so many lines is not replaced by one with less than a twentieth of them, unless the call says so.
pub(crate) const SHRINK_LINES_MIN: usize = 200;
/// See [`SHRINK_LINES_MIN`].
pub(crate) const SHRINK_FACTOR: usize = 20;

/// Longest diff in a preview or a dry run, in bytes.
pub const DIFF_BYTES_MAX: usize = 16 << 10;
/// Larger texts are not compared line by line: their sizes are told instead.
pub(crate) const DIFF_INPUT_BYTES_MAX: usize = 2 << 20;
/// Time after which a comparison makes do with what it has.
pub(crate) const DIFF_TIME_MAX: Duration = Duration::from_millis(500);
/// Bytes of the present content that a conflict shows.
pub(crate) const CONFLICT_BYTES_MAX: usize = 2_000;

/// Deepest listing.
pub const LIST_DEPTH_MAX: usize = 16;
/// Entries of a listing where the call does not say.
pub const LIST_ENTRIES_DEFAULT: usize = 500;
/// Most entries of a listing.
pub const LIST_ENTRIES_MAX: usize = 2_000;
/// Bytes of paths that a listing returns.
pub(crate) const LIST_RESULT_BYTES_MAX: usize = 128 << 10;
/// Files and folders that one walk looks at.
pub(crate) const WALK_ENTRIES_MAX: usize = 100_000;
/// Deepest folder that a walk descends to; each level holds one descriptor.
pub(crate) const WALK_DEPTH_MAX: usize = 48;
/// Largest `.gitignore` that is heeded.
pub(crate) const GITIGNORE_BYTES_MAX: usize = 256 << 10;
/// Folders that listings and searches pass over unless asked: what tools make and nobody wrote.
pub(crate) const FOLDERS_PASSED_OVER: [&str; 3] = [".git", "node_modules", "target"];

/// Largest file that is searched.
pub const SEARCH_FILE_BYTES_MAX: usize = 4 << 20;
/// Bytes that one search reads.
pub(crate) const SEARCH_BYTES_MAX: u64 = 256 << 20;
/// Time of one search.
pub const SEARCH_TIME_MAX: Duration = Duration::from_secs(10);
/// Matches of a search where the call does not say.
pub const SEARCH_MATCHES_DEFAULT: usize = 100;
/// Most matches of a search.
pub const SEARCH_MATCHES_MAX: usize = 1_000;
/// Bytes of lines that a search returns.
pub(crate) const SEARCH_RESULT_BYTES_MAX: usize = 64 << 10;
/// Lines before and after a match.
pub(crate) const SEARCH_CONTEXT_MAX: usize = 10;
/// Bytes of a line that a search shows.
pub(crate) const SEARCH_LINE_BYTES_MAX: usize = 400;
/// Longest pattern of a search.
pub(crate) const SEARCH_PATTERN_BYTES_MAX: usize = 1_000;
/// Size of a compiled pattern, in bytes.
pub(crate) const SEARCH_PROGRAM_BYTES_MAX: usize = 4 << 20;

/// Names of a folder that are looked through for what a killed process left behind.
pub(crate) const SWEEP_NAMES_MAX: usize = 20_000;
/// How a file is called while it is written. Files of that name that no process holds are removed at the next change.
pub const TEMPORARY_PREFIX: &str = ".abide-tmp-";

/// How long a change can be taken back.
pub const UNDO_KEEP: Duration = Duration::from_hours(7 * 24);
/// Bytes that are kept of what an agent changed; the oldest go first.
pub const UNDO_BYTES_MAX: u64 = 256 << 20;
/// Changes of an agent that can be taken back; the oldest go first.
pub const UNDO_ENTRIES_MAX: usize = 1_000;
/// Files and folders in one folder that is removed.
pub(crate) const REMOVE_ENTRIES_MAX: usize = 20_000;
/// Changes that `files.undo` lists.
pub(crate) const UNDO_LISTED_MAX: usize = 50;
/// Largest description of a change in the undo folder, in bytes.
pub(crate) const UNDO_ENTRY_BYTES_MAX: usize = 64 << 10;

/// How long a change waits for another one before it is refused. Less than the time of any call, so that what was not begun
/// is never called unknown.
pub(crate) const CHANGE_WAIT_MAX: Duration = Duration::from_secs(20);
