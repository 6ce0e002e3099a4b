//! Every bound of the cards on disk, of how they are fetched, and of their pictures.

use std::time::Duration;

/// How long cards stay in memory after somebody asked for one: a table takes about a hundred megabytes.
pub(super) const IDLE_MAX: Duration = Duration::from_mins(10);
/// Longest `cards.json` and longest note beside a download, in bytes.
pub(super) const MANIFEST_BYTES_MAX: u64 = 64 << 10;
/// Longest file of tags that is kept, in bytes.
pub(super) const TAGS_BYTES_MAX: u64 = 16 << 20;

/// Longest list of bulk data, in bytes.
pub(super) const INDEX_BYTES_MAX: u64 = 1 << 20;
/// Time for that list.
pub(super) const INDEX_TIME_MAX: Duration = Duration::from_secs(30);
/// Redirects that are followed; each leads to a host of the list.
pub(super) const REDIRECTS_MAX: usize = 3;
/// Longest file of bulk data, packed, in bytes. The largest that is asked for has about 80 MB.
pub(super) const BULK_BYTES_MAX: u64 = 1 << 30;
/// Longest time of a pull's download, with all that is tried again.
pub(super) const DOWNLOAD_TIME_MAX: Duration = Duration::from_hours(2);
/// Longest silence within a download.
pub(super) const DOWNLOAD_IDLE_MAX: Duration = Duration::from_mins(1);
/// How often a download that broke off goes on by itself.
pub(super) const DOWNLOAD_TRIES: u32 = 8;
/// The pause before the second try; each one after it is twice as long.
pub(super) const TRY_PAUSE: Duration = Duration::from_secs(1);
/// Longest wait that a refusal may ask for and that a pull waits by itself.
pub(super) const REFUSAL_WAIT_MAX: Duration = Duration::from_mins(2);
/// Of a hundred lines of bulk data, how many may be no cards. Scryfall has none; more is another format.
pub(super) const UNREAD_PERCENT_MAX: usize = 1;
/// Of a hundred cards of before, how many a new table has at least. Cards are added; hardly one was ever taken away.
pub(super) const CARDS_PERCENT_MIN: usize = 95;

/// Longest line of a file of tags, in bytes: one tag with all its cards.
pub(super) const TAG_LINE_BYTES_MAX: u64 = 16 << 20;
/// What a file of tags may unpack to, in bytes.
pub(super) const TAG_FILE_BYTES_MAX: u64 = 1 << 30;
/// Tags of a file.
pub(super) const TAGS_MAX: usize = 100_000;

/// Longest picture, in bytes; a normal one has about 100 kB.
pub(super) const IMAGE_BYTES_MAX: u64 = 2 << 20;
/// Time for one picture.
pub(super) const IMAGE_TIME_MAX: Duration = Duration::from_secs(15);
/// Time between two requests for pictures: ten a second.
pub(super) const IMAGE_INTERVAL: Duration = Duration::from_millis(100);
/// Pictures that are fetched at the same time.
pub(super) const IMAGES_AT_ONCE: usize = 8;
/// Pictures that are fetched or wait for it; who asks for more is told to come back.
pub(super) const IMAGES_PENDING_MAX: usize = 256;
/// How long no picture is asked for after the host could not be reached.
pub(super) const IMAGE_PAUSE: Duration = Duration::from_secs(30);
/// How long no picture is asked for after the host said no to too many; it may ask for longer.
pub(super) const IMAGE_LOCK_OUT: Duration = Duration::from_secs(30);
/// Longest such wait that is believed.
pub(super) const IMAGE_LOCK_OUT_MAX: Duration = Duration::from_hours(24);
/// Bytes of all pictures on disk together; the oldest give way.
pub(super) const IMAGE_CACHE_BYTES_MAX: u64 = 256 << 20;
/// Pictures on disk.
pub(super) const IMAGE_CACHE_FILES_MAX: usize = 20_000;
