//! Text found by its bytes: a case-insensitive search at the speed of memory, over segments and over files like them.
//!
//! The bytes of many lines are scanned at once, and only a line that may hold the text is taken apart and looked at
//! again, decoded. For people who look for something: what is decided by machine goes over [`Query`](crate::Query).
//! It must never skip a line silently: what may hold the text and cannot be read is named.
//!
//! Reading order: [`Needle`] (what is looked for), `lines` (whole lines of a file in large reads), `in_order` (parts on
//! all cores, results in order), `strings` (the decoded look at a line's data), `search` (the segments).

mod in_order;
mod lines;
mod needle;
mod search;
mod strings;

pub use in_order::process_in_order;
pub use lines::{Piece, READ_BYTES, line_start, pieces};
pub use needle::{Candidate, NEEDLE_CHARS_MAX, Needle, NeedleError};
pub(crate) use search::search;
pub use search::{DAMAGED_LINES_MAX, DamagedLineError, TEXT_MATCHES_MAX, TextMatches};
