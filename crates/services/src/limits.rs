//! All limits of this crate, with their names and values.

use std::time::Duration;

const KIB: usize = 1024;
const MIB: u64 = 1024 * 1024;

/// Longest answer of a service, before and after it is inflated, in bytes.
pub(crate) const SERVICE_BYTES_MAX: u64 = 4 * MIB;
/// Time for one request to a service.
pub(crate) const SERVICE_TIME_MAX: Duration = Duration::from_secs(20);
/// Longest text of a service that is repeated in an error, in bytes.
pub(crate) const DETAIL_BYTES_MAX: usize = 300;
/// Longest wait that a refusal may ask for and that is believed.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_hours(7 * 24);
/// Longest line of foreign text in a note or an error, in Unicode scalar values.
pub(crate) const NOTE_CHARS_MAX: usize = 120;

/// Redirects that are followed.
pub(crate) const REDIRECTS_MAX: usize = 3;
/// Longest page, before and after it is inflated, in bytes.
pub(crate) const PAGE_BYTES_MAX: u64 = 2 * MIB;
/// Longest PDF, in bytes: it holds pictures beside its text.
pub(crate) const PDF_BYTES_MAX: u64 = 16 * MIB;
/// Time for a page with all its redirects.
pub(crate) const PAGE_TIME_MAX: Duration = Duration::from_secs(30);
/// Time for taking the text out of a page.
pub(crate) const READ_TIME_MAX: Duration = Duration::from_secs(20);
/// Pages whose text is taken out at the same time.
pub(crate) const READERS_MAX: usize = 2;
/// Longest URL, in bytes.
pub(crate) const URL_BYTES_MAX: usize = 2_000;
/// How deep the elements of a page may be nested: readers of trees call themselves.
pub(crate) const HTML_DEPTH_MAX: usize = 256;
/// Elements of a page in which its article is looked for.
pub(crate) const HTML_ELEMENTS_MAX: usize = 40_000;
/// Elements, texts and comments of a page.
pub(crate) const HTML_NODES_MAX: usize = 4 * HTML_ELEMENTS_MAX;
/// Attributes of a tag: a parser compares each with all before it.
pub(crate) const HTML_ATTRIBUTES_MAX: usize = 2_000;
/// Tags `<html>` and `<body>` with attributes, which a parser adds to those of the first.
pub(crate) const HTML_ROOT_TAGS_MAX: usize = 100;
/// Longest fragment of HTML that is turned into plain text, in Unicode scalar values.
pub(crate) const FRAGMENT_CHARS_MAX: usize = 20_000;
/// Pages of a PDF that are read.
pub(crate) const PDF_PAGES_MAX: usize = 200;
/// What the text of one page of a PDF may inflate to, in bytes.
pub(crate) const PDF_STREAM_BYTES_MAX: usize = 16 * KIB * KIB;
/// Streams of objects in a PDF: all of them are unpacked at once, so that together they must fit into memory.
pub(crate) const PDF_OBJECT_STREAMS_MAX: usize = 128;
/// What one of them may inflate to, in bytes.
pub(crate) const PDF_OBJECT_STREAM_BYTES_MAX: usize = 2 * KIB * KIB;
/// Text that is taken from one document, in Unicode scalar values.
pub(crate) const DOCUMENT_CHARS_MAX: usize = 1_000_000;
/// Text of a page that one call gives, unless it asks for less.
pub(crate) const FETCH_CHARS_DEFAULT: usize = 20_000;
/// Most text of a page that one call gives.
pub(crate) const FETCH_CHARS_MAX: usize = 60_000;

/// Longest query of a search, in Unicode scalar values.
pub(crate) const QUERY_CHARS_MAX: usize = 400;
/// Results of a search unless a number is asked for.
pub(crate) const RESULTS_DEFAULT: usize = 8;
/// Most results of a search.
pub(crate) const RESULTS_MAX: usize = 20;
/// Longest snippet of a result, in Unicode scalar values.
pub(crate) const SNIPPET_CHARS_MAX: usize = 500;
/// Longest title, in Unicode scalar values.
pub(crate) const TITLE_CHARS_MAX: usize = 300;
/// Files of a folder of recorded searches.
pub(crate) const RECORDED_FILES_MAX: usize = 1_000;

/// Entries of a feed that are read, from its beginning.
pub(crate) const FEED_ENTRIES_MAX: usize = 500;
/// Longest text of one field of a feed, in bytes.
pub(crate) const FEED_FIELD_BYTES_MAX: usize = 64 * KIB;
/// Depth of a feed's elements.
pub(crate) const FEED_DEPTH_MAX: usize = 64;
/// Entries whose identity is kept for a subscription, as hashes: two of an entry at most.
pub(crate) const SEEN_HASHES_MAX: usize = 1_000;
/// Time between two requests for the same feed.
pub(crate) const FEED_INTERVAL_MIN: Duration = Duration::from_mins(15);
/// Entries that one check or fetch gives.
pub(crate) const ENTRIES_MAX: usize = 50;
/// Entries that one check or fetch gives unless a number is asked for.
pub(crate) const ENTRIES_DEFAULT: usize = 20;
/// Entries of an imported feed that its first check gives.
pub(crate) const FIRST_CHECK_ENTRIES: usize = 3;
/// Longest summary of an entry, in Unicode scalar values.
pub(crate) const SUMMARY_CHARS_MAX: usize = 600;
/// How far in the future an entry's date may lie to be believed.
pub(crate) const FUTURE_MAX: Duration = Duration::from_hours(48);
/// Longest validator (`ETag`, `Last-Modified`) that is kept, in bytes.
pub(crate) const VALIDATOR_BYTES_MAX: usize = 512;
/// Feeds that one import takes.
pub(crate) const OPML_FEEDS_MAX: usize = 200;
/// Feeds and hosts of an OPML document that the person is shown who is asked about it.
pub(crate) const FEEDS_PREVIEWED_MAX: usize = 20;
/// Time for a feed with all its redirects.
pub(crate) const FEED_TIME_MAX: Duration = Duration::from_secs(20);
/// Feeds that one check asks for, so that it ends in time.
pub(crate) const CHECKED_FEEDS_MAX: usize = 20;
/// Feeds that are asked for at the same time.
pub(crate) const FEEDS_AT_ONCE: usize = 4;
/// Feeds of a page that are offered.
pub(crate) const FOUND_FEEDS_MAX: usize = 10;

/// Time between two requests to Scryfall for a search or a name: two a second.
pub(crate) const SCRYFALL_SEARCH_INTERVAL: Duration = Duration::from_millis(500);
/// Time between two other requests to Scryfall: ten a second.
pub(crate) const SCRYFALL_OTHER_INTERVAL: Duration = Duration::from_millis(100);
/// How long Scryfall locks out whoever asks too often.
pub(crate) const SCRYFALL_LOCK_OUT: Duration = Duration::from_secs(30);
/// Cards that one search gives.
pub(crate) const CARDS_MAX: usize = 50;
/// Cards that one search gives unless a number is asked for.
pub(crate) const CARDS_DEFAULT: usize = 20;
/// Names that are suggested where a name is several cards.
pub(crate) const SUGGESTIONS_MAX: usize = 10;

/// Time between two requests to EDHREC.
pub(crate) const EDHREC_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest time that a page of EDHREC is kept.
pub(crate) const EDHREC_AGE_MIN: Duration = Duration::from_hours(24);
/// Longest time that a page of EDHREC is kept.
pub(crate) const EDHREC_AGE_MAX: Duration = Duration::from_hours(7 * 24);
/// Lists of recommendations that are given.
pub(crate) const CARD_LISTS_MAX: usize = 20;
/// Cards of one list unless a number is asked for.
pub(crate) const LIST_CARDS_DEFAULT: usize = 10;
/// Most cards of one list.
pub(crate) const LIST_CARDS_MAX: usize = 50;

/// Games that one call gives unless a number is asked for.
pub(crate) const GAMES_DEFAULT: usize = 50;
/// Most games that one call gives.
pub(crate) const GAMES_MAX: usize = 500;
/// Longest file of Steam that is read, in bytes.
pub(crate) const STEAM_FILE_BYTES_MAX: u64 = MIB;
/// Longest file that Steam keeps for an account and that is read, in bytes: it holds much beside the hours.
pub(crate) const STEAM_ACCOUNT_FILE_BYTES_MAX: u64 = 8 * MIB;
/// Accounts of Steam on this machine that are looked at.
pub(crate) const STEAM_ACCOUNTS_MAX: usize = 32;
/// Library folders of Steam that are looked into.
pub(crate) const STEAM_LIBRARIES_MAX: usize = 32;
/// Entries of a library folder that are looked at.
pub(crate) const STEAM_MANIFESTS_MAX: usize = 5_000;
/// Depth of the blocks of a file of Steam.
pub(crate) const VDF_DEPTH_MAX: usize = 32;

/// Longest entry of a cache, in bytes.
pub(crate) const CACHE_ENTRY_BYTES_MAX: usize = 6 * KIB * KIB;
/// Entries of a cache.
pub(crate) const CACHE_ENTRIES_MAX: usize = 10_000;

/// Tracks that a call names.
pub(crate) const TRACKS_MAX: usize = 500;
/// Tracks that a search of the music library gives.
pub(crate) const FOUND_DEFAULT: usize = 20;
/// See [`FOUND_DEFAULT`].
pub(crate) const FOUND_MAX: usize = 50;
