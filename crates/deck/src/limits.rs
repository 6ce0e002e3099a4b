//! Every bound of this crate, in one place.

/// Cards of one entry of a deck. Larger than any legal deck needs; the largest that was seen has 200 cards in all.
pub const ENTRY_COUNT_MAX: u32 = 999;
/// Entries of one deck, unread lines not counted.
pub const DECK_ENTRIES_MAX: usize = 2_000;
/// Bytes of a deck list that is read.
pub const LIST_BYTES_MAX: usize = 1 << 20;
/// Lines of a deck list that are read.
pub const LIST_LINES_MAX: usize = 10_000;
/// Unicode scalar values of a card's name in a list.
pub const NAME_CHARS_MAX: usize = 200;
/// Unicode scalar values of a tag.
pub const TAG_CHARS_MAX: usize = 60;
/// Tags of one entry.
pub const ENTRY_TAGS_MAX: usize = 20;
/// Unicode scalar values of a deck's name.
pub const DECK_NAME_CHARS_MAX: usize = 120;
/// Unicode scalar values of an unread line that is kept.
pub const UNREAD_LINE_CHARS_MAX: usize = 300;

/// Decks of one keeper.
pub const DECKS_MAX: usize = 1_000;
/// Bytes of one event of a deck as JSON. The lists of the largest decks that were seen make 60 kB.
pub const DECK_EVENT_BYTES_MAX: usize = 1 << 20;
/// Cards that a search or a recommendation gives.
pub const FOUND_CARDS_MAX: usize = 100;
/// Unicode scalar values of a search.
pub const SEARCH_CHARS_MAX: usize = 300;
/// Words of a search.
pub const SEARCH_WORDS_MAX: usize = 20;

/// Lines of one proposal.
pub const PROPOSAL_LINES_MAX: usize = 200;
/// Proposals of one deck with lines that nobody has answered.
pub const PROPOSALS_OPEN_MAX: usize = 50;
/// Proposals of one deck that are remembered, answered ones included.
pub const PROPOSALS_KEPT_MAX: usize = 500;
/// Unicode scalar values of a reason.
pub const REASON_CHARS_MAX: usize = 2_000;
/// Operations of one edit by a person.
pub const EDIT_OPS_MAX: usize = 500;
/// Revisions that a deck remembers for undo, history and merging. Older ones cannot be undone.
pub const HISTORY_REVISIONS_MAX: usize = 1_000;
/// Notes about reviews that are kept for agents.
pub const REVIEW_NOTES_MAX: usize = 1_000;

/// Bytes of a line of bulk data. The longest of Scryfall's are below 20 kB.
pub const BULK_LINE_BYTES_MAX: usize = 256 << 10;
/// Lines of a file of bulk data. `default_cards` has about 110 000.
pub const BULK_LINES_MAX: usize = 1_000_000;
/// Bytes of a file of bulk data, unpacked.
pub const BULK_BYTES_MAX: u64 = 4 << 30;
/// Printings of one card that are kept. Basic lands have about 1 000.
pub const PRINTINGS_MAX: usize = 4_000;

/// Cards of a hand before mulligans.
pub const HAND_CARDS: usize = 7;
/// Combos that are read from one page.
pub const COMBOS_MAX: usize = 2_000;
